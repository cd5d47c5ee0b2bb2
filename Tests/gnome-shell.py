#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Uses desktop/gnome-shell as a person with a keyboard and a mouse does, in a GNOME Shell without a screen.

    scripts/private-session Tests/gnome-shell.py DIRECTORY-WITH-THE-PROGRAMS [--pictures DIRECTORY] [--idle]

The service is the real one, and chappie-sandbox plays the servers. With --pictures it makes screenshots of the steps,
with --idle it counts how often the shell wakes up. Figures that depend on the machine are printed and not judged.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from gi.repository import Gio, GLib
from window import Faulty, World, property_of, wait_for

TOP = Path(__file__).resolve().parent.parent
UUID = "chappie@chappie.invalid"
RETURN, TAB, ESCAPE, SHIFT, SUPER, CONTROL = 0xFF0D, 0xFF09, 0xFF1B, 0xFFE1, 0xFFEB, 0xFFE3

# What the shell evaluates: its eyes and its hands.
HELPERS = """
const {Clutter, GLib} = imports.gi;
const seat = Clutter.get_default_backend().get_default_seat();
globalThis.test = {
    keyboard: seat.create_virtual_device(Clutter.InputDeviceType.KEYBOARD_DEVICE),
    pointer: seat.create_virtual_device(Clutter.InputDeviceType.POINTER_DEVICE),
    button: () => Main.panel.statusArea.chappie,
    keys(...keys) {
        const press = (key, state) => this.keyboard.notify_keyval(GLib.get_monotonic_time(), key, state);
        keys.forEach(key => press(key, Clutter.KeyState.PRESSED));
        keys.reverse().forEach(key => press(key, Clutter.KeyState.RELEASED));
    },
    type(text) {
        [...text].forEach(letter => this.keys(Clutter.unicode_to_keysym(letter.codePointAt(0))));
    },
    click(actor) {
        const [x, y] = actor.get_transformed_position();
        this.pointer.notify_absolute_motion(GLib.get_monotonic_time(), x + actor.width / 2, y + actor.height / 2);
        [Clutter.ButtonState.PRESSED, Clutter.ButtonState.RELEASED].forEach(state =>
            this.pointer.notify_button(GLib.get_monotonic_time(), Clutter.BUTTON_PRIMARY, state));
    },
    *all(actor) {
        yield actor;
        for (const child of actor.get_children())
            yield* this.all(child);
    },
    shown() {
        return [...this.all(this.button().menu.box)].filter(actor => actor.mapped);
    },
    texts() {
        return this.shown().map(actor => actor.text ?? actor.accessible_name).filter(text => text);
    },
    named(name) {
        return this.shown().find(actor => actor.accessible_name === name && actor.reactive);
    },
    // The greatest number of milliseconds between two turns of the main loop.
    watch() {
        let last = GLib.get_monotonic_time();
        this.longest = 0;
        this.watching = GLib.timeout_add(GLib.PRIORITY_HIGH, 5, () => {
            const now = GLib.get_monotonic_time();
            this.longest = Math.max(this.longest, (now - last) / 1000);
            last = now;
            return GLib.SOURCE_CONTINUE;
        });
    },
    watched() {
        GLib.source_remove(this.watching);
        return this.longest;
    },
};
"""


def call(name, path, method, parameters=None):
    interface, _, member = method.rpartition(".")
    return Gio.bus_get_sync(Gio.BusType.SESSION).call_sync(
        name, path, interface, member, parameters, None, Gio.DBusCallFlags.NONE, 60000, None).unpack()


