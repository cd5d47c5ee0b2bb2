"""Opens and seals what is stored, as the service does on the same machine: Sources/SecretMemory/AEAD.swift and, for
the keyring, Sources/ChappieSDK/Keyring/Device/DeviceSeals.swift."""

import base64
import ctypes
import hashlib
import json
import os
from pathlib import Path

SODIUM = ctypes.CDLL("libsodium.so.23")
NONCE, TAG = 24, 16


def decrypt(sealed, key, context):
    nonce, ciphertext = sealed[:NONCE], sealed[NONCE:]
    plain = ctypes.create_string_buffer(len(ciphertext) - TAG)
    status = SODIUM.crypto_aead_xchacha20poly1305_ietf_decrypt(
        plain, None, None, ciphertext, ctypes.c_ulonglong(len(ciphertext)), context,
        ctypes.c_ulonglong(len(context)), nonce, key)
    if status != 0:
        raise ValueError("what is stored does not open")
    return plain.raw


def encrypt(plain, key, context):
    nonce = os.urandom(NONCE)
    ciphertext = ctypes.create_string_buffer(len(plain) + TAG)
    SODIUM.crypto_aead_xchacha20poly1305_ietf_encrypt(
        ciphertext, None, plain, ctypes.c_ulonglong(len(plain)), context, ctypes.c_ulonglong(len(context)), None, nonce,
        key)
    return nonce + ciphertext.raw


def key_and_context(slot):
    """Of the items of a slot: (service, account, access group, app id)."""
    machine = Path("/etc/machine-id").read_bytes().strip()
    device_key = Path(os.environ["XDG_STATE_HOME"], "chappie/device-key").read_bytes()
    purpose = b"org.chappie seal"
    key = hashlib.blake2b(bytes([len(purpose)]) + purpose + machine, key=device_key, digest_size=32).digest()
    return key, b"".join(part.encode() + b"\0" for part in slot)


def open_line(line, slot):
    """The secret in a line of the keyring."""
    return decrypt(base64.b64decode(line.split(":")[3]), *key_and_context(slot))


def seal_line(line, slot, secret):
    """The same line with another secret."""
    head = line.rsplit(":", 1)[0]
    return f"{head}:{base64.b64encode(encrypt(secret, *key_and_context(slot))).decode()}"


def open_seal(line, slot):
    """The credential as a dictionary."""
    return json.loads(open_line(line, slot))
