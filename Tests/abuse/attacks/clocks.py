"""Clock steps of the machine and of the sign-in server."""

import subprocess
import sys
import time
from pathlib import Path

from bus.chappie import ROOT
from bus.connection import CallFailed

TOP = Path(__file__).parents[3]
# Seconds: within and just outside of what counts as equal, an hour, a day, years.
LEAPS = [0, 1, 2, 3, 4, 60, 3600, 86_400, 366 * 86_400, 1_000_000_000]
# Tokens that are due for a refresh at each use, and some that are not.
LIFETIMES = [1, 60, 299, 3600]
USUAL = 864_000


def clock(attacker):
    """Leaps with the clock of another service, which must not delete what is not due. Another leap takes seconds."""
    with attacker.connect() as caller:
        attacker.attempt(caller.property, ROOT, "org.chappie.Manager", "LockState")
    if attacker.rounds == 1 or attacker.left > 8:
        run = subprocess.Popen(
            [TOP / "scripts/private-session", sys.executable, TOP / "Tests/abuse/clock.py", attacker.programs,
             str(attacker.random.getrandbits(32))], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, errors = run.communicate()
        except BaseException:
            run.terminate()  # A session that is killed leaves its bus and its keyring.
            raise
        if run.returncode:
            attacker.complain(errors.strip())
    else:
        time.sleep(attacker.left)


def leaping_issuer(attacker):
    """Each answer names other times than the one before it."""
    caller = attacker.connect()
    client = caller.open_client()
    try:
        while not attacker.is_over:
            attacker.control("access-token-lifetime", seconds=attacker.random.choice(LIFETIMES))
            attacker.control("clock", ahead=attacker.random.choice(LEAPS) * attacker.random.choice([1, -1]))
            try:
                caller.send(client, "hi")
            except CallFailed as failure:
                if "ReauthenticationRequired" in str(failure):
                    attacker.complain("a clock that leaps has ended a sign-in")
    finally:
        attacker.control("clock", ahead=0)
        attacker.control("access-token-lifetime", seconds=USUAL)
        caller.close()
