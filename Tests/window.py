#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests desktop/window over AT-SPI and with a keyboard, on a virtual display.

    scripts/private-session Tests/window.py DIRECTORY-WITH-THE-PROGRAMS [--pictures DIRECTORY]

The service is the real one, and chappie-sandbox is the server. With --pictures it takes screenshots.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError

from gi.repository import Gio, GLib

from accessibility import Atspi, Bus, Role, State
from support import (
    TIMEOUT, TOP, Failure, World, add_browser, call, call_bus, call_service, equal, parse_arguments, run_steps, user_code, wait_for)

WINDOW = TOP / "desktop/window/main.js"
RETURN, TAB, ESCAPE, HOME, UP, DOWN, SPACE, BACKSPACE = 0xFF0D, 0xFF09, 0xFF1B, 0xFF50, 0xFF52, 0xFF54, 0x20, 0xFF08


def clipboard():
    return subprocess.run(["xclip", "-selection", "clipboard", "-o"], capture_output=True, text=True, timeout=10).stdout


class Display:
    """A virtual X display."""

    def __init__(self, width=1000, height=760):
        read, write = os.pipe()
        # An ending server removes the socket of a new one with the same number, so each process has a number of its own.
        # A key that is released late, on a busy machine, is not repeated (-r).
        number = f":{os.getpid() % 30000 + 1000}"
        self.server = subprocess.Popen(
            ["Xvfb", number, "-displayfd", str(write), "-noreset", "-r", "-screen", "0", f"{width}x{height}x24"], pass_fds=[write],
            stderr=subprocess.DEVNULL)
        os.close(write)
        # The whole line is read: the server ends if it cannot write it.
        with os.fdopen(read) as number:
            self.name = ":" + number.readline().strip()
        os.environ.update(DISPLAY=self.name, GDK_BACKEND="x11", GSK_RENDERER="cairo")
        # A list that opens under the pointer, which begins in the middle, selects the row there.
        subprocess.run(["xdotool", "mousemove", "0", "0"], check=True)
        # The service that generates key events is started by the bus.
        call_bus("UpdateActivationEnvironment", "(a{ss})", {"DISPLAY": self.name})
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


