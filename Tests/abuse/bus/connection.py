"""One connection to a message bus."""

import array
import math
import os
import socket
import struct
import time
from collections import Counter

from bus.marshal import Reader, Variant, marshal

CALL, REPLY, ERROR, SIGNAL = 1, 2, 3, 4
NO_REPLY, INTERACTIVE = 1, 4
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE, UNIX_FDS = range(1, 10)
CHAPPIE = "org.chappie"
BUS = "org.freedesktop.DBus"


class CallFailed(Exception):
    """The reply was an error."""

    def __init__(self, name, text):
        super().__init__(f"{name}: {text}")
        self.name, self.text = name, text


class Unanswered(Exception):
    """No reply came in time."""


class Gone(Exception):
    """The bus, or the proxy before it, has closed the connection."""


class Message:
    def __init__(self, content, header_end):
        self.content, self.header_end = content, header_end
        self.type, self.flags = content[1], content[2]
        self.fields = dict(Reader(content, 12).one("a(yv)"))

    member = property(lambda self: self.fields.get(MEMBER))
    path = property(lambda self: self.fields.get(PATH))
    sender = property(lambda self: self.fields.get(SENDER))
    answers = property(lambda self: self.fields.get(REPLY_SERIAL))
    error = property(lambda self: self.fields.get(ERROR_NAME))
    serial = property(lambda self: struct.unpack_from("<I", self.content, 8)[0])

    @property
    def body(self):
        reader = Reader(memoryview(self.content)[self.header_end:])
        return reader.all(self.fields.get(SIGNATURE, ""))


def build(type, serial, flags, fields, signature, body, descriptors=0):
    fields = {**fields, **({SIGNATURE: Variant("g", signature)} if signature else {})}
    if descriptors:
        fields[UNIX_FDS] = Variant("u", descriptors)
    head = marshal("yyyyuua(yv)", [ord("l"), type, flags, 1, len(body), serial, list(fields.items())])
    return head + bytes(-len(head) % 8)


