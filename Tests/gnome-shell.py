#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests desktop/gnome-shell with a virtual keyboard and pointer, in a headless GNOME Shell.

    scripts/private-session Tests/gnome-shell.py DIRECTORY-WITH-THE-PROGRAMS [--pictures DIRECTORY] [--idle]

The service is the real one, and chappie-sandbox is the server. With --pictures it takes screenshots, with --idle it
counts the shell's wake-ups. Figures that depend on the machine are for information only.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from gi.repository import Gio, GLib
from support import (
    TIMEOUT, TOP, Failure, World, add_browser, call, call_bus, call_service, equal, has_owner, parse_arguments, property_of,
    run_steps, user_code, wait_for)

UUID = "chappie@chappie.invalid"
RETURN, TAB, ESCAPE, UP, DOWN = 0xFF0D, 0xFF09, 0xFF1B, 0xFF52, 0xFF54
SHIFT, SUPER, CONTROL = 0xFFE1, 0xFFEB, 0xFFE3

# Helpers that run inside the shell: input devices, and queries of the visible actors.
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
    // The actors of the popup that is open.
    shown() {
        const {box} = Main.panel.menuManager.activeMenu ?? this.button().menu;
        return [...this.all(box)].filter(actor => actor.mapped);
    },
    texts() {
        return this.shown().map(actor => actor.text ?? actor.accessible_name).filter(text => text);
    },
    named(name) {
        return this.shown().find(actor => actor.accessible_name === name && actor.reactive);
    },
    // The place of an actor that can be clicked; no two are alike while it, or what it is in, moves.
    place(name) {
        const actor = this.named(name);
        for (let part = actor; part; part = part.get_parent()) {
            if (['opacity', 'translation-x', 'translation-y'].some(property => part.get_transition(property)))
                return GLib.get_monotonic_time();
        }
        return actor?.get_transformed_position() ?? null;
    },
    // The longest time between two iterations of the main loop, in milliseconds.
    startLatency() {
        let last = GLib.get_monotonic_time();
        this.longest = 0;
        this.watching = GLib.timeout_add(GLib.PRIORITY_HIGH, 5, () => {
            const now = GLib.get_monotonic_time();
            this.longest = Math.max(this.longest, (now - last) / 1000);
            last = now;
            return GLib.SOURCE_CONTINUE;
        });
    },
    stopLatency() {
        GLib.source_remove(this.watching);
        return this.longest;
    },
};
"""


class Shell:
    """GNOME Shell with the installed extension, else with that of this tree; or without any."""

    def __init__(self, with_extension=True):
        if with_extension and not any(Path(share, "gnome-shell/extensions", UUID).exists() for share in GLib.get_system_data_dirs()):
            subprocess.run(["make", "-s", "-C", TOP, "install-extension", f"DATADIR={os.environ['XDG_DATA_HOME']}"],
                           check=True, stdout=subprocess.DEVNULL)
        applications = Path(os.environ["XDG_DATA_HOME"], "applications")
        applications.mkdir()
        # The shell ignores desktop files whose program does not exist.
        (applications / "org.chappie.Window.desktop").write_text(
            (TOP / "desktop/window/org.chappie.Window.desktop").read_text().replace("Exec=chappie-window", "Exec=true"))
        world = Path(os.environ["CHAPPIE_WORLD"])
        self.page = world / "page"
        add_browser(f'printf %s "$1" >"{self.page}"')
        # The shell needs a system bus, which may be empty.
        self.system = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--nopidfile",
                                        f"--address={os.environ['DBUS_SYSTEM_BUS_ADDRESS']}"], stderr=subprocess.DEVNULL)
        wait_for("the system bus", Path(os.environ["DBUS_SYSTEM_BUS_ADDRESS"].removeprefix("unix:path=")).exists)
        settings = Gio.Settings(schema_id="org.gnome.shell")
        settings.set_strv("enabled-extensions", [UUID] * with_extension)
        settings.set_string("welcome-dialog-last-shown-version", "999")
        Gio.Settings.sync()
        self.log = open(world / "shell.log", "w+")
        self.process = subprocess.Popen(
            ["gnome-shell", "--headless", "--wayland", "--no-x11", "--unsafe-mode", "--virtual-monitor", "1280x800"],
            env={**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"}, stdout=self.log, stderr=self.log)
        try:
            wait_for("the shell", self.ready)
        except Failure:
            print(Path(self.log.name).read_text()[-3000:])
            raise
        version = call("org.gnome.Shell", "/org/gnome/Shell", "org.freedesktop.DBus.Properties.Get",
                       "(ss)", "org.gnome.Shell", "ShellVersion")
        print(f"      GNOME Shell {version}")
        self.eval(f"{HELPERS}; Main.overview.hide(); 0")
        if with_extension:
            wait_for("the extension", lambda: self.eval("Boolean(test.button())"))
        self.settle()

    def ready(self):
        if self.process.poll() is not None:
            raise Failure("the shell ended")
        try:
            return self.eval(
                "Main.layoutManager.startingUp === false || Main.layoutManager._startingUp === false", timeout=20)
        except GLib.Error:
            # The child that becomes ibus-daemon runs JavaScript first, where it may wait for a lock for ever.
            subprocess.run(["pkill", "-KILL", "-P", str(self.process.pid), "-x", "-O", "5", "gnome-shell"])
            return False

    def eval(self, script, timeout=TIMEOUT):
        done, result = call("org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell.Eval", "(s)", script, timeout=timeout)
        if not done:
            raise Failure(f"{script[:200]}: {result}")
        return json.loads(result) if result else None

    def settle(self):
        """Waits until the main loop is idle: new shortcuts are grabbed then."""
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
        # Until the animation of the menu has ended.
        place = None
        while place != (place := self.eval(f"test.place({json.dumps(name)})")):
            time.sleep(0.1)
        self.eval(f"test.click(test.named({json.dumps(name)})); 0")

    def is_open(self):
        return self.eval("test.button().menu.isOpen")

    def open(self, is_open=True):
        """Opens or closes the popup with the shortcut."""
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
        """The number of wake-ups of the main thread. Other threads wake up for garbage collection."""
        def count():
            status = Path(f"/proc/{self.process.pid}/status").read_text()
            return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.M)[1])
        begun = count()
        time.sleep(seconds)
        return count() - begun

    def clipboard(self):
        """The text that was in the clipboard at the last call or since."""
        self.eval("imports.gi.St.Clipboard.get_default().get_text(1, (_clipboard, text) => (test.copied = text)); 0")
        return self.eval("test.copied ?? null")

    def copy(self, text):
        self.eval(f"imports.gi.St.Clipboard.get_default().set_text(1, {json.dumps(text)}); 0")

    def picture(self, path):
        call("org.gnome.Shell.Screenshot", "/org/gnome/Shell/Screenshot", "org.gnome.Shell.Screenshot.Screenshot",
             "(bbs)", False, False, str(path))

    def errors(self):
        self.log.flush()
        self.log.seek(0)
        lines = self.log.read().partition("GNOME Shell started")[2].splitlines()
        return [line for line in lines if re.search(
            r"JS (ERROR|WARNING)|(Gjs|Clutter|St|GObject|GLib)-(CRITICAL|WARNING)|garbage collection|chappie|[Uu]nhandled", line)
            # The shell's own password prompt logs this when it closes.
            and "clutter_input_focus_" not in line]

    def close(self):
        for process in (self.process, self.system):
            process.terminate()
            process.wait()


@contextlib.contextmanager
def window_mock():
    """A mock of the window. Yields a function that returns the arguments of the calls."""
    name, path = "org.chappie.Window", "/org/chappie/Window"
    window = subprocess.Popen(["/usr/bin/python3", "-m", "dbusmock", name, path, "org.freedesktop.Application"],
                              stdout=subprocess.DEVNULL)
    try:
        wait_for("the mock of the window", lambda: has_owner(name))
        call(name, path, "org.freedesktop.DBus.Mock.AddMethod", "(sssss)", "org.freedesktop.Application", "ActivateAction",
             "sava{sv}", "", "")
        yield lambda: [arguments for _, arguments in call(
            name, path, "org.freedesktop.DBus.Mock.GetMethodCalls", "(s)", "ActivateAction")]
    finally:
        window.terminate()
        window.wait()


class Run:
    """The steps, in their order."""

    def __init__(self, pictures):
        self.pictures = pictures
        self.world = World("--rate", "20", "--interval", "1")
        self.shell = Shell()

    def picture(self, name):
        if self.pictures:
            time.sleep(0.7)  # Until animations have ended.
            self.shell.picture(self.pictures / f"{name}.png")

    def idle(self):
        """Prints the wake-ups with the extension and without. The shell has timers of its own, so they are not compared."""
        woken = {True: 0, False: 0}
        for enabled in (False, True, False, True):
            self.enable(enabled)
            time.sleep(3)  # Until the shell has redrawn and collected garbage.
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
        # The first button has the focus, here “Continue with ChatGPT”.
        self.shell.keys(RETURN)
        self.page_opens()
        self.shell.open()
        self.shell.shows("Waiting for your browser…")
        self.picture("browser")
        self.world.decide_in_browser(decision="decline")
        self.shell.shows("The sign-in was declined: start it again when you want it.")
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
        """Waits for the page of the sign-in in the browser. The popup has closed itself."""
        wait_for("the page is opened",
                 lambda: self.shell.page.exists() and "/api/accounts/authorize" in self.shell.page.read_text())
        self.shell.page.unlink()

    def signs_in(self):
        # The focus moves on from there: “Open page”, “Copy code”.
        self.shell.press("Use a code instead")
        code = wait_for("the code", user_code)
        self.shell.shows(code)
        self.shell.shows("/codex/device")
        self.shell.keys(TAB)
        self.shell.keys(RETURN)
        wait_for("the code in the clipboard", lambda: self.shell.clipboard() == code)
        self.picture("code")
        self.shell.press("Open page")
        wait_for("the page is opened", lambda: self.shell.page.exists() and "/codex/device" in self.shell.page.read_text())
        self.shell.open()
        self.shell.shows(code)
        self.world.control("decline", f"user_code={code}".encode())
        self.shell.shows("The sign-in was declined: start it again when you want it.")
        self.shell.press("Use a code instead")
        again = wait_for("another code", lambda: (user_code() or code) != code and user_code())
        self.shell.press("Cancel")
        self.shell.hides(again)
        self.shell.press("Use a code instead")
        wait_for("a third code", lambda: (user_code() or again) != again and user_code())
        self.world.control("approve", f"user_code={user_code()}".encode())
        self.shell.shows("5-hour limit")
        self.shell.says("Chappie")
        self.picture("empty")

    def shortcut(self):
        """The popup gets the first key after the shortcut."""
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
        self.world.answer("# Buses\n\nA **bus** carries `calls` and <b>signals</b> & more.\n\n```python\nprint('hello')\n"
                          "```\n\n- *in place*, [the docs](https://example.org)\n\n|a|b|\n|-|-|\n|1|2|\n\n"
                          "and that was it.", hold_after=8)
        self.shell.open()
        self.shell.type("What is")
        self.shell.keys(SHIFT, RETURN)
        self.shell.type("a bus?")
        wait_for("a line of its own", lambda: "What is\na bus?" in self.shell.texts())
        self.shell.keys(RETURN)
        self.shell.says("Chappie: Answering…")
        self.shell.shows("Buses")
        if self.shell.sees("and that was it."):
            raise Failure("the answer came at once")
        self.picture("streaming")
        # Streaming goes on while the popup is closed.
        self.shell.keys(ESCAPE)
        self.world.release()
        self.shell.says("Chappie")
        self.shell.open()
        for words in ("A bus carries calls and <b>signals</b> & more.", "print('hello')", "• in place, the docs (https://example.org)", "1 │ 2",
                      "and that was it."):
            self.shell.shows(words)
        if self.shell.sees("**") or self.shell.sees("```") or self.shell.sees("# ") or self.shell.sees("|"):
            raise Failure("Markdown shows as it was written")
        self.shell.press("Copy the answer")
        wait_for("the answer in the clipboard", lambda: "A **bus** carries" in (self.shell.clipboard() or ""))
        self.picture("answer")
        # Nested emphasis, and text that is invalid as Pango markup.
        self.world.answer("**a `b** c` </b> &\u0007 &#7; **d")
        self.shell.ask("And this?")
        self.shell.shows("a `b c` </b> & &#7; **d")
        self.world.be_online()
        self.shell.ask("And then?")
        self.shell.shows("You said: “And then?” This conversation has 5 messages.")

    def chooses(self):
        """Model, effort and instructions of a conversation."""
        self.shell.press("Asked with: Default model")
        self.shell.shows("gpt-6-astra")
        # The last model is below the visible part of the list.
        self.shell.eval("test.named('Model: gpt-5.6-luna').grab_key_focus(); 0")
        wait_for("the last model is visible", lambda: self.shell.eval("""(() => {
            const model = test.named('Model: gpt-5.6-luna'), view = model.get_parent().get_parent();
            const [, y] = model.get_transformed_position(), [, top] = view.get_transformed_position();
            return y >= top && y + model.height <= top + view.height + 1;
        })()"""))
        self.shell.eval("test.named('Model: Default (gpt-6.1-sol)').grab_key_focus(); 0")
        self.shell.press("Model: gpt-6-astra")
        self.shell.shows("Asked with: gpt-6-astra")
        self.shell.press("Effort: Low")
        self.shell.press("Instructions")
        self.shell.type("Be short.")
        self.shell.shows("Asked with: gpt-6-astra · Low · …")
        self.picture("choices")
        # Enter closes the lists, and the question has the focus again.
        self.shell.keys(RETURN)
        self.shell.hides("gpt-6-sol")
        self.shell.ask("Which one?")
        self.shell.shows("You said: “Which one?”")
        self.shell.hides("Stop the answer")  # It is stored then.
        turns = json.loads(call_service("Threads.Get", "(s)", call_service("Threads.List", "(a{sv})", {})[0]["id"]))["turns"]
        options = next(event["message"]["options"] for event in turns[-1]["events"] if event["kind"] == "input")
        equal("the options", options, {
            "fastMode": False, "model": "gpt-6-astra", "reasoningEffort": "low", "instructions": "Be short."})

    def begins_to_search(self):
        """A new conversation that may search the web."""
        self.shell.open()
        self.shell.press("New conversation")
        self.shell.press("Asked with: Default model")
        self.shell.press("Search the web: Live")
        self.shell.press("Asked with: Default model · Web search")

    def searches_the_web(self):
        """The sources are buttons that open the pages."""
        self.begins_to_search()
        self.shell.ask("search for night buses")
        self.shell.shows("2. night buses, source 2 (example.net)")
        self.picture("searched")
        self.shell.press("1. night buses, source 1 (example.org)")
        wait_for("the page", lambda: self.shell.page.exists() and self.shell.page.read_text() == "https://example.org/night-buses/1")
        if not self.shell.is_open():
            self.shell.open()
        self.world.scenario({"endpoint": "responses", "search": {"markers": True}})
        self.shell.ask("search for trams")
        self.shell.shows("Source 1 says so [1]. Source 2 says so [2].")
        self.shell.ask("What is a bus?")
        self.shell.shows("The model did not search the web.")
        self.shell.press("Asked with: Default model · Web search")
        self.shell.press("Search the web: Cached pages")
        self.shell.shows("Asked with: Default model · Web search in cached pages")
        self.picture("cached")
        self.shell.press("Search the web: Off")
        self.shell.press("Asked with: Default model")

    def asks_again(self):
        def questions():
            thread = call_service("Threads.List", "(a{sv})", {})[0]["id"]
            turns = json.loads(call_service("Threads.Get", "(s)", thread))["turns"]
            return [event["message"]["text"] for turn in turns for event in turn["events"] if event["kind"] == "input"]

        before = questions()
        self.world.answer("One more answer.")
        self.shell.press("Ask again")
        self.shell.shows("One more answer.")
        self.shell.hides("Stop the answer")
        equal("the stored questions", questions(), before)
        self.shell.type("A draft")
        self.shell.shows("A draft")
        self.shell.press("Edit the question")
        self.shell.type(" stays.")
        self.shell.shows("A draft stays.")
        self.shell.eval("test.entry.text = ''; 0")
        self.shell.press("Edit the question")
        self.shell.type(" Now?")
        self.shell.shows("Which one? Now?")
        self.shell.keys(RETURN)
        self.shell.shows("You said: “Which one? Now?”")
        self.shell.hides("Stop the answer")
        equal("the stored questions", questions(), [*before[:-1], "Which one? Now?"])

    def uses_up_the_limit(self):
        self.world.control("usage", json.dumps({"primary": {"used_percent": 100, "reset_at": 1893456000}}).encode())
        self.shell.ask("Is there anything left?")
        self.shell.shows("5-hour limit: 100 %")
        self.shell.shows("Resets ")
        self.picture("used-up")
        self.world.control("usage", json.dumps({"primary": {"used_percent": 1}}).encode())

    def opens_the_window(self):
        """The button activates the window's action for the popup's thread."""
        with window_mock() as called:
            self.shell.press("Open the window")
            [(action, values, platform)] = wait_for("the window is called", called)
        threads = call_service("Threads.List", "(a{sv})", {})
        if (action, values) != ("thread", [threads[0]["id"]]) or not platform["activation-token"]:
            raise Failure(f"the window was called with {action} {values} {platform}")

    def stops(self):
        self.world.hold("one two three")
        self.shell.ask("Count, please.")
        self.shell.shows("one two three")
        self.shell.press("Stop the answer")
        self.shell.shows("Stopped.")
        self.shell.press("New conversation")
        self.shell.hides("Stopped.")

    def calls(self, turn, **arguments):
        """A tool of another program waits for approval."""
        self.world.request_approval(turn, **arguments)
        self.shell.says("Chappie: Tools that wait for approval")
        self.shell.open()
        self.shell.shows("The model wants to run the tool remove.")

    def answered(self, turn, status):
        wait_for(f"the turn is {status}", lambda: self.status(turn) == status)
        self.shell.hides("The model wants")
        call_service("Client.Cancel", "(s)", turn)

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
        # Too long for the popup.
        self.calls("long", path="/home/eve", why="x" * 20000)
        self.shell.shows("This is too long to be shown here.")
        if self.shell.eval("Boolean(test.named('Approve'))"):
            raise Failure("a tool call can be approved whose arguments are not shown completely")
        self.shell.press("Deny")
        self.answered("long", "completed")
        # Another program answers.
        self.calls("elsewhere", path="/home/joe")
        [pending] = call_service("Manager.ListApprovals")
        call_service("Manager.AnswerApproval", "(sbs)", pending["approval"], False, "")
        self.answered("elsewhere", "completed")
        self.shell.says("Chappie")

    @staticmethod
    def status(turn):
        return call_service("Client.GetTurn", "(s)", turn)[0]

    def megabyte(self):
        self.world.scenario({"endpoint": "responses", "flood": {"of": "text", "size": 32, "count": 32768}})
        self.shell.open()
        self.shell.eval("test.startLatency(); 0")
        begun = time.monotonic()
        self.shell.ask("A megabyte, please.")
        wait_for("the megabyte", lambda: self.shell.sees("Copy the answer"), 120)
        print(f"      1 MB: in {time.monotonic() - begun:.1f} s; the shell's main loop stood still for at most "
              f"{self.shell.eval('test.stopLatency()'):.0f} ms")
        self.shell.shows("The answer is longer than the box.")
        self.picture("megabyte")
        self.shell.press("Copy the answer")
        wait_for("the megabyte in the clipboard", lambda: len(self.shell.clipboard() or "") == 1 << 20)

    def killed_while_it_streams(self):
        self.calls("killed", path="/home/ada")
        self.world.hold("one two three")
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
        self.world.be_offline()
        self.shell.ask("Is anybody there?")
        self.shell.shows("The servers cannot be reached.")
        self.shell.says("Chappie: The servers cannot be reached.")
        if self.shell.sees("Copy the answer"):
            raise Failure("an error can be copied as an answer")
        self.picture("offline")
        self.world.be_online()
        self.shell.ask("And now?")
        self.shell.shows("You said: “And now?”")
        self.shell.says("Chappie")

    @staticmethod
    def lock_keyring():
        call("org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock", "(ao)",
             ["/org/freedesktop/secrets/collection/login"])

    def enter_password(self, before):
        """Unlocks the keyring in the shell's own prompt, above the popup. `before` is called when it shows."""
        wait_for("the prompt", lambda: self.shell.eval("Boolean(global.stage.key_focus?.password_char)"))
        before()
        self.shell.type("password")
        self.shell.keys(RETURN)
        wait_for("the prompt is gone", lambda: self.shell.eval("Main.modalCount") == 0)
        self.shell.settle()

    def locked(self):
        self.lock_keyring()
        self.shell.says("Chappie: The keyring is locked")
        self.shell.open()
        self.shell.shows("The keyring is locked")
        if self.shell.sees("You said: “And now?”"):
            raise Failure("an answer shows while the keyring is locked")
        self.picture("locked")
        self.shell.press("Unlock")
        self.enter_password(lambda: self.picture("unlocking"))
        self.shell.says("Chappie")
        self.shell.open()
        self.shell.shows("You said: “And now?”")

    def enable(self, enabled):
        method = "EnableExtension" if enabled else "DisableExtension"
        call("org.gnome.Shell", "/org/gnome/Shell", f"org.gnome.Shell.Extensions.{method}", "(s)", UUID)
        wait_for(method, lambda: self.shell.eval("Boolean(test.button())") == enabled)
        self.shell.settle()

    def footprint(self):
        """Resources of the extension, to find leaks: match rules, actors, shortcuts, menus."""
        self.shell.eval("imports.system.gc(); 0")
        rules = call_bus("Debug.Stats.GetAllMatchRules")[call_bus("GetNameOwner", "(s)", "org.gnome.Shell")]
        return {
            "match rules": sorted(rule for rule in rules if "chappie" in rule),
            "actors": self.shell.eval("[...test.all(global.stage)].length"),
            "keys": self.shell.eval(
                "['toggle-chappie', 'act-on-selection'].filter(key => Main.wm._allowedKeybindings[key])"),
            "menus": self.shell.eval("Main.panel.menuManager._menus.length"),
        }

    def disabled_while_it_unlocks(self):
        """The call that waits for the password ends with the extension, and draws nothing then."""
        self.lock_keyring()
        self.shell.says("Chappie: The keyring is locked")
        self.shell.open()
        self.shell.press("Unlock")
        self.enter_password(lambda: self.enable(False))
        self.logs_no_errors()
        self.enable(True)
        self.shell.says("Chappie")

    def disabled_and_enabled(self):
        self.shell.open(False)
        before = None
        for number in range(20):
            # The popup is destroyed while it is open, or while it fades out.
            self.shell.open()
            self.shell.open(number % 2 == 0)
            self.enable(False)
            self.enable(True)
            before = before or self.footprint()
        if (after := self.footprint()) != before:
            raise Failure(f"there are leaks: {before}, {after}")
        # While an answer is streamed, with the popup open.
        self.world.hold("one two three")
        self.shell.ask("Count, please.")
        self.shell.shows("one two three")
        self.enable(False)
        wait_for("the turn has ended", lambda: property_of("Client", "ActiveTurns") == [])
        # The match rule of the settings goes with their object, which is collected, and over a thread of dconf.
        left = {}

        def is_gone():
            left.update(self.footprint())
            return not left["match rules"] and not left["keys"]
        try:
            wait_for("what the extension leaves", is_gone)
        except Failure as failure:
            raise Failure(f"{failure}: {left}") from failure
        self.enable(True)

    def preferences(self):
        call("org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell.Extensions.OpenExtensionPrefs",
             "(ssa{sv})", UUID, "", {})
        wait_for("the preferences", lambda: self.focused() == "Chappie")
        self.picture("preferences")
        # Where the focus begins differs between the versions of GTK.
        first = self.chooses_keys(TAB, ord("y"))
        second = self.chooses_keys(DOWN if first == "popup" else UP, ord("u"))
        equal("the shortcuts", {first, second}, {"popup", "selection"})

    def focused(self):
        return self.shell.eval("global.display.focus_window?.title ?? null")

    def chooses_keys(self, move, letter):
        """Moves the focus to a row of the preferences, and chooses Ctrl, Shift and a letter. Returns what opens then."""
        def opens():
            self.shell.keys(move)
            self.shell.keys(RETURN)
            time.sleep(1)
            return self.focused() == "Press the new keys"

        def acts():
            self.shell.keys(CONTROL, SHIFT, letter)
            self.shell.settle()
            return "popup" if self.shell.is_open() else "selection" if self.shell.sees("No text is selected.") else None
        wait_for("the row", opens)
        self.shell.keys(CONTROL, SHIFT, letter)
        wait_for("the window closes", lambda: self.focused() == "Chappie")
        # The shell is notified of the new shortcut a little later.
        opened = wait_for("the new shortcut", acts)
        self.shell.keys(ESCAPE)
        time.sleep(0.5)  # Until the preferences take keys again.
        return opened

    def signs_out(self):
        subprocess.run(["chappie", "sign-out"], check=True, stdout=subprocess.DEVNULL)
        self.shell.says("Chappie: Not signed in")

    def logs_no_errors(self):
        if errors := self.shell.errors():
            raise Failure("the shell logged:\n" + "\n".join(errors))

    def report_failure(self):
        self.picture("failure")
        print("\n".join(self.shell.errors()))
        print(self.shell.texts() if self.shell.eval("Boolean(test.button())") else "no button")

    def close(self):
        self.shell.close()
        self.world.close()


def main():
    arguments = parse_arguments("--idle")
    run = Run(arguments.pictures)
    steps = [run.without_a_service, run.signs_in_in_the_browser, run.signs_in, run.shortcut, run.asks_and_streams,
             run.chooses, run.asks_again, run.opens_the_window, run.searches_the_web, run.stops, run.approves, run.megabyte, run.killed_while_it_streams, run.uses_up_the_limit, run.offline,
             run.locked, run.disabled_while_it_unlocks, run.disabled_and_enabled, run.preferences, run.signs_out, *[run.idle] * arguments.idle,
             run.logs_no_errors]
    return run_steps(run, steps)


if __name__ == "__main__":
    sys.exit(main())
