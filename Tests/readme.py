#!/usr/bin/env python3
"""Runs the commands of README.md's tested part and compares what they print with what the README says.

Runs in scripts/private-session:  scripts/private-session Tests/readme.py DIRECTORY-WITH-THE-PROGRAMS
"""

import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
NAME = r"\bturn-[a-z0-9]+-\d+\b|\bask-[a-z2-9]{5}\b|\bcall_[0-9a-f]{24}\b|\b[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\b"
# What differs from run to run.
CHANGING = [
    (r"\b[A-Z]{4}-\d{5}\b", "CODE"),
    (r"http://127\.0\.0\.1:\d+", "ISSUER"),
    (r"\bresp_[0-9a-f]+", "RESPONSE"),
    (r"\b1[78]\d{8}\b", "TIME"),
    (NAME, "NAME"),
    (r"\b\w{3} \d+ \w{3} \d{4}, \d\d:\d\d", "DATE"),
    (r"\b[\d.]+ ([KMG]i)?B\b", "SIZE"),
    (r"[█░]{20} +\d+%", "BAR"),
    (r"\b\d+%", "PERCENT"),
    (r"(percent(age)?['\"]:? ?(d |<)?)[\d.]+", r"\1N"),
    (r"/(session|client)/n\d+", r"/\1/N"),
    (r"(duration_ms': <uint32 )\d+", r"\1N"),
    (r"(used_bytes': <uint64 )\d+", r"\1N"),
    (r"(input_tokens\"? t |input_tokens': <uint64 )\d+", r"\1N"),
    # Columns are as wide as what is in them.
    (r" {2,}", "  "),
]


def commands(readme):
    """(command, expected output) for each console block between the markers."""
    tested = readme.split("<!-- tested -->")[1].split("<!-- /tested -->")[0]
    for block in re.findall(r"```console\n(.*?)```", tested, re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def scripts(readme):
    """The scripts that are shown, which are those of Examples."""
    return re.findall(r"```bash\n(.*?)```", readme, re.S)


def learn_names(expected, printed, names):
    """Turns, calls and threads have other names in each run: what the README calls one is what was printed in its place."""
    for ours, theirs in zip(re.findall(NAME, expected), re.findall(NAME, printed)):
        names[ours] = theirs


def normal(text):
    for pattern, name in CHANGING:
        text = re.sub(pattern, name, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def main():
    programs = Path(sys.argv[1]).resolve()
    examples = [file.read_text() for file in sorted((TOP / "Examples").iterdir())]
    assert (TOP / "README.md").read_text().count("\n```") % 2 == 0, "README.md has a block without an end"
    assert scripts((TOP / "README.md").read_text()) == examples, "README.md does not show what is in Examples"
    os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
    os.environ["LC_ALL"] = "C.UTF-8"
    sandbox = subprocess.Popen(["chappie-sandbox", "--port", "0", "--auto-approve"], stdout=subprocess.PIPE, text=True)
    issuer = sandbox.stdout.readline().split()[1]
    service = subprocess.Popen(["chappied", "--issuer", issuer, "--backend", f"{issuer}/backend-api"])
    passed, failed = 0, 0
    try:
        subprocess.run(["gdbus", "wait", "--session", "--timeout", "20", "org.chappie"], check=True)
        names = {}
        for command, expected in commands((TOP / "README.md").read_text()):
            command = re.sub(NAME, lambda name: names.get(name[0], name[0]), command)
            result = subprocess.run(
                command, shell=True, text=True, timeout=120, cwd=TOP, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            learn_names(expected, result.stdout, names)
            if normal(result.stdout) == normal(expected):
                passed += 1
            else:
                failed += 1
                print(f"README.md: {command}\n--- says\n{expected}--- prints\n{result.stdout}", file=sys.stderr)
    finally:
        for process in (service, sandbox):
            process.terminate()
            process.wait()
    print(f"README: {passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


sys.exit(main())
