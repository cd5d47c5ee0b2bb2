"""The conditions after a kill, and the counts."""

import time

from session import Failure, Refused


class Count:
    """The counts of one operation so far."""

    def __init__(self):
        self.rounds = self.kills = self.checks = self.failures = 0
        # Kills, and answers lost by the network, after the issuer had issued tokens and before they were stored: before
        # their answer had arrived, and after.
        self.before_arrival = self.after_arrival = 0
        # Sign-ins lost by them.
        self.losses = 0


class Tally:
    """The counts with one kind of issuer so far."""

    def __init__(self, operations):
        self.counts = {name: Count() for name in operations}
        # Kills of the service during a refresh, by the choice of their moment.
        self.anywhere, self.aimed = Count(), Count()
        # Sign-ins in the browser that were lost after the mark of their token, and before it was sent.
        self.unsent = 0
        # The longest time in seconds from the arrival of an answer to such a kill before it was stored.
        self.latest = 0


class Checks:
    """Compares the state of the service and of the keyring with the tokens that the issuer has issued."""

    def __init__(self, session, phase, tally):
        self.session, self.tally = session, tally
        self.grace, self.proactive, self.rule = phase.grace, phase.proactive, phase.rule
        self.wire, self.ledger = session.wire, session.wire.ledger
        self.count = None
        # The start of this round's operation, and the time of the kill.
        self.start = self.killed_at = 0
        # Whether the kill came between the issuing of tokens and their storing.
        self.was_between = False
        self.originals, self.copies = [], []
        self.refusal = None

    def check(self, holds, what):
        self.count.checks += 1
        if not holds:
            raise Failure(what)

    def answer(self):
        """None for an answer; the error's name for a refusal."""
        try:
            self.session.send()
            return None
        except Refused as refusal:
            self.refusal = refusal
            return refusal.name

    # The keyring

    def stored(self):
        """The valid stored item, or None."""
        time.sleep(0.02)
        self.wire.settle()
        items = self.session.items()
        self.copies = [item for item in items if item.is_copy]
        self.originals = [item for item in items if not item.is_copy]
        # A sign-in with another accessibility is another item, and both exist for a moment.
        self.check(len(self.originals) <= (2 if self.rule else 1), f"{len(self.originals)} items for one slot")
        self.check(self.originals or not self.copies, "a copy exists without its original")
        return max(self.originals, key=lambda item: item.renewed_at, default=None)

    def note_moment(self, kind, newest_before, *more_counts):
        """Records whether the kill came after tokens had been issued and before they were stored."""
        newest = self.ledger.newest
        self.was_between = newest != newest_before and not any(item.token == newest for item in self.originals)
        arrived = self.wire.delivered_at.get(kind, 0)
        has_arrived = self.start < arrived < self.killed_at
        for count in (self.count, *more_counts):
            count.before_arrival += self.was_between and not has_arrived
            count.after_arrival += self.was_between and has_arrived
        if more_counts and self.was_between and has_arrived:
            self.tally.latest = max(self.tally.latest, self.killed_at - arrived)

    def check_fresh(self):
        """Checks that one item has the newest token, and that a copy exists exactly if its rule requires one."""
        item = self.stored()
        self.check(len(self.originals) == 1, f"{len(self.originals)} items after an operation that succeeded")
        self.check(item.token == self.ledger.newest, "the newest token is not in the keyring")
        copies = [item.token] if item.rule.startswith("after-first-unlock") else []
        self.check([copy.token for copy in self.copies] == copies, "the copies do not hold the newest token")

    # The service

    def check_life(self, item, may_be_lost=True):
        """Checks that the service works with the items in the keyring."""
        if item is None:
            self.check(self.session.state() == "signed-out", "the service is not signed out without a credential")
            self.check(self.answer() == "MissingCredential",
                       "a call without a credential did not fail with MissingCredential")
            return
        self.check(self.session.state() == "signed-in", f"the state is {self.session.state()} with a credential")
        self.check(item.token, "the credential has no refresh token")
        is_alive = self.ledger.accepts(item.token)
        self.check(is_alive or (may_be_lost and not self.grace), "the keyring holds a spent token")
        refusals = self.ledger.refusals
        self.session.expire_access_tokens()
        answer = self.answer()
        if is_alive:
            self.check(answer is None, f"a sign-in that should work was refused: {self.refusal}")
            self.check(self.session.state() == "signed-in", "the service is not signed in after an answer")
            self.check(self.ledger.refusals == refusals, "the service sent a spent token")
            self.check_fresh()
        else:
            self.count.losses += 1
            self.check(self.was_between, "a sign-in was lost whose tokens had been stored")
            self.check_loss(answer, refusals)

    def check_loss(self, answer, refusals):
        """Checks that the service stores the refusal of the issuer and asks only once."""
        self.check(answer == "ReauthenticationRequired", f"a lost sign-in was answered with {answer}")
        self.check(self.ledger.refusals == refusals + 1, f"{self.ledger.refusals - refusals} refusals for one loss")
        for _ in range(2):
            self.check(self.session.state() == "reauthentication-required",
                       f"the state is {self.session.state()} after a loss")
            self.check("ada@example.com" in self.session.property("AccountInfo"), "the account is unknown after a loss")
            self.stored()
            self.check(self.originals and all(item.token and item.is_refused for item in self.originals + self.copies),
                       "a refusal was not stored, or removed the token from the keyring")
            self.session.end_service()
            self.session.restart_service()
        self.check(self.answer() == "ReauthenticationRequired", "the service forgot that the sign-in was lost")
        self.check(self.ledger.refusals == refusals + 1, "the service sent a spent token")
        self.session.sign_in()
        self.check(self.answer() is None, "a call after a new sign-in had no answer")
