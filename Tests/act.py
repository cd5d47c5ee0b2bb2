#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Acts on text that is selected in real programs: desktop/window/act.js, over AT-SPI and with a keyboard.

    scripts/private-session Tests/act.py DIRECTORY-WITH-THE-PROGRAMS [--sway | --plasma | --kwin | --gnome]
        [--pictures DIRECTORY]

It runs on a virtual X display, with --sway in a headless sway, with --plasma under KWin on X11, with --kwin in KWin with
Wayland, where a portal presses keys, or with --gnome in a headless GNOME Shell without the extension. The service is the
real one, and chappie-sandbox is the server. At the end it prints what was read, shown and replaced in which program, and
how long the list took to appear.
"""

import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

sys.dont_write_bytecode = True
import window  # noqa: E402
from support import (  # noqa: E402
    TIMEOUT, TOP, Failure, call, call_bus, equal, has_owner, parse_arguments, property_of, run_steps, wait_for)
from window import Atspi, Bus, Display, Gio, GLib, Role  # noqa: E402

# A program in the accessibility tree whose answers have the wrong types.
LIAR = """
import sys
from gi.repository import Gio, GLib
ROOT = "/org/a11y/atspi/accessible/root"
node = Gio.DBusNodeInfo.new_for_xml('''<node><interface name="org.a11y.atspi.Accessible">
  <method name="GetChildren"/><method name="GetState"/><method name="GetRole"/>
  <property name="Name" type="s" access="read"/><property name="ChildCount" type="i" access="read"/>
</interface></node>''')
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
bus.register_object(ROOT, node.interfaces[0], lambda *call: call[-1].return_value(None),
                    lambda *read: GLib.Variant("s", "liar") if read[4] == "Name" else GLib.Variant("i", 1), None)
bus.call_sync("org.a11y.atspi.Registry", ROOT, "org.a11y.atspi.Socket", "Embed",
              GLib.Variant("((so))", ((bus.get_unique_name(), ROOT),)), None, 0, -1, None)
print("embedded", flush=True)
GLib.MainLoop().run()
"""

gnome_shell = importlib.import_module("gnome-shell")
WINDOW = "org.chappie.Window"
NOBODY = 65534
CONTENTS = "what was copied before"
SECRET = "x-kde-passwordManagerHint"


def output(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT, **options).stdout


def use_plasma():
    """The environment of Plasma, and the desktop file: its shortcut, and its name for portals."""
    os.environ.update(XDG_CURRENT_DESKTOP="KDE", KDE_FULL_SESSION="true", KDE_SESSION_VERSION="6",
                      XDG_MENU_PREFIX="plasma-")
    applications = Path(os.environ["XDG_DATA_HOME"]) / "applications"
    applications.mkdir()
    # A desktop file counts if its program is there.
    desktop_file = (TOP / "desktop/window/org.chappie.Window.desktop").read_text()
    (applications / "org.chappie.Window.desktop").write_text(desktop_file.replace("=chappie-window", "=gjs"))


class WaylandClipboard:
    READER = "wl-paste"
    OWNER_OF_A_SECRET = ["wl-copy", "--foreground", "--type", SECRET, "a password"]

    def clipboard(self):
        return output("wl-paste", "--no-newline")

    def set_clipboard(self, text):
        subprocess.run(["wl-copy", text], check=True)

    def own_clipboard(self, text):
        return subprocess.Popen(["wl-copy", "--foreground", text])

    def unselect(self):
        subprocess.run(["wl-copy", "--primary", "--clear"], check=True)
        subprocess.run(["wl-copy", "--clear"], check=True)


class X11(Display):
    """Xvfb with a window manager."""
    kind = "X11"
    MANAGER = ["openbox"]
    READER = "xclip"
    OWNER_OF_A_SECRET = [
        sys.executable, "-c", "import tkinter; tk = tkinter.Tk(); tk.withdraw(); tk.clipboard_append('a password'); "
        f"tk.clipboard_append('secret', type='{SECRET}'); tk.mainloop()"]
    environment = None  # That of this process.

    def __init__(self):
        super().__init__()
        call_bus("UpdateActivationEnvironment", "(a{ss})", {
            name: os.environ[name] for name in ("DISPLAY", "GDK_BACKEND", "GSK_RENDERER")})
        self.manager = subprocess.Popen(self.MANAGER, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("the window manager", lambda: output("xdotool", "get_desktop", stderr=subprocess.DEVNULL))

    def focused(self):
        return output("xdotool", "getwindowfocus").strip()

    def is_used(self):
        return self.title() not in ("", "Openbox")

    def title(self):
        return output("xdotool", "getwindowname", self.focused()).strip()

    def xdotool(self, *command):
        subprocess.run(["xdotool", *command], env=self.environment, check=True)

    def key(self, key):
        self.xdotool("key", key)

    def type(self, text):
        self.xdotool("type", text)

    def clipboard(self):
        return output("xclip", "-selection", "clipboard", "-o")

    def set_clipboard(self, text):
        # xclip stays, to serve the text.
        subprocess.run(["xclip", "-selection", "clipboard", "-i"], input=text, text=True, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def own_clipboard(self, text):
        file = Path(os.environ["CHAPPIE_WORLD"]) / "clipboard"
        file.write_text(text)
        return subprocess.Popen(["xclip", "-quiet", "-selection", "clipboard", "-i", file], stderr=subprocess.DEVNULL)

    def unselect(self):
        subprocess.run(["xclip", "-selection", "primary", "-i", "/dev/null"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def click(self, window, count, x=40, y=12):
        """Selects a word, or with three clicks a line."""
        self.xdotool("mousemove", "--window", window, str(x), str(y), "click", "--repeat", str(count), "--delay", "60",
                     "1")

    def close(self):
        self.manager.kill()
        self.manager.wait()
        super().close()


class Plasma(X11):
    """KWin with Plasma's shortcuts, of which one is in the desktop file."""
    kind = "Plasma"
    MANAGER = ["kwin_x11", "--no-kactivities"]

    def __init__(self):
        use_plasma()
        os.environ["KWIN_COMPOSE"] = "N"
        super().__init__()
        subprocess.run(["dbus-update-activation-environment", "--all"], check=True)
        self.shortcuts = subprocess.Popen([next(Path("/usr/lib").glob("**/kglobalacceld"))], stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL)
        wait_for("the shortcuts", lambda: has_owner("org.kde.kglobalaccel"))

    def close(self):
        self.shortcuts.kill()
        self.shortcuts.wait()
        super().close()


