# SPDX-License-Identifier: Apache-2.0
#
#   make             builds the programs for installing; installs nothing
#   make dependencies, make test-dependencies
#                    install the packages that are needed for building or testing: packaging/DEPENDENCIES.md
#   make demo        shows the main features, on a private bus with a real keyring and a stand-in server
#   make test        runs the tests of each change; make test and make demo first install the packages that they need
#   make bench       measures the service against a C program with the same libraries
#   make fuzz        fuzzes each parser for a minute
#   make nightly     runs all tests that make test leaves out; needs root, the network and hours
#   make torture     crash tests: kills the service at chosen and random moments, and injects invalid answers of issuer
#                    and proxy; ROUNDS=400 SEED=any
#   make abuse       load and attack tests, during which a well-behaved caller measures latency; SECONDS=600 SEED=any
#   make conformance runs real clients against the stand-in, for both sign-ins
#   make mutants     mutation tests: breaks one rule at a time, and lists the tests that fail
#   make doc         makes guides, manual pages and API references as HTML, in .build/doc/html
#   make deb         makes packages for Debian, in .build/deb; see packaging/README.md
#   make package-test
#                    makes and tests them in fresh trees of Debian 12 and 13; needs root
#   make apt-repository KEY=ID URL=ADDRESS
#                    makes a signed apt repository of these packages, in .build/apt, to upload to ADDRESS
#   make flatpak-bundle KEY=ID
#                    makes a signed Flatpak bundle of the window, in .build/flatpak
#   make dist        makes the source archive, a spec file and a PKGBUILD, in .build/dist
#   make sbom        makes a bill of materials (SPDX) of the built programs, as .build/release/chappie.spdx.json
#   make plasma      builds the QML module of the Plasma applet; make does so too if Qt is installed
#   make desktop-test
#                    tests the window, the search, the extension and the applet in GNOME and Plasma of Debian 13, in
#                    trees in .build/trees; needs root
#   make screenshots takes screenshots of the parts of the desktop, in .build/pictures; as root, of Debian 13 too
#   make lint        checks formatting, interface comments, message catalogues, the modules of the desktop's programs
#                    and, after a debug build, arithmetic on untrusted numbers; make format fixes the formatting
#   make po          updates the message catalogues in po from the sources
#   make install     installs what was built before; builds nothing
#   make install-extension
#                    installs only the extension for GNOME Shell, which needs no building
#   make uninstall   removes the installed files, given the same variables
#
# For one user alone: make install PREFIX=$HOME/.local
# A running service ends when it is idle after its program was replaced or removed. After the first installation, tell
# a running session about the service:
#   systemctl --user daemon-reload
#   busctl --user call org.freedesktop.DBus / org.freedesktop.DBus ReloadConfig

# --- Building, testing -----------------------------------------------------------------------------------------------

# Without a limit, the compiler makes one batch of files for each processor and module, and not one of each 25 files:
# each batch reads all imports again. All tests then build in 510 s of processor time instead of 780. Without the modules
# of the system the index, which Tests/arrows.py reads, takes a quarter less of that time, and without debug information
# all of it takes 375 s.
DEBUG = swift build -debug-info-format none -Xswiftc -driver-batch-size-limit -Xswiftc 1000 \
  -Xswiftc -index-ignore-system-modules
# The Swift runtime is linked statically, so that packages depend only on Debian's libraries. lld packs relocations
# into a tenth of the size, and -Osize is as fast here; both save memory at run time. libstdc++, which the Swift runtime
# needs, is static too, because the shared library costs a millisecond at each start. The suppressed linker warnings
# are about Swift's own archives.
STATIC = .build/static
# Without the trait FoundationTypes, which is for users of the libraries, and without an rpath.
RELEASE = -c release --disable-default-traits --static-swift-stdlib --disable-local-rpath \
  -Xswiftc -use-ld=lld -Xswiftc -Osize \
  -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --icf=all -Xlinker --no-export-dynamic \
  -Xlinker --no-warnings -Xlinker -L$(STATIC)