class Shell:
    """GNOME Shell, with the extension that is installed, or else with that of this tree, or without."""

    def __init__(self, with_extension=True):
        if with_extension and not any(Path(share, "gnome-shell/extensions", UUID).exists() for share in GLib.get_system_data_dirs()):
            subprocess.run(["make", "-s", "-C", TOP, "install-extension", f"DATADIR={os.environ['XDG_DATA_HOME']}"],
                           check=True, stdout=subprocess.DEVNULL)
        applications = Path(os.environ["XDG_DATA_HOME"], "applications")
        applications.mkdir()
        # A desktop file whose program is not there is not seen.
        (applications / "org.chappie.Window.desktop").write_text(
            (TOP / "desktop/window/org.chappie.Window.desktop").read_text().replace("Exec=chappie-window", "Exec=true"))
        world = Path(os.environ["CHAPPIE_WORLD"])
        # A browser, which keeps the address.
        self.page = world / "page"
        browser = world / "browser"
        browser.write_text(f'#!/bin/sh\nprintf %s "$1" >"{self.page}"\n')
        browser.chmod(0o755)
        (applications / "browser.desktop").write_text(
            f"[Desktop Entry]\nType=Application\nName=Browser\nExec={browser} %u\nMimeType=x-scheme-handler/http;\n")
        (applications / "mimeapps.list").write_text("[Default Applications]\nx-scheme-handler/http=browser.desktop\n")
        # The shell wants a bus of the system, with nothing on it.
        self.system = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--nopidfile",
                                        f"--address={os.environ['DBUS_SYSTEM_BUS_ADDRESS']}"], stderr=subprocess.DEVNULL)
        settings = Gio.Settings(schema_id="org.gnome.shell")
        settings.set_strv("enabled-extensions", [UUID] * with_extension)
        settings.set_string("welcome-dialog-last-shown-version", "999")
        Gio.Settings.sync()
        self.log = open(world / "shell.log", "w+")
        self.process = subprocess.Popen(
            ["gnome-shell", "--headless", "--wayland", "--no-x11", "--unsafe-mode", "--virtual-monitor", "1280x800"],
            env={**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"}, stdout=self.log, stderr=self.log)
        wait_for("the shell", lambda: self.ready())
        self.version = call("org.gnome.Shell", "/org/gnome/Shell", "org.freedesktop.DBus.Properties.Get",
                            GLib.Variant("(ss)", ("org.gnome.Shell", "ShellVersion")))[0]
        self.eval(f"{HELPERS}; Main.overview.hide(); 0")
        if with_extension:
            wait_for("the extension", lambda: self.eval("Boolean(test.button())"))
        self.settle()

    def ready(self):
        if self.process.poll() is not None:
            raise Faulty("the shell ended")
        try:
            return self.eval("Main.layoutManager.startingUp === false || Main.layoutManager._startingUp === false")
        except GLib.Error:
            return False

    def eval(self, script):
        done, result = call("org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell.Eval",
                            GLib.Variant("(s)", (script,)))
        if not done:
            raise Faulty(f"{script[:200]}: {result}")
        return json.loads(result) if result else None

    def settle(self):
        """Until the shell has nothing left to do: it takes new shortcuts when it is idle."""
        self.eval("test.idle = false; imports.gi.GLib.idle_add(imports.gi.GLib.PRIORITY_LOW, () => !(test.idle = true)); 0")
        wait_for("the shell is idle", lambda: self.eval("test.idle"))

    def keys(self, *keys):
        self.eval(f"test.keys(...{list(keys)}); 0")

    def type(self, text):
        self.eval(f"test.type({json.dumps(text)}); 0")

    def texts(self):
        return self.eval("test.texts()")

    def sees(self, words):
        return any(words in text for text in self.texts())

    def shows(self, words):
        wait_for(f"“{words}” shows", lambda: self.sees(words))

    def hides(self, words):
        wait_for(f"“{words}” is gone", lambda: not self.sees(words))

    def press(self, name):
        wait_for(f"button “{name}”", lambda: self.eval(f"Boolean(test.named({json.dumps(name)}))"))
        # Until the menu has its place.
        place = None
        while place != (place := self.eval(f"test.named({json.dumps(name)})?.get_transformed_position() ?? null")):
            time.sleep(0.1)
        self.eval(f"test.click(test.named({json.dumps(name)})); 0")

    def is_open(self):
        return self.eval("test.button().menu.isOpen")

    def open(self, is_open=True):
        """Opens or closes the box with the shortcut."""
        if self.is_open() != is_open:
            self.keys(SUPER, ord("c"))
            wait_for("the shortcut", lambda: self.is_open() == is_open)

    def says(self, text):
        wait_for(f"the icon says “{text}”", lambda: self.eval("test.button().accessible_name") == text)

    def ask(self, text):
        self.open()
        self.hides("Stop the answer")  # One question at a time.
        self.type(text)
        wait_for("the question", lambda: self.sees(text))
        self.keys(RETURN)

    def wakes(self, seconds):
        """How often its main loop was woken in this time: the other threads wake to collect memory."""
        def count():
            status = Path(f"/proc/{self.process.pid}/status").read_text()
            return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.M)[1])
        begun = count()
        time.sleep(seconds)
        return count() - begun

    def picture(self, path):
        call("org.gnome.Shell.Screenshot", "/org/gnome/Shell/Screenshot", "org.gnome.Shell.Screenshot.Screenshot",
             GLib.Variant("(bbs)", (False, False, str(path))))

    def complaints(self):
        self.log.flush()
        self.log.seek(0)
        lines = self.log.read().partition("GNOME Shell started")[2].splitlines()
        return [line for line in lines if re.search(
            r"JS (ERROR|WARNING)|(Gjs|Clutter|St|GObject|GLib)-(CRITICAL|WARNING)|garbage collection|chappie|[Uu]nhandled", line)
            # The shell's own prompt for a password, when it goes.
            and "clutter_input_focus_" not in line]

    def close(self):
        for process in (self.process, self.system):
            process.terminate()
            process.wait()


