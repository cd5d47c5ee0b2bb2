"""Ends the service while callers use threads, and starts it again."""

import itertools
import os
import threading
import time
from pathlib import Path
from random import Random

from threads.actions import Outcome
from threads.disk import DATABASE, LOG, SHARED_MEMORY
from threads.directory_watch import DirectoryWatch
from threads.thread_checks import ThreadChecks
from threads.phases import CALLERS, Policy
from threads.snapshots import Snapshot

# The longest work of the callers, in seconds.
LONGEST = 0.7


class Endings(ThreadChecks):
    def __init__(self, session, random, phase):
        super().__init__(session, phase)
        self.random = random

    # The service

    def prepare(self):
        """Begins with the stored threads."""
        self.session.end_service()
        self.configure(Policy())
        self.session.start_service()
        threads = [self.store.get(id) for id in self.store.listed()]
        self.snapshots = {snapshot.id: snapshot for snapshot in map(Snapshot.of, threads)}
        self.session.end_service()
        self.configure(Policy(cap=self.policy.cap))
        self.session.start_service()

    def configure(self, policy):
        path = Path(os.environ["XDG_CONFIG_HOME"]) / "chappie/chappie.conf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(policy.text)

    def start(self):
        """Starts the service with the policy, which applies at once. The service may end before its first call."""
        self.configure(self.policy)
        with self.lock:
            # The strike may have met the service before, which had ended.
            if not self.ended.is_set():
                self.session.launch_service()
        while not self.ended.is_set() and not self.session.is_there(1):
            pass

    def revive(self):
        """Starts the service after its end, sometimes with the files of a power loss.

        The threads under test do not age meanwhile.
        """
        self.session.service.wait()
        if self.random.random() < 0.3 and self.disk.tear(self.random):
            self.count.torn += 1
        self.configure(Policy(cap=self.policy.cap))
        self.session.start_service()

    # Ends

    def ending(self, end):
        """A function that ends the service once."""
        def strike():
            with self.lock:
                if not self.ended.is_set():
                    end()
                    self.ended.set()
                    self.count.kills += 1
        return strike

    def aim(self, strike):
        """Chooses a moment: any, or one at a change of a file or at a signal. Returns the function that ends the
        aiming."""
        choice = self.random.choice(["any", "files", "files", "files", "news"])
        # The chosen event may never come.
        timer = threading.Timer(self.random.uniform(0, LONGEST) if choice == "any" else LONGEST, strike)
        timer.start()
        forget = self.aim_at(choice, strike)

        def stop():
            forget()
            timer.cancel()
        return stop

    def aim_at(self, choice, strike):
        delay = self.random.choice([0, 0, self.random.uniform(0, 0.001), self.random.uniform(0, 0.01)])

        def strike_late():
            time.sleep(delay)
            strike()

        if choice == "files" and self.disk.directory:
            part, number = self.random.choice(["", DATABASE, LOG, LOG, SHARED_MEMORY]), self.random.randint(1, 12)
            changes = itertools.count(1)
            return DirectoryWatch(self.disk.directory,
                        lambda name: part in name and next(changes) == number and strike_late()).end
        if choice == "news":
            self.session.news.on(self.random.choice(["TextDelta", "Completed", "ThreadChanged"]), strike_late)
        return self.session.news.ignore

    def run_and_end(self, operation, end, *others):
        """Has callers work until they are done or the service is gone."""
        most, kinds = CALLERS[operation]
        length = self.random.randint(2, 6)
        works = [lambda number=number, random=Random(self.random.random()): self.work(number, random, kinds, length)
                 for number in range(self.random.randint(1, most))]
        strike = self.ending(end)
        if self.policy.ages:
            self.session.end_service()
        forget = self.aim(strike)
        if self.policy.ages:
            self.start()
        threads = [threading.Thread(target=work) for work in [*works, *others]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        forget()
        strike()
        for action in self.actions:
            if action.is_turn and action.outcome is Outcome.UNKNOWN and self.told("Completed", action.tag):
                action.outcome = Outcome.DONE