# Reproducible builds: paths are relative to the top, without a hash of the compiler's options, and without the modules
# of C libraries in the debug symbols.
RELEASE += -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=. \
  $(foreach flag,-disable-incremental-llvm-codegen -no-clang-module-breadcrumbs,-Xswiftc -Xfrontend -Xswiftc $(flag))
# One section per function, so that the linker drops unused ones: this saves half a megabyte of memory.
RELEASE += -Xswiftc -Xfrontend -Xswiftc -function-sections
# More options for SwiftPM, such as --jobs=2.
SWIFTFLAGS =
# The debug symbols name the compiler's temporary files with macro expansions, so these go below the top. The linker
# lists the archives that it takes code from, for the bill of materials.
BUILD = TMPDIR=$(CURDIR)/.build/tmp swift build $(RELEASE) $(SWIFTFLAGS)
SOURCES = Package.swift Sources Tests dbus Fuzz Examples

.PHONY: build debug test-build plasma desktop-test screenshots prepare dependencies test-dependencies demo-dependencies \
  manuals demo test check nightly bench fuzz torture abuse conformance mutants doc translations schemas po lint \
  format clean
# Prerequisites are made in order; SwiftPM itself uses all processors.
.NOTPARALLEL:

build: prepare manuals translations schemas
	$(BUILD) -Xlinker --print-archive-stats=$(STATIC)/chappied.archives --product chappied
	$(BUILD) -Xlinker --print-archive-stats=$(STATIC)/chappie.archives --product chappie
	$(BUILD) -Xlinker --print-archive-stats=$(STATIC)/chappie-sandbox.archives --product chappie-sandbox
	@! scripts/dependencies check plasma 2>/dev/null || $(MAKE) plasma

debug: prepare translations
	$(DEBUG)

plasma:
	@scripts/dependencies check plasma
	$(MAKE) -C desktop/plasma/plugin

dependencies:
	@scripts/dependencies install build

test-dependencies:
	@scripts/dependencies install build plasma demo doc test apt-repository

demo-dependencies:
	@scripts/dependencies install build demo

prepare:
	@scripts/dependencies check build
	@mkdir -p .build/tmp $(STATIC) && ln -sf "$$(gcc -print-file-name=libstdc++.a)" $(STATIC)/libstdc++.a

# The manual pages of the D-Bus interfaces, from dbus/*.xml.
MANUALS = .build/man
manuals:
	@doc/interfaces.py mdoc $(MANUALS)

# Message catalogues, and translated desktop and AppStream files. The programs in .build look for catalogues here.
TRANSLATIONS = .build/share
translations:
	@scripts/translations compile $(TRANSLATIONS)

# The GSettings schema of the extension for GNOME Shell.
schemas:
	@mkdir -p $(TRANSLATIONS)
	@glib-compile-schemas --strict --targetdir=$(TRANSLATIONS) desktop/gnome-shell/schemas

po:
	@scripts/translations update

demo: demo-dependencies debug
	@scripts/private-session scripts/demo .build/debug

# All tests; the fast ones; or with TEST=NAME those with this name.
test: test-dependencies test-build
	@Tests/all.py

check: test-build
	@Tests/all.py '$(or $(TEST),fast)'

nightly: test-dependencies test-build
	@Tests/all.py nightly

test-build: prepare translations schemas
	$(DEBUG) --build-tests

desktop-test: build plasma
	$(MAKE) install-extension DATADIR=$(CURDIR)/.build/extension/share >/dev/null
	for test in window search notifications; do \
	  PROGRAMS=$(CURDIR)/.build/release Tests/desktop/tree gnome scripts/private-session Tests/$$test.py /mnt/programs \
	    || exit 1; \
	done
	for test in gnome-shell gnome-selection; do \
	  PROGRAMS=$(CURDIR)/.build/release Tests/desktop/tree gnome \
	    env XDG_DATA_DIRS=/mnt/chappie/.build/extension/share:/usr/share \
	    scripts/private-session Tests/$$test.py /mnt/programs || exit 1; \
	done
	PROGRAMS=$(CURDIR)/.build/release Tests/desktop/tree gnome scripts/private-session Tests/act.py /mnt/programs --gnome
	PROGRAMS=$(CURDIR)/.build/release Tests/desktop/tree plasma scripts/private-session Tests/plasma.py /mnt/programs
	for desk in plasma kwin; do \
	  PROGRAMS=$(CURDIR)/.build/release Tests/desktop/tree plasma \
	    scripts/private-session Tests/act.py /mnt/programs --$$desk || exit 1; \
	done

