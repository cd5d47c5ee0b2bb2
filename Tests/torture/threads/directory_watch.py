"""Watches the changes of a directory's files: inotify(7)."""

import ctypes
import os
import select
import struct
import threading

LIBC = ctypes.CDLL(None, use_errno=True)
MODIFY, MOVED_TO, CREATE, DELETE = 0x2, 0x80, 0x100, 0x200
EVENT = struct.Struct("iIII")


class DirectoryWatch:
    """Calls `seen` with the name of each file that changes, until `end` is called."""

    def __init__(self, directory, seen):
        self.descriptor = LIBC.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        LIBC.inotify_add_watch(self.descriptor, os.fsencode(directory), MODIFY | MOVED_TO | CREATE | DELETE)
        self.seen = seen
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self):
        while not self.over.is_set():
            if not select.select([self.descriptor], [], [], 0.02)[0]:
                continue
            events, place = os.read(self.descriptor, 65536), 0
            while place < len(events):
                length = EVENT.unpack_from(events, place)[3]
                place += EVENT.size
                self.seen(events[place:place + length].rstrip(b"\0").decode())
                place += length

    def end(self):
        self.over.set()
        self.thread.join()
        os.close(self.descriptor)
