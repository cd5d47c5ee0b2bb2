#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests Examples/GTK, the button of ChappieSignIn, over AT-SPI and with a keyboard, on a virtual display.

    scripts/private-session Tests/sign-in-button.py DIRECTORY-WITH-THE-BUILD

The program is compiled against the modules of a debug build. This test plays the user and the browser.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import urllib.parse
from pathlib import Path

sys.dont_write_bytecode = True
from support import TOP, Failure, World, add_browser, equal, parse_arguments, run_steps, wait_for  # noqa: E402
from window import Display, Role, Window  # noqa: E402

EXAMPLE = TOP / "Examples/GTK/Sources"
PROGRAM = TOP / ".build/examples/sign-in"
# A program of Examples/Swift, which has the same libraries.
NEIGHBOUR = "example-accounts"
PACKAGES = ["gtk4", "gio-unix-2.0", "libsecret-1", "libsoup-3.0", "libsodium", "gnutls", "sqlite3", "libzstd"]
# Where the browser leaves the addresses that it is to open.
VISITED = Path(os.environ["CHAPPIE_WORLD"]) / "visited"


def build(programs):
    """Compiles the example, and fails at a warning."""
    maps = [*(TOP / "Sources").glob("C*/module.modulemap"), *programs.glob("C*.build/module.modulemap"),
            EXAMPLE / "CGTK/module.modulemap"]
    flags = [f"-I{folder}" for folder in [programs / "Modules", *(path.parent for path in maps)]]
    for flag in pkg_config("--cflags"):
        flags += ["-Xcc", flag]
    linked = (programs / f"{NEIGHBOUR}.product/Objects.LinkFileList").read_text()
    objects = [path for path in shlex.split(linked) if NEIGHBOUR.replace("-", "_") not in path]
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    made = subprocess.run(["swiftc", "-swift-version", "6", "-o", PROGRAM, EXAMPLE / "sign-in/main.swift", *flags,
                           *objects, *(flag for flag in pkg_config("--libs") if flag.startswith("-l"))],
                          capture_output=True, text=True)
    if made.returncode or "warning" in made.stderr:
        raise Failure(f"the example does not compile, or with a warning:\n{made.stderr}")


def pkg_config(what):
    return subprocess.run(["pkg-config", what, *PACKAGES], capture_output=True, text=True, check=True).stdout.split()


class Button(Window):
    """The window of the example."""

    COMMAND = [PROGRAM]
    NAMES = ["sign-in"]


class Run:
    """The steps, in their order."""

    def __init__(self, programs):
        self.programs = programs
        # The browser only notes the page, so that the user is on another machine.
        add_browser(f'echo "$1" >>{VISITED}')
        self.display = Display()
        self.world = World("--interval", "1")
        os.environ["STAND_IN"] = self.world.issuer
        self.window = None

    def builds(self):
        build(self.programs)

    def welcomes(self):
        self.window = Button()
        self.window.shows("Sign in to ChatGPT")
        self.window.shows("Your browser opens a page of ChatGPT, where you connect Sign-in.")

    def signs_in_with_a_code(self):
        self.window.press("Use a code instead")
        self.window.shows("Enter this code on the page")
        code = re.search(r"\b[A-Z]{4}-\d{5}\b", self.window.tree().deep_words)[0]
        self.world.control("approve", f"user_code={code}".encode())
        self.window.shows("You are signed in as ada@example.com")
        self.window.shows("Plan: Plus")

    def signs_out(self):
        self.window.press("Sign out")
        self.window.shows("Sign in to ChatGPT")

    def cancels(self):
        self.window.press("Continue with ChatGPT")
        self.window.shows("Waiting for your browser…")
        self.window.press("Cancel")
        self.window.shows("Connect anew")

    def pastes_an_address(self):
        before = len(self.pages())
        self.window.press("Continue with ChatGPT")
        self.window.shows("Open the page again")
        page = wait_for("a page for the browser", lambda: self.pages()[before:])[0]
        self.window.press("Use this address")
        self.window.shows("This address does not complete the sign-in")
        answer = self.world.control("authorize", urllib.parse.urlencode({"address": page}).encode())
        entry = self.window.first(lambda node: node.role == Role.TEXT)
        entry.write(json.loads(answer)["location"])
        self.window.press("Use this address")
        self.window.shows("Using ChatGPT plan")
        self.window.shows("You’re using your ChatGPT plan.")
        self.window.shows("Manage usage")

    def logs_no_error(self):
        equal("the log", self.window.errors(), [])

    @staticmethod
    def pages():
        return VISITED.read_text().split() if VISITED.exists() else []

    def close(self):
        if self.window:
            self.window.close()
        self.world.close()
        self.display.close()


def main():
    programs = parse_arguments().programs.resolve()
    if subprocess.run(["pkg-config", "--exists", "gtk4"]).returncode:
        print("skip  Examples/GTK: GTK 4's development files are not here")
        return 0
    run = Run(programs)
    return run_steps(run, [run.builds, run.welcomes, run.signs_in_with_a_code, run.signs_out, run.cancels,
                           run.pastes_an_address, run.logs_no_error])


sys.exit(main())
