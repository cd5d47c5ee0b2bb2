"""Callers that use threads until the service ends."""

import threading
import time

from session import Failure, Refused, wait_until
from threads.actions import Action, Outcome
from threads.snapshots import Snapshot

WORDS = "the quick brown fox jumps over a lazy dog and sleeps in the sun "
# The errors that an action may end with without a fault.
REFUSALS = {"NoSuchThread", "StoreFull", "InvalidArgument"}


class Callers:
    def __init__(self, session, store, phase):
        self.session, self.store, self.phase = session, store, phase
        # The snapshots, by thread id.
        self.snapshots = {}
        self.actions = []
        # The timeouts.
        self.troubles = []
        # The prefix of each message of a round.
        self.tag = ""
        self.ended = threading.Event()
        self.lock = threading.Lock()

    def work(self, number, random, kinds, length):
        """Runs one caller."""
        for index in range(length):
            action = self.choose(random, kinds, f"{self.tag}w{number}n{index}x")
            with self.lock:
                if self.ended.is_set():
                    return
                self.actions.append(action)
            self.carry_out(action)
            if action.outcome is Outcome.UNKNOWN and action.kind != "abandon":
                return

    def choose(self, random, kinds, tag):
        with self.lock:
            gone = {action.thread for action in self.actions if action.kind == "delete"}
            threads = [id for id in self.snapshots if id not in gone]
        kind = random.choice(kinds) if threads else "create"
        if kind == "create":
            return Action(kind, None, random.choice([tag, ""]), tag)
        # The first threads are kept, so that some become long.
        thread = random.choice(threads[3:] if kind == "delete" and len(threads) > 3 else threads)
        match kind:
            case "compact": text = f"{tag} summary"
            # Some messages are long.
            case "rename": text = f"{tag} {WORDS * random.choice([0, 15])}".strip()
            case _: text = self.message(tag, random)
        return Action(kind, thread, text, tag)

    def message(self, tag, random):
        length = random.choice(self.phase.lengths)
        return f"{tag} {WORDS * (length // len(WORDS) + 1)}"[:length + len(tag)].strip()

    def carry_out(self, action):
        action.started = time.time()
        try:
            action.outcome = Outcome.DONE if self.call(action) else Outcome.UNKNOWN
        except Refused as refusal:
            action.refusal = refusal.name
            action.outcome = Outcome.REFUSED if refusal.name in REFUSALS else Outcome.UNKNOWN
        except Failure as failure:
            self.troubles.append(failure)
            action.outcome = Outcome.UNKNOWN
        if action.outcome is not Outcome.UNKNOWN:
            action.ended = time.time()

    def call(self, action):
        """Whether the call has succeeded."""
        match action.kind:
            case "create":
                action.answer = action.thread = self.store.create(action.text)
                with self.lock:
                    self.snapshots[action.thread] = Snapshot.begun(action)
            case "send": action.answer = self.store.send(action.thread, action.text)
            case "stream":
                turn = self.store.stream(action.thread, action.text)
                wait_until(lambda: self.told("Completed", turn) or self.told("Failed", turn)
                           or self.session.service.poll() is not None, "the end of a turn")
                return self.told("Completed", turn)
            case "abandon":
                # The caller leaves at once, which cancels the turn.
                self.store.stream(action.thread, action.text, broadcasts=False)
                return False
            case "compact": self.store.call("Compact", action.thread, action.text)
            case "compact_model": self.store.call("Compact", action.thread, "")
            case "undo": self.store.undo(action.thread)
            case "rename": self.store.call("Rename", action.thread, action.text)
            case "archive": self.store.call("Archive", action.thread)
            case "unarchive": self.store.call("Unarchive", action.thread)
            case "delete": self.store.call("Delete", action.thread)
        return True

    def told(self, signal, text):
        """Whether a signal of a client contains `text`."""
        return self.session.news.told(f".Client.{signal} ", text)
