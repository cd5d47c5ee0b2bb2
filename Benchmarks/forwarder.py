#!/usr/bin/env python3
"""TLS in front of a server on this machine.

    forwarder.py CERTIFICATE KEY PORT [OUTER]

It decrypts what arrives, forwards it to PORT, and prints its address. With OUTER, that port is its address, and it is
distant: the bytes of both directions are late by half of a round trip, and each new connection by a whole one. It reads
the round trip, in milliseconds, from its standard input.
"""

import queue
import socket
import ssl
import subprocess
import sys
import threading
import time


def make_certificate(folder):
    """The files of a certificate for 127.0.0.1 and of its key."""
    certificate, key = folder / "server.pem", folder / "server.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=server", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


class Forwarder:
    delay = 0.0

    def __init__(self, certificate, key, port):
        self.port = port
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.inner = socket.create_server(("127.0.0.1", 0))

    def decrypt(self, raw):
        try:
            client = self.context.wrap_socket(raw, server_side=True)
        except OSError:
            return
        both(copy, client, connected(self.port))

    def be_distant(self, raw):
        time.sleep(2 * self.delay)
        both(self.copy_late, raw, connected(self.inner.getsockname()[1]))

    def copy_late(self, source, to):
        waiting = queue.Queue()
        threading.Thread(target=self.deliver, args=(waiting, to), daemon=True).start()
        for data in received(source):
            waiting.put((time.monotonic() + self.delay, data))
        waiting.put(None)

    def deliver(self, waiting, to):
        while item := waiting.get():
            due, data = item
            time.sleep(max(0, due - time.monotonic()))
            if not sent(data, to):
                return
        finish(to)

    def read_delay(self):
        for line in sys.stdin:
            self.delay = float(line) / 2000


def received(source):
    try:
        while data := source.recv(65536):
            yield data
    except OSError:
        pass


def sent(data, to):
    try:
        to.sendall(data)
    except OSError:
        return False
    return True


def finish(to):
    try:
        to.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def copy(source, to):
    for data in received(source):
        if not sent(data, to):
            return
    finish(to)


def connected(port):
    peer = socket.create_connection(("127.0.0.1", port))
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return peer


def both(copy, one, other):
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=copy, args=(one, other), daemon=True).start()
    copy(other, one)


def listen(listener, serve):
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


def main(certificate, key, port, outer=None):
    forwarder = Forwarder(certificate, key, int(port))
    listener = socket.create_server(("127.0.0.1", int(outer))) if outer else forwarder.inner
    if outer:
        threading.Thread(target=listen, args=(forwarder.inner, forwarder.decrypt), daemon=True).start()
        threading.Thread(target=forwarder.read_delay, daemon=True).start()
    print(f"https://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    listen(listener, forwarder.be_distant if outer else forwarder.decrypt)


if __name__ == "__main__":
    main(*sys.argv[1:])
