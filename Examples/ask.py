#!/usr/bin/python3
"""Asks the model, and prints the answer."""
import sys
from gi.repository import Gio

client = Gio.DBusProxy.new_for_bus_sync(
    Gio.BusType.SESSION, Gio.DBusProxyFlags.NONE, None, "org.chappie", "/org/chappie", "org.chappie.Client")
client.set_default_timeout(600_000)  # An answer can take minutes.
print(client.Send("(sa{sv})", " ".join(sys.argv[1:]), {}))
