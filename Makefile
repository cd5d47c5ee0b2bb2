# SPDX-License-Identifier: Apache-2.0
#
#   make             builds the programs for installing; installs nothing
#   make dependencies, make test-dependencies
#                    install the packages that building, or the tests, need; packaging/DEPENDENCIES.md lists them
#   make demo        shows the main job, on a private bus with a real keyring and a stand-in for the servers
#   make test        runs all tests; this and make demo first install the packages that they need
#   make bench       measures the service against a C program with the same libraries
#   make fuzz        feeds each parser with noise for a minute
#   make nightly     runs everything that make test leaves out, and prints a table; needs root, the network and hours
#   make torture     kills the service hundreds of times in the middle of what it does, and has its issuer and a proxy
#                    answer garbage; ROUNDS=400 SEED=any
#   make abuse       attacks the service from all sides, while an innocent caller measures; SECONDS=600 SEED=any
#   make conformance runs real clients against the stand-in, for both sign-ins
#   make mutants     breaks a rule at a time, of more than sixty, and lists the tests that notice
#   make doc         makes the manual pages and the references, as .build/doc/html/index.html and below
#   make deb         makes packages for Debian, in .build/deb; packaging/README.md tells of them
#   make package-test
#                    makes them, and uses them in fresh trees of Debian 12 and 13; needs root
#   make dist        makes the source archive, a spec file and a PKGBUILD, in .build/dist
#   make sbom        makes a bill of materials (SPDX) of what was built before, as .build/release/chappie.spdx.json
#   make plasma      builds what the Plasma applet needs beside QML, which make does too where Qt is
#   make desktop-test
#                    uses the window, the search, the extension and the applet in GNOME and Plasma of Debian 13, in
#                    trees in .build/trees; needs root
#   make screenshots makes pictures of the parts of the desktop, in .build/pictures; as root, of Debian 13 too
#   make lint        checks the format of the source, the comments of the interfaces, the catalogues of texts, the
#                    modules of the desktop's programs and, after a debug build, calculations with numbers from outside;
#                    make format mends the first
#   make po          brings the texts of the source into the catalogues in po, for translating
#   make install     installs what was built before; builds nothing
#   make install-extension
#                    installs the extension for GNOME Shell alone, which needs no building
#   make uninstall   removes that again, given the same variables
#
# For one user alone: make install PREFIX=$HOME/.local
# A service that runs ends by itself when its program is replaced or removed, as soon as it is idle. A session that
# runs already finds the first service after
#   systemctl --user daemon-reload
#   busctl --user call org.freedesktop.DBus / org.freedesktop.DBus ReloadConfig

# --- Building, testing -----------------------------------------------------------------------------------------------

# SwiftPM refuses flags that Debian's pkg-config files have; these are without them.
PKGCONFIG = $(CURDIR)/.build/pkgconfig
SWIFT = PKG_CONFIG_PATH=$(PKGCONFIG) swift
# The Swift runtime goes into the programs, so that a package needs Debian's libraries alone. lld writes relocations
# that take a tenth of the room, which is memory at run time, and so does code made small, which is as fast here; the
# C++ runtime, of which Swift's needs a part, would take a millisecond of each start from its shared library; the
# linker's remarks are on Swift's own archives.
STATIC = .build/static
# Without the trait FoundationTypes, which is for programs that use the libraries, and without a search path for
# libraries beside the program.
RELEASE = -c release --disable-default-traits --static-swift-stdlib --disable-local-rpath \
  -Xswiftc -use-ld=lld -Xswiftc -Osize \
  -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --icf=all -Xlinker --no-export-dynamic \
  -Xlinker --no-warnings -Xlinker -L$(STATIC)
# Nothing in the programs tells where they were built, so that two builds of the same source are alike: paths begin at
# the top, and there is no hash of the compiler's options, and none of the modules of C libraries in the debug symbols.
RELEASE += -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=. \
  $(foreach flag,-disable-incremental-llvm-codegen -no-clang-module-breadcrumbs,-Xswiftc -Xfrontend -Xswiftc $(flag))
