"""The expected content of a thread after the operations."""

import time

from threads.actions import Outcome, possible
from threads.snapshots import Snapshot, goes_before, kinds_of, text_of


class Reader:
    """Compares a thread with its snapshot and with the actions since."""

    def __init__(self, check, actions, policy):
        self.check, self.actions, self.policy = check, actions, policy

    def read(self, snapshot, thread, listed):
        """Checks a listed thread."""
        now = Snapshot.of(thread)
        actions = [action for action in self.actions if action.thread == snapshot.id]
        self.check(now.id == snapshot.id, "the reply has another thread")
        self.check((listed["title"], listed["updated_at"], listed["archived"]) ==
                   (now.title, now.updated_at, now.archived_at is not None),
                   "the list shows another title, time or archive state than the thread")
        self.check(listed["turn_count"] == len(now.turns),
                   f"{listed['turn_count']} turns are listed and {len(now.turns)} stored")
        self.check(listed["bytes"] == now.size, f"{listed['bytes']} bytes are listed and {now.size} stored")
        self.check(not thread["damage"], f"the thread is damaged: {thread['damage']}")
        self.read_turns(snapshot, now, actions)
        self.read_title(snapshot, now, actions)
        self.read_archiving(snapshot, now, actions)

    def of(self, *kinds):
        return [action for action in self.actions if action.kind in kinds]

    # Turns

    def read_turns(self, snapshot, now, actions):
        before = snapshot.turns
        kept = next((place for place, pair in enumerate(zip(before, now.turns)) if pair[0] != pair[1]),
                    min(len(before), len(now.turns)))
        self.check(len({turn["id"] for turn in now.turns}) == len(now.turns), "a turn is stored twice")
        order, compactions = [], 0
        for turn in now.turns[kept:]:
            kinds = kinds_of(turn)
            if kinds == ["compaction"]:
                order += self.compaction(turn["events"][0]["summary"], actions)
                compactions += 1
            else:
                order.append(self.message(turn, kinds, actions))
        compacts = [action for action in actions if action.kind in ("compact", "compact_model")]
        least = sum(action.is_done for action in compacts)
        most = sum(action.may_have_happened for action in compacts)
        self.check(least <= compactions <= most, f"{compactions} compactions are stored, not {least} to {most}")
        for place, action in enumerate(order):
            self.check(not any(action.is_after(later) for later in order[place + 1:]), "the turns are not in order")
        self.count_removals(len(before), kept, len(now.turns) - compactions, actions)

    def count_removals(self, before, kept, turns, actions):
        """Checks that turns are missing only where they were removed, and that those are missing."""
        undos = [action for action in actions if action.kind == "undo"]
        most = sum(action.may_have_happened for action in undos)
        missing = [action.tag for action in actions if action.is_turn and action.is_done and not action.is_stored]
        self.check(before - kept + len(missing) <= most,
                   f"{before - kept} of {before} stored turns are changed or missing, and so are the completed {missing}; "
                   f"at most {most} were removed")
        added = sum(action.is_turn and action.may_have_happened for action in actions)
        added += sum(action.is_stored for action in self.of("remember"))
        least = sum(action.is_done for action in undos)
        self.check(turns <= before + added - least, f"{turns} turns are stored, although {least} were removed")

    def compaction(self, summary, actions):
        """The actions that gave the summary; empty if the model wrote it."""
        matching = [action for action in actions if action.kind == "compact" and action.text == summary]
        if not matching:
            self.check(any(action.kind == "compact_model" for action in actions), "no action gave the stored summary")
        self.find(matching)
        return matching

    def message(self, turn, kinds, actions):
        """The action of the turn, which must be complete."""
        text = text_of(turn)
        matching = [action for action in [*actions, *self.of("remember")] if action.is_turn and action.text == text]
        self.check(len(matching) == 1, f"no single action gave the stored turn: {text!r:.80}")
        action = matching[0]
        self.find(matching)
        self.check(kinds[0] == "input", f"a turn has the events {kinds}")
        if "error" in kinds:
            self.check(not action.is_done, "a completed turn is stored as failed")
            name = next(event["name"] for event in turn["events"] if event["kind"] == "error")
            self.check(name == "cancelled", f"a turn is stored with the error {name}")
            return action
        self.check(kinds.count("output") == 1 and kinds[-1] == "output", f"a turn has the events {kinds}")
        output = turn["events"][-1]["text"]
        self.check(output.startswith(f"You said: “{action.tag}"), "a turn has the answer of another turn")
        self.check(action.answer in (None, output), "a turn is stored with another answer than the caller received")
        return action

    def find(self, actions):
        for action in actions:
            self.check(not action.is_stored, f"a turn is stored twice: {action.tag}")
            self.check(action.outcome is not Outcome.REFUSED,
                       f"a turn is stored that was refused with {action.refusal}")
            action.is_stored = True

    # Listed threads

    def read_title(self, snapshot, now, actions):
        renames = [action for action in actions if action.kind == "rename"]
        titles = possible(snapshot.title, renames, lambda action: action.text)
        named = "" in titles and any(
            now.title.startswith(action.tag) for action in [*actions, *self.of("remember")] if action.is_turn)
        self.check(now.title in titles or named, f"the title is {now.title!r} and none of {titles}")

    def read_archiving(self, snapshot, now, actions):
        # A second program writes to a thread that was active when it looked.
        changes = [action for action in actions if action.kind in ("archive", "unarchive", "compact", "compact_model")]
        changes += [action for action in self.actions if action.is_turn and action.is_stored
                    and any(text_of(turn) == action.text for turn in now.turns)]
        # A turn that was removed has made its thread active before.
        if any(action.kind == "undo" for action in actions):
            changes += [action for action in actions if action.is_turn and not action.is_stored]
        states = possible(snapshot.archived_at is not None, changes, lambda action: action.kind == "archive")
        is_archived = now.archived_at is not None
        # An archived thread can be renamed.
        renamed = any(action.kind == "rename" and action.may_have_happened for action in actions)
        since = snapshot.updated_at if renamed else now.updated_at
        is_due = self.policy.ages and is_archived and now.archived_at >= since + self.policy.archive_after
        self.check(is_archived in states or is_due,
                   "a thread is archived without a reason" if is_archived else "an archived thread is active")

    # Missing threads

    def lose(self, snapshot, left, total):
        """Checks a thread that is no longer listed: an action or the policy has deleted it."""
        actions = [action for action in self.actions if action.thread == snapshot.id]
        if any(action.kind == "delete" and action.may_have_happened for action in actions):
            return
        if self.policy.ages:
            starts = [action.started for action in actions if action.kind == "archive"]
            starts.append(snapshot.archived_at or snapshot.updated_at + self.policy.archive_after)
            self.check(min(starts) + self.policy.delete_after <= time.time() + 1,
                       "a thread was deleted before its age limit")
            return
        self.check(self.policy.cap and total > self.policy.cap, "a thread is missing")
        if actions:
            return
        for other in left:
            self.check(goes_before(snapshot, other), "a thread was deleted before one that the policy deletes first")
