#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests desktop/window with parts of a desktop: clipboard, pointer, colour scheme, background portal, no keyring.

    scripts/private-session Tests/window-desktop.py DIRECTORY-WITH-THE-PROGRAMS [--pictures DIRECTORY]
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import window  # noqa: E402
from support import TIMEOUT, TOP, Failure, call, call_bus, call_service, wait_for  # noqa: E402
from window import Gio, GLib, Role  # noqa: E402

PORTAL = "org.freedesktop.portal.Desktop"
PORTAL_PATH = "/org/freedesktop/portal/desktop"
REQUESTS = f"{PORTAL_PATH}/request"
TAB = 0xFF09


class Portal:
    """A mock of the desktop portal: the colour scheme, and requests to run in the background."""

    def __init__(self):
        self.log = Path(os.environ["CHAPPIE_WORLD"]) / "portal.log"
        self.process = subprocess.Popen(
            ["/usr/bin/python3", "-m", "dbusmock", "--logfile", self.log, PORTAL, PORTAL_PATH,
             "org.freedesktop.portal.Settings"])
        subprocess.run(["gdbus", "wait", "--session", "--timeout", "120", PORTAL], check=True)
        wait_for("the portal", lambda: self._answers())
        scheme = "ret = {'org.freedesktop.appearance': {'color-scheme': dbus.UInt32(0)}}"
        self._add("org.freedesktop.portal.Settings", "ReadAll", "as", "a{sa{sv}}", scheme)
        self._add("org.freedesktop.portal.Settings", "Read", "ss", "v",
                  "if args[1] != 'color-scheme':\n"
                  "  raise dbus.exceptions.DBusException('No setting', name='org.freedesktop.portal.Error.NotFound')\n"
                  "ret = dbus.UInt32(0, variant_level=2)")
        self._add("org.freedesktop.portal.Background", "RequestBackground", "sa{sv}", "o", f"ret = '{REQUESTS}/x/y'")

    @staticmethod
    def _answers():
        try:
            return call(PORTAL, PORTAL_PATH, "org.freedesktop.DBus.Peer.Ping") == ()
        except GLib.Error:
            return False

    @staticmethod
    def _add(interface, name, takes, gives, code):
        call(PORTAL, PORTAL_PATH, "org.freedesktop.DBus.Mock.AddMethod", "(sssss)", interface, name, takes, gives, code)

    def set_dark(self, dark):
        call(PORTAL, PORTAL_PATH, "org.freedesktop.DBus.Mock.EmitSignal", "(sssav)", "org.freedesktop.portal.Settings",
             "SettingChanged", "ssv", [GLib.Variant("s", "org.freedesktop.appearance"), GLib.Variant("s", "color-scheme"),
                                       GLib.Variant("u", 1 if dark else 2)])

    @property
    def requests(self):
        """The tokens of the requests to run in the background."""
        return re.findall(r'RequestBackground .*handle_token\W+(\w+)', self.log.read_text())

    def answer(self, may):
        """Answers the last request."""
        owner = call_bus("GetNameOwner", "(s)", "org.chappie.Window")
        path = f"{REQUESTS}/{owner[1:].replace('.', '_')}/{self.requests[-1]}"
        call(PORTAL, PORTAL_PATH, "org.freedesktop.DBus.Mock.AddObject", "(ssa{sv}a(ssss))", path,
             "org.freedesktop.portal.Request", {}, [])
        call(PORTAL, path, "org.freedesktop.DBus.Mock.EmitSignal", "(sssav)", "org.freedesktop.portal.Request", "Response",
             "ua{sv}", [GLib.Variant("u", 0 if may else 1), GLib.Variant("a{sv}", {"background": GLib.Variant("b", may)})])

    def close(self):
        self.process.terminate()
        self.process.wait()


def pointer(*actions):
    subprocess.run(["xdotool", *actions], check=True)


def tried(condition):
    """Whether a condition becomes true in a while."""
    try:
        return wait_for("an effect", condition, 15)
    except Failure:
        return False