screenshots: test-dependencies build plasma
	Tests/desktop/screenshots .build/release

bench: build
	swift build $(RELEASE) --product thread-bench
	$(MAKE) -C Benchmarks bench

fuzz: prepare
	Fuzz/run 60

ROUNDS = 400
torture: test-dependencies debug
	scripts/private-session Tests/torture/torture.py .build/debug --rounds $(ROUNDS) $(if $(SEED),--seed $(SEED))

SECONDS = 600
abuse: test-dependencies build
	scripts/private-session Tests/abuse/abuse.py .build/release --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))
	scripts/private-session Tests/extremes/extremes.py .build/release --all --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

conformance: debug
	@scripts/dependencies install conformance
	Tests/conformance/conformance.py .build/debug

mutants: test-dependencies prepare
	Tests/mutants.py

doc: debug
	@scripts/dependencies install doc
	doc/build .build/debug

lint: manuals
	@swift format lint --strict --recursive --parallel $(SOURCES)
	@Tests/security.py
	@! test -d .build/debug/index/store || Tests/numbers.py .build/debug
	@scripts/translations check
	@! scripts/dependencies check window 2>/dev/null || gjs -m Tests/modules.js
	@python3 -m json.tool desktop/plasma/package/metadata.json >/dev/null

format:
	@swift format --in-place --recursive --parallel $(SOURCES)

clean:
	rm -rf .build

# --- A release -------------------------------------------------------------------------------------------------------

# The version of the libraries, and the date of its heading in NEWS.md.
VERSION = $(shell sed -n 's/.*static let current = "\(.*\)".*/\1/p' Sources/ChappieSDK/Configuration/ChappieVersion.swift)
RELEASED = $(shell sed -n 's/^\#\# $(VERSION) (\(.*\))$$/\1/p' NEWS.md)

.PHONY: version released dist sbom

version:
	@echo $(VERSION)

released:
	@echo $(RELEASED)

dist:
	@packaging/dist

sbom:
	@packaging/sbom $(BUILDDIR) $(VERSION) >$(BUILDDIR)/chappie.spdx.json
	@echo $(BUILDDIR)/chappie.spdx.json

# --- Packages --------------------------------------------------------------------------------------------------------

.PHONY: deb apt-repository flatpak-bundle package-test

deb:
	packaging/build-deb

# KEY is the maintainer's GPG key, and URL the address that the repository will have.
PACKAGES = .build/deb
APTREPOSITORY = .build/apt
apt-repository:
	@packaging/apt-repository "$(KEY)" "$(URL)" "$(PACKAGES)" "$(APTREPOSITORY)"

flatpak-bundle:
	@packaging/flatpak-bundle "$(KEY)"

package-test:
	@scripts/dependencies install build plasma doc deb apt-repository
	$(MAKE) deb
	Tests/packages/run .build/deb

# --- Installing ------------------------------------------------------------------------------------------------------

