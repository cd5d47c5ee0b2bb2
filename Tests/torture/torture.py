#!/usr/bin/env python3
"""Crash tests: kills the service while it signs in, refreshes, signs out and stores threads, and checks the results.

Runs in scripts/private-session:  scripts/private-session Tests/torture/torture.py DIRECTORY-WITH-THE-PROGRAMS
"""

import argparse
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from browser_rounds import BrowserRounds
from checks import Tally
from garbage import Garbage, GarbageCount, GarbageRounds, Place, can_run
from rounds import Rounds
from session import Session
from threads.thread_checks import ThreadCount
from threads.phases import THREAD_OPERATIONS, THREAD_PHASES
from threads.rounds import ThreadRounds


@dataclass
class Phase:
    """The behaviour of the issuer and of the slot."""
    title: str
    share: float
    # The issuer accepts a used refresh token until its successor was used; otherwise it accepts each token once.
    grace: bool
    # An access token is refreshed before its use, not after a refusal.
    proactive: bool
    # The accessibility of a library host's sign-in; without it the service signs in, with the default one.
    rule: str = None
    # The sign-in is in the browser.
    in_browser: bool = False

    @property
    def issuer(self):
        return BROWSER if self.in_browser else GRACE if self.grace else ONCE


GRACE = "An issuer that accepts a used refresh token until its successor was used:"
ONCE = "An issuer that accepts a refresh token once, so that a kill in between loses the sign-in:"
BROWSER = "The issuer in the browser, which ends a sign-in whose refresh token comes twice; here none did:"
PHASES = [
    Phase("with grace, refreshed early", 0.25, True, True),
    Phase("with grace, refreshed after a 401", 0.15, True, False),
    Phase("with grace, readable after the first unlock", 0.2, True, True, "after-first-unlock-this-device-only"),
    Phase("without grace, refreshed early", 0.25, False, True),
    Phase("without grace, refreshed after a 401", 0.15, False, False),
    Phase("in the browser", 0.3, False, True, in_browser=True),
]
OPERATIONS = {"sign_in": 5, "refresh": 9, "sign_out": 3, "stop": 3, "beside": 3, "keyring": 2, "network": 2}
# The number of rounds for threads for each round for the sign-in.
THREAD_SHARE = 0.75
COLUMNS = "{:<10}{:>8}{:>8}{:>8}{:>16}{:>15}{:>8}{:>8}"
# An issuer with garbage accepts each refresh token whose successor was not used: the test is about its answers, not
# about lost ones.
GARBAGE_PHASES = [
    Phase("garbage, refreshed early", 0.5, True, True),
    Phase("garbage, refreshed after a 401", 0.5, True, False),
]
THREAD_COLUMNS = "{:<10}{:>8}{:>8}{:>8}{:>16}{:>15}{:>8}"


def operations(shares, rounds, choice):
    """The operations in a random order, about each by its share and each at least once if there is room."""
    names = list(shares)
    while len(names) < rounds:
        names += choice.sample(list(shares), sum(shares.values()), counts=shares.values())
    names = names[:rounds]
    choice.shuffle(names)
    return names


def print_tally(title, tally):
    print(f"\n{title}")
    print(COLUMNS.format("", "rounds", "kills", "checks", "before arrival", "after arrival", "losses", "failed"))
    for name, count in tally.counts.items():
        print(COLUMNS.format(
            name.replace("_", "-"), count.rounds, count.kills, count.checks, count.before_arrival,
            count.after_arrival, count.losses, count.failures))
    for count, how in ((tally.anywhere, "at any moment of a refresh"), (tally.aimed, "aimed at its answer")):
        print(f"{count.kills} kills {how}: {count.before_arrival + count.after_arrival} after the issuer had issued "
              f"tokens and before they were stored,\n    {count.after_arrival} of these after their arrival.")
    print(f"The latest of these came {tally.latest * 1000:.1f} ms after the arrival.")
    if tally.unsent:
        print(f"{tally.unsent} kills between the mark of a token in the keyring and its request.")


def print_counts(counts):
    print("\nThreads:")
    print(THREAD_COLUMNS.format("", "rounds", "kills", "checks", "turns read", "writes cut", "failed"))
    for name, count in counts.items():
        print(THREAD_COLUMNS.format(
            name, count.rounds, count.kills, count.checks, count.turns, count.torn, count.failures))


def keep_the_keyring_dead():
    """Prevents the bus from starting another keyring, which would be locked, at the next call to it."""
    folder = Path(os.environ["XDG_DATA_HOME"]) / "dbus-1/services"
    (folder / "secrets.service").write_text("[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/false\n")
    subprocess.run(["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/",
                    "--method", "org.freedesktop.DBus.ReloadConfig"], check=True, stdout=subprocess.DEVNULL)


