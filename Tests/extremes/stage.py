"""The programs under test, and helpers that all sources of values share."""

import os
import subprocess
import time

from bus.chappie import Caller
from bus.connection import CallFailed, Gone, Unanswered
from fields import NUMBERS
from relay import Relay
from session import Failure, Session
from values import ENDMOST, hides

# The longest wait for a reply, in seconds: a hostile answer may make the service wait.
TIMEOUT = 4
# The keyring's name for the slots of the tries.
SERVICE = "extremes"
# The token lifetime of browser sign-ins: tokens are refreshed at each use, and the issuer accepts that at once.
LIFETIME = "9"


class Stage(Session):
    """A session in which the relay forwards all answers to the service."""

    def __init__(self, programs, log, choice, most):
        super().__init__(programs, log)
        self.choice = choice
        self.wire = Relay(choice, most)
        self.spare = None
        self.failures = []
        self.tries = 0

    def __exit__(self, *more):
        super().__exit__(*more)
        if self.spare:
            self.spare.terminate()
            self.spare.wait()

    def start_stand_ins(self):
        """One for each door."""
        self.start_sandbox("--access-token-lifetime", LIFETIME)
        self.wire.doors["browser"], self.spare, self.sandbox = self.wire.target, self.sandbox, None
        self.start_sandbox("--interval", "1")
        self.wire.doors["device"] = self.wire.target

    def launch_service(self):
        command = [self.programs / "chappied", "--issuer", self.wire.url, "--backend", f"{self.wire.url}/backend-api"]
        # No page is opened in a browser.
        environment = {**os.environ, "XDG_DATA_DIRS": "/nonexistent"}
        self.service = subprocess.Popen(command, env=environment, stdout=self.log, stderr=self.log)

    def start_service(self):
        """Starts the service, and waits for its name."""
        self.launch_service()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.service.poll() is None:
            try:
                with self.caller() as caller:
                    owner = caller.call("/", "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s", ["org.chappie"],
                                        to="org.freedesktop.DBus")
                    if owner == [self.service.pid]:
                        return
            except (CallFailed, Gone, Unanswered):
                pass
            time.sleep(0.01)
        raise Failure("the service did not start")

    def restart(self, anew=False):
        """Anew is without the sign-ins of earlier tries."""
        if self.service.poll() is None:
            self.end_service()
        if anew:
            subprocess.run(["secret-tool", "clear", "service", SERVICE], stderr=self.log)
        self.start_service()

    def mend(self):
        """Signs in, if a hostile answer has ended the sign-in."""
        if self.state() != "signed-in":
            self.sign_in()

    def caller(self, timeout=TIMEOUT):
        caller = Caller(os.environ["DBUS_SESSION_BUS_ADDRESS"], timeout)
        caller.on_call = lambda call: caller.answer(call, "s", ["echo"])
        return caller

    def lives(self):
        """Whether the service runs; else it is started anew, without the sign-ins that may have ended it."""
        try:
            self.service.wait(0.01)
        except subprocess.TimeoutExpired:
            return True
        self.restart(anew=True)
        return False

    def fail(self, what):
        self.failures.append(what)
        print(f"FAILED {what}", flush=True)


def together(caller, calls, seconds=TIMEOUT):
    """Makes all calls at once; the bodies of the replies, with None for an error."""
    serials = [caller.post(*call) for call in calls]
    replies = []
    deadline = time.monotonic() + seconds
    for serial in serials:
        try:
            replies.append(caller.reply(serial, max(0.01, deadline - time.monotonic())).body)
        except (CallFailed, Unanswered):
            replies.append(None)
    return replies


class Ended(Exception):
    """A program other than the service has crashed."""


def shared(changes, clash, most):
    """The changes in few lists, of which none has two that clash, or more than so many."""
    shares = []
    for change in changes:
        for share in shares:
            if len(share) < most and not any(clash(change, other) for other in share):
                share.append(change)
                break
        else:
            shares.append([change])
    return shares


class Source:
    """Fields of one reader, and the way to them."""

    # The most fields that are tried at once.
    width = 1
    # The number of values in the first turn.
    least = 1
    # The changes that did not come to be tried.
    missed = 0
    # Whether a try that fails leaves changed items in the keyring.
    changes_items = False

    def __init__(self, stage, name, plan):
        """The plan has the places, and a list of values for each."""
        self.stage, self.name = stage, name
        # Values that hide other changes come last.
        self.plan = {place: sorted(stage.choice.sample(values, len(values)), key=hides)
                     for place, values in plan.items()}

    def changes(self, turn):
        """The values of a turn: in the first one some for each place, and in each later one another."""
        changes = []
        for place, values in self.plan.items():
            least = len(ENDMOST) if place[-1] == NUMBERS else self.least
            changes += [(place, value) for value in (values[least + turn - 1:least + turn] if turn else values[:least])]
        self.stage.choice.shuffle(changes)
        return [changes[start:start + self.width] for start in range(0, len(changes), self.width)]

    def run(self, changes):
        """Tries some changes together. If that ends the program, it tries each alone, and tells which does it."""
        self.stage.tries += len(changes)
        if not self.outlived(changes):
            guilty = [change for change in changes if len(changes) > 1 and not self.outlived([change])]
            shown = (f"{'/'.join(map(str, place))} = {str(value)[:60]}" for place, value in guilty or changes)
            self.stage.fail(f"{self.name}: the program ended after {'; '.join(shown)}")

    def outlived(self, changes):
        for is_last in (False, True):
            try:
                self.try_(changes)
                break
            except (Gone, Unanswered, CallFailed, Failure):
                if not self.stage.lives():
                    return False
                if is_last:
                    self.missed += len(changes)
                else:
                    # A new process has not reached any limit.
                    self.stage.restart(anew=self.changes_items)
            except Ended:
                return False
        return self.stage.lives()
