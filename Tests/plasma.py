#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests desktop/plasma in a panel of Plasma 6, over AT-SPI and with a keyboard, on a virtual display.

    scripts/private-session Tests/plasma.py DIRECTORY-WITH-THE-PROGRAMS [--pictures DIRECTORY]

It needs Plasma 6, which Debian 13 has, and the module that “make plasma” builds. The service is the real one, and
chappie-sandbox is the server. With --pictures it takes screenshots.
"""

import http.server
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

from gi.repository import Gio, GLib

from accessibility import Atspi, Bus, Role, State
from support import (
    BUS, TIMEOUT, TOP, Failure, add_browser, call, call_service, equal, parse_arguments, run_steps, user_code, wait_for)
from window import DOWN, UP, Run, Window

MODULE = TOP / ".build/plasma"
# A panel with only the applet, and an empty desktop, so that nothing else wakes up the shell.
LAYOUT = """
[Containments][1]
activityId=
formfactor=2
lastScreen=0
location=4
plugin=org.kde.panel

[Containments][1][Applets][2]
plugin=org.chappie.plasma

[Containments][1][Applets][2][Shortcuts]
global=Ctrl+Alt+C

[Containments][3]
formfactor=0
lastScreen=0
location=0
plugin=org.kde.desktopcontainment
wallpaperplugin=org.kde.color
"""


class Shell(Window):
    """Plasma in the accessibility tree."""

    def __init__(self):
        home = Path(os.environ["XDG_CONFIG_HOME"])
        home.mkdir(parents=True, exist_ok=True)
        (home / "plasma-org.kde.plasma.desktop-appletsrc").write_text(LAYOUT)
        # Without a colour scheme, Plasma is grey.
        colours = Path("/usr/share/color-schemes/BreezeLight.colors")
        # KDE keeps its list of programs in a cache, which would have to be made again after add_browser().
        browser = Path(os.environ["CHAPPIE_WORLD"], "browser")
        (home / "kdeglobals").write_text(f"[General]\nBrowserApplication=!{browser}\n\n[KDE]\nAnimationDurationFactor=0\n\n" + colours.read_text())
        plasmoids = Path(os.environ["XDG_DATA_HOME"]) / "plasma/plasmoids"
        plasmoids.mkdir(parents=True)
        (plasmoids / "org.chappie.plasma").symlink_to(TOP / "desktop/plasma/package")
        os.environ.update(
            QML_IMPORT_PATH=str(MODULE), QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1", QT_QPA_PLATFORM="xcb",
            QT_QUICK_BACKEND="software", KWIN_COMPOSE=os.environ.get("KWIN_COMPOSE", "N"), XDG_CURRENT_DESKTOP="KDE", KDE_FULL_SESSION="true",
            KDE_SESSION_VERSION="6",
            XDG_DATA_DIRS=f"{TOP / '.build/share'}:{os.environ.get('XDG_DATA_DIRS', '/usr/local/share:/usr/share')}")
        subprocess.run(["dbus-update-activation-environment", "--all"], check=True)
        self.log = open(Path(os.environ["CHAPPIE_WORLD"]) / "plasma.log", "w+")
        shortcuts = next(Path("/usr/lib").glob("**/kglobalacceld"))
        self.processes = [subprocess.Popen(command, stdout=self.log, stderr=self.log) for command in (
            [shortcuts], ["kwin_x11", "--no-kactivities"], ["plasmashell", "--no-respawn"])]
        self.process = self.processes[-1]
        self.bus = Bus()
        self.root = wait_for("plasmashell", self._program, 4 * TIMEOUT)

    def _program(self):
        if self.process.poll() is not None:
            raise Failure(f"plasmashell ended:\n{self.errors()}")
        return self.bus.program(["plasmashell"])

    def tree(self):
        return self.wait_for("the tree of plasmashell", lambda: self.bus.walk(self.root))

    def icon(self):
        return self.named(Role.PUSH_BUTTON, "Chappie")

    def says(self, words):
        self.wait_for(f"the icon says “{words}”", lambda: (icon := self.icon()) and icon.description.endswith(f" {words}"))

    def shortcut(self):
        for code in (37, 64):  # Control and Alt.
            Atspi.generate_keyboard_event(code, None, Atspi.KeySynthType.PRESS)
        self.keys("c")
        for code in (64, 37):
            Atspi.generate_keyboard_event(code, None, Atspi.KeySynthType.RELEASE)

    def answers_in(self):
        """The latency of the shell's main thread, in seconds."""
        begun = time.monotonic()
        call("org.kde.plasmashell", "/PlasmaShell", "org.freedesktop.DBus.Properties.Get", "(ss)", "org.kde.PlasmaShell",
             "editMode")
        return time.monotonic() - begun

    def question_has_focus(self):
        return self.first(lambda node: node.name == "Question" and node.has(State.FOCUSED)) is not None

    def names_its_controls(self):
        """Checks the controls of the popup, and not those of Plasma."""
        for node in wait_for("the box", lambda: self.named(Role.PAGE_TAB, "Chappie")).all():
            if node.has(State.FOCUSABLE) and not node.name:
                raise Failure(f"the {node} has no name")

    def wakeups(self, seconds):
        """The number of wake-ups of all threads of the shell."""
        def count():
            return sum(int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", (task / "status").read_text(), re.M)[1])
                       for task in Path(f"/proc/{self.process.pid}/task").iterdir())
        before = count()
        time.sleep(seconds)
        return count() - before

    def errors(self):
        self.log.flush()
        self.log.seek(0)
        return [line for line in self.log.read().splitlines()
                if re.search(r"org\.chappie|chappie", line) and not re.search("propagateSizeHints", line)]

    def close(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


class Pictures(http.server.ThreadingHTTPServer):
    """An HTTP server for pictures, which must get no request."""

    def __init__(self):
        self.asked = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                server.asked.append(self.path)
                self.send_error(404)

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class PlasmaRun(Run):
    def without_a_service(self):
        self.window = Shell()
        wait_for("the icon", self.window.icon, 3 * TIMEOUT)
        self.open()
        self.window.shows("The service does not run")
        self.window.says("The service does not run")
        self.picture("missing")
        self.world.start_service()
        self.window.shows("Sign in to ChatGPT")
        self.window.says("Not signed in")
        self.picture("signed-out")

    def open(self):
        """Opens the popup with the shortcut, as soon as the desktop has registered it."""
        def opened():
            if not self.window.sees("Copy the answer"):
                self.window.shortcut()
                time.sleep(1)
            return self.window.sees("Copy the answer")
        wait_for("the box", opened)

    def signs_in(self):
        self.window.press("Use a code instead")
        code = wait_for("the code", user_code)
        self.window.shows(" ".join(code))
        self.window.button_is_there("Copy code")
        self.window.button_is_there("Open page")
        self.window.shows("/codex/device")
        self.picture("code")
        self.window.press("Cancel")
        self.window.button_is_there("Use a code instead")
        self.window.press("Use a code instead")
        again = wait_for("another code", lambda: (user_code() or code) != code and user_code())
        self.window.shows(" ".join(again))
        self.world.control("approve", f"user_code={again}".encode())
        self.window.button_is_there("Ask")
        wait_for("the question has the focus", self.window.question_has_focus)

    def asks_and_streams(self):
        self.world.answer("# Buses\n\nA **bus** carries `calls` & <signals>:\n\n```python\nprint('hello')\n```\n\n"
                          "a great many of them, and that was it.", hold_after=8)
        self.window.ask("What is a bus?")
        self.window.button_is_there("Stop the answer")
        self.window.shows("Buses")
        if self.window.sees("and that was it."):
            raise Failure("the answer came at once")
        self.window.says("Answering…")
        self.picture("streaming")
        self.world.release()
        self.window.shows("and that was it.")
        self.window.shows("A bus carries calls & <signals>:")
        self.window.shows("print('hello')")
        self.window.shows("5-hour limit")
        self.picture("answer")

    def chooses(self):
        """Model, effort and instructions of a conversation."""
        self.window.press("Asked with: Default model")
        self.window.shows("Default (gpt-6.1-sol)")
        self.picture("choices")
        self.window.press("Asked with: Default model")
        self.window.press("Edit the question")
        self.window.keys(" Please.")
        self.world.answer("The same, politely.")
        self.window.press("Ask")
        self.window.shows("The same, politely.")
        self.window.press("Ask again")
        self.window.shows("You said: “What is a bus? Please.”")
        # Both have replaced the first turn.
        self.window.button_is_there("Ask again")
        thread = json.loads(call_service("Threads.Get", "(s)", self.thread_ids()[0]))
        equal("the number of stored turns", len(thread["turns"]), 1)

    def begins_to_search(self):
        """The conversation may search the web from now on."""
        self.window.press("Asked with: Default model")
        self.choose_search(DOWN)
        self.window.press("Asked with: Default model · Web search")
        wait_for("the focus in the question", self.window.question_has_focus)

    def choose_search(self, *keys):
        """Moves in the closed list of the ways to search."""
        def choice():
            return self.window.named(Role.COMBO_BOX, "Search the web")

        self.window.wait_for("the choice", lambda: (node := choice()) and node.focus() is not None)
        self.window.wait_for("the focus", lambda: (node := choice()) and node.has(State.FOCUSED))
        for key in keys:
            self.window.key(key)

    def searches_the_web(self):
        """The sources are links."""
        self.begins_to_search()
        self.window.ask("search for night buses")
        self.window.shows("1. night buses, source 1 (example.org)")
        self.window.shows("2. night buses, source 2 (example.net)")
        self.picture("searched")
        page = Path(os.environ["CHAPPIE_WORLD"]) / "page"
        add_browser(f'printf %s "$1" >"{page}"')
        self.window.act(lambda: self.window.first(lambda node: node.name == "1. night buses, source 1 (example.org)"))
        wait_for("the page", lambda: page.exists() and page.read_text() == "https://example.org/night-buses/1")
        if not self.window.question_has_focus():
            self.open()
        self.world.scenario({"endpoint": "responses", "search": {"markers": True}})
        self.window.ask("search for trams")
        self.window.shows("Source 1 says so [1]. Source 2 says so [2].")
        self.window.ask("What is a bus?")
        self.window.shows("The model did not search the web.")
        self.window.press("Asked with: Default model · Web search")
        self.choose_search(DOWN)
        self.window.shows("Asked with: Default model · Web search in cached pages")
        self.picture("cached")
        self.choose_search(UP, UP)
        self.window.press("Asked with: Default model")

    def follows_up(self):
        """Follow-up questions are in the same thread."""
        self.world.answer("And another one.")
        self.window.ask("Go on.")
        self.window.shows("And another one.")
        if len(self.thread_ids()) != 1:
            raise Failure("the second question has a thread of its own")

    def loads_nothing(self):
        server = Pictures()
        address = f"http://127.0.0.1:{server.server_port}"
        self.world.answer(f"![a]({address}/a.png) <img src=\"{address}/b.png\"> [c]({address}/c) "
                          f"<link rel=stylesheet href={address}/d> Seen.")
        self.window.ask("Show me a picture.")
        self.window.shows("Seen.")
        self.window.shows(f"<img src=\"{address}/b.png\">")
        time.sleep(1)  # There is no event for a request that must not come.
        server.shutdown()
        if server.asked:
            raise Failure(f"an answer made Plasma load {server.asked}")

    def stops(self):
        self.world.hold("one two three")
        self.window.ask("Count, please.")
        self.window.shows("one two three")
        self.window.press("Stop the answer")
        self.window.shows("Stopped.")
        self.window.button_is_there("Ask")

    def locked(self):
        self.world.start_locker()
        self.world.lock(True)
        self.window.says("The screen is locked")
        self.window.hides("one two three")
        self.picture("locked")
        self.world.lock(False)
        self.window.shows("one two three")

    def approves(self):
        """Tools of another program, in a broadcast turn."""
        for answer in ("Deny", "Approve", "elsewhere"):
            self.world.request_approval(answer, path="/home/ada/notes", hidden="a\u202eb")
            # The signal of the turn announces it, without opening the popup again.
            self.window.shows("The model wants to run the tool remove.")
            self.window.shows("/home/ada/notes")
            self.window.shows("\\u{202e}")
            self.window.says("Tools that wait for approval")
            self.picture("approval")
            if answer == "elsewhere":
                approval = call_service("Manager.ListApprovals")[0]["approval"]
                call_service("Manager.AnswerApproval", "(sbs)", approval, False, "")
            else:
                self.window.press(answer)
            self.window.hides("The model wants to run the tool remove.")

    def megabyte(self):
        self.world.scenario({"endpoint": "responses", "flood": {"of": "text", "size": 32, "count": 32768}})
        self.window.ask("A megabyte, please.")
        slowest, begun = 0, time.monotonic()
        while not self.window.sees("The answer is longer than the box.") or not self.window.named(
                Role.PUSH_BUTTON, "Ask"):
            for _ in range(10):
                slowest = max(slowest, self.window.answers_in())
            if time.monotonic() > begun + 4 * TIMEOUT:
                raise Failure("the megabyte did not come to its end")
        # For information only, because machines differ.
        print(f"      1 MB within {time.monotonic() - begun:.1f} s: plasmashell answered within {slowest * 1000:.0f} ms")
        self.picture("megabyte")

    def killed_while_it_streams(self):
        self.world.hold("one two three")
        self.window.ask("Count again, please.")
        self.window.shows("one two three")
        self.world.kill_service()
        self.window.shows("The service ended before the answer was complete.")
        self.picture("interrupted")
        self.world.start_service()
        self.window.says("")
        self.world.answer("I am back.")
        self.window.ask("Are you?")
        self.window.shows("I am back.")

    def offline(self):
        self.world.be_offline()
        self.window.ask("Is anybody there?")
        self.window.shows("The servers cannot be reached. Check the connection to the network.")
        self.window.says("The servers cannot be reached.")
        self.picture("offline")
        self.world.be_online()

    def opens_the_window(self):
        """The button activates the window's action for the stored thread, on a mock of the window."""
        if self.window.sees("Open the window"):
            raise Failure("the box offers a window that is not installed")
        (Path(os.environ["XDG_DATA_HOME"]) / "dbus-1/services/org.chappie.Window.service").write_text(
            "[D-BUS Service]\nName=org.chappie.Window\nExec=/bin/false\n")
        calls = []
        node = Gio.DBusNodeInfo.new_for_xml(
            "<node><interface name='org.freedesktop.Application'><method name='ActivateAction'>"
            "<arg type='s' direction='in'/><arg type='av' direction='in'/><arg type='a{sv}' direction='in'/>"
            "</method></interface></node>")

        def called(_bus, _sender, _path, _name, _method, parameters, invocation):
            calls.append(parameters.unpack())
            invocation.return_value(None)
        BUS.register_object("/org/chappie/Window", node.interfaces[0], called, None, None)
        Gio.bus_own_name_on_connection(BUS, "org.chappie.Window", Gio.BusNameOwnerFlags.NONE, None, None)
        self.window.shortcut()
        self.window.hides("Copy the answer")
        self.open()
        self.window.press("Open the window")

        def arrived():
            while GLib.MainContext.default().iteration(False):
                pass
            return calls
        action, parameters, _data = wait_for("the action of the window", arrived)[0]
        if action != "thread" or parameters != self.thread_ids()[:1]:
            raise Failure(f"the window was asked for {action} {parameters}")

    def shortcut_and_idle(self):
        self.window.hides("Copy the answer")
        wakeups = self.window.wakeups(20)
        print(f"      idle: plasmashell woke up {wakeups} times in 20 s")
        times = []
        for _ in range(5):
            begun = time.monotonic()
            self.window.shortcut()
            wait_for("the question has the focus", self.window.question_has_focus)
            times.append(time.monotonic() - begun)
            self.window.shortcut()
            self.window.hides("Copy the answer")
        print(f"      from the shortcut to a box that takes keys: {sorted(times)[2] * 1000:.0f} ms")
        self.open()

    def report_failure(self):
        if self.window:
            print("\n".join(f"  {node} {node.description!r}" for node in self.window.tree().all()))
        self.picture("failure")

    def close(self):
        if self.window:
            print("\n".join(self.window.errors()))
        super().close()


def main():
    run = PlasmaRun(parse_arguments().pictures)
    steps = [run.without_a_service, run.signs_in, run.asks_and_streams, run.chooses, run.searches_the_web, run.follows_up, run.loads_nothing, run.stops,
             run.locked, run.approves, run.megabyte, run.killed_while_it_streams, run.offline, run.opens_the_window,
             run.shortcut_and_idle, run.signs_out, run.locked_keyring]
    return run_steps(run, steps)


if __name__ == "__main__":
    sys.exit(main())
