"""The conditions for all threads after a kill."""

from session import Failure
from threads.callers import Callers
from threads.actions import Outcome
from threads.disk import Disk
from threads.reader import Reader
from threads.store import Store
from threads.snapshots import Snapshot


class ThreadCount:
    """The counts of one operation so far."""

    def __init__(self):
        self.rounds = self.kills = self.checks = self.failures = 0
        # Turns that were read and compared with their expected content; files as a power loss leaves them.
        self.turns = self.torn = 0


class ThreadChecks(Callers):
    def __init__(self, session, phase):
        super().__init__(session, Store(session), phase)
        self.policy, self.disk = phase.policy, Disk()
        self.count = None

    def check(self, holds, what):
        self.count.checks += 1
        if not holds:
            raise Failure(what)

    def look(self):
        """Checks all conditions."""
        # The first call makes the service apply the policy.
        self.store.listed()
        listed = self.store.listed()
        reader = Reader(self.check, self.actions, self.policy)
        self.check_refusals()
        self.check_figures(listed, self.store.usage())
        before, self.snapshots = self.snapshots, {}
        for id, thread in listed.items():
            read = self.store.get(id)
            reader.read(before.get(id) or self.newcomer(read), read, thread)
            self.snapshots[id] = Snapshot.of(read)
        self.check_missing_threads(before, reader)
        for action in self.actions:
            if action.kind == "delete" and action.is_done:
                self.check(action.thread not in listed, "a deleted thread is listed")
            if action.kind == "remember" and action.is_done:
                self.check(action.is_stored, "a turn that a second program stored is missing")
        self.count.turns += sum(len(snapshot.turns) for snapshot in self.snapshots.values())

    def check_refusals(self):
        if self.troubles:
            raise self.troubles[0]
        for action in self.actions:
            # The kill makes the bus report a missing service.
            known = not action.refusal or action.outcome is Outcome.REFUSED or "DBus.Error" in action.refusal
            self.check(known or action.refusal == "Cancelled", f"{action.kind} was refused with {action.refusal}")
            may_be_gone = self.policy.cap or self.policy.ages or any(
                other.kind == "delete" and other.thread == action.thread for other in self.actions)
            self.check(action.refusal != "NoSuchThread" or may_be_gone, "a thread was not found without a reason")
            self.check(action.refusal != "StoreFull" or self.policy.cap, "a store without a cap is full")

    def check_figures(self, listed, usage):
        strange = self.disk.strange()
        self.check(not strange, f"there are unexpected files: {strange}")
        if self.disk.database and self.disk.database.exists():
            found = self.disk.is_whole()
            self.check(found == "ok", f"SQLite finds the database damaged: {found}")
        used = sum(thread["bytes"] for thread in listed.values())
        self.check(usage["used_bytes"] == used,
                   f"the store counts {usage['used_bytes']} bytes, and its threads have {used}")
        self.check(usage["thread_count"] == len(listed),
                   f"the store counts {usage['thread_count']} threads, and lists {len(listed)}")
        archived = sum(thread["archived"] for thread in listed.values())
        self.check(usage["archived_count"] == archived,
                   f"the store counts {usage['archived_count']} archived threads, and lists {archived}")
        self.check(usage["limit_bytes"] == (self.policy.cap or 0), "the store reports another cap")

    def check_missing_threads(self, before, reader):
        """Checks the threads that are missing."""
        used = {action.thread for action in self.actions}
        idle = [snapshot for id, snapshot in before.items()
                if id in self.snapshots and id not in used and self.snapshots[id].turns == snapshot.turns]
        most = sum(snapshot.size for snapshot in before.values())
        most += sum(2 * len(action.text) + 4096 for action in self.actions)
        for id, snapshot in before.items():
            if id not in self.snapshots:
                reader.lose(snapshot, idle, most)

    def newcomer(self, thread):
        """The snapshot of a thread whose Create was interrupted, or that a second program created."""
        id, title = thread["summary"]["id"], thread["summary"]["title"]
        for action in self.actions:
            if action.text == title and action.kind == "remember":
                return Snapshot(id, title, None, 0, 0)
            if action.text == title and action.kind == "create" and not action.thread and action.may_have_happened:
                action.thread = id
                return Snapshot(id, title, None, 0, 0)
        raise Failure(f"no action created the thread {title!r}")
