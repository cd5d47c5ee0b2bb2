"""The rounds with a sign-in in the browser, whose issuer takes each refresh token once.

The service marks a token in the keyring before it sends it. A kill after that may lose the sign-in. It never makes a
process send the token again.
"""

import time

import wire
from rounds import Rounds
from wire import Trap

# More than the lifetime of an access token, in seconds.
EXPIRY = 1.2
# The processes beside the service.
HOSTS = 3


class BrowserRounds(Rounds):
    STAGES = (wire.RECEIVED, wire.ANSWERED, wire.DELIVERED)

    def answer(self):
        """An access token lives for a second, and may end on its way to the backend. The next question gets another."""
        for _ in range(5):
            if (refusal := super().answer()) != "HTTPError":
                break
        return refusal

    def check_life(self, item, may_be_lost=True):
        if item is None:
            super().check_life(item)
        elif item.is_marked or item.is_refused:
            self.check(may_be_lost, "a sign-in was lost without a kill, or before its token was sent")
            self.check_loss(item)
        else:
            self.check(self.ledger.accepts(item.token), "the keyring holds a spent token without its mark")
            self.check(self.session.state() == "signed-in", f"the state is {self.session.state()} with a credential")
            self.check(self.answer() is None, f"a sign-in that should work was refused: {self.refusal}")
            self.check_fresh()
        self.check_wire()

    def check_wire(self):
        self.check(max(self.ledger.sent.values(), default=0) <= 1, "a refresh token or a code was sent twice")
        self.check(self.ledger.refusals == 0, "the issuer refused a refresh: it was early or of a spent token")

    def check_loss(self, item):
        """The marked token is in no request, and the user signs in again."""
        self.count.losses += 1
        self.tally.unsent += item.token is not None and not self.ledger.sent[item.token]
        refreshes = self.ledger.sent.total()
        time.sleep(EXPIRY)
        for _ in range(2):
            self.check(self.answer() == "ReauthenticationRequired", f"a lost sign-in was answered with {self.refusal}")
            self.check(self.session.state() == "reauthentication-required",
                       f"the state is {self.session.state()} after a loss")
            self.check("ada@example.com" in self.session.property("AccountInfo"), "the account is unknown after a loss")
            self.session.end_service()
            self.session.restart_service()
        self.check(self.ledger.sent.total() == refreshes, "a marked token was sent")
        self.session.sign_in()
        self.check(self.answer() is None, "a call after a new sign-in had no answer")

    def beside(self):
        """Several processes need the same token at the same time; one of them is killed."""
        length = self.length("refresh", self.session.send, self.prepare_refresh)
        self.wire.latency = self.random.uniform(0, 0.3)
        host_dies = self.random.random() < 0.5
        kill, killed = self.killing(lambda: hosts[0].kill() if host_dies else self.session.kill_service())
        aimed = self.aim(kill, 2 * length + self.wire.latency, ["refresh", "refresh"], [])
        newest = self.begin(self.prepare_refresh)
        hosts = [self.session.start_host("send", "hi") for _ in range(HOSTS)]
        self.run_and_kill(self.session.send, aimed, killed, kill)
        for host in hosts:
            host.wait()
        item = self.stored()
        self.note_moment("refresh", newest)
        self.check(item, "a refresh removed a sign-in")
        if not host_dies:
            self.session.restart_service()
        self.check_life(item)

    def network(self):
        """The issuer's answer is lost, or nobody knows whether it has received the request."""
        self.begin(self.prepare_refresh)
        loss = self.random.choice([wire.REFUSED, wire.LOST, wire.HALVED])
        self.count.before_arrival += loss != wire.REFUSED
        if self.random.random() < 0.3:
            self.lose_exchange(loss)
            return
        self.wire.trap = Trap("refresh", loss)
        # The access token may be valid for a moment more.
        self.check(self.answer() in (None, "ReauthenticationRequired"), f"a lost answer gave {self.refusal}")
        self.wire.trap = None
        item = self.stored()
        self.check(item.is_marked, "a token without an answer has no mark")
        self.check_life(item)

    def lose_exchange(self, loss):
        """The sign-in fails, and the one before stays."""
        before = self.stored().token
        self.wire.trap = Trap("exchange", loss)
        self.session.start_sign_in()
        self.session.news.wait_for("'failed'", self.start)
        self.wire.trap = None
        item = self.stored()
        self.check(item.token == before, "a failed sign-in replaced another")
        self.check_life(item)
