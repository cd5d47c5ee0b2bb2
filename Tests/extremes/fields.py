"""The fields of JSON: found by walking a document, and changed."""

import base64
import json

from values import ENDMOST, JSON_NAMES, MEMBERS, OBJECTS

# Steps of a path: into a token, into the first element, which stands for all, and to all names together that a reader
# asks for somewhere and that the object has not.
CLAIMS, EACH, OTHERS = "<claims>", "<each>", "<others>"
# All numbers of a document together.
NUMBERS = "<numbers>"


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
    """The paths of all fields."""
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


def fields(document, raws):
    """The values for each field of a document, and for all its numbers together."""
    found = {path: [[raw] for raw in raws] for path in places(document)}
    return found | ({(NUMBERS,): [[raw] for raw in ENDMOST]} if numbers(document) else {})


def put(value, changes):
    """The JSON text of `value` with changes: the values for each path. Only a list has room for several, and gets an
    element for each."""
    if () in changes:
        return changes[()][0]
    if (NUMBERS,) in changes:
        changes = dict.fromkeys(numbers(value), changes[NUMBERS,])
    below = {}
    for (first, *rest), raws in changes.items():
        below.setdefault(first, {})[tuple(rest)] = raws
    if not below:
        return json.dumps(value)
    if CLAIMS in below:
        head, _, signature = value.split(".")
        body = base64.urlsafe_b64encode(put(claims(value), below[CLAIMS]).encode(errors="surrogatepass")).decode()
        return json.dumps(f"{head}.{body.rstrip('=')}.{signature}")
    if EACH in below:
        return "[" + ",".join(put(value[0], {path: [raw]}) for path, raws in below[EACH].items() for raw in raws) + "]"
    members = {name: put(value.get(name), below.get(name, {})) for name in {**value, **below} if name != OTHERS}
    if OTHERS in below:
        raw = below[OTHERS][()][0]
        members = dict.fromkeys(JSON_NAMES, raw if len(raw) < 1000 else '""') | members
    return written(members)


def numbers(value):
    """The paths of all numbers outside of lists, which may change together."""
    return [path for path in places(value)
            if OTHERS not in path and EACH not in path and isinstance(at(value, path), (int, float))]


def at(value, path):
    for step in path:
        value = claims(value) if step == CLAIMS else value[0] if step == EACH else value[step]
    return value


def has(value, path):
    """Whether a document, which may have another form than the sample, has a place."""
    try:
        inner = at(value, path[:-1])
        return isinstance(inner, list) and bool(inner) if path[-1] == EACH else (
            claims(inner) is not None if path[-1] == CLAIMS else isinstance(inner, dict))
    except (KeyError, TypeError, IndexError):
        return False


def failure(word, raw, event=None):
    """The JSON text of a failure with a code. All names that a reader of members asks for have one value."""
    flat = dict.fromkeys(MEMBERS, raw) | dict.fromkeys(("code", "type"), json.dumps(word))
    members = flat | dict.fromkeys(OBJECTS, written(flat))
    if event:
        members |= {"response": written(members), "type": json.dumps(event)}
    return written(members)


def written(members):
    return "{" + ",".join(f"{json.dumps(name)}:{text}" for name, text in members.items()) + "}"
