"""What has to be in a thread after what was asked for."""

import time

from threads.deeds import Outcome, possible
from threads.stories import Story, goes_before, kinds_of, text_of


class Reader:
    """Holds a thread against its story and what was asked for since."""

    def __init__(self, check, deeds, policy):
        self.check, self.deeds, self.policy = check, deeds, policy

    def read(self, story, thread, listed):
        """Checks a thread that is listed."""
        now = Story.of(thread)
        deeds = [deed for deed in self.deeds if deed.thread == story.id]
        self.check(now.id == story.id, "a thread is another one")
        self.check((listed["title"], listed["updated_at"], listed["archived"]) ==
                   (now.title, now.updated_at, now.archived_at is not None), "a thread is listed as it is not")
        self.check(listed["turn_count"] == len(now.turns), f"{listed['turn_count']} turns listed, {len(now.turns)} there")
        self.check(listed["bytes"] == now.size, f"{listed['bytes']} bytes listed, {now.size} there")
        self.check(not thread["damage"], f"damage: {thread['damage']}")
        self.read_turns(story, now, deeds)
        self.read_title(story, now, deeds)
        self.read_archiving(story, now, deeds)

    def of(self, *kinds):
        return [deed for deed in self.deeds if deed.kind in kinds]

    # Turns

    def read_turns(self, story, now, deeds):
        before = len(story.turns)
        self.check(now.turns[:before] == story.turns, f"of {before} turns that were stored, some changed or are gone")
        self.check(len({turn["id"] for turn in now.turns}) == len(now.turns), "a turn is there twice")
        order, compactions = [], 0
        for turn in now.turns[before:]:
            kinds = kinds_of(turn)
            if kinds == ["compaction"]:
                order += self.compaction(turn["events"][0]["summary"], deeds)
                compactions += 1
            else:
                order.append(self.message(turn, kinds, deeds))
        compacts = [deed for deed in deeds if deed.kind in ("compact", "compact_model")]
        least = sum(deed.is_done for deed in compacts)
        most = sum(deed.may_have_happened for deed in compacts)
        self.check(least <= compactions <= most, f"{compactions} compactions stored, of {least} to {most}")
        for place, deed in enumerate(order):
            self.check(not any(deed.is_behind(later) for later in order[place + 1:]), "turns are out of order")
        for deed in deeds:
            if deed.is_turn and deed.is_done:
                self.check(deed.is_stored, f"a turn that had returned is gone: {deed.tag}")

    def compaction(self, summary, deeds):
        """The deed that gave the summary; none where the model did."""
        matching = [deed for deed in deeds if deed.kind == "compact" and deed.text == summary]
        if not matching:
            self.check(any(deed.kind == "compact_model" for deed in deeds), "a summary that nobody gave")
        self.find(matching)
        return matching

    def message(self, turn, kinds, deeds):
        """The deed that the turn is of; the turn is whole."""
        text = text_of(turn)
        matching = [deed for deed in [*deeds, *self.of("remember")] if deed.is_turn and deed.text == text]
        self.check(len(matching) == 1, f"a turn that nobody asked for: {text!r:.80}")
        deed = matching[0]
        self.find(matching)
        self.check(kinds[0] == "input", f"a turn of {kinds}")
        if "error" in kinds:
            self.check(not deed.is_done, "a turn that had returned is stored as failed")
            name = next(event["name"] for event in turn["events"] if event["kind"] == "error")
            self.check(name == "cancelled", f"a turn is stored that failed with {name}")
            return deed
        self.check(kinds.count("output") == 1 and kinds[-1] == "output", f"a turn of {kinds}")
        output = turn["events"][-1]["text"]
        self.check(output.startswith(f"You said: “{deed.tag}"), "a turn has another one's answer")
        self.check(deed.answer in (None, output), "a turn is not stored as it was answered")
        return deed

    def find(self, deeds):
        for deed in deeds:
            self.check(not deed.is_stored, f"a turn is there twice: {deed.tag}")
            self.check(deed.outcome is not Outcome.REFUSED,
                       f"a turn is there that was refused with {deed.refusal}")
            deed.is_stored = True

    # What is listed

    def read_title(self, story, now, deeds):
        titles = possible(story.title, [deed for deed in deeds if deed.kind == "rename"], lambda deed: deed.text)
        named = "" in titles and any(
            now.title.startswith(deed.tag) for deed in [*deeds, *self.of("remember")] if deed.is_turn)
        self.check(now.title in titles or named, f"the title is {now.title!r}, and should be of {titles}")

    def read_archiving(self, story, now, deeds):
        # A second program writes to a thread that was active when it looked.
        changes = [deed for deed in deeds if deed.kind in ("archive", "unarchive", "compact", "compact_model")]
        changes += [deed for deed in self.deeds if deed.is_turn and deed.is_stored
                    and any(text_of(turn) == deed.text for turn in now.turns)]
        states = possible(story.archived_at is not None, changes, lambda deed: deed.kind == "archive")
        is_archived = now.archived_at is not None
        # A thread that was put away can be renamed.
        renamed = any(deed.kind == "rename" and deed.may_have_happened for deed in deeds)
        since = story.updated_at if renamed else now.updated_at
        is_due = self.policy.ages and is_archived and now.archived_at >= since + self.policy.archive_after
        self.check(is_archived in states or is_due, "archived" if is_archived else "not archived any more")

    # What is gone

    def lose(self, story, left, total):
        """Checks a thread that is not listed any more: somebody or the policy has deleted it."""
        deeds = [deed for deed in self.deeds if deed.thread == story.id]
        if any(deed.kind == "delete" and deed.may_have_happened for deed in deeds):
            return
        if self.policy.ages:
            starts = [deed.started for deed in deeds if deed.kind == "archive"]
            starts.append(story.archived_at or story.updated_at + self.policy.archive_after)
            self.check(min(starts) + self.policy.delete_after <= time.time() + 1, "deleted before its time")
            return
        self.check(self.policy.cap and total > self.policy.cap, "a thread is gone")
        if deeds:
            return
        for other in left:
            self.check(goes_before(story, other), "a thread was deleted before one that was to go first")
