#!/usr/bin/env python3
"""Puts each hostile value into each field that the service reads.

Runs in scripts/private-session:  scripts/private-session Tests/extremes/extremes.py DIRECTORY-WITH-THE-PROGRAMS

The fields are found, not listed. The answers of the stand-in give the fields of JSON, tokens and headers; the files in
dbus give the members of the bus and their types; the database gives its columns; the sample gives the keys of the
configuration; and the source gives the names that a reader asks for, so that a field is tried before anything sends
it. The service has to outlive each of them, and to answer as usual afterwards.
"""

import argparse
import base64
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path += [str(TOP / "Tests/torture"), str(TOP / "Tests/abuse")]

from bus.chappie import Caller, ROOT, options
from bus.connection import CallFailed, Gone, Unanswered
from bus.marshal import Variant, types
from network import Relay
from session import Failure, Refused, Session, wait_until
from values import JSON, OPTION_NAMES, PLAIN, TEXTS, WORST, WORST_PLAIN, typed

# Their effects would end the other tries.
LAST = {"Erase", "SignOut", "Close"}


class World(Session):
    """A session in which all that the service hears goes through the relay."""

    def __init__(self, programs, log):
        super().__init__(programs, log)
        self.wire = Relay()
        self.failures = []
        self.tries = 0

    def launch_service(self):
        command = [self.programs / "chappied", "--issuer", self.wire.url, "--backend", f"{self.wire.url}/backend-api"]
        self.service = subprocess.Popen(command, stdout=self.log, stderr=self.log)

    def caller(self):
        self.address = os.environ["DBUS_SESSION_BUS_ADDRESS"]
        caller = Caller(self.address, patience=20)
        caller.on_call = lambda call: caller.answer(call, "s", ["echo"])
        return caller, self.client(caller)

    @staticmethod
    def client(caller):
        """A client with a tool, so that a turn has two answers."""
        path = caller.open_client(streaming_transport_policy=options(prefers_web_socket=False))
        tool = options(name="echo", description="Echoes.")
        caller.client(path, "RegisterTools", "aa{sv}o", [[tool], ROOT])
        return path

    def outlives(self, what):
        """Notes a failure and starts the service anew if it has ended."""
        try:
            self.service.wait(0.02)
        except subprocess.TimeoutExpired:
            return True
        self.failures.append(f"{what}: the service ended with status {self.service.returncode}")
        print(f"FAILED {self.failures[-1]}", flush=True)
        self.wire.queues.clear()
        self.start_service()
        return False

    def is_signed_in(self):
        return self.state() == "signed-in"

    def mend(self):
        """Signs in, if a hostile answer has ended the sign-in or keeps one waiting."""
        self.wire.queues.clear()
        for _ in range(3):
            if self.is_signed_in():
                return
            try:
                self.call("Session.CancelSignIn")
                self.start_sign_in()
                wait_until(self.is_signed_in, "a sign-in", 10)
            except (Failure, Refused):
                self.end_service()
                self.start_service()
        raise Failure("no sign-in after hostile answers")


# The network