# Each function has a section, of which the linker drops those that nothing uses: half a megabyte of memory.
RELEASE += -Xswiftc -Xfrontend -Xswiftc -function-sections
# More options for SwiftPM, such as --jobs=2.
SWIFTFLAGS =
# The compiler writes what macros expand to into files whose names are in the debug symbols: they are put below the top.
# The linker lists the archives that it takes code from, for the bill of materials.
BUILD = TMPDIR=$(CURDIR)/.build/tmp $(SWIFT) build $(RELEASE) $(SWIFTFLAGS)
SOURCES = Package.swift Sources Tests dbus Fuzz Examples

.PHONY: build debug test-build plasma desktop-test screenshots prepare dependencies test-dependencies demo-dependencies \
  manuals demo test check nightly bench fuzz torture abuse conformance mutants doc translations schemas po lint \
  format clean
# The prerequisites below are in order, and SwiftPM uses all processors by itself.
.NOTPARALLEL:

build: prepare manuals translations schemas
	$(BUILD) -Xlinker --print-archive-stats=$(STATIC)/chappied.archives --product chappied
	$(BUILD) -Xlinker --print-archive-stats=$(STATIC)/chappie.archives --product chappie
	$(BUILD) -Xlinker --print-archive-stats=$(STATIC)/chappie-sandbox.archives --product chappie-sandbox
	@! scripts/dependencies check plasma 2>/dev/null || $(MAKE) plasma

debug: prepare translations
	$(SWIFT) build

plasma:
	@scripts/dependencies check plasma
	$(MAKE) -C desktop/plasma/plugin

dependencies:
	@scripts/dependencies install build

test-dependencies:
	@scripts/dependencies install build plasma demo doc test

demo-dependencies:
	@scripts/dependencies install build demo

prepare:
	@scripts/dependencies check build
	@scripts/pkg-config-directory $(PKGCONFIG) >/dev/null
	@mkdir -p .build/tmp $(STATIC) && ln -sf "$$(gcc -print-file-name=libstdc++.a)" $(STATIC)/libstdc++.a

# The manual pages of the interfaces, from the files that describe them.
MANUALS = .build/man
manuals:
	@doc/interfaces.py mdoc $(MANUALS)

# Catalogues, and what is installed with translations in it. The programs in .build look for the catalogues here.
TRANSLATIONS = .build/share
translations:
	@scripts/translations compile $(TRANSLATIONS)

# The settings of the extension for GNOME Shell.
schemas:
	@mkdir -p $(TRANSLATIONS)
	@glib-compile-schemas --strict --targetdir=$(TRANSLATIONS) desktop/gnome-shell/schemas

po:
	@scripts/translations update

demo: demo-dependencies debug
	@scripts/private-session scripts/demo .build/debug

# Every test; or the fast ones; or with TEST=NAME those of one name.
test: test-dependencies test-build
	@PKG_CONFIG_PATH=$(PKGCONFIG) Tests/all.py

check: test-build
	@PKG_CONFIG_PATH=$(PKGCONFIG) Tests/all.py $(or $(TEST),fast)

# What takes longer than a test before each landing, with a table at its end.
nightly: test-dependencies test-build
	@PKG_CONFIG_PATH=$(PKGCONFIG) Tests/all.py nightly

test-build: prepare translations schemas
	$(SWIFT) build --build-tests

desktop-test: build plasma
	$(MAKE) install-extension DATADIR=$(CURDIR)/.build/extension/share >/dev/null
	for test in window search notifications; do \
	  PROGRAMS=$(CURDIR)/.build/release Tests/desktop/tree gnome scripts/private-session Tests/$$test.py /mnt/programs \
	    || exit 1; \
	done
	PROGRAMS=$(CURDIR)/.build/release Tests/desktop/tree gnome \
	  env XDG_DATA_DIRS=/mnt/chappie/.build/extension/share:/usr/share \
	  scripts/private-session Tests/gnome-shell.py /mnt/programs
	PROGRAMS=$(CURDIR)/.build/release Tests/desktop/tree plasma scripts/private-session Tests/plasma.py /mnt/programs

screenshots: test-dependencies build plasma
	Tests/desktop/screenshots .build/release

bench: build
	$(SWIFT) build $(RELEASE) --product thread-bench
	$(MAKE) -C Benchmarks bench

