"""Threads as they were when they were looked at last."""

from dataclasses import dataclass, field


@dataclass
class Story:
    """A thread as it was when it was looked at last."""
    id: str
    title: str
    archived_at: int
    updated_at: int
    size: int
    turns: list = field(default_factory=list)

    @classmethod
    def of(cls, thread):
        summary = thread["summary"]
        return cls(summary["id"], summary["title"], summary.get("archivedAt"), summary["updatedAt"], summary["bytes"],
                   thread["turns"])

    @classmethod
    def begun(cls, deed):
        """One that was made since the last look."""
        return cls(deed.answer, deed.text, None, int(deed.started), 0)

    @property
    def messages(self):
        """How many messages the model is sent before the next one."""
        count = 0
        for turn in self.turns:
            kinds = kinds_of(turn)
            if "compaction" in kinds:
                count = 0
            if "error" not in kinds:
                count += sum(kind in ("input", "output") for kind in kinds)
        return count


def kinds_of(turn):
    return [event["kind"] for event in turn["events"]]


def text_of(turn):
    """The user's message; None where there is none."""
    return next((event["message"]["text"] for event in turn["events"] if event["kind"] == "input"), None)


def goes_before(story, other):
    """Whether the cap may take a thread and leave another one, both as they were before."""
    if story.archived_at and other.archived_at:
        return story.archived_at <= other.archived_at
    if story.archived_at or other.archived_at:
        return bool(story.archived_at)
    return story.updated_at <= other.updated_at