class Window:
    """The window in the accessibility tree."""

    COMMAND = ["gjs", "-m", WINDOW]
    # The names of the application in the accessibility tree.
    NAMES = ["Chappie", "org.chappie.Window"]

    def __init__(self):
        self.log = open(Path(os.environ["CHAPPIE_WORLD"]) / "window.log", "w+")
        self.process = subprocess.Popen(self.COMMAND, stdout=self.log, stderr=self.log)
        self.bus = Bus()
        self.root = wait_for("the window", self._program)

    def _program(self):
        if self.process.poll() is not None:
            raise Failure(f"the window ended: {Path(self.log.name).read_text()[-2000:]}")
        return self.bus.program(self.NAMES)

    def tree(self):
        return self.wait_for("the tree of the window", lambda: self.bus.read(self.root))

    def matching(self, condition, root=None):
        """The visible nodes that meet a condition."""
        return filter(condition, (root or self.tree()).all())

    def first(self, condition, root=None):
        return next(self.matching(condition, root), None)

    def sees(self, words):
        """A node with this text, or None."""
        return self.first(lambda node: words in node.words)

    def shows(self, words):
        return wait_for(f"“{words}” shows", lambda: self.sees(words))

    def hides(self, words):
        wait_for(f"“{words}” is gone", lambda: not self.sees(words))

    def named(self, role, name):
        return self.first(lambda node: node.role == role and node.name == name)

    def button(self, name):
        def inmost(root=None):
            """A menu button has a button of the same name in it, which acts; in GTK 4.18 it is a toggle button."""
            node = self.first(lambda node: node != root and node.name == name and node.role in (
                Role.PUSH_BUTTON, Role.TOGGLE_BUTTON), root)
            return node and (inmost(node) or node)

        def sensitive():
            node = inmost()
            return node if node and node.has(State.SENSITIVE) else None
        return self.wait_for(f"button “{name}” is sensitive", sensitive)

    def focused(self):
        return self.first(lambda node: node.has(State.FOCUSED))

    @staticmethod
    def wait_for(what, condition):
        """The first true value of a condition, which is not met while the tree cannot be read, or a node is gone."""
        def met():
            try:
                return condition()
            except GLib.Error:
                return None
        return wait_for(what, met)

    def act(self, find):
        """Acts on the node that is found, once it is there."""
        self.wait_for("an action", lambda: (node := find()) and node.act())

    def press(self, name):
        self.act(lambda: self.button(name))

    def keys(self, text):
        Atspi.generate_keyboard_event(0, text, Atspi.KeySynthType.STRING)

    def key(self, symbol):
        Atspi.generate_keyboard_event(symbol, None, Atspi.KeySynthType.SYM)

    def combination(self, character):
        """Presses Control and a letter."""
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
        wait_for(f"button “{name}”", lambda: self.named(Role.PUSH_BUTTON, name))

    def action(self, name, parameter=None):
        """Activates an action of the application, as other programs may."""
        parameters = [GLib.Variant("s", parameter)] if parameter is not None else []
        call("org.chappie.Window", "/org/chappie/Window", "org.freedesktop.Application.ActivateAction", "(sava{sv})",
             name, parameters, {})

    @contextmanager
    def measured(self, what):
        """Prints the latency of the window's main loop meanwhile: for information only, because machines differ."""
        waits, done = [], threading.Event()

        def measure():
            bus = Gio.DBusConnection.new_for_address_sync(
                os.environ["DBUS_SESSION_BUS_ADDRESS"], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
                | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
            while not done.wait(0.005):
                begun = time.monotonic()
                bus.call_sync("org.chappie.Window", "/org/chappie/Window", "org.gtk.Actions", "List", None, None,
                              0, 60000, None)
                waits.append((time.monotonic() - begun) * 1000)

        thread = threading.Thread(target=measure)
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
        """Checks that each focusable control has an accessible name."""
        try:
            # A control that is being hidden loses its name before it disappears.
            wait_for("a name for each control", lambda: not self.nameless(), 5)
        except Failure as failure:
            raise Failure(f"{failure}: {self.nameless()}") from failure

    def nameless(self):
        """Controls without an accessible name, for which GTK 4.8 returns the type. The close button of toasts in libadwaita
        1.2 is excepted, and so are lists, scroll panes and fillers, which pass the focus to their children. In GTK 4.18
        fillers are panels."""
        containers = (Role.LIST, Role.SCROLL_PANE, Role.FILLER, Role.PANEL)
        return [str(node) for node in self.matching(
            lambda node: node.has(State.FOCUSABLE) and re.fullmatch(r"(Gtk|Adw|Chappie)\w+|", node.name)
            and node.role not in containers and node.parent.name != "AdwToastWidget")]

    def toasts(self):
        return list(self.matching(lambda node: node.name == "AdwToastWidget"))

    def tells(self, words):
        """Whether there is a toast with these words, which a busy machine does not find in all texts before it goes."""
        return any(words in toast.deep_words for toast in self.toasts())

    def errors(self):
        self.log.flush()
        self.log.seek(0)
        # GTK 4.8 logs these when its cache of the tree is read after a page of a stack was removed.
        known = r"gtk_(widget_get_parent|accessible_get_at_context|accessible_get_accessible_role): assertion"
        # GTK 4.18 logs this when a message dialog of libadwaita opens.
        known += "|Trying to measure GtkLabel .* but it needs at least"
        return [line for line in self.log.read().splitlines()
                if re.search("CRITICAL|WARNING|JS ERROR|Error", line) and not re.search(known, line)]

    def close(self):
        self.process.terminate()
        self.process.wait()


class Run:
    """The steps, in their order."""

    # Options of the stand-in.
    OPTIONS = ["--rate", "20", "--interval", "1"]
    # The directory for the pictures, which Tests/desktop/pictures.py takes itself.
    pictures = None

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
        return [self.without_a_service, self.signs_in_in_the_browser, self.signs_in, self.asks_and_streams, self.idles,
                self.chooses, self.searches_the_web, self.uses_tools, self.asks_again, self.exports, self.narrow, self.stops, self.threads, self.searches_texts, self.locked, self.approves, self.megabyte,
                self.uses_up_the_limit, self.killed_while_it_streams, self.asks_from_a_command_line, self.offline, self.draws_slowly,
                self.stores_none, self.adds_an_account, self.signs_out, self.locked_keyring]

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
        self.window.shows("The sign-in was declined: start it again when you want it.")
        # As the button of a notification does.
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
        code = wait_for("the code", user_code)
        # Screen readers spell the code.
        self.window.shows(" ".join(code))
        self.window.button_is_there("Copy code")
        self.window.shows("/codex/device")
        self.look("code")
        self.world.control("decline", f"user_code={code}".encode())
        self.window.shows("The sign-in was declined: start it again when you want it.")
        self.window.press("Use a code instead")
        again = wait_for("another code", lambda: (user_code() or code) != code and user_code())
        self.window.shows(" ".join(again))
        self.window.press("Copy code")
        wait_for("the code in the clipboard", lambda: clipboard() == again)
        self.window.action("copy-code", code)
        wait_for("the code of the action in the clipboard", lambda: clipboard() == code)
        self.world.control("approve", f"user_code={again}".encode())
        self.window.button_is_there("Ask")
        self.window.shows("ada@example.com")
        self.look("empty")

    def asks_and_streams(self):
        self.world.answer("# Buses\n\nA **bus** carries:\n\n1. calls\n2. signals\n\n```python\n# greets\nprint('hello')\n```\n\n"
                          "| kind | reply |\n|---|---|\n| call | yes |\n\nand that was it.", hold_after=8)
        self.window.ask("What is a bus?")
        self.window.shows("Buses")
        if self.window.sees("and that was it."):
            raise Failure("the answer came at once")
        self.look("streaming")
        self.window.button_is_there("Stop the answer")
        self.world.release()
        self.window.shows("and that was it.")
        self.window.button_is_there("Copy the answer")
        for words in ("A bus carries:", "signals", "# greets\nprint('hello')", "yes"):
            self.window.shows(words)
        if self.window.sees("**") or self.window.sees("```"):
            raise Failure("Markdown shows as it was written")
        self.look("answer")

    def pick(self, entry):
        """Chooses an entry of the focused list with the keyboard."""
        def row():
            focused = self.window.focused()
            return focused if focused and focused.role == Role.LIST_ITEM else None

        self.window.key(SPACE)
        self.window.shows(entry)
        # The list shows before its rows take keys.
        rows = self.window.wait_for("the focus in the list", lambda: (found := row()) and found.parent)
        place = next(at for at, child in enumerate(rows.children) if entry in child.deep_words)
        # In GTK 4.18, the first key after a row was chosen before goes to the first row, too.
        for key in [HOME] + [DOWN] * place:
            self.window.key(key)
        self.window.wait_for(f"the focus at “{entry}”",
                             lambda: (found := row()) and entry in found.deep_words)
        self.window.key(RETURN)

    def tab_to(self, words):
        """Moves the focus to a control with this text."""
        def reached():
            focused = self.window.focused()
            if focused and words in focused.deep_words:
                return True
            self.window.key(TAB)
            with suppress(Failure):  # In a label, it moves between links.
                wait_for("another focus", lambda: self.window.focused() != focused, 1)
            return False
        wait_for(f"the focus at “{words}”", reached)

    def last_options(self):
        """The options of the last stored question."""
        turns = json.loads(call_service("Threads.Get", "(s)", self.thread_ids()[0]))["turns"]
        return next(event["message"]["options"] for event in turns[-1]["events"] if event["kind"] == "input")

    def questions(self):
        """The stored questions of the latest conversation."""
        turns = json.loads(call_service("Threads.Get", "(s)", self.thread_ids()[0]))["turns"]
        return [event["message"]["text"] for turn in turns for event in turn["events"] if event["kind"] == "input"]

    def chooses(self):
        """Model, effort and instructions of a conversation are stored with it."""
        call_service("Client.ListModels", "(a{sv})", {})  # Its reply is kept, so the window's list comes at once.
        self.window.press("Asked with: Default model")
        self.window.shows("Default (gpt-6.1-sol)")
        self.pick("gpt-6-astra")
        self.window.shows("Asked with: gpt-6-astra")
        self.tab_to("Effort")
        self.pick("Low")
        self.window.shows("Asked with: gpt-6-astra · Low")
        self.look("choices")
        self.tab_to("Instructions")
        self.window.keys("Be short.")
        self.window.shows("Asked with: gpt-6-astra · Low · …")
        self.window.key(ESCAPE)
        self.window.hides("Default (gpt-6.1-sol)")
        self.tab_to("Question")
        self.world.answer("As you like.")
        self.window.ask("And now?")
        self.window.shows("As you like.")
        self.window.button_is_there("Ask")  # It is stored then.
        equal("the options", self.last_options(), {
            "fastMode": False, "model": "gpt-6-astra", "reasoningEffort": "low", "instructions": "Be short."})
        thread = self.thread_ids()[0]
        self.window.press("New conversation")
        self.window.shows("Asked with: Default model")
        self.window.action("thread", thread)
        self.window.shows("Asked with: gpt-6-astra · Low · …")

    def begins_to_search(self):
        """A new conversation that may search the web."""
        call_service("Client.ListModels", "(a{sv})", {})  # Its reply is kept, so the window's list comes at once.
        self.window.press("New conversation")
        self.window.press("Asked with: Default model")
        self.window.shows("Search the web")
        self.tab_to("Search the web")
        self.pick("Live")
        self.window.shows("Asked with: Default model · Web search")
        self.look("search-choices")
        self.window.key(ESCAPE)
        self.window.hides("A search carries words of the question")
        self.tab_to("Question")

    def searches_the_web(self):
        """The sources are links, also when the conversation is opened again."""
        thread = self.thread_ids()[0]
        self.begins_to_search()
        self.window.ask("search for night buses")
        for source in "1. night buses, source 1 (example.org)", "2. night buses, source 2 (example.net)":
            self.window.shows(source)
        self.look("searched")
        page = Path(os.environ["CHAPPIE_WORLD"]) / "page"
        add_browser(f'printf %s "$1" >"{page}"')
        self.window.act(lambda: self.window.named(Role.LINK, "1. night buses, source 1 (example.org)"))
        wait_for("the page", lambda: page.exists() and page.read_text() == "https://example.org/night-buses/1")
        searched = self.thread_ids()[0]
        self.world.scenario({"endpoint": "responses", "search": {"markers": True}})
        self.window.ask("search for trams")
        self.window.shows("Source 1 says so [1]. Source 2 says so [2].")
        self.window.ask("What is a bus?")
        self.window.shows("The model did not search the web.")
        self.window.button_is_there("Ask")
        self.window.press("Asked with: Default model · Web search")
        self.window.shows("Cached pages are those that the provider has stored already")
        self.tab_to("Search the web")
        self.pick("Cached pages")
        self.window.shows("Asked with: Default model · Web search in cached pages")
        self.window.key(ESCAPE)
        self.window.hides("A search carries words of the question")
        self.tab_to("Question")
        self.window.ask("search for a ferry")
        self.window.shows("a ferry, source 1 (example.org)")
        self.window.button_is_there("Ask")
        equal("the search", self.last_options()["webSearch"]["mode"], "cached")
        self.window.action("thread", thread)
        self.window.hides("(example.org)")
        self.window.action("thread", searched)
        self.window.shows("1. night buses, source 1 (example.org)")
        self.window.shows("Source 1 says so [1]. Source 2 says so [2].")
        self.window.shows("Asked with: Default model")
        self.window.action("thread", thread)
        self.window.hides("(example.org)")

    def uses_tools(self):
        """A tool server that the user has added: its call is approved here, and its question answered."""
        thread = next(thread for thread in self.thread_ids() if "And now?" in call_service("Threads.Get", "(s)", thread))
        subprocess.run(["chappie", "tools", "add", "greeter", "--unboxed", "--yes", "--", TOP / "Tests/tool-server.py", "--greeter"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.window.press("New conversation")
        self.window.press("Asked with: Default model")
        self.window.shows("greeter")
        self.tab_to("greeter")
        self.window.keys(" ")
        self.window.shows("Asked with: Default model · greeter")
        self.look("tools")
        self.window.key(ESCAPE)
        self.tab_to("Question")
        self.window.ask("use greeter__greet {}")
        self.window.shows("The model wants to run the tool greeter__greet.")
        self.window.press("Approve")
        self.window.shows("Who is greeted?")
        self.look("tool-question")
        self.window.press("Answer")
        self.window.shows("Fill in “Name”.")
        self.tab_to("Name")
        self.window.keys("Ada")
        self.window.press("Answer")
        self.window.shows("Hello Ada.")
        self.window.button_is_there("Ask")
        self.window.action("thread", thread)
        self.window.hides("Hello Ada.")

    def asks_again(self):
        """The last question alone is asked again or edited. It replaces neither a draft nor another program's turn."""
        def has_draft(text):
            wait_for(f"the draft “{text}”", lambda: (
                node := self.window.named(Role.TEXT, "Question")) and node.words == f"Question\n{text}")

        self.world.answer("Another answer.")
        self.window.press("Ask again")
        self.window.shows("Another answer.")
        self.window.button_is_there("Ask")
        self.window.hides("As you like.")
        equal("the stored questions", self.questions(), ["What is a bus?", "And now?"])
        self.window.keys("x")
        has_draft("x")
        self.window.press("Edit the question")
        self.window.shows("Send or clear your draft first.")
        self.window.key(BACKSPACE)
        has_draft("")
        self.window.press("Edit the question")
        self.window.shows("The last question and its answer are replaced.")
        self.look("edit")
        self.window.press("Keep the question and its answer")
        self.window.hides("The last question and its answer are replaced.")
        has_draft("")
        self.window.press("Edit the question")
        has_draft("And now?")
        self.window.keys(" Tell me more.")
        has_draft("And now? Tell me more.")
        self.world.be_online()
        self.window.press("Ask")
        self.window.shows("You said: “And now? Tell me more.”")
        self.window.button_is_there("Ask again")
        self.window.hides("Another answer.")
        edits = list(self.window.matching(lambda node: node.name == "Edit the question"))
        equal("the questions that can be edited", len(edits), 1)
        equal("the stored questions", self.questions(), ["What is a bus?", "And now? Tell me more."])
        thread = self.thread_ids()[0]
        call_service("Threads.Send", "(ssa{sv})", thread, "From elsewhere", {})
        self.window.press("Ask again")
        self.window.shows("The last message of the thread is another one: open the thread again.")
        equal("the stored questions", self.questions(), ["What is a bus?", "And now? Tell me more.", "From elsewhere"])
        self.window.press("New conversation")
        self.window.shows("Asked with: Default model")
        self.window.action("thread", thread)
        self.window.shows("You said: “From elsewhere”")
        self.world.answer("Asked again.")
        self.window.press("Ask again")
        self.window.shows("Asked again.")
        self.window.button_is_there("Ask")
        self.window.hides("You said: “From elsewhere”")
        self.world.be_online()

    def exports(self):
        file = Path(os.environ["CHAPPIE_WORLD"]) / "buses.md"
        self.window.combination("s")
        self.window.shows("Export as Markdown")
        time.sleep(1)  # The dialog selects it when it has been drawn.
        # Only the name without its ending is selected.
        self.window.keys(str(file.with_suffix("")))
        self.picture("export")
        self.window.key(RETURN)
        wait_for("the file", file.exists)
        time.sleep(1)  # An error would show now.
        text = file.read_text()
        for part in ("# What is a bus?", "> And now? Tell me more.", "## gpt-6-astra", "1. calls\n2. signals"):
            if part not in text:
                raise Failure(f"the export lacks “{part}”:\n{text}")
        equal("the toasts", [toast.deep_words for toast in self.window.toasts()], [])

    def searches_texts(self):
        self.window.press("New conversation")
        self.window.action("search", "carries signals")
        self.window.shows("Of buses, ")
        self.window.action("search", "carries nothing")
        self.window.shows("No conversations")
        thread = self.thread_ids()[0]
        self.window.action("search", "carries signals")
        self.window.shows("Of buses, ")
        call_service("Threads.Archive", "(s)", thread)
        self.window.hides("Of buses, ")
        self.show_archived()
        self.window.shows("Of buses, ")
        self.show_archived()
        call_service("Threads.Unarchive", "(s)", thread)
        self.window.shows("Of buses, ")
        self.window.action("search", "")
        self.window.action("thread", thread)

    def show_archived(self):
        """Lists the archived conversations instead of the others, or the others again."""
        call("org.chappie.Window", "/org/chappie/Window/window/1", "org.gtk.Actions.Activate", "(sava{sv})", "archived", [], {})

    def uses_up_the_limit(self):
        self.world.control("usage", json.dumps({"primary": {"used_percent": 100, "reset_at": 1893456000}}).encode())
        self.window.action("ask", "Is there anything left?")
        self.window.button_is_there("Try again")
        if self.window.sees("Copy the answer"):
            raise Failure("an error can be copied as an answer")
        self.window.combination(",")
        self.window.shows("Used up · Resets ")
        self.picture("used-up")
        self.window.key(ESCAPE)
        self.window.hides("Used up")
        self.world.control("usage", json.dumps({"primary": {"used_percent": 1}}).encode())

    def adds_an_account(self):
        self.window.combination(",")
        self.window.press("Add an account")
        self.window.shows("Programs choose the account by this name")
        self.window.keys("work")
        self.picture("add-account")
        self.window.key(RETURN)
        self.window.shows("Sign in to ChatGPT")
        self.window.press("Cancel")
        self.window.button_is_there("Ask")
        self.window.combination(",")
        self.window.press("Add an account")
        self.window.shows("Programs choose the account by this name")
        self.window.keys("work")
        self.window.key(RETURN)
        self.window.press("Use a code instead")

        def approves():
            # The page may still have the code of another sign-in.
            with suppress(HTTPError):
                for code in re.findall(r"Code: ([A-Z0-9 -]+)", self.window.tree().deep_words):
                    self.world.control("approve", f"user_code={code.replace(' ', '')}&user=grace@example.com".encode())
                    return True
            return False
        wait_for("the code", approves)
        self.window.shows("grace@example.com")
        self.window.button_is_there("Ask")
        self.window.ask("Who am I?")
        self.window.shows("You said: “Who am I?”")
        accounts = subprocess.run(["chappie", "accounts"], capture_output=True, text=True, check=True).stdout
        if "work" not in accounts or "grace@example.com" not in accounts:
            raise Failure(f"the account is not stored:\n{accounts}")
        self.window.combination(",")
        self.tab_to("ada@example.com")
        self.window.key(RETURN)
        self.window.shows("ada@example.com")
        self.window.hides("Who am I?")

    def narrow(self):
        """At the width of a telephone, the list and the conversation are separate pages."""
        self.window.button_is_there("New conversation")
        self.display.resize_windows(360, 660)
        self.window.button_is_there("Conversations")
        self.look("narrow")
        self.window.shows("and that was it.")
        self.display.resize_windows(920, 640)
        wait_for("the list beside it", lambda: not self.window.named(Role.PUSH_BUTTON, "Conversations"))

    def idles(self):
        """The main thread is not woken for five seconds, once the text cursor has stopped blinking."""
        status = Path(f"/proc/{self.window.process.pid}/status")
        wake_ups = lambda: re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status.read_text(), re.M)[1]

        def rests():
            before = wake_ups()
            time.sleep(5)
            return wake_ups() == before

        wait_for("five seconds without a wake-up", rests, 2 * TIMEOUT)

    def stops(self):
        self.window.key(ESCAPE)  # Nothing runs, so the next question is not affected.
        self.world.hold("one two three")
        self.window.ask("Count, please.")
        self.window.shows("one two three")
        self.window.key(ESCAPE)
        self.window.shows("Stopped.")
        self.world.hold("four five six")
        self.window.press("Try again")
        self.window.shows("four five six")
        self.window.press("Stop the answer")
        self.window.shows("Stopped.")
        self.window.button_is_there("Ask")

    def locked(self):
        self.world.start_locker()
        self.window.action("search", "carries signals")
        self.window.shows("Of buses, ")
        self.window.combination(",")
        self.window.shows("5-hour limit")
        self.picture("account")
        self.world.lock(True)
        self.window.shows("The screen is locked")
        if self.window.sees("What is a bus?") or self.window.sees("Buses") or self.window.sees("ada@example.com"):
            raise Failure("a message shows while the screen is locked")
        self.picture("locked")
        self.world.lock(False)
        self.window.shows("and that was it.")
        # The search goes on.
        self.window.shows("Of buses, ")
        self.window.action("search", "")

    def threads(self):
        self.window.press("New conversation")
        self.window.hides("and that was it.")
        wait_for("the thread", lambda: self.window.first(
            lambda node: node.role == Role.LIST_ITEM and node.name.startswith("What is a bus?")))
        self.look("new")
        self.window.action("thread", self.thread_ids()[0])
        self.window.shows("and that was it.")
        call_service("Threads.Rename", "(ss)", self.thread_ids()[0], "Of buses")
        self.window.shows("Of buses, ")
        self.window.action("search", "nothing of that")
        self.window.shows("No conversations")
        self.window.action("search", "of bus")
        self.window.shows("Of buses, ")
        self.window.action("search", "")

    @staticmethod
    def thread_ids():
        return [thread["id"] for thread in call_service("Threads.List", "(a{sv})", {})]

    def approves(self):
        """A tool of another program, in a broadcast turn."""
        self.world.request_approval(path="/home/ada/notes", hidden="a\u202eb")
        wait_for("the approval", lambda: call_service("Manager.ListApprovals"))
        self.window.combination("p")
        self.window.shows("The model wants to run the tool remove.")
        self.window.shows("/home/ada/notes")
        self.window.shows("\\u{202e}")
        self.picture("approval")
        self.window.press("Deny")
        self.window.shows("No tool waits.")
        self.window.key(ESCAPE)
        self.window.hides("No tool waits.")

    def megabyte(self):
        self.world.scenario({"endpoint": "responses", "flood": {"of": "text", "size": 32, "count": 32768}})
        with self.window.measured("1 MB"):
            self.window.action("ask", "A megabyte, please.")
            wait_for("the end of the megabyte", lambda: self.window.sees("Copy the answer"), 4 * TIMEOUT)
        more = self.window.shows("Show more (").name
        with self.window.measured("48 KB more, of a single word"):
            self.window.press(more)
            self.window.hides(more)
        # A text of this size is not searched.
        count = len(self.thread_ids())
        self.window.action("search", "carries signals")
        self.window.shows(f"The texts of {count - 1} of {count} conversations were searched.")
        self.window.action("search", "")

    def killed_while_it_streams(self):
        self.world.hold("one two three")
        self.window.action("ask", "Count again, please.")
        self.window.shows("one two three")
        self.world.kill_service()
        self.window.shows("The service ended before the answer was complete.")
        self.window.shows("The service has ended.")
        # The conversation stays on the screen.
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
        subprocess.run(["gjs", "-m", WINDOW, "--ask", "Who asked that?"], check=True, timeout=TIMEOUT)
        self.window.shows("It was typed in a terminal.")

    def offline(self):
        self.world.be_offline()
        self.window.action("ask", "Is anybody there?")
        self.window.shows("The servers cannot be reached.")
        self.look("offline")
        self.world.be_online()

    def draws_slowly(self):
        """With the renderer that a user has, for which this display has no hardware, and beside a busy processor, each
        frame takes so long that the next one is due at its end."""
        self.logs_no_errors()
        self.window.close()
        busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count() + 1)]
        renderer = os.environ.pop("GSK_RENDERER")
        try:
            self.window = Window()
            self.window.button_is_there("Ask")
            self.window.action("ask", "Is it slow?")
            self.window.shows("You said: “Is it slow?”")
        finally:
            os.environ["GSK_RENDERER"] = renderer
            for process in busy:
                process.kill()
                process.wait()
        self.logs_no_errors()
        self.window.close()
        self.window = Window()
        self.window.button_is_there("Ask")

    def stores_none(self):
        """The service is configured to store no threads."""
        configuration = Path(os.environ["XDG_CONFIG_HOME"]) / "chappie/chappie.conf"
        configuration.parent.mkdir(parents=True, exist_ok=True)

        def restart(text):
            self.logs_no_errors()
            self.window.close()
            configuration.write_text(text)
            self.world.kill_service()
            self.world.start_service()
            self.window = Window()
            self.window.button_is_there("Ask")

        restart("[Threads]\nEnabled=false\n")
        self.window.shows("Drop pictures, documents and text files here")
        self.window.hides("Conversations are stored")
        self.window.ask("Is it stored?")
        self.window.shows("You said: “Is it stored?”")
        restart("")
        self.window.shows("Conversations are stored")

    def signs_out(self):
        subprocess.run(["chappie", "sign-out"], check=True, stdout=subprocess.DEVNULL)
        self.window.shows("Sign in to ChatGPT")

    def locked_keyring(self):
        call("org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock", "(ao)",
             ["/org/freedesktop/secrets/collection/login"])
        self.window.shows("The keyring is locked")
        self.window.button_is_there("Unlock")
        self.look("locked-keyring")

    def logs_no_errors(self):
        if errors := self.window.errors():
            raise Failure("the window logged:\n" + "\n".join(errors))

    def report_failure(self):
        self.picture("failure")
        if self.window:
            print("\n".join(self.window.errors()))
            with suppress(Failure):
                print("\n".join(f"  {node}" for node in self.window.tree().all()))

    def close(self):
        if self.window:
            self.window.close()
        self.world.close()
        self.display.close()


def main(kind):
    run = kind(parse_arguments().pictures)
    return run_steps(run, [*run.steps(), run.logs_no_errors])


if __name__ == "__main__":
    sys.exit(main(Run))
