# SPDX-License-Identifier: Apache-2.0
# All tests of a debug build, for `make test`. The tests of the desktop's parts wait for displays and transitions most of
# the time, so they run beside the others.

all: service desktop
.PHONY: all service desktop
# What the tests make is no part of this make.
unexport MAKEFLAGS

service:
	Tests/arrows.py .build/debug
	PKG_CONFIG_PATH=$(PKGCONFIG) Tests/misuse.py .build/debug
	PKG_CONFIG_PATH=$(PKGCONFIG) scripts/private-session swift test --skip-build
	scripts/private-session Tests/readme.py .build/debug
	scripts/private-session Tests/torture/torture.py .build/debug --rounds 40
	Tests/dependencies.sh
	Tests/bindings.sh
	Tests/install.sh
	Tests/release.sh
	Tests/unit.sh .build/debug
	scripts/private-session Tests/examples.py .build/debug
	scripts/private-session Tests/flatpak.sh .build/debug
	scripts/private-session Tests/abuse/abuse.py .build/debug --brief --seconds 24

desktop:
	Tests/panel.sh .build/debug
	scripts/private-session Tests/window.py .build/debug
	scripts/private-session Tests/window-desktop.py .build/debug
	scripts/private-session Tests/gnome-shell.py .build/debug
	scripts/private-session Tests/notifications.py .build/debug
	scripts/private-session Tests/plasma-module.py .build/debug
	scripts/private-session Tests/search.py .build/debug
	scripts/private-session Tests/window-flatpak.py .build/debug