class KWin(WaylandClipboard, X11):
    """KWin with Wayland, in a window that fills the virtual X display, whose keys and clicks it gets."""
    kind = "KWin"

    def __init__(self):
        Display.__init__(self)
        self.world = Path(os.environ["CHAPPIE_WORLD"])
        use_plasma()
        os.environ.update(XDG_SESSION_TYPE="wayland", QT_QUICK_BACKEND="software")
        self.environment = {**os.environ, "KWIN_COMPOSE": "Q", "QT_LOGGING_RULES": "js.debug=true"}
        os.environ.update(WAYLAND_DISPLAY="wayland-kwin", GDK_BACKEND="wayland", QT_QPA_PLATFORM="wayland")
        display = os.environ.pop("DISPLAY")
        subprocess.run(["dbus-update-activation-environment", "--all"], check=True)
        # KWin and its portal look for it at their start.
        self.pipewire = subprocess.Popen(["pipewire"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("PipeWire", (Path(os.environ["XDG_RUNTIME_DIR"]) / "pipewire-0").exists)
        self.log = self.world / "kwin.log"
        self.manager = subprocess.Popen(
            ["kwin_wayland", "--x11-display", display, "--width", "1000", "--height", "760", "--no-lockscreen",
             "--no-kactivities", "--socket", os.environ["WAYLAND_DISPLAY"]],
            env=self.environment, stdout=self.log.open("w"), stderr=subprocess.STDOUT)
        wait_for("KWin", lambda: has_owner("org.kde.KWin"))
        wait_for("the shortcuts", lambda: has_owner("org.kde.kglobalaccel"))

    def active(self):
        """The id, the title and the place of the active window, which a script in KWin logs."""
        name = f"active-{time.monotonic_ns()}"
        script = self.world / f"{name}.js"
        script.write_text(
            f"const w = workspace.activeWindow; console.log('{name}', JSON.stringify(w ? "
            "[String(w.internalId), w.caption, w.clientGeometry.x, w.clientGeometry.y] : ['', '', 0, 0]))")

        def kwin(path, method, signature="()", *values):
            return call("org.kde.KWin", path, f"org.kde.kwin.{method}", signature, *values)
        number = kwin("/Scripting", "Scripting.loadScript", "(ss)", str(script), name)
        kwin(f"/Scripting/Script{number}", "Script.run")
        kwin("/Scripting", "Scripting.unloadScript", "(s)", name)
        return json.loads(wait_for("KWin's log", lambda: re.search(f"{name} (.*)", self.log.read_text()))[1])

    def focused(self):
        return self.active()[0]

    def is_used(self):
        return self.focused() != ""

    def title(self):
        return self.active()[1]

    def click(self, window, count, x=40, y=12):
        _, _, left, top = self.active()
        self.xdotool("mousemove", str(round(left) + x), str(round(top) + y), "click", "--repeat", str(count),
                     "--delay", "60", "1")

    def picture(self, path):
        subprocess.run(["import", "-window", "root", path], env=self.environment, check=True)

    def close(self):
        super().close()
        self.pipewire.kill()
        self.pipewire.wait()


class Sway(WaylandClipboard):
    """A headless sway, with wtype as the keyboard."""
    kind = "sway"

    def __init__(self, width=1000, height=760):
        world = Path(os.environ["CHAPPIE_WORLD"])
        (world / "sway.conf").write_text(
            f"output HEADLESS-1 resolution {width}x{height} bg #203040 solid_color\nxwayland disable\n")
        environment = {
            **os.environ, "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"}
        self.server = subprocess.Popen(["sway", "-c", world / "sway.conf"], env=environment,
                                       stdout=open(world / "sway.log", "w"), stderr=subprocess.STDOUT)
        runtime = Path(os.environ["XDG_RUNTIME_DIR"])
        socket = wait_for("sway", lambda: next(runtime.glob("sway-ipc.*.sock"), None))
        display = wait_for("the display", lambda: next(
            (path for path in runtime.glob("wayland-*") if path.suffix != ".lock"), None))
        os.environ.update(SWAYSOCK=str(socket), WAYLAND_DISPLAY=display.name, GDK_BACKEND="wayland",
                          GSK_RENDERER="cairo", QT_QPA_PLATFORM="wayland", XDG_CURRENT_DESKTOP="sway")
        call_bus("UpdateActivationEnvironment", "(a{ss})", {
            name: os.environ[name] for name in ("SWAYSOCK", "WAYLAND_DISPLAY", "GDK_BACKEND", "GSK_RENDERER")})
        # Without a keyboard, no window has the focus; others are there for the time of a key only.
        self.keyboard = subprocess.Popen(["wtype", "-s", "3600000"])
        (Path(os.environ["XDG_DATA_HOME"]) / "icons").symlink_to(TOP / "data/icons")

    def picture(self, path):
        subprocess.run(["grim", path], check=True)

    def is_used(self):
        return self.focused() != ""

    def _focused(self):
        def find(node):
            if node["focused"]:
                return node if node.get("pid") else None
            return next(filter(None, map(find, node["nodes"] + node["floating_nodes"])), None)
        return find(json.loads(output("swaymsg", "-r", "-t", "get_tree")))

    def focused(self):
        found = self._focused()
        return str(found["id"]) if found else ""

    def title(self):
        return self._focused()["name"]

    def key(self, key):
        *modifiers, key = key.split("+")
        subprocess.run(["wtype", *(word for name in modifiers for word in ("-M", name)), "-k", key], check=True)

    def type(self, text):
        subprocess.run(["wtype", text], check=True)

    def close(self):
        for process in (self.keyboard, self.server):
            process.terminate()
            process.wait()


class Gnome:
    """A headless GNOME Shell without the extension, with a custom shortcut of its settings."""
    kind = "GNOME"
    KEYS = {"ctrl": gnome_shell.CONTROL, "shift": gnome_shell.SHIFT, "super": gnome_shell.SUPER, "Down": gnome_shell.DOWN,
            "End": 0xFF57, "Escape": gnome_shell.ESCAPE, "Return": gnome_shell.RETURN, "Tab": gnome_shell.TAB}

    def __init__(self):
        settings = "org.gnome.settings-daemon.plugins.media-keys"
        path = f"/{settings.replace('.', '/')}/custom-keybindings/chappie/"
        shortcut = Gio.Settings.new_with_path(f"{settings}.custom-keybinding", path)
        for key, value in {"name": "Act", "binding": "<Super><Shift>c", "command": "chappie act"}.items():
            shortcut.set_string(key, value)
        Gio.Settings(schema_id=settings).set_strv("custom-keybindings", [path])
        self.shell = gnome_shell.Shell(with_extension=False)
        (Path(os.environ["XDG_DATA_HOME"]) / "icons").symlink_to(TOP / "data/icons")
        os.environ.update(WAYLAND_DISPLAY="wayland-0", GDK_BACKEND="wayland", GSK_RENDERER="cairo",
                          QT_QPA_PLATFORM="wayland", XDG_CURRENT_DESKTOP="GNOME")
        subprocess.run(["dbus-update-activation-environment", "--all"], check=True)
        self.shortcuts = subprocess.Popen(["/usr/libexec/gsd-media-keys"], stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL)
        wait_for("the shortcuts", lambda: has_owner("org.gnome.SettingsDaemon.MediaKeys"))

    def picture(self, path):
        self.shell.picture(path)

    def focused(self):
        return self.shell.eval("global.display.focus_window?.get_id() ?? null")

    def is_used(self):
        return self.focused() is not None

    def title(self):
        return self.shell.eval("global.display.focus_window?.title ?? ''")

    def key(self, key):
        self.shell.keys(*(self.KEYS.get(name) or ord(name) for name in key.split("+")))

    def type(self, text):
        self.shell.type(text)

    def clipboard(self):
        return self.shell.clipboard()

    def set_clipboard(self, text):
        self.shell.copy(text)

    def unselect(self):
        self.shell.eval("imports.gi.St.Clipboard.get_default().set_text(0, ''); 0")

    def close(self):
        self.shortcuts.kill()
        self.shortcuts.wait()
        self.shell.close()


class Popup(window.Window):
    """The small window, in the accessibility tree. The bus starts its program."""

    def __init__(self):
        self.bus, self.root = Bus(), None

    def shown(self):
        """The program, if it shows a window."""
        return self.bus.program(self.NAMES)

    def appears(self):
        self.root = wait_for("the window", self.shown)

    def disappears(self):
        wait_for("the window is closed", lambda: not self.shown())

    def errors(self):
        # This session shows no notifications.
        return [line for line in super().errors() if "unable to send notifications" not in line]


class Program:
    """A program with a text that is selected and replaced."""

    def __init__(self, desk, name, command, select, save=None):
        self.desk, self.name, self.select, self.save = desk, name, select, save
        self.file = Path(tempfile.mkstemp(dir=os.environ["CHAPPIE_WORLD"], suffix=".txt")[1])
        self.command = [part.replace("FILE", str(self.file)) for part in command]
        self.process = None

    def open(self, text):
        self.file.write_text(text)
        wait_for("no other program has the focus", lambda: not self.desk.is_used())
        self.log = self.file.with_suffix(".log")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)

        def is_used():
            if self.process.poll() is not None:
                raise Failure(f"{self.name} has ended: {self.log.read_text()}")
            return self.desk.is_used()

        wait_for(f"{self.name} has the focus", is_used)
        time.sleep(1)  # It draws its window, and takes keys.

    def text(self):
        if self.save:
            # It ends the file with a newline. The key must not meet the paste key.
            time.sleep(1)
            self.desk.key(self.save)
            time.sleep(0.3)
            return self.file.read_text().removesuffix("\n")
        return self.file.read_text()

    def close(self):
        self.process.kill()
        self.process.wait()


class Terminal(Program):
    """A terminal that prints the text, and writes what it gets into the file."""

    def __init__(self, desk, name, command, select):
        script = "cat FILE; echo; : >FILE; stty -icanon; exec cat >FILE"
        super().__init__(desk, name, [*command, "sh", "-c", script], select)


class Browser(Program):
    """Chromium, which shows the text of its page as the window's title."""
    PAGE = ("<title>page</title><textarea autofocus rows=9 cols=40 oninput='document.title = value'></textarea>"
            "<script>document.querySelector('textarea').value = {}</script>")

    def __init__(self, desk, *options):
        self.profile = tempfile.mkdtemp(dir=os.environ["CHAPPIE_WORLD"])
        super().__init__(desk, "Chromium", [
            "chromium", "--no-sandbox", "--no-first-run", "--disable-gpu", "--password-store=basic",
            f"--user-data-dir={self.profile}", *options, "--app=file://FILE.html"], lambda: desk.key("ctrl+a"))

    def open(self, text):
        Path(f"{self.file}.html").write_text(self.PAGE.format(json.dumps(text)))
        super().open(text)
        wait_for("the page", lambda: self.text() == "page")
        time.sleep(1)  # There is no event for the focus in the page.

    def text(self):
        return self.desk.title()


class Run(window.Run):
    OPTIONS = [*window.Run.OPTIONS, "--auto-approve"]

    def __init__(self, pictures, desk):
        self.pictures = pictures
        self.display = self.desk = desk
        self.world = window.World(*self.OPTIONS)
        self.window = Popup()
        self.table = []

    @property
    def programs_of_window(self):
        """Its programs come before those of the same name."""
        return Path(os.environ["CHAPPIE_WORLD"]) / "window-programs"

    @property
    def can_replace(self):
        """Whether the desktop tells which window has the focus."""
        return self.desk.kind != "GNOME"

    def programs(self):
        desk, select_all = self.desk, lambda: self.desk.key("ctrl+a")
        line = lambda: desk.click(desk.focused(), 3)  # noqa: E731
        gtk = Program(desk, "GTK 4", ["gjs", "-m", str(TOP / "Tests/desktop/editor.js"), "FILE"], select_all)
        qt = Program(desk, "FeatherPad (Qt)", ["featherpad", "--standalone", "FILE"],
                     # Its “select all” does not set the selection that other programs can read.
                     lambda: desk.key("ctrl+shift+End"), save="ctrl+s")
        if desk.kind == "X11":
            return [gtk, qt, Terminal(desk, "st", ["st", "-e"], line), Browser(desk)]
        if desk.kind in ("Plasma", "KWin"):
            # Below its toolbar.
            line = lambda: desk.click(desk.focused(), 3, y=58)  # noqa: E731
            konsole = ["konsole", "--hide-menubar", "--hide-tabbar", "-e"]
            platform = "--ozone-platform=x11" if desk.kind == "Plasma" else "--ozone-platform=wayland"
            return [gtk, qt, Terminal(desk, "Konsole", konsole, line), Browser(desk, platform)]
        # Chromium ends at its start after wtype has pressed keys.
        foot = Terminal(desk, "foot", ["foot"], self.search_in_foot)
        return [Browser(desk, "--ozone-platform=wayland"), gtk, qt, foot]

    def search_in_foot(self):
        """A search selects what it has found."""
        self.desk.key("ctrl+shift+r")
        self.desk.type("Teh night bus")
        self.desk.key("Return")

    def steps(self):
        replacing = [self.replaces_at_once, self.keeps_what_is_copied_meanwhile, self.keeps_an_unreadable_clipboard,
                     self.leaves_a_secret, self.loses_the_focus]
        return [self.opens, self.asks_the_desktop, self.acts_in_programs, self.refuses_a_password, self.bears_nonsense,
                self.bounds, self.walks, self.stops, self.copies, self.continues,
                *(replacing if self.can_replace else []), self.locked, self.without_a_service, self.measures, self.idles]

    def install(self):
        """Lets the bus start the window."""
        services = Path(os.environ["XDG_DATA_HOME"]) / "dbus-1/services"
        log = Path(os.environ["CHAPPIE_WORLD"]) / "window.log"
        self.programs_of_window.mkdir()
        program = f"PATH={self.programs_of_window}:$PATH exec gjs -m {window.WINDOW} --gapplication-service >>{log} 2>&1"
        (services / f"{WINDOW}.service").write_text(f"[D-BUS Service]\nName={WINDOW}\nExec=/bin/sh -c '{program}'\n")
        call_bus("ReloadConfig")
        self.window.log = open(log, "w+")

    def opens(self):
        self.install()
        templates = Path(os.environ["XDG_CONFIG_HOME"]) / "chappie/templates"
        templates.mkdir(parents=True)
        (templates / "now.txt").write_text(
            "[Template]\nTitle=Zap\nSurfaces=selection\nReplace=at-once\n---\nZap: $input\n")
        self.world.start_service()
        subprocess.run(["chappie", "sign-in", "--device-code", "--no-open"], check=True, stdout=subprocess.DEVNULL,
                       timeout=TIMEOUT)

    def act(self, *name):
        self.trigger(*name)
        self.window.appears()

    def trigger(self, *name):
        if self.desk.kind in ("Plasma", "KWin", "GNOME") and not name:
            self.desk.key("super+shift+c")
        else:
            self.command(*name)

    @staticmethod
    def command(*name):
        subprocess.run(["chappie", "act", *name], check=True, timeout=TIMEOUT)

    @staticmethod
    def threads():
        return call("org.chappie", "/org/chappie", "org.chappie.Threads.List", "(a{sv})", {})

    def no_thread_is_left(self):
        wait_for("no thread is left", lambda: not self.threads())

    def acts_in_programs(self):
        for program in self.programs():
            if not shutil.which(program.command[0]):
                print(f"skip  {program.name}: there is no {program.command[0]}")
                continue
            done = []
            self.table.append((program.name, done))
            program.open("Teh night bus")
            try:
                self.acts_in(program, done)
            except Failure:
                print(program.log.read_text()[-2000:])
                raise
            finally:
                program.close()

    def acts_in(self, program, done):
        self.desk.set_clipboard(CONTENTS)
        focused = self.desk.focused()
        program.select()
        time.sleep(0.3)
        self.picture(f"{self.desk.kind}-{program.name}".replace(" ", ""))
        self.act("explain")
        self.window.shows("Teh night bus")
        done.append("read")
        self.window.shows("You said: “Explain the text")
        self.window.button_is_there("Copy")
        if self.window.named(Role.PUSH_BUTTON, "Replace"):
            raise Failure("an explanation can replace the text")
        done.append("shown")
        self.desk.key("Escape")
        self.window.disappears()
        self.no_thread_is_left()
        wait_for("the focus is back", lambda: self.desk.focused() == focused)
        if self.can_replace:
            self.replaces_in(program, focused)
        else:
            self.copies_in(program, focused)
        done.append("replaced" if self.can_replace else "copied")
        self.no_thread_is_left()

    def copies_in(self, program, focused):
        """Without a way back, the answer can only be copied, even if the action replaces at once."""
        before = program.text()
        for action, answer in ("correct", "The night bus."), ("now", "The last bus."):
            self.world.answer(answer)
            self.act(action)
            self.window.shows(answer)
            self.window.button_is_there("Copy")
            if self.window.named(Role.PUSH_BUTTON, "Replace"):
                raise Failure("the answer can replace the text")
            self.look(f"act-{self.desk.kind}")
            self.desk.key("Return")
            wait_for("the answer is copied", lambda: self.desk.clipboard() == answer)
            self.desk.key("Escape")
            self.window.disappears()
            wait_for("the focus is back", lambda: self.desk.focused() == focused)
        equal("the text", program.text(), before)

    def replaces_in(self, program, focused):
        # A terminal could obey the control characters, and run the lines.
        answer, end = "The night bus.\n", ""
        if isinstance(program, Terminal):
            self.world.answer("The night\nbus.")
            self.act("now")
            self.window.button_is_there("Replace")
            self.desk.key("Escape")
            self.window.disappears()
            self.no_thread_is_left()
            wait_for("the focus is back", lambda: self.desk.focused() == focused)
            answer, end = "The night bus.\x1b[201~\n", "[201~"
        self.world.answer(answer)
        self.act()
        self.window.shows("Make friendlier")
        if program.name == "GTK 4":
            self.look("act-list")
        self.desk.key("1")
        self.window.shows("The night bus.")
        self.window.button_is_there("Replace")
        if program.name == "GTK 4":
            self.look("act-answer")
        self.desk.key("Return")
        self.window.disappears()
        wait_for("the text is replaced", lambda: program.text() == f"The night bus.{end}")
        wait_for("the clipboard is back", lambda: self.desk.clipboard() == CONTENTS)
        equal("the focus", self.desk.focused(), focused)

    def program(self, name):
        return next(program for program in self.programs() if program.name == name)

    def editor(self, text="Teh night bus"):
        program = self.program("GTK 4")
        program.open(text)
        return program

    def ends(self, sentence):
        """The window tells a sentence, and is closed."""
        self.window.shows(sentence)
        if self.window.sees("Teh night bus") or self.window.sees("Explain"):
            raise Failure(f"there is more than “{sentence}”")
        self.desk.key("Escape")
        self.window.disappears()

    def asks_the_desktop(self):
        """Plasma asks once whether Chappie may press keys. If it may not, the answer can be copied."""
        if self.desk.kind != "KWin":
            return
        editor = self.editor()
        token = Path(os.environ["XDG_STATE_HOME"]) / "chappie/remote-desktop-token"
        for answer in ("another", "Escape", "Return"):
            editor.select()
            self.world.answer("The night bus.")
            self.act("correct")
            self.window.button_is_there("Replace")
            self.desk.key("Return")
            wait_for("the question", lambda: self.desk.title() == "Remote control requested")
            self.look("act-question")
            if answer == "another":
                # It closes the first one, which takes its question back.
                self.window.action("act", "nothing")
                self.window.shows("There is no action “nothing”.")
                self.desk.key("Escape")
                self.window.disappears()
                wait_for("the editor has the focus", lambda: self.desk.title() == "Editor")
                continue
            self.desk.key(answer)
            if answer == "Escape":
                self.window.shows("The desktop does not let Chappie press keys")
                self.window.button_is_there("Copy")
                equal("the token", token.exists(), False)
                self.desk.key("Escape")
            self.window.disappears()
        wait_for("the text is replaced", lambda: editor.text() == "The night bus.")
        equal("the mode of the token", f"{token.stat().st_mode & 0o777:o}", "600")
        self.no_thread_is_left()
        editor.close()

    def refuses_a_password(self):
        """The text that was selected before is not shown either."""
        editor = self.editor()
        editor.select()
        time.sleep(0.3)
        self.desk.key("ctrl+Tab")
        self.desk.type("secret")
        self.act()
        self.ends("The focus is in a password field, whose text Chappie does not read.")
        editor.close()

    def bears_nonsense(self):
        """A program that tells AT-SPI nonsense hides neither the list nor the password field of another."""
        address = call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress")
        liar = subprocess.Popen([sys.executable, "-c", LIAR, address], stdout=subprocess.PIPE, text=True)
        equal("the program of nonsense", liar.stdout.readline(), "embedded\n")
        try:
            editor = self.editor()
            editor.select()
            for _ in range(5):
                self.command()  # A key could be handled after the window was closed.
            self.window.appears()
            self.window.shows("Make friendlier")
            self.desk.key("Escape")
            self.window.disappears()
            self.desk.key("ctrl+Tab")
            self.desk.type("secret")
            self.act()
            self.ends("The focus is in a password field, whose text Chappie does not read.")
            editor.close()
        finally:
            liar.kill()
            liar.wait()

    def bounds(self):
        self.desk.unselect()
        self.act()
        self.ends("No text is selected.")
        editor = self.editor("é" * 32769)
        editor.select()
        self.act()
        self.ends("The selected text is longer than 64 KiB: select less of it.")
        editor.close()
        self.desk.unselect()
        editor = self.editor("é" * 32767)
        editor.select()
        self.act("explain")
        self.window.button_is_there("Copy")
        self.desk.key("Escape")
        self.window.disappears()
        editor.close()

    def walks(self):
        """The arrows choose an action; an unknown one is told."""
        self.text = self.editor()
        self.text.select()
        self.act()
        self.window.shows("Correct")
        self.desk.key("Down")
        self.desk.key("Return")
        self.window.shows("You said: “Explain the text")
        self.desk.key("Escape")
        self.window.disappears()
        self.window.action("act", "nothing")
        self.window.appears()
        self.window.shows("There is no action “nothing”.")
        self.desk.key("Escape")
        self.window.disappears()
        # As a desktop file does it.
        self.window.action("selection")
        self.window.appears()
        self.window.shows("Make friendlier")
        self.desk.key("Escape")
        self.window.disappears()

    def stops(self):
        """A turn that is stopped, and one whose window is closed."""
        for how in ("Stop", "Escape"):
            self.world.hold("one two three")
            self.act("explain")
            self.window.shows("one two three")
            if how == "Stop":
                self.window.press("Stop")
                self.window.shows("Stopped.")
                self.look("act-stopped")
            self.desk.key("Escape")
            self.window.disappears()
            self.no_thread_is_left()

    def copies(self):
        self.desk.set_clipboard(CONTENTS)
        self.world.answer("A bus by night.")
        self.act("explain")
        self.window.button_is_there("Copy")
        # The button has the focus. Wayland lets a window copy after a key alone.
        self.desk.key("Return")
        self.window.button_is_there("Copied")
        wait_for("the answer is copied", lambda: self.desk.clipboard() == "A bus by night.")
        self.desk.key("Escape")
        self.window.disappears()
        equal("the clipboard after the window", self.desk.clipboard(), "A bus by night.")
        self.desk.set_clipboard(CONTENTS)

    def continues(self):
        self.world.answer("A bus by night.")
        self.act("explain")
        self.window.shows("A bus by night.")
        self.window.press("Continue in the window")
        self.window.button_is_there("Ask")
        self.window.shows("A bus by night.")
        self.window.shows("Explain the text briefly")
        self.desk.key("ctrl+w")
        self.window.disappears()
        wait_for("the conversation is forgotten", lambda: not has_owner(WINDOW))
        for thread in self.threads():
            call("org.chappie", "/org/chappie", "org.chappie.Threads.Delete", "(s)", thread["id"])

    def replaces_at_once(self):
        focused = self.desk.focused()
        self.text.select()
        self.world.answer("The night bus.")
        # The window shows only until there is an answer.
        self.trigger("now")
        wait_for("the text is replaced", lambda: self.text.text() == "The night bus.")
        wait_for("the clipboard is back", lambda: self.desk.clipboard() == CONTENTS)
        equal("the focus", self.desk.focused(), focused)
        self.no_thread_is_left()

    def keeps_what_is_copied_meanwhile(self):
        self.text.select()
        self.world.answer("The day bus.")
        self.trigger("now")
        wait_for("the text is replaced", lambda: self.text.text() == "The day bus.")
        self.desk.set_clipboard("copied meanwhile")
        time.sleep(2)  # There is no event for what must not come.
        equal("the clipboard", self.desk.clipboard(), "copied meanwhile")
        self.desk.set_clipboard(CONTENTS)

    def keeps_an_unreadable_clipboard(self):
        """Its program hangs: nothing is pasted, since the clipboard could not be put back."""
        owner = self.desk.own_clipboard(CONTENTS)
        wait_for("the clipboard", lambda: self.desk.clipboard() == CONTENTS)
        self.end_window()  # The next one is not told what there is. After the stop, xclip would end with it.
        owner.send_signal(signal.SIGSTOP)
        self.cannot_put_back()
        self.cannot_put_back()
        owner.send_signal(signal.SIGCONT)
        reader = self.programs_of_window / self.desk.READER
        for work in "exec sleep 60", "exit 1":
            reader.write_text(f"#!/bin/sh\n{work}\n")
            reader.chmod(0o755)
            self.cannot_put_back()
        reader.unlink()
        equal("the clipboard", self.desk.clipboard(), CONTENTS)
        equal("the text", self.text.text(), "The day bus.")
        self.desk.set_clipboard(CONTENTS)
        owner.wait()

    def leaves_a_secret(self):
        """What a password manager has marked is not read: the clipboard is empty afterwards."""
        owner = subprocess.Popen(self.desk.OWNER_OF_A_SECRET)
        wait_for("the clipboard", lambda: self.desk.clipboard() == "a password")
        self.text.select()
        self.world.answer("The night train.")
        self.trigger("now")
        wait_for("the text is replaced", lambda: self.text.text() == "The night train.")
        wait_for("the clipboard is empty", lambda: not self.desk.clipboard())
        owner.kill()
        owner.wait()
        self.desk.set_clipboard(CONTENTS)

    @staticmethod
    def end_window():
        os.kill(call_bus("GetConnectionUnixProcessID", "(s)", WINDOW), signal.SIGTERM)
        wait_for("the end of the program", lambda: not has_owner(WINDOW))

    def cannot_put_back(self):
        self.text.select()
        self.world.answer("A bus.")
        self.act("correct")
        self.window.press("Replace")
        self.window.shows("What is on the clipboard cannot be put back")
        self.window.button_is_there("Copy")
        self.desk.key("Escape")
        self.window.disappears()

    def loses_the_focus(self):
        """The program has ended meanwhile: no key is pressed, and the text is on the clipboard."""
        self.text.select()
        self.world.answer("The very night bus.")
        self.act("correct")
        self.window.button_is_there("Replace")
        self.text.close()
        other = self.program("GTK 4")
        other.file.write_text("Another text")
        other.process = subprocess.Popen(other.command)
        wait_for("another window", lambda: "Another text" in other.file.read_text())
        self.window.press("Replace")
        self.window.disappears()
        wait_for("the answer is on the clipboard", lambda: self.desk.clipboard() == "The very night bus.")
        time.sleep(3)  # There is no event for a key that must not come.
        equal("the other text", other.text(), "Another text")
        equal("the clipboard", self.desk.clipboard(), "The very night bus.")
        other.close()
        self.text = self.editor()

    def locked(self):
        self.text.select()
        self.world.start_locker()
        self.world.lock(True)
        self.act()
        self.window.shows("The screen is locked")
        if self.window.sees("Teh night bus"):
            raise Failure("a locked screen shows the text")
        self.world.lock(False)
        self.window.shows("Teh night bus")
        self.window.shows("Make friendlier")
        self.world.lock(True)
        self.window.hides("Teh night bus")
        self.world.lock(False)
        self.window.shows("Teh night bus")
        self.desk.key("Escape")
        self.window.disappears()
        # An answer that is complete by then waits for the user.
        self.world.hold("one two three")
        self.act("now")
        self.window.shows("one two three")
        self.world.lock(True)
        self.window.hides("one two three")
        self.world.release()
        wait_for("the answer is complete", lambda: property_of("Client", "ActiveTurns") == [])
        self.world.lock(False)
        self.window.shows("Teh night bus")
        equal("the text", self.text.text(), "Teh night bus")
        self.desk.key("Escape")
        self.window.disappears()
        if self.desk.kind == "X11":
            self.locks_before_the_key()

    def locks_before_the_key(self):
        """The focus does not return without the window manager, so that the lock comes first."""
        self.world.answer("The night bus.")
        self.act("correct")
        self.window.button_is_there("Replace")
        self.desk.manager.send_signal(signal.SIGSTOP)
        self.window.press("Replace")
        self.window.disappears()
        self.world.lock(True)
        self.desk.manager.send_signal(signal.SIGCONT)
        time.sleep(3)  # There is no event for a key that must not come.
        equal("the text", self.text.text(), "Teh night bus")
        equal("the clipboard", self.desk.clipboard(), "The night bus.")
        self.world.lock(False)

    def without_a_service(self):
        self.world.be_offline()
        self.act("explain")
        self.window.shows("The backend could not be used")
        self.world.be_online()
        self.window.press("Try again")
        self.window.shows("You said: “Explain the text")
        self.desk.key("Escape")
        self.window.disappears()
        self.no_thread_is_left()
        self.world.kill_service()
        self.window.action("act", "")
        self.window.appears()
        self.window.shows("The service does not run")
        self.world.start_service()
        self.window.shows("Make friendlier")
        self.desk.key("Escape")
        self.window.disappears()

    def measures(self):
        """From the start of the command until the list takes keys, which is at most a frame before it is drawn: for
        information only, because machines differ. A look at the tree would take longer than the list."""
        events, focused = GLib.MainContext.default(), []

        def told(event):
            # Other programs tell of a focus, too.
            if event.detail1 == 1 and event.source.path.startswith("/org/chappie/Window/"):
                focused.append(time.monotonic())
        listener = Atspi.EventListener.new(told)

        def opens():
            time.sleep(1)  # Until the editor has told that it has the focus.
            while events.iteration(False):
                pass
            focused.clear()
            begun = time.monotonic()
            self.trigger()
            while not focused and time.monotonic() < begun + TIMEOUT:
                if not events.iteration(False):
                    time.sleep(0.001)
            self.window.appears()
            self.window.shows("Make friendlier")
            self.desk.key("Escape")
            self.window.disappears()
            return (focused[0] - begun) * 1000

        listener.register("object:state-changed:focused")
        self.end_window()
        cold, warm = opens(), sorted(opens() for _ in range(9))
        print(f"      key to list: {cold:.0f} ms cold; {warm[0]:.0f} to {warm[-1]:.0f} ms warm, half of them within"
              f" {warm[4]:.0f} ms (load {os.getloadavg()[0]:.1f})")
        listener.deregister("object:state-changed:focused")
        self.text.close()

    def idles(self):
        """The main thread is not woken for five seconds."""
        status = Path(f"/proc/{call_bus('GetConnectionUnixProcessID', '(s)', WINDOW)}/status")

        def rests():
            before = re.search(r"^voluntary_ctxt_switches:.*", status.read_text(), re.M)[0]
            time.sleep(5)
            return before in status.read_text()
        wait_for("five seconds without a wake-up", rests)

    def report_failure(self):
        self.picture("failure")
        print((Path(os.environ["CHAPPIE_WORLD"]) / "window.log").read_text()[-3000:])
        with suppress(Failure):
            print("\n".join(f"  {node}" for node in self.window.tree().all()))

    def close(self):
        print("\n".join(f"      {self.desk.kind}: {name}: {', '.join(done) or 'nothing'}" for name, done in self.table))
        self.world.close()
        self.display.close()


DESKS = {"sway": Sway, "plasma": Plasma, "kwin": KWin, "gnome": Gnome}


def main():
    arguments = parse_arguments(*[f"--{name}" for name in DESKS])
    if arguments.sway and os.getuid() == 0:
        # sway refuses to run as root.
        command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
                   str(TOP / "scripts/private-session"), *sys.argv]
        os.execvp(command[0], command)
    desk = next((desk for name, desk in DESKS.items() if getattr(arguments, name)), X11)
    run = Run(arguments.pictures, desk())
    return run_steps(run, [*run.steps(), run.logs_no_errors])


if __name__ == "__main__":
    sys.exit(main())
