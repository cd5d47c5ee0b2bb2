"""The answers of both doors: sign-ins with a code, with the backend behind them, and sign-ins in the browser."""

import threading
import time
from dataclasses import dataclass

from bus.chappie import ROOT, options
from bus.connection import Unanswered
from bus.marshal import Variant
from relay import HEADER
from session import Session
from stage import TIMEOUT, SERVICE, Source, together

# The maximum number of concurrent sign-ins of a program.
USERS = 8
RUNNING = ("requesting-code", "waiting-for-approval", "waiting-for-browser", "exchanging", "verifying")
STARTS = {"device": "StartDeviceCodeSignIn", "browser": "StartBrowserSignIn"}


def visit(page):
    try:
        Session.visit(page)
    except (MemoryError, ValueError):
        pass  # The hostile answer was for the browser.


class Users:
    """Slots of their own, each with a session and a client. Fresh objects remember nothing of earlier answers."""

    def __init__(self, stage, door, numbers, in_socket=False):
        self.stage, self.door = stage, door
        self.caller = stage.caller()
        self.accounts = [f"{door}-{number}" for number in numbers]
        slots = [options(keychain_service=SERVICE, keychain_account=account) for account in self.accounts]
        more = options(
            streaming_transport_policy=options(prefers_web_socket=in_socket),
            rate_limit_backoff=options(max_retries=Variant("i", 1), initial_delay=0.5, maximum_delay=0.5))
        self.sessions = [path for path, in self.manager("OpenSession", slots)]
        self.clients = [path for path, in self.manager("OpenClient", [slot | more for slot in slots])]
        tool = options(name="echo", description="Echoes.")
        self.call(self.clients, "Client", "RegisterTools", "aa{sv}o", [[tool], ROOT])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.caller.close()

    def manager(self, member, values):
        calls = [(ROOT, "org.chappie.Manager", member, "a{sv}", [value]) for value in values]
        replies = together(self.caller, calls)
        if None in replies:
            raise Unanswered("an object")
        return replies

    def call(self, paths, interface, member, signature="", values=()):
        return together(self.caller, [(path, f"org.chappie.{interface}", member, signature, values) for path in paths])

    def states(self, paths, name):
        calls = [(path, "org.freedesktop.DBus.Properties", "GetAll", "s", ["org.chappie.Session"]) for path in paths]
        return [reply and reply[0].get(name) for reply in together(self.caller, calls)]

    def sign_in(self, sessions=None):
        """Starts sign-ins, and waits for their ends."""
        sessions = sessions or self.sessions
        visits = []
        for reply in self.call(sessions, "Session", STARTS[self.door], "a{sv}", [options(notify=False, open=False)]):
            if reply and self.door == "browser":
                visits.append(threading.Thread(target=visit, args=(reply[0],), daemon=True))
                visits[-1].start()
        deadline = time.monotonic() + TIMEOUT
        running = RUNNING
        while any(state in running for state in self.states(sessions, "DeviceLinkState")):
            if time.monotonic() > deadline:
                break
            if visits and not any(visit.is_alive() for visit in visits):
                # A browser comes back once.
                running = [state for state in RUNNING if state != "waiting-for-browser"]
            time.sleep(0.01)
        self.call(sessions, "Session", "CancelSignIn")

    def ready(self):
        """Signs in those that an earlier answer has signed out. Returns whether all are signed in."""
        for is_last in (False, False, True):
            states = self.states(self.sessions, "State")
            out = [path for path, state in zip(self.sessions, states) if state != "signed-in"]
            if not out or is_last:
                return not out
            self.call(out, "Session", "SignOut")
            self.sign_in(out)

    def sign_out(self):
        self.call(self.sessions, "Session", "SignOut")

    def start(self):
        self.call(self.sessions, "Session", STARTS[self.door], "a{sv}", [options(notify=False, open=False)])
        self.call(self.sessions, "Session", "CancelSignIn")

    def send(self):
        self.call(self.clients, "Client", "Send", "sa{sv}", ["use echo {}", {}])

    def models(self):
        self.call(self.clients, "Client", "ListModels", "a{sv}", [{}])

    def usage(self):
        self.call(self.clients, "Client", "GetUsageLimits")

    def enter(self):
        """Signs in, and uses it: what was read at first is calculated with now."""
        self.sign_in()
        self.models()

    def renew(self):
        self.stage.expire_access_tokens()
        for _ in range(2):
            # What the backend is asked for each time.
            self.usage() if self.door == "device" else self.models()


