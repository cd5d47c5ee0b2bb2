"""Hostile answers of a backend, or of a proxy in between."""

import json
import time

from attacks.memory import register, tools_of
from bus.chappie import ROOT, CallFailed, options


def long_answers(attacker):
    """Answers longer than a bus message may be, in pieces of any size."""
    with attacker.connect() as caller:
        client = caller.open_client(**attacker.transport())
        wish = attacker.wish(do="answer", bytes=attacker.known(300 << 20, attacker.sizes(1 << 20, 300 << 20)),
                             piece=attacker.sizes(64, 1 << 20), item=attacker.random.random() < 0.3)
        if attacker.random.random() < 0.5:
            attacker.attempt(caller.send, client, wish)
        else:
            turn = caller.stream(client, wish)
            attacker.attempt(caller.end_of, turn, attacker.left)
            attacker.attempt(caller.client, client, "GetTurn", "s", [turn])
        attacker.attempt(caller.client, client, "GetContext")


def turns(attacker, count, wish, tools=()):
    """Many turns at once with this wish: each on a client of its own, because turns of one client run in sequence."""
    with attacker.connect() as caller:
        opened = [caller.post(ROOT, "org.chappie.Manager", "OpenClient", "a{sv}", [options(**attacker.transport())])
                  for _ in range(count)]
        clients = [reply.body[0] for serial in opened if (reply := attacker.attempt(caller.reply, serial))]
        for client in clients if tools else []:
            register(attacker, caller, client, tools)
        for client in clients:
            caller.post(client, "org.chappie.Client", "Stream", "sa{sv}", [wish(), options()])
        end = min(attacker.deadline, time.monotonic() + attacker.random.uniform(1, 8))
        while time.monotonic() < end:
            attacker.attempt(caller.receive, end - time.monotonic())
            caller.signals.clear()


def endless_answers(attacker):
    turns(attacker, attacker.random.choice([1, 4, 16]),
          lambda: attacker.wish(do="endless", piece=attacker.sizes(64, 1 << 20)))


def endless_events(attacker):
    turns(attacker, attacker.random.choice([1, 4]),
          lambda: attacker.wish(do="event_without_end", fragments=attacker.random.random() < 0.5))


def tool_calls(attacker):
    """An answer that calls tools twenty thousand times."""
    tool = options(name="tool", description="d", input_schema='{"type": "object"}',
                   policy=attacker.random.choice(["automatic", "ask", "deny"]))
    count = attacker.known(20000, attacker.sizes(1, 100000))
    arguments = json.dumps({"a": "x" * attacker.sizes(1, (64 << 20) // count if count > 512 else 1 << 17)})
    turns(attacker, attacker.random.choice([1, 4]), lambda: attacker.wish(
        do="calls", count=count, arguments=attacker.random.choice([arguments, "{}", "x"])), [tool])


def long_items(attacker):
    """Items that go back to the backend with every later question."""
    with attacker.connect() as caller:
        client = caller.open_client(**attacker.transport())
        for _ in range(4):
            if not attacker.is_over:
                attacker.attempt(caller.send, client, attacker.wish(
                    do="items", bytes=attacker.sizes(1 << 16, 50 << 20), count=attacker.random.choice([1, 2, 8])))


# Short schemas that take long, and arguments that make them take long.
LEAVES = [
    ({"uniqueItems": True}, "same"), ({"uniqueItems": True, "items": {"type": "integer"}}, "list"),
    ({"minLength": 1, "maxLength": 1 << 40}, "text"), ({"pattern": "(x+x+)+y"}, "text"),
    ({"pattern": "x*x*x*y"}, "text"),
    ({"additionalProperties": {"type": "integer"}}, "members"), ({"enum": [["x"] * 100, {"a": 1}]}, "list"),
    ({"items": {"multipleOf": 7}}, "numbers"), ({"required": ["nobody"]}, "members"),
    ({"items": {"enum": [str(index) for index in range(1000)]}}, "same"), ({"minLength": 1}, "escapes"),
    ({"properties": {"k1": {"type": "string"}}}, "members"), ({"not": {"const": [1]}}, "list"),
]


def bomb(attacker):
    leaf, kind = attacker.random.choice(LEAVES)
    word = attacker.random.choice(["anyOf", "oneOf", "allOf"])
    failing = {"allOf": [leaf, {"not": {"allOf": [leaf]}}]} if word == "anyOf" else leaf
    depth = attacker.random.randrange(1, 24)
    definitions = {"d0": attacker.random.choice([leaf, failing])}
    for level in range(1, depth + 1):
        definitions[f"d{level}"] = {word: [{"$ref": f"#/$defs/d{level - 1}"}] * attacker.random.choice([2, 2, 4, 50])}
    if attacker.random.random() < 0.2:
        definitions["d0"] = {word: [{"$ref": f"#/$defs/d{depth}"}] * 2}
    schema = {"type": "object", "properties": {"a": {"$ref": f"#/$defs/d{depth}"}}, "$defs": definitions}
    if attacker.random.random() < 0.3:
        schema["properties"]["a"] = {word: [leaf] * attacker.sizes(10, 3000)}
    return json.dumps(schema), kind


def schema_bombs(attacker):
    schema, kind = bomb(attacker)
    turns(attacker, attacker.random.choice([1, 1, 4]), lambda: attacker.wish(
        do="call_with", kind=attacker.random.choice([kind, kind, "deep", "nested"]), name="tool_0",
        size=attacker.random.choice([5000, 100_000, attacker.sizes(100, 1 << 20)]),
        count=attacker.random.choice([1, 1, 20])), tools_of(1, schema))


def kept_turns(attacker):
    """Long answers that have ended and that `GetTurn` still returns."""
    with attacker.connect() as caller:
        for _ in range(attacker.random.randrange(1, 12)):
            client = attacker.attempt(caller.open_client, **attacker.transport())
            for _ in range(8):
                if not client or attacker.is_over:
                    return
                attacker.attempt(caller.send, client, attacker.wish(
                    do="answer", bytes=attacker.sizes(1 << 16, 16 << 20), piece=1 << 14))


def tiny_events(attacker):
    turns(attacker, attacker.known(32, attacker.random.choice([1, 8, 64])), lambda: attacker.wish(do="tiny"))


def pings(attacker):
    turns(attacker, attacker.known(32, attacker.random.choice([1, 8])), lambda: attacker.wish(do="pings"))


def late_frames(attacker):
    """Frames after the end of an answer belong to no answer."""
    with attacker.connect() as caller:
        client = caller.open_client()
        for _ in range(20):
            if attacker.is_over:
                return
            after = attacker.random.choice([0, 0, 0.001, 0.02])
            try:
                first = caller.send(client, attacker.wish(
                    do="late", kind=attacker.random.choice(["words", "end", "failure", "answer"]), after=after))
                # Nothing tells a whole answer that comes after the next question from the answer to it.
                time.sleep(5 * after)
                second = caller.send(client, "hi")
            except CallFailed as failure:
                if "Network" not in failure.name:
                    attacker.complain(f"after late frames: {failure}")
                continue
            if first != "right" or second != "You are welcome.":
                attacker.complain(f"late frames became an answer: {first[:40]}, {second[:40]}")


def garbage(attacker):
    turns(attacker, attacker.random.choice([1, 4, 16]), lambda: attacker.wish(
        do=attacker.random.choice(["garbage", "garbage", "garbage", "drip"])))
