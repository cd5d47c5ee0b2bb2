#!/usr/bin/env python3
"""Runs real clients against the stand-in: the Codex CLI and the `openai` package with its routes of Codex, then
`chatgpt-auth`, `llm-chatgpt-plan` and the `openai` package with its sign-in in the browser and its public API. And runs
our client of the Model Context Protocol against real tool servers.

    Tests/conformance/conformance.py DIRECTORY-WITH-THE-PROGRAMS [CLIENT…]

The packages are installed first; everything else runs in a network namespace with the loopback alone, in which the
names of the live servers lead to the stand-in. With clients (`codex`, `openai`, `chatgpt-auth`, `llm`, `api`,
`tool-servers`), only theirs.
"""

import contextlib
import os
import sys
import tempfile
import traceback
from importlib.metadata import version
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import loopback
import packages
from addresses import ISSUER, Addresses
from checks import Failure, Skip
from standin import StandIn

CLIENTS = {}
TOOL_SERVERS = ["tool-servers.txt", "tool-servers-legacy.txt"]


def main():
    first, *rest = sys.argv[1:]
    if first != "inside":
        for name in TOOL_SERVERS:
            packages.install(TOP / ".build", name)
        python = packages.install(TOP / ".build")
        loopback.enter(python, __file__, "inside", Path(first).resolve(), *rest)
    loopback.raise_loopback()
    programs, *only = rest
    table = Table()
    with tempfile.TemporaryDirectory(prefix="conformance-", dir=TOP / ".build") as folder:
        folder = Path(folder)
        # For what clients and browsers keep there.
        os.environ["HOME"] = str(folder)
        addresses = Addresses(folder)
        for name, function in CLIENTS.items():
            if not only or name in only:
                (folder / name).mkdir()
                function(table, Path(programs), folder / name, addresses)
    if not only:
        table.compare(Path(__file__).parent / "README.md")
    sys.exit(table.end())


def tries(name):
    """Enters a function into the table of clients."""
    def enter(function):
        CLIENTS[name] = function
        return function

    return enter


@contextlib.contextmanager
def at_live_names(programs, addresses):
    """A stand-in that has the addresses of the live servers."""
    with StandIn(programs, "--public-url", ISSUER) as standin:
        addresses.standin = standin
        yield standin


@tries("codex")
def try_codex(table, programs, folder, addresses):
    import codex_cli_bin
    from codex import Codex
    from codex_rows import ROWS

    binary = Path(codex_cli_bin.__file__).parent / "bin" / "codex"
    client = f"Codex CLI {version('openai-codex-cli-bin')}"
    for transport, options in [("websocket", []), ("http", ["--no-websocket"])]:
        with StandIn(programs, *options) as standin:
            codex = Codex(binary, folder / transport, standin)
            for what, row in ROWS:
                table.run(client, what, transport, row, codex, standin, transport)


@tries("openai")
def try_openai(table, programs, folder, addresses):
    import openai_rows

    for what, transport, row in openai_rows.ROWS:
        with StandIn(programs) as standin:
            table.run(f"openai {version('openai')}", what, transport, row, openai_rows.client(standin), standin)


@tries("chatgpt-auth")
def try_chatgpt_auth(table, programs, folder, addresses):
    import chatgpt_auth_rows

    for number, (what, row) in enumerate(chatgpt_auth_rows.ROWS):
        with at_live_names(programs, addresses) as standin:
            table.run(f"chatgpt-auth {version('chatgpt-auth')}", what, "http", row,
                      chatgpt_auth_rows.Client(folder / str(number)), standin)


@tries("llm")
def try_llm(table, programs, folder, addresses):
    import llm_rows

    llm = llm_rows.LLM(folder)
    with at_live_names(programs, addresses) as standin:
        for what, row in llm_rows.ROWS:
            table.run(f"llm-chatgpt-plan {version('llm-chatgpt-plan')}", what, "http", row, llm, standin)


@tries("api")
def try_public_api(table, programs, folder, addresses):
    import api_rows

    with at_live_names(programs, addresses) as standin:
        api = api_rows.client(standin.plan_token())
        for what, row in api_rows.ROWS:
            table.run(f"openai {version('openai')}, on a plan", what, "http", row, api, standin)


@tries("tool-servers")
def try_tool_servers(table, programs, folder, addresses):
    import tool_server_rows as rows

    pythons = {name: packages.install(TOP / ".build", name) for name in TOOL_SERVERS}
    for package, pins, what, row, revisions in rows.ROWS:
        python = pythons[pins]
        for revision in revisions:
            place = folder / f"{package}-{revision}"
            place.mkdir()
            flags = ["--legacy"] if revision == rows.LEGACY else []

            def start(program, *arguments, options=()):
                return rows.ToolServer(programs, [*flags, *options], [python.parent / program, *arguments])

            table.run(f"{package} {rows.version(python, package)}", what, revision, row, start, revision, place)


class Table:
    """The rows, printed one by one, and then the failures."""

    def __init__(self):
        self.rows, self.succeeded, self.skipped, self.failures = [], 0, 0, []
        self.print("client", "what", "over", "result")
        self.print("---", "---", "---", "---")

    def run(self, client, what, transport, row, *arguments):
        self.rows.append((client, what, transport))
        try:
            row(*arguments)
            outcome = "ok"
            self.succeeded += 1
        except Skip as reason:
            self.skipped += 1
            outcome = f"skipped: {reason}"
        except Failure as failure:
            outcome = "FAILED"
            self.failures.append(f"{what} over {transport}: {failure}")
        except Exception:
            outcome = "FAILED"
            self.failures.append(f"{what} over {transport}:\n{traceback.format_exc()}")
        self.print(client, what, transport, outcome)

    def print(self, *cells):
        print("| " + " | ".join(cells) + " |", flush=True)

    def compare(self, page):
        """Fails if the page has another table than this one."""
        lines = [line.strip("| ").split(" | ") for line in page.read_text().splitlines() if line.endswith(" | ok |")]
        if [tuple(cells[:-1]) for cells in lines] != self.rows:
            self.failures.append(f"{page.name} has another table")

    def end(self):
        """The exit status."""
        print()
        for failure in self.failures:
            print(failure)
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.succeeded} of {len(self.rows)} rows are ok{skipped}")
        return 1 if self.failures else 0


main()
