#!/usr/bin/env python3
"""Load and attack tests: runs attacks against the service, while a well-behaved caller measures its latency.

Runs in scripts/private-session:  scripts/private-session Tests/abuse/abuse.py DIRECTORY-WITH-THE-PROGRAMS
"""

import argparse
import os
import random
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "torture"))

from attacks import ATTACKS
from round import Round
from world import World
from bystander import Bystander
from kernel import MIB
from report import print_report

# The bounds for a property read and for a turn, in seconds, with the release build on a machine of 2026.
READ, TURN = 0.25, 5
# The processor time of a property read on that machine, in seconds. The same figure on another machine or for a debug
# build shows how much slower it is, however busy the machine is.
COST_OF_READ = 0.00008
# The greatest factor that the bounds are multiplied by.
MOST_SLOWNESS = 8


def slowness(bystander):
    """The factor by which this machine and build are slower than those of the bounds."""
    bystander.begin()
    time.sleep(1.5)
    bystander.end()
    if troubles := bystander.troubles():
        sys.exit(f"The innocent caller is not served without an attack: {troubles[0]}")
    bystander.note_usual()
    cost = min(bystander.cost_of_read() for _ in range(3))
    return min(MOST_SLOWNESS, max(1, cost / COST_OF_READ)), cost


def plan(arguments, choice):
    """The attacks with their seconds: each attack once, then random ones until the time is over."""
    chosen = [attack for attack in ATTACKS if not arguments.only or attack.name in arguments.only]
    if arguments.brief:
        return [(attack, max(attack.least, arguments.seconds / len(chosen))) for attack in chosen]
    rounds, left = [], arguments.seconds
    while left > 0:
        for attack in choice.sample(chosen, len(chosen)):
            seconds = min(choice.uniform(4, 12), arguments.seconds / len(chosen))
            rounds.append((attack, seconds))
            left -= seconds
            if left <= 0:
                break
    return rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="the directory of chappied and chappie-sandbox")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--attack-seed", type=int, help="the seed of each single attack, to repeat one that failed")
    parser.add_argument("--brief", action="store_true",
                        help="each attack once, in the given seconds together; the waits are printed and not judged")
    parser.add_argument("--verbose", action="store_true", help="print the errors that each attack received")
    parser.add_argument("--only", nargs="*", help="names of attacks", choices=[attack.name for attack in ATTACKS])
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    start = time.monotonic()
    choice = random.Random(arguments.seed)
    secret = f"innocent-{choice.getrandbits(64):016x}"
    log_path = Path(os.environ["XDG_RUNTIME_DIR"]) / "abuse.log"
    rounds = []
    with open(log_path, "w+") as log, World(arguments.programs.resolve(), log) as world:
        world.start()
        if not world.apps:
            print("No sandbox can be made here: all attacks come from programs outside.")
        bystander = Bystander(world, secret)
        factor, cost = slowness(bystander)
        print(f"A property read costs {cost * 1e6:.0f} µs of processor time here: the bounds are "
              f"{READ * factor * 1000:.0f} ms for a property read and {TURN * factor:.0f} s for a turn.\n"
              f"Memory without an attack: {world.at_start.memory / MIB:.0f} MiB", flush=True)
        for number, (attack, seconds) in enumerate(plan(arguments, choice), 1):
            done = Round(attack, world, bystander, READ * factor, TURN * factor, measures=not arguments.brief)
            own_seed = choice.getrandbits(32)
            done.run(own_seed if arguments.attack_seed is None else arguments.attack_seed, seconds)
            rounds.append(done)
            if arguments.verbose:
                print(f"round {number}, {attack.name}, seed {done.seed}: {done.errors}", flush=True)
            for failure in done.failures:
                print(f"FAILED round {number}, {attack.name}, seed {done.seed}: {failure}", flush=True)
            if done.is_broken:
                world.revive()
            else:
                world.restore()
        secrets = [secret, *world.secrets()]
    failed = [done for done in rounds if done.failures]
    leaks = sum(secret in log_path.read_text(errors="replace") for secret in secrets)
    print_report(rounds)
    if failed:
        print("\n--- the end of the log", *log_path.read_text(errors="replace").splitlines()[-40:], sep="\n")
    if leaks:
        print(f"FAILED: {leaks} secrets are in the log")
    print(f"\nseed {arguments.seed}, {time.monotonic() - start:.0f} s")
    print(f"{len(rounds) - len(failed)} passed, {len(failed) + leaks} failed")
    return 1 if failed or leaks or not rounds else 0


sys.exit(main())
