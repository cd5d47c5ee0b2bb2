"""Forged replies to calls of the service."""

import json
import subprocess
import sys
from pathlib import Path

FORGER = Path(__file__).parents[1] / "forger.py"


def forged_replies(attacker):
    """A caller that the service refuses, in a user namespace of its own."""
    run = subprocess.run(
        ["unshare", "--user", "--map-current-user", sys.executable, FORGER, attacker.bus, str(attacker.left)],
        stdout=subprocess.PIPE, text=True)
    outcome = json.loads(run.stdout) if run.stdout else {"obtained": ["the forger crashed"]}
    attacker.note_calls(outcome.get("calls", 0))
    for each in outcome["obtained"]:
        attacker.complain(f"a refused caller obtained {each}")
