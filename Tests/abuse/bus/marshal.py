"""Encodes and decodes D-Bus values."""

import struct

ALIGNMENTS = {"y": 1, "g": 1, "v": 1, "n": 2, "q": 2, "x": 8, "t": 8, "d": 8, "(": 8, "{": 8}
FIXED = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d", "b": "I", "h": "I"}


class Raw:
    """Repeats an array element in its encoded form: millions need not be encoded one by one."""

    def __init__(self, element, alignment, count):
        gap = bytes(-len(element) % alignment)
        self.content = (element + gap) * (count - 1) + element if count > 0 else b""


class Variant:
    def __init__(self, signature, value):
        self.signature, self.value = signature, value


def alignment(signature):
    return ALIGNMENTS.get(signature[0], 4)


def end_of_type(signature, start=0):
    """The end of the first complete type."""
    if signature[start] == "a":
        return end_of_type(signature, start + 1)
    if signature[start] in "({":
        depth = 0
        for index in range(start, len(signature)):
            depth += (signature[index] in "({") - (signature[index] in ")}")
            if depth == 0:
                return index + 1
    return start + 1


def types(signature):
    """The complete types of a signature."""
    found, start = [], 0
    while start < len(signature):
        end = end_of_type(signature, start)
        found.append(signature[start:end])
        start = end
    return found


class Writer:
    def __init__(self):
        self.content = bytearray()

    def pad(self, size):
        self.content += bytes(-len(self.content) % size)

    def all(self, signature, values):
        for type, value in zip(types(signature), values, strict=True):
            self.one(type, value)

    def one(self, type, value):
        self.pad(alignment(type))
        kind = type[0]
        if kind in FIXED:
            self.content += struct.pack("<" + FIXED[kind], value)
        elif kind in "so":
            text = value if isinstance(value, bytes) else value.encode()
            self.content += struct.pack("<I", len(text)) + text + b"\0"
        elif kind == "g":
            self.content += bytes([len(value)]) + value.encode() + b"\0"
        elif kind == "v":
            self.one("g", value.signature)
            self.one(value.signature, value.value)
        elif kind == "a":
            self.array(type[1:], value)
        else:
            self.all(type[1:-1], value)

    def array(self, element, value):
        place = len(self.content)
        self.content += bytes(4)
        self.pad(alignment(element))
        start = len(self.content)
        if isinstance(value, (Raw, bytes)):
            self.content += value.content if isinstance(value, Raw) else value
        else:
            for each in value.items() if isinstance(value, dict) else value:
                self.one(element, each)
        struct.pack_into("<I", self.content, place, len(self.content) - start)


class Reader:
    """Decodes little-endian data alone, the only byte order used here."""

    def __init__(self, content, place=0):
        self.content, self.place = content, place

    def pad(self, size):
        self.place += -self.place % size

    def all(self, signature):
        return [self.one(type) for type in types(signature)]

    def one(self, type):
        self.pad(alignment(type))
        kind = type[0]
        if kind in FIXED:
            value = struct.unpack_from("<" + FIXED[kind], self.content, self.place)[0]
            self.place += struct.calcsize("<" + FIXED[kind])
            return value
        if kind in "so":
            return self.text(self.one("u"))
        if kind == "g":
            return self.text(self.one("y"))
        if kind == "v":
            return self.one(self.one("g"))
        if kind == "a":
            end = self.one("u")
            self.pad(alignment(type[1:]))
            end += self.place
            found = []
            while self.place < end:
                found.append(self.one(type[1:]))
            return dict(found) if type[1] == "{" else found
        return tuple(self.all(type[1:-1]))

    def text(self, length):
        text = bytes(self.content[self.place:self.place + length]).decode(errors="replace")
        self.place += length + 1
        return text


def marshal(signature, values):
    writer = Writer()
    writer.all(signature, values)
    return writer.content
