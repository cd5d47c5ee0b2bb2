"""The answers of the hostile backend. Each answer is bounded in bytes and in time."""

import itertools
import json
import random
import struct
import time

# The most bytes of one answer, and its longest time in seconds.
MOST_BYTES, MOST_SECONDS = 1 << 30, 20
USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}


class Enough(OSError):
    """The answer has reached its bound."""


class Stream:
    """Events to the service, over HTTP or a WebSocket."""

    def __init__(self, file, connection, is_socket=False):
        self.file, self.connection, self.is_socket = file, connection, is_socket
        self.has_head = is_socket
        self.left, self.deadline = MOST_BYTES, time.monotonic() + MOST_SECONDS

    def begin(self):
        self.left, self.deadline = MOST_BYTES, time.monotonic() + MOST_SECONDS

    def raw(self, data):
        self.left -= len(data)
        if self.left < 0 or time.monotonic() > self.deadline:
            raise Enough("enough")
        self.file.write(data)

    def head(self):
        if not self.has_head:
            self.has_head = True
            self.raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")

    def framed(self, event):
        """An event as the bytes of this transport."""
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        if not self.is_socket:
            return b"data: " + data + b"\n\n"
        return frame(data, 1)

    def write(self, *events):
        self.head()
        self.raw(b"".join(self.framed(event) for event in events))


def frame(data, kind, is_last=True):
    """A frame of a WebSocket server."""
    first = bytes([(0x80 if is_last else 0) | kind])
    if len(data) < 126:
        return first + bytes([len(data)]) + data
    if len(data) < 1 << 16:
        return first + b"\x7e" + struct.pack(">H", len(data)) + data
    return first + b"\x7f" + struct.pack(">Q", len(data)) + data


class Reply:
    """One answer: the connection, and the behaviour that the question requests."""

    def __init__(self, stream, wish):
        self.stream, self.wish = stream, wish
        self.random = random.Random(wish.get("seed", 0))
        self.id = f"resp_{random.getrandbits(64):x}"
        stream.begin()

    def created(self):
        self.stream.write({"type": "response.created", "response": {"id": self.id, "status": "in_progress"}})

    def completed(self, items=()):
        self.stream.write({"type": "response.completed", "response": {
            "id": self.id, "status": "completed", "model": "m", "output": list(items), "usage": USAGE}})

    def whole(self, items):
        self.created()
        for item in items:
            self.stream.write({"type": "response.output_item.done", "output_index": 0, "item": item})
        self.completed()