def network(world, seconds, raws, plain, field, choice):
    """Each field of each answer, by the calls that lead to the answer."""
    def send(caller, path):
        # Turns of one client would wait for each other.
        path = world.client(caller)
        serial = caller.post(path, "org.chappie.Client", "Send", "sa{sv}", ["use echo {}", {}])
        opened.append(path)
        return serial

    def renew(caller, path):
        world.expire_access_tokens()
        return send(caller, path)

    def sign_in(caller, path):
        try:
            caller.call(ROOT, "org.chappie.Session", "SignOut")
        except CallFailed:
            pass
        return caller.post(ROOT, "org.chappie.Session", "StartDeviceCodeSignIn", "a{sv}", [options(notify=False)])

    def get(member, signature="", values=()):
        return lambda caller, path: caller.post(path, "org.chappie.Client", member, signature, values)

    def models(caller, path):
        world.end_service()
        world.start_service()
        caller, path = world.caller()
        return get("ListModels", "a{sv}", [{}])(caller, path), caller

    opened = []
    operations = {"usage": (get("GetUsageLimits"), 8), "responses": (send, 8), "models": (models, 1),
                  "refresh": (renew, 1), "usercode": (sign_in, 1), "exchange": (sign_in, 1)}
    caller, path = world.caller()
    for operation, _ in operations.values():
        if operation not in (models, sign_in):
            caller.reply(operation(caller, path))
    plans = {kind: [change for change in world.wire.plan(kind, raws, plain)
                    if re.search(field, f"{kind}/{'/'.join(map(str, change[0]))}")] for kind in world.wire.samples}
    plans = {kind: plan for kind, plan in plans.items() if plan}
    begin = time.monotonic()
    sizes = sorted(plans.values(), key=len)
    for number, (kind, changes) in enumerate(sorted(plans.items(), key=lambda item: len(item[1]))):
        if kind not in operations:
            print(f"network: nothing calls for {kind}")
            continue
        operation, width = operations[kind]
        # Each place comes with its first value before any comes with its second, however short the time is.
        choice.shuffle(changes)
        changes.sort(key=lambda change: change[2])
        end = begin + seconds * sum(map(len, sizes[:number + 1])) / sum(map(len, sizes))
        done = 0
        while done < len(changes) and time.monotonic() < end:
            part = changes[done:done + width]
            world.wire.taken.clear()
            world.wire.queues[kind].extend(part)
            for _ in range(3):
                if not world.wire.queues[kind]:
                    break
                try:
                    serials = [operation(caller, path) for _ in part]
                    for serial in serials:
                        serial, client = serial if isinstance(serial, tuple) else (serial, caller)
                        caller = client
                        try:
                            client.reply(serial, 20)
                        except CallFailed:
                            pass
                    if kind in ("exchange", "token"):
                        wait_until(lambda: not world.wire.queues[kind] or world.service.poll() is not None, "a poll", 8)
                except (Gone, Unanswered, Failure, CallFailed):
                    pass
            tried = world.wire.taken or [(kind, change) for change in part]
            done += len(part)
            world.tries += sum(len(raws) for _, (_, raws, _) in world.wire.taken)
            lives = world.outlives(f"{kind}, one of {shown(tried)}")
            if not lives or kind == "models":
                caller, path = world.caller()
                opened.clear()
            for path_of_turn in opened:
                caller.post(ROOT, "org.chappie.Manager", "Close", "o", [path_of_turn])
            opened.clear()
            if caller.property(ROOT, "org.chappie.Session", "State") != "signed-in":
                world.mend()
        print(f"network: {done} of {len(changes)} answers of {kind}", flush=True)
    world.mend()


def shown(tried):
    return "; ".join(f"{'/'.join(map(str, place))} = {raws[0][:40] if len(raws) == 1 else 'any'}"
                     for _, (place, raws, _) in tried)


# The bus


def members():
    """The methods: interface, name, and the types of the arguments."""
    for file in sorted(TOP.glob("dbus/org.chappie.*.xml")):
        for interface in xml.parse(file).getroot().iter("interface"):
            for method in interface.iter("method"):
                inputs = [arg.get("type") for arg in method.iter("arg") if arg.get("direction") == "in"]
                yield interface.get("name"), method.get("name"), inputs


def plain_value(kind):
    return {"s": "x", "o": ROOT, "b": True, "d": 1.0}.get(kind, [] if kind[0] == "a" and kind[1] != "{" else
                                                       {} if kind[0] == "a" else 1)


def hostile(kind, choice):
    """Hostile values of a type: of each option that a reader asks for, with each type."""
    if kind in ("a{sv}", "aa{sv}"):
        for name in OPTION_NAMES:
            for inner in ("x", "t", "u", "i", "d", "s", "as", "a{sv}", "a(ss)"):
                values = typed(inner) or [inner_value(inner, choice)]
                value = Variant(inner, choice.choice(values))
                yield {name: value} if kind == "a{sv}" else [{"name": Variant("s", "x"), name: value}]
                if name != "name" and kind == "a{sv}" and inner in "xtuid":
                    yield {name: Variant(inner, values[0])}
                    yield {name: Variant(inner, values[-1])}
    elif kind == "as":
        yield ["\u00e9", "e\u0301", "", "x" * 65536]
    elif kind == "a(ss)":
        yield from ([("user", text)] for text in TEXTS)
    else:
        yield from typed(kind)


