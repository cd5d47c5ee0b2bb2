#!/usr/bin/python3
# Summarises a document: summary.py FILE [QUESTION]. The file is passed as a descriptor, as an app in a sandbox has to.
import json
import socket
import sys
from gi.repository import Gio, GLib

try:
    with open(sys.argv[1], "rb") as file:
        files = Gio.UnixFDList()  # It has a descriptor of its own for the file.
        options = {"files": GLib.Variant("ah", [files.append(file.fileno())])}
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)  # The turn ends with this connection: it has to stay.
    (_, index), sockets = bus.call_with_unix_fd_list_sync("org.chappie", "/org/chappie", "org.chappie.Client",
        "OpenTurn", GLib.Variant("(a{sv})", (options,)), None, 0, -1, files)
    line = socket.socket(fileno=sockets.get(index))
    line.sendall(json.dumps({"text": " ".join(sys.argv[2:]) or "Summarise this in five sentences."}).encode() + b"\n")
    for event in map(json.loads, line.makefile(encoding="utf-8")):
        print(event["text"] if event["event"] == "text-delta" else "", end="", flush=True)
        if event["event"] in ("completed", "failed"):
            sys.exit(event.get("message") or print())
    sys.exit("\nThe service ended before it answered.")
except (GLib.Error, OSError, ValueError, IndexError) as error:
    sys.exit(getattr(error, "message", error))
