#!/usr/bin/env python3
"""GNOME Keyring's prompter, with a person who types a password, or who dismisses each prompt.

    prompter.py PASSWORD
    prompter.py --dismiss

It takes the name org.gnome.keyring.SystemPrompter and prints a line for each prompt. The password crosses the bus
encrypted, as the real prompter sends it: Diffie-Hellman in the 1536-bit group of RFC 3526, HKDF with SHA-256, AES.
"""

import base64
import hashlib
import hmac
import os
import re
import subprocess
import sys

from gi.repository import Gio, GLib

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
PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B"
    "302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE6"
    "49286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB9ED529077096966D"
    "670C354E4ABC9804F1746C08CA237327FFFFFFFFFFFFFFFF", 16)
LENGTH = 192


class Exchange:
    """The prompter's side of the exchange that hides the password."""

    def __init__(self):
        self.private = int.from_bytes(os.urandom(LENGTH), "big") % PRIME
        self.public = self.encoded(pow(2, self.private, PRIME).to_bytes(LENGTH, "big"))

    @staticmethod
    def encoded(data):
        return base64.b64encode(data).decode()

    def begin(self):
        return f"[sx-aes-1]\npublic={self.public}\n"

    def send(self, received, secret):
        peer = int.from_bytes(base64.b64decode(re.search(r"^public=(.*)$", received, re.M)[1]), "big")
        shared = pow(peer, self.private, PRIME).to_bytes(LENGTH, "big")
        key = hmac.digest(hmac.digest(bytes(hashlib.sha256().digest_size), shared, "sha256"), b"\1", "sha256")[:16]
        iv = os.urandom(16)
        sealed = subprocess.run(
            ["openssl", "enc", "-aes-128-cbc", "-K", key.hex(), "-iv", iv.hex()], input=secret.encode(),
            stdout=subprocess.PIPE, check=True).stdout
        return f"{self.begin()}secret={self.encoded(sealed)}\niv={self.encoded(iv)}\n"


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
            self.exchanges[callback] = Exchange()
            self.ready(sender, callback, "", self.exchanges[callback].begin())
        elif method == "PerformPrompt":
            _, kind, properties, received = arguments
            print(f"prompt {kind}: {properties.get('message', '')}", flush=True)
            exchange = self.exchanges[callback]
            if self.password is None:
                self.ready(sender, callback, "no", exchange.begin())
            else:
                self.ready(sender, callback, "yes", exchange.send(received, self.password))
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
