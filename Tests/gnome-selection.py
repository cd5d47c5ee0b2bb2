#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the actions on selected text of desktop/gnome-shell, with a virtual keyboard and real programs.

    scripts/private-session Tests/gnome-selection.py DIRECTORY-WITH-THE-PROGRAMS [--pictures DIRECTORY]

The shell is headless, the service is the real one, and chappie-sandbox is the server. The programs are an editor of GTK 4
below, FeatherPad (Qt), foot (a terminal) and Chromium. Figures that depend on the machine are for information only.
"""

import base64
import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from gi.repository import Gio, GLib
from support import (
    TOP, Failure, World, call_service, equal, parse_arguments, property_of, run_steps, user_code, wait_for)

gnome_shell = importlib.import_module("gnome-shell")
SUPER, SHIFT, CONTROL, ALT = 0xFFEB, 0xFFE1, 0xFFE3, 0xFFE9
RETURN, ESCAPE, TAB, DOWN, HOME, END, F5 = 0xFF0D, 0xFF1B, 0xFF09, 0xFF54, 0xFF50, 0xFF57, 0xFFC2
TITLES = ["Correct", "Explain", "Make friendlier", "Shorten", "Summarise", "Translate"]
WRONG, RIGHT = "Their is an eror here.", "There is an error here."

# An editor, which writes its text into a file after each change. F5 copies a picture.
EDITOR = """
imports.gi.versions.Gtk = '4.0';
const {Gdk, Gio, GLib, Gtk} = imports.gi;
Gtk.init();
const [file] = ARGV;
const view = new Gtk.TextView({vexpand: true});
const password = new Gtk.PasswordEntry();
view.buffer.connect('changed', () => GLib.file_set_contents(file, view.buffer.text));
view.buffer.text = GLib.getenv('EDITED');
const keys = new Gtk.EventControllerKey();
keys.connect('key-pressed', (_keys, key) => {
    if (key === Gdk.KEY_F5) {
        const picture = Gdk.Texture.new_from_file(Gio.File.new_for_path(GLib.getenv('PICTURE')));
        const formats = ['image/bmp', 'image/png'].map(format => Gdk.ContentProvider.new_for_bytes(format, picture.save_to_png_bytes()));
        window.get_clipboard().set_content(Gdk.ContentProvider.new_union(formats));
    }
    return key === Gdk.KEY_F5;
});
const box = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL});
box.append(view);
box.append(password);
const window = new Gtk.Window({title: 'Editor', child: box});
window.add_controller(keys);
window.maximize();
window.present();
view.grab_focus();
new GLib.MainLoop(null, false).run();
"""
# The title of this page is the content of its text field.
PAGE = """data:text/html,<meta charset=utf-8><title>-</title><textarea id=t rows=20 cols=60 autofocus
oninput="document.title='%s'+t.value"></textarea><input type=password value=secret id=p>
<script>t.value=%s;document.title='%s'+t.value</script>"""
MARK = "page:"
TEXT = "text/plain;charset=utf-8"


class Program:
    """A program with a text, in the shell."""

    def __init__(self, shell, command, **environment):
        self.shell = shell
        self.process = subprocess.Popen(command, env={
            **os.environ, "WAYLAND_DISPLAY": "wayland-0", "GDK_BACKEND": "wayland", "QT_QPA_PLATFORM": "wayland",
            "GSK_RENDERER": "cairo", **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        self.window = wait_for(f"the window of {command[0]}", lambda: shell.eval(
            "global.display.focus_window?.get_pid() ? global.display.focus_window.get_id() : null"))
        time.sleep(1)  # Until it takes keys.

    def has_focus(self):
        return self.shell.eval("global.display.focus_window?.get_id() ?? null") == self.window

    def select(self):
        """Selects all, and waits until the shell knows."""
        before = self.shell.eval("test.selections")
        self.select_all()
        wait_for("the selection", lambda: self.shell.eval("test.selections") > before)

    def select_all(self):
        self.shell.keys(CONTROL, ord("a"))

    def saved(self):
        return self.text()

    def close(self):
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass  # It has ended.
        self.process.wait()
        wait_for("the end of the program", lambda: not self.has_focus())


class Editor(Program):
    name = "GTK 4"

    def __init__(self, shell, text):
        self.file = Path(os.environ["CHAPPIE_WORLD"], "edited")
        super().__init__(shell, ["gjs", "-c", EDITOR, str(self.file)], EDITED=text,
                         PICTURE=str(TOP / "doc/pictures/gnome-shell.png"))

    def text(self):
        return self.file.read_text()


class FeatherPad(Program):
    name = "Qt"

    def __init__(self, shell, text):
        self.file = Path(os.environ["CHAPPIE_WORLD"], "featherpad.txt")
        self.file.write_text(text)
        super().__init__(shell, ["featherpad", "--standalone", str(self.file)])

    def select_all(self):
        """From the cursor, which is at the beginning. The editor's own “Select All” does not tell the desktop."""
        self.shell.keys(SHIFT, END)

    def text(self):
        self.shell.keys(CONTROL, ord("s"))
        time.sleep(0.3)
        return self.file.read_text().removesuffix("\n")


