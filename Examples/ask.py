#!/usr/bin/python3
# Asks the model, and prints the answer as it arrives.
import json
import socket
import sys
from gi.repository import Gio, GLib

try:
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)  # The turn ends with this connection: it has to stay.
    (_, index), sockets = bus.call_with_unix_fd_list_sync(
        "org.chappie", "/org/chappie", "org.chappie.Client", "OpenTurn", GLib.Variant("(a{sv})", ({},)), None, 0, -1)
    line = socket.socket(fileno=sockets.get(index))
    line.sendall(json.dumps({"text": " ".join(sys.argv[1:])}).encode() + b"\n")
    for event in map(json.loads, line.makefile(encoding="utf-8")):
        if event["event"] == "text-delta":
            print(event["text"], end="", flush=True)
        elif event["event"] == "completed":
            sys.exit(print())
        elif event["event"] == "failed":
            sys.exit("Sign in first: chappie sign-in" if "MissingCredential" in event["error"] else event["message"])
    sys.exit("\nThe service ended before it answered.")
except (GLib.Error, OSError, ValueError) as error:
    sys.exit(getattr(error, "message", error))
