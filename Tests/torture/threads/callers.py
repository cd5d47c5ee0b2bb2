"""Callers that use threads until the service is gone."""

import threading
import time

from session import Failure, Refused, wait_until
from threads.deeds import Deed, Outcome
from threads.stories import Story

WORDS = "the quick brown fox jumps over a lazy dog and sleeps in the sun "
# What a deed can be refused with that is no fault.
REFUSALS = {"NoSuchThread", "StoreFull", "InvalidArgument"}


class Callers:
    def __init__(self, session, store, phase):
        self.session, self.store, self.phase = session, store, phase
        # By the ids of their threads.
        self.stories = {}
        self.deeds = []
        # What was waited for in vain.
        self.troubles = []
        # Each message of a round begins with this.
        self.tag = ""
        self.ended = threading.Event()
        self.lock = threading.Lock()

    def work(self, number, random, kinds, length):
        """What one caller does."""
        for index in range(length):
            deed = self.choose(random, kinds, f"{self.tag}w{number}n{index}x")
            with self.lock:
                if self.ended.is_set():
                    return
                self.deeds.append(deed)
            self.carry_out(deed)
            if deed.outcome is Outcome.UNKNOWN and deed.kind != "abandon":
                return

    def choose(self, random, kinds, tag):
        with self.lock:
            gone = {deed.thread for deed in self.deeds if deed.kind == "delete"}
            threads = [id for id in self.stories if id not in gone]
        kind = random.choice(kinds) if threads else "create"
        if kind == "create":
            return Deed(kind, None, random.choice([tag, ""]), tag)
        # The first ones are kept, so that some get long.
        thread = random.choice(threads[3:] if kind == "delete" and len(threads) > 3 else threads)
        match kind:
            case "compact": text = f"{tag} in short"
            # Some are long ones.
            case "rename": text = f"{tag} {WORDS * random.choice([0, 15])}".strip()
            case _: text = self.message(tag, random)
        return Deed(kind, thread, text, tag)

    def message(self, tag, random):
        length = random.choice(self.phase.lengths)
        return f"{tag} {WORDS * (length // len(WORDS) + 1)}"[:length + len(tag)].strip()

    def carry_out(self, deed):
        deed.started = time.time()
        try:
            deed.outcome = Outcome.DONE if self.call(deed) else Outcome.UNKNOWN
        except Refused as refusal:
            deed.refusal = refusal.name
            deed.outcome = Outcome.REFUSED if refusal.name in REFUSALS else Outcome.UNKNOWN
        except Failure as failure:
            self.troubles.append(failure)
            deed.outcome = Outcome.UNKNOWN
        if deed.outcome is not Outcome.UNKNOWN:
            deed.ended = time.time()

    def call(self, deed):
        """Whether it has ended, and well."""
        match deed.kind:
            case "create":
                deed.answer = deed.thread = self.store.create(deed.text)
                with self.lock:
                    self.stories[deed.thread] = Story.begun(deed)
            case "send": deed.answer = self.store.send(deed.thread, deed.text)
            case "stream":
                turn = self.store.stream(deed.thread, deed.text)
                wait_until(lambda: self.told("Completed", turn) or self.told("Failed", turn)
                           or self.session.service.poll() is not None, "the end of a turn")
                return self.told("Completed", turn)
            case "abandon":
                # The caller leaves at once, which cancels the turn.
                self.store.stream(deed.thread, deed.text, broadcasts=False)
                return False
            case "compact": self.store.call("Compact", deed.thread, deed.text)
            case "compact_model": self.store.call("Compact", deed.thread, "")
            case "rename": self.store.call("Rename", deed.thread, deed.text)
            case "archive": self.store.call("Archive", deed.thread)
            case "unarchive": self.store.call("Unarchive", deed.thread)
            case "delete": self.store.call("Delete", deed.thread)
        return True

    def told(self, signal, text):
        """Whether a signal of a client has said so."""
        return self.session.news.told(f".Client.{signal} ", text)
