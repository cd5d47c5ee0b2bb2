"""The files of the threads, and the key in the keyring."""

import os
import re
import shutil
import subprocess
from pathlib import Path

# What may be there beside the threads: FORMAT.md of the file store.
MARKS = {"lock", "CACHEDIR.TAG", ".nobackup"}
UNFINISHED = {"thread.new", "index.new", "changing"}
SUFFIX = ".thread"
# What each record begins with: a frame, which begins with a marker and has the length of the rest.
MARKER, FRAME = b"\x1erec", 24


class Disk:
    """The files of the default app and account, which alone has some."""

    def __init__(self):
        self.root = Path(os.environ["XDG_DATA_HOME"]) / "chappie/threads"

    @property
    def directory(self):
        """None before the first thread."""
        return next(self.root.glob("*/*"), None)

    def files(self):
        return {path.name: path.stat().st_size for path in self.directory.iterdir()} if self.directory else {}

    def spoil_index(self, random, old):
        """Does to the index what a bad disk, a bad backup or a curious user could."""
        index = self.directory / "index" if self.directory else None
        if not index or not index.exists():
            return
        content = index.read_bytes()
        match random.choice(["gone", "cut", "noise", "changed", "old", "longer"]):
            case "gone": self.remove_index()
            case "cut": os.truncate(index, random.randrange(len(content) + 1))
            case "noise": index.write_bytes(random.randbytes(len(content)))
            case "changed":
                place = random.randrange(max(1, len(content)))
                index.write_bytes(content[:place] + random.randbytes(8) + content[place + 8:])
            case "old": index.write_bytes(old or b"")
            case "longer": index.write_bytes(content + random.randbytes(random.randrange(1, 64)))

    def remove_index(self):
        if self.directory:
            (self.directory / "index").unlink(missing_ok=True)

    def index(self):
        path = self.directory / "index" if self.directory else None
        return path.read_bytes() if path and path.exists() else None

    def tear(self, thread, random):
        """Leaves what a machine leaves that loses its power while a record is written; gives whether it could."""
        path = self.directory / (thread + SUFFIX)
        content = path.read_bytes()
        record = content[content.rindex(MARKER):]
        # Behind what is torn already nobody writes.
        if len(record) != FRAME + int.from_bytes(record[4:8], "little"):
            return False
        rest = random.choice([record[:random.randrange(1, len(record))], bytes(random.randrange(1, 5000))])
        path.write_bytes(content + rest)
        return True

    def begin_anew(self):
        """No threads, and no key in the keyring."""
        shutil.rmtree(self.root, ignore_errors=True)
        # It fails where there is none.
        subprocess.run(["secret-tool", "clear", "xdg:schema", "org.chappie.ThreadKey"], check=False)
        if self.keys():
            raise RuntimeError("the key of the threads is still in the keyring")

    @staticmethod
    def keys():
        """How many keys of threads the keyring has."""
        run = subprocess.run(["secret-tool", "search", "--all", "xdg:schema", "org.chappie.ThreadKey"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return len(re.findall(r"^\[/", run.stdout, re.M))
