#!/usr/bin/env python3
"""Fuzzes each field that the service and the command read with boundary and malformed values.

Runs in scripts/private-session:  scripts/private-session Tests/extremes/extremes.py DIRECTORY-WITH-THE-PROGRAMS

The fields are found, not listed: by walking what the stand-in, the keyring, the database, the files and the service
itself write, and by the names that readers in the source ask for. The programs have to outlive each value, and to
answer as usual afterwards. Each field gets a value, however long that takes, and more until the time is up.
"""

import argparse
import os
import random
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "torture"), str(HERE.parent / "abuse")]

from callers import Bus, Lines
from command import Command
from doors import answers, share_out
from stage import Stage
from stored import Configuration, Files, Items, Servers, Threads
from values import JSON, PLAIN, WORST, WORST_NUMBERS, WORST_PLAIN, typed

PARTS = {
    "answers": lambda stage, values: answers(stage, values.json, values.plain),
    "bus": lambda stage, values: [Bus(stage)],
    "lines": lambda stage, values: [Lines(stage, values.json)],
    "keyring": lambda stage, values: share_out(
        stage, [Items(stage, door, values.json, values.plain) for door in ("device", "browser")]),
    "threads": lambda stage, values: [Threads(stage, values.json, values.plain, values.numbers)],
    "files": lambda stage, values: [Files(stage, values.json, values.plain)],
    "command": lambda stage, values: [Command(stage, values.json)],
    "servers": lambda stage, values: [Servers(stage, values.json)],
    "configuration": lambda stage, values: [Configuration(stage, [text for text in values.plain if "\n" not in text])],
}


class Values:
    def __init__(self, all):
        self.json, self.plain = (JSON, PLAIN) if all else (WORST, WORST_PLAIN)
        self.numbers = typed("x") if all else WORST_NUMBERS


def tried(stage, sources, field, seconds):
    """Tries the values of all sources, in turns in which each field gets one."""
    end = time.monotonic() + seconds
    for source in sources:
        source.plan = {place: values for place, values in source.plan.items()
                       if field in f"{source.name}/{'/'.join(map(str, place))}"}
    for turn in range(max(len(values) for source in sources for values in source.plan.values())):
        for source in sources:
            begin = time.monotonic()
            for changes in source.changes(turn):
                if turn and time.monotonic() > end:
                    return
                source.run(changes)
            if not turn:
                print(f"{source.name}: {len(source.plan)} fields in {time.monotonic() - begin:.0f} s, "
                      f"{source.missed} not tried", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("--seconds", type=float, default=40, help="for more than one value of each field")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--field", default="", help="only fields with this in their names, to repeat a failure")
    parser.add_argument("--all", action="store_true", help="all values, and not only those that have done harm")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS)
    arguments = parser.parse_args()
    # A backtrace takes seconds, and the status tells that the service has ended.
    os.environ["SWIFT_BACKTRACE"] = "enable=no"
    print(f"seed {arguments.seed}", flush=True)
    begin = time.monotonic()
    log = Path(os.environ["XDG_RUNTIME_DIR"], "extremes.log")
    # In a short run an answer has several changes at once.
    most, choice = 1 if arguments.all else 12, random.Random(arguments.seed)
    with open(log, "w+") as output, Stage(arguments.programs.resolve(), output, choice, most) as stage:
        stage.start_stand_ins()
        stage.start_service()
        stage.sign_in()
        values = Values(arguments.all)
        sources = [source for name in arguments.only for source in PARTS[name](stage, values)]
        tried(stage, sources, arguments.field, arguments.seconds - (time.monotonic() - begin))
        stage.restart()
        stage.mend()
        stage.send()
    if stage.failures:
        print("--- the end of the log", *log.read_text(errors="replace").splitlines()[-20:], sep="\n")
    print(f"extremes: {sum(len(source.plan) for source in sources)} fields, {stage.tries} values, "
          f"{len(stage.failures)} failures, {time.monotonic() - begin:.0f} s")
    sys.exit(bool(stage.failures))


if __name__ == "__main__":
    main()
