#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mounts a file system with one file, `slow.pdf`, that answers every program but one.

    Tests/hanging-disk.py DIRECTORY PROGRAM

PROGRAM may look at the file, and waits for its content, for its end when it closes it, and for the list of the files,
until this script is killed.
"""

import errno
import os
import socket
import struct
import subprocess
import sys

LOOKUP, GETATTR, OPEN, READ, FLUSH, INIT, OPENDIR, READDIR = 1, 3, 14, 15, 25, 26, 27, 28
WITHOUT_ANSWER = {2, 36, 42}  # FORGET, INTERRUPT, BATCH_FORGET
HEADER = struct.Struct("=IIQQIIII")
CONTENT = b"%PDF-1.7\n".ljust(1000)


def mounted(directory):
    """The connection to the kernel, which fusermount3 opens and passes."""
    ours, its = socket.socketpair()
    subprocess.run(["fusermount3", "-o", "ro,fsname=hanging", "--", directory], check=True,
                   env={**os.environ, "_FUSE_COMMFD": str(its.fileno())}, pass_fds=[its.fileno()])
    return socket.recv_fds(ours, 1, 1)[1][0]


def attributes(node):
    mode, size = (0o040755, 0) if node == 1 else (0o100644, len(CONTENT))
    return struct.pack("=QQQQQQIIIIIIIIII", node, size, 8, 0, 0, 0, 0, 0, 0, mode, 1, os.getuid(), os.getgid(), 0, 4096, 0)


def program(thread):
    try:
        with open(f"/proc/{thread}/status") as status:
            group = next(line.split()[1] for line in status if line.startswith("Tgid"))
        with open(f"/proc/{group}/comm") as name:
            return name.read().strip()
    except (OSError, StopIteration):
        return ""


def answer(operation, node, body):
    """The error and the content of an answer."""
    if operation == INIT:
        return 0, struct.pack("=IIIIHHIIHHI28x", 7, 31, 65536, 0, 12, 9, 4096, 1, 1, 0, 0)
    if operation == LOOKUP and body == b"slow.pdf\0":
        return 0, struct.pack("=QQQQII", 2, 0, 1, 1, 0, 0) + attributes(2)
    if operation == LOOKUP:
        return errno.ENOENT, b""
    if operation == GETATTR:
        return 0, struct.pack("=QII", 1, 0, 0) + attributes(node)
    if operation in (OPEN, OPENDIR):
        return 0, struct.pack("=QII", 1, 0, 0)
    return 0, CONTENT if operation == READ else b""


def main():
    directory, hanging = sys.argv[1:]
    kernel = mounted(directory)
    print("mounted", flush=True)
    while request := os.read(kernel, 1 << 17):
        _, operation, unique, node, _, _, thread, _ = HEADER.unpack_from(request)
        if operation in WITHOUT_ANSWER or operation in (READ, FLUSH, READDIR) and program(thread) == hanging:
            continue
        error, content = answer(operation, node, request[HEADER.size:])
        os.write(kernel, struct.pack("=IiQ", 16 + len(content), -error, unique) + content)


main()
