#!/usr/bin/env python3
"""Carries out one attack for some seconds, as a program of its own, and prints what it did as JSON.

    attacker.py JSON     with name, seed, seconds, bus, apps (addresses of their proxies), secrets and folder
"""

import json
import random
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from bus.chappie import HTTP_ONLY, CallFailed, Caller
from bus.connection import Connection, Gone, Unanswered


class Attacker:
    def __init__(self, order):
        self.random = random.Random(order["seed"])
        self.start = time.monotonic()
        self.deadline = self.start + order["seconds"]
        self.bus, self.apps = order["bus"], order["apps"]
        self.folder = Path(order["folder"])
        # What must not be, each kind once.
        self.trouble = []
        self.rounds = 0
        # How many threads were made, by where they were made from.
        self.threads = Counter()

    def complain(self, what):
        if len(self.trouble) < 3:
            self.trouble.append(what[:300])

    def known(self, value, otherwise):
        """What is known to have done harm in the first round, then something else."""
        return value if self.rounds == 1 else otherwise

    @property
    def age(self):
        return time.monotonic() - self.start

    @property
    def left(self):
        return max(0.05, self.deadline - time.monotonic())

    @property
    def is_over(self):
        return time.monotonic() >= self.deadline

    def address(self, sandboxed=None):
        """Where to call from: an app's sandbox or a program outside; either where None."""
        if sandboxed is None:
            sandboxed = self.random.random() < 0.6
        return self.random.choice(self.apps) if sandboxed and self.apps else self.bus

    def connect(self, sandboxed=None, address=None):
        return Caller(address or self.address(sandboxed))

    def transport(self):
        """The configuration of a client whose answers come over HTTP, or over a WebSocket."""
        return self.random.choice([{}, HTTP_ONLY])

    def sizes(self, least, most):
        """A size, any magnitude as likely as another."""
        return int(least * (most / least) ** self.random.random())

    def message_size(self):
        """The size of a message, mostly one that is taken."""
        return self.sizes(1 << 16, self.random.choice([7 << 20, 7 << 20, 60 << 20]))

    def attempt(self, act, *arguments, **named):
        """Does something that may be refused; gives what it gave, or None."""
        try:
            return act(*arguments, **named)
        except (CallFailed, Unanswered):
            return None

    def wish(self, **wish):
        """A question that the hostile backend answers so."""
        wish["seed"] = self.random.getrandbits(32)
        return "abuse:" + json.dumps(wish)


class Over(BaseException):
    """The harness has no more time for this."""


def be_over(*_):
    raise Over


def main():
    signal.signal(signal.SIGTERM, be_over)
    order = json.loads(sys.argv[1])
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    Connection.secrets = [secret.encode() for secret in order["secrets"]]
    from attacks import ATTACKS
    attacker = Attacker(order)
    Connection.end_of_patience = attacker.deadline + 0.5
    attack = next(attack for attack in ATTACKS if attack.name == order["name"])
    while not attacker.is_over:
        attacker.rounds += 1
        try:
            attack.act(attacker)
        except (Gone, Unanswered, CallFailed):
            pass  # The bus or a proxy has had enough of us, or the service; who attacks tries again.
        except Over:
            break
        except Exception:
            attacker.complain(traceback.format_exc()[-300:])
            break
    print(json.dumps({"calls": Connection.calls, "rounds": attacker.rounds, "errors": Connection.errors,
                      "leaks": len(Connection.leaks), "trouble": attacker.trouble}))


if __name__ == "__main__":
    main()