fuzz: prepare
	PKG_CONFIG_PATH=$(PKGCONFIG) Fuzz/run 60

ROUNDS = 400
torture: test-dependencies debug
	scripts/private-session Tests/torture/torture.py .build/debug --rounds $(ROUNDS) $(if $(SEED),--seed $(SEED))

SECONDS = 600
abuse: test-dependencies build
	scripts/private-session Tests/abuse/abuse.py .build/release --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))
	scripts/private-session Tests/extremes/extremes.py .build/release --all --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

conformance: debug
	Tests/conformance/conformance.py .build/debug

mutants: test-dependencies prepare
	PKG_CONFIG_PATH=$(PKGCONFIG) Tests/mutants.py

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

# The version is that of the libraries, and its date that of its heading in NEWS.md.
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

.PHONY: deb package-test

deb:
	packaging/build-deb

package-test:
	@scripts/dependencies install build plasma doc deb
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
# In a home directory, systemd looks for units in share alone.
SYSTEMDUSERDIR = $(if $(filter $(HOME)/%,$(PREFIX)),$(DATADIR),$(PREFIX)/lib)/systemd/user
DBUSSERVICESDIR = $(DATADIR)/dbus-1/services
DBUSINTERFACESDIR = $(DATADIR)/dbus-1/interfaces
PKGCONFIGDIR = $(DATADIR)/pkgconfig
BASHCOMPLETIONDIR = $(DATADIR)/bash-completion/completions
ZSHCOMPLETIONDIR = $(DATADIR)/zsh/site-functions
FISHCOMPLETIONDIR = $(DATADIR)/fish/vendor_completions.d

# The address of doc/pictures, for software centres.
PICTURES = https://chappie.invalid/pictures

# Where QML finds the module of the Plasma applet; below another prefix than /usr it needs QML_IMPORT_PATH.
QMLDIR = $(if $(filter /usr,$(PREFIX)),$(shell qtpaths6 --query QT_INSTALL_QML),$(PREFIX)/lib/qt6/qml)
PLASMOIDDIR = $(DATADIR)/plasma/plasmoids/org.chappie.plasma

# Where the programs were built.
BUILDDIR = .build/release
INSTALL = install

