"""The hostile values, and the names that readers in the source ask for."""

import json
import re
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "Sources"
LAST_TIME = 253402300799
LONG = 64 << 10

ENDS = sorted({end + step for bits in (8, 16, 32, 53, 64) for step in (-1, 0, 1)
               for end in (0, 1 << bits, -(1 << bits), 1 << bits - 1, -(1 << bits - 1))})
TIMES = [-62135596801, LAST_TIME, LAST_TIME + 1, LAST_TIME * 1000]
REALS = ["-0.0", "1e308", "-1e308", "5e-324", "1e400", "9.223372036854774784e21", "NaN", "Infinity", "-Infinity"]
TEXTS = ["", "\u00e9", "e\u0301", "\u212a", "\u202e", " ", "x" * LONG, "-9223372036854775808", "9223372036854775807",
         "1e308", "NaN", "inf", "+1", "0x7", "9999-12-31T23:59:59Z", "-9999-01-01T00:00:00Z"]

# Values as JSON text, some of them malformed.
JSON = [str(number) for number in ENDS + TIMES] + REALS + [json.dumps(text) for text in TEXTS] + [
    r'"\ud800"', r'"\udfff\ud800"', '"\\u0000"', "null", "true", "[]", "{}", "[[]]", '{"a":1,"a":2}',
    r'{"\u00e9":1,"e\u0301":2}', "[" * 300 + "]" * 300]
# Values for which the whole document is refused.
ALONE = {"NaN", "Infinity", "-Infinity", '{"a":1,"a":2}', r'{"\u00e9":1,"e\u0301":2}', "[" * 300 + "]" * 300}
# The ends of what a number can be, and of what a time may be.
ENDMOST = [str(-1 << 63), str((1 << 63) - 1), str(LAST_TIME), "9.223372036854774784e21"]
# Values that have caused failures before, for a short run.
WORST = ENDMOST + [str(number) for number in (-1, 0, 1 << 53, (1 << 53) + 1, LAST_TIME + 1)] + [
    "1e308", "NaN", '""', json.dumps("x" * LONG), r'"\ud800"', '"9223372036854775807"',
    '"-9223372036854775808"', "null", "{}", "[]", '{"a":1,"a":2}']
WORST_PLAIN = [str(number) for number in (-1 << 63, (1 << 63) - 1, -1, LAST_TIME + 1)] + [
    "1e308", "9.223372036854774784e21", "NaN", "", "x" * LONG, "\u00e9", "e\u0301"]
WORST_NUMBERS = [-1 << 63, (1 << 63) - 1, -1, (1 << 53) + 1]
# Values in headers, key files, and queries.
PLAIN = [str(number) for number in ENDS + TIMES] + REALS + TEXTS + ["Fri, 31 Dec 9999 23:59:59 GMT", "a\u00a0b", "true"]


def hides(values):
    """Whether the first of some values hides all others in a document."""
    return isinstance(values, list) and isinstance(values[0], str) and values[0] in ALONE


LIMITS = {"y": 8, "q": 16, "u": 32, "t": 64, "n": 15, "i": 31, "x": 63}


def typed(kind):
    """The values of a type of D-Bus."""
    if kind in LIMITS:
        most = 1 << LIMITS[kind]
        least = -most if kind in "nix" else 0
        return sorted(number for number in {least, *ENDS, *TIMES, most - 1} if least <= number < most)
    if kind == "d":
        return [float(real) for real in REALS]
    if kind == "b":
        return [False, True]
    if kind == "s":
        return TEXTS
    if kind == "o":
        return ["/", "/org/chappie", "/a" * 1000]
    return []


def source(target="*"):
    """The text of a target, or of all but the stand-in."""
    files = sorted(file for file in SOURCES.glob(f"{target}/**/*.swift")
                   if file.relative_to(SOURCES).parts[0] not in ("ChappieSDKTesting", "chappie-sandbox"))
    return "\n".join(file.read_text() for file in files)


SOURCE = source()
INTERFACES = "\n".join(file.read_text() for file in sorted(SOURCES.parent.glob("dbus/org.chappie.*.xml")))


def asked(*patterns, name=r'"([A-Za-z_$][\w.$-]*)"', source=SOURCE):
    """The names that readers in the source ask for: literals after one of the patterns."""
    return sorted({found for pattern in patterns for found in re.findall(pattern + name, source)})


# What a reader of each kind is called by: a new field is found because it is read by one of these, or documented. A
# reader of JSON may ask by any literal.
JSON_NAMES = asked("", name=r'"([a-z$][A-Za-z0-9_$]{0,40})"')
HEADER_NAMES = asked(r"headers\[", r"header\(")
OPTION_TYPES = {name: "" for name in asked(r"value\(", r"time\(", r"name\(")}
OPTION_TYPES |= dict(re.findall(r"\b([a-z_]+)`? \(([a-z{}()]+)[;)]", INTERFACES))
LINE_NAMES = asked(r"\[", name=r'"(\w+)"\]', source=source("ChappieService"))

# The parts of the answers that come only when something has failed.
MEMBERS = asked(r"\[", name=r'"(\w+)"\]')
OBJECTS = sorted({*re.findall(r'\["(\w+)"\](?:\?\[| \?\? \.null)', SOURCE),
                  *re.findall(r'let (\w+) = \w+\["\1"\]', SOURCE)})
EVENTS = asked(r"equals\(json, type, ")
WORDS = sorted(set(re.findall(r'(?:== |case |, |\[)"([a-z]+(?:_[a-z0-9]+)+)"(?:$|[,:\])]|: \d{3})', SOURCE, re.M)))
