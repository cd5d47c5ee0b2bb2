#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests desktop/search: calls it over D-Bus as GNOME Shell and KRunner do, with the real service.

    scripts/private-session Tests/search.py DIRECTORY-WITH-THE-PROGRAMS

The bus starts the program. The window is a mock; Tests/window.py tests the real one.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import support
from gi.repository import Gio, GLib
from support import (
    BUS, TOP, Failure, call, call_bus, call_service, equal, has_owner, parse_arguments, property_of, run_steps, wait_for)

PROGRAMS = Path(sys.argv[1]).resolve()
SERVICES = Path(os.environ["XDG_DATA_HOME"]) / "dbus-1/services"
NAME, PATH = "org.chappie.Search", "/org/chappie/Search"
GNOME, KDE = "org.gnome.Shell.SearchProvider2", "org.kde.krunner1"
# The definitions of GNOME and KDE: name and type of each argument, and those of the reply after the arrow. KRunner's
# Config is missing, because it is for another X-Plasma-API.
DEFINITIONS = {
    GNOME: {
        "GetInitialResultSet": "terms as -> results as",
        "GetSubsearchResultSet": "previous_results as, terms as -> results as",
        "GetResultMetas": "identifiers as -> metas aa{sv}",
        "ActivateResult": "identifier s, terms as, timestamp u -> ",
        "LaunchSearch": "terms as, timestamp u -> ",
    },
    KDE: {
        "Teardown": " -> ",
        "Actions": " -> matches a(sss)",
        "Run": "matchId s, actionId s -> ",
        "Match": "query s -> matches a(sssida{sv})",
    },
}
# The installed files with these definitions.
INSTALLED = [Path("/usr/share/dbus-1/interfaces") / file
             for file in ("org.gnome.ShellSearchProvider2.xml", "kf6_org.kde.krunner1.xml", "kf5_org.kde.krunner1.xml")]


def fails(name, function, *arguments):
    """Checks that a call fails with this error."""
    try:
        function(*arguments)
    except GLib.Error as error:
        equal("the error", Gio.DBusError.get_remote_error(error), f"org.freedesktop.DBus.Error.{name}")
        return
    raise Failure(f"{function.__name__}{arguments!r:.100} succeeded")


# --- Calls of a shell


def search(*terms):
    return call(NAME, PATH, f"{GNOME}.GetInitialResultSet", "(as)", terms)


def narrow(previous, *terms):
    return call(NAME, PATH, f"{GNOME}.GetSubsearchResultSet", "(asas)", previous, terms)


def describe(*ids):
    return call(NAME, PATH, f"{GNOME}.GetResultMetas", "(as)", ids)


def activate(result, *terms):
    call(NAME, PATH, f"{GNOME}.ActivateResult", "(sasu)", result, terms, 7)


def match(query):
    return call(NAME, PATH, f"{KDE}.Match", "(s)", query)


def titles(*terms):
    """The found titles. Checks that “Ask” comes last."""
    found = search(*terms)
    equal("the last result", found[-1:], [f"special:ask:{' '.join(terms)}"])
    return [meta["name"] for meta in describe(*found[:-1])]


def only_ask(text):
    equal("GNOME Shell's results", search(text), [f"special:ask:{text}"])
    equal("KRunner's matches", [found[:2] for found in match(text)], [(f"special:ask:{text}", f"Ask: {text}")])


# --- Mocks of other programs on the bus


class MockWindow:
    """A mock of the window, which records activated actions."""

    XML = """<node><interface name="org.freedesktop.Application"><method name="ActivateAction">
        <arg type="s" direction="in"/><arg type="av" direction="in"/><arg type="a{sv}" direction="in"/>
        </method></interface></node>"""

    def __init__(self):
        self.actions = []
        interface = Gio.DBusNodeInfo.new_for_xml(self.XML).interfaces[0]
        BUS.register_object("/org/chappie/Window", interface, self._called, None, None)
        call_bus("RequestName", "(su)", "org.chappie.Window", 4)

    def _called(self, _bus, _sender, _path, _interface, _method, parameters, invocation):
        self.actions.append(parameters.unpack())
        invocation.return_value(None)

    def last(self):
        return self.actions[-1][:2]


