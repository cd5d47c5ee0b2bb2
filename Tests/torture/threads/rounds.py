"""One round each: threads are used, something ends that in the middle, and all of them are looked at."""

import time

from session import Failure, Refused
from threads.callers import WORDS
from threads.deeds import Deed, Outcome
from threads.disk import RUINS
from threads.endings import Endings

# More threads than this are made fewer, so that a round stays short.
MANY = 10


class ThreadRounds(Endings):
    def __init__(self, session, random, phase, counts):
        super().__init__(session, random, phase)
        self.counts = counts

    def kill(self, operation):
        self.run_and_end(operation, self.session.kill_service)
        self.revive()
        self.look()

    def first(self):
        """The key is made too."""
        self.session.end_service()
        self.disk.begin_anew()
        self.stories = {}
        self.session.start_service()
        self.kill("first")
        self.check(not self.stories or self.disk.keys() == 1, f"{self.disk.keys()} keys in the keyring")

    def stop(self):
        """Not killed but asked to end: the turns that run are stored."""
        running = []

        def end():
            running.extend(deed for deed in self.deeds if self.told("TextDelta", deed.tag))
            self.session.service.terminate()

        self.session.set_pace(self.random.choice([0, 5]))
        self.run_and_end("stop", end)
        self.session.set_pace(0)
        self.check(self.session.service.wait() == 0, f"the service ended with {self.session.service.returncode}")
        self.revive()
        self.look()
        for deed in running:
            self.check(deed.is_stored or self.policy.cap or self.policy.ages, f"a running turn is gone: {deed.tag}")

    def beside(self):
        """A second program writes to the same files; it dies, or the service does, or both."""
        programs = []

        def remember(length):
            for index in range(length):
                tag = f"{self.tag}h{index}x"
                deed = Deed("remember", None, f"{tag} {WORDS[:19]}", tag)
                with self.lock:
                    if self.ended.is_set():
                        return
                    deed.started = time.time()
                    programs.append(self.session.start_host("remember", deed.text))
                    self.deeds.append(deed)
                deed.outcome = Outcome.UNKNOWN if programs[-1].wait() else Outcome.DONE
                deed.ended = deed.ended if programs[-1].returncode else time.time()

        dying = self.random.choice([("host",), ("host",), ("service",), ("host", "service")])

        def end():
            if "service" in dying:
                self.session.kill_service()
            if "host" in dying and programs:
                programs[-1].kill()

        length = self.random.randint(1, 3)
        self.run_and_end("beside", end, lambda: remember(length))
        for program in programs:
            self.check(program.returncode in (0, -9), f"a second program ended with status {program.returncode}")
        if "service" in dying:
            self.revive()
        self.look()

    def ruin(self):
        """The database is no longer what was stored: that is told, and nothing else is said or done."""
        older = self.at_rest() if self.stories else None
        self.kill("ruin")
        self.deeds = []
        if older is None or not self.stories:
            return
        self.end()
        whole = self.disk.copy()
        kind = self.random.choice(RUINS)
        changed = self.disk.ruin(kind, self.random, older)
        ruined = self.disk.copy()
        self.session.start_service()
        try:
            seen = self.look_at_ruin(kind, ruined)
        except Failure:
            self.end()
            self.disk.put_back(whole)
            self.session.start_service()
            raise
        if not seen and self.random.random() < 0.3:
            self.begin_again()
            return
        self.end()
        self.disk.put_back(whole)
        self.session.start_service()
        self.look()
        for id, turns in seen.items():
            known = {turn["id"]: turn for turn in self.stories[id].turns} if id in self.stories else {}
            self.check(all(known[turn["id"]] == turn for turn in turns if turn["id"] in known),
                       f"a turn was another one: {kind}, {changed}")
            self.check(id not in self.stories or all(turn["id"] in known for turn in turns),
                       f"a turn was there that nobody stored: {kind}, {changed}")

    def end(self):
        self.session.kill_service()
        self.session.service.wait()

    def at_rest(self):
        """What is on the disk after a kill; the service runs again."""
        self.end()
        copy = self.disk.copy()
        self.session.start_service()
        return copy

    def look_at_ruin(self, kind, ruined):
        """What can be read of a database that something happened to."""
        try:
            listed = self.store.listed()
        except Refused as refusal:
            self.check(refusal.name == "StoreUnavailable", f"{kind} was refused with {refusal.name}")
            if kind not in ("no log", "log cut", "noise in the log"):
                self.check(self.disk.copy().items() >= ruined.items(), f"a database was changed that was {kind}")
            return {}
        seen = {}
        for id in listed:
            try:
                seen[id] = self.store.get(id)["turns"]
            except Refused as refusal:
                self.check(refusal.name == "StoreUnavailable", f"{kind} was refused with {refusal.name}")
        return seen

    def begin_again(self):
        """The way out of a database that is of no use."""
        self.store.call("DeleteAll")
        self.check(not self.store.listed(), "threads are there after all were deleted")
        self.deeds, self.stories = [], {}
        created = Deed("create", None, self.tag, self.tag)
        self.deeds.append(created)
        self.carry_out(created)
        self.check(created.is_done, f"a thread could not be begun anew: {created.refusal}")

    # Going on

    def go_on(self):
        """The service works: with a message to each thread that was used, and to one that was not."""
        used = [id for id in self.stories if any(deed.thread == id for deed in self.deeds)]
        others = [id for id in self.stories if id not in used]
        self.deeds = []
        for id in used + self.random.sample(others, min(1, len(others))):
            if not self.stories[id].archived_at or self.random.random() < 0.3:
                self.send_to(id)
        self.look()
        for id in list(self.stories)[MANY:]:
            self.discard(id)

    def discard(self, id):
        self.store.call("Delete", id)
        self.stories.pop(id, None)
        self.check(id not in self.store.listed(), "a thread that was deleted is listed")

    def send_to(self, id):
        story, tag = self.stories[id], f"{self.tag}a{len(self.deeds)}x"
        deed = Deed("send", id, self.message(tag, self.random), tag)
        self.deeds.append(deed)
        self.carry_out(deed)
        if deed.outcome is Outcome.REFUSED and self.policy.cap:
            most = story.size + 2 * len(deed.text) + 4096
            self.check(deed.refusal != "StoreFull" or most > self.policy.cap, "the store was full too soon")
            return
        self.check(deed.is_done, f"a message after the restart was refused with {deed.refusal}")
        count = story.messages + 1
        self.check(f"conversation has {count} message" in deed.answer, f"{deed.answer[-60:]!r}, not {count} messages")
        self.check(id in self.store.listed(), "the thread that was written to is gone")
        self.check(not self.policy.cap or self.store.usage()["used_bytes"] <= self.policy.cap,
                   "more than the cap after a write")

    def run(self, name, number):
        """One round; gives what went wrong, or None."""
        self.count = self.counts[name]
        self.count.rounds += 1
        self.ended.clear()
        self.deeds, self.troubles, self.tag = [], [], f"r{number}"
        self.session.news.forget()
        try:
            getattr(self, name, lambda: self.kill(name))()
            self.go_on()
            return None
        except (Failure, Refused) as failure:
            self.count.failures += 1
            self.session.news.ignore()
            return str(failure)
