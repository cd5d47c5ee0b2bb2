#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of Examples/README.md, and compares their line counts and output with its table.

    scripts/private-session Tests/examples.py DIRECTORY-WITH-THE-PROGRAMS

Each is run signed out, signed in, against a service that is killed in the middle of the answer, and without a service.
Examples whose tools are missing are skipped and reported.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
README = (TOP / "Examples/README.md").read_text()
ANSWER = re.search(r"^```\n(.*\n)```$", README, re.M)[1]
# The stand-in repeats this question. It begins with a line, for the shell, and streams for seconds, to be interrupted.
LONG = "One.\n" + " ".join(str(number) for number in range(300))
OUT = TOP / ".build/examples"
CRATES = Path("/usr/share/cargo/registry")
CARGO = f"""--offline --config 'source.crates-io.replace-with="debian"' --config 'source.debian.directory="{CRATES}"'"""


def succeeds(*command):
    return subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


# Checks whether this machine has the tools of an example, where they are optional.
TOOLS = {
    "ask.py": lambda: succeeds("/usr/bin/python3", "-c", "import gi"),
    "ask-dbus-next.py": lambda: succeeds("/usr/bin/python3", "-c", "import dbus_next"),
    "ask.js": lambda: shutil.which("gjs"),
    "ask.c": lambda: succeeds("pkg-config", "--exists", "gio-unix-2.0", "json-glib-1.0"),
    "ask.cpp": lambda: succeeds("pkg-config", "--exists", "Qt6DBus"),
    "Rust/ask.rs": lambda: shutil.which("cargo") and [*CRATES.glob("zbus-5.*")],
}


def rows():
    """The rows of the table: path, lines, command, and the output when signed out and when interrupted."""
    for row in re.findall(r"^\| \[.*?\]\((.*?)\) \| .*? \| (\d+) \| `(.*?)` \| (.*?) \| (.*?) \|$", README, re.M):
        yield row[0], int(row[1]), *row[2:]


def lines_of(path):
    """The number of lines of code, without blank lines and comments."""
    code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    return sum(1 for line in code.splitlines() if not re.match(r"\s*(//|#!|# |$)", line))


class Example:
    """An example and its command."""

    def __init__(self, path, command, *arguments):
        self.path, self.arguments = path, arguments
        self.words = shlex.split(os.path.expandvars(command))

    def check(self, what, expected, found):
        if expected != found:
            sys.exit(f"FAIL  Examples/{self.path} {what}: {found!r} instead of {expected!r}")

    def build(self):
        program = Path(self.words[0])
        if program.parent != OUT:
            return
        program.unlink(missing_ok=True)
        made = subprocess.run(["make", "-s", "-C", TOP / "Examples", f"OUT={OUT}", f"CARGOFLAGS={CARGO}", program],
                              capture_output=True, text=True, timeout=600)
        # cargo always prints progress.
        if made.returncode or made.stderr and program.name != "ask-rust":
            sys.exit(f"FAIL  Examples/{self.path} does not compile, or with a warning\n{made.stderr}")

    def run(self):
        """(status, standard output, standard error)"""
        done = subprocess.run([*self.words, *self.arguments], cwd=TOP, capture_output=True, text=True, timeout=240)
        return done.returncode, done.stdout, done.stderr.strip()

    def run_and_kill(self, process):
        """Kills a process after the answer has begun. Returns (status, standard error) of the example."""
        ours = subprocess.Popen(
            [*self.words[:-1], LONG, *self.arguments], cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        begun = os.read(ours.stdout.fileno(), 1)
        process.kill()
        process.wait()
        _, error = ours.communicate(timeout=240)
        self.check("answers", True, begun != b"")
        return ours.returncode, error.decode().strip()


def check_with_service(example, issuer, signed_out, cut_off):
    service = subprocess.Popen(
        ["chappied", "--issuer", issuer, "--backend", f"{issuer}/backend-api"], stderr=subprocess.DEVNULL)
    try:
        subprocess.run(["gdbus", "wait", "--session", "--timeout", "120", "org.chappie"], check=True)
        # The service of the previous example was killed.
        subprocess.run(["chappie", "sign-out"], check=True, stdout=subprocess.DEVNULL)
        example.check("signed out", (1, "", signed_out), example.run())
        subprocess.run(["chappie", "sign-in", "--device-code", "--no-open"], check=True, stdout=subprocess.DEVNULL)
        example.check("answers", (0, ANSWER, ""), example.run())
        example.check("cut off", (1, cut_off), example.run_and_kill(service))
        status, output, error = example.run()
        example.check("without a service", (1, "", 1), (status, output, len(error.splitlines())))
    finally:
        service.kill()
        service.wait()


def check_swift(example, sandbox, cut_off):
    """This example runs in place of the service and signs in itself, so the server is killed."""
    status, output, error = example.run()
    example.check("signs in", (0, "Enter …\n" + ANSWER, ""), (status, re.sub("^Enter .*", "Enter …", output), error))
    example.check("answers", (0, ANSWER, ""), example.run())
    status, error = example.run_and_kill(sandbox)
    example.check("cut off", (1, cut_off), (status, re.sub(r"127\.0\.0\.1.*", "…", error)))


def main():
    os.environ["PATH"] = f"{Path(sys.argv[1]).resolve()}:{os.environ['PATH']}"
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["OUT"] = str(OUT)
    OUT.mkdir(parents=True, exist_ok=True)
    sandbox = subprocess.Popen(["chappie-sandbox", "--port", "0", "--auto-approve"], stdout=subprocess.PIPE, text=True)
    try:
        issuer = sandbox.stdout.readline().split()[1]
        table = [*rows()]
        assert len(table) == README.count("\n| ["), "a row of the table is not understood"
        for path, lines, command, signed_out, cut_off in table:
            example = Example(path, command, *([issuer, f"{issuer}/backend-api"] if path.startswith("Ask/") else []))
            example.check("has lines", (lines, True), (lines_of(TOP / "Examples" / path), lines <= 20))
            if not TOOLS.get(path, lambda: True)():
                print(f"skip  Examples/{path}: its tools are not here")
                continue
            example.build()
            if path.startswith("Ask/"):
                check_swift(example, sandbox, cut_off)
            else:
                check_with_service(example, issuer, signed_out, cut_off)
            print(f"ok    Examples/{path}, {lines} lines")
    finally:
        sandbox.kill()
        sandbox.wait()


main()
