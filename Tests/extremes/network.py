"""A relay that changes one field of an answer: each field of it, and each name that a reader asks for."""

import base64
import json
import re
import threading
from collections import defaultdict, deque

from values import HEADER_NAMES, JSON_NAMES
from wire import Wire

MARK = "\u2603extreme\u2603"
SPACED = {"content-length", "transfer-encoding", "connection"}


def claims(text):
    """The claims of a token, or None."""
    parts = text.split(".") if isinstance(text, str) else []
    if len(parts) != 3:
        return None
    try:
        return json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return None


def places(value, path=()):
    """The paths of all fields. In a list the first element stands for all; CLAIMS leads into a token, and OTHERS
    stands for all names together that a reader asks for somewhere and that the object has not."""
    inner = claims(value)
    if inner is not None:
        yield from places(inner, (*path, CLAIMS))
    if isinstance(value, dict):
        for name, member in value.items():
            yield (*path, name)
            yield from places(member, (*path, name))
        yield (*path, OTHERS)
    elif isinstance(value, list) and value:
        yield (*path, EACH)
        yield from places(value[0], (*path, EACH))


CLAIMS, EACH, OTHERS = "<claims>", "<each>", "<others>"


def put(value, path, raws):
    """The JSON text of `value` with each of `raws` at `path`. A list on the way gets an element for each."""
    if not path:
        return raws[0]
    step, rest = path[0], path[1:]
    if step == CLAIMS:
        head, _, signature = value.split(".")
        body = base64.urlsafe_b64encode(put(claims(value), rest, raws).encode(errors="surrogatepass")).decode()
        return json.dumps(f"{head}.{body.rstrip('=')}.{signature}")
    if step == EACH:
        return "[" + ",".join(put(value[0], rest, [raw]) for raw in raws) + "]"
    if step == OTHERS:
        others = dict.fromkeys(name for name in JSON_NAMES if name not in value)
        return json.dumps({**value, **dict.fromkeys(others, MARK)}).replace(json.dumps(MARK), raws[0])
    shown = json.dumps({**value, step: MARK})
    return shown.replace(json.dumps(MARK), put(value.get(step), rest, raws), 1)


class Relay(Wire):
    """The changes of a kind of answer wait in a queue; each answer of the kind takes one."""

    def __init__(self):
        super().__init__()
        self.samples, self.queues, self.taken = {}, defaultdict(deque), []
        self.gate = threading.Lock()

    def note(self, kind, fields, answer):
        pass

    @staticmethod
    def kind(request):
        return Wire.kind(request).partition("?")[0]

    def forward(self, request):
        head, _, body = super().forward(request).partition(b"\r\n\r\n")
        lines = [line for line in head.decode().split("\r\n")]
        if re.search(r"(?im)^transfer-encoding: chunked", head.decode()):
            body = dechunked(body)
        lines = [lines[0]] + [line for line in lines[1:] if line.split(":")[0].lower() not in SPACED]
        kind = self.kind(request)
        with self.gate:
            if lines[0].split(" ")[1] == "200" and kind not in self.samples:
                self.samples[kind] = (lines, body)
            change = self.queues[kind].popleft() if self.queues[kind] else None
            if change:
                self.taken.append((kind, change))
        if change:
            lines, body = apply(change, lines, body)
        head = "\r\n".join([*lines, f"content-length: {len(body)}", "connection: close"])
        return head.encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body

    def plan(self, kind, raws, plain):
        """The changes of an answer of a kind: a place, and the values for one answer."""
        lines, body = self.samples[kind]
        names = {line.split(":")[0].lower() for line in lines[1:]} | set(HEADER_NAMES)
        changes = [(("header", name), [value], rank) for name in sorted(names) for rank, value in enumerate(plain)]
        try:
            documents = {None: json.loads(body)}
        except ValueError:
            documents = {event["type"]: event for event in events(body)}
        for event, document in documents.items():
            for path in dict.fromkeys(places(document)):
                # Those that end an answer need one of their own, and so does a field outside of a list.
                alike = EACH in path or event not in (None, "response.completed", "response.created")
                changes += [((event, *path), raws, 0)] if alike else [
                    ((event, *path), [raw], rank) for rank, raw in enumerate(raws)]
        return changes


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


def apply(change, lines, body):
    (event, *path), raws, _ = change
    if event == "header":
        kept = [line for line in lines if line.split(":")[0].lower() != path[0]]
        return [*kept, f"{path[0]}: {raws[0]}"], body
    try:
        if event is None:
            return lines, put(json.loads(body), path, raws).encode("utf-8", "surrogatepass")
        blocks = []
        for each in events(body):
            if each["type"] == event:
                groups = [raws] if EACH in path or len(raws) == 1 else [[raw] for raw in raws]
                blocks += [put(each, path, group) for group in groups]
            if each["type"] != event or event.endswith("delta"):
                blocks.append(json.dumps(each))
    except (KeyError, TypeError, ValueError, AttributeError):
        return lines, body  # This answer has another form than the sample.
    return lines, "".join(f"data: {block}\n\n" for block in blocks).encode("utf-8", "surrogatepass")
