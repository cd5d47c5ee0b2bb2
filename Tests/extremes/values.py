"""The hostile values, and the names that the source asks for."""

import json
import re
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "Sources"
LAST_TIME = 253402300799
LONG = 64 << 10

ENDS = sorted({end + step for bits in (8, 16, 32, 53, 64) for step in (-1, 0, 1)
               for end in (0, 1 << bits, -(1 << bits), 1 << bits - 1, -(1 << bits - 1))})
TIMES = [-1, -62135596801, LAST_TIME, LAST_TIME + 1, LAST_TIME * 1000]
REALS = ["-0.0", "1e308", "-1e308", "5e-324", "1e400", "9.223372036854774784e21", "NaN", "Infinity", "-Infinity"]
TEXTS = ["", "\u00e9", "e\u0301", "\u212a", "\u202e", " ", "x" * LONG, "-9223372036854775808", "9223372036854775807",
         "1e308", "NaN", "inf", "+1", "0x7", "9999-12-31T23:59:59Z", "-9999-01-01T00:00:00Z"]

# As they stand in a JSON text: some are no JSON.
JSON = [str(number) for number in ENDS + TIMES] + REALS + [json.dumps(text) for text in TEXTS] + [
    r'"\ud800"', r'"\udfff\ud800"', '"\\u0000"', "null", "true", "[]", "{}", "[[]]", '{"a":1,"a":2}',
    r'{"\u00e9":1,"e\u0301":2}', "[" * 300 + "]" * 300]
# Those that have done harm, for a short run.
WORST = [str(number) for number in (-1 << 63, (1 << 63) - 1, -1, (1 << 53) + 1, LAST_TIME + 1)] + [
    "1e308", "9.223372036854774784e21", "NaN", '""', json.dumps("x" * LONG), r'"\ud800"', '"9223372036854775807"',
    '"-9223372036854775808"', "null", "{}", "[]", '{"a":1,"a":2}']
WORST_PLAIN = [str(number) for number in (-1 << 63, (1 << 63) - 1, -1, LAST_TIME + 1)] + [
    "1e308", "9.223372036854774784e21", "NaN", "", "x" * LONG, "\u00e9", "e\u0301"]
# As they stand in a header, a key file, or a query.
PLAIN = [str(number) for number in ENDS + TIMES] + REALS + TEXTS + ["Fri, 31 Dec 9999 23:59:59 GMT", "a\u00a0b", "true"]

LIMITS = {"y": 8, "q": 16, "u": 32, "t": 64, "n": 15, "i": 31, "x": 63}


def typed(kind):
    """The values of a type of D-Bus."""
    if kind in LIMITS:
        most = 1 << LIMITS[kind]
        least = -most if kind in "nix" else 0
        return [number for number in {least, *ENDS, *TIMES, most - 1} if least <= number < most]
    if kind == "d":
        return [float(real) for real in REALS]
    if kind == "b":
        return [False, True]
    if kind == "s":
        return TEXTS
    if kind == "o":
        return ["/", "/org/chappie", "/a" * 1000]
    return []


def asked(*patterns):
    """The names that readers in the source ask for: literals after one of the patterns."""
    names = set()
    for file in SOURCES.rglob("*.swift"):
        if "Testing" in file.parts[len(SOURCES.parts)] or file.parts[len(SOURCES.parts)] == "chappie-sandbox":
            continue
        text = file.read_text()
        for pattern in patterns:
            names.update(re.findall(pattern + r'"([A-Za-z_$][\w.$-]*)"', text))
    return sorted(names)


# What a reader of each kind is called by: a new field is found because it is read by one of these.
JSON_NAMES = asked(r"\[", r"of: ", r"Member\(", r"(?:string|name|count|time|bool|object|strings|list|values)\(", r"text\(")
HEADER_NAMES = asked(r"headers\[", r"header\(")
OPTION_NAMES = asked(r"value\(", r"time\(")