class ManyThreads:
    """A mock of the service with thousands of threads."""

    COUNT = 7000
    XML = """<node><interface name="org.chappie.Threads"><method name="List">
        <arg type="a{sv}" direction="in"/><arg type="aa{sv}" direction="out"/></method></interface>
        <interface name="org.chappie.Manager"><property name="LockState" type="s" access="read"/></interface></node>"""

    def __init__(self):
        self.lists = 0
        self.is_listed = False
        # On a connection of its own, as another program.
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.bus = Gio.DBusConnection.new_for_address_sync(os.environ["DBUS_SESSION_BUS_ADDRESS"], flags)
        threads, manager = Gio.DBusNodeInfo.new_for_xml(self.XML).interfaces
        self.bus.register_object("/org/chappie", threads, self._list, None, None)
        self.bus.register_object("/org/chappie", manager, None, lambda *_: GLib.Variant("s", "unlocked"), None)
        self.bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                           GLib.Variant("(su)", ("org.chappie", 4)), None, 0, -1, None)

    def _list(self, _bus, _sender, _path, _interface, _method, parameters, invocation):
        self.lists += 1
        (options,) = parameters.unpack()
        self.is_listed = self.is_listed or options["archived"]
        first = int(options.get("cursor", 0))
        last = 0 if options["archived"] else min(self.COUNT, first + options["limit"])
        invocation.return_value(GLib.Variant("(aa{sv})", ([{
            "id": GLib.Variant("s", str(number)), "cursor": GLib.Variant("s", str(number + 1)),
            "updated_at": GLib.Variant("x", number),
            # Some threads have no title.
            **({"title": GLib.Variant("s", f"Thread number {number:05}")} if number % 2 else {}),
        } for number in range(first, last)],)))

    def close(self):
        self.bus.close_sync()


class World(support.World):
    def __init__(self):
        super().__init__("--auto-approve", "--interval", "1")
        # The installed program, with garbage collection all the time, which finds missing references.
        self.install_program("main.js", "loop.run();", """
            GLib.timeout_add(0, 20, () => imports.system.gc() ?? true);
            loop.run();""")
        (SERVICES / "org.chappie.service").write_text(f"[D-BUS Service]\nName=org.chappie\nExec={PROGRAMS}/chappied\n")
        call_bus("ReloadConfig")

    @staticmethod
    def install_program(file, line, other):
        """Installs the program with one line replaced."""
        directory = Path(os.environ["CHAPPIE_WORLD"]) / "search"
        for folder in ("search", "shared"):
            shutil.copytree(TOP / "desktop" / folder, directory.parent / folder, dirs_exist_ok=True)
        source = (TOP / "desktop/search" / file).read_text()
        if source.count(line) != 1:
            raise Failure(f"desktop/search/{file} has not one line “{line}”")
        (directory / file).write_text(source.replace(line, other))
        service = (directory / "org.chappie.Search.service.in").read_text()
        (SERVICES / "org.chappie.Search.service").write_text(service.replace("@datadir@/chappie/search", str(directory)))
        call_bus("ReloadConfig")

    def start_locker(self):
        super().start_locker()
        wait_for("its state", lambda: property_of("Manager", "LockState") == "unlocked")

    def lock(self, locked):
        super().lock(locked)
        wait_for("the lock", lambda: property_of("Manager", "LockState") == ("locked" if locked else "unlocked"))

    @staticmethod
    def threads(method, signature="()", *values):
        return call_service(f"Threads.{method}", signature, *values)

    def create(self, *created):
        """Creates threads with these titles, and returns their ids."""
        return [self.threads("Create", "(a{sv})", {"title": GLib.Variant("s", title)}) for title in created]


