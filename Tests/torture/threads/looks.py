"""What must hold of all threads after something has died."""

from session import Failure
from threads.callers import Callers
from threads.deeds import Outcome
from threads.disk import Disk
from threads.reader import Reader
from threads.store import Store
from threads.stories import Story


class ThreadCount:
    """What happened to one operation so far."""

    def __init__(self):
        self.rounds = self.kills = self.checks = self.failures = 0
        # Turns that were read and held against what they were; files that were found as a loss of power leaves them.
        self.turns = self.torn = 0


class Looks(Callers):
    def __init__(self, session, phase):
        super().__init__(session, Store(session), phase)
        self.policy, self.disk = phase.policy, Disk()
        self.count = None

    def check(self, holds, what):
        self.count.checks += 1
        if not holds:
            raise Failure(what)

    def look(self):
        """Everything that must hold."""
        # The first to look has the policy done what it asks for.
        self.store.listed()
        listed = self.store.listed()
        reader = Reader(self.check, self.deeds, self.policy)
        self.look_at_refusals()
        self.look_at_figures(listed, self.store.usage())
        before, self.stories = self.stories, {}
        for id, thread in listed.items():
            read = self.store.get(id)
            reader.read(before.get(id) or self.newcomer(read), read, thread)
            self.stories[id] = Story.of(read)
        self.look_for_the_lost(before, reader)
        for deed in self.deeds:
            if deed.kind == "delete" and deed.is_done:
                self.check(deed.thread not in listed, "a thread that was deleted is there")
            if deed.kind == "remember" and deed.is_done:
                self.check(deed.is_stored, "what a second program stored is gone")
        self.count.turns += sum(len(story.turns) for story in self.stories.values())

    def look_at_refusals(self):
        if self.troubles:
            raise self.troubles[0]
        for deed in self.deeds:
            # That the bus says that nobody is there is what the kills are for.
            known = not deed.refusal or deed.outcome is Outcome.REFUSED or "DBus.Error" in deed.refusal
            self.check(known or deed.refusal == "Cancelled", f"{deed.kind} was refused with {deed.refusal}")
            may_be_gone = self.policy.cap or self.policy.ages or any(
                other.kind == "delete" and other.thread == deed.thread for other in self.deeds)
            self.check(deed.refusal != "NoSuchThread" or may_be_gone, "a thread was not found")
            self.check(deed.refusal != "StoreFull" or self.policy.cap, "a store without a cap is full")

    def look_at_figures(self, listed, usage):
        strange = self.disk.strange()
        self.check(not strange, f"files are there that should not be: {strange}")
        if self.disk.database and self.disk.database.exists():
            found = self.disk.is_whole()
            self.check(found == "ok", f"SQLite finds the database damaged: {found}")
        used = sum(thread["bytes"] for thread in listed.values())
        self.check(usage["used_bytes"] == used, f"{usage['used_bytes']} bytes used, {used} listed")
        self.check(usage["thread_count"] == len(listed), f"{usage['thread_count']} threads counted")
        archived = sum(thread["archived"] for thread in listed.values())
        self.check(usage["archived_count"] == archived, f"{usage['archived_count']} archived threads counted")
        self.check(usage["limit_bytes"] == (self.policy.cap or 0), "another cap")

    def look_for_the_lost(self, before, reader):
        """Threads that were there, and are not."""
        idle = [story for id, story in before.items() if id in self.stories
                and not any(deed.thread == id for deed in self.deeds) and self.stories[id].turns == story.turns]
        most = sum(story.size for story in before.values()) + sum(2 * len(deed.text) + 4096 for deed in self.deeds)
        for id, story in before.items():
            if id not in self.stories:
                reader.lose(story, idle, most)

    def newcomer(self, thread):
        """The story of a thread whose Create was cut off, or that a second program began."""
        id, title = thread["summary"]["id"], thread["summary"]["title"]
        for deed in self.deeds:
            if deed.text == title and deed.kind == "remember":
                return Story(id, title, None, 0, 0)
            if deed.text == title and deed.kind == "create" and not deed.thread and deed.may_have_happened:
                deed.thread = id
                return Story(id, title, None, 0, 0)
        raise Failure(f"a thread is there that nobody began: {title!r}")
