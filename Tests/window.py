#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Uses desktop/window as a person with a screen reader and a keyboard does: over AT-SPI, on a display of its own.

    scripts/private-session Tests/window.py DIRECTORY-WITH-THE-PROGRAMS [--pictures DIRECTORY]

The service is the real one, and chappie-sandbox plays the servers. With --pictures it makes screenshots of each step.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

TOP = Path(__file__).resolve().parent.parent
WINDOW = TOP / "desktop/window/main.js"
# What a slow machine may take until something is to be seen.
PATIENCE = 120


class Faulty(Exception):
    pass


def wait_for(what, condition, patience=PATIENCE):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise Faulty(f"{what}: not within {patience} s")


def clipboard():
    return subprocess.run(["xclip", "-selection", "clipboard", "-o"], capture_output=True, text=True, timeout=10).stdout


def property_of(name):
    """A property of the session of the default account."""
    shown = subprocess.run(["busctl", "--user", "--json=short", "get-property", "org.chappie", "/org/chappie",
                            "org.chappie.Session", name], capture_output=True, text=True, check=True).stdout
    return json.loads(shown)["data"]


def page_of_sign_in():
    """The address of the page of the sign-in that runs, which only a program that asks for the sign-in gets."""
    reply = subprocess.run(["busctl", "--user", "--json=short", "call", "org.chappie", "/org/chappie",
                            "org.chappie.Session", "StartBrowserSignIn", "a{sv}", "2", "open", "b", "false",
                            "notify", "b", "false"], capture_output=True, text=True, check=True).stdout
    return json.loads(reply)["data"][0]


class Display:
    """An X server without a screen."""

    def __init__(self, width=1000, height=760):
        read, write = os.pipe()
        # A server that ends removes the socket of another one that has just taken its number.
        number = f":{os.getpid() % 30000 + 1000}"
        self.server = subprocess.Popen(
            ["Xvfb", number, "-displayfd", str(write), "-noreset", "-screen", "0", f"{width}x{height}x24"], pass_fds=[write],
            stderr=subprocess.DEVNULL)
        os.close(write)
        # The server ends when its number cannot be written to the end of the line.
        with os.fdopen(read) as number:
            self.name = ":" + number.readline().strip()
        os.environ.update(DISPLAY=self.name, GDK_BACKEND="x11", GSK_RENDERER="cairo")
        # The bus starts what makes key presses.
        subprocess.run(["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus", "--method",
                        "org.freedesktop.DBus.UpdateActivationEnvironment", f"{{'DISPLAY': '{self.name}'}}"],
                       check=True, stdout=subprocess.DEVNULL)
        (Path(os.environ["XDG_DATA_HOME"]) / "icons").symlink_to(TOP / "data/icons")

    def picture(self, path):
        subprocess.run(["import", "-window", "root", path], check=True)

    def resize_windows(self, width, height):
        windows = subprocess.run(["xdotool", "search", "--name", "."], capture_output=True, text=True, check=True).stdout
        for window in windows.split():
            subprocess.run(["xdotool", "windowsize", window, str(width), str(height)], check=True)

    def close(self):
        self.server.terminate()
        self.server.wait()


