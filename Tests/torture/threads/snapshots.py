"""The state of threads at the last check."""

from dataclasses import dataclass, field


@dataclass
class Snapshot:
    """The state of a thread at the last check."""
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
    def begun(cls, action):
        """A thread that was created since the last check."""
        return cls(action.answer, action.text, None, int(action.started), 0)

    @property
    def messages(self):
        """The number of messages that the model receives before the next one."""
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
    """The user's message; None if there is none."""
    return next((event["message"]["text"] for event in turn["events"] if event["kind"] == "input"), None)


def goes_before(snapshot, other):
    """Whether the size limit may delete a thread and keep the other, both in their earlier state."""
    if snapshot.archived_at and other.archived_at:
        return snapshot.archived_at <= other.archived_at
    if snapshot.archived_at or other.archived_at:
        return bool(snapshot.archived_at)
    return snapshot.updated_at <= other.updated_at
