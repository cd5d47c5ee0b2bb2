"""One round each: threads are used, a kill ends that, and all of them are checked."""

import time

from session import Failure, Refused
from threads.callers import WORDS
from threads.actions import Action, Outcome
from threads.disk import LOG_RUINS, RUINS
from threads.endings import Endings

# With more threads than this, some are deleted, so that a round stays short.
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
        """Creates the first threads and their key."""
        self.session.end_service()
        self.disk.begin_anew()
        self.snapshots = {}
        self.session.start_service()
        self.kill("first")
        self.check(not self.snapshots or self.disk.keys() == 1,
                   f"the keyring has {self.disk.keys()} keys of threads, not one")

    def stop(self):
        """A signal ends the service, which first stores the running turns."""
        running = []

        def end():
            running.extend(action for action in self.actions if self.told("TextDelta", action.tag))
            self.session.service.terminate()

        self.session.set_pace(self.random.choice([0, 5]))
        self.run_and_end("stop", end)
        self.session.set_pace(0)
        self.check(self.session.service.wait() == 0, f"the service ended with {self.session.service.returncode}")
        self.revive()
        self.look()
        for action in running:
            self.check(action.is_stored or self.policy.cap or self.policy.ages,
                       f"a running turn was not stored: {action.tag}")

    def beside(self):
        """A second program writes to the same files; it is killed, or the service is, or both."""
        programs = []

        def remember(length):
            for index in range(length):
                tag = f"{self.tag}h{index}x"
                action = Action("remember", None, f"{tag} {WORDS[:19]}", tag)
                with self.lock:
                    if self.ended.is_set():
                        return
                    action.started = time.time()
                    programs.append(self.session.start_host("remember", action.text))
                    self.actions.append(action)
                action.outcome = Outcome.UNKNOWN if programs[-1].wait() else Outcome.DONE
                action.ended = action.ended if programs[-1].returncode else time.time()

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
        """The database is damaged: the service reports it and changes nothing."""
        older = self.at_rest() if self.snapshots else None
        self.kill("ruin")
        self.actions = []
        if older is None or not self.snapshots:
            return
        self.end()
        whole = self.disk.copy()
        kind = self.random.choice(RUINS)
        changed = self.disk.ruin(kind, self.random, older)
        ruined = self.disk.copy()
        self.session.start_service()
        try:
            seen = self.check_damaged(kind, ruined)
        except Failure:
            self.end()
            self.disk.put_back(whole)
            self.session.start_service()
            raise
        if not seen and self.random.random() < 0.3:
            self.start_over()
            return
        self.end()
        self.disk.put_back(whole)
        self.session.start_service()
        self.look()
        for id, turns in seen.items():
            known = {turn["id"]: turn for turn in self.snapshots[id].turns} if id in self.snapshots else {}
            self.check(all(known[turn["id"]] == turn for turn in turns if turn["id"] in known),
                       f"a turn was changed: {kind}, {changed}")
            # Without its log, the database may still have a turn that was undone since.
            self.check(kind in LOG_RUINS or id not in self.snapshots or all(turn["id"] in known for turn in turns),
                       f"an unknown turn was read: {kind}, {changed}")

    def end(self):
        self.session.kill_service()
        self.session.service.wait()

    def at_rest(self):
        """The files on the disk after a kill; the service runs again."""
        self.end()
        copy = self.disk.copy()
        self.session.start_service()
        return copy

    def check_damaged(self, kind, ruined):
        """Checks the readable part of a damaged database."""
        try:
            listed = self.store.listed()
        except Refused as refusal:
            self.check(refusal.name == "StoreUnavailable", f"{kind} was refused with {refusal.name}")
            if kind not in LOG_RUINS:
                self.check(self.disk.copy().items() >= ruined.items(),
                           f"the service changed a database that was {kind}")
            return {}
        seen = {}
        for id in listed:
            try:
                seen[id] = self.store.get(id)["turns"]
            except Refused as refusal:
                self.check(refusal.name == "StoreUnavailable", f"{kind} was refused with {refusal.name}")
        return seen

    def start_over(self):
        """Deletes all threads of a damaged database, and creates one."""
        self.store.call("DeleteAll")
        self.check(not self.store.listed(), "threads exist after all were deleted")
        self.actions, self.snapshots = [], {}
        created = Action("create", None, self.tag, self.tag)
        self.actions.append(created)
        self.carry_out(created)
        self.check(created.is_done, f"a thread could not be created afterwards: {created.refusal}")

    # Further use

    def go_on(self):
        """Checks that the service stores a message in each used thread, and in an unused one."""
        used = [id for id in self.snapshots if any(action.thread == id for action in self.actions)]
        others = [id for id in self.snapshots if id not in used]
        self.actions = []
        for id in used + self.random.sample(others, min(1, len(others))):
            if not self.snapshots[id].archived_at or self.random.random() < 0.3:
                self.send_to(id)
        self.look()
        for id in list(self.snapshots)[MANY:]:
            self.discard(id)

    def discard(self, id):
        self.store.call("Delete", id)
        self.snapshots.pop(id, None)
        self.check(id not in self.store.listed(), "a thread that was deleted is listed")

    def send_to(self, id):
        snapshot, tag = self.snapshots[id], f"{self.tag}a{len(self.actions)}x"
        action = Action("send", id, self.message(tag, self.random), tag)
        self.actions.append(action)
        self.carry_out(action)
        if action.outcome is Outcome.REFUSED and self.policy.cap:
            most = snapshot.size + 2 * len(action.text) + 4096
            self.check(action.refusal != "StoreFull" or most > self.policy.cap, "the store was full below its cap")
            return
        self.check(action.is_done, f"a message after the restart was refused with {action.refusal}")
        count = snapshot.messages + 1
        self.check(f"conversation has {count} message" in action.answer,
                   f"the answer ends with {action.answer[-60:]!r} and does not report {count} messages")
        self.check(id in self.store.listed(), "the written thread is missing")
        self.check(not self.policy.cap or self.store.usage()["used_bytes"] <= self.policy.cap,
                   "the store is larger than its cap after a write")

    def run(self, name, number):
        """Runs one round; returns its failure, or None."""
        self.count = self.counts[name]
        self.count.rounds += 1
        self.ended.clear()
        self.actions, self.troubles, self.tag = [], [], f"r{number}"
        self.session.news.forget()
        try:
            getattr(self, name, lambda: self.kill(name))()
            self.go_on()
            return None
        except (Failure, Refused) as failure:
            self.count.failures += 1
            self.session.news.ignore()
            return str(failure)