@dataclass
class Operation:
    """An operation that makes the service request an answer."""
    act: callable
    # Whether it takes a sign-in, and whether a hostile answer spoils that.
    signed_in: bool = True
    spoils: bool = False
    # Whether a process requests it only once.
    once: bool = False


def entering(**more):
    return Operation(Users.enter, signed_in=False, spoils=True, **more)


OPERATIONS = {
    "device usercode": Operation(Users.start, signed_in=False),
    "device token": entering(), "device exchange": entering(),
    "device refresh": Operation(Users.renew, spoils=True),
    "device revoke": Operation(Users.sign_out),
    "device models": Operation(Users.models), "device usage": Operation(Users.usage),
    "device responses": Operation(Users.send), "device socket": Operation(Users.send),
    "browser openid-configuration": entering(once=True), "browser jwks.json": entering(once=True),
    "browser authorize": entering(), "browser exchange": entering(),
    "browser refresh": Operation(Users.renew, spoils=True),
    "browser revoke": Operation(Users.sign_out),
    "browser models": Operation(Users.models), "browser responses": Operation(Users.send),
}


class Answers(Source):
    def __init__(self, stage, kind, raws, plain):
        super().__init__(stage, kind, stage.wire.plan(kind, raws, plain))
        self.operation, self.door = OPERATIONS[kind], kind.split()[0]
        self.width = USERS * stage.wire.most

    def try_(self, changes):
        left = list(changes)
        try:
            self.lead_to(left)
            self.missed += len(left)
        finally:
            self.stage.wire.queues[self.name] = []

    def lead_to(self, left):
        is_new = False
        while left and self.stage.service.poll() is None:
            if self.operation.once and not is_new:
                self.stage.restart()
            before = len(left)
            with Users(self.stage, self.door, range(min(USERS, before)), self.name.endswith("socket")) as users:
                if self.operation.signed_in:
                    users.ready()
                self.stage.wire.queues[self.name] = left
                self.operation.act(users)
                self.stage.wire.queues[self.name] = []
                if self.operation.spoils:
                    users.sign_out()
            if len(left) < before:
                is_new = False
            elif is_new:
                return
            else:
                # A new process has no cached answers.
                self.stage.restart()
                is_new = True


def answers(stage, raws, plain):
    """The answers of each kind, after each operation has led to one."""
    for kind, operation in OPERATIONS.items():
        with Users(stage, kind.split()[0], [0], kind.endswith("socket")) as users:
            if operation.signed_in:
                users.ready()
            operation.act(users)
    for kind in OPERATIONS.keys() ^ stage.wire.samples.keys():
        stage.fail(f"no answer of {kind}" if kind in OPERATIONS else f"nothing calls for {kind}")
    kinds = sorted(OPERATIONS.keys() & stage.wire.samples.keys())
    return share_out(stage, [Answers(stage, kind, raws, plain) for kind in kinds])


def share_out(stage, sources):
    """In a short run, leaves what comes alike in several sources, such as events and failures, to one of them."""
    having = {}
    for source in sources if stage.wire.most > 1 else []:
        for place in source.plan:
            if place[0] not in (None, HEADER):
                having.setdefault(place, []).append(source)
    for place, found in having.items():
        keeping = stage.choice.choice(found)
        for source in found:
            if source is not keeping:
                del source.plan[place]
    return sources