# The extension for GNOME Shell, with all that it needs in its own folder.
EXTENSION = $(DATADIR)/gnome-shell/extensions/chappie@chappie.invalid
EXTENSION_FILES = \
  $(foreach file,$(wildcard desktop/gnome-shell/*.js desktop/gnome-shell/*.css desktop/gnome-shell/*.json),\
    $(file):$(EXTENSION)/$(notdir $(file))) \
  $(foreach file,$(wildcard desktop/gnome-shell/schemas/*.xml) $(TRANSLATIONS)/gschemas.compiled,\
    $(file):$(EXTENSION)/schemas/$(notdir $(file))) \
  data/icons/hicolor/symbolic/apps/org.chappie-symbolic.svg:$(EXTENSION)/icons/org.chappie-symbolic.svg \
  $(foreach language,$(shell cat po/LINGUAS),\
    $(TRANSLATIONS)/locale/$(language)/LC_MESSAGES/chappie.mo:$(EXTENSION)/locale/$(language)/LC_MESSAGES/chappie.mo)

# The window, which needs the service alone, with the icons and texts that both have.
WINDOW_FILES = \
  $(foreach file,$(wildcard desktop/window/*.js desktop/window/*.css),\
    $(file):$(DATADIR)/chappie/window/$(notdir $(file))) \
  $(TRANSLATIONS)/org.chappie.Window.desktop:$(DATADIR)/applications/org.chappie.Window.desktop \
  desktop/window/org.chappie.Window.service.in:$(DBUSSERVICESDIR)/org.chappie.Window.service \
  $(TRANSLATIONS)/org.chappie.Window.metainfo.xml.in:$(DATADIR)/metainfo/org.chappie.Window.metainfo.xml \
  data/icons/hicolor/scalable/apps/org.chappie.svg:$(DATADIR)/icons/hicolor/scalable/apps/org.chappie.svg \
  data/icons/hicolor/symbolic/apps/org.chappie-symbolic.svg:$(DATADIR)/icons/hicolor/symbolic/apps/org.chappie-symbolic.svg \
  $(foreach language,$(shell cat po/LINGUAS),\
    $(TRANSLATIONS)/locale/$(language)/LC_MESSAGES/chappie.mo:$(LOCALEDIR)/$(language)/LC_MESSAGES/chappie.mo)

# What goes where, as SOURCE:DESTINATION. In a source that ends in .in, @bindir@, @datadir@, @libexecdir@,
# @interfacesdir@, @pictures@, @version@ and @date@ are filled in.
INSTALLED_PROGRAMS = \
  $(BUILDDIR)/chappied:$(LIBEXECDIR)/chappied \
  $(BUILDDIR)/chappie:$(BINDIR)/chappie \
  $(BUILDDIR)/chappie-sandbox:$(BINDIR)/chappie-sandbox
INSTALLED_SCRIPTS = \
  desktop/window/chappie-window.in:$(BINDIR)/chappie-window
INSTALLED_FILES = $(EXTENSION_FILES) $(WINDOW_FILES) \
  data/chappie.service.in:$(SYSTEMDUSERDIR)/chappie.service \
  dbus/org.chappie.service.in:$(DBUSSERVICESDIR)/org.chappie.service \
  $(foreach xml,$(wildcard dbus/org.chappie.*.xml),$(xml):$(DBUSINTERFACESDIR)/$(notdir $(xml))) \
  data/chappie.pc.in:$(PKGCONFIGDIR)/chappie.pc \
  data/chappie.conf:$(DOCDIR)/chappie.conf \
  data/access-group.conf:$(DOCDIR)/access-group.conf \
  data/PRIVACY.md:$(DOCDIR)/PRIVACY.md \
  $(foreach file,$(wildcard desktop/panel/*),$(file):$(DOCDIR)/panel/$(notdir $(file))) \
  Sources/chappie-sandbox/README.md:$(DOCDIR)/chappie-sandbox.md \
  $(TRANSLATIONS)/org.chappie.desktop:$(DATADIR)/applications/org.chappie.desktop \
  $(TRANSLATIONS)/org.chappie.chappie.metainfo.xml.in:$(DATADIR)/metainfo/org.chappie.chappie.metainfo.xml \
  $(foreach file,$(wildcard desktop/search/*.js),$(file):$(DATADIR)/chappie/search/$(notdir $(file))) \
  desktop/search/org.chappie.Search.service.in:$(DBUSSERVICESDIR)/org.chappie.Search.service \
  desktop/search/org.chappie.Search.ini:$(DATADIR)/gnome-shell/search-providers/org.chappie.Search.ini \
  $(TRANSLATIONS)/plasma-runner-chappie.desktop:$(DATADIR)/krunner/dbusplugins/plasma-runner-chappie.desktop \
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

# The extension alone, which is not compiled.
install-extension: translations schemas
	@$(MAKE) --no-print-directory install INSTALLED_PROGRAMS= INSTALLED_SCRIPTS= INSTALLED_FILES='$(EXTENSION_FILES)'

# The window alone, for its Flatpak.
install-window: translations
	@$(MAKE) --no-print-directory install INSTALLED_PROGRAMS= INSTALLED_FILES='$(WINDOW_FILES)'

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

# Directories that other packages use too are left; the one for the documentation is not.
uninstall:
	@set -e; \
	for pair in $(INSTALLED_PROGRAMS) $(INSTALLED_SCRIPTS) $(INSTALLED_FILES); do \
	  echo "remove $(DESTDIR)$${pair#*:}"; \
	  rm -f "$(DESTDIR)$${pair#*:}"; \
	done; \
	for directory in $(DOCDIR)/panel $(DOCDIR) $(DATADIR)/chappie/window $(DATADIR)/chappie/search $(DATADIR)/chappie; do \
	  rmdir "$(DESTDIR)$$directory" 2>/dev/null || :; \
	done; \
	find "$(DESTDIR)$(EXTENSION)" -depth -type d -empty -delete 2>/dev/null || :
	@test -n "$(DESTDIR)" || systemctl --user stop chappie.service 2>/dev/null || :