def message(text):
    return {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": []}]}


def delta(text):
    return {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0,
            "delta": text}


def words(reply):
    """The answer to a question that requests no behaviour."""
    reply.created()
    for word in ("You", " are", " welcome."):
        reply.stream.write(delta(word))
    reply.stream.write({"type": "response.output_item.done", "output_index": 0, "item": message("You are welcome.")})
    reply.completed()


def answer(reply):
    """A text of the wished number of bytes, in pieces."""
    size, piece = reply.wish["bytes"], reply.wish["piece"]
    reply.created()
    event = reply.stream.framed(delta("w " * (piece // 2)))
    block = max(1, (1 << 18) // len(event))
    left = size // piece
    while left > 0:
        reply.stream.raw(event * min(block, left))
        left -= block
    if reply.wish.get("item"):
        reply.stream.write({"type": "response.output_item.done", "output_index": 0,
                            "item": message("w " * (piece // 2) * (size // piece))})
    reply.completed()


def endless(reply):
    reply.wish.update(bytes=MOST_BYTES * 2)
    answer(reply)


def event_without_end(reply):
    reply.created()
    start = json.dumps(delta("w"))[:-2].encode()
    block = b"w" * (1 << 18)
    if reply.stream.is_socket:
        if reply.wish.get("fragments"):
            reply.stream.raw(frame(start, 1, is_last=False))
            while True:
                reply.stream.raw(frame(block, 0, is_last=False))
        reply.stream.raw(b"\x81\x7f" + struct.pack(">Q", 1 << 40) + start)
    else:
        reply.stream.raw((b"data: " if reply.random.random() < 0.7 else b": ") + start)
    while True:
        reply.stream.raw(block)


def calls(reply):
    """Many calls of tools at once."""
    reply.created()
    arguments = reply.wish["arguments"]
    for index in range(reply.wish["count"]):
        reply.stream.write({"type": "response.output_item.done", "output_index": index, "item": {
            "id": f"fc_{index}", "type": "function_call", "status": "completed", "arguments": arguments,
            "call_id": f"call_{reply.id}_{index}", "name": reply.wish.get("name", "tool")}})
    reply.completed()


def call_with(reply):
    """One call whose arguments are built here, because they would be too long for a question."""
    reply.wish.update(count=reply.wish.get("count", 1), arguments=ARGUMENTS[reply.wish["kind"]](reply.wish["size"]))
    calls(reply)


ARGUMENTS = {
    "list": lambda size: json.dumps({"a": list(range(size // 6))}),
    "same": lambda size: json.dumps({"a": ["x" * 40] * (size // 44)}),
    "text": lambda size: json.dumps({"a": "x" * size}),
    "members": lambda size: json.dumps({"a": {f"k{index}": index for index in range(size // 14)}}),
    "numbers": lambda size: '{"a": [' + ",".join(["12345678901234567890"] * (size // 21)) + "]}",
    "deep": lambda size: '{"a": ' + "[" * (size // 2) + "]" * (size // 2) + "}",
    "escapes": lambda size: '{"a": "' + "\\u0041\\n" * (size // 8) + '"}',
    "nested": lambda size: '{"a": ' * (size // 12) + "1" + "}" * (size // 12) + "",
}


def hold(reply):
    """An answer that begins and does not go on."""
    reply.created()
    reply.stream.write(delta("w"))
    reply.stream.connection.settimeout(MOST_SECONDS)
    try:
        while reply.stream.connection.recv(4096):
            pass
    except TimeoutError:
        pass
    raise Enough("enough")


TINY = [
    {"type": "response.output_text.delta", "delta": ""},
    {"type": "response.output_text.delta", "delta": "w"},
    {"type": "x"},
    {"type": "response.in_progress", "response": {"id": "r"}},
    {"type": "codex.rate_limits", "plan_type": "plus", "rate_limits": {"primary": {
        "used_percent": 1.5, "window_minutes": 300, "reset_at": 1}}},
    {"type": "response.metadata", "headers": {"x-codex-turn-state": "s"}},
    {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "m"}},
    {"type": "response.function_call_arguments.delta", "delta": "x", "item_id": "fc"},
    {"type": "response.reasoning_text.delta", "delta": "x", "content_index": 0},
]


def tiny(reply):
    """A flood of small or empty events."""
    reply.created()
    event = reply.random.choice([*TINY, b"x", b"{}", b"[]", b"1"])
    block = reply.stream.framed(event) * 4096
    if not reply.stream.is_socket and reply.random.random() < 0.2:
        block = reply.random.choice([b"\n", b":\n", b"data:\n\n", b"event: x\n", b"\r\n", b"id\n"]) * 16384
    while True:
        reply.stream.raw(block)


def pings(reply):
    """A flood of frames or comments that a client answers or skips."""
    reply.created()
    if reply.stream.is_socket:
        kind = reply.random.choice([9, 9, 9, 10])
        block = frame(b"p" * reply.random.choice([0, 1, 125]), kind) * 8192
    else:
        block = b": ping\n\n" * 8192
    while True:
        reply.stream.raw(block)


def items(reply):
    """Long items that stay in the conversation."""
    kind = reply.random.choice(["reasoning", "compaction", "message"])
    text = "A" * reply.wish["bytes"]
    item = {"id": "rs_1", "type": kind, "summary": [], "encrypted_content": text}
    if kind == "message":
        item = message(text)
    reply.whole([item] * reply.wish.get("count", 1))


def late(reply):
    """A whole answer, followed at once by events of no answer."""
    reply.created()
    reply.stream.write(delta("right"))
    reply.stream.write({"type": "response.output_item.done", "output_index": 0, "item": message("right")})
    events = {
        "words": [delta("WRONG ")],
        "end": [{"type": "response.completed", "response": {"id": "resp_x", "usage": USAGE}}],
        "failure": [{"type": "response.failed", "response": {"id": "resp_x", "error": {"code": "x", "message": "m"}}}],
        "answer": [{"type": "response.created", "response": {"id": "resp_x"}}, delta("WRONG"),
                   {"type": "response.output_item.done", "output_index": 0, "item": message("WRONG")},
                   {"type": "response.completed", "response": {"id": "resp_x", "usage": USAGE}}],
    }[reply.wish["kind"]]
    reply.completed()
    time.sleep(reply.wish.get("after", 0))
    reply.stream.write(*events)


def garbage(reply):
    """Invalid bytes instead of an answer."""
    choice, stream = reply.random, reply.stream
    noise = choice.randbytes(choice.randrange(1, 1 << 16))
    if stream.is_socket:
        shape = choice.choice(["noise", "binary", "bad", "cut", "reserved", "close"])
        if shape == "noise":
            stream.raw(noise)
        elif shape == "binary":
            stream.raw(frame(noise, 2) * 8)
        elif shape == "bad":
            stream.raw(frame(noise, 1))
        elif shape == "reserved":
            stream.raw(bytes([0xf3, 5]) + b"hello")
        elif shape == "close":
            stream.raw(frame(noise[:100], 8))
    else:
        shape = choice.choice(["noise", "headers", "line", "status", "chunks", "length", "body", "encoding"])
        if shape == "noise":
            stream.raw(noise)
        elif shape == "headers":
            for index in itertools.count():
                stream.raw((b"HTTP/1.1 200 OK\r\n" if not index else b"") + b"x-%d: y\r\n" % index * 1000)
        elif shape == "line":
            stream.raw(b"HTTP/1.1 200 OK\r\nx: ")
            while True:
                stream.raw(b"y" * (1 << 18))
        elif shape == "status":
            stream.raw(b"HTTP/1.1 %d X\r\ncontent-length: 9999999\r\n\r\n" % choice.choice([200, 300, 404, 500]))
            stream.raw(noise)
        elif shape == "chunks":
            stream.raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: text/event-stream\r\n\r\n")
            stream.raw(b"fffffffffffffff\r\n" + noise)
        elif shape == "length":
            stream.raw(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n" + noise)
        elif shape == "encoding":
            stream.raw(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n" + noise)
        else:
            stream.head()
            stream.raw(noise)
    raise Enough("enough")


def drip(reply):
    """Single bytes with pauses."""
    text = reply.stream.framed(delta("w" * 64)) if reply.stream.is_socket else (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + reply.stream.framed(delta("w" * 64)))
    for byte in itertools.cycle(text):
        reply.stream.raw(bytes([byte]))
        reply.stream.file.flush()
        time.sleep(0.001)


def slow_down(reply):
    """HTTP status 429. Each one adds a byte to a file, so that the attacker can count the requests."""
    with open(reply.wish["count"], "ab") as file:
        file.write(b".")
    reply.stream.raw(b"HTTP/1.1 429 Too Many Requests\r\nretry-after: %d\r\ncontent-length: 0\r\n"
                     b"connection: close\r\n\r\n" % reply.wish["after"])


BEHAVIOURS = {behaviour.__name__: behaviour for behaviour in (
    words, answer, endless, event_without_end, calls, call_with, hold, tiny, pings, items, late, garbage, drip,
    slow_down)}
