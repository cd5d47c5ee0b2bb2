#!/usr/bin/python3
"""Asks the model, and prints the answer as it arrives."""
import json
import socket
import sys
from gi.repository import Gio, GLib

bus = Gio.bus_get_sync(Gio.BusType.SESSION)
(turn, index), sockets = bus.call_with_unix_fd_list_sync(
    "org.chappie", "/org/chappie", "org.chappie.Client", "OpenTurn", GLib.Variant("(a{sv})", ({},)),
    None, Gio.DBusCallFlags.NONE, -1)
with socket.socket(fileno=sockets.get(index)) as line:
    line.sendall(json.dumps({"text": " ".join(sys.argv[1:])}).encode() + b"\n")
    for event in map(json.loads, line.makefile(encoding="utf-8")):
        if event["event"] == "text-delta":
            print(event["text"], end="", flush=True)
        elif event["event"] == "completed":
            sys.exit(print())
        elif event["event"] == "failed":
            sys.exit(event["message"])
sys.exit("The service ended before it answered.")