class Run:
    """The steps, in their order."""

    def __init__(self):
        self.world = World()
        self.window = MockWindow()
        self.loop = GLib.MainLoop()
        threading.Thread(target=self.loop.run, daemon=True).start()

    def interfaces(self):
        shown = ElementTree.fromstring(call(NAME, PATH, "org.freedesktop.DBus.Introspectable.Introspect"))
        for name, methods in DEFINITIONS.items():
            equal(name, self.methods(shown.find(f"interface[@name='{name}']")), methods)
        for file in filter(Path.exists, INSTALLED):
            interface = ElementTree.parse(file).find("interface")
            defined = self.methods(interface)
            defined.pop("Config", None)
            equal(str(file), defined, DEFINITIONS[interface.get("name")])

    @staticmethod
    def methods(interface):
        found = {}
        for method in interface.findall("method"):
            sides = [", ".join(f"{argument.get('name')} {argument.get('type')}" for argument in method.findall("arg")
                               if argument.get("direction") == direction) for direction in ("in", "out")]
            found[method.get("name")] = " -> ".join(sides)
        return found

    def without_a_service(self):
        only_ask("What is a bus?")
        equal("the description", describe("special:ask:bus")[0]["description"], "Shows the answer in a window")
        if has_owner("org.chappie"):
            raise Failure("typing started the service")

    def signed_out(self):
        self.world.start_service()
        only_ask("bus")
        activate("special:ask:What is <b>a bus</b>?", "What", "is")
        equal("the action", self.window.last(), ("ask", ["What is <b>a bus</b>?"]))
        call(NAME, PATH, f"{KDE}.Run", "(ss)", "special:ask:again", "")
        equal("KRunner's action", self.window.last(), ("ask", ["again"]))
        subprocess.run(["chappie", "sign-in"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)

    def finds_titles(self):
        rome, cafe, party, self.art = self.world.create(
            "Trip to Rome", "Café in ZÜRICH", "Party in Rome", "Art of <b>bold</b> & \"quotes\"")
        equal("one word", titles("rome"), ["Party in Rome", "Trip to Rome"])
        equal("two words", titles("rome", "tri"), ["Trip to Rome"])
        equal("accents and case", titles("cafe", "Zür"), ["Café in ZÜRICH"])
        equal("beginnings of words first", titles("art"), ["Art of <b>bold</b> & \"quotes\"", "Party in Rome"])
        equal("signs", titles(">bold</b> &"), ["Art of <b>bold</b> & \"quotes\""])
        equal("nothing", titles("nothing"), [])
        activate(search("trip")[0], "trip")
        equal("the action", self.window.last(), ("thread", [rome]))
        call(NAME, PATH, f"{GNOME}.LaunchSearch", "(asu)", ["in", "rome"], 7)
        equal("the whole search", self.window.last(), ("search", ["in rome"]))
        self.world.threads("Archive", "(s)", cafe)
        self.world.threads("Rename", "(ss)", party, "Arrival\u202e in Rome")
        equal("a changed title, without its direction", titles("rome"), ["Arrival in Rome", "Trip to Rome"])
        equal("an archived thread", [meta["description"].split(",")[0] for meta in describe(*search("cafe")[:-1])],
              ["Archived conversation"])

    def krunner(self):
        equal("actions", call(NAME, PATH, f"{KDE}.Actions"), [])
        found = match("  rome ")
        equal("names", [name for _, name, *_ in found], ["Arrival in Rome", "Trip to Rome", "Ask: rome"])
        equal("the order", sorted(found, key=lambda one: one[3:5], reverse=True), found)
        equal("an icon", {icon for _, _, icon, *_ in found}, {"org.chappie"})
        if not all(properties["subtext"] for *_, properties in found):
            raise Failure("a match has no subtext")
        call(NAME, PATH, f"{KDE}.Run", "(ss)", found[0][0], "")
        equal("the action", self.window.last()[0], "thread")

    def narrows(self):
        """A longer text matches only threads that the shorter one matches, whatever its previous results are."""
        self.world.create(*(f"Number {number}" for number in range(12)))
        some = search("num")
        equal("the number of results", len(some), 8 + 1)
        equal("beyond those that were given", describe(*narrow(some, "number", "3"))[0]["name"], "Number 3")
        equal("none of before", len(narrow([], "number 1")), 1 + 2 + 1)

    def odd_ids(self):
        gone = search("number", "7")
        self.world.threads("Delete", "(s)", gone[0].removeprefix("thread:"))
        metas = describe("nonsense", "", "thread:", "special:ask:", *gone, "thread:none", "thread:none")
        equal("ids", [meta["id"] for meta in metas], [*gone, "thread:none", "thread:none"])
        equal("a thread that is gone", [metas[0]["name"], metas[2]["name"]], ["Conversation"] * 2)
        # The window reports that it does not exist.
        activate(gone[0])
        equal("the action", self.window.last(), ("thread", [gone[0].removeprefix("thread:")]))
        for nonsense in ("", "nonsense", "thread:", "special:ask:", "special:"):
            fails("InvalidArgs", activate, nonsense)
            fails("InvalidArgs", call, NAME, PATH, f"{KDE}.Run", "(ss)", nonsense, "action")

    def odd_texts(self):
        for nothing in ([], [""], ["", " \t"], ["\x01\x7f\u2028"]):
            equal(f"for {nothing!r}", search(*nothing), [])
            equal(f"KRunner's for {nothing!r}", match(" ".join(nothing)), [])
        equal("controls", search("ro\x07me", "\x1b[31m"), ["special:ask:ro me [31m"])
        equal("marks alone", search("\u0301"), ["special:ask:\u0301"])
        long = "word " * 200000 + "end"
        equal("a long text", search(*long.split(" ")), [f"special:ask:{long}"])
        name = match(long)[0][1]
        if not name.startswith("Ask: word word") or not name.endswith("…") or len(name) > 140:
            raise Failure(f"a long text is shown as {name!r:.200}")
        equal("half a letter", describe("special:ask:" + "x" + "😀" * 500)[0]["name"], "Ask: x" + "😀" * 118 + "…")
        fails("InvalidArgs", call, NAME, PATH, f"{GNOME}.GetInitialResultSet", "(s)", "rome")
        fails("UnknownMethod", call, NAME, PATH, f"{KDE}.Match2", "(s)", "rome")
        if not titles("rome"):
            raise Failure("nothing is found any more")

    def locked(self):
        self.world.start_locker()
        found = search("rome")
        equal("before", len(found), 3)
        self.world.lock(True)
        only_ask("rome")
        equal("titles of before", [meta["name"] for meta in describe(*found)], ["Conversation"] * 2 + ["Ask: rome"])
        self.world.lock(False)
        equal("unlocked", titles("rome"), ["Arrival in Rome", "Trip to Rome"])

    def a_service_that_lists_while_locked(self):
        """Its threads can be read while the screen is locked, but a search must not show them."""
        self.world.kill_service()
        configuration = Path(os.environ["XDG_CONFIG_HOME"]) / "chappie/chappie.conf"
        configuration.parent.mkdir(parents=True, exist_ok=True)
        configuration.write_text("[Threads]\nProtection=complete-until-first-user-authentication\n")
        self.world.start_service()
        wait_for("its state", lambda: property_of("Manager", "LockState") == "unlocked")
        unlocked = self.world.create("Visible while locked")
        self.world.lock(True)
        equal("the service's list", [thread["id"] for thread in self.world.threads("List", "(a{sv})", {})][:1], unlocked)
        only_ask("visible")
        self.world.lock(False)
        equal("unlocked", titles("visible"), ["Visible while locked"])

    def a_service_that_hangs(self):
        self.world.create("Another")
        self.world.service.send_signal(signal.SIGSTOP)
        only_ask("another")
        only_ask("anothe")
        self.world.service.send_signal(signal.SIGCONT)
        wait_for("what is found", lambda: len(search("another")) == 2)

    def a_service_that_is_killed(self):
        found = search("another")
        self.world.kill_service()
        only_ask("another")
        equal("its title", describe(found[0])[0]["name"], "Conversation")
        if has_owner("org.chappie"):
            raise Failure("typing started the service")

    def many_threads(self):
        service = ManyThreads()
        last = f"Thread number {service.COUNT - 1:05}"
        wait_for("the last thread", lambda: titles("thread", last[-5:]) == [last])
        wait_for("the archived threads, which come last", lambda: service.is_listed)
        lists = service.lists
        equal("one letter less", titles("thread", last[-5:-1]), [last[:-1] + digit for digit in "13579"] + ["Thread number 00699"])
        equal("lists for it", service.lists - lists, 0)
        call(NAME, PATH, f"{KDE}.Teardown")
        titles("thread")
        wait_for("another list after the end of the search", lambda: service.lists > lists)
        service.close()

    def sandboxed_caller(self):
        world = os.environ["CHAPPIE_WORLD"]
        sandbox = ["bwrap", "--unshare-user", "--tmpfs", "/", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev",
                   "--bind", world, world]
        for link in ("bin", "lib", "lib64"):
            sandbox += ["--symlink", f"usr/{link}", f"/{link}"]
        if not shutil.which("bwrap") or subprocess.run([*sandbox, "true"], stderr=subprocess.DEVNULL).returncode:
            return print("skip  a sandboxed caller: bubblewrap can make no sandbox here")
        gdbus = ["gdbus", "call", "--session", "--dest", NAME, "--object-path", PATH, "--method"]
        for arguments in ([f"{GNOME}.GetInitialResultSet", "['rome']"], [f"{KDE}.Run", "special:ask:rome", ""]):
            before = len(self.window.actions)
            refused = subprocess.run([*sandbox, *gdbus, *arguments], capture_output=True, text=True)
            if "org.freedesktop.DBus.Error.AccessDenied" not in refused.stderr or len(self.window.actions) > before:
                raise Failure(f"a sandboxed app was told: {refused.stdout}{refused.stderr}")
        outside = subprocess.run([*gdbus, f"{GNOME}.GetInitialResultSet", "['rome']"], capture_output=True, text=True)
        equal("outside", outside.stdout, "(['special:ask:rome'],)\n")

    def ends(self):
        only_ask("the last")
        wait_for("the end of the program", lambda: not has_owner(NAME))

    def loses_no_call_at_its_end(self):
        """Without an idle time the program ends after each call."""
        self.world.install_program("idle-exit.js", "IDLE_TIMEOUT = 20;", "IDLE_TIMEOUT = 0;")
        with ThreadPoolExecutor(3) as pool:
            results = list(pool.map(lambda number: search(str(number)), range(400)))
        equal("results", results, [[f"special:ask:{number}"] for number in range(400)])
        wait_for("the end of the program", lambda: not has_owner(NAME))

    @staticmethod
    def bus_log():
        return (Path(os.environ["CHAPPIE_WORLD"]) / "bus.log").read_text()

    def report_failure(self):
        print(self.bus_log()[-2000:])

    def close(self):
        self.world.close()
        self.loop.quit()

    def logs_no_errors(self):
        equal("errors", [line for line in self.bus_log().splitlines() if re.search("Gjs-|GLib|CRITICAL", line)], [])


def main():
    parse_arguments()
    run = Run()
    steps = [run.interfaces, run.without_a_service, run.signed_out, run.finds_titles, run.krunner, run.narrows, run.odd_ids,
             run.odd_texts, run.locked, run.a_service_that_lists_while_locked, run.a_service_that_hangs,
             run.a_service_that_is_killed, run.many_threads, run.sandboxed_caller, run.ends, run.loses_no_call_at_its_end,
             run.logs_no_errors]
    return run_steps(run, steps)


sys.exit(main())