PREFIX = /usr/local
DESTDIR =
BINDIR = $(PREFIX)/bin
LIBEXECDIR = $(PREFIX)/libexec
DATADIR = $(PREFIX)/share
MANDIR = $(DATADIR)/man
LOCALEDIR = $(DATADIR)/locale
DOCDIR = $(DATADIR)/doc/chappie
# In a home directory, systemd looks for units only in share.
SYSTEMDUSERDIR = $(if $(filter $(HOME)/%,$(PREFIX)),$(DATADIR),$(PREFIX)/lib)/systemd/user
DBUSSERVICESDIR = $(DATADIR)/dbus-1/services
DBUSINTERFACESDIR = $(DATADIR)/dbus-1/interfaces
PKGCONFIGDIR = $(DATADIR)/pkgconfig
BASHCOMPLETIONDIR = $(DATADIR)/bash-completion/completions
ZSHCOMPLETIONDIR = $(DATADIR)/zsh/site-functions
FISHCOMPLETIONDIR = $(DATADIR)/fish/vendor_completions.d

# The URL of doc/pictures, for AppStream.
PICTURES = https://chappie.invalid/pictures

# The directory of QML modules; with another prefix than /usr, QML needs QML_IMPORT_PATH.
QMLDIR = $(if $(filter /usr,$(PREFIX)),$(shell qtpaths6 --query QT_INSTALL_QML),$(PREFIX)/lib/qt6/qml)
PLASMOIDDIR = $(DATADIR)/plasma/plasmoids/org.chappie.plasma

# The directory of the built programs.
BUILDDIR = .build/release
INSTALL = install

