#!/usr/bin/env python3
"""Checks that each point of "Attackers and defences" in SECURITY.md names its tests, and
that each test named in the document exists.

A test is named as `Suite.test`.
"""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SUITE = re.compile(r"^(?:@[^\n]* )?(?:final )?(?:class|struct|extension) (\w+)", re.M)
TEST = re.compile(r"@Test\b.*?\bfunc (\w+)", re.S)


def tests():
    """The names of all tests, as Suite.test."""
    found = set()
    for file in sorted((TOP / "Tests").rglob("*.swift")):
        source = file.read_text()
        suites = [(match.start(), match[1]) for match in SUITE.finditer(source)]
        for test in TEST.finditer(source):
            before = [name for start, name in suites if start < test.end()]
            if before:
                found.add(f"{before[-1]}.{test[1]}")
    return found


def points(document):
    """The points of the sections of attackers."""
    section = document.split("## Attackers and defences")[1].split("\n### Strength")[0]
    return [line for line in section.splitlines() if line.startswith("- ")]


def main():
    document = (TOP / "SECURITY.md").read_text()
    named = re.compile(r"`(\w+Tests\.\w+)`")
    existing = tests()
    faults = [f"no such test: {name}" for name in named.findall(document) if name not in existing]
    faults += [f"no test holds: {point}" for point in points(document) if not named.search(point)]
    for fault in faults:
        print(f"SECURITY.md: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
