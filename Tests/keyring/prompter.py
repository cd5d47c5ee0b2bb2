#!/usr/bin/env python3
"""GNOME Keyring's prompter, with a person who types a password, or who dismisses each prompt.

    prompter.py PASSWORD
    prompter.py --dismiss

It takes the name org.gnome.keyring.SystemPrompter and prints a line for each prompt. The password crosses the bus
encrypted, as the real prompter sends it, by the keyring's own library: its releases derive different keys from a shared
secret that begins with a zero byte, as one of 256 does, and a keyring takes a password that it cannot read for a
refusal.
"""

import sys

import gi

gi.require_version("Gcr", "3")
from gi.repository import Gcr, Gio, GLib  # noqa: E402

NAME = "org.gnome.keyring.SystemPrompter"
PATH = "/org/gnome/keyring/Prompter"
CALLBACK = "org.gnome.keyring.internal.Prompter.Callback"
XML = """
<node><interface name="org.gnome.keyring.internal.Prompter">
  <method name="BeginPrompting"><arg type="o" direction="in"/></method>
  <method name="PerformPrompt">
    <arg type="o" direction="in"/><arg type="s" direction="in"/>
    <arg type="a{sv}" direction="in"/><arg type="s" direction="in"/>
  </method>
  <method name="StopPrompting"><arg type="o" direction="in"/></method>
</interface></node>
"""

class Prompter:
    def __init__(self, password):
        self.password = password
        self.exchanges = {}
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        self.bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], self.called)
        Gio.bus_own_name_on_connection(self.bus, NAME, Gio.BusNameOwnerFlags.NONE)

    def called(self, bus, sender, path, interface, method, arguments, invocation):
        invocation.return_value(None)
        callback = arguments[0]
        if method == "BeginPrompting":
            self.exchanges[callback] = Gcr.SecretExchange.new(None)
            self.ready(sender, callback, "", self.exchanges[callback].begin())
        elif method == "PerformPrompt":
            _, kind, properties, received = arguments
            print(f"prompt {kind}: {properties.get('message', '')}", flush=True)
            exchange = self.exchanges[callback]
            exchange.receive(received)
            reply = "no" if self.password is None else "yes"
            self.ready(sender, callback, reply, exchange.send(self.password, -1))
        else:
            self.tell(sender, callback, "PromptDone", None)

    def ready(self, sender, callback, reply, exchange):
        # Without a strength the keyring warns of an empty password.
        properties = {"password-strength": GLib.Variant("v", GLib.Variant("i", 1))} if reply == "yes" else {}
        self.tell(sender, callback, "PromptReady", GLib.Variant("(sa{sv}s)", (reply, properties, exchange)))

    def tell(self, sender, callback, member, arguments):
        self.bus.call(sender, callback, CALLBACK, member, arguments, None, Gio.DBusCallFlags.NONE, -1, None, None)


prompter = Prompter(None if sys.argv[1] == "--dismiss" else sys.argv[1])
GLib.MainLoop().run()