# The extension for GNOME Shell, whose files are all in its own folder.
EXTENSION = $(DATADIR)/gnome-shell/extensions/chappie@chappie.invalid
EXTENSION_FILES = \
  $(foreach file,$(wildcard desktop/gnome-shell/*.js desktop/gnome-shell/*.css desktop/gnome-shell/*.json),\
    $(file):$(EXTENSION)/$(notdir $(file))) \
  $(foreach file,$(wildcard desktop/shared/*),$(file):$(EXTENSION)/shared/$(notdir $(file))) \
  $(foreach file,$(wildcard desktop/gnome-shell/schemas/*.xml) $(TRANSLATIONS)/gschemas.compiled,\
    $(file):$(EXTENSION)/schemas/$(notdir $(file))) \
  data/icons/hicolor/symbolic/apps/org.chappie-symbolic.svg:$(EXTENSION)/icons/org.chappie-symbolic.svg \
  $(foreach language,$(shell cat po/LINGUAS),\
    $(TRANSLATIONS)/locale/$(language)/LC_MESSAGES/chappie.mo:$(EXTENSION)/locale/$(language)/LC_MESSAGES/chappie.mo)

# The window, with the modules, icons and catalogues that it shares with other programs.
WINDOW_FILES = \
  $(foreach file,$(wildcard desktop/shared/*),$(file):$(DATADIR)/chappie/shared/$(notdir $(file))) \
  $(foreach file,$(wildcard desktop/window/*.js desktop/window/*.css),\
    $(file):$(DATADIR)/chappie/window/$(notdir $(file))) \
  $(TRANSLATIONS)/org.chappie.Window.desktop:$(DATADIR)/applications/org.chappie.Window.desktop \
  desktop/window/org.chappie.Window.service.in:$(DBUSSERVICESDIR)/org.chappie.Window.service \
  $(TRANSLATIONS)/org.chappie.Window.metainfo.xml.in:$(DATADIR)/metainfo/org.chappie.Window.metainfo.xml \
  data/icons/hicolor/scalable/apps/org.chappie.svg:$(DATADIR)/icons/hicolor/scalable/apps/org.chappie.svg \
  data/icons/hicolor/symbolic/apps/org.chappie-symbolic.svg:$(DATADIR)/icons/hicolor/symbolic/apps/org.chappie-symbolic.svg \
  $(foreach language,$(shell cat po/LINGUAS),\
    $(TRANSLATIONS)/locale/$(language)/LC_MESSAGES/chappie.mo:$(LOCALEDIR)/$(language)/LC_MESSAGES/chappie.mo)

# Installed files as SOURCE:DESTINATION. In sources that end in .in, @bindir@, @datadir@, @libexecdir@, @interfacesdir@,
# @pictures@, @version@ and @date@ are substituted.
INSTALLED_PROGRAMS = \
  $(BUILDDIR)/chappied:$(LIBEXECDIR)/chappied \
  $(BUILDDIR)/chappie:$(BINDIR)/chappie \
  $(BUILDDIR)/chappie-sandbox:$(BINDIR)/chappie-sandbox
WINDOW_SCRIPTS = \
  desktop/window/chappie-window.in:$(BINDIR)/chappie-window
INSTALLED_SCRIPTS = $(WINDOW_SCRIPTS) \
  desktop/file-managers/ask-chappie:$(DATADIR)/chappie/file-managers/ask-chappie
INSTALLED_FILES = $(EXTENSION_FILES) $(WINDOW_FILES) \
  data/chappie.service.in:$(SYSTEMDUSERDIR)/chappie.service \
  dbus/org.chappie.service.in:$(DBUSSERVICESDIR)/org.chappie.service \
  $(foreach xml,$(wildcard dbus/org.chappie.*.xml),$(xml):$(DBUSINTERFACESDIR)/$(notdir $(xml))) \
  data/chappie.pc.in:$(PKGCONFIGDIR)/chappie.pc \
  data/chappie.conf:$(DOCDIR)/chappie.conf \
  $(foreach file,$(wildcard data/templates/*),$(file):$(DATADIR)/chappie/templates/$(notdir $(file))) \
  data/access-group.conf:$(DOCDIR)/access-group.conf \
  Sources/ChappieSDK/PRIVACY.md:$(DOCDIR)/PRIVACY.md \
  $(foreach file,$(wildcard desktop/panel/*),$(file):$(DOCDIR)/panel/$(notdir $(file))) \
  Sources/chappie-sandbox/README.md:$(DOCDIR)/chappie-sandbox.md \
  $(TRANSLATIONS)/org.chappie.desktop:$(DATADIR)/applications/org.chappie.desktop \
  $(TRANSLATIONS)/org.chappie.chappie.metainfo.xml.in:$(DATADIR)/metainfo/org.chappie.chappie.metainfo.xml \
  $(foreach file,$(wildcard desktop/search/*.js),$(file):$(DATADIR)/chappie/search/$(notdir $(file))) \
  desktop/search/org.chappie.Search.service.in:$(DBUSSERVICESDIR)/org.chappie.Search.service \
  desktop/search/org.chappie.Search.ini:$(DATADIR)/gnome-shell/search-providers/org.chappie.Search.ini \
  $(TRANSLATIONS)/plasma-runner-chappie.desktop:$(DATADIR)/krunner/dbusplugins/plasma-runner-chappie.desktop \
  $(TRANSLATIONS)/dolphin-chappie.desktop:$(DATADIR)/kio/servicemenus/dolphin-chappie.desktop \
  $(TRANSLATIONS)/thunar-sendto-chappie.desktop:$(DATADIR)/Thunar/sendto/thunar-sendto-chappie.desktop \
  data/man/chappie.1:$(MANDIR)/man1/chappie.1 \
  data/man/chappie-window.1:$(MANDIR)/man1/chappie-window.1 \
  data/man/chappie-sandbox.1:$(MANDIR)/man1/chappie-sandbox.1 \
  data/man/org.chappie.7:$(MANDIR)/man7/org.chappie.7 \
  $(foreach xml,$(wildcard dbus/org.chappie.*.xml),\
    $(MANUALS)/$(basename $(notdir $(xml))).7:$(MANDIR)/man7/$(basename $(notdir $(xml))).7) \
  data/man/chappied.8:$(MANDIR)/man8/chappied.8 \
  data/completions/chappie:$(BASHCOMPLETIONDIR)/chappie \
  data/completions/_chappie:$(ZSHCOMPLETIONDIR)/_chappie \
  data/completions/chappie.fish:$(FISHCOMPLETIONDIR)/chappie.fish
# The Plasma applet, if its module was built.
PLASMAMODULE = .build/plasma/org/chappie/plasma
INSTALLED_APPLET = \
  $(PLASMAMODULE)/libchappieplasma.so:$(QMLDIR)/org/chappie/plasma/libchappieplasma.so \
  $(PLASMAMODULE)/qmldir:$(QMLDIR)/org/chappie/plasma/qmldir \
  desktop/plasma/package/metadata.json:$(PLASMOIDDIR)/metadata.json \
  $(foreach file,$(wildcard desktop/plasma/package/contents/ui/*),\
    $(file):$(PLASMOIDDIR)/contents/ui/$(notdir $(file)))
ifneq ($(wildcard $(PLASMAMODULE)/libchappieplasma.so),)
INSTALLED_FILES += $(INSTALLED_APPLET)
endif

.PHONY: install install-extension install-window uninstall

# Only the extension, which is not compiled.
install-extension: translations schemas
	@$(MAKE) --no-print-directory install INSTALLED_PROGRAMS= INSTALLED_SCRIPTS= INSTALLED_FILES='$(EXTENSION_FILES)'

# Only the window, for its Flatpak, in which the command of the desktop file's action is not.
install-window: translations
	@$(MAKE) --no-print-directory install INSTALLED_PROGRAMS= INSTALLED_SCRIPTS='$(WINDOW_SCRIPTS)' \
	  INSTALLED_FILES='$(WINDOW_FILES)'
	@sed -i -e '/^Actions=/d' -e '/^.Desktop Action/,$$d' "$(DESTDIR)$(DATADIR)/applications/org.chappie.Window.desktop"

install:
	@set -e; \
	for pair in $(INSTALLED_PROGRAMS) $(INSTALLED_SCRIPTS) $(INSTALLED_FILES); do \
	  test -e "$${pair%%:*}" || { echo "$${pair%%:*} is not there: build it first" >&2; exit 1; }; \
	done; \
	for pair in $(INSTALLED_PROGRAMS); do \
	  echo "install $(DESTDIR)$${pair#*:}"; \
	  $(INSTALL) -D -m 755 "$${pair%%:*}" "$(DESTDIR)$${pair#*:}"; \
	done; \
	mode=755; \
	for pair in $(INSTALLED_SCRIPTS) 644 $(INSTALLED_FILES); do \
	  case $$pair in 644) mode=644; continue ;; esac; \
	  echo "install $(DESTDIR)$${pair#*:}"; \
	  case $${pair%%:*} in \
	    *.in) sed -e 's|@libexecdir@|$(LIBEXECDIR)|g' -e 's|@interfacesdir@|$(DBUSINTERFACESDIR)|g' \
	        -e 's|@bindir@|$(BINDIR)|g' -e 's|@datadir@|$(DATADIR)|g' \
	        -e 's|@pictures@|$(PICTURES)|g' -e 's|@version@|$(VERSION)|g' -e 's|@date@|$(RELEASED)|g' "$${pair%%:*}" \
	      | $(INSTALL) -D -m $$mode /dev/stdin "$(DESTDIR)$${pair#*:}" ;; \
	    *) $(INSTALL) -D -m $$mode "$${pair%%:*}" "$(DESTDIR)$${pair#*:}" ;; \
	  esac; \
	done

# Removes directories of Chappie alone, such as that of the documentation, and keeps shared ones.
uninstall:
	@set -e; \
	for pair in $(INSTALLED_PROGRAMS) $(INSTALLED_SCRIPTS) $(INSTALLED_FILES); do \
	  echo "remove $(DESTDIR)$${pair#*:}"; \
	  rm -f "$(DESTDIR)$${pair#*:}"; \
	done; \
	for directory in "$(DOCDIR)/panel" "$(DATADIR)/chappie" "$(EXTENSION)" "$(PLASMOIDDIR)" "$(QMLDIR)/org/chappie"; do \
	  find "$(DESTDIR)$$directory" -depth -type d -empty -delete 2>/dev/null || :; \
	done; \
	rmdir "$(DESTDIR)$(DOCDIR)" 2>/dev/null || :
	@test -n "$(DESTDIR)" || systemctl --user stop chappie.service 2>/dev/null || :