class Terminal(Program):
    """The text is printed; what is typed and pasted goes to a file."""

    name = "foot"

    def __init__(self, shell, text):
        self.file = Path(os.environ["CHAPPIE_WORLD"], "typed")
        self.file.write_text("")
        super().__init__(shell, ["foot", "--fullscreen", "sh", "-c", f"echo '{text}'; stty -icanon; cat >'{self.file}'"])

    def select_all(self):
        """By a triple click on the first line."""
        self.shell.eval("""
            const {x, y} = global.display.focus_window.get_frame_rect();
            test.pointer.notify_absolute_motion(imports.gi.GLib.get_monotonic_time(), x + 40, y + 8);
            for (let count = 0; count < 6; count += 1)
                test.pointer.notify_button(imports.gi.GLib.get_monotonic_time() + 1000 * count, 1, count % 2 ? 0 : 1);
            0""")

    def text(self):
        return self.file.read_text()


class Chromium(Program):
    name = "Chromium"

    def __init__(self, shell, text):
        profile = Path(os.environ["CHAPPIE_WORLD"], "chromium")
        super().__init__(shell, [
            "chromium", "--no-sandbox", "--ozone-platform=wayland", "--no-first-run", "--disable-gpu", "--start-maximized",
            f"--user-data-dir={profile}", "--password-store=basic", f"--app={PAGE % (MARK, json.dumps(text), MARK)}"])
        wait_for("the page", lambda: self.text() == text)

    def text(self):
        title = self.shell.eval("global.display.focus_window?.title ?? ''")
        return title.removeprefix(MARK) if title.startswith(MARK) else None



