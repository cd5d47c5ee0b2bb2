#!/usr/bin/env python3
"""Makes doc/chappie.svg: a terminal with the true output of a few commands, run against the stand-in server.

    scripts/private-session doc/picture.py DIRECTORY-WITH-THE-PROGRAMS
"""

import os
import re
import subprocess
import sys
from html import escape
from pathlib import Path

PICTURE = Path(__file__).resolve().with_name("chappie.svg")
COMMANDS = [
    "chappie sign-in --device-code",
    "chappie ask 'What is a session bus?'",
    "echo 'Dear all, the meeting is moved.' | chappie ask 'Make this shorter.' -",
    "chappie models | head -n 4",
    "chappie usage",
    "gdbus call --session --dest org.chappie --object-path /org/chappie \\\n    --method org.chappie.Client.Send 'Hello' '{}'",
]
COLUMNS, LINE, CHARACTER, MARGIN, BAR = 96, 19, 8.0, 16, 30
STYLE = "font: 13px ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', Menlo, monospace; white-space: pre"


def printed(command):
    """The lines that a command prints to a terminal."""
    ours, theirs = os.openpty()
    subprocess.run(["stty", "cols", str(COLUMNS), "-onlcr"], stdin=theirs, check=True)
    process = subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    output = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # The command has closed the terminal.
            break
        if not piece:
            break
        output += piece
    process.wait()
    os.close(ours)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output.decode())
    return [line.rpartition("\r")[2] for line in text.rstrip("\n").split("\n")]


def wrapped(line):
    return [line[start:start + COLUMNS] for start in range(0, len(line), COLUMNS)] or [""]


def svg(lines):
    """`lines` are pairs of whether a line is typed, and its text."""
    width, height = COLUMNS * CHARACTER + 2 * MARGIN, len(lines) * LINE + BAR + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" role="img">',
        "<title>A terminal with the output of chappie</title>",
        "<!-- Made by doc/picture.py. -->",
        '<rect width="100%" height="100%" rx="10" fill="#1d2129"/>',
        *(f'<circle cx="{MARGIN + 6 + 20 * n}" cy="20" r="6" fill="{colour}"/>'
          for n, colour in enumerate(("#ec6a5e", "#f4bf4f", "#61c554"))),
        f'<g style="{STYLE}" fill="#c9d1d9" xml:space="preserve">',
    ]
    for number, (is_typed, text) in enumerate(lines):
        colour = ' fill="#7ee787" font-weight="bold"' if is_typed else ""
        y = BAR + MARGIN + (number + 1) * LINE - 6
        if text:
            parts.append(f'<text x="{MARGIN}" y="{y}"{colour}>{escape(text, quote=False)}</text>')
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def main():
    programs = Path(sys.argv[1]).resolve()
    os.environ |= {"PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TERM": "xterm", "TZ": "UTC"}
    sandbox = subprocess.Popen(["chappie-sandbox", "--port", "0", "--auto-approve"], stdout=subprocess.PIPE, text=True)
    issuer = sandbox.stdout.readline().split()[1]
    service = subprocess.Popen(["chappied", "--issuer", issuer, "--backend", f"{issuer}/backend-api"])
    lines = []
    try:
        subprocess.run(["gdbus", "wait", "--session", "--timeout", "20", "org.chappie"], check=True)
        for command in COMMANDS:
            lines += [(True, line) for line in f"$ {command}".split("\n")]
            lines += [(False, part) for line in printed(command) for part in wrapped(line)] + [(False, "")]
    finally:
        for process in (service, sandbox):
            process.terminate()
            process.wait()
    PICTURE.write_text(svg(lines[:-1]))


main()
