#!/usr/bin/env python3
"""Kills the service again and again while it signs in, renews and signs out, and looks at what is left.

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

from rounds import Count, Rounds
from session import Session



@dataclass
class Phase:
    """How the issuer and the slot are."""
    title: str
    share: float
    # A used refresh token is taken until its successor was used; otherwise it is dead.
    grace: bool
    # An access token is renewed before its use, not after a refusal.
    proactive: bool
    # What a library host signs in under; without it the service signs in, under the usual rule.
    rule: str = None


PHASES = [
    Phase("with grace, renewed early", 0.25, True, True),
    Phase("with grace, renewed after a 401", 0.15, True, False),
    Phase("with grace, readable after the first unlock", 0.2, True, True, "after-first-unlock-this-device-only"),
    Phase("without grace, renewed early", 0.25, False, True),
    Phase("without grace, renewed after a 401", 0.15, False, False),
]
OPERATIONS = {"sign_in": 5, "refresh": 9, "sign_out": 3, "stop": 3, "beside": 3, "keyring": 2, "network": 2}
COLUMNS = "{:<10}{:>8}{:>8}{:>8}{:>16}{:>15}{:>8}{:>8}"


def operations(rounds, choice):
    """So many in a random order, about each by its share and each once where there is room."""
    names = list(OPERATIONS)
    while len(names) < rounds:
        names += choice.sample(list(OPERATIONS), sum(OPERATIONS.values()), counts=OPERATIONS.values())
    names = names[:rounds]
    choice.shuffle(names)
    return names


def print_counts(counts):
    print(COLUMNS.format("", "rounds", "kills", "checks", "before arrival", "after arrival", "losses", "failed"))
    for name, count in counts.items():
        print(COLUMNS.format(
            name.replace("_", "-"), count.rounds, count.kills, count.checks, count.before_arrival,
            count.after_arrival, count.losses, count.failures))


def keep_the_keyring_dead():
    """Without this the bus starts another one, which nobody unlocks, as soon as somebody asks for it."""
    folder = Path(os.environ["XDG_DATA_HOME"]) / "dbus-1/services"
    (folder / "secrets.service").write_text("[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/false\n")
    subprocess.run(["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/",
                    "--method", "org.freedesktop.DBus.ReloadConfig"], check=True, stdout=subprocess.DEVNULL)


def torture(session, phase, rounds, seed, number):
    """Gives the counts by operation, and what went wrong."""
    session.start_sandbox(
        *["--refresh-grace"] * phase.grace, *["--access-token-lifetime", "60"] * phase.proactive)
    session.start_service()
    choice = random.Random(f"{seed} {number}")
    names = operations(rounds, choice)
    tortured = Rounds(session, choice, phase)
    counts, failures = {name: Count() for name in OPERATIONS}, []
    tortured.ensure_signed_out()
    for index, operation in enumerate(names):
        failure = tortured.run(operation, counts[operation])
        if failure:
            failures.append(f"{phase.title}, round {index}, {operation}: {failure}")
            print(f"FAILED {failures[-1]}", flush=True)
            session.recover()
    session.end_service()
    print(f"\n{phase.title}")
    print_counts(counts)
    lost = sum(count.losses for count in counts.values())
    if not phase.grace:
        refreshes = [counts["refresh"], counts["stop"]]
        kills = sum(count.kills for count in refreshes)
        before = sum(count.before_arrival for count in refreshes)
        after = sum(count.after_arrival for count in refreshes)
        print(f"Of {kills} kills in a refresh, {before} came after the issuer had answered and before that arrived, "
              f"{after} after it had\narrived and before it was stored, "
              f"the latest {tortured.latest_loss * 1000:.1f} ms after. Sign-ins lost, also by the network: {lost}.")
    return counts, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="where chappied and chappie-sandbox are")
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    start = time.monotonic()
    keep_the_keyring_dead()
    done, failures = 0, []
    log_path = Path(os.environ["XDG_RUNTIME_DIR"]) / "torture.log"
    with open(log_path, "w+") as log, Session(arguments.programs.resolve(), log) as session:
        for number, phase in enumerate(PHASES):
            counts, failed = torture(session, phase, round(arguments.rounds * phase.share), arguments.seed, number)
            done += sum(count.rounds for count in counts.values())
            failures += failed
    if failures:
        print("\n--- the end of the log", *log_path.read_text(errors="replace").splitlines()[-40:], sep="\n")
    print(f"\nseed {arguments.seed}, {time.monotonic() - start:.0f} s, phases: {len(PHASES)}")
    print(f"{done - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or not done else 0


sys.exit(main())