class Run(window.Run):
    OPTIONS = [*window.Run.OPTIONS, "--auto-approve"]

    def __init__(self, pictures):
        super().__init__(pictures)
        self.portal = Portal()

    def opens(self):
        self.world.start_service()
        subprocess.run(["chappie", "sign-in", "--device-code", "--no-open"], check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT)
        self.window = window.Window()
        self.window.button_is_there("Ask")

    def steps(self):
        return [self.opens, self.tabs_through, self.pastes, self.drops, self.opens_files, self.darkens, self.stays_in_the_background,
                self.without_a_keyring]

    def tabs_through(self):
        """Tab reaches each control, and wraps around."""
        for title in ("Bread", "Milk"):
            call_service("Threads.Create", "(a{sv})", {"title": GLib.Variant("s", title)})
        self.world.answer("The first.")
        self.window.ask("First?")
        self.window.shows("The first.")
        self.window.button_is_there("Ask")
        self.window.keys("Second?")
        seen = []
        for _ in range(60):
            node = self.window.focused()
            name = node.name if node else None
            seen.append(name)
            self.window.key(TAB)
            wait_for("another focus", lambda: self.window.focused() != node)
            if len(seen) > 1 and name == seen[0]:
                break
        rows = [name for name in seen[:-1] if re.search(r", \d\d:\d\d$", name or "")]
        if len(rows) != 1:
            raise Failure(f"Tab visits these rows of the list: {rows}")
        expected = {"Question", "Ask", "Ask again", "Asked with: Default model", "Add a picture or a file", "New conversation", "Search conversations", "Menu", "Copy the answer"}
        if missing := expected - set(seen):
            raise Failure(f"Tab does not reach {missing}, but {seen}")

    def pastes(self):
        self.file = Path(os.environ["CHAPPIE_WORLD"]) / "icon.png"
        subprocess.run(["convert", "-size", "64x64", "xc:teal", self.file], check=True)
        owner = subprocess.Popen(["xclip", "-quiet", "-selection", "clipboard", "-t", "image/png", "-i", self.file],
                                 stderr=subprocess.DEVNULL)
        try:
            wait_for("the picture in the clipboard", lambda: "image/png" in subprocess.run(
                ["xclip", "-o", "-selection", "clipboard", "-t", "TARGETS"], capture_output=True, text=True).stdout)
            self.window.press("New conversation")
            self.window.hides("The first.")
            self.window.combination("v")
            self.window.button_is_there("Remove the picture")
        finally:
            owner.kill()
            owner.wait()
        if self.window.sees("PNG"):
            raise Failure("the picture was pasted as text, too")
        self.look("picture")
        self.window.press("Remove the picture")
        wait_for("no picture", lambda: not self.window.named(Role.PUSH_BUTTON, "Remove the picture"))

    def drops(self):
        self.drop(self.file, lambda: self.window.named(Role.PUSH_BUTTON, "Remove the picture"))
        self.window.press("Remove the picture")
        notes = Path(os.environ["CHAPPIE_WORLD"]) / "notes.txt"
        notes.write_text("bread\n```\nmilk\n")
        self.drop(notes, lambda: self.window.named(Role.PUSH_BUTTON, "Remove the file"))
        self.look("file")
        self.world.be_online()
        self.window.keys("What is to buy?")
        self.window.press("Ask")
        self.window.shows("You said: “What is to buy?")
        self.window.shows("bread")
        question = self.window.first(lambda node: node.name == "You")
        if "bread" in question.deep_words or "notes.txt" not in question.deep_words:
            raise Failure("the question shows the text of its file")
        self.window.press("Edit the question")
        self.window.button_is_there("Remove the file")
        self.window.press("Remove the file")
        report = Path(os.environ["CHAPPIE_WORLD"]) / "report.pdf"
        report.write_bytes(b"%PDF-1.7\n%\xe9\n")
        self.drop(report, lambda: self.window.sees("report.pdf"))
        self.window.keys("What does it say?")
        self.window.press("Ask")
        self.window.shows("It came with report.pdf.")
        # Neither a picture nor text, and it falls on the code of the answer.
        self.drop("/usr/bin/true", lambda: self.window.tells("“true” is neither"))

    def opens_files(self):
        """As file managers open them: Nautilus with the script, Thunar with the desktop file, others over the bus."""
        folder = Path(os.environ["CHAPPIE_WORLD"], "some files")
        folder.mkdir()
        names = ["list & $(touch ran) ä.txt", "-o.txt", "two\nlines.txt"]
        for name in names:
            (folder / name).write_text("butter")
        os.mkfifo(folder / "pipe")
        program = folder / "chappie-window"
        program.write_text(f'#!/bin/sh\nexec gjs -m {window.WINDOW} "$@"\n')
        program.chmod(0o755)
        os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"

        def nautilus(*names):
            addresses = "".join(f"{(folder / name).as_uri()}\n" for name in names)
            subprocess.run([TOP / "desktop/file-managers/ask-chappie"], check=True, timeout=TIMEOUT,
                           env={**os.environ, "NAUTILUS_SCRIPT_SELECTED_URIS": addresses})

        def opens(*names):
            call("org.chappie.Window", "/org/chappie/Window", "org.freedesktop.Application.Open", "(asa{sv})",
                 [(folder / name).as_uri() for name in names], {})

        def removes_all():
            def is_empty():
                node = self.window.named(Role.PUSH_BUTTON, "Remove the file")
                return not node or (node.act() and False)
            self.window.wait_for("no files", is_empty)

        nautilus(*names)
        for name in names:
            self.window.shows(name.replace("\n", " "))
        self.look("opened")
        removes_all()
        entry = Gio.DesktopAppInfo.new_from_filename(str(TOP / "desktop/file-managers/thunar-sendto-chappie.desktop"))
        entry.launch_uris([(folder / names[0]).as_uri()], None)
        self.window.shows(names[0])
        removes_all()
        opens("gone.txt")
        self.window.shows("No such file or directory")
        opens(".")
        self.window.shows("“some files” is a folder: choose files in it.")
        opens("pipe")
        self.window.shows("“pipe” is not a regular file.")
        opens(*[names[0]] * 17)
        self.window.shows("Add at most 16 files at a time.")
        opens("pipe", names[0], "gone.txt")
        self.window.shows("2 files were not added. “pipe” is not a regular file.")
        removes_all()
        self.world.start_locker()
        self.world.lock(True)
        self.window.shows("The screen is locked")
        opens(names[0])
        self.world.lock(False)
        self.window.shows(names[0])
        self.world.be_online()
        self.window.keys("What is to buy?")
        self.window.press("Ask")
        self.window.shows("You said: “What is to buy?")
        self.window.shows("butter")

    def drop(self, file, arrived):
        """Drops a file until it has arrived, since a drag may not begin. The source has to live so long."""
        source = subprocess.Popen(["gjs", "-m", TOP / "Tests/desktop/drag.js", file])
        try:
            found = wait_for("the other window", lambda: subprocess.run(
                ["xdotool", "search", "--name", "^Drag$"], capture_output=True, text=True).stdout.split())
            wait_for("the drop", lambda: self.drag(found[-1]) or tried(arrived))
        finally:
            source.terminate()
            source.wait()

    @staticmethod
    def drag(source):
        """Drags from a window to the conversation."""
        pointer("windowmove", "--sync", source, "10", "650")
        pointer("mousemove", "40", "690", "mousedown", "1")
        for x in range(50, 500, 30):
            pointer("mousemove", str(x), str(690 - x))
            time.sleep(0.03)  # At the speed of a hand: a drag begins after several movements.
        pointer("mousemove", "500", "300")
        time.sleep(0.3)
        pointer("mouseup", "1")

    def darkens(self):
        light = self.brightness()
        self.portal.set_dark(True)
        wait_for("a dark window", lambda: self.brightness() < light / 2)
        self.look("dark")
        self.portal.set_dark(False)
        wait_for("a light window", lambda: self.brightness() == light)

    @staticmethod
    def brightness():
        """The brightness of an area without text, in percent."""
        shown = subprocess.run(["import", "-window", "root", "-crop", "60x60+100+500", "-colorspace", "gray", "-format",
                                "%[fx:round(100*mean)]", "info:-"], capture_output=True, text=True, check=True).stdout
        return int(shown)

    def stays_in_the_background(self):
        if self.portal.requests:
            raise Failure("the portal was asked without the user's choice")
        self.window.action("background")
        wait_for("a request", lambda: len(self.portal.requests) == 1)
        self.portal.answer(False)
        self.window.shows("The desktop does not let programs run in the background.")
        self.window.action("background")
        wait_for("another request", lambda: len(self.portal.requests) == 2)
        self.portal.answer(True)
        wait_for("the state of the action", lambda: call(
            "org.chappie.Window", "/org/chappie/Window", "org.gtk.Actions.Describe", "(s)", "background")[2] == [True])
        self.world.hold("one two")
        self.window.action("ask", "Are you there?")
        self.window.shows("one two")
        self.window.combination("w")
        wait_for("a window that is closed", lambda: not self.window.sees("one two"))
        self.world.release()
        self.window.action("search", "")
        self.window.shows("and so on.")

    def without_a_keyring(self):
        pid = call_bus("GetConnectionUnixProcessID", "(s)", "org.freedesktop.secrets")
        subprocess.run(["chappie", "sign-out"], check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT)
        # Otherwise the bus would start another keyring.
        services = Path(os.environ["XDG_DATA_HOME"]) / "dbus-1/services"
        (services / "org.freedesktop.secrets.service").write_text(
            "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/false\n")
        call_bus("ReloadConfig")
        self.world.kill_service()
        os.kill(pid, 15)
        self.world.start_service()
        self.window.shows("The keyring cannot be used")
        self.picture("no-keyring")

    def close(self):
        self.portal.close()
        super().close()


if __name__ == "__main__":
    sys.exit(window.main(Run))
