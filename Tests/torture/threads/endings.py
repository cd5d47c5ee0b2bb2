"""Ends the service while callers use threads, and starts it again."""

import itertools
import os
import threading
import time
from pathlib import Path
from random import Random

from threads.deeds import Outcome
from threads.disk import DATABASE, LOG, SHARED_MEMORY
from threads.eyes import Eyes
from threads.looks import Looks
from threads.phases import CALLERS, Policy
from threads.stories import Story

# How long the callers work at most, in seconds.
LONGEST = 0.7


class Endings(Looks):
    def __init__(self, session, random, phase):
        super().__init__(session, phase)
        self.random = random

    # The service

    def prepare(self):
        """Begins with the threads that are there."""
        self.session.end_service()
        self.configure(Policy())
        self.session.start_service()
        threads = [self.store.get(id) for id in self.store.listed()]
        self.stories = {story.id: story for story in map(Story.of, threads)}
        self.session.end_service()
        self.configure(Policy(cap=self.policy.cap))
        self.session.start_service()

    def configure(self, policy):
        path = Path(os.environ["XDG_CONFIG_HOME"]) / "chappie/chappie.conf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(policy.text)

    def start(self):
        """Under the policy, which at once does what is due. It may be ended before it can be called."""
        self.configure(self.policy)
        self.session.launch_service()
        while not self.ended.is_set() and not self.session.is_there(1):
            pass

    def revive(self):
        """Starts the service after its end, sometimes with files as a bad end leaves them.

        What is looked at gets no older meanwhile.
        """
        self.session.service.wait()
        if self.random.random() < 0.3 and self.disk.tear(self.random):
            self.count.torn += 1
        self.configure(Policy(cap=self.policy.cap))
        self.session.start_service()

    # Ending it

    def ending(self, end):
        """A function that ends something once."""
        def strike():
            with self.lock:
                if not self.ended.is_set():
                    end()
                    self.ended.set()
                    self.count.kills += 1
        return strike

    def aim(self, strike):
        """Chooses a moment: any, or one at a change of a file or at a signal. Gives what ends the aiming."""
        choice = self.random.choice(["any", "files", "files", "files", "news"])
        # What is aimed at may never come.
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
            return Eyes(self.disk.directory,
                        lambda name: part in name and next(changes) == number and strike_late()).end
        if choice == "news":
            self.session.news.on(self.random.choice(["TextDelta", "Completed", "ThreadChanged"]), strike_late)
        return self.session.news.ignore

    def run_and_end(self, operation, end, *others):
        """Has callers work until they are through or the service is gone."""
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
        for deed in self.deeds:
            if deed.is_turn and deed.outcome is Outcome.UNKNOWN and self.told("Completed", deed.tag):
                deed.outcome = Outcome.DONE
