#!/usr/bin/env python3
"""Runs the tests of a debug build, and prints the result of each.

    Tests/all.py          all tests, in three parallel lanes
    Tests/all.py fast     the fast tests, for each commit
    Tests/all.py nightly  tests that take longer, or need root and the network, one after the other
    Tests/all.py NAME     one row of a table, or the SwiftPM tests whose names contain NAME

All rows run, also after a failure. `make test`, `make check` and `make check TEST=NAME` build first.
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
# The number of worlds of WorldGate. More concurrent tests would only slow each other down.
WIDTH = max(4, 2 * (os.cpu_count() or 1))
SWIFT = SESSION + f"swift test --skip-build --experimental-maximum-parallelization-width {WIDTH} "
# A failed test in SwiftPM's output.
FAILED = re.compile(r"^\W*Test (\w+)\(.*\) (?:with \d+ test cases? )?failed after", re.M)
# A failed expectation in SwiftPM's output.
ISSUE = re.compile(r"^\W*Test (.* recorded an issue .*)", re.M)
# A test that is skipped on this machine, with the reason.
SKIPPED = re.compile(r"^(?:skip  .*|\W*(?:Test|Suite) \w.* (?:skipped|was cancelled after).*)", re.M)
# How long the world of a test was there.
TOOK = re.compile(r"^took ([\d.]+) seconds: (\w+)", re.M)
NOTHING = re.compile(r"Test run with 0 tests|No matching test cases")

# The rows of a lane run one after the other, and the lanes beside each other. They take equally long.
LANES = [
    {
        "arrows": "Tests/arrows.py .build/debug",
        "numbers": "Tests/numbers.py .build/debug",
        "misuse": "Tests/misuse.py .build/debug",
        "swift": SWIFT.strip(),
        "torture": SESSION + "Tests/torture/torture.py .build/debug --rounds 40",
    },
    {
        "abuse": SESSION + "Tests/abuse/abuse.py .build/debug --brief --seconds 24",
        "extremes": SESSION + "Tests/extremes/extremes.py .build/debug --seconds 40",
        "act": SESSION + "Tests/act.py .build/debug",
        "act-sway": SESSION + "Tests/act.py .build/debug --sway",
        "act-gnome": SESSION + "Tests/act.py .build/debug --gnome",
        "gnome-selection": SESSION + "Tests/gnome-selection.py .build/debug",
        "examples": SESSION + "Tests/examples.py .build/debug",
        # A process that is left behind is what a session fails for.
        "session": "{ " + SESSION + "sh -c 'sleep 9999 & :'; echo status $?; } 2>&1 | tr -s '\\n' ' '"
        " | grep -o 'left behind: sleep 9999 .*status 1'",
    },
    {
        "lint": "make lint",
        "doc": "doc/build",
        "dependencies": "Tests/dependencies.sh",
        "bindings": "Tests/bindings.sh",
        "plasma-build": "make -C desktop/plasma/plugin all try",
        "install": "Tests/install.sh",
        "release": "Tests/release.sh",
        "repository": "Tests/repository.sh",
        "demo": SESSION + "scripts/demo .build/debug",
        "unit": "Tests/unit.sh .build/debug",
        "sign-in-button": SESSION + "Tests/sign-in-button.py .build/debug",
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
        "readme": SESSION + "Tests/readme.py .build/debug",
    },
]
ALL = LANES[0] | LANES[1] | LANES[2]
# In this order: later rows use the results of earlier ones. Each is also a target of make.
NIGHTLY = {
    name: "make " + name
    for name in ["conformance", "package-test", "desktop-test", "screenshots", "bench", "mutants", "fuzz"]
} | {
    "pictures": "Tests/desktop/compare.py doc/pictures .build/pictures",
    "long-abuse": "make abuse",
    "long-torture": "make torture",
    "libraries-doc": "make doc",
    "swift-package": SESSION + "Tests/swift-package.sh",
    # Now there are release programs, so nothing of it is skipped.
    "release-programs": "Tests/release.sh && Tests/install.sh",
}
FAST = {
    "lint": ALL["lint"],
    "arrows": ALL["arrows"],
    "units": SWIFT + "--skip '^Integration'",
    "turn": SWIFT + "--filter 'theUserSeesACodeAndApprovesIt|sendRepliesWithTheWholeAnswer'",
}
TABLES = {"fast": FAST, "nightly": NIGHTLY}


def run(name, command):
    """A row of the table: name, seconds, processor time, the status of the command, and its output."""
    print(f"begin {name}", flush=True)
    log, begun = LOGS / f"{name[:80]}.log", time.monotonic()
    with log.open("wb") as output:
        child = subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds, text = time.monotonic() - begun, log.read_text(errors="replace")
    # No test matches a misspelt name.
    if command.startswith(SWIFT) and NOTHING.search(text):
        status = 1
    # The output of a failed row is printed as one block, and what failed again below it: CI logs may be truncated.
    found = [text, f"FAIL  {name}: status {status}", *failures(name, text)]
    print("\n".join(found) if status else f"ok    {name} ({seconds:.0f} s)", flush=True)
    return name, seconds, used.ru_utime + used.ru_stime, status, text


def failures(name, text):
    """The command that repeats each failed test of a row alone, and what the tests found."""
    tests = sorted(set(FAILED.findall(text))) or [name]
    return ([f"FAIL  {name}: make check TEST={test}" for test in tests]
            + [f"      {issue[:300]}" for issue in ISSUE.findall(text)])


def main(name=None):
    if name is None:
        lanes = LANES
    elif name in TABLES:
        lanes = [TABLES[name]]
    else:
        rows = ALL | FAST | NIGHTLY
        lanes = [{name: rows.get(name) or SWIFT + "--filter " + shlex.quote(name)}]
    LOGS.mkdir(parents=True, exist_ok=True)
    # Calls of make in the tests must not inherit the flags of the make that runs them.
    for variable in "MAKEFLAGS", "MFLAGS", "MAKELEVEL":
        os.environ.pop(variable, None)
    try:
        rows = sum(ThreadPoolExecutor().map(lambda lane: [run(*row) for row in lane.items()], lanes), [])
    except KeyboardInterrupt:
        os._exit(130)

    print(f"\n{'row':15} {'seconds':>7} {'processor':>9}  result")
    for name, seconds, processor, status, text in rows:
        said = [line.strip() for line in text.splitlines() if line.strip()]
        skipped = len(SKIPPED.findall(text))
        print(f"{name:15} {seconds:7.1f} {processor:9.1f}  {'FAILED' if status else 'passed'}"
              + (f", {skipped} skipped" if skipped else "") + (f"  {said[-1][:100]}" if said else ""))
    longest = sorted(((float(seconds), test) for *_, text in rows for seconds, test in TOOK.findall(text)), reverse=True)
    if longest:
        print("\nlongest:", ", ".join(f"{test} {seconds:.1f} s" for seconds, test in longest[:5]))
    print()
    for name, *_, text in rows:
        for line in SKIPPED.findall(text):
            print(f"{name}: {line}")
    failed = [row for row in rows if row[3]]
    for name, *_, text in failed:
        print("\n".join(failures(name, text)))
    print(f"{len(rows) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    os.chdir(Path(__file__).parent.parent)
    sys.exit(main(*sys.argv[1:]))
