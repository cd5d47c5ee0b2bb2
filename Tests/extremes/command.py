"""Input of the command: replies, properties and signals of the service, and the lines of a turn."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

from bus.chappie import ROOT, options
from bus.connection import (
    CALL, CHAPPIE, DESTINATION, INTERFACE, MEMBER, PATH, REPLY, SIGNAL, SIGNATURE, UNIX_FDS, Message)
from bus.marshal import Reader, Variant, marshal, types
from fields import EACH, NUMBERS, fields, put
from relay import clash
from stage import Ended, Source, shared
from values import LIMITS, OPTION_TYPES, TEXTS, typed

# Steps of a path: into a variant, to its type, to all options that a reader asks for, and into text that is JSON.
TYPE, OPTIONS, TEXT = "<type>", "<options>", "<text>"
# A line of each verb, and what it reads. One without an end is ended.
LINES = [
    ["status"], ["status", "--json"], ["accounts"], ["accounts", "--json"], ["models"], ["models", "--json"], ["usage"],
    ["usage", "--json"], ["ask", "hi"], ["ask", "--json", "hi"], ["ask", "--continue", "hi"],
    ["ask", "--thread", "last", "hi"], ["chat"], ["context"], ["context", "--messages"], ["context", "--json"],
    ["threads"], ["threads", "--json"], ["threads", "search", "hi", "nothing"], ["threads", "show", "last"],
    ["threads", "export", "last"],
    ["threads", "export", "last", "--format", "markdown"], ["threads", "usage"], ["approvals"], ["approvals", "--json"],
    ["doctor"], ["doctor", "--json"], ["templates"], ["tools"], ["erase"], ["monitor"],
    ["monitor", "--usage", "--json"],
    ["sign-in", "--device-code", "--account", "other"], ["sign-in", "--no-open", "--browser", "--account", "other"],
    ["sign-out", "--account", "other"], ["act", "explain"], ["suggest-command", "hi"], ["explain-last"],
    ["shell-integration", "bash"],
]
# Concurrent runs of the command.
RUNS = 4
ENDLESS = ("monitor", "sign-in")


class TypedReader(Reader):
    """Keeps the types of variants."""

    def one(self, type):
        if type == "v":
            self.pad(1)
            signature = super().one("g")
            return Variant(signature, self.one(signature))
        return super().one(type)


def typed_places(type, value, path=()):
    """The paths of all values, with their types."""
    if type == "v":
        yield (*path, TYPE), type
        yield from typed_places(value.signature, value.value, path)
    elif type[:2] == "a{":
        yield (*path, OPTIONS), type
        for key, member in value.items():
            yield from typed_places(type[3:-1], member, (*path, key))
    elif type[0] == "a":
        yield path, type
        if value:
            yield from typed_places(type[1:], value[0], (*path, EACH))
    elif type[0] == "(":
        for index, inner in enumerate(types(type[1:-1])):
            yield from typed_places(inner, value[index], (*path, index))
    elif type == "s" and value.startswith("{"):
        yield path, type
        yield from (((*path, TEXT, *inner), TEXT) for inner in fields(json.loads(value), []))
    elif type != "h":
        yield path, type


def typed_put(type, value, path, hostile):
    """The value with a hostile one at the path."""
    if path == [NUMBERS]:
        for place, kind in list(typed_places(type, value)):
            if kind in LIMITS:
                value = typed_put(type, value, list(place), typed(kind)[hostile])
        return value
    if type == "v":
        if path == [TYPE]:
            return hostile
        return Variant(value.signature, typed_put(value.signature, value.value, path, hostile))
    if not path:
        return hostile
    step, rest = path[0], path[1:]
    if step == OPTIONS:
        return {**hostile, **value}
    if step == TEXT:
        return put(json.loads(value), {tuple(rest): [hostile]}).encode("utf-8", "surrogatepass")
    if step == EACH:
        return [typed_put(type[1:], each, rest, hostile) for each in value]
    if type[0] == "(":
        inner = types(type[1:-1])[step]
        return tuple(typed_put(inner, each, rest, hostile) if index == step else each
                     for index, each in enumerate(value))
    return {key: typed_put(type[3:-1], each, rest, hostile) if key == step else each for key, each in value.items()}


def hostiles(type, raws):
    """The values for a place, each in a list."""
    variants = [[Variant(kind, value)] for kind in ("x", "t", "u", "d", "s", "b") for value in typed(kind)]
    if type == "v":
        return variants
    if type == TEXT:
        return [[raw] for raw in raws]
    if type[:2] == "a{":
        key, inner = type[2], type[3:-1]
        return [[dict.fromkeys(OPTION_TYPES, each)] for each, in variants] if inner == "v" and key == "s" else [[{}]]
    if type[0] == "a":
        return [[[]], [TEXTS[:7]]] if type == "as" else [[[]]]
    return [[value] for value in typed(type)]


class Tap:
    """The bus of the session for one run of the command, with changes in what the service says to it.

    A change is a place, which begins with a kind of message or line, and a value.
    """

    def __init__(self, path, changes):
        self.changes, self.samples = changes, {}
        self.calls, self.begun = {}, False
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.path = path
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()
        self.path.unlink()

    def accept(self):
        try:
            client, _ = self.listener.accept()
        except OSError:
            return
        bus = socket.socket(socket.AF_UNIX)
        bus.connect(os.environ["DBUS_SESSION_BUS_ADDRESS"].removeprefix("unix:path=").split(",")[0])
        for source, sink, handle in ((client, bus, self.asked), (bus, client, self.told)):
            threading.Thread(target=self.pass_on, args=(source, sink, handle), daemon=True).start()

    def pass_on(self, source, sink, handle):
        """Passes the messages, with their descriptors, after the greeting."""
        data, waiting = b"", []
        try:
            while True:
                more, descriptors, _, _ = socket.recv_fds(source, 1 << 20, 16)
                if not more:
                    break
                data, waiting = data + more, waiting + descriptors
                if not self.begun:
                    greeting, begin, data = data.partition(b"BEGIN\r\n")
                    self.begun = bool(begin)
                    sink.sendall(greeting + begin)
                while len(data) >= 16:
                    body, _, fields = struct.unpack_from("<III", data, 4)
                    head = 16 + fields + (-fields % 8)
                    if len(data) < head + body:
                        break
                    message = Message(data[:head + body], head)
                    data = data[head + body:]
                    count = message.fields.get(UNIX_FDS, 0)
                    content, passed = handle(message, waiting[:count])
                    waiting = waiting[count:]
                    sent = socket.send_fds(sink, [content], passed)
                    sink.sendall(content[sent:])
                    for descriptor in passed:
                        os.close(descriptor)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def asked(self, message, descriptors):
        if message.type == CALL and message.fields.get(DESTINATION) == CHAPPIE:
            kind = f"{message.fields.get(INTERFACE, '')}.{message.fields[MEMBER]}"
            if kind.startswith("org.freedesktop.DBus.Properties."):
                kind = " ".join([kind.removeprefix("org.freedesktop.DBus."), *message.body])
            self.calls[message.serial] = kind
        return message.content, descriptors

    def told(self, message, descriptors):
        kind = None
        if message.type == REPLY:
            kind = self.calls.get(message.answers)
        elif message.type == SIGNAL and message.fields[PATH].startswith("/org/chappie"):
            kind = f"signal {message.fields[INTERFACE]}.{message.fields[MEMBER]}"
        if kind and descriptors:
            descriptors = [self.tapped(descriptors[0])]
        signature = message.fields.get(SIGNATURE, "")
        if not kind or not signature:
            return message.content, descriptors
        whole = f"({signature})"
        values = tuple(TypedReader(memoryview(message.content)[message.header_end:]).all(signature))
        self.samples.setdefault(kind, list(typed_places(whole, values)))
        # Added options come last: they are no fields of the sample.
        changes = [(path, hostile) for (of, *path), (hostile,) in self.changes if of == kind]
        body = None
        for path, hostile in sorted(changes, key=lambda change: change[0][-1] == OPTIONS):
            try:
                changed = typed_put(whole, values, path, hostile)
                values, body = changed, marshal(signature, changed)
            except (KeyError, IndexError, TypeError, AttributeError, ValueError, struct.error):
                pass  # This message lacks fields of the sample.
        if body is None:
            return message.content, descriptors
        head = bytearray(message.content[:message.header_end])
        struct.pack_into("<I", head, 4, len(body))
        return bytes(head) + bytes(body), descriptors

    # The socket of a turn

    def tapped(self, descriptor):
        service = socket.socket(fileno=descriptor)
        mine, callers = socket.socketpair()
        threading.Thread(target=self.pump, args=(mine, service), daemon=True).start()
        threading.Thread(target=self.pump, args=(service, mine, self.line), daemon=True).start()
        return callers.detach()

    @staticmethod
    def pump(source, sink, change=bytes):
        try:
            for line in source.makefile("rb"):
                sink.sendall(change(line))
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def line(self, line):
        event = json.loads(line)
        kind = f"line {event['event']}"
        self.samples.setdefault(kind, [(path, TEXT) for path in fields(event, [])])
        changes = {tuple(path): values for (of, *path), values in self.changes if of == kind}
        return put(event, changes).encode("utf-8", "surrogatepass") + b"\n" if changes else line


class Command(Source):
    def __init__(self, stage, raws):
        self.stage, self.numbers = stage, count()
        self.width = RUNS * stage.wire.most
        # A thread, and a call that waits for approval.
        self.run_all([(["ask", "--thread", "new", "hi"], [])])
        self.waiting = stage.caller()
        tool = options(name="echo", description="Echoes.", policy="ask")
        self.waiting.call(ROOT, "org.chappie.Client", "Stream", "sa{sv}", ["use echo {}", options(tools=[tool])])
        self.lines, plan = defaultdict(list), {}
        for line, samples in zip(LINES, self.run_all([(line, []) for line in LINES])):
            for kind, found in samples.items():
                self.lines[kind].append(line)
                if any(type in LIMITS for _, type in found):
                    # The extreme values.
                    plan[kind, NUMBERS] = [[0], [-1]]
                for path, type in found:
                    plan[kind, *path] = hostiles(type, raws)
        shown = subprocess.run([stage.programs / "chappie", "--help"], capture_output=True, text=True).stdout
        for verb in re.findall(r"^  ([a-z-]+)  ", shown.partition("Exit statuses:")[0], re.M):
            if verb not in [line[0] for line in LINES]:
                stage.fail(f"no line of the command with {verb}")
        super().__init__(stage, "command", {place: values for place, values in plan.items() if values})

    def try_(self, changes):
        shares = {}
        for change in changes:
            lines = self.lines[change[0][0]]
            line = self.stage.choice.choice([line for line in lines if line[0] not in ENDLESS] or lines)
            shares.setdefault(tuple(line), []).append(change)
        runs = [(line, share) for line, whole in shares.items() for share in shared(whole, clash, self.stage.wire.most)]
        self.run_all(runs)

    def run_all(self, runs):
        """Runs lines of the command, each with some changes; what the service said to each."""
        with ThreadPoolExecutor(RUNS) as pool:
            found = list(pool.map(lambda run: self.run_line(*run), runs))
        if any(status < 0 and status != -signal.SIGTERM for status, _ in found):
            raise Ended()
        return [samples for _, samples in found]

    def run_line(self, line, changes):
        tap = Tap(Path(os.environ["XDG_RUNTIME_DIR"], f"tap-{next(self.numbers)}"), changes)
        # A directory of its own: an `ask` that fails leaves a note for `ask --continue`.
        runtime = Path(f"{tap.path}-runtime")
        environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={tap.path}", "XDG_RUNTIME_DIR": str(runtime)}
        with subprocess.Popen([self.stage.programs / "chappie", *line], env=environment, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=self.stage.log) as program:
            try:
                program.communicate(b"hi\n" if line[0] == "chat" else b"", 2 if line[0] in ENDLESS else 20)
            except subprocess.TimeoutExpired:
                program.terminate()
        tap.close()
        return program.returncode, tap.samples