class Connection:
    # Bytes that must never arrive, and the function to call when they do.
    secrets = []
    leaks = []
    # The time after which no call of this process waits, but for the first.
    deadline = math.inf
    # The totals of all connections of this process: calls, and error names with their number, also of turns.
    calls = 0
    errors = Counter()

    def __init__(self, address, timeout=60, accepts_descriptors=True):
        self.timeout, self.accepts_descriptors = timeout, accepts_descriptors
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.limit_wait()
        self.buffer = bytearray()
        self.serial = 0
        self.waiting = {}
        self.signals = []
        self.on_call = None
        try:
            self.socket.connect(address.removeprefix("unix:path=").split(",")[0])
            self.sign_on()
            self.name = self.call("/org/freedesktop/DBus", BUS, "Hello", to=BUS)[0]
        except BaseException:
            self.socket.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def sign_on(self):
        identity = str(os.getuid()).encode().hex().encode()
        lines = [b"\0AUTH EXTERNAL " + identity, *([b"NEGOTIATE_UNIX_FD"] if self.accepts_descriptors else [])]
        self.write(b"".join(line + b"\r\n" for line in lines))
        answer = b""
        while answer.count(b"\r\n") < len(lines):
            answer += self.read(4096)
        if not answer.startswith(b"OK"):
            raise Gone(answer.decode())
        self.write(b"BEGIN\r\n")

    @property
    def end(self):
        return self.deadline if Connection.calls else math.inf

    def limit_wait(self):
        """Has the next call of the system wait until the deadline at most."""
        self.socket.settimeout(max(0.05, min(self.timeout, self.end - time.monotonic())))

    def write(self, data, descriptors=()):
        try:
            self.limit_wait()
            if descriptors:
                sent = self.socket.sendmsg(
                    [data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))])
                data = memoryview(data)[sent:]
            self.socket.sendall(data)
        except TimeoutError:
            raise Unanswered("the bus accepts no more data") from None
        except OSError as error:
            raise Gone(str(error)) from None

    def read(self, size=1 << 20):
        try:
            data = self.socket.recv(size)
        except TimeoutError:
            raise Unanswered("no data came in time") from None
        except OSError as error:
            raise Gone(str(error)) from None
        if not data:
            raise Gone("the connection was closed")
        return data

    # Messages

    def post(self, path, interface, member, signature="", values=(), to=CHAPPIE, flags=0, descriptors=(), body=None):
        """Calls without waiting; returns the serial that the reply will name."""
        self.serial += 1
        Connection.calls += member != "Hello"
        fields = {PATH: Variant("o", path), MEMBER: Variant("s", member), DESTINATION: Variant("s", to)}
        if interface:
            fields[INTERFACE] = Variant("s", interface)
        if body is None:
            body = marshal(signature, values)
        head = build(CALL, self.serial, flags, fields, signature, body, len(descriptors))
        if len(body) > 1 << 16:
            self.write(head, descriptors)
            self.write(body)
        else:
            self.write(head + body, descriptors)
        return self.serial

    def answer(self, call, signature="", values=(), error=None):
        """Answers a call to this connection."""
        self.serial += 1
        body = marshal(signature, values)
        fields = {REPLY_SERIAL: Variant("u", call.serial), DESTINATION: Variant("s", call.sender)}
        if error:
            fields[ERROR_NAME] = Variant("s", error)
        self.write(build(ERROR if error else REPLY, self.serial, 0, fields, signature, body) + body)

    def next_message(self, seconds=None):
        """The next message of any kind; raises Unanswered when none comes."""
        deadline = min(time.monotonic() + (self.timeout if seconds is None else seconds), self.end)
        while (message := self.buffered()) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Unanswered("no message")
            self.socket.settimeout(left)
            try:
                self.buffer += self.read()
            finally:
                self.socket.settimeout(self.timeout)
        return message

    def buffered(self):
        if len(self.buffer) < 16:
            return None
        body, _, fields = struct.unpack_from("<III", self.buffer, 4)
        header_end = 16 + fields + (-fields % 8)
        if len(self.buffer) < header_end + body:
            return None
        content = bytes(self.buffer[:header_end + body])
        del self.buffer[:header_end + body]
        for secret in self.secrets:
            if secret in content:
                self.leaks.append(secret.decode())
        message = Message(content, header_end)
        if message.type == ERROR:
            self.errors[message.error] += 1
        elif message.member == "Failed":
            self.errors[message.body[1]] += 1
        return message

    def receive(self, seconds=None):
        """The next message; calls before it are answered and signals are kept."""
        message = self.next_message(seconds)
        if message.type == SIGNAL:
            self.signals.append(message)
        elif message.type == CALL:
            if self.on_call:
                self.on_call(message)
            else:
                self.answer(message, error=BUS + ".Error.UnknownMethod")
        return message

    def reply(self, serial, seconds=None):
        """The reply to a call; raises CallFailed for an error."""
        deadline = time.monotonic() + (self.timeout if seconds is None else seconds)
        while serial not in self.waiting:
            message = self.receive(deadline - time.monotonic())
            if message.type in (REPLY, ERROR):
                self.waiting[message.answers] = message
        message = self.waiting.pop(serial)
        if message.type == ERROR:
            text = message.body
            raise CallFailed(message.error, text[0] if text and isinstance(text[0], str) else "")
        return message

    def take_replies(self):
        """Reads the replies that have come, without waiting; returns their number."""
        replies = 0
        try:
            while True:
                self.receive(0.0001)
                replies += 1
        except Unanswered:
            return replies

    def call(self, path, interface, member, signature="", values=(), to=CHAPPIE, flags=0, seconds=None):
        return self.reply(self.post(path, interface, member, signature, values, to, flags), seconds).body

    def property(self, path, interface, name, seconds=None):
        return self.call(path, BUS + ".Properties", "Get", "ss", [interface, name], seconds=seconds)[0]

    def match(self, rule):
        self.call("/org/freedesktop/DBus", BUS, "AddMatch", "s", [rule], to=BUS)
