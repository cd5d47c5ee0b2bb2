#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of Examples/README.md, and compares their line counts and output with its table.

    scripts/private-session Tests/examples.py DIRECTORY-WITH-THE-PROGRAMS

Each is run signed out, signed in, against a service that is killed in the middle of the answer, and without a service.
Examples whose tools are missing are skipped and reported. The programs of Examples/Swift come first.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
README = (TOP / "Examples/README.md").read_text()
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
    "summary.py": lambda: succeeds("/usr/bin/python3", "-c", "import gi"),
    "debian-week.py": lambda: succeeds("/usr/bin/python3", "-c", "import gi"),
    "ask-dbus-next.py": lambda: succeeds("/usr/bin/python3", "-c", "import dbus_next"),
    "ask.js": lambda: shutil.which("gjs"),
    "ask.c": lambda: succeeds("pkg-config", "--exists", "gio-unix-2.0", "json-glib-1.0"),
    "ask.cpp": lambda: succeeds("pkg-config", "--exists", "Qt6DBus"),
    "Rust/ask.rs": lambda: shutil.which("cargo") and [*CRATES.glob("zbus-5.*")],
}


def rows():
    """The rows of the tables: path, lines, command, the output when signed out and when interrupted, and the answer, which
    is the block above the table."""
    for section in README.split("\n## "):
        answer = re.search(r"^```\n(.*?\n)```$", section, re.M | re.S)
        for row in re.findall(
                r"^\| \[.*?\]\((.*?)\) \| .*? \| (\d+) \| `(.*?)` \| (.*?) \| (.*?) \|$", section, re.M):
            yield row[0], int(row[1]), *row[2:], answer[1]


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


@contextmanager
def running_service(issuer):
    service = subprocess.Popen(
        ["chappied", "--issuer", issuer, "--backend", f"{issuer}/backend-api"], stderr=subprocess.DEVNULL)
    try:
        subprocess.run(["gdbus", "wait", "--session", "--timeout", "120", "org.chappie"], check=True)
        # The service of the previous example was killed.
        subprocess.run(["chappie", "sign-out"], check=True, stdout=subprocess.DEVNULL)
        yield service
    finally:
        service.kill()
        service.wait()


def sign_in():
    subprocess.run(["chappie", "sign-in", "--device-code", "--no-open"], check=True, stdout=subprocess.DEVNULL)


def check_with_service(example, issuer, signed_out, cut_off, answer):
    with running_service(issuer) as service:
        example.check("signed out", (1, "", signed_out), example.run())
        sign_in()
        example.check("answers", (0, answer, ""), example.run())
        example.check("cut off", (1, cut_off), example.run_and_kill(service))
        status, output, error = example.run()
        example.check("without a service", (1, "", 1), (status, output, len(error.splitlines())))


# The command of each editor that replaces the second and third line of a file by what an action answers.
EDITORS = {
    "chappie.vim": lambda path, action, file: [
        "vim", "-Nu", "NONE", "-es", "-S", path, "-c", f"2,3Chappie {action}", "-c", "wq", file],
    "chappie.el": lambda path, action, file: [
        "emacs", "-Q", "--batch", "-l", path, file, "--eval",
        f'(unwind-protect (chappie "{action}" 5 16) (write-region (point-min) (point-max) buffer-file-name))'],
}


def check_editors(issuer):
    templates = Path(os.environ["XDG_CONFIG_HOME"], "chappie/templates")
    templates.mkdir(parents=True, exist_ok=True)
    (templates / "say.txt").write_text("[Template]\nSurfaces=selection\n---\n$input")
    file, text = Path(os.environ["CHAPPIE_WORLD"], "lines.txt"), "one\ntwo ä\nthree\nfour\n"
    # What the command says beside the answer must not get into the text.
    noisy = Path(os.environ["CHAPPIE_WORLD"], "noisy/chappie")
    noisy.parent.mkdir()
    noisy.write_text(f'#!/bin/sh\necho noise >&2\nexec {shutil.which("chappie")} "$@"\n')
    noisy.chmod(0o755)
    environment = {**os.environ, "PATH": f"{noisy.parent}:{os.environ['PATH']}"}
    with running_service(issuer):
        sign_in()
        for name, command in EDITORS.items():
            path = TOP / "Examples/editors" / name
            if not shutil.which(command(path, "", file)[0]):
                print(f"skip  Examples/editors/{name}: its editor is not here")
                continue
            for action, expected in [
                    ("none", text),
                    ("say", "one\n" + said("two ä\nthree", 1) + "four\n")]:
                file.write_text(text)
                subprocess.run(command(path, action, file), env=environment, capture_output=True, timeout=240)
                equal(f"{name} {action}", file.read_text(), expected)
            print(f"ok    Examples/editors/{name}, {lines_of(path)} lines")


def check_swift(example, sandbox, cut_off, answer):
    """This example runs in place of the service and signs in itself, so the server is killed."""
    status, output, error = example.run()
    example.check("signs in", (0, "Enter …\n" + answer, ""), (status, re.sub("^Enter .*", "Enter …", output), error))
    example.check("answers", (0, answer, ""), example.run())
    status, error = example.run_and_kill(sandbox)
    example.check("cut off", (1, cut_off), (status, re.sub(r"127\.0\.0\.1.*", "…", error)))


