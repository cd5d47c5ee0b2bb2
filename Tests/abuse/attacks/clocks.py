"""A machine whose clock leaps."""

import subprocess
import sys
import time
from pathlib import Path

from bus.chappie import ROOT

TOP = Path(__file__).parents[3]


def clock(attacker):
    """Leaps with the clock of another service, which must not delete what is not due. Another leap takes seconds."""
    with attacker.connect() as caller:
        attacker.attempt(caller.property, ROOT, "org.chappie.Manager", "LockState")
    if attacker.rounds == 1 or attacker.left > 8:
        run = subprocess.run(
            [TOP / "scripts/private-session", sys.executable, TOP / "Tests/abuse/clock.py", attacker.programs,
             str(attacker.random.getrandbits(32))], capture_output=True, text=True)
        if run.returncode:
            attacker.complain(run.stderr.strip())
    else:
        time.sleep(attacker.left)
