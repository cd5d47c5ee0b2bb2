"""One attack, with the conditions that hold during it and after it."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

from bus.chappie import ROOT, Caller
from bus.connection import CallFailed, Gone, Unanswered
from kernel import MIB, Watch, footprint
from prompter import Prompter

HERE = Path(__file__).parent
# The greatest memory at any time; and the greatest increase of memory and open files after all attacks, once all
# attackers have ended.
MOST_MEMORY = 256 * MIB
REST = 64 * MIB
DESCRIPTORS = 32
# The time for the service to become idle after an attack, and for an attacker to end, in seconds.
RECOVERY, GRACE = 10, 6
# After a user has declined the keyring's prompt, no prompt comes for at least so long, in seconds.
PAUSE = 5
# The errors of D-Bus and its implementations for calls with invalid arguments.
STANDARD = {"org.freedesktop.DBus.Error." + name for name in (
    "AccessDenied", "InvalidArgs", "InvalidSignature", "LimitsExceeded", "PropertyReadOnly", "UnknownInterface",
    "UnknownMethod", "UnknownObject", "UnknownProperty", "NotSupported")}
# Errors of the bus itself or of a sandbox's proxy while a service is there, for callers that have left.
OF_THE_BUS = {"org.freedesktop.DBus.Error." + name for name in ("NoReply", "Disconnected")}


def documented_errors():
    page = (HERE.parents[1] / "data/man/org.chappie.7").read_text()
    return set(re.findall(r"^\.It Sy (org\.chappie\.Error\.\w+)", page, re.M)) | STANDARD


DOCUMENTED = documented_errors()


class Round:
    def __init__(self, attack, world, bystander, read_bound, turn_bound, measures):
        self.attack, self.world, self.bystander = attack, world, bystander
        self.read_bound, self.turn_bound = read_bound, turn_bound
        # Whether a latency above its bound is a failure.
        self.measures = measures
        self.failures = []
        self.calls = self.peak = self.seed = 0
        self.longest_read = self.longest_turn = (0, 0)
        self.reads = self.turns = 0
        self.errors = {}
        self.prompts = 0
        # Whether the next attack needs another service.
        self.is_broken = False

    def check(self, holds, what):
        if not holds:
            self.failures.append(what)

    def run(self, seed, seconds):
        self.seed = seed
        prompter = None
        if self.attack.locks_keyring:
            prompter = Prompter(self.world.address)
            self.world.lock_keyring()
            self.bystander.tolerated = ("Locked",)
        start = time.monotonic()
        self.bystander.begin()
        outcome = self.let_loose(seed, seconds)
        self.bystander.end()
        self.peak = self.bystander.watch.most
        if prompter:
            self.prompts = prompter.end()
            self.world.unlock_keyring()
            self.bystander.tolerated = ()
            # Each app may ask once before it is refused; without apps the attacker is one program.
            most = max(1, len(self.world.apps)) + (time.monotonic() - start) / PAUSE
            self.check(self.prompts <= most, f"the user was asked for the keyring's password {self.prompts} times")
        self.judge(outcome)

    def let_loose(self, seed, seconds):
        order = {"name": self.attack.name, "seed": seed, "seconds": seconds, "bus": self.world.address,
                 "apps": list(self.world.apps.values()), "folder": str(self.world.runtime),
                 "programs": str(self.world.programs), "issuer": self.world.url,
                 "secrets": [self.bystander.secret, *self.world.secrets()]}
        attacker = subprocess.Popen(
            [sys.executable, HERE / "attacker.py", json.dumps(order)], stdout=subprocess.PIPE, text=True)
        try:
            output, _ = attacker.communicate(timeout=seconds + GRACE)
        except subprocess.TimeoutExpired:
            # The attacker waits for a reply that does not come, and is ended.
            attacker.terminate()
            try:
                output, _ = attacker.communicate(timeout=2)
            except subprocess.TimeoutExpired:
                attacker.kill()
                attacker.communicate()
                return {"calls": 1}
        return json.loads(output) if output else {"trouble": ["the attacker crashed"]}

    def judge(self, outcome):
        self.calls, self.errors = outcome.get("calls", 0), outcome.get("errors", {})
        self.longest_read = self.bystander.longest_read()
        self.longest_turn = self.bystander.longest_turn()
        self.reads, self.turns = len(self.bystander.reads), len(self.bystander.turns)
        self.check(not self.measures or self.longest_read[1] <= self.read_bound,
                   f"a property read of another caller took {self.longest_read[1] * 1000:.0f} ms")
        self.check(not self.measures or self.longest_turn[1] <= self.turn_bound,
                   f"a turn of another caller took {self.longest_turn[1]:.1f} s")
        self.check(self.calls, "the attack made no call")
        self.check(self.reads and self.turns, "the other caller completed no call or no turn")
        troubles = self.bystander.troubles()
        self.check(not troubles, f"another caller was not served {len(troubles)} times: {troubles[:1]}")
        self.check(self.peak <= MOST_MEMORY, f"resident memory rose to {self.peak / MIB:.0f} MiB")
        unknown = set(self.errors) - DOCUMENTED - OF_THE_BUS
        self.check(not unknown, f"undocumented errors: {', '.join(sorted(unknown))}")
        self.check(not outcome.get("leaks"), "a secret of another caller arrived")
        for trouble in outcome.get("trouble", []):
            self.check(False, trouble)
        self.is_broken = bool(self.failures)
        self.check_rest()

    def check_rest(self):
        """Checks that the same process still serves, with the memory and descriptors of before."""
        if not self.world.lives():
            time.sleep(0.5)
            code = self.world.service.poll()
            self.check(False, "the service has ended" + ("" if code is None else f", with status {code}"))
            self.is_broken = True
            return
        deadline = time.monotonic() + RECOVERY
        while trouble := self.unrest():
            if time.monotonic() > deadline:
                self.check(False, trouble)
                self.is_broken = True
                break
            time.sleep(0.1)

    def unrest(self):
        """The reason that the service is still busy; None when it is idle."""
        if not self.answers():
            return "the service does not answer afterwards"
        before, now = self.world.at_start, footprint(self.world.service.pid)
        if now.memory > before.memory + REST:
            return f"the service uses {now.memory / MIB:.0f} MiB, and used {before.memory / MIB:.0f} before all attacks"
        if now.descriptors > before.descriptors + DESCRIPTORS:
            return f"the service has {now.descriptors} descriptors, and had {before.descriptors} before all attacks"
        return None

    def answers(self):
        try:
            with Caller(self.world.address, timeout=self.read_bound * 4) as caller:
                return bool(caller.property(ROOT, "org.chappie.Session", "State"))
        except (CallFailed, Gone, Unanswered):
            return False