class Run:
    """The steps, in their order: each begins where the one before ended."""

    def __init__(self, pictures):
        self.pictures = pictures
        self.world = World("--rate", "20", "--interval", "1")
        self.shell = Shell()

    def picture(self, name):
        if self.pictures:
            time.sleep(0.7)  # Transitions of the shell.
            self.shell.picture(self.pictures / f"{name}.png")

    def idle(self):
        """The extension must not wake the shell. Figures: the shell has timers of its own."""
        woken = {True: 0, False: 0}
        for enabled in (False, True, False, True):
            self.enable(enabled)
            time.sleep(3)  # Until the shell has drawn and collected memory.
            woken[enabled] += self.shell.wakes(8)
        print(f"      woken in 16 s: {woken[True]} times with the extension, {woken[False]} without")

    def without_a_service(self):
        self.shell.says("Chappie")
        self.shell.open()
        self.shell.shows("The service does not run")
        self.picture("missing")
        self.world.start_service()
        self.shell.shows("Sign in to ChatGPT")
        self.shell.says("Chappie: Not signed in")
        self.picture("signed-out")

    def signs_in_in_the_browser(self):
        # The keyboard is where something can be done: here “Continue with ChatGPT”.
        self.shell.keys(RETURN)
        self.page_opens()
        self.shell.open()
        self.shell.shows("Waiting for your browser…")
        self.picture("browser")
        self.world.decide_in_browser(decision="decline")
        self.shell.shows("The sign-in was declined on the page.")
        self.shell.press("Continue with ChatGPT")
        self.page_opens()
        self.shell.open()
        self.shell.press("Cancel")
        self.shell.hides("Waiting for your browser…")
        self.shell.press("Continue with ChatGPT")
        self.page_opens()
        self.world.decide_in_browser()
        self.shell.says("Chappie")
        subprocess.run(["chappie", "sign-out"], check=True, stdout=subprocess.DEVNULL)
        self.shell.open()
        self.shell.shows("Sign in to ChatGPT")

    def page_opens(self):
        """The box has closed itself, and the page of the sign-in is in the browser."""
        wait_for("the page is opened",
                 lambda: self.shell.page.exists() and "/api/accounts/authorize" in self.shell.page.read_text())
        self.shell.page.unlink()

    def signs_in(self):
        # The keyboard goes on from there: “Open page”, “Copy code”.
        self.shell.press("Use a code instead")
        code = wait_for("the code", self.code)
        self.shell.shows(code)
        self.shell.shows("/codex/device")
        self.shell.keys(TAB)
        self.shell.keys(RETURN)
        wait_for("the code in the clipboard", lambda: self.clipboard() == code)
        self.picture("code")
        self.shell.press("Open page")
        wait_for("the page is opened", lambda: self.shell.page.exists() and "/codex/device" in self.shell.page.read_text())
        self.shell.open()
        self.shell.shows(code)
        self.world.control("decline", f"user_code={code}".encode())
        self.shell.shows("The sign-in was declined on the page.")
        self.shell.press("Use a code instead")
        again = wait_for("another code", lambda: (self.code() or code) != code and self.code())
        self.shell.press("Cancel")
        self.shell.hides(again)
        self.shell.press("Use a code instead")
        wait_for("a third code", lambda: (self.code() or again) != again and self.code())
        self.world.control("approve", f"user_code={self.code()}".encode())
        self.shell.shows("In 5 hours")
        self.shell.says("Chappie")
        self.picture("empty")

    @staticmethod
    def code():
        return property_of("DeviceCode").get("user_code", {}).get("data")

    def clipboard(self):
        self.shell.eval("imports.gi.St.Clipboard.get_default().get_text(1, (_clipboard, text) => (test.copied = text)); 0")
        return self.shell.eval("test.copied ?? null")

    def shortcut(self):
        """The box takes the key that follows the shortcut."""
        self.shell.open(False)
        times = []
        for _ in range(5):
            self.shell.eval("""
                test.taken = null;
                test.entry = [...test.all(test.button().menu.box)].find(actor => actor.hint_text);
                test.entry.text = '';
                const begun = imports.gi.GLib.get_monotonic_time();
                const id = test.entry.clutter_text.connect('text-changed', () => {
                    test.taken = (imports.gi.GLib.get_monotonic_time() - begun) / 1000;
                    test.entry.clutter_text.disconnect(id);
                });
                test.keys(%d, %d); test.type('x'); 0""" % (SUPER, ord("c")))
            times.append(wait_for("the key in the box", lambda: self.shell.eval("test.taken")))
            self.shell.shows("x")
            self.shell.keys(ESCAPE)
            wait_for("Escape closes", lambda: not self.shell.is_open())
        print("      from the shortcut to the next key in the box: " + ", ".join(f"{ms:.1f}" for ms in times) + " ms")
        self.shell.eval("test.entry.text = ''; 0")

    def asks_and_streams(self):
        # Slow enough that the beginning shows before the end has come.
        self.world.answer("# Buses\n\nA **bus** carries `calls` and <b>signals</b> & more.\n\n```python\nprint('hello')\n"
                          "```\n\nand that was it.", delta_delay_ms=300)
        self.shell.open()
        self.shell.type("What is")
        self.shell.keys(SHIFT, RETURN)
        self.shell.type("a bus?")
        wait_for("a line of its own", lambda: "What is\na bus?" in self.shell.texts())
        self.shell.keys(RETURN)
        self.shell.says("Chappie: Answering…")
        self.shell.shows("Buses")
        if self.shell.sees("and that was it."):
            raise Faulty("the answer came at once")
        self.picture("streaming")
        # It goes on while the box is closed.
        self.shell.keys(ESCAPE)
        self.shell.says("Chappie")
        self.shell.open()
        for words in ("A bus carries calls and <b>signals</b> & more.", "print('hello')", "and that was it."):
            self.shell.shows(words)
        if self.shell.sees("**") or self.shell.sees("```") or self.shell.sees("# "):
            raise Faulty("Markdown shows as it was written")
        self.shell.press("Copy the answer")
        wait_for("the answer in the clipboard", lambda: "A **bus** carries" in (self.clipboard() or ""))
        self.picture("answer")
        # What would nest, or is no markup of Pango's.
        self.world.answer("**a `b** c` </b> &\u0007 &#7; **d")
        self.shell.ask("And this?")
        self.shell.shows("a `b c` </b> & &#7; **d")
        self.world.control("scenario", method="DELETE")
        self.shell.ask("And then?")
        self.shell.shows("You said: “And then?” This conversation has 5 messages.")

    def opens_the_window(self):
        """A window of our own takes the call, with the thread of the box."""
        name, path = "org.chappie.Window", "/org/chappie/Window"
        window = subprocess.Popen(["/usr/bin/python3", "-m", "dbusmock", name, path, "org.freedesktop.Application"],
                                  stdout=subprocess.DEVNULL)
        try:
            subprocess.run(["gdbus", "wait", "--session", "--timeout", "120", name], check=True)
            call(name, path, "org.freedesktop.DBus.Mock.AddMethod", GLib.Variant("(sssss)", (
                "org.freedesktop.Application", "ActivateAction", "sava{sv}", "", "")))
            self.shell.press("Open the window")
            def called():
                return call(name, path, "org.freedesktop.DBus.Mock.GetMethodCalls", GLib.Variant("(s)", ("ActivateAction",)))[0]
            wait_for("the window is called", called)
            [(_, (action, values, platform))] = called()
            threads = call("org.chappie", "/org/chappie", "org.chappie.Threads.List", GLib.Variant("(a{sv})", ({},)))[0]
            if (action, values) != ("thread", [threads[0]["id"]]) or not platform["activation-token"]:
                raise Faulty(f"the window was called with {action} {values} {platform}")
        finally:
            window.terminate()
            window.wait()

    def stops(self):
        self.world.answer("one two three " * 200, delta_delay_ms=100)
        self.shell.ask("Count, please.")
        self.shell.shows("one two three")
        self.shell.press("Stop the answer")
        self.shell.shows("Stopped.")
        self.shell.press("New conversation")
        self.shell.hides("Stopped.")

    def calls(self, turn, **arguments):
        """A tool of another program waits for approval."""
        self.world.control("scenario", json.dumps([{"endpoint": "responses", "tool_calls": [
            {"name": "remove", "arguments": arguments}]}]).encode())
        subprocess.run(["busctl", "--user", "call", "org.chappie", "/org/chappie", "org.chappie.Client", "Stream",
                        "sa{sv}", "Remove it.", "3", "turn", "s", turn, "broadcast", "b", "true", "tools",
                        "aa{sv}", "1", "3", "name", "s", "remove", "policy", "s", "ask", "input_schema", "s",
                        '{"type":"object","properties":{"path":{"type":"string"},"why":{"type":"string"}}}'],
                       check=True, stdout=subprocess.DEVNULL)
        self.shell.says("Chappie: Tools that wait for approval")
        self.shell.open()
        self.shell.shows("The model wants to run the tool remove.")

    def answered(self, turn, status):
        wait_for(f"the turn is {status}", lambda: self.status(turn) == status)
        self.shell.hides("The model wants")
        call("org.chappie", "/org/chappie", "org.chappie.Client.Cancel", GLib.Variant("(s)", (turn,)))

    def approves(self):
        self.calls("approved", path="/home/ada", why="a\u202eb")
        self.shell.shows("/home/ada")
        self.shell.shows("\\u{202e}")
        self.picture("approval")
        self.shell.press("Approve")
        self.answered("approved", "waiting-for-tool")
        self.calls("denied", path="/home/bob")
        self.shell.press("Deny")
        self.answered("denied", "completed")
        # Too long to be judged here.
        self.calls("long", path="/home/eve", why="x" * 20000)
        self.shell.shows("This is too long to be shown here.")
        if self.shell.eval("Boolean(test.named('Approve'))"):
            raise Faulty("what is not shown whole can be approved")
        self.shell.press("Deny")
        self.answered("long", "completed")
        # Another program answers.
        self.calls("elsewhere", path="/home/joe")
        [waiting] = call("org.chappie", "/org/chappie", "org.chappie.Manager.ListApprovals")[0]
        call("org.chappie", "/org/chappie", "org.chappie.Manager.AnswerApproval",
             GLib.Variant("(sbs)", (waiting["approval"], False, "")))
        self.answered("elsewhere", "completed")
        self.shell.says("Chappie")

    @staticmethod
    def status(turn):
        return call("org.chappie", "/org/chappie", "org.chappie.Client.GetTurn", GLib.Variant("(s)", (turn,)))[0]

    def megabyte(self):
        self.world.control("scenario", json.dumps([
            {"endpoint": "responses", "flood": {"of": "text", "size": 32, "count": 32768}}]).encode())
        self.shell.open()
        self.shell.eval("test.watch(); 0")
        begun = time.monotonic()
        self.shell.ask("A megabyte, please.")
        wait_for("the megabyte", lambda: self.shell.sees("Copy the answer"), 120)
        print(f"      1 MB: in {time.monotonic() - begun:.1f} s; the shell's main loop stood still for at most "
              f"{self.shell.eval('test.watched()'):.0f} ms")
        self.shell.shows("The answer is longer than the box.")
        self.picture("megabyte")
        self.shell.press("Copy the answer")
        wait_for("the megabyte in the clipboard", lambda: len(self.clipboard() or "") == 1 << 20)

    def killed_while_it_streams(self):
        self.calls("killed", path="/home/ada")
        self.world.answer("one two three " * 200, delta_delay_ms=100)
        self.shell.ask("Count again, please.")
        self.shell.shows("one two three")
        self.world.kill_service()
        self.shell.hides("The model wants")
        self.shell.says("Chappie")
        self.world.start_service()
        self.shell.shows("The service ended before the answer was complete.")
        self.shell.shows("one two three")
        self.picture("interrupted")
        self.world.answer("I am back.")
        self.shell.ask("Are you there?")
        self.shell.shows("I am back.")

    def offline(self):
        self.world.control("scenario", json.dumps([
            {"endpoint": endpoint, "drop_after": 0, "times": "always"} for endpoint in ("responses", "handshake")]).encode())
        self.shell.ask("Is anybody there?")
        self.shell.shows("The servers cannot be reached.")
        self.shell.says("Chappie: The servers cannot be reached.")
        self.picture("offline")
        self.world.control("scenario", method="DELETE")
        self.shell.ask("And now?")
        self.shell.shows("You said: “And now?”")
        self.shell.says("Chappie")

    def locked(self):
        call("org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock",
             GLib.Variant("(ao)", (["/org/freedesktop/secrets/collection/login"],)))
        self.shell.says("Chappie: The keyring is locked")
        self.shell.open()
        self.shell.shows("The keyring is locked")
        if self.shell.sees("You said: “And now?”"):
            raise Faulty("an answer shows while the keyring is locked")
        self.picture("locked")
        # The shell itself asks for the password, in front of the box.
        self.shell.press("Unlock")
        wait_for("the prompt", lambda: self.shell.eval("Boolean(global.stage.key_focus?.password_char)"))
        self.picture("unlocking")
        self.shell.type("password")
        self.shell.keys(RETURN)
        wait_for("the prompt is gone", lambda: self.shell.eval("Main.modalCount") == 0)
        self.shell.settle()
        self.shell.says("Chappie")
        self.shell.open()
        self.shell.shows("You said: “And now?”")

    def enable(self, enabled):
        method = "EnableExtension" if enabled else "DisableExtension"
        call("org.gnome.Shell", "/org/gnome/Shell", f"org.gnome.Shell.Extensions.{method}", GLib.Variant("(s)", (UUID,)))
        wait_for(method, lambda: self.shell.eval("Boolean(test.button())") == enabled)
        self.shell.settle()

    def footprint(self):
        """What is left over would be seen here: rules of the bus, actors, keys, users of the main loop."""
        self.shell.eval("imports.system.gc(); 0")
        bus = "org.freedesktop.DBus"
        owner = call(bus, "/org/freedesktop/DBus", f"{bus}.GetNameOwner", GLib.Variant("(s)", ("org.gnome.Shell",)))[0]
        rules = call(bus, "/org/freedesktop/DBus", f"{bus}.Debug.Stats.GetAllMatchRules")[0][owner]
        return {
            "rules of the bus": sorted(rule for rule in rules if "chappie" in rule),
            "actors": self.shell.eval("[...test.all(global.stage)].length"),
            "key": self.shell.eval("Boolean(Main.wm._allowedKeybindings['toggle-chappie'])"),
            "menus": self.shell.eval("Main.panel.menuManager._menus.length"),
        }

    def disabled_and_enabled(self):
        self.shell.open(False)
        before = None
        for number in range(20):
            # The box has just opened, or still fades out, when it is destroyed.
            self.shell.open()
            self.shell.open(number % 2 == 0)
            self.enable(False)
            self.enable(True)
            before = before or self.footprint()
        if (after := self.footprint()) != before:
            raise Faulty(f"something is left over: {before}, {after}")
        # In the middle of an answer, with the box open.
        self.world.answer("one two three " * 200, delta_delay_ms=100)
        self.shell.ask("Count, please.")
        self.shell.shows("one two three")
        self.enable(False)
        wait_for("the turn has ended", lambda: call(
            "org.chappie", "/org/chappie", "org.freedesktop.DBus.Properties.Get",
            GLib.Variant("(ss)", ("org.chappie.Client", "ActiveTurns")))[0] == [])
        gone = self.footprint()
        if gone["rules of the bus"] or gone["key"]:
            raise Faulty(f"something is left over: {gone}")
        self.enable(True)

    def preferences(self):
        call("org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell.Extensions.OpenExtensionPrefs",
             GLib.Variant("(ssa{sv})", (UUID, "", {})))
        focused = "global.display.focus_window?.title ?? null"
        wait_for("the preferences", lambda: self.shell.eval(focused) == "Chappie")
        self.picture("preferences")
        wait_for("the row", lambda: (self.shell.keys(TAB), self.shell.keys(RETURN),
                                     self.shell.eval(focused) == "Press the new keys")[2])
        self.shell.keys(CONTROL, SHIFT, ord("y"))
        wait_for("the window closes", lambda: self.shell.eval(focused) == "Chappie")
        # The shell hears of the new keys a little later.
        wait_for("the new shortcut", lambda: (self.shell.keys(CONTROL, SHIFT, ord("y")), self.shell.settle(),
                                              self.shell.is_open())[2])
        self.shell.keys(ESCAPE)

    def signs_out(self):
        subprocess.run(["chappie", "sign-out"], check=True, stdout=subprocess.DEVNULL)
        self.shell.says("Chappie: Not signed in")

    def close(self):
        self.shell.close()
        self.world.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--idle", action="store_true")
    arguments = parser.parse_args()
    os.environ["PATH"] = f"{arguments.programs.resolve()}:{os.environ['PATH']}"
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    run = Run(arguments.pictures and arguments.pictures.resolve())
    print(f"      GNOME Shell {run.shell.version}")
    steps = [run.without_a_service, run.signs_in_in_the_browser, run.signs_in, run.shortcut, run.asks_and_streams, run.opens_the_window, run.stops, run.approves,
             run.megabyte, run.killed_while_it_streams, run.offline, run.locked, run.disabled_and_enabled, run.preferences,
             run.signs_out, *[run.idle] * arguments.idle]
    status = 0
    try:
        for step in steps:
            name = step.__name__.replace("_", " ")
            begun = time.monotonic()
            step()
            print(f"ok    {name} ({time.monotonic() - begun:.1f} s)", flush=True)
        if complaints := run.shell.complaints():
            raise Faulty("the shell complained:\n" + "\n".join(complaints))
    except (Faulty, GLib.Error) as fault:
        print(f"FAIL  {name}: {fault}")
        run.picture("failure")
        print("\n".join(run.shell.complaints()))
        print(run.shell.texts() if run.shell.eval("Boolean(test.button())") else "no button")
        status = 1
    finally:
        run.close()
    sys.exit(status)


if __name__ == "__main__":
    main()
