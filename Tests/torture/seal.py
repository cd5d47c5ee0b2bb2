"""Opens a stored credential, as the service does on the same machine: Sources/ChappieSDK/Keyring/DeviceSeal.swift."""

import base64
import ctypes
import hashlib
import json
import os
from pathlib import Path

SODIUM = ctypes.CDLL("libsodium.so.23")
NONCE, TAG = 24, 16


def open_seal(line, slot):
    """The credential as a dictionary. The slot is (service, account, access group, app id)."""
    machine = Path("/etc/machine-id").read_bytes().strip()
    device_key = Path(os.environ["XDG_STATE_HOME"], "chappie/device-key").read_bytes()
    purpose = b"org.chappie seal"
    key = hashlib.blake2b(bytes([len(purpose)]) + purpose + machine, key=device_key, digest_size=32).digest()
    context = b"".join(part.encode() + b"\0" for part in slot)
    sealed = base64.b64decode(line.split(":")[3])
    nonce, ciphertext = sealed[:NONCE], sealed[NONCE:]
    plain = ctypes.create_string_buffer(len(ciphertext) - TAG)
    status = SODIUM.crypto_aead_xchacha20poly1305_ietf_decrypt(
        plain, None, None, ciphertext, ctypes.c_ulonglong(len(ciphertext)), context,
        ctypes.c_ulonglong(len(context)), nonce, key)
    if status != 0:
        raise ValueError("a stored credential does not open")
    return json.loads(plain.raw)
