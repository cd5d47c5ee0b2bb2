"""One round each: an operation, a kill during it, and checks."""

import statistics
import threading
import time

import wire
from checks import Checks
from session import Failure, Refused, wait_until
from wire import Trap


class Rounds(Checks):
    # The stages of an exchange at which a kill is aimed.
    STAGES = (wire.ANSWERED, wire.DELIVERED)

    def __init__(self, session, random, phase, tally):
        super().__init__(session, phase, tally)
        self.random = random
        self.lengths = {}
        self.is_aimed = False

    # Operations

    def ensure_signed_in(self):
        if self.rule:
            # The service's own object signs in with the default accessibility.
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
        """The undisturbed duration of an operation."""
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

        Returns the function to call when the operation starts.
        """
        choices = ["any"] * 2 + [(kind, stage) for kind in kinds for stage in self.STAGES] + news
        choice = self.random.choice(choices)
        self.is_aimed = choice != "any"
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
        """Runs an operation until it ends or fails; returns whether it succeeded. The kill has happened by then."""
        aimed()
        try:
            operation()
            succeeded = True
        except (Refused, Failure):
            succeeded = False
        # The awaited event did not happen, or is about to happen.
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

    # The rounds

    def begin(self, prepare):
        prepare()
        self.start = time.monotonic()
        return self.ledger.newest

    def sign_in(self):
        """Signs in from nothing, or over a sign-in that is kept until the new one has succeeded."""
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
        self.note_moment("exchange", newest)
        self.check(item or not (again or linked), "a sign-in was lost")
        if linked:
            self.check(item.token == self.ledger.newest, "the service reported a sign-in that it had not stored")
        self.session.restart_service()
        self.check_life(item)
        self.session.sign_in()
        self.check_fresh()

    def refresh(self):
        self.refresh_and(self.session.kill_service, self.tally)

    def stop(self):
        """The service is told to end: it waits for the issuer's answer and stores it."""
        self.refresh_and(self.session.service.terminate, latency=self.random.uniform(0, 0.3))

    def refresh_and(self, end, tally=None, latency=0):
        length = self.length("refresh", self.session.send, self.prepare_refresh)
        self.wire.latency = latency
        kill, killed = self.killing(end)
        aimed = self.aim(kill, length + self.wire.latency, ["refresh", "refresh"], [])
        newest = self.begin(self.prepare_refresh)
        self.run_and_kill(self.session.send, aimed, killed, kill)
        self.session.service.wait()
        item = self.stored()
        moments = [tally.aimed if self.is_aimed else tally.anywhere] if tally else []
        for count in moments:
            count.kills += 1
        self.note_moment("refresh", newest, *moments)
        self.check(item, "a refresh removed a sign-in")
        self.session.restart_service()
        self.check_life(item, may_be_lost=tally is not None)

    def sign_out(self):
        """Signs out alone, or while a library host uses and refreshes the credential."""
        length = self.length("sign-out", self.session.sign_out, self.ensure_signed_in)
        kill, killed = self.killing(self.session.kill_service)
        aimed = self.aim(kill, length, ["revoke"], ["'signed-out'"])
        has_company = self.random.random() < 0.5
        self.wire.latency = self.random.uniform(0, 0.1)
        self.begin(self.prepare_refresh)
        host = self.session.start_host("send", "hi") if has_company else None
        done = self.run_and_kill(self.session.sign_out, aimed, killed, kill)
        if host:
            host.wait()
        item = self.stored()
        self.check(not (item and done), "the service reported a sign-out and kept the credential")
        self.session.restart_service()
        self.check_life(item, may_be_lost=False)
        self.session.sign_out()
        self.check(self.stored() is None, "a credential exists after a sign-out")
        self.check(self.session.state() == "signed-out", "the service is not signed out after a sign-out")

    def keyring(self):
        """The keyring is killed during a refresh: the service keeps the issuer's tokens until it is back."""
        length = self.length("refresh", self.session.send, self.prepare_refresh)
        kill, killed = self.killing(self.session.kill_keyring)
        aimed = self.aim(kill, length, ["refresh", "refresh"], [])
        newest = self.begin(self.prepare_refresh)
        self.run_and_kill(self.session.send, aimed, killed, kill)
        self.check(self.session.state() == "signed-in", f"the state is {self.session.state()} without a keyring")
        time.sleep(0.02)
        self.wire.settle()
        self.session.start_keyring()
        self.stored()
        self.note_moment("refresh", newest)
        if self.random.random() < 0.5:
            self.check(self.answer() is None, f"a call after the return of the keyring was refused: {self.refusal}")
            self.check(self.session.state() == "signed-in",
                       "the service is not signed in after the return of the keyring")
        self.session.end_service()
        item = self.stored()
        self.check(item, "the kill of the keyring lost the sign-in")
        self.session.restart_service()
        self.check_life(item, may_be_lost=False)

    def beside(self):
        """A library host needs the same token at the same time; one of the two processes is killed."""
        length = self.length("refresh", self.session.send, self.prepare_refresh)
        # The delay is long enough for both to need the token.
        self.wire.latency = self.random.uniform(0, 0.3)
        host_dies = self.random.random() < 0.5
        kill, killed = self.killing(lambda: host.kill() if host_dies else self.session.kill_service())
        aimed = self.aim(kill, 2 * length + self.wire.latency, ["refresh", "refresh"], [])
        newest, refusals = self.begin(self.prepare_refresh), self.ledger.refusals
        host = self.session.start_host("send", "hi")
        self.run_and_kill(self.session.send, aimed, killed, kill)
        host.wait()
        item = self.stored()
        self.note_moment("refresh", newest)
        self.check(item, "a refresh removed a sign-in")
        if not host_dies:
            self.session.restart_service()
        if not item.is_refused:
            self.check(self.ledger.refusals == refusals, "a process sent a spent token")
            self.check_life(item)
        else:
            # The remaining process has asked already.
            self.check(not self.grace and self.was_between, "a sign-in that could be refreshed has ended")
            self.check(self.ledger.refusals == refusals + 1, f"{self.ledger.refusals - refusals} refusals for one loss")
            self.check(self.session.state() == "reauthentication-required",
                       f"the state is {self.session.state()} after a loss")
            self.count.losses += 1
            self.session.sign_in()

    def network(self):
        """The issuer is unreachable, or its answer is lost."""
        self.begin(self.prepare_refresh)
        self.wire.trap = Trap("refresh", self.random.choice([wire.REFUSED, wire.LOST, wire.HALVED]))
        self.check(self.answer() == "Network", "a lost answer gave no network error")
        self.was_between = self.wire.trap.stage != wire.REFUSED
        self.count.before_arrival += self.was_between
        self.wire.trap = None
        self.check_life(self.stored())

    def run(self, name):
        """Runs one round; returns its failure, or None."""
        self.count = count = self.tally.counts[name]
        self.was_between = False
        self.wire.latency = 0
        count.rounds += 1
        try:
            getattr(self, name)()
            return None
        except (Failure, Refused) as failure:
            count.failures += 1
            self.wire.trap = None
            self.session.news.watch = None
            return str(failure)