def inner_value(kind, choice):
    if kind == "as":
        return TEXTS[:6]
    if kind == "a(ss)":
        return [("user", text) for text in TEXTS[:4]]
    return {name: Variant("x", choice.choice([-1 << 63, (1 << 63) - 1])) for name in OPTION_NAMES}


def bus(world, seconds, choice):
    caller, path = world.caller()
    calls = []
    for interface, member, inputs in members():
        # A tool of a caller is called by the service; a descriptor is none of a value.
        if interface == "org.chappie.ToolHandler" or member in LAST or any("h" in kind for kind in inputs):
            continue
        for place, kind in enumerate(inputs):
            for value in hostile(kind, choice):
                values = [value if index == place else plain_value(each) for index, each in enumerate(inputs)]
                calls.append((interface, member, "".join(inputs), values))
    choice.shuffle(calls)
    end, done = time.monotonic() + seconds, 0
    while done < len(calls) and time.monotonic() < end:
        part = calls[done:done + 24]
        done += len(part)
        try:
            for interface, member, signature, values in part:
                home = path if interface in ("org.chappie.Client", "org.chappie.Threads") else ROOT
                caller.post(home, interface, member, signature, values)
            caller.reply(caller.post(ROOT, "org.freedesktop.DBus.Peer", "Ping"), 30)
            caller.take_replies()
        except (Gone, Unanswered, CallFailed):
            pass
        if not world.outlives("the bus, one of " + "; ".join(f"{m}{v!r}"[:120] for _, m, _, v in part)):
            caller, path = world.caller()
        elif done % 240 == 0:
            caller.close()
            caller, path = world.caller()
    world.tries += done
    print(f"bus: {done} of {len(calls)} calls", flush=True)
    caller.close()
    world.mend()


# What is stored


def database(world, numbers):
    """Each number of each table, and texts in place of texts."""
    caller, path = world.caller()
    threads = [caller.call(ROOT, "org.chappie.Threads", "Create", "a{sv}", [options(title=title)])[0] for title in "abc"]
    for thread in threads[:2]:
        caller.call(ROOT, "org.chappie.Threads", "Send", "ssa{sv}", [thread, "hi", {}])
    file = next(Path(os.environ["XDG_DATA_HOME"]).rglob("threads.db"))
    with sqlite3.connect(file, isolation_level=None, timeout=10) as connection:
        names = [name for name, in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        columns = [(table, row[1], row[2]) for table in names for row in connection.execute(f"PRAGMA table_info({table})")]
        for table, column, kind in columns:
            for value in numbers if kind == "INTEGER" else [b"", b"\xff" * 70] if kind == "BLOB" else TEXTS[:8]:
                rows = connection.execute(f"SELECT rowid, {column} FROM {table} ORDER BY rowid LIMIT 1").fetchone()
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, rows[0]))
                try:
                    for member, signature, values in [
                        ("List", "a{sv}", [{}]), ("GetUsage", "", []), ("Get", "s", [threads[0]]),
                        ("Send", "ssa{sv}", [threads[0], "hi", {}]), ("Create", "a{sv}", [{}]),
                    ]:
                        try:
                            reply = caller.call(ROOT, "org.chappie.Threads", member, signature, values)
                            if member == "Create":
                                caller.call(ROOT, "org.chappie.Threads", "Delete", "s", reply)
                        except CallFailed:
                            pass
                except (Gone, Unanswered):
                    pass
                world.tries += 1
                if not world.outlives(f"the database, {table}.{column} = {value!r:.40}"):
                    caller, path = world.caller()
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (rows[1], rows[0]))
    caller.call(ROOT, "org.chappie.Threads", "DeleteAll")
    caller.close()
    print(f"database: {len(columns)} columns", flush=True)


