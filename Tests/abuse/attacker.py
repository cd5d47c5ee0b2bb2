#!/usr/bin/env python3
"""Carries out one attack for some seconds, in a process of its own, and prints its results as JSON.

    attacker.py JSON     with name, seed, seconds, bus, apps (addresses of their proxies), secrets, folder, programs and
                         issuer
"""

import json
import random
import resource
import signal
import sys
import time
import traceback
import urllib.parse
import urllib.request
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
        self.programs = Path(order["programs"])
        self.issuer = order["issuer"]
        # Breaches, each kind once.
        self.trouble = []
        self.rounds = 0
        # The number of threads created, by the address that created them.
        self.threads = Counter()
        # The number of sign-ins started, likewise.
        self.sign_ins = Counter()

    def complain(self, what):
        if len(self.trouble) < 3:
            self.trouble.append(what[:300])

    def known(self, value, otherwise):
        """A value that has caused failures before, in the first round; `otherwise` in later rounds."""
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
        """The address to call from: an app's sandbox, or a program outside; either where None."""
        if sandboxed is None:
            sandboxed = self.random.random() < 0.6
        return self.random.choice(self.apps) if sandboxed and self.apps else self.bus

    def connect(self, sandboxed=None, address=None):
        return Caller(address or self.address(sandboxed))

    def transport(self):
        """A configuration whose client uses HTTP or a WebSocket, at random."""
        return self.random.choice([{}, HTTP_ONLY])

    def control(self, path, **fields):
        """Changes what the sign-in server does."""
        request = urllib.request.Request(
            f"{self.issuer}/sandbox/{path}", urllib.parse.urlencode(fields).encode(), method="POST")
        urllib.request.urlopen(request, timeout=10).close()

    def sizes(self, least, most):
        """A size, with each magnitude as likely as another."""
        return int(least * (most / least) ** self.random.random())

    def message_size(self):
        """The size of a message, mostly one that is accepted."""
        return self.sizes(1 << 16, self.random.choice([7 << 20, 7 << 20, 60 << 20]))

    def attempt(self, act, *arguments, **named):
        """Does something that may be refused; returns its result, or None."""
        try:
            return act(*arguments, **named)
        except (CallFailed, Unanswered):
            return None

    @staticmethod
    def note_calls(count):
        """Counts the calls of another process."""
        Connection.calls += count

    def wish(self, **wish):
        """A question that makes the hostile backend answer this way."""
        wish["seed"] = self.random.getrandbits(32)
        return "abuse:" + json.dumps(wish)


class Over(BaseException):
    """The time of the attack is over."""


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
    Connection.deadline = attacker.deadline + 0.5
    attack = next(attack for attack in ATTACKS if attack.name == order["name"])
    while not attacker.is_over or not Connection.calls:
        attacker.rounds += 1
        try:
            attack.act(attacker)
        except (Gone, Unanswered, CallFailed):
            pass  # The bus, a proxy or the service has disconnected us; the attack tries again.
        except Over:
            break
        except Exception:
            attacker.complain(traceback.format_exc()[-300:])
            break
    print(json.dumps({"calls": Connection.calls, "rounds": attacker.rounds, "errors": Connection.errors,
                      "leaks": len(Connection.leaks), "trouble": attacker.trouble}))


if __name__ == "__main__":
    main()
