#!/usr/bin/env python3
"""Finds calculations with numbers from outside that can trap, in the compiler's index of a debug build.

Usage: Tests/numbers.py DIRECTORY-OF-THE-BUILD

The bus, JSON, databases, texts and the libraries in C give numbers as Int64, UInt64, Int32, UInt32 and Double. In the
code below TARGETS these types only compare and pass on. A calculation is made with Timestamp and Count of
Platform/Bounds, whose arithmetic ends at their bounds, or with an Int, which is the project's own number or one of a
range that its reader has checked. So the program names each of these:

- an operator on the widths above; a division and a remainder too, because of zero
- a number of a Double, which traps for what is out of range
- a number of a text, which has any size
- an index, a range, a product and a shift on a line that takes the number out of a Timestamp or Count
- a dictionary of unique keys, which traps for two names that String takes for one
- a reading of JSON as a number without a range

A file whose sources are newer than the index is named too: build it first.
"""

import re
import runpy
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
# The targets that read what comes from outside. The others are bridges to C, whose numbers are sizes, and the stand-in.
TARGETS = ("ChappieSDK", "ChappieSDKRuntime", "ServiceConfiguration", "ChappieService", "SQLite", "chappie", "chappied",
           "AnswerRendering")
# Here the numbers are made safe, or are none from outside.
SAFE = {
    "ChappieSDK/JSON/JSONReader.swift": "digits",
    "ChappieSDK/JSON/JSONText.swift": "halves of a surrogate pair",
    "ChappieSDK/JSON/LegibleJSON.swift": "four digits",
    "ChappieSDK/Turns/TurnSize.swift": "a time of this program",
    "ChappieSDK/JSON/ChappieJSONValue.swift": "the readers with a range",
    "ChappieSDK/JSON/JSONFields.swift": "the readers with a range",
    "AnswerRendering/Markdown/CharacterReference.swift": "the digits of a character",
    "SQLite/Statement.swift": "the readers with a range",
    "SQLite/Database.swift": "the timeout of this program",
}
WIDTH = r"(?:s5Int64V|s6UInt64V|s5Int32V|s6UInt32V|Su)"
RULES = [
    (rf"s:{WIDTH}\d(?:p|s|m|d|r|pe|se|me|de|re|ll|lle)oi.*FZ", "calculates with {}"),
    (r"s:(?:Si|s5Int64V|s5Int32V|s6UInt64V|s6UInt32V|Su)y\w*Sdcfc", "makes an integer of a Double"),
    (r"s:s17FixedWidthIntegerPs?E(?:yxSgSScfc|_5radix.*)", "makes a number of a text"),
    (r"s:SD20uniqueKeysWithValues.*", "needs names that are unique"),
    (r"s:10ChappieSDK0A9JSONValueO(?:12integer|14truncated|6number)Valuesv[gp]|.*(?:integer|truncated)Value.*vp$",
     "reads a number without a range"),
    (r"s:SzsE20quotientAndRemainder.*", "divides"),
]
TAKEN = re.compile(r"s:8Platform(?:5CountV5value|9TimestampV11unixSeconds)\w*v[gp]")
TRAPS = re.compile(r"s:(?:Si1moi.*FZ|Sz2(?:ll|gg)oi.*|SLsE(?:1zzz|3zzl)oi.*|Sa\w*i[gp]|s\w*subscript.*)")


def main():
    arrows = runpy.run_path(str(TOP / "Tests/arrows.py"), run_name="index")
    index = arrows["Index"](Path(sys.argv[1]) / "index" / "store")
    found, taken, traps = set(), set(), {}
    for file, symbol, name, roles, line in index.symbols():
        if not roles & arrows["REFERENCE"] or file.split("/")[0] not in TARGETS or file.startswith(tuple(SAFE)):
            continue
        for rule, what in RULES:
            if re.fullmatch(rule, symbol):
                found.add((file, line, what.format(name)))
        if TAKEN.fullmatch(symbol):
            taken.add((file, line))
        if TRAPS.fullmatch(symbol):
            traps[file, line] = name
    found |= {(*place, f"has {traps[place]} and a number of outside") for place in taken & traps.keys()}
    gone = [place for place in SAFE if not (TOP / "Sources" / place).exists()]
    for file, line, what in sorted(found):
        print(f"Sources/{file}:{line}: {what}")
    for place in gone:
        print(f"{place} is no more: remove it from SAFE in Tests/numbers.py")
    print(f"numbers: {len(found)} calculations that can trap")
    sys.exit(bool(found or gone))


main()
