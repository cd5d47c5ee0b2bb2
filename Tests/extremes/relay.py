"""A relay that changes fields of the answers of issuers and backends, over HTTP and WebSockets."""

import json
import socket
import threading
from collections import defaultdict
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from answers import frame
from fields import EACH, NUMBERS, failure, fields, has, put
from values import ENDS, EVENTS, HEADER_NAMES, WORDS, hides
from wire import Wire

BROWSER = (b"/v1/", b"/api/accounts/oauth/", b"/api/accounts/authorize", b"/.well-known/")
# The relay writes these itself.
OWN = {"content-length", "transfer-encoding", "connection"}
# The statuses whose bodies tell of a failure.
REFUSALS = (400, 401, 403, 404, 429, 500, 503)
# The events that end an answer on a WebSocket.
ENDINGS = ("response.completed", "response.failed", "response.incomplete", "error")
# Events that occur once in an answer; others can be repeated.
SINGLE = ("response.created", *ENDINGS)
HEAD = HEADER, STATUS, QUERY, FAILURE, EVENT, FRAME = "header", "status", "query", "failure", "event", "frame"


@dataclass
class Answer:
    status: str
    headers: list
    body: bytes

    @property
    def documents(self):
        """The JSON in it: one document, or the events by their types."""
        try:
            return {None: json.loads(self.body)}
        except ValueError:
            return {name(event): event for event in events(self.body)}

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def bytes(self):
        headers = [*self.headers, ("connection", "close")]
        if not self.header("content-length"):
            headers.append(("content-length", len(self.body)))
        lines = [self.status, *(f"{name}: {value}" for name, value in headers)]
        return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + self.body