class Package:
    """The programs of Examples/Swift, which are one application with several accounts."""

    def __init__(self, issuer):
        self.issuer = issuer
        # Without the desktop entry of a browser, whose part the tests play.
        self.environment = {**os.environ, "STAND_IN": issuer, "XDG_DATA_DIRS": "/nonexistent"}

    @contextmanager
    def running(self, program, *arguments):
        ours = subprocess.Popen([f"example-{program}", *arguments], env=self.environment, text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            yield ours
        finally:
            ours.kill()
            ours.wait()

    def end(self, ours, typed=""):
        """What a running program prints until its end."""
        output, error = ours.communicate(typed, timeout=240)
        if ours.returncode or error:
            sys.exit(f"FAIL  {ours.args} ended with {ours.returncode}: {error}{output}")
        return output

    def expect(self, expected, program, *arguments, typed=""):
        with self.running(program, *arguments) as ours:
            found = re.sub(r"^Enter .*", "Enter …", self.end(ours, typed))
        equal(f"{program} {arguments}", found, expected)

    def check(self):
        for source in (TOP / "Examples/Swift").glob("*/*/*.swift"):
            assert lines_of(source) < 80, f"{source} has {lines_of(source)} lines"
        self.has_accounts()
        self.resumes()
        self.chats()
        self.asks_before_tools()
        self.cancels()

    def has_accounts(self):
        self.expect("Enter …\nYou are signed in as ada@example.com\n", "accounts", "personal", "code")
        signed_in = "You are signed in as grace@example.com\n"
        with self.running("accounts", "work", "paste") as ours:
            equal("the pasted address", self.end(ours, self.approve(ours.stdout.readline()) + "\n"), signed_in)
        with self.running("accounts", "work", "browser") as ours:
            # The browser returns to the program.
            urllib.request.urlopen(self.approve(ours.stdout.readline()), timeout=20).read()
            equal("the browser", self.end(ours), signed_in)
        self.expect("personal: You are signed in as ada@example.com. Plan: Plus\n"
                    f"work: {signed_in.strip()}. Using ChatGPT plan\n", "accounts")
        self.expect(said("Who am I?", 1), "accounts", "work")
        self.expect("", "accounts", "work", "sign-out")
        self.expect("personal: You are signed in as ada@example.com. Plan: Plus\n", "accounts")

    def approve(self, line):
        """Approves the page of a line as another user. Returns the address to which the browser would go."""
        decision = {"address": re.search(r"http\S+", line)[0], "user": "grace@example.com"}
        answer = urllib.request.urlopen(
            f"{self.issuer}/sandbox/authorize", urllib.parse.urlencode(decision).encode(), timeout=20).read()
        return json.loads(answer)["location"]

    def resumes(self):
        self.expect(said("One", 1), "resume", "One")
        self.expect("Going on with 'One' after 1 turns.\n" + said("Two", 3), "resume", "Two")

    def chats(self):
        typed = "A bus?\n/new\nA train?\n/threads\n/open 2\nA tram?\n"
        threads = "1. A train? (1 turns)\n2. A bus? (1 turns)\n3. One (2 turns)\n"
        self.expect(said("A bus?", 1) + said("A train?", 1) + threads + "> A bus?\n" + said("A bus?", 1)
                    + said("A tram?", 3), "chat", typed=typed)

    def asks_before_tools(self):
        with self.running("tools") as ours:
            output = self.end(ours, 'use delete_note {"note":"tea"}\ny\nuse delete_note {"note":"milk"}\nn\nuse list_notes\n')
        equal("the ends of the calls", re.findall(r"^(\w+): (\w+)$", output, re.M),
              [("delete_note", "completed"), ("delete_note", "denied"), ("list_notes", "completed")])
        equal("the notes", '["milk","bread"]' in output, True)

    def cancels(self):
        with self.running("cancel", LONG) as ours:
            equal("the answer begins", len(ours.stdout.read(1)), 1)
            output = self.end(ours, "\n")
        equal("the end", output.splitlines()[-2:], ["Cancelled.", "The conversation has 0 messages."])


def said(text, messages):
    """The stand-in's answer."""
    return f"You said: “{text}” This conversation has {messages} message{'s' if messages > 1 else ''}.\n"


def equal(what, found, expected):
    if found != expected:
        sys.exit(f"FAIL  Examples, {what}: {found!r} instead of {expected!r}")


def main():
    os.environ["PATH"] = f"{Path(sys.argv[1]).resolve()}:{os.environ['PATH']}"
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["OUT"] = str(OUT)
    OUT.mkdir(parents=True, exist_ok=True)
    sandbox = subprocess.Popen(["chappie-sandbox", "--port", "0", "--auto-approve"], stdout=subprocess.PIPE, text=True)
    try:
        issuer = sandbox.stdout.readline().split()[1]
        Package(issuer).check()
        print("ok    Examples/Swift")
        check_editors(issuer)
        # The check of the one in Swift kills the server.
        table = sorted(rows(), key=lambda row: row[0].startswith("Ask/"))
        assert len(table) == README.count("\n| ["), "a row of the table is not understood"
        for path, lines, command, signed_out, cut_off, answer in table:
            example = Example(path, command, *([issuer, f"{issuer}/backend-api"] if path.startswith("Ask/") else []))
            example.check("has lines", (lines, True), (lines_of(TOP / "Examples" / path), lines <= 20))
            if not TOOLS.get(path, lambda: True)():
                print(f"skip  Examples/{path}: its tools are not here")
                continue
            example.build()
            if path.startswith("Ask/"):
                check_swift(example, sandbox, cut_off, answer)
            else:
                check_with_service(example, issuer, signed_out, cut_off, answer)
            print(f"ok    Examples/{path}, {lines} lines")
    finally:
        sandbox.kill()
        sandbox.wait()


main()
