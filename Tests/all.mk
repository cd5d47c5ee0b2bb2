# SPDX-License-Identifier: Apache-2.0
# All tests of a debug build, for `make test`, in two rows that run at the same time: the service, and what surrounds it,
# which waits for displays and processes most of the time.

all: service surroundings
.PHONY: all service surroundings
# What the tests make is no part of this make.
unexport MAKEFLAGS

service:
	Tests/arrows.py .build/debug
	PKG_CONFIG_PATH=$(PKGCONFIG) Tests/misuse.py .build/debug
	PKG_CONFIG_PATH=$(PKGCONFIG) scripts/private-session swift test --skip-build
	scripts/private-session Tests/torture/torture.py .build/debug --rounds 40
	scripts/private-session Tests/abuse/abuse.py .build/debug --brief --seconds 24

surroundings:
	doc/build
	scripts/private-session Tests/readme.py .build/debug
	Tests/dependencies.sh
	Tests/bindings.sh
	Tests/install.sh
	Tests/release.sh
	Tests/unit.sh .build/debug
	scripts/private-session Tests/examples.py .build/debug
	scripts/private-session Tests/flatpak.sh .build/debug
	Tests/panel.sh .build/debug
	scripts/private-session Tests/window.py .build/debug
	scripts/private-session Tests/window-desktop.py .build/debug
	scripts/private-session Tests/gnome-shell.py .build/debug
	scripts/private-session Tests/notifications.py .build/debug
	scripts/private-session Tests/plasma-module.py .build/debug
	scripts/private-session Tests/search.py .build/debug
	scripts/private-session Tests/browser.py .build/debug
	scripts/private-session Tests/window-flatpak.py .build/debug
