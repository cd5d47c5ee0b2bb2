"""Input of callers: the arguments of each method on the bus, and the lines of a turn on a socket."""

import json
import os
import re
import socket
import threading
import xml.etree.ElementTree as xml

from bus.chappie import Caller, ROOT, options
from bus.connection import Gone, Unanswered
from bus.marshal import Variant, types
from fields import EACH, OTHERS, places, put
from stage import Source
from values import INTERFACES, LINE_NAMES, OPTION_TYPES, SOURCES, TEXTS, typed

# Their effects would prevent the other attempts.
LAST = {"Erase", "SignOut", "Close"}
# Some options in place of all, for a type that the documentation does not tell.
TYPES = ("x", "t", "u", "i", "d", "b", "s", "as", "a(ss)", "a{sv}")


def members():
    """The methods: interface, name, and the types of the arguments."""
    for file in sorted(SOURCES.parent.glob("dbus/org.chappie.*.xml")):
        for interface in xml.parse(file).getroot().iter("interface"):
            for method in interface.iter("method"):
                inputs = [arg.get("type") for arg in method.iter("arg") if arg.get("direction") == "in"]
                yield interface.get("name"), method.get("name"), inputs


def plain_value(kind):
    return {"s": "x", "o": ROOT, "b": True, "d": 1.0}.get(kind, {} if kind[:2] == "a{" else [] if kind[0] == "a" else 1)


def hostile(kind, choice):
    """Hostile values of a type."""
    if kind == "as":
        return [TEXTS[:7], ["\u00e9", "e\u0301"]]
    if kind == "a(ss)":
        return [[("user", text) for text in TEXTS[:7]], [(text, "x") for text in TEXTS[:7]]]
    if kind == "a{sv}":
        return [{name: Variant(each, choice.choice(typed(each))) for name in OPTION_TYPES} for each in "xtuids"]
    if kind == "aa{sv}":
        return [[{"name": Variant("s", "x"), **members}] for members in hostile("a{sv}", choice)]
    return typed(kind)


class Bus(Source):
    """Each argument of each method, and in a dictionary each option that a reader asks for."""
    width = 96

    def __init__(self, stage):
        values = {kind: hostile(kind, stage.choice) for kind in {*TYPES, *OPTION_TYPES.values()} if kind}
        variants = {name: [Variant(kind, value) for kind in [documented] * 2 + list(TYPES) if kind
                           for value in self.some(stage, values[kind])] for name, documented in OPTION_TYPES.items()}
        plan = {}
        for interface, member, inputs in members():
            # The service calls the caller's ToolHandler, and a descriptor is not a value.
            if interface == "org.chappie.ToolHandler" or member in LAST or any("h" in kind for kind in inputs):
                continue
            for index, kind in enumerate(inputs):
                place = interface, member, "".join(inputs), index
                if kind in ("a{sv}", "aa{sv}"):
                    plan |= {(*place, name): variants[name] for name in OPTION_TYPES}
                else:
                    plan[place] = hostile(kind, stage.choice)
        super().__init__(stage, "bus", plan)

    @staticmethod
    def some(stage, values):
        """All values in a long run; a sample of them in a short one."""
        return values if stage.wire.most == 1 else stage.choice.sample(values, min(2, len(values)))

    def try_(self, changes):
        with self.stage.caller(30) as caller:
            client = caller.open_client()
            for (interface, member, signature, index, *option), value in changes:
                values = [plain_value(kind) for kind in types(signature)]
                for name in option:
                    dictionary = {"name": Variant("s", "x"), name: value}
                    value = [dictionary] if types(signature)[index][1] == "a" else dictionary
                values[index] = value
                home = client if interface in ("org.chappie.Client", "org.chappie.Threads") else ROOT
                caller.post(home, interface, member, signature, values)
            caller.reply(caller.post(ROOT, "org.freedesktop.DBus.Peer", "Ping"))
            caller.take_replies()


class SocketCaller(Caller):
    """A caller that accepts file descriptors."""

    def __init__(self, *arguments):
        self.descriptors = []
        super().__init__(*arguments)

    def read(self, size=1 << 20):
        try:
            data, descriptors, _, _ = socket.recv_fds(self.socket, size, 16)
        except TimeoutError:
            raise Unanswered("no data came in time") from None
        if not data:
            raise Gone("the connection was closed")
        self.descriptors += descriptors
        return data


class Lines(Source):
    """Each field of the lines that a caller may write, which the documentation of OpenTurn shows."""
    width = 16

    def __init__(self, stage, raws):
        samples = [text for text in sorted(set(re.findall(r"`(\{[^`]*\})`", INTERFACES))) if '"event"' not in text]
        plan = {}
        for sample in samples:
            for path in places(json.loads(sample)):
                names = LINE_NAMES if path[-1] == OTHERS else [path[-1]]
                for name in names:
                    plan[sample, *path[:-1], name] = [raws] if EACH in path else [[raw] for raw in raws]
        super().__init__(stage, "lines", plan)

    def try_(self, changes):
        with SocketCaller(os.environ["DBUS_SESSION_BUS_ADDRESS"], 20) as caller:
            client = caller.open_client(streaming_transport_policy=options(prefers_web_socket=False))
            tool = options(name="echo", description="Echoes.", policy="ask")
            turns = []
            for (sample, *path), raws in changes:
                caller.client(client, "OpenTurn", "a{sv}", [options(tools=[tool])])
                arguments = caller.descriptors.pop(), json.loads(sample), path, raws
                turns.append(threading.Thread(target=self.turn, args=arguments))
                turns[-1].start()
            for turn in turns:
                turn.join()

    @staticmethod
    def turn(descriptor, sample, path, raws):
        """A turn with a hostile line, as the question or after it."""
        with socket.socket(fileno=descriptor) as connection:
            connection.settimeout(3)
            events = connection.makefile("rb")

            def call():
                """The name of the next call."""
                while line := events.readline():
                    if name := json.loads(line).get("call"):
                        return name

            try:
                kind, content = next(iter(sample.items()))
                if isinstance(content, dict):
                    connection.sendall(b'{"text":"use echo {}"}\n')
                    content["call"] = call()
                if kind == "tool_result":
                    answer = {"approval": {"call": content["call"], "approved": True}}
                    connection.sendall(json.dumps(answer).encode() + b"\n")
                    call()
                connection.sendall(put(sample, {tuple(path): raws}).encode("utf-8", "surrogatepass") + b"\n")
                connection.sendall(b'{"cancel":true}\n')
                while events.read(4096):
                    pass
            except OSError:
                pass