def torture(session, phase, tally, rounds, choice):
    """Returns the failures."""
    # In the browser, a token of one second is due at each use, and its refresh is never early.
    lifetime = "1" if phase.in_browser else "60"
    session.start_sandbox(
        *["--refresh-grace"] * phase.grace, *["--access-token-lifetime", lifetime] * phase.proactive)
    session.in_browser = phase.in_browser
    session.start_service()
    tortured = (BrowserRounds if phase.in_browser else Rounds)(session, choice, phase, tally)
    tortured.ensure_signed_out()
    failures = []
    for index, operation in enumerate(operations(OPERATIONS, rounds, choice)):
        failure = tortured.run(operation)
        if failure:
            failures.append(failure)
            print(f"FAILED {phase.title}, round {index}, {operation}: {failure}", flush=True)
            session.recover()
    session.end_service()
    session.in_browser = False
    return failures


def torture_with_garbage(session, seed, rounds, count, folder):
    """Returns the failures."""
    failures = []
    for phase in GARBAGE_PHASES:
        choice = random.Random(f"{seed} {phase.title}")
        garbage = Garbage(choice, count)
        session.start_sandbox("--refresh-grace", *["--access-token-lifetime", "60"] * phase.proactive)
        session.place = Place(folder, session.wire, garbage)
        session.wire.garbage = garbage.answer
        session.start_service()
        tortured = GarbageRounds(session, choice, phase, garbage, count)
        if session.state() != "signed-out":
            session.sign_out()
        for index in range(round(rounds * phase.share)):
            failure = tortured.run()
            if failure:
                failures.append(failure)
                print(f"FAILED {phase.title}, round {index}: {failure}", flush=True)
                session.recover()
        session.end_service()
        session.place = None
        session.wire.garbage = lambda kind: None
    return failures


def print_garbage(count):
    print("\nGarbage:")
    print(f"{count.rounds} rounds, {count.kills} kills, {count.checks} checks, {count.failures} failed, "
          f"{count.lost} sign-ins lost")
    print(f"{count.proxy} times from the proxy, {count.issuer} times from the issuer, of these {count.swallowed} after "
          f"it had issued tokens,\n    and {count.refusals} refusals")
    print("Errors of callers: " + ", ".join(f"{name} {number}" for name, number in sorted(count.errors.items())))


def torture_threads(session, seed, rounds, counts):
    """Returns the failures. Each phase continues with the threads of the one before."""
    # Threads become long.
    session.start_sandbox("--refresh-grace", "--context-window", "4000000")
    session.start_service()
    if session.state() != "signed-out":
        session.sign_out()
    session.sign_in()
    failures = []
    number = 0
    for phase in THREAD_PHASES:
        choice = random.Random(f"{seed} {phase.title}")
        tortured = ThreadRounds(session, choice, phase, counts)
        tortured.prepare()
        for operation in operations(phase.operations, round(rounds * phase.share), choice):
            number += 1
            failure = tortured.run(operation, number)
            if failure:
                failures.append(failure)
                print(f"FAILED {phase.title}, round {number}, {operation}: {failure}", flush=True)
                session.recover()
                tortured.prepare()
    session.end_service()
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="the directory of chappied and chappie-sandbox")
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    alone = parser.add_mutually_exclusive_group()
    alone.add_argument("--threads", action="store_true", help="torture the threads alone")
    alone.add_argument("--browser", action="store_true", help="torture the sign-in in the browser alone")
    alone.add_argument("--garbage", action="store_true", help="run the rounds with garbage alone")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    start = time.monotonic()
    keep_the_keyring_dead()
    tallies = {issuer: Tally(OPERATIONS) for issuer in (GRACE, ONCE, BROWSER)}
    phases = [] if arguments.threads or arguments.garbage else PHASES
    if arguments.browser:
        phases = [phase for phase in PHASES if phase.in_browser]
    counts = {name: ThreadCount() for name in THREAD_OPERATIONS}
    garbage = GarbageCount()
    failures = []
    runtime = Path(os.environ["XDG_RUNTIME_DIR"])
    log_path = runtime / "torture.log"
    with open(log_path, "w+") as log, Session(arguments.programs.resolve(), log) as session:
        for phase in phases:
            choice = random.Random(f"{arguments.seed} {phase.title}")
            failures += torture(session, phase, tallies[phase.issuer], round(arguments.rounds * phase.share), choice)
        if arguments.threads or arguments.browser:
            pass
        elif can_run():
            failures += torture_with_garbage(session, arguments.seed, arguments.rounds, garbage, runtime / "network")
        else:
            print("Left out: garbage, which needs root to change a program's trust store and uptime.")
        if not arguments.garbage and not arguments.browser:
            failures += torture_threads(session, arguments.seed, round(arguments.rounds * THREAD_SHARE), counts)
    for issuer in dict.fromkeys(phase.issuer for phase in phases):
        print_tally(issuer, tallies[issuer])
    if not arguments.threads and not arguments.browser:
        print_garbage(garbage)
    if not arguments.garbage and not arguments.browser:
        print_counts(counts)
    if failures:
        print("\n--- the end of the log", *log_path.read_text(errors="replace").splitlines()[-40:], sep="\n")
    done = sum(count.rounds for tally in tallies.values() for count in tally.counts.values())
    done += garbage.rounds + sum(count.rounds for count in counts.values())
    print(f"\nseed {arguments.seed}, {time.monotonic() - start:.0f} s")
    print(f"{done - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or not done else 0


sys.exit(main())
