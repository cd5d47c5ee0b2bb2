#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Takes screenshots of a part of the desktop: the real one, with chappie-sandbox as the server.

    scripts/private-session Tests/desktop/pictures.py PROGRAMS PART DIRECTORY

PART is window, act, gnome-shell, notifications, search, panel or plasma. Each has a virtual display of its own.
"""

import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gi.repository import GLib  # noqa: E402

import window  # noqa: E402
from support import TOP, World, call_bus, user_code, wait_for  # noqa: E402

QUESTION = "How do I find large files?"
# An answer with everything that Markdown has.
ANSWER = (TOP / "Tests/desktop/answer.md").read_text()
END = "More is at"
SEARCH = "search for night buses"
PAGE_DOWN = 0xFF56
EARLIER = ("Translate: the early bird", "Why is the sky blue?")


class Pictures:
    """The stand-in, the service, and the directory for the pictures."""

    def __init__(self, directory):
        self.directory = directory
        self.world = World("--interval", "1", "--rate", "200")
        self.world.start_service()
        self.shell = None

    def sign_in(self):
        process = subprocess.Popen(["chappie", "sign-in", "--device-code", "--no-open"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        code = wait_for("the code", user_code)
        self.world.control("approve", f"user_code={code}".encode())
        process.wait()

    def ask_earlier_questions(self):
        for question in EARLIER:
            subprocess.run(["chappie", "ask", "--thread", "new", question], check=True, stdout=subprocess.DEVNULL)

    def keep(self, name, area=None, colours=256):
        """Compresses the PNG, and crops it to WIDTHxHEIGHT+X+Y."""
        file = self.directory / f"{name}.png"
        subprocess.run(["convert", file, *(["-crop", area, "+repage"] if area else []), "-strip", "+dither",
                        "-colors", str(colours), f"PNG8:{file}"], check=True)
        print(file)

    # --- The parts

    def window(self):
        os.environ["XDG_CURRENT_DESKTOP"] = "GNOME"
        display = window.Display(920, 940)
        # A toast stays while the pointer is on it, and the pointer begins in the middle.
        subprocess.run(["xdotool", "mousemove", "600", "300"], check=True)
        shown = window.Window()
        run = window.Run.__new__(window.Run)
        run.window = shown
        try:
            shown.press("Use a code instead")
            code = wait_for("the code", user_code)
            shown.shows(" ".join(code))
            self.take(display, "sign-in", "920x640+0+0")
            self.world.control("approve", f"user_code={code}".encode())
            shown.button_is_there("Ask")
            self.ask_earlier_questions()
            run.begins_to_search()
            self.search_the_web(shown)
            wait_for("a message that has gone", lambda: not shown.sees("You are signed in"))
            self.take(display, "window-sources", "920x640+0+0")
            shown.press("New conversation")
            shown.shows("What would you like to know?")
            run.tab_to("Question")
            self.world.answer(ANSWER)
            shown.ask(QUESTION)
            shown.shows(END)
            shown.button_is_there("Copy the answer")
            display.resize_windows(920, 940)
            self.take(display, "window")
        finally:
            shown.close()
            display.close()

    def search_the_web(self, shown):
        self.world.scenario({"endpoint": "responses", "search": {"citations": 5}})
        shown.ask(SEARCH)
        shown.shows("5. night buses, source 5")

    def take(self, display, name, area=None):
        time.sleep(1)  # Until animations have ended.
        display.picture(self.directory / f"{name}.png")
        self.keep(name, area)

    def act(self):
        """An action on the selected text of an editor in sway."""
        act, texts = map(importlib.import_module, ("act", "gnome-selection"))
        desk = act.Sway(720, 420)
        self.sign_in()
        run = act.Run.__new__(act.Run)
        run.desk, run.window = desk, act.Popup()
        run.install()
        editor = run.program("GTK 4")
        try:
            editor.open(texts.WRONG)
            editor.select()
            run.act()
            run.window.shows("Translate")
            self.take(desk, "selected-text")
            self.world.answer(texts.RIGHT)
            desk.key("1")
            run.window.button_is_there("Replace")
            self.take(desk, "selected-text-answer")
        finally:
            editor.close()
            desk.close()

    def gnome(self, with_extension):
        gnome_shell = importlib.import_module("gnome-shell")
        (Path(os.environ["XDG_DATA_HOME"]) / "icons").symlink_to(TOP / "data/icons")
        self.shell = gnome_shell.Shell(with_extension)
        self.shell.eval("Main.messageTray.getSources().forEach(source => source.destroy()); 0")
        return self.shell

    def take_shell(self, name, area=None):
        time.sleep(1)  # Until animations have ended.
        self.shell.picture(self.directory / f"{name}.png")
        self.keep(name, area)

    def take_popup(self, name):
        """The popup of the extension, and what is around it."""
        x, y, width, height = map(round, self.shell.eval(
            "[...test.button().menu.actor.get_transformed_position(), ...test.button().menu.actor.get_transformed_size()]"))
        self.take_shell(name, f"{width + 40}x{y + height + 20}+{x - 20}+0")

    def gnome_shell(self):
        self.sign_in()
        shell = self.gnome(True)
        run = importlib.import_module("gnome-shell").Run.__new__(importlib.import_module("gnome-shell").Run)
        run.shell = shell
        shell.open()
        shell.shows("5-hour limit")
        self.world.answer(ANSWER)
        shell.ask(QUESTION)
        shell.shows(END)
        shell.shows("Copy the answer")
        self.take_popup("gnome-shell")
        for _ in range(3):
            shell.keys(PAGE_DOWN)
        self.take_popup("gnome-shell-end")
        run.begins_to_search()
        self.search_the_web(shell)
        shell.shows("Copy the answer")
        self.take_popup("gnome-shell-sources")
        self.selection(shell)

    def selection(self, shell):
        """An action on the selected text of an editor."""
        selection = importlib.import_module("gnome-selection")
        shell.open(False)
        run = selection.Run.__new__(selection.Run)
        run.shell, run.world, run.program = shell, self.world, None
        run.watch_selections()
        run.start(selection.Editor)
        shell.eval("test.pointer.notify_absolute_motion(imports.gi.GLib.get_monotonic_time(), 180, 90); 0")
        run.list()
        self.take_shell("gnome-selection", "720x420+0+0")
        run.chooses("Correct", selection.RIGHT)
        shell.shows("Replace")
        self.take_shell("gnome-selection-answer", "720x420+0+0")
        run.stop()

    def notifications(self):
        shell = self.gnome(False)
        notifications = importlib.import_module("notifications")
        services = Path(os.environ["XDG_DATA_HOME"]) / "dbus-1/services"
        (services / "org.chappie.Window.service").write_text("[D-BUS Service]\nName=org.chappie.Window\nExec=/bin/false\n")
        call_bus("ReloadConfig")
        subprocess.Popen(["busctl", "--user", "call", "org.chappie", "/org/chappie", "org.chappie.Session",
                          "StartDeviceCodeSignIn", "a{sv}", "0"], stdout=subprocess.DEVNULL).wait()
        code = wait_for("the code", user_code)
        run = notifications.Run.__new__(notifications.Run)
        run.shell = shell
        run.shows(code)
        wait_for("the buttons", lambda: "Copy code" in run.expanded_buttons())
        self.take_shell("notification", "720x260+280+0")

    def search(self):
        self.sign_in()
        self.ask_earlier_questions()
        subprocess.run(["chappie", "ask", "--thread", "new", QUESTION], check=True, stdout=subprocess.DEVNULL)
        shell = self.gnome(False)
        shell.eval("Main.overview.show(); 0")
        wait_for("the overview", lambda: shell.eval("Main.overview.visible && !Main.overview.animationInProgress"))
        shell.type("large")
        texts = "[...test.all(Main.layoutManager.overviewGroup)].filter(actor => actor.mapped).map(actor => actor.text)"
        wait_for("the results", lambda: QUESTION in shell.eval(f"{texts}.filter(text => text)"))
        self.take_shell("search", "1100x240+90+0")

    def panel(self):
        """waybar and mako in sway, when a new sign-in is needed."""
        self.sign_in()
        panel = TOP / "desktop/panel"
        modules = "".join(line for line in open(panel / "waybar.jsonc") if not line.startswith("//"))
        configuration = {**json.loads(modules), "layer": "top", "modules-left": ["sway/workspaces"],
                         "modules-right": ["custom/chappie-usage", "custom/chappie", "clock"]}
        world = Path(os.environ["CHAPPIE_WORLD"])
        (world / "waybar.json").write_text(json.dumps(configuration))
        (world / "sway.conf").write_text(
            f"output HEADLESS-1 resolution 720x140 bg #203040 solid_color\n"
            f"exec waybar -c {world}/waybar.json -s {panel}/waybar.css >{world}/waybar.log 2>&1\nexec mako --font 'DejaVu Sans 10'\n")
        sway = subprocess.Popen(["sway", "-c", world / "sway.conf"], stderr=subprocess.DEVNULL, env={
            **os.environ, "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"})
        try:
            subprocess.run(["gdbus", "wait", "--session", "--timeout", "30", "org.freedesktop.Notifications"], check=True)
            time.sleep(2)  # waybar draws some time after its modules have printed.
            self.take_sway("panel-signed-in")
            for what in ("revoke-refresh-tokens", "expire-access-tokens"):
                self.world.control(what)
            subprocess.run(["chappie", "ask", QUESTION], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(2)
            self.take_sway("panel")
        finally:
            sway.terminate()
            sway.wait()

    def take_sway(self, name):
        socket = next(socket for socket in Path(os.environ["XDG_RUNTIME_DIR"]).glob("wayland-*") if not socket.suffix)
        subprocess.run(["grim", self.directory / f"{name}.png"], check=True,
                       env={**os.environ, "WAYLAND_DISPLAY": socket.name})
        self.keep(name)

    def plasma(self):
        plasma = importlib.import_module("plasma")
        run = plasma.PlasmaRun.__new__(plasma.PlasmaRun)
        # Without a compositor, what is translucent is grey.
        os.environ["KWIN_COMPOSE"] = "O2"
        run.display = window.Display(1000, 760)
        run.world = self.world
        self.sign_in()
        run.window = plasma.Shell()
        try:
            wait_for("the icon", run.window.icon, 120)
            run.open()
            self.world.answer(ANSWER)
            run.window.ask(QUESTION)
            run.window.shows(END)
            run.window.button_is_there("Ask again")
            self.take(run.display, "plasma", "640x560+0+200")
            for _ in range(3):
                run.window.key(PAGE_DOWN)
            self.take(run.display, "plasma-end", "640x560+0+200")
            run.window.press("New conversation")
            run.begins_to_search()
            self.search_the_web(run.window)
            run.window.button_is_there("Ask again")
            self.take(run.display, "plasma-sources", "640x560+0+200")
        finally:
            run.window.close()
            run.display.close()

    def close(self):
        if self.shell:
            self.shell.close()
        self.world.close()


def main():
    programs, part, directory = sys.argv[1:]
    os.environ["PATH"] = f"{Path(programs).resolve()}:{os.environ['PATH']}"
    Path(directory).mkdir(parents=True, exist_ok=True)
    pictures = Pictures(Path(directory).resolve())
    try:
        getattr(pictures, part.replace("-", "_"))()
    finally:
        pictures.close()


main()
