#!/usr/bin/env python3
"""Steps the clock of a service of its own, and prints the data that the service has lost.

Runs in scripts/private-session:  scripts/private-session Tests/abuse/clock.py DIRECTORY-WITH-THE-PROGRAMS SEED
"""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "torture"))

from session import Refused, Session, gdbus

# Where distributions put the library that gives a process another time.
LIBRARY = next((path for top in ("/usr/lib", "/usr/lib64")
                for path in sorted(Path(top).glob("**/faketime/libfaketimeMT.so.1"))), None)
THREADS = ("org.chappie", "/org/chappie")


class Leaping(Session):
    """A session in which the service has the time of a file."""

    clock = Path(os.environ["XDG_RUNTIME_DIR"]) / "clock"

    def leap(self, days):
        new = self.clock.with_suffix(".new")
        new.write_text(f"{days:+d}d")
        new.rename(self.clock)

    def launch_service(self):
        self.service = subprocess.Popen(
            # The library changes the environment of the first program, which a program in Swift does not survive.
            ["env", self.programs / "chappied", "--issuer", self.url, "--backend", f"{self.url}/backend-api"],
            env={**os.environ, "LD_PRELOAD": str(LIBRARY), "FAKETIME_TIMESTAMP_FILE": str(self.clock),
                 "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"},
            stdout=self.log, stderr=self.log)


def listed():
    return {identifier for archived in ("true", "false") for identifier in re.findall(
        r"'id': <'([^']+)'>", gdbus(*THREADS, "org.chappie.Threads.List", f"{{'archived': <{archived}>}}"))}


def main():
    choice = random.Random(int(sys.argv[2]))
    with open(Path(os.environ["XDG_RUNTIME_DIR"]) / "clock.log", "w") as log, \
            Leaping(Path(sys.argv[1]).resolve(), log) as session:
        session.leap(0)
        session.start_sandbox()
        session.start_service()
        session.sign_in()
        threads = {re.search(r"'([^']+)'", gdbus(*THREADS, "org.chappie.Threads.Create", "{}"))[1] for _ in range(3)}
        for thread in sorted(threads)[:2]:
            gdbus(*THREADS, "org.chappie.Threads.Archive", thread)
        for days in [61, *(choice.choice([31, 61, 91, 400, 3650, -61]) for _ in range(4))]:
            session.leap(days)
            if choice.random() < 0.5:
                session.end_service()
                session.start_service()
            for _ in range(2):
                if lost := threads - listed():
                    return f"{len(lost)} of 3 threads are lost after a leap of {days} days"
                try:
                    # The backend tells its own time.
                    gdbus(*THREADS, "org.chappie.Client.ListModels", "{}")
                except Refused:
                    pass
    return None


if LIBRARY:
    sys.exit(main())
