#!/usr/bin/python3
# Asks what changed in Debian this week. The model searches debian.org alone; the sources are listed at the end.
import json
import socket
import sys
from gi.repository import Gio, GLib

web = {"web_search": GLib.Variant("s", "live"), "search_domains": GLib.Variant("as", ["debian.org"])}
try:
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)  # The turn ends with this connection: it has to stay.
    (_, index), sockets = bus.call_with_unix_fd_list_sync(
        "org.chappie", "/org/chappie", "org.chappie.Client", "OpenTurn", GLib.Variant("(a{sv})", (web,)), None, 0, -1)
    line = socket.socket(fileno=sockets.get(index))
    line.sendall(json.dumps({"text": " ".join(sys.argv[1:]) or "What changed in Debian this week?"}).encode() + b"\n")
    for event in map(json.loads, line.makefile(encoding="utf-8")):
        print(event["text"] if event["event"] == "text-delta" else "", end="", flush=True)
        if event["event"] in ("completed", "failed"):
            pages = {source["url"]: source["title"] for source in event.get("citations", [])}.items()
            lines = [f"{number}. {title} <{url}>" for number, (url, title) in enumerate(pages, 1)]
            sys.exit(event.get("message") or print("\n", "Sources:\n" if lines else "No source.", *lines, sep="\n"))
    sys.exit("\nThe service ended before it answered.")
except (GLib.Error, OSError, ValueError) as error:
    sys.exit(getattr(error, "message", error))
