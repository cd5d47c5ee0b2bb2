"""The service's interfaces for its callers."""

import time

from bus.connection import CHAPPIE, CallFailed, Connection, Unanswered
from bus.marshal import Variant

ROOT = "/org/chappie"


def options(**values):
    """A dictionary of options; the type follows from the value."""
    return {key: variant(value) for key, value in values.items()}


def variant(value):
    match value:
        case Variant(): return value
        case bool(): return Variant("b", value)
        case int(): return Variant("u", value)
        case float(): return Variant("d", value)
        case str(): return Variant("s", value)
        case dict(): return Variant("a{sv}", value)
        case [str(), *_]: return Variant("as", value)
        case _: return Variant("aa{sv}", value)


HTTP_ONLY = {"streaming_transport_policy": Variant("a{sv}", options(prefers_web_socket=False))}


class Caller(Connection):
    def manager(self, member, signature="", values=()):
        return self.call(ROOT, "org.chappie.Manager", member, signature, values)

    def client(self, path, member, signature="", values=(), seconds=None, flags=0):
        return self.call(path, "org.chappie.Client", member, signature, values, seconds=seconds, flags=flags)

    def open_client(self, **configuration):
        return self.manager("OpenClient", "a{sv}", [options(**configuration)])[0]

    def open_session(self, **configuration):
        return self.manager("OpenSession", "a{sv}", [options(**configuration)])[0]

    def send(self, path, text, seconds=None, **more):
        return self.client(path, "Send", "sa{sv}", [text, options(**more)], seconds)[0]

    def stream(self, path, text, **more):
        return self.client(path, "Stream", "sa{sv}", [text, options(**more)])[0]

    def end_of(self, turn, seconds):
        """The end of a turn: None for success, else the error's name."""
        deadline = time.monotonic() + seconds
        while True:
            for signal in self.signals:
                if signal.member in ("Completed", "Failed") and (body := signal.body)[0] == turn:
                    self.signals.clear()
                    return None if signal.member == "Completed" else body[1]
            self.signals.clear()
            self.receive(deadline - time.monotonic())

    def sign_in(self, session, seconds=20):
        self.call(session, "org.chappie.Session", "StartDeviceCodeSignIn", "a{sv}", [options(notify=False)])
        deadline = time.monotonic() + seconds
        while self.property(session, "org.chappie.Session", "State") != "signed-in":
            if time.monotonic() > deadline:
                raise Unanswered("a sign-in")
            time.sleep(0.05)


__all__ = ["CHAPPIE", "CallFailed", "Caller", "HTTP_ONLY", "ROOT", "Unanswered", "options", "variant"]