def configuration(world, plain, choice):
    """Each key of the sample, and the files of the state: the service starts, or says why not."""
    file = Path(os.environ["XDG_CONFIG_HOME"], "chappie/chappie.conf")
    file.parent.mkdir(parents=True, exist_ok=True)
    group, keys = None, []
    for line in (TOP / "data/chappie.conf").read_text().splitlines():
        if match := re.fullmatch(r"\[(.*)\]", line):
            group = match[1]
        elif match := re.fullmatch(r"#(\w+)=.*", line):
            keys.append((group, match[1]))
    for group, key in keys:
        values = [value for value in plain if "\n" not in value]
        for value in choice.sample(values, min(4, len(values))) + [plain[0]]:
            file.write_text(f"[{group}]\n{key}={value}\n")
            service = subprocess.Popen([world.programs / "chappied"], stdout=world.log, stderr=world.log)
            try:
                status = service.wait(0.3)
            except subprocess.TimeoutExpired:
                service.kill()
                status = service.wait()
            world.tries += 1
            if status < 0 and status != -signal.SIGKILL:
                world.failures.append(f"the configuration, [{group}] {key}={value[:40]}: ended with status {status}")
                print(f"FAILED {world.failures[-1]}", flush=True)
    file.unlink()
    print(f"configuration: {len(keys)} keys", flush=True)


def state(world, plain):
    """The file of answers on background use, with groups that look alike."""
    file = Path(os.environ["XDG_STATE_HOME"], "chappie/background-use")
    caller, path = world.caller()
    for value in plain:
        if "\n" in value:
            continue
        groups = [value, value] + (["caf\u00e9", "cafe\u0301"])
        file.write_text("".join(f"[{group or 'x'}]\nAnswer={value}\nTime={value}\n" for group in groups)
                        + f"[desktop-user]\nAnswer=allow\nTime={value}\n")
        try:
            caller.send(path, "hi", background=True)
        except (CallFailed, Gone, Unanswered):
            pass
        world.tries += 1
        if not world.outlives(f"the file background-use with {value[:40]!r}"):
            caller, path = world.caller()
    file.unlink()
    caller.close()
    print("state: background-use", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("--seconds", type=float, default=45, help="for the network and the bus together")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--field", default="", help="an expression for the fields of the network, to repeat a failure")
    parser.add_argument("--all", action="store_true", help="all values, and not only those that have done harm")
    parser.add_argument("--only", nargs="*", choices=["network", "bus", "database", "configuration", "state"])
    arguments = parser.parse_args()
    # A backtrace takes seconds, and the status tells that the service has ended.
    os.environ["SWIFT_BACKTRACE"] = "enable=no"
    choice = random.Random(arguments.seed)
    raws, plain, numbers = JSON, PLAIN, typed("x")
    if not arguments.all:
        raws, plain, numbers = WORST, WORST_PLAIN, [-1 << 63, (1 << 63) - 1, -1, (1 << 53) + 1]
    print(f"seed {arguments.seed}", flush=True)
    begin = time.monotonic()
    log = Path(os.environ["XDG_RUNTIME_DIR"], "extremes.log")
    with open(log, "w+") as output, World(arguments.programs.resolve(), output) as world:
        world.start_sandbox("--interval", "0", "--no-websocket")
        world.start_service()
        world.sign_in()
        parts = {
            "database": lambda: database(world, numbers), "state": lambda: state(world, plain),
            "network": lambda: network(world, arguments.seconds * 0.7, raws, plain, arguments.field, choice),
            "bus": lambda: bus(world, arguments.seconds * 0.3, choice),
            "configuration": lambda: configuration(world, plain, choice),
        }
        for name, part in parts.items():
            if not arguments.only or name in arguments.only:
                part()
        world.mend()
        world.send()
    if world.failures:
        print("--- the end of the log", *log.read_text(errors="replace").splitlines()[-20:], sep="\n")
    print(f"extremes: {world.tries} values, {len(world.failures)} failures, {time.monotonic() - begin:.0f} s")
    sys.exit(bool(world.failures))


if __name__ == "__main__":
    main()