class Run:
    """The steps, in their order."""

    def __init__(self, pictures):
        self.pictures = pictures
        self.own = Path(os.environ["XDG_CONFIG_HOME"], "chappie/templates")
        self.own.mkdir(parents=True)
        self.world = World("--rate", "200", "--interval", "1")
        self.world.start_service()
        self.program = None
        self.shell = gnome_shell.Shell()
        self.watch_selections()
        call_service("Session.StartDeviceCodeSignIn", "(a{sv})", {"notify": GLib.Variant("b", False)})
        self.world.control("approve", f"user_code={wait_for('the code', user_code)}".encode())
        wait_for("the sign-in", lambda: property_of("Session", "Availability")["action"] == "none")

    def watch_selections(self):
        self.shell.eval(f"""
            const {{Gio, GLib, Meta}} = imports.gi;
            Main.messageTray.getSources().forEach(source => source.destroy());
            test.selections = 0;
            // The texts that the shell itself has put into the clipboard, where an answer is for a second only.
            test.copies = [];
            global.display.get_selection().connect('owner-changed', (selection, type, source) => {{
                test.selections += type === 0 && source !== null;
                if (type !== 1 || !(source instanceof Meta.SelectionSourceMemory && source.get_mimetypes().includes('{TEXT}')))
                    return;
                const output = Gio.MemoryOutputStream.new_resizable();
                selection.transfer_async(1, '{TEXT}', 1 << 16, output, null, (_selection, result) => {{
                    selection.transfer_finish(result);
                    output.close(null);
                    test.copies.push(GLib.base64_encode(output.steal_as_bytes().toArray()));
                }});
            }});
            0""")

    def picture(self, name):
        if self.pictures:
            time.sleep(0.7)  # Until animations have ended.
            self.shell.picture(self.pictures / f"{name}.png")

    def start(self, kind, text=WRONG):
        """Starts a program, and selects its text."""
        self.stop()
        self.program = kind(self.shell, text)
        self.program.select()

    def stop(self):
        self.shell.eval("test.copies = []; 0")
        if self.program:
            self.program.close()
        self.program = None

    # --- The popup

    def is_open(self):
        return self.shell.eval("Boolean(Main.panel.menuManager.activeMenu)")

    def act(self):
        self.shell.keys(SUPER, SHIFT, ord("c"))
        wait_for("the popup", self.is_open)

    def list(self, text=WRONG):
        self.act()
        self.shell.shows("Translate")
        equal("the text in the popup", self.shell.texts()[0], text)

    def closes(self, key=ESCAPE):
        if key:
            self.shell.keys(key)
        wait_for("the popup closes", lambda: not self.is_open())
        wait_for("no thread is left", lambda: call_service("Threads.List", "(a{sv})", {}) == [])

    def chooses(self, title, answer, **rule):
        """Chooses an action by its number."""
        self.world.answer(answer, **rule)
        self.shell.keys(ord("1") + TITLES.index(title))

    def refuses(self, problem):
        self.act()
        self.shell.shows(problem)
        if self.shell.sees("Explain"):
            raise Failure("a refused text has actions")

    def replaces(self, answer=RIGHT):
        self.shell.shows("Replace")
        self.shell.press("Replace")
        self.pasted(answer)

    def pasted(self, answer=RIGHT):
        self.closes(None)
        copied = base64.b64encode(answer.encode()).decode()
        wait_for("the answer in the clipboard", lambda: copied in self.shell.eval("test.copies"))

    def becomes(self, text=RIGHT):
        """The program has the text, and the focus."""
        time.sleep(0.3)  # What must not come would be there.
        try:
            wait_for("the text", lambda: self.program.text() == text)
        except Failure:
            equal("the text", self.program.text(), text)
        if not self.program.has_focus():
            raise Failure("the focus is elsewhere")

    # --- The clipboard

    def copy(self, data, format=TEXT):
        self.shell.eval(f"""
            const content = imports.gi.GLib.base64_decode({json.dumps(base64.b64encode(data).decode())});
            imports.gi.St.Clipboard.get_default().set_content(1, {json.dumps(format)}, content); 0""")

    def clipboard(self):
        """The text or the picture in the clipboard, as a format and bytes."""
        self.shell.eval(f"""
            test.copied = null;
            const selection = global.display.get_selection(), formats = selection.get_mimetypes(1);
            const format = ['{TEXT}', 'image/png'].find(one => formats.includes(one));
            const output = imports.gi.Gio.MemoryOutputStream.new_resizable();
            if (format) {{
                selection.transfer_async(1, format, -1, output, null, (_selection, result) => {{
                    selection.transfer_finish(result);
                    output.close(null);
                    test.copied = [format, imports.gi.GLib.base64_encode(output.steal_as_bytes().toArray())];
                }});
            }} else {{
                test.copied = ['', ''];
            }}
            0""")
        format, content = wait_for("the clipboard", lambda: self.shell.eval("test.copied"))
        return format, base64.b64decode(content)

    def restores(self, copied):
        wait_for("the clipboard is restored", lambda: self.clipboard() == copied)

    # --- Steps

    def nothing_selected(self):
        self.refuses("No text is selected.")
        self.closes()

    def explains(self):
        self.start(Editor)
        self.list()
        self.picture("actions")
        self.chooses("Explain", "It says that **there** is one.", hold_after=3)
        self.shell.shows("It says that")
        self.shell.shows("Stop the answer")
        self.world.release()
        self.shell.shows("It says that there is one.")
        self.shell.shows("Copy")
        self.picture("explained")
        if self.shell.sees("Replace"):
            raise Failure("an explanation replaces a text")
        self.shell.press("Copy")
        self.restores((TEXT, b"It says that **there** is one."))
        self.closes()
        # By arrow and Enter; the question is what the template says.
        self.world.be_online()
        self.list()
        self.shell.keys(DOWN)
        self.shell.keys(RETURN)
        self.shell.shows("You said: “Explain the text briefly and plainly, in English.")
        self.shell.shows(f"<text>\n{WRONG}\n</text>")
        self.closes()
        self.becomes(WRONG)

    def stops_and_fails(self):
        self.list()
        self.chooses("Explain", "one two three", hold_after=2)
        self.shell.shows("one two")
        self.shell.keys(RETURN)  # The button has the focus.
        self.shell.shows("Stopped.")
        self.closes()
        # The turn ends with the popup.
        self.list()
        self.chooses("Explain", "one two three", hold_after=2)
        self.shell.shows("one two")
        self.closes()
        wait_for("the turn has ended", lambda: property_of("Client", "ActiveTurns") == [])
        self.world.be_offline()
        self.list()
        self.shell.keys(ord("1"))
        self.shell.shows("The servers cannot be reached.")
        if self.shell.sees("Copy") or self.shell.sees("Replace"):
            raise Failure("an error is an answer")
        self.closes()
        self.world.be_online()

    def continues_in_the_window(self):
        with gnome_shell.window_mock() as called:
            self.list()
            self.chooses("Explain", "It says that there is one.")
            self.shell.shows("Continue in the window")
            self.shell.press("Continue in the window")
            [(action, values, platform)] = wait_for("the window is called", called)
        wait_for("the popup closes", lambda: not self.is_open())
        [thread] = call_service("Threads.List", "(a{sv})", {})
        equal("the window's action", (action, values), ("thread", [thread["id"]]))
        if not platform["activation-token"]:
            raise Failure("the window cannot take the focus")
        call_service("Threads.Delete", "(s)", thread["id"])

    def corrects(self, kind):
        """The selected text is replaced; clipboard and focus are as they were."""
        self.start(kind)
        self.copy(b"What was copied.")
        self.list()
        self.chooses("Correct", f"\x1b{RIGHT}\x9b\x07\n")
        self.shell.shows("Replace")
        self.picture(f"corrected-{kind.name}")
        self.replaces()
        self.becomes()
        self.restores((TEXT, b"What was copied."))

    def in_qt(self):
        self.corrects(FeatherPad)

    def in_a_terminal(self):
        self.corrects(Terminal)

    def in_chromium(self):
        self.corrects(Chromium)

    def in_gtk(self):
        self.corrects(Editor)

    def keeps_the_clipboard(self):
        """A picture of another program, an empty clipboard, a password, and what is copied meanwhile."""
        def correct():
            self.start(Editor, WRONG + "\n\n")
            if self.is_picture:
                self.shell.keys(F5)
                wait_for("the picture", lambda: self.clipboard()[0] == "image/png")
            before = self.clipboard()
            self.list()
            self.chooses("Correct", RIGHT)
            self.replaces(RIGHT + "\n\n")
            return before

        self.is_picture = True
        picture = correct()
        self.becomes(RIGHT + "\n\n")
        self.restores(picture)
        self.is_picture = False
        self.start(Editor)
        self.shell.eval("""
            const content = new imports.gi.GLib.Bytes(new Uint8Array(16777217).fill(97));
            imports.gi.St.Clipboard.get_default().set_content(1, 'text/plain;charset=utf-8', content); 0""")
        self.list()
        self.chooses("Correct", RIGHT)
        self.shell.shows("Replace")
        self.shell.press("Replace")
        self.shell.shows("What is on the clipboard cannot be put back")
        self.closes()
        equal("the text", self.program.text(), WRONG)
        self.copy(b"hunter2", "x-kde-passwordManagerHint")
        correct()
        self.restores((TEXT, b""))
        correct()
        self.copy(b"Something new.")
        time.sleep(1.5)
        equal("the clipboard", self.clipboard(), (TEXT, b"Something new."))

    def loses_the_window(self):
        self.start(Editor)
        self.list()
        self.chooses("Correct", RIGHT)
        self.shell.shows("Replace")
        self.stop()
        self.replaces()
        wait_for("the notification", lambda: self.shell.eval("""
            Main.messageTray.getSources().flatMap(source => source.notifications)
                .some(({title}) => title === 'The answer is in the clipboard')"""))
        self.picture("lost")
        time.sleep(1.5)
        equal("the clipboard", self.clipboard(), (TEXT, RIGHT.encode()))
        self.shell.eval("Main.messageTray.getSources().forEach(source => source.destroy()); 0")

    def replaces_at_once(self):
        (self.own / "correct.txt").write_text(
            "[Template]\nTitle=Correct\nSurfaces=selection\nReplace=at-once\n---\nCorrect this: $input\n")
        self.start(Editor)
        self.list()
        self.chooses("Correct", RIGHT, hold_after=2)
        self.shell.shows("There is")
        self.world.release()
        self.pasted()
        self.becomes()
        # What is incomplete replaces nothing.
        self.start(Editor)
        self.list()
        self.chooses("Correct", "one two three", hold_after=2)
        self.shell.shows("one two")
        self.shell.press("Stop the answer")
        self.shell.shows("Stopped.")
        self.closes()
        self.becomes(WRONG)
        # A terminal could run the first line.
        self.start(Terminal)
        self.list()
        self.chooses("Correct", "one\ntwo")
        self.shell.shows("Replace")
        self.closes()
        (self.own / "correct.txt").unlink()

    def waits_for_modifiers(self):
        self.start(Editor)
        self.list()
        self.chooses("Correct", RIGHT)
        self.shell.shows("Replace")
        hold = "test.keyboard.notify_keyval(imports.gi.GLib.get_monotonic_time(), %d, %d); 0"
        self.shell.eval(hold % (ALT, 1))
        self.shell.press("Replace")
        time.sleep(0.3)
        if not self.is_open():
            raise Failure("keys are sent while a modifier is held")
        self.shell.eval(hold % (ALT, 0))
        self.pasted()
        self.becomes()

    def with_other_layouts(self):
        """The keys that paste, and those that choose, in layouts that have the letters elsewhere or not at all."""
        settings = Gio.Settings(schema_id="org.gnome.desktop.input-sources")
        for layout in ("ru", "us+dvorak", "fr"):
            self.stop()
            settings.set_value("sources", GLib.Variant("a(ss)", [("xkb", layout)]))
            Gio.Settings.sync()
            time.sleep(1)
            self.program = Editor(self.shell, WRONG)
            self.shell.keys(SHIFT, HOME)
            time.sleep(0.3)
            self.shell.eval("test.code = (code, state) => test.keyboard.notify_key("
                            "imports.gi.GLib.get_monotonic_time(), code, state); 0")
            # Super, Shift and the key of the letter C: 125, 42, and 46 or, in Dvorak, 23.
            keys = (125, 42, 23 if "dvorak" in layout else 46)
            self.shell.eval(f"{[*keys]}.forEach(key => test.code(key, 1)); {[*keys]}.forEach(key => test.code(key, 0)); 0")
            self.shell.shows("Translate")
            self.world.answer(RIGHT)
            self.shell.eval("test.code(2, 1); test.code(2, 0); 0")  # The key 1.
            self.replaces()
            self.becomes()
        settings.reset("sources")
        time.sleep(1)

    def refuses_passwords(self):
        self.start(Editor)
        self.shell.keys(CONTROL, TAB)
        time.sleep(0.5)
        self.shell.type("secret")
        self.shell.keys(CONTROL, ord("a"))
        time.sleep(0.5)
        self.refuses("The focus is in a password field, whose text Chappie does not read.")
        self.picture("password")
        self.closes()
        self.start(Chromium)
        self.shell.keys(TAB)
        time.sleep(0.5)
        self.refuses("The focus is in a password field, whose text Chappie does not read.")
        self.closes()

    def limits_the_length(self):
        self.start(Editor, "ä" * (32 << 10))
        self.list("ä" * 300 + "…")
        self.world.be_online()
        self.shell.keys(ord("2"))
        self.shell.shows("You said: “Explain the text")
        self.closes()
        self.start(Editor, "ä" * (32 << 10) + "b")
        self.refuses("The selected text is longer than 64 KiB: select less of it.")
        self.closes()

    def stays_on_the_monitor(self):
        """With the pointer in each corner, a long answer, and a text that is written from right to left."""
        text = "שלום עולם.\n" * 8
        self.start(Editor, text)
        for x, y in ((1279, 799), (0, 799), (1279, 40), (640, 400)):
            self.shell.eval(f"test.pointer.notify_absolute_motion(imports.gi.GLib.get_monotonic_time(), {x}, {y}); 0")
            self.list("\n".join(["שלום עולם."] * 5) + "…")
            self.chooses("Explain", "שלום עולם.\n\n" * 60)
            self.shell.shows("Copy")
            time.sleep(0.3)
            left, top, width, height = self.shell.eval("""
                (({actor}) => [...actor.get_transformed_position(), ...actor.get_transformed_size()])(
                    Main.panel.menuManager.activeMenu)""")
            self.picture(f"corner-{x}-{y}")
            if left < 0 or top < 0 or left + width > 1280 or top + height > 800:
                raise Failure(f"the popup is at {left}, {top} with {width} × {height}")
            self.closes()

    def figures(self):
        """From the key to the list on the screen."""
        self.start(Editor)
        times = []
        for _ in range(7):
            self.shell.eval("""
                test.listed = null;
                const begun = imports.gi.GLib.get_monotonic_time();
                const id = global.stage.connect('after-paint', () => {
                    if (!Main.panel.menuManager.activeMenu || !test.named('Translate'))
                        return;
                    test.listed = (imports.gi.GLib.get_monotonic_time() - begun) / 1000;
                    global.stage.disconnect(id);
                });
                test.keys(%d, %d, %d); 0""" % (SUPER, SHIFT, ord("c")))
            times.append(wait_for("the list", lambda: self.shell.eval("test.listed")))
            self.closes()
        print("      from the key to the list: " + ", ".join(f"{ms:.0f}" for ms in times) + " ms")

    def enable(self, enabled):
        gnome_shell.Run.enable(self, enabled)

    def disabled(self):
        """While an answer is streamed, and while the clipboard has an answer."""
        footprints = []
        for _ in range(2):
            self.copy(b"What was copied.")
            self.start(Editor)
            self.list()
            self.chooses("Explain", "one two three", hold_after=2)
            self.shell.shows("one two")
            self.enable(False)
            wait_for("the turn has ended", lambda: property_of("Client", "ActiveTurns") == [])
            wait_for("no thread is left", lambda: call_service("Threads.List", "(a{sv})", {}) == [])
            self.enable(True)
            self.list()
            self.chooses("Correct", RIGHT)
            self.replaces()
            self.enable(False)
            equal("the clipboard", self.clipboard(), (TEXT, b"What was copied."))
            self.enable(True)
            self.stop()
            # The shell's own actors come and go with programs; Tests/gnome-shell.py counts those of the extension.
            footprints.append({**gnome_shell.Run.footprint(self), "actors": None})
        equal("what is left", footprints[1], footprints[0])

    def locked(self):
        """The extension is disabled then."""
        self.shell.eval("Main.sessionMode.pushMode('unlock-dialog'); 0")
        wait_for("the extension is disabled", lambda: not self.shell.eval("Boolean(test.button())"))
        equal("the keys", gnome_shell.Run.footprint(self)["keys"], [])
        self.shell.eval("Main.sessionMode.popMode('unlock-dialog'); 0")
        wait_for("the extension", lambda: self.shell.eval("Boolean(test.button())"))

    def without_the_service(self):
        self.start(Editor)
        self.world.kill_service()
        self.refuses("The service does not run.")
        equal("the text in the popup", self.shell.texts()[0], WRONG)
        self.shell.keys(ESCAPE)
        wait_for("the popup closes", lambda: not self.is_open())

    def logs_no_errors(self):
        if errors := self.shell.errors():
            raise Failure("the shell logged:\n" + "\n".join(errors))

    def report_failure(self):
        self.picture("failure")
        print("\n".join(self.shell.errors()))
        print(self.shell.texts())

    def close(self):
        self.stop()
        self.shell.close()
        self.world.close()


def main():
    arguments = parse_arguments()
    run = Run(arguments.pictures)
    steps = [run.nothing_selected, run.explains, run.stops_and_fails, run.continues_in_the_window, run.in_gtk, run.in_qt,
             run.in_a_terminal, run.in_chromium, run.keeps_the_clipboard, run.loses_the_window, run.replaces_at_once,
             run.waits_for_modifiers, run.with_other_layouts, run.refuses_passwords, run.limits_the_length,
             run.stays_on_the_monitor, run.figures, run.disabled, run.locked,
             run.without_the_service, run.logs_no_errors]
    return run_steps(run, steps)


if __name__ == "__main__":
    sys.exit(main())