def read(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = [tuple(line.split(": ", 1)) for line in lines]
    if ("transfer-encoding", "chunked") in [(name.lower(), value.lower()) for name, value in headers]:
        body = dechunked(body)
    return Answer(status, [field for field in headers if field[0].lower() not in OWN], body)


def dechunked(body):
    content = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        count = int(size.split(b";")[0], 16)
        content, body = content + body[:count], body[count + 2:]
        if not count:
            break
    return content


def events(body):
    return [json.loads(line[5:]) for line in body.decode().splitlines() if line.startswith("data:") and "{" in line]


def name(event):
    """The name of an event's form: its type, with that of its item."""
    item = event.get("item")
    return f"{event.get('type')} {item.get('type')}" if isinstance(item, dict) else event.get("type")


def fits(change, documents):
    """Whether the answer has this field."""
    return change[0][0] in documents or change[0][0] in HEAD


def is_alone(change):
    """Whether an answer with the change hides all other ones."""
    place, values = change
    return (place[0] in (STATUS, FAILURE, FRAME, EVENT) or place[-1] == NUMBERS or hides(values)
            or place[0] == HEADER and place[1].startswith(("content-", "transfer-")))


def clash(change, other):
    """Whether one of two changes would hide the other one."""
    shortest = min(len(change[0]), len(other[0]))
    return is_alone(change) or is_alone(other) or change[0][:shortest] == other[0][:shortest]


def changed(document, changes):
    """The changes of a document by their paths."""
    return {tuple(path): raws for (first, *path), raws in changes if first not in HEAD and has(document, path)}


class Relay(Wire):
    """Changes of a kind of answer wait in a queue, and each answer takes some of them.

    A change is a place and its values; most places have room for one value.
    """

    def __init__(self, choice, most):
        """An answer has at most so many changes."""
        super().__init__()
        self.choice, self.most = choice, most
        # The address of each door's stand-in.
        self.doors = {}
        self.samples, self.queues = {}, defaultdict(list)
        self.gate = threading.Lock()

    def note(self, kind, fields, answer):
        pass

    @staticmethod
    def kept_alive(answer):
        return answer, False

    @staticmethod
    def kind(request):
        door = "browser" if request.split(b" ", 2)[1].startswith(BROWSER) else "device"
        return f"{door} {Wire.kind(request)}"

    def address(self, request):
        return self.doors[self.kind(request).split()[0]]

    # One request and its answer

    def exchange(self, request, rest, output):
        if b"\r\nupgrade: websocket\r\n" in request.lower():
            self.tunnel(request, rest, output)
            return False
        return super().exchange(request, rest, output)

    def forward(self, request):
        answer = read(super().forward(request))
        documents = answer.documents
        for change in (changes := self.take(self.kind(request), documents, answer)):
            self.change_head(change, answer)
        if changes and None in documents:
            answer.body = put(documents[None], changed(documents[None], changes)).encode("utf-8", "surrogatepass")
        elif changes and documents:
            texts = self.told(changes, events(answer.body))
            answer.body = "".join(f"data: {text}\n\n" for text in texts).encode("utf-8", "surrogatepass")
        for (first, *path), raws in changes:
            if first == FAILURE:
                answer.status = f"HTTP/1.1 {path[0]} X"
                answer.body = failure(self.choice.choice(WORDS), raws[0]).encode("utf-8", "surrogatepass")
        return answer.bytes

    def take(self, kind, documents, answer=None):
        """Notes a sample, and takes the changes that the answer has room for."""
        with self.gate:
            if answer is None or answer.status.split(" ")[1][0] in "23":
                head, known = self.samples.get(kind, (answer, {}))
                self.samples[kind] = (head, documents | known)
            taken = []
            for change in list(self.queues[kind]):
                # Fields of the head hide nothing.
                is_full = len([place for place, _ in taken if place[0] != HEADER]) >= self.most
                if self.most == 1 and taken or is_full and change[0][0] != HEADER:
                    continue
                if fits(change, documents) and not any(clash(change, each) for each in taken):
                    self.queues[kind].remove(change)
                    taken.append(change)
            return taken

    @staticmethod
    def change_head(change, answer):
        (first, *path), raws = change
        if first == HEADER:
            answer.headers = [field for field in answer.headers if field[0].lower() != path[0]]
            answer.headers.append((path[0], raws[0]))
        elif first == STATUS:
            answer.status = f"HTTP/1.1 {raws[0]} X"
        elif first == QUERY:
            # A parameter with which the browser comes back.
            place = urlsplit(answer.header("location"))
            query = {key: values[0] for key, values in parse_qs(place.query).items()} | {path[0]: raws[0]}
            query = urlencode({key: value.encode(errors="replace") for key, value in query.items()}, quote_via=quote)
            answer.headers = [field for field in answer.headers if field[0].lower() != "location"]
            answer.headers.append(("location", place._replace(query=query).geturl()))

    def told(self, changes, told):
        """The changed events of an answer, as texts."""
        texts = []
        for event in told:
            mine = [change for change in changes if change[0][0] == name(event)]
            for (first, *path), raws in changes:
                if first == EVENT and event["type"] in ENDINGS:
                    texts.append(failure(self.choice.choice(WORDS), raws[0], path[0]))
            if name(event).split()[0] in SINGLE:
                texts.append(put(event, changed(event, mine)))
                continue
            for place, raws in mine:
                groups = [raws] if EACH in place else [[raw] for raw in raws]
                texts += [put(event, changed(event, [(place, group)])) for group in groups]
            if not mine or event["type"].endswith("delta"):
                texts.append(json.dumps(event))
        return texts

    # A WebSocket

    def tunnel(self, request, rest, output):
        with socket.create_connection(self.address(request)) as upstream:
            upstream.sendall(request)
            answers = upstream.makefile("rb")
            head = b""
            while not head.endswith(b"\r\n\r\n") and (line := answers.readline()):
                head += line
            output.write(head)
            threading.Thread(target=self.pump, args=(rest, upstream), daemon=True).start()
            told = []
            while message := self.message(answers):
                opcode, content, whole = message
                if opcode != 1:
                    output.write(whole)
                    continue
                told.append(json.loads(content))
                if told[-1]["type"] in ENDINGS:
                    changes = self.take("device socket", {name(event): event for event in told})
                    frames = [frame(text.encode("utf-8", "surrogatepass"), 1) for text in self.told(changes, told)]
                    hostile = [raws[0] for place, raws in changes if place[0] == FRAME]
                    output.write(b"".join([*frames[:-1], *hostile, *frames[-1:]]))
                    if changes:
                        # Else the service would wait for the rest of a changed answer.
                        return
                    told = []

    @staticmethod
    def pump(source, sink):
        try:
            while data := source.read1(1 << 16):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except (OSError, ValueError):
            pass

    @staticmethod
    def message(stream):
        """A frame of a server: its kind, its content, and all its bytes."""
        head = stream.read(2)
        if len(head) < 2:
            return None
        length = head[1]
        if length > 125:
            head += stream.read(2 if length == 126 else 8)
            length = int.from_bytes(head[2:], "big")
        content = stream.read(length)
        return head[0] & 15, content, head + content

    # What can be changed

    def plan(self, kind, raws, plain):
        """The places of a kind of answer, and the values for each: a list for each answer."""
        head, documents = self.samples[kind]
        plan = {}
        if head:
            names = {name.lower() for name, _ in head.headers} | set(HEADER_NAMES)
            plan |= {(HEADER, name): [[value] for value in plain] for name in sorted(names)}
            plan |= {(QUERY, name): [[value] for value in plain]
                     for name in parse_qs(urlsplit(head.header("location")).query)}
            plan |= {(FAILURE, status): [[raw] for raw in raws if len(raw) < 1000] for status in REFUSALS}
            plan[STATUS,] = [[str(number)] for number in ENDS]
        else:
            sizes = [bytes([size]) + b"\xff" * 8 for size in (0, 1, 125, 126, 127, 128, 255)]
            plan |= {(FRAME, kind): [[bytes([flags | kind]) + size] for flags in (0x80, 0, 0xf0) for size in sizes]
                     for kind in range(16)}
        for event, document in documents.items():
            is_single = event is None or event.split()[0] in SINGLE
            for path, values in fields(document, raws).items():
                # An answer has room for many events, and many elements of a list.
                plan[(event, *path)] = values if is_single and EACH not in path else [raws]
        if None not in documents and documents:
            seen = {event.split()[0] for event in documents}
            plan |= {(EVENT, event): [[raw] for raw in raws if len(raw) < 1000] for event in set(EVENTS) - seen}
        return plan
