#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the notifications of a sign-in in a headless GNOME Shell.

    scripts/private-session Tests/notifications.py DIRECTORY-WITH-THE-PROGRAMS [--pictures DIRECTORY]

The service is the real one, chappie-sandbox is the server, and the bus starts desktop/window. With --pictures it takes
screenshots.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from gi.repository import GLib
from support import (
    TOP, Failure, World, call_bus, call_service, parse_arguments, property_of, run_steps, wait_for)
from window import WINDOW

gnome_shell = importlib.import_module("gnome-shell")
# The environment of programs whose windows this shell shows.
WINDOWED = {"WAYLAND_DISPLAY": "wayland-0", "GDK_BACKEND": "wayland", "GSK_RENDERER": "cairo"}
OTHER_WINDOW = """
imports.gi.versions.Gtk = '4.0';
const Gtk = imports.gi.Gtk;
Gtk.init();
const window = new Gtk.Window({title: 'Another'});
window.maximize();
window.present();
new imports.gi.GLib.MainLoop(null, false).run();
"""
BANNER = "[...test.all(Main.messageTray._bannerBin)].filter(actor => actor.mapped)"


class Run:
    """The steps, in their order."""

    def __init__(self, pictures):
        self.pictures = pictures
        self.world = World("--interval", "1")
        (Path(os.environ["XDG_DATA_HOME"]) / "icons").symlink_to(TOP / "data/icons")
        self.shell = gnome_shell.Shell(with_extension=False)
        # Removes the notifications of the shell itself.
        self.shell.eval("Main.messageTray.getSources().forEach(source => source.destroy()); 0")
        # Programs that the bus starts open their windows in this shell.
        call_bus("UpdateActivationEnvironment", "(a{ss})", WINDOWED)
        self.other = None
        self.world.start_service()

    def report_failure(self):
        self.picture("failure")
        print("\n".join(self.shell.errors()))
        print(self.banner(), self.buttons())

    def close(self):
        self.window_ends()
        self.other_window_ends()
        self.shell.close()
        self.world.close()

    def window(self):
        """The process of the window; None if it does not run."""
        try:
            return call_bus("GetConnectionUnixProcessID", "(s)", "org.chappie.Window")
        except GLib.Error:
            return None

    def picture(self, name):
        if self.pictures:
            time.sleep(0.7)  # Until animations have ended.
            self.shell.picture(self.pictures / f"{name}.png")

    def window_ends(self):
        if window := self.window():
            os.kill(window, signal.SIGTERM)
            wait_for("the end of the window", lambda: not self.window())

    def other_window_opens(self):
        self.other = subprocess.Popen(["gjs", "-c", OTHER_WINDOW], env={**os.environ, **WINDOWED})
        wait_for("another window", lambda: self.focused() == "Another")

    def other_window_ends(self):
        if self.other:
            self.other.kill()
            self.other.wait()
            self.other = None

    def starts_a_sign_in(self):
        code = call_service("Session.StartDeviceCodeSignIn", "(a{sv})", {})[0]
        self.shows(code)
        return code

    def shows(self, text):
        wait_for(f"“{text}” in the banner", lambda: any(text in shown for shown in self.banner()))

    def banner(self):
        return self.shell.eval(f"{BANNER}.map(actor => actor.text).filter(text => text)")

    def expanded_buttons(self):
        """The buttons, which the banner shows while the pointer is over it. The banner may still be moving."""
        self.shell.eval("""
            const [x, y] = Main.messageTray._bannerBin.get_transformed_position();
            test.pointer.notify_absolute_motion(imports.gi.GLib.get_monotonic_time(),
                x + Main.messageTray._bannerBin.width / 2, y + 30); 0""")
        return self.buttons()

    def buttons(self):
        return self.shell.eval(f"{BANNER}.filter(actor => actor.label && actor.reactive).map(actor => actor.label)")

    def press(self, label):
        wait_for(f"the button “{label}”", lambda: label in self.expanded_buttons())
        place = None
        find = f"{BANNER}.find(actor => actor.label === {json.dumps(label)})"
        while place != (place := self.shell.eval(f"{find}?.get_transformed_position() ?? null")):
            time.sleep(0.1)
        self.picture(f"banner-{label.lower().replace(' ', '-')}")
        self.shell.eval(f"test.click({find}); 0")

    def leaves(self):
        """Moves the pointer away from the banner."""
        self.shell.eval("test.pointer.notify_absolute_motion(imports.gi.GLib.get_monotonic_time(), 5, 700); 0")

    def clipboard(self):
        self.shell.eval("""
            test.copied = undefined;
            imports.gi.St.Clipboard.get_default().get_text(1, (_clipboard, text) => (test.copied = text ?? '')); 0""")
        wait_for("the clipboard", lambda: self.shell.eval("test.copied !== undefined"))
        return self.shell.eval("test.copied")

    def focused(self):
        return self.shell.eval("global.display.focus_window?.title ?? null")

    def hides(self):
        wait_for("no banner", lambda: not self.banner())
        self.leaves()

    def without_the_window(self):
        """Buttons that need the window are hidden, and the code is not truncated."""
        code = self.starts_a_sign_in()
        self.picture("banner")
        if not any(text.startswith(f"Code: {code}") for text in self.banner()):
            raise Failure(f"the code is not the first thing in {self.banner()}")
        buttons = wait_for("the buttons", self.expanded_buttons)
        if buttons != ["Open page"]:
            raise Failure(f"buttons without the window: {buttons}")
        call_service("Session.CancelSignIn")
        self.hides()

    def locked(self):
        """The code is neither in the banner nor in the list of notifications."""
        self.world.start_locker()
        code = self.starts_a_sign_in()
        self.leaves()
        self.world.lock(True)
        wait_for("no code", lambda: code not in self.shell.eval("""
            Main.messageTray.getSources().flatMap(source => source.notifications)
                .map(notification => `${notification.title} ${notification.bannerBodyText}`).join()"""))
        self.world.lock(False)
        self.shows(code)
        call_service("Session.CancelSignIn")
        self.hides()

    def copies(self):
        services = Path(os.environ["XDG_DATA_HOME"]) / "dbus-1/services"
        (services / "org.chappie.Window.service").write_text(
            f"[D-BUS Service]\nName=org.chappie.Window\nExec=/usr/bin/gjs -m {WINDOW} --gapplication-service\n")
        call_bus("ReloadConfig")
        code = self.starts_a_sign_in()
        self.press("Copy code")
        wait_for("the code in the clipboard", lambda: self.clipboard() == code)
        self.leaves()
        self.picture("copied")
        call_service("Session.CancelSignIn")
        self.hides()

    def copies_with_the_window_behind_another(self):
        self.other_window_opens()
        code = self.starts_a_sign_in()
        self.press("Copy code")
        wait_for("the code in the clipboard", lambda: self.clipboard() == code)
        # The clipboard keeps it when the window is closed: the shell then owns it, with one type.
        self.window_ends()
        wait_for("the clipboard of the shell", lambda: self.shell.eval(
            "global.display.get_selection().get_mimetypes(imports.gi.Meta.SelectionType.SELECTION_CLIPBOARD).length") == 1)
        if self.clipboard() != code:
            raise Failure("the code has left the clipboard")
        self.world.control("approve", f"user_code={code}".encode())
        self.shows("Signed in to ChatGPT")
        self.leaves()
        self.hides()

    def needs_a_sign_in(self):
        for what in ("revoke-refresh-tokens", "expire-access-tokens"):
            self.world.control(what)
        try:
            call_service("Client.Send", "(sa{sv})", "Hello.", {})
            raise Failure("the sign-in still holds")
        except GLib.Error:
            self.shows("Sign in to ChatGPT again")

    def signs_in_with_the_window(self):
        """A click on the banner: with the window closed, and with the window behind another."""
        self.other_window_ends()
        for name in ("window", "window-behind"):
            if name == "window-behind":
                self.other_window_opens()
            self.needs_a_sign_in()
            wait_for("the button", self.expanded_buttons)
            self.shell.eval(f"test.click({BANNER}.find(actor => actor.text?.includes('again'))); 0")
            wait_for("the sign-in", lambda: property_of("Session", "DeviceLinkState") == "waiting-for-approval")
            wait_for("the window's focus", lambda: self.focused() == "Chappie")
            self.leaves()
            code = property_of("Session", "DeviceCode")["user_code"]
            if any(code in text for text in self.banner()):
                raise Failure("the banner shows the code that the window shows")
            self.picture(name)
            self.world.control("approve", f"user_code={code}".encode())
            wait_for("the end of the sign-in", lambda: property_of("Session", "State") == "signed-in")
            self.hides()


def main():
    run = Run(parse_arguments().pictures)
    return run_steps(run, [run.without_the_window, run.locked, run.copies, run.copies_with_the_window_behind_another,
                           run.signs_in_with_the_window])


if __name__ == "__main__":
    sys.exit(main())
