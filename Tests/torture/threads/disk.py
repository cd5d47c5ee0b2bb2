"""The files of the threads, and the key in the keyring."""

import os
import re
import shutil
import sqlite3
import subprocess
from pathlib import Path

# The allowed files: FORMAT.md of the file store.
DATABASE = "threads.db"
LOG, SHARED_MEMORY = DATABASE + "-wal", DATABASE + "-shm"
NAMES = {DATABASE, LOG, SHARED_MEMORY, DATABASE + "-journal", DATABASE + ".deleted", "CACHEDIR.TAG", ".nobackup",
         "reserve"}
# A kill during the creation of a file leaves this file.
UNFINISHED = re.compile(r"\.[0-9a-f-]{32,36}")
# The header of a frame of the log.
FRAME_HEADER = 24
# The kinds of damage to a closed database.
# Those of the log set the database back to its last checkpoint.
LOG_RUINS = ["no log", "log cut", "noise in the log"]
RUINS = ["emptied", "cut", "noise", "noise inside", *LOG_RUINS, "older"]


class Disk:
    """The files of the default app and account, the only ones with threads."""

    def __init__(self):
        self.root = Path(os.environ["XDG_DATA_HOME"]) / "chappie/threads"

    @property
    def directory(self):
        """None before the first thread."""
        return next(self.root.glob("*/*"), None)

    @property
    def database(self):
        return self.directory / DATABASE if self.directory else None

    def names(self):
        return {path.name for path in self.directory.iterdir()} if self.directory else set()

    def strange(self):
        """The names of files that do not belong to the store."""
        return {name for name in self.names() - NAMES if not UNFINISHED.fullmatch(name)}

    def is_whole(self):
        """The result of SQLite's own check of the database."""
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)
        try:
            return connection.execute("PRAGMA integrity_check").fetchone()[0]
        finally:
            connection.close()

    def copy(self):
        """All stored files, while no process has them open."""
        return {name: (self.directory / name).read_bytes() for name in (DATABASE, LOG)
                if (self.directory / name).exists()}

    def put_back(self, copy):
        for name in NAMES:
            if name.startswith(DATABASE):
                (self.directory / name).unlink(missing_ok=True)
        for name, content in copy.items():
            (self.directory / name).write_bytes(content)

    def tear(self, random):
        """Leaves the files as a power loss during a write does; returns whether it could.

        No stored data is lost by it.
        """
        log = self.directory / LOG if self.directory else None
        if not log or not log.exists() or not log.stat().st_size:
            return False
        content = log.read_bytes()
        frame = FRAME_HEADER + 4096
        match random.choice(["cut", "zeros", "noise", "frame", "memory", "no memory"]):
            case "cut": log.write_bytes(content + content[-random.randrange(1, frame):])
            case "zeros": log.write_bytes(content + bytes(random.randrange(1, 3 * frame)))
            case "noise": log.write_bytes(content + random.randbytes(random.randrange(1, 3 * frame)))
            case "frame": log.write_bytes(content + content[-frame:])
            case "memory": (self.directory / SHARED_MEMORY).write_bytes(random.randbytes(32768))
            case "no memory": (self.directory / SHARED_MEMORY).unlink(missing_ok=True)
        return True

    def ruin(self, kind, random, older):
        """Damages the files as a bad disk, a bad backup or a curious user could; returns whether it could."""
        database, log = self.database, self.directory / LOG
        content = database.read_bytes()
        written = log.read_bytes() if log.exists() else b""
        match kind:
            case "emptied": database.write_bytes(b"")
            case "cut": os.truncate(database, random.randrange(len(content)))
            case "noise": database.write_bytes(random.randbytes(len(content)))
            case "noise inside":
                place = random.randrange(len(content))
                database.write_bytes(content[:place] + random.randbytes(64) + content[place + 64:])
            case "no log": log.unlink(missing_ok=True)
            case "log cut": os.truncate(log, random.randrange(len(written))) if written else None
            case "noise in the log" if written:
                place = random.randrange(len(written))
                log.write_bytes(written[:place] + random.randbytes(64) + written[place + 64:])
            case "older": self.put_back(older)
        return content != (database.read_bytes() if database.exists() else None) \
            or written != (log.read_bytes() if log.exists() else b"")

    def begin_anew(self):
        """Removes all threads, and their key from the keyring."""
        shutil.rmtree(self.root, ignore_errors=True)
        # secret-tool fails when there is no key.
        subprocess.run(["secret-tool", "clear", "xdg:schema", "org.chappie.ThreadKey"], check=False)
        if self.keys():
            raise RuntimeError("the key of the threads is still in the keyring")

    @staticmethod
    def keys():
        """The number of keys of threads in the keyring."""
        run = subprocess.run(["secret-tool", "search", "--all", "xdg:schema", "org.chappie.ThreadKey"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return len(re.findall(r"^\[/", run.stdout, re.M))
