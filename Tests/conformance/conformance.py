#!/usr/bin/env python3
"""Runs real clients against the stand-in: the Codex CLI and the `openai` package, over HTTP and over WebSocket.

    Tests/conformance/conformance.py DIRECTORY-WITH-THE-PROGRAMS

The packages are installed first; everything else runs in a network namespace with the loopback alone.
"""

import sys
import tempfile
import traceback
from importlib.metadata import version
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import loopback
import packages
from checks import Failure
from standin import StandIn


def main():
    programs = Path(sys.argv[1]).resolve()
    if sys.argv[2:] != ["inside"]:
        python = packages.install(TOP / ".build")
        loopback.enter(python, __file__, programs, "inside")
    loopback.raise_loopback()
    table = Table()
    with tempfile.TemporaryDirectory(prefix="conformance-", dir=TOP / ".build") as folder:
        try_codex(table, programs, Path(folder))
    try_openai(table, programs)
    sys.exit(table.end())


def try_codex(table, programs, folder):
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


def try_openai(table, programs):
    import openai_rows

    for what, transport, row in openai_rows.ROWS:
        with StandIn(programs) as standin:
            table.run(f"openai {version('openai')}", what, transport, row, openai_rows.client(standin), standin)


class Table:
    """The rows, printed one by one, and then the failures."""

    def __init__(self):
        self.rows, self.failures = 0, []
        self.print("client", "what", "over", "result")
        self.print("---", "---", "---", "---")

    def run(self, client, what, transport, row, *arguments):
        self.rows += 1
        try:
            row(*arguments)
            outcome = "ok"
        except Failure as failure:
            outcome = "FAILED"
            self.failures.append(f"{what} over {transport}: {failure}")
        except Exception:
            outcome = "FAILED"
            self.failures.append(f"{what} over {transport}:\n{traceback.format_exc()}")
        self.print(client, what, transport, outcome)

    def print(self, *cells):
        print("| " + " | ".join(cells) + " |", flush=True)

    def end(self):
        """The exit status."""
        print()
        for failure in self.failures:
            print(failure)
        print(f"{self.rows - len(self.failures)} of {self.rows} rows are ok")
        return 1 if self.failures else 0


main()
