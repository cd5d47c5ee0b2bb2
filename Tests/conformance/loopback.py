"""A network namespace with the loopback alone: no client can reach any other network, and none outlives the run."""

import fcntl
import os
import socket
import struct
import sys

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def enter(*command):
    """Becomes `command` in such a namespace, which needs no rights. Its mounts and processes are its own too."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    try:
        os.execvp("unshare", [
            "unshare", *user, "--net", "--mount", "--pid", "--mount-proc", "--fork", "--kill-child", "--",
            *map(str, command)])
    except OSError as error:
        sys.exit(f"unshare cannot be run: {error}")


def raise_loopback():
    """Brings the loopback up, and ends the program if another interface exists."""
    if others := [name for _, name in socket.if_nameindex() if name != "lo"]:
        sys.exit(f"This is no namespace with the loopback alone: there is {', '.join(others)}.")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        name = b"lo".ljust(16, b"\0")
        flags, = struct.unpack_from("h", fcntl.ioctl(control, SIOCGIFFLAGS, name + bytes(16)), 16)
        fcntl.ioctl(control, SIOCSIFFLAGS, name + struct.pack("h", flags | IFF_UP) + bytes(14))
