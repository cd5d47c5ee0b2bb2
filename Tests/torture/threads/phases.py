"""The configuration of threads, and the operations on them."""

from dataclasses import dataclass

DAY = 86400


@dataclass
class Policy:
    """The retention policy in the configuration."""
    # In bytes; None for no limit.
    cap: int = None
    # In seconds.
    archive_after: float = None
    delete_after: float = None

    @property
    def ages(self):
        return self.archive_after is not None

    @property
    def text(self):
        def days(seconds):
            return "never" if seconds is None else f"{seconds / DAY:.9f}"

        size = "unlimited" if self.cap is None else self.cap / (1 << 20)
        return (f"[Threads]\nMaximumSize={size}\nArchiveAfter={days(self.archive_after)}\n"
                f"DeleteAfter={days(self.delete_after)}\n")


@dataclass
class ThreadPhase:
    title: str
    share: float
    policy: Policy
    # The operations, each with its weight.
    operations: dict
    # The lengths of messages, in bytes.
    lengths: tuple = (20, 20, 200, 2000)


ALL = {"send": 4, "crowd": 6, "compact": 4, "undo": 4, "change": 4, "delete": 4, "beside": 5, "stop": 4, "ruin": 5}
SOME = {"send": 4, "crowd": 4, "change": 2, "delete": 2, "stop": 1}
THREAD_PHASES = [
    ThreadPhase("the first threads", 0.1, Policy(), {"first": 1}),
    ThreadPhase("threads that are kept", 0.5, Policy(), ALL, (20, 20, 20, 200, 200, 2000, 2000, 100_000)),
    ThreadPhase("threads above the cap", 0.2, Policy(cap=300_000), SOME, (200, 20_000, 60_000)),
    ThreadPhase("threads that get old", 0.2, Policy(archive_after=2, delete_after=2), SOME),
]
THREAD_OPERATIONS = ["first", *ALL]
# The greatest number of concurrent callers, and their kinds of calls, by operation.
CALLERS = {
    "first": (2, ["create", "create", "send"]),
    "send": (1, ["send"]),
    "crowd": (4, ["send", "send", "stream", "abandon"]),
    "compact": (2, ["send", "compact", "compact", "compact_model"]),
    "undo": (2, ["send", "send", "undo", "abandon"]),
    "change": (2, ["rename", "archive", "unarchive", "send"]),
    "delete": (2, ["create", "delete", "send"]),
    "beside": (2, ["send", "stream", "rename", "create"]),
    "stop": (3, ["send", "stream", "create", "rename", "compact_model"]),
    "ruin": (2, ["send", "send", "rename", "create"]),
}