class World:
    """The stand-in, the service and the screen locker."""

    def __init__(self, *options):
        self.sandbox = subprocess.Popen(["chappie-sandbox", "--port", "0", *options], stdout=subprocess.PIPE, text=True)
        self.issuer = self.sandbox.stdout.readline().split()[1]
        self.service = None
        self.locker = None

    def control(self, what, data=b"", method="POST"):
        request = urllib.request.Request(f"{self.issuer}/sandbox/{what}", data=data, method=method)
        return urllib.request.urlopen(request, timeout=10).read()

    def answer(self, text, **rule):
        self.control("scenario", json.dumps([{"endpoint": "responses", "text": text, **rule}]).encode())

    def start_service(self):
        self.service = subprocess.Popen(
            ["chappied", "--issuer", self.issuer, "--backend", f"{self.issuer}/backend-api"], stderr=subprocess.DEVNULL)
        subprocess.run(["gdbus", "wait", "--session", "--timeout", "120", "org.chappie"], check=True)

    def kill_service(self):
        self.service.kill()
        self.service.wait()

    def decide_in_browser(self, **decision):
        """What a person and a browser do on the page of the sign-in that waits."""
        wait_for("the page", lambda: property_of("BrowserPage"))
        form = {"address": page_of_sign_in(), **decision}
        answer = self.control("authorize", urllib.parse.urlencode(form).encode())
        return urllib.request.urlopen(json.loads(answer)["location"], timeout=20).read().decode()

    def start_locker(self):
        self.locker = subprocess.Popen(["/usr/bin/python3", "-m", "dbusmock", "--template", "gnome_screensaver"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(["gdbus", "wait", "--session", "--timeout", "120", "org.gnome.ScreenSaver"], check=True)

    def lock(self, locked):
        subprocess.run(["gdbus", "call", "--session", "--dest", "org.gnome.ScreenSaver", "--object-path",
                        "/org/gnome/ScreenSaver", "--method", "org.gnome.ScreenSaver.SetActive", str(locked).lower()],
                       check=True, stdout=subprocess.DEVNULL)

    def close(self):
        for process in (self.locker, self.service, self.sandbox):
            if process:
                process.kill()
                process.wait()


class Window:
    """The window, as assistive programs see it."""

    COMMAND = ["gjs", "-m", WINDOW]

    def __init__(self):
        self.log = open(Path(os.environ["CHAPPIE_WORLD"]) / "window.log", "w+")
        self.process = subprocess.Popen(self.COMMAND, stdout=self.log, stderr=self.log)
        self.root = wait_for("the window", self._application)
        # The cache is kept current by events, which need a main loop.
        self.root.set_cache_mask(Atspi.Cache.NONE)

    def _application(self):
        if self.process.poll() is not None:
            raise Faulty(f"the window ended: {Path(self.log.name).read_text()[-2000:]}")
        desktop = Atspi.get_desktop(0)
        for at in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(at)
            if child and child.get_name() in ("Chappie", "org.chappie.Window") and child.get_child_count():
                return child
        return None

    def all(self, root=None):
        """Everything that shows."""
        waiting = [root or self.root]
        while waiting:
            node = waiting.pop()
            try:
                states = node.get_state_set()
                # GTK 4.8 knows no more of children than whether they are visible.
                if node != self.root and not states.contains(Atspi.StateType.VISIBLE):
                    continue
                yield node
                waiting += [child for child in map(node.get_child_at_index, range(node.get_child_count())) if child]
            except GLib.Error:
                continue  # It went away meanwhile.

    @staticmethod
    def words(node):
        try:
            shown = Atspi.Text.get_text(node, 0, -1) if "Text" in node.get_interfaces() else ""
            return f"{node.get_name() or ''}\n{shown}"
        except GLib.Error:
            return ""

    def sees(self, words):
        """A node that shows the words."""
        return next((node for node in self.all() if words in self.words(node)), None)

    def shows(self, words):
        return wait_for(f"“{words}” shows", lambda: self.sees(words))

    def hides(self, words):
        wait_for(f"“{words}” is gone", lambda: not self.sees(words))

    def named(self, role, name):
        return next((node for node in self.all() if node.get_role() == role and node.get_name() == name), None)

    def button(self, name):
        node = wait_for(f"button “{name}”", lambda: self.named(Atspi.Role.PUSH_BUTTON, name))
        wait_for(f"button “{name}” is sensitive",
                 lambda: node.get_state_set().contains(Atspi.StateType.SENSITIVE))
        return node

    def press(self, name):
        Atspi.Action.do_action(self.button(name), 0)

    def keys(self, text):
        Atspi.generate_keyboard_event(0, text, Atspi.KeySynthType.STRING)

    def key(self, symbol):
        Atspi.generate_keyboard_event(symbol, None, Atspi.KeySynthType.SYM)

    def combination(self, character):
        """Control and a letter."""
        Atspi.generate_keyboard_event(37, None, Atspi.KeySynthType.PRESS)
        self.keys(character)
        Atspi.generate_keyboard_event(37, None, Atspi.KeySynthType.RELEASE)

    def ask(self, text):
        """Types a question and asks it."""
        self.button_is_there("Ask")
        self.keys(text)
        self.shows(text)
        self.key(0xFF0D)

    def button_is_there(self, name):
        wait_for(f"button “{name}”", lambda: self.named(Atspi.Role.PUSH_BUTTON, name))

    def action(self, name, parameter=None):
        """What other programs may do: an action of the application."""
        parameters = [GLib.Variant("s", parameter)] if parameter is not None else []
        Gio.bus_get_sync(Gio.BusType.SESSION).call_sync(
            "org.chappie.Window", "/org/chappie/Window", "org.freedesktop.Application", "ActivateAction",
            GLib.Variant("(sava{sv})", (name, parameters, {})), None, 0, 5000, None)

    @contextmanager
    def measured(self, what):
        """Prints how long the main loop of the window takes meanwhile to answer a call: a figure to look at, as
        machines differ."""
        waits, done = [], threading.Event()

        def call():
            bus = Gio.DBusConnection.new_for_address_sync(
                os.environ["DBUS_SESSION_BUS_ADDRESS"], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
                | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
            while not done.wait(0.005):
                begun = time.monotonic()
                bus.call_sync("org.chappie.Window", "/org/chappie/Window", "org.gtk.Actions", "List", None, None,
                              0, 60000, None)
                waits.append((time.monotonic() - begun) * 1000)

        thread = threading.Thread(target=call)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
            waits.sort()
            print(f"      {what}: the window answered within {waits[-1]:.0f} ms, in half of {len(waits)} calls"
                  f" {waits[len(waits) // 2]:.1f} ms")

    def names_its_controls(self):
        """A screen reader says the name of each thing that takes the keyboard."""
        try:
            # What is being hidden loses its name before it is gone.
            wait_for("a name for each control", lambda: not self.nameless(), 5)
        except Faulty as fault:
            raise Faulty(f"{fault}: {self.nameless()}") from fault

    def nameless(self):
        """Without a name GTK 4.8 gives the type, as for the button of libadwaita 1.2 that closes a toast. Lists and panes
        hand the focus to what is in them."""
        containers = (Atspi.Role.LIST, Atspi.Role.SCROLL_PANE)
        return [f"{node.get_role_name()} “{node.get_name()}”" for node in self.all()
                if node.get_state_set().contains(Atspi.StateType.FOCUSABLE)
                and re.fullmatch(r"(Gtk|Adw|Chappie)\w+|", node.get_name() or "")
                and node.get_role() not in containers and node.get_parent().get_name() != "AdwToastWidget"]

    def complaints(self):
        self.log.flush()
        self.log.seek(0)
        return [line for line in self.log.read().splitlines() if re.search("CRITICAL|WARNING|JS ERROR|Error", line)]

    def close(self):
        self.process.terminate()
        self.process.wait()


class Run:
    """The steps, in their order: each begins where the one before ended."""

    # Of the stand-in.
    OPTIONS = ["--rate", "20", "--interval", "1"]

    def __init__(self, pictures):
        self.pictures = pictures
        self.display = Display()
        self.world = World(*self.OPTIONS)
        self.window = None

    def look(self, name):
        self.window.names_its_controls()
        self.picture(name)

    def picture(self, name):
        if self.pictures:
            time.sleep(0.7)  # Transitions of the toolkit.
            self.display.picture(self.pictures / f"{name}.png")

    def steps(self):
        return [self.without_a_service, self.signs_in_in_the_browser, self.signs_in, self.asks_and_streams, self.idles, self.narrow, self.stops,
                self.threads, self.locked, self.approves, self.megabyte, self.killed_while_it_streams,
                self.asks_from_a_command_line, self.offline, self.signs_out, self.locked_keyring]

    def without_a_service(self):
        self.window = Window()
        self.window.shows("The service does not run")
        self.look("missing")
        self.world.start_service()
        self.window.shows("Sign in to ChatGPT")
        self.look("signed-out")

    def signs_in_in_the_browser(self):
        self.window.press("Continue with ChatGPT")
        self.window.shows("Waiting for your browser…")
        self.window.button_is_there("Open the page again")
        self.look("browser")
        self.world.decide_in_browser(decision="decline")
        self.window.shows("The sign-in was declined on the page.")
        # As a click on a notification does it.
        self.window.action("sign-in")
        self.window.shows("Waiting for your browser…")
        self.window.press("Copy address")
        wait_for("the address in the clipboard", lambda: clipboard().startswith(f"{self.world.issuer}/api/accounts"))
        self.window.press("Cancel")
        self.window.button_is_there("Use a code instead")
        self.window.press("Continue with ChatGPT")
        self.world.decide_in_browser(plan_use="false")
        self.window.shows("This sign-in does not allow the use of your ChatGPT plan.")
        self.window.press("Allow plan use")
        self.window.shows("Waiting for your browser…")
        self.world.decide_in_browser()
        self.window.shows("You’re using your ChatGPT plan.")
        self.window.shows("ada@example.com")
        self.world.control("plan-use", b"state=limit-reached")
        subprocess.run(["chappie", "ask", "Hello"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.window.shows("The limit of your ChatGPT plan is reached.")
        self.window.button_is_there("Manage usage")
        self.look("limit")
        subprocess.run(["chappie", "sign-out"], check=True, stdout=subprocess.DEVNULL)

    def signs_in(self):
        self.window.press("Use a code instead")
        code = wait_for("the code", self.code)
        # It is read letter by letter.
        self.window.shows(" ".join(code))
        self.window.button_is_there("Copy code")
        self.window.shows("/codex/device")
        self.look("code")
        self.world.control("decline", f"user_code={code}".encode())
        self.window.shows("The sign-in was declined on the page.")
        self.window.press("Use a code instead")
        again = wait_for("another code", lambda: (self.code() or code) != code and self.code())
        self.window.shows(" ".join(again))
        self.window.press("Copy code")
        wait_for("the code in the clipboard", lambda: clipboard() == again)
        self.window.action("copy-code", code)
        wait_for("the code of the action in the clipboard", lambda: clipboard() == code)
        self.world.control("approve", f"user_code={again}".encode())
        self.window.button_is_there("Ask")
        self.window.shows("ada@example.com")
        self.look("empty")

    @staticmethod
    def code():
        return property_of("DeviceCode").get("user_code", {}).get("data")

    def asks_and_streams(self):
        # Slow enough that the beginning shows before the end has come.
        self.world.answer("# Buses\n\nA **bus** carries:\n\n1. calls\n2. signals\n\n```python\n# greets\nprint('hello')\n```\n\n"
                          "| kind | reply |\n|---|---|\n| call | yes |\n\nand that was it.", delta_delay_ms=300)
        self.window.ask("What is a bus?")
        self.window.shows("Buses")
        if self.window.sees("and that was it."):
            raise Faulty("the answer came at once")
        self.look("streaming")
        self.window.button_is_there("Stop the answer")
        self.window.shows("and that was it.")
        self.window.button_is_there("Copy the answer")
        for words in ("A bus carries:", "signals", "# greets\nprint('hello')", "yes"):
            self.window.shows(words)
        if self.window.sees("**") or self.window.sees("```"):
            raise Faulty("Markdown shows as it was written")
        self.look("answer")

    def narrow(self):
        """As wide as a telephone: the list and the conversation take turns."""
        self.window.button_is_there("New conversation")
        self.display.resize_windows(360, 660)
        self.window.button_is_there("Conversations")
        self.look("narrow")
        self.window.shows("and that was it.")
        self.display.resize_windows(920, 640)
        wait_for("the list beside it", lambda: not self.window.named(Atspi.Role.PUSH_BUTTON, "Conversations"))

    def idles(self):
        """Nothing wakes the main thread for five seconds, once the text cursor has stopped to blink."""
        status = Path(f"/proc/{self.window.process.pid}/status")
        wake_ups = lambda: re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status.read_text(), re.M)[1]

        def rests():
            before = wake_ups()
            time.sleep(5)
            return wake_ups() == before

        wait_for("five seconds without a wake-up", rests, 2 * PATIENCE)

    def stops(self):
        self.world.answer("one two three " * 200, delta_delay_ms=100)
        self.window.ask("Count, please.")
        self.window.shows("one two three")
        self.window.press("Stop the answer")
        self.window.shows("Stopped.")
        self.window.button_is_there("Ask")

    def locked(self):
        self.world.start_locker()
        self.window.combination(",")
        self.window.shows("In 5 hours")
        self.picture("account")
        self.world.lock(True)
        self.window.shows("The screen is locked")
        if self.window.sees("What is a bus?") or self.window.sees("Buses") or self.window.sees("ada@example.com"):
            raise Faulty("something that was said shows while the screen is locked")
        self.picture("locked")
        self.world.lock(False)
        self.window.shows("and that was it.")

    def threads(self):
        self.window.press("New conversation")
        self.window.hides("and that was it.")
        row = wait_for("the thread", lambda: next(
            (node for node in self.window.all() if node.get_role() == Atspi.Role.LIST_ITEM
             and node.get_name().startswith("What is a bus?")), None))
        self.look("new")
        self.window.action("thread", self.thread_ids()[0])
        self.window.shows("and that was it.")
        subprocess.run(["busctl", "--user", "call", "org.chappie", "/org/chappie", "org.chappie.Threads", "Rename", "ss",
                        self.thread_ids()[0], "Of buses"], check=True)
        self.window.shows("Of buses, ")
        self.window.action("search", "nothing of that")
        self.window.shows("No conversations")
        self.window.action("search", "of bus")
        self.window.shows("Of buses, ")
        self.window.action("search", "")
        del row

    @staticmethod
    def thread_ids():
        shown = subprocess.run(["busctl", "--user", "--json=short", "call", "org.chappie", "/org/chappie",
                                "org.chappie.Threads", "List", "a{sv}", "0"], capture_output=True, text=True, check=True)
        return [thread["id"]["data"] for thread in json.loads(shown.stdout)["data"][0]]

    def approves(self):
        """A tool of another program: a shell's, with the answer as signals to everyone."""
        arguments = {"path": "/home/ada/notes", "hidden": "a\u202eb"}
        self.world.control("scenario", json.dumps([{"endpoint": "responses", "tool_calls": [
            {"name": "remove", "arguments": arguments}]}]).encode())
        subprocess.run(["busctl", "--user", "call", "org.chappie", "/org/chappie", "org.chappie.Client", "Stream",
                        "sa{sv}", "Remove it.", "2", "broadcast", "b", "true", "tools", "aa{sv}", "1", "3",
                        "name", "s", "remove", "policy", "s", "ask", "input_schema", "s",
                        '{"type":"object","properties":{"path":{"type":"string"},"hidden":{"type":"string"}}}'],
                       check=True, stdout=subprocess.DEVNULL)
        wait_for("the approval", lambda: '"remove"' in subprocess.run(
            ["busctl", "--user", "call", "org.chappie", "/org/chappie", "org.chappie.Manager", "ListApprovals"],
            capture_output=True, text=True).stdout)
        self.window.combination("p")
        self.window.shows("The model wants to run the tool remove.")
        self.window.shows("/home/ada/notes")
        self.window.shows("\\u{202e}")
        self.picture("approval")
        self.window.press("Deny")
        self.window.shows("No tool waits.")

    def megabyte(self):
        self.world.control("scenario", json.dumps([
            {"endpoint": "responses", "flood": {"of": "text", "size": 32, "count": 32768}}]).encode())
        with self.window.measured("1 MB"):
            self.window.action("ask", "A megabyte, please.")
            wait_for("the end of the megabyte", lambda: self.window.sees("Copy the answer"), 4 * PATIENCE)
        more = self.window.shows("Show more (").get_name()
        with self.window.measured("48 KB more, of a single word"):
            self.window.press(more)
            self.window.hides(more)

    def killed_while_it_streams(self):
        self.world.answer("one two three " * 200, delta_delay_ms=100)
        self.window.action("ask", "Count again, please.")
        self.window.shows("one two three")
        self.world.kill_service()
        self.window.shows("The service ended before the answer was complete.")
        self.window.shows("The service has ended.")
        # What was said stays on the screen.
        self.window.shows("one two three")
        self.look("interrupted")
        self.window.press("Try again")
        self.window.shows("The service does not run.")
        self.world.start_service()
        self.window.hides("The service has ended.")
        self.world.answer("I am back.")
        self.window.press("Try again")
        self.window.shows("I am back.")

    def asks_from_a_command_line(self):
        self.world.answer("It was typed in a terminal.")
        subprocess.run(["gjs", "-m", WINDOW, "--ask", "Who asked that?"], check=True, timeout=PATIENCE)
        self.window.shows("It was typed in a terminal.")

    def offline(self):
        self.world.control("scenario", json.dumps([
            {"endpoint": endpoint, "drop_after": 0, "times": "always"} for endpoint in ("responses", "handshake")]).encode())
        self.window.action("ask", "Is anybody there?")
        self.window.shows("The servers cannot be reached.")
        self.look("offline")
        self.world.control("scenario", method="DELETE")

    def signs_out(self):
        subprocess.run(["chappie", "sign-out"], check=True, stdout=subprocess.DEVNULL)
        self.window.shows("Sign in to ChatGPT")

    def locked_keyring(self):
        subprocess.run(["gdbus", "call", "--session", "--dest", "org.freedesktop.secrets", "--object-path",
                        "/org/freedesktop/secrets", "--method", "org.freedesktop.Secret.Service.Lock",
                        "['/org/freedesktop/secrets/collection/login']"], check=True, stdout=subprocess.DEVNULL)
        self.window.shows("The keyring is locked")
        self.window.button_is_there("Unlock")
        self.look("locked-keyring")

    def close(self):
        if self.window:
            self.window.close()
        self.world.close()
        self.display.close()


def main(kind):
    """Does the steps of a run: each begins where the one before ended."""
    os.environ["PATH"] = f"{Path(sys.argv[1]).resolve()}:{os.environ['PATH']}"
    pictures = Path(sys.argv[3]) if sys.argv[2:3] == ["--pictures"] else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    run = kind(pictures)
    status = 0
    try:
        for step in run.steps():
            name = step.__name__.replace("_", " ")
            begun = time.monotonic()
            step()
            print(f"ok    {name} ({time.monotonic() - begun:.1f} s)", flush=True)
        if complaints := run.window.complaints():
            raise Faulty("the window complained:\n" + "\n".join(complaints))
    except Faulty as fault:
        print(f"FAIL  {name}: {fault}")
        run.picture("failure")
        if run.window:
            print("\n".join(run.window.complaints()))
            print("\n".join(f"  {node.get_role_name()}: {Window.words(node)!r:.200}" for node in run.window.all()))
        status = 1
    finally:
        run.close()
    sys.exit(status)


if __name__ == "__main__":
    main(Run)
