"""One round each: an operation, something that ends it in the middle, and what must hold afterwards."""

import statistics
import threading
import time

import wire
from session import Failure, Refused, wait_until
from wire import Trap


class Count:
    """What happened to one operation so far."""

    def __init__(self):
        self.rounds = self.kills = self.checks = self.failures = 0
        # Kills while tokens were issued and not stored: before their answer had arrived, and after.
        self.before_arrival = self.after_arrival = 0
        # Sign-ins that were lost with the answer to a refresh.
        self.losses = 0


class Rounds:
    def __init__(self, session, random, phase):
        self.session, self.random = session, random
        self.grace, self.proactive, self.rule = phase.grace, phase.proactive, phase.rule
        self.wire = session.wire
        self.ledger = session.wire.ledger
        self.count = None
        self.lengths = {}
        # The longest time from the arrival of an answer to a kill that came before it was stored, in seconds.
        self.latest_loss = 0
        self.refusal = None
        self.originals, self.copies = [], []

    def check(self, holds, what):
        self.count.checks += 1
        if not holds:
            raise Failure(what)

    # Operations

    def ensure_signed_in(self):
        if self.rule:
            # The service's own object signs in under the usual rule.
            if self.session.state() != "signed-in" or any(item.rule != self.rule for item in self.session.items()):
                if self.session.start_host("sign-in", self.rule).wait() != 0:
                    raise Failure("a library host cannot sign in")
                self.session.send()
        elif self.session.state() != "signed-in":
            self.session.sign_in()

    def ensure_signed_out(self):
        if self.session.state() != "signed-out":
            self.session.sign_out()

    def prepare_refresh(self):
        self.ensure_signed_in()
        if not self.proactive:
            self.session.expire_access_tokens()

    def length(self, name, operation, prepare):
        """How long an operation takes that nobody disturbs."""
        if name not in self.lengths:
            times = []
            for _ in range(3):
                prepare()
                start = time.monotonic()
                operation()
                times.append(time.monotonic() - start)
            self.lengths[name] = statistics.median(times)
        return self.lengths[name]

    # Killing

    def aim(self, kill, length, kinds, news):
        """Chooses a moment: any within the operation, or one around an answer of the issuer or a signal.

        Gives what to do when the operation starts.
        """
        choices = ["any"] + [(kind, stage) for kind in kinds for stage in (wire.ANSWERED, wire.DELIVERED)] + news
        choice = self.random.choice(choices)
        if choice == "any":
            delay = self.random.uniform(0, 1.1 * length)
            return threading.Timer(delay, kill).start
        delay = self.random.choice([0, self.random.uniform(0, 0.002), self.random.uniform(0, 0.03)])
        if isinstance(choice, str):
            def strike():
                time.sleep(delay)
                kill()
            return lambda: self.session.news.on(choice, strike)
        trap = Trap(*choice, kill, delay)
        return lambda: setattr(self.wire, "trap", trap)

    def run_and_kill(self, operation, aimed, killed, kill):
        """Runs an operation until it ends or fails; gives whether it succeeded. The kill has happened by then."""
        aimed()
        try:
            operation()
            succeeded = True
        except (Refused, Failure):
            succeeded = False
        # What was aimed at did not happen, or is about to.
        if not killed.wait(0.1):
            kill()
        killed.wait()
        self.wire.trap = None
        self.session.news.watch = None
        self.count.kills += 1
        return succeeded

    def killing(self, end):
        """A function that kills once, and the event that it sets."""
        killed, lock = threading.Event(), threading.Lock()

        def kill():
            with lock:
                if not killed.is_set():
                    end()
                    self.killed_at = time.monotonic()
                    killed.set()

        return kill, killed

    # What must hold

    def stored(self):
        """The stored item that counts, or None."""
        time.sleep(0.02)
        self.wire.settle()
        items = self.session.items()
        self.copies = [item for item in items if item.is_copy]
        self.originals = [item for item in items if not item.is_copy]
        # A sign-in under another rule is another item, and both are there for a moment.
        self.check(len(self.originals) <= (2 if self.rule else 1), f"{len(self.originals)} items for one slot")
        self.check(self.originals or not self.copies, "a copy without its original")
        return max(self.originals, key=lambda item: item.renewed_at, default=None)

    def note_window(self, kind, newest_before):
        """Counts a kill that came after tokens had been issued and before they were stored."""
        newest = self.ledger.newest
        if newest == newest_before or any(item.token == newest for item in self.originals):
            return
        arrived = self.wire.delivered_at.get(kind, 0)
        if self.start < arrived < self.killed_at:
            self.count.after_arrival += 1
            self.latest_loss = max(self.latest_loss, self.killed_at - arrived)
        else:
            self.count.before_arrival += 1

    def check_life(self, item, may_be_lost=True):
        """The service lives and works with what the keyring holds."""
        if item is None:
            self.check(self.session.state() == "signed-out", "signed in without a credential")
            self.check(self.answer() == "MissingCredential", "an answer without a credential")
            return
        self.check(self.session.state() == "signed-in", f"{self.session.state()} with a credential")
        self.check(item.token, "a credential that cannot be renewed")
        is_alive = self.ledger.accepts(item.token)
        self.check(is_alive or (may_be_lost and not self.grace), "the keyring holds a spent token")
        refusals = self.ledger.refusals
        self.session.expire_access_tokens()
        answer = self.answer()
        if is_alive:
            self.check(answer is None, f"a sign-in that should work was answered with {answer}")
            self.check(self.session.state() == "signed-in", "not signed in after an answer")
            self.check(self.ledger.refusals == refusals, "a spent token was sent")
            self.check_fresh()
        else:
            self.count.losses += 1
            self.check_loss(answer, refusals)

    def answer(self):
        """None for an answer; the error's name for a refusal."""
        try:
            self.session.send()
            return None
        except Refused as refusal:
            self.refusal = refusal
            return refusal.name

    def check_fresh(self):
        item = self.stored()
        self.check(len(self.originals) == 1, f"{len(self.originals)} items after an operation that succeeded")
        self.check(item.token == self.ledger.newest, "the newest token is not in the keyring")
        copies = [item.token] if item.rule.startswith("after-first-unlock") else []
        self.check([copy.token for copy in self.copies] == copies, "the copies are not what they should be")

    def check_loss(self, answer, refusals):
        """The issuer has refused: that is kept, and asked for once."""
        self.check(answer == "ReauthenticationRequired", f"a lost sign-in was answered with {answer}")
        self.check(self.ledger.refusals == refusals + 1, f"{self.ledger.refusals - refusals} refusals for one loss")
        for _ in range(2):
            self.check(self.session.state() == "reauthentication-required", f"{self.session.state()} after a loss")
            self.check("ada@example.com" in self.session.property("AccountInfo"), "the identity was lost")
            item = self.stored()
            self.check(item and not any(other.token for other in self.originals + self.copies), "a spent token was kept")
            self.session.end_service()
            self.session.restart_service()
        self.check(self.answer() == "ReauthenticationRequired", "the loss was forgotten")
        self.check(self.ledger.refusals == refusals + 1, "a spent token was sent")
        self.session.sign_in()
        self.check(self.answer() is None, "no answer after a new sign-in")

    # The rounds

    def begin(self, prepare):
        prepare()
        self.start = time.monotonic()
        return self.ledger.newest

    def sign_in(self):
        """From nothing, or over a sign-in that is kept until the new one has succeeded."""
        again = self.random.random() < 0.5
        prepare = self.ensure_signed_in if again else self.ensure_signed_out
        length = self.length("sign-in", self.session.sign_in, self.ensure_signed_out)
        kill, killed = self.killing(self.session.kill_service)
        aimed = self.aim(kill, length, ["exchange"], ["'exchanging'", "'linked'"])
        newest = self.begin(prepare)

        def operation():
            self.session.start_sign_in()
            wait_until(lambda: killed.is_set() or self.session.news.said("'linked'", self.start), "the sign-in")

        self.run_and_kill(operation, aimed, killed, kill)
        linked = self.session.news.said("'linked'", self.start)
        item = self.stored()
        self.note_window("exchange", newest)
        self.check(item or not (again or linked), "a sign-in is gone")
        if linked:
            self.check(item.token == self.ledger.newest, "a sign-in was reported and not kept")
        self.session.restart_service()
        self.check_life(item)
        self.session.sign_in()
        self.check_fresh()

    def refresh(self):
        self.refresh_and(self.session.kill_service)

    def stop(self):
        """Not killed but asked to end: what it has asked the issuer for, it waits for and stores."""
        self.refresh_and(self.session.service.terminate, may_be_lost=False)

    def refresh_and(self, end, may_be_lost=True):
        length = self.length("refresh", self.session.send, self.prepare_refresh)
        kill, killed = self.killing(end)
        aimed = self.aim(kill, length, ["refresh", "refresh"], [])
        newest = self.begin(self.prepare_refresh)
        self.run_and_kill(self.session.send, aimed, killed, kill)
        self.session.service.wait()
        item = self.stored()
        self.note_window("refresh", newest)
        self.check(item, "a refresh ended a sign-in")
        self.session.restart_service()
        self.check_life(item, may_be_lost)

    def sign_out(self):
        """Alone, or while a program with the library in it uses, and renews, what is removed."""
        length = self.length("sign-out", self.session.sign_out, self.ensure_signed_in)
        kill, killed = self.killing(self.session.kill_service)
        aimed = self.aim(kill, length, ["revoke"], ["'signed-out'"])
        has_company = self.random.random() < 0.5
        self.begin(self.prepare_refresh)
        host = self.session.start_host("send", "hi") if has_company else None
        done = self.run_and_kill(self.session.sign_out, aimed, killed, kill)
        if host:
            host.wait()
        item = self.stored()
        self.check(not (item and done), "a sign-out was reported and not done")
        self.session.restart_service()
        self.check_life(item, may_be_lost=False)
        self.session.sign_out()
        self.check(self.stored() is None, "a credential after a sign-out")
        self.check(self.session.state() == "signed-out", "not signed out after a sign-out")

    def keyring(self):
        """The keyring dies while a refresh is under way: the service keeps what the issuer gave until it is back."""
        length = self.length("refresh", self.session.send, self.prepare_refresh)
        kill, killed = self.killing(self.session.kill_keyring)
        aimed = self.aim(kill, length, ["refresh", "refresh"], [])
        newest = self.begin(self.prepare_refresh)
        self.run_and_kill(self.session.send, aimed, killed, kill)
        self.check(self.session.state() == "signed-in", f"{self.session.state()} without a keyring")
        time.sleep(0.02)
        self.wire.settle()
        self.session.start_keyring()
        self.stored()
        self.note_window("refresh", newest)
        if self.random.random() < 0.5:
            self.check(self.answer() is None, f"no answer after the keyring came back: {self.refusal}")
            self.check(self.session.state() == "signed-in", "not signed in after the keyring came back")
        self.session.end_service()
        item = self.stored()
        self.check(item, "the keyring took the sign-in with it")
        self.session.restart_service()
        self.check_life(item, may_be_lost=False)

    def beside(self):
        """A program with the library in it needs the same token at the same time; one of the two dies."""
        length = self.length("refresh", self.session.send, self.prepare_refresh)
        host_dies = self.random.random() < 0.5
        kill, killed = self.killing(lambda: host.kill() if host_dies else self.session.kill_service())
        aimed = self.aim(kill, 2 * length, ["refresh", "refresh"], [])
        newest, refusals = self.begin(self.prepare_refresh), self.ledger.refusals
        host = self.session.start_host("send", "hi")
        self.run_and_kill(self.session.send, aimed, killed, kill)
        host.wait()
        item = self.stored()
        self.note_window("refresh", newest)
        self.check(item, "a refresh ended a sign-in")
        if not host_dies:
            self.session.restart_service()
        if item.token:
            self.check(self.ledger.refusals == refusals, "a spent token was sent")
            self.check_life(item)
        else:
            # Whoever was left has asked already.
            self.check(not self.grace, "the end of a sign-in that could be renewed")
            self.check(self.ledger.refusals == refusals + 1, f"{self.ledger.refusals - refusals} refusals for one loss")
            self.check(self.session.state() == "reauthentication-required", f"{self.session.state()} after a loss")
            self.count.losses += 1
            self.session.sign_in()

    def network(self):
        """The issuer is not reached, or its answer gets lost."""
        self.begin(self.prepare_refresh)
        self.wire.trap = Trap("refresh", self.random.choice([wire.REFUSED, wire.LOST, wire.HALVED]))
        self.check(self.answer() == "Network", "no network error without an answer")
        self.count.before_arrival += not self.ledger.accepts(self.stored().token)
        self.wire.trap = None
        self.check_life(self.stored())

    def run(self, name, count):
        """One round; gives what went wrong, or None."""
        self.count = count
        count.rounds += 1
        try:
            getattr(self, name)()
            return None
        except (Failure, Refused) as failure:
            count.failures += 1
            self.wire.trap = None
            self.session.news.watch = None
            return str(failure)
