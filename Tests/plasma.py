#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Uses desktop/plasma in a panel of Plasma 6, over AT-SPI with a keyboard, on a display of its own.

    scripts/private-session Tests/plasma.py DIRECTORY-WITH-THE-PROGRAMS [--pictures DIRECTORY]

It needs Plasma 6, which Debian 13 has, and the module that “make plasma” builds. The service is the real one, and
chappie-sandbox plays the servers. With --pictures it makes screenshots of each step.
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

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parent))
from window import PATIENCE, TOP, Display, Faulty, Run, Window, World, wait_for  # noqa: E402

MODULE = TOP / ".build/plasma"
# A panel with the applet and nothing that wakes up by itself, and an empty desktop.
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
    """Plasma, as assistive programs see it."""

    def __init__(self):
        home = Path(os.environ["XDG_CONFIG_HOME"])
        home.mkdir(parents=True, exist_ok=True)
        (home / "plasma-org.kde.plasma.desktop-appletsrc").write_text(LAYOUT)
        (home / "kdeglobals").write_text("[KDE]\nAnimationDurationFactor=0\n")
        plasmoids = Path(os.environ["XDG_DATA_HOME"]) / "plasma/plasmoids"
        plasmoids.mkdir(parents=True)
        (plasmoids / "org.chappie.plasma").symlink_to(TOP / "desktop/plasma/package")
        os.environ.update(
            QML_IMPORT_PATH=str(MODULE), QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1", QT_QPA_PLATFORM="xcb",
            QT_QUICK_BACKEND="software", KWIN_COMPOSE="N", XDG_CURRENT_DESKTOP="KDE", KDE_FULL_SESSION="true",
            KDE_SESSION_VERSION="6",
            XDG_DATA_DIRS=f"{TOP / '.build/share'}:{os.environ.get('XDG_DATA_DIRS', '/usr/local/share:/usr/share')}")
        subprocess.run(["dbus-update-activation-environment", "--all"], check=True)
        self.log = open(Path(os.environ["CHAPPIE_WORLD"]) / "plasma.log", "w+")
        shortcuts = next(Path("/usr/lib").glob("**/kglobalacceld"))
        self.processes = [subprocess.Popen(command, stdout=self.log, stderr=self.log) for command in (
            [shortcuts], ["kwin_x11", "--no-kactivities"], ["plasmashell", "--no-respawn"])]
        self.process = self.processes[-1]
        self.root = wait_for("plasmashell", self._application, 4 * PATIENCE)
        self.root.set_cache_mask(Atspi.Cache.NONE)

    def _application(self):
        if self.process.poll() is not None:
            raise Faulty(f"plasmashell ended:\n{self.complaints()}")
        desktop = Atspi.get_desktop(0)
        for at in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(at)
            if child and child.get_name() == "plasmashell" and child.get_child_count():
                return child
        return None

    def icon(self):
        return self.named(Atspi.Role.PUSH_BUTTON, "Chappie")

    def says(self, words):
        """The icon says the state."""
        wait_for(f"the icon says “{words}”", lambda: self.icon().get_description().endswith(f" {words}"))

    def shortcut(self):
        for code in (37, 64):  # Control and Alt.
            Atspi.generate_keyboard_event(code, None, Atspi.KeySynthType.PRESS)
        self.keys("c")
        for code in (64, 37):
            Atspi.generate_keyboard_event(code, None, Atspi.KeySynthType.RELEASE)

    def answers_in(self):
        """The seconds that the main thread of the shell takes to answer a call: long ones are felt."""
        begun = time.monotonic()
        Gio.bus_get_sync(Gio.BusType.SESSION).call_sync(
            "org.kde.plasmashell", "/PlasmaShell", "org.freedesktop.DBus.Properties", "Get",
            GLib.Variant("(ss)", ("org.kde.PlasmaShell", "editMode")), None, 0, 60000, None)
        return time.monotonic() - begun

    def question_has_focus(self):
        return any(node.get_name() == "Question" and node.get_state_set().contains(Atspi.StateType.FOCUSED)
                   for node in self.all())

    def names_its_controls(self):
        """Those of the box; the desktop's are Plasma's."""
        for node in self.all(wait_for("the box", lambda: self.named(Atspi.Role.PAGE_TAB, "Chappie"))):
            if node.get_state_set().contains(Atspi.StateType.FOCUSABLE) and not node.get_name():
                raise Faulty(f"a {node.get_role_name()} has no name")

    def wakeups(self, seconds):
        """How often the threads of the shell woke up."""
        def count():
            return sum(int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", (task / "status").read_text(), re.M)[1])
                       for task in Path(f"/proc/{self.process.pid}/task").iterdir())
        before = count()
        time.sleep(seconds)
        return count() - before

    def complaints(self):
        self.log.flush()
        self.log.seek(0)
        return [line for line in self.log.read().splitlines()
                if re.search(r"org\.chappie|chappie", line) and not re.search("propagateSizeHints", line)]

    def close(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


class Pictures(http.server.ThreadingHTTPServer):
    """A server for pictures that nobody may ask for."""

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
        wait_for("the icon", self.window.icon, 3 * PATIENCE)
        self.open()
        self.window.shows("The service does not run")
        self.window.says("The service does not run")
        self.picture("missing")
        self.world.start_service()
        self.window.shows("Sign in to ChatGPT")
        self.window.says("Not signed in")
        self.picture("signed-out")

    def open(self):
        """Opens the box with the shortcut of the applet, once the desktop knows it."""
        def opened():
            if not self.window.sees("Copy the answer"):
                self.window.shortcut()
                time.sleep(1)
            return self.window.sees("Copy the answer")
        wait_for("the box", opened)

    def signs_in(self):
        self.window.press("Use a code instead")
        code = wait_for("the code", self.code)
        self.window.shows(" ".join(code))
        self.window.button_is_there("Copy code")
        self.window.button_is_there("Open page")
        self.window.shows("/codex/device")
        self.picture("code")
        self.window.press("Cancel")
        self.window.button_is_there("Use a code instead")
        self.window.press("Use a code instead")
        again = wait_for("another code", lambda: (self.code() or code) != code and self.code())
        self.window.shows(" ".join(again))
        self.world.control("approve", f"user_code={again}".encode())
        self.window.button_is_there("Ask")
        wait_for("the question has the focus", self.window.question_has_focus)

    def asks_and_streams(self):
        self.world.answer("# Buses\n\nA **bus** carries `calls` & <signals>:\n\n```python\nprint('hello')\n```\n\n"
                          "a great many of them, and that was it.", delta_delay_ms=300)
        self.window.ask("What is a bus?")
        self.window.shows("Buses")
        if self.window.sees("and that was it."):
            raise Faulty("the answer came at once")
        self.window.says("Answering…")
        self.picture("streaming")
        self.window.button_is_there("Stop the answer")
        self.window.shows("and that was it.")
        self.window.shows("A bus carries calls & <signals>:")
        self.window.shows("print('hello')")
        self.window.shows("In 5 hours")
        self.picture("answer")

    def follows_up(self):
        """Questions that follow one another are one thread."""
        self.world.answer("And another one.")
        self.window.ask("Go on.")
        self.window.shows("And another one.")
        if len(self.thread_ids()) != 1:
            raise Faulty("the second question has a thread of its own")

    def loads_nothing(self):
        server = Pictures()
        address = f"http://127.0.0.1:{server.server_port}"
        self.world.answer(f"![a]({address}/a.png) <img src=\"{address}/b.png\"> [c]({address}/c) "
                          f"<link rel=stylesheet href={address}/d> Seen.")
        self.window.ask("Show me a picture.")
        self.window.shows("Seen.")
        self.window.shows(f"<img src=\"{address}/b.png\">")
        time.sleep(1)  # What must not happen has no end to wait for.
        server.shutdown()
        if server.asked:
            raise Faulty(f"an answer made Plasma load {server.asked}")

    def stops(self):
        self.world.answer("one two three " * 200, delta_delay_ms=100)
        self.window.ask("Count, please.")
        self.window.shows("one two three")
        self.window.press("Stop the answer")
        self.window.shows("Stopped.")
        self.window.button_is_there("Ask")

    def locked(self):
        self.world.start_locker()
        self.world.lock(True)
        self.window.says("The keyring is locked")
        self.window.hides("one two three")
        self.picture("locked")
        self.world.lock(False)
        self.window.shows("one two three")

    def approves(self):
        """Tools of another program: a shell's, with the answer as signals to everyone."""
        for answer in ("Deny", "Approve", "elsewhere"):
            arguments = {"path": "/home/ada/notes", "hidden": "a\u202eb"}
            self.world.control("scenario", json.dumps([{"endpoint": "responses", "tool_calls": [
                {"name": "remove", "arguments": arguments}]}]).encode())
            subprocess.run(["busctl", "--user", "call", "org.chappie", "/org/chappie", "org.chappie.Client", "Stream",
                            "sa{sv}", "Remove it.", "2", "broadcast", "b", "true", "tools", "aa{sv}", "1", "3",
                            "name", "s", "remove", "policy", "s", "ask", "input_schema", "s",
                            '{"type":"object","properties":{"path":{"type":"string"},"hidden":{"type":"string"}}}'],
                           check=True, stdout=subprocess.DEVNULL)
            # The signal of the turn tells; nobody opens the box.
            self.window.shows("The model wants to run the tool remove.")
            self.window.shows("/home/ada/notes")
            self.window.shows("\\u{202e}")
            self.window.says("Tools that wait for approval")
            self.picture("approval")
            if answer == "elsewhere":
                self.manager("AnswerApproval", "sbs", self.waiting(), "false", "")
            else:
                self.window.press(answer)
            self.window.hides("The model wants to run the tool remove.")

    @staticmethod
    def manager(*call):
        return subprocess.run(["busctl", "--user", "--json=short", "call", "org.chappie", "/org/chappie",
                               "org.chappie.Manager", *call], capture_output=True, text=True, check=True).stdout

    def waiting(self):
        return json.loads(self.manager("ListApprovals"))["data"][0][0]["approval"]["data"]

    def megabyte(self):
        self.world.control("scenario", json.dumps([
            {"endpoint": "responses", "flood": {"of": "text", "size": 32, "count": 32768}}]).encode())
        self.window.ask("A megabyte, please.")
        slowest, begun = 0, time.monotonic()
        while not self.window.sees("The answer is longer than the box.") or not self.window.named(
                Atspi.Role.PUSH_BUTTON, "Ask"):
            for _ in range(10):
                slowest = max(slowest, self.window.answers_in())
            if time.monotonic() > begun + 4 * PATIENCE:
                raise Faulty("the megabyte did not come to its end")
        # Figures to look at, and no condition: machines differ.
        print(f"      1 MB within {time.monotonic() - begun:.1f} s: plasmashell answered within {slowest * 1000:.0f} ms")
        self.picture("megabyte")

    def killed_while_it_streams(self):
        self.world.answer("one two three " * 200, delta_delay_ms=100)
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
        self.world.control("scenario", json.dumps([
            {"endpoint": endpoint, "drop_after": 0, "times": "always"} for endpoint in ("responses", "handshake")]).encode())
        self.window.ask("Is anybody there?")
        self.window.shows("The servers cannot be reached. Check the connection to the network.")
        self.window.says("The servers cannot be reached.")
        self.picture("offline")
        self.world.control("scenario", method="DELETE")

    def opens_the_window(self):
        """The window's action for the stored thread is called; a stand-in takes it."""
        if self.window.sees("Open the window"):
            raise Faulty("the box offers a window that is not installed")
        (Path(os.environ["XDG_DATA_HOME"]) / "dbus-1/services/org.chappie.Window.service").write_text(
            "[D-BUS Service]\nName=org.chappie.Window\nExec=/bin/false\n")
        calls = []
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        node = Gio.DBusNodeInfo.new_for_xml(
            "<node><interface name='org.freedesktop.Application'><method name='ActivateAction'>"
            "<arg type='s' direction='in'/><arg type='av' direction='in'/><arg type='a{sv}' direction='in'/>"
            "</method></interface></node>")

        def called(_bus, _sender, _path, _name, _method, parameters, invocation):
            calls.append(parameters.unpack())
            invocation.return_value(None)
        bus.register_object("/org/chappie/Window", node.interfaces[0], called, None, None)
        Gio.bus_own_name_on_connection(bus, "org.chappie.Window", Gio.BusNameOwnerFlags.NONE, None, None)
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
            raise Faulty(f"the window was asked for {action} {parameters}")

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

    def close(self):
        if self.window:
            print("\n".join(self.window.complaints()))
        super().close()


def main():
    os.environ["PATH"] = f"{Path(sys.argv[1]).resolve()}:{os.environ['PATH']}"
    pictures = Path(sys.argv[3]) if sys.argv[2:3] == ["--pictures"] else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    run = PlasmaRun(pictures)
    steps = [run.without_a_service, run.signs_in, run.asks_and_streams, run.follows_up, run.loads_nothing, run.stops,
             run.locked, run.approves, run.megabyte, run.killed_while_it_streams, run.offline, run.opens_the_window,
             run.shortcut_and_idle, run.signs_out, run.locked_keyring]
    status = 0
    try:
        for step in steps:
            step()
            print(f"ok    {step.__name__.replace('_', ' ')}", flush=True)
    except Exception as error:
        print(f"FAIL  {step.__name__.replace('_', ' ')}: {error}")
        if run.window:
            print("\n".join(f"  {node.get_role_name()}: {Window.words(node)!r:.200} {node.get_description()!r}"
                            for node in run.window.all()))
        run.picture("failed")
        status = 1
    finally:
        run.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
