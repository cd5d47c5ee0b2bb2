#!/usr/bin/env python3
"""Runs the tests of a debug build, and says at the end what became of each.

    Tests/all.py          all of them, two at a time: those of the service, and those of what surrounds it, which wait
                          for displays and processes most of the time
    Tests/all.py fast     what is worth a minute before each commit
    Tests/all.py nightly  what takes longer, or needs root and the network, one after the other
    Tests/all.py NAME     one row of a table, or the tests of SwiftPM with NAME in theirs

A failure hides no other row. `make test`, `make check` and `make check TEST=NAME` build first.
"""

import os
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LOGS = Path(".build/tests")
SESSION = "scripts/private-session "
# As many tests at a time as WorldGate has worlds. All at once would share two processors, and last for minutes each.
WIDTH = max(4, 2 * (os.cpu_count() or 1))
SWIFT = SESSION + f"swift test --skip-build --experimental-maximum-parallelization-width {WIDTH} "
# An end of a test that SwiftPM reports.
FAILED = re.compile(r"^\W*Test (\w+)\(.*\) (?:with \d+ test cases? )?failed after", re.M)
# What such a test found.
ISSUE = re.compile(r"^\W*Test (.* recorded an issue .*)", re.M)
# What a test of ours, or SwiftPM, leaves out on this machine, with the reason.
SKIPPED = re.compile(r"^(?:skip  .*|\W*(?:Test|Suite) \w.* skipped.*)", re.M)
NOTHING = re.compile(r"Test run with 0 tests|No matching test cases")

SERVICE = {
    "arrows": "Tests/arrows.py .build/debug",
    "numbers": "Tests/numbers.py .build/debug",
    "misuse": "Tests/misuse.py .build/debug",
    "swift": SWIFT.strip(),
    "torture": SESSION + "Tests/torture/torture.py .build/debug --rounds 40",
    "abuse": SESSION + "Tests/abuse/abuse.py .build/debug --brief --seconds 24",
    "extremes": SESSION + "Tests/extremes/extremes.py .build/debug --seconds 40",
}
SURROUNDINGS = {
    "lint": "make lint",
    "doc": "doc/build",
    "readme": SESSION + "Tests/readme.py .build/debug",
    "dependencies": "Tests/dependencies.sh",
    "bindings": "Tests/bindings.sh",
    "plasma-build": "make -C desktop/plasma/plugin all try",
    "install": "Tests/install.sh",
    "release": "Tests/release.sh",
    "unit": "Tests/unit.sh .build/debug",
    "examples": SESSION + "Tests/examples.py .build/debug",
    "flatpak": SESSION + "Tests/flatpak.sh .build/debug",
    "panel": "Tests/panel.sh .build/debug",
    "markdown": "! scripts/dependencies check window 2>/dev/null || gjs -m Tests/markdown.js",
    "window": SESSION + "Tests/window.py .build/debug",
    "window-desktop": SESSION + "Tests/window-desktop.py .build/debug",
    "gnome-shell": SESSION + "Tests/gnome-shell.py .build/debug",
    "notifications": SESSION + "Tests/notifications.py .build/debug",
    "plasma-module": "make -C desktop/plasma/plugin try && " + SESSION + "Tests/plasma-module.py .build/debug",
    "search": SESSION + "Tests/search.py .build/debug",
    "browser": SESSION + "Tests/browser.py .build/debug",
    "window-flatpak": SESSION + "Tests/window-flatpak.py .build/debug",
}
# In this order, what the next ones build on. Each is a target of make too.
NIGHTLY = {
    name: "make " + name
    for name in ["conformance", "package-test", "desktop-test", "screenshots", "bench", "mutants", "fuzz"]
} | {
    "pictures": "Tests/desktop/compare.py doc/pictures .build/pictures",
    "long-abuse": "make abuse",
    "long-torture": "make torture",
}
FAST = {
    "lint": SURROUNDINGS["lint"],
    "arrows": SERVICE["arrows"],
    "units": SWIFT + "--skip '^Integration'",
    "turn": SWIFT + "--filter 'theUserSeesACodeAndApprovesIt|sendRepliesWithTheWholeAnswer'",
}
TABLES = {"fast": FAST, "nightly": NIGHTLY}


def run(name, command):
    """A row of the table: name, seconds, the status of the command, and its output."""
    print(f"begin {name}", flush=True)
    log, begun = LOGS / f"{name}.log", time.monotonic()
    with log.open("wb") as output:
        status = subprocess.call(command, shell=True, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    seconds, text = time.monotonic() - begun, log.read_text(errors="replace")
    # A name that is misspelt.
    if command.startswith(SWIFT) and NOTHING.search(text):
        status = 1
    # What a failed row wrote is shown at once, in one piece.
    print(f"{text}FAIL  {name}: status {status}" if status else f"ok    {name} ({seconds:.0f} s)", flush=True)
    return name, seconds, status, text


def main(name=None):
    if name is None:
        lanes = [SERVICE, SURROUNDINGS]
    elif name in TABLES:
        lanes = [TABLES[name]]
    else:
        lanes = [{name: (SERVICE | SURROUNDINGS | FAST | NIGHTLY).get(name) or SWIFT + "--filter " + shlex.quote(name)}]
    LOGS.mkdir(parents=True, exist_ok=True)
    # What the tests make is no part of the make that runs them.
    for variable in "MAKEFLAGS", "MFLAGS", "MAKELEVEL":
        os.environ.pop(variable, None)
    try:
        rows = sum(ThreadPoolExecutor().map(lambda lane: [run(*row) for row in lane.items()], lanes), [])
    except KeyboardInterrupt:
        os._exit(130)

    print(f"\n{'row':15} {'seconds':>7}  result")
    for name, seconds, status, text in rows:
        said = [line.strip() for line in text.splitlines() if line.strip()]
        skipped = len(SKIPPED.findall(text))
        print(f"{name:15} {seconds:7.1f}  {'FAILED' if status else 'passed'}"
              + (f", {skipped} skipped" if skipped else "") + (f"  {said[-1][:100]}" if said else ""))
    print()
    for name, _, _, text in rows:
        for line in SKIPPED.findall(text):
            print(f"{name}: {line}")
    failed = [row for row in rows if row[2]]
    for name, _, _, text in failed:
        for test in sorted(set(FAILED.findall(text))) or [name]:
            print(f"FAIL  {name}: make check TEST={test}")
        # The end of a long log is all that some readers keep.
        for issue in ISSUE.findall(text):
            print(f"      {issue[:300]}")
    print(f"{len(rows) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    os.chdir(Path(__file__).parent.parent)
    sys.exit(main(*sys.argv[1:]))
