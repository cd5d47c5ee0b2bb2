#!/usr/bin/env python3
"""A backend that answers in the hostile way that a question requests; it forwards other requests to the stand-in.

A question with `abuse:{"do": …}` is answered by this behaviour of answers.py, any other one with a few words. Each
connection has a process of its own, so that no behaviour delays another answer.

    backend.py STAND-IN-URL FILE-FOR-THE-TOKENS-THAT-IT-SEES
"""

import base64
import ctypes
import hashlib
import json
import os
import resource
import signal
import socket
import socketserver
import sys
import threading
import time

from answers import BEHAVIOURS, Reply, Stream

ZSTD = ctypes.CDLL("libzstd.so.1")
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
MARK = "abuse:"
MOST = 64 << 20


class Server(socketserver.ForkingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    request_queue_size = 512
    max_children = 4000

    def handle_error(self, request, client_address):
        pass


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # The longest time of an exchange, in seconds, whatever the service does.
        self.request.settimeout(120)
        try:
            self.exchange()
        except (OSError, ValueError):
            pass  # The service has left.

    def exchange(self):
        head, headers = self.read_head()
        if not head:
            return
        if not head.split(b" ")[1].endswith(b"/codex/responses"):
            self.relay(head)
            return
        self.note(headers)
        if headers.get(b"upgrade", b"").lower() == b"websocket":
            self.serve_socket(headers)
            return
        body = self.rfile.read(int(headers.get(b"content-length", 0)))
        if headers.get(b"content-encoding") == b"zstd":
            body = inflate(body)
        stream = Stream(self.wfile, self.request)
        BEHAVIOURS[behaviour(body)["do"]](Reply(stream, behaviour(body)))

    def read_head(self):
        head, headers = b"", {}
        while not head.endswith(b"\r\n\r\n"):
            line = self.rfile.readline(1 << 16)
            if not line:
                return None, None
            head += line
            name, _, value = line.partition(b":")
            headers[name.strip().lower()] = value.strip()
        return head, headers

    def note(self, headers):
        """Records the token, so that the harness can search for it."""
        token = headers.get(b"authorization", b"").removeprefix(b"Bearer ").decode()
        known = SECRETS.read_text() if SECRETS.exists() else ""
        if token and token not in known:
            with open(SECRETS, "a") as file:
                file.write(token + "\n")

    def relay(self, head):
        """Relays to the stand-in and back, until one of them closes."""
        with socket.create_connection(STAND_IN) as upstream:
            upstream.sendall(head.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))
            threading.Thread(target=self.pump, args=(upstream,), daemon=True).start()
            while data := upstream.recv(1 << 16):
                self.wfile.write(data)

    def pump(self, upstream):
        try:
            while data := self.rfile.read1(1 << 16):
                upstream.sendall(data)
        except (OSError, ValueError):
            pass

    # WebSocket

    def serve_socket(self, headers):
        key = headers[b"sec-websocket-key"] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key).digest())
        self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
                         b"sec-websocket-accept: " + accept + b"\r\n\r\n")
        stream = Stream(self.wfile, self.request, is_socket=True)
        while (message := self.read_message()) is not None:
            if b'"generate":false' in message[:1 << 16] or b'"generate":false' in message[-(1 << 12):]:
                Reply(stream, {}).whole([])
                continue
            BEHAVIOURS[behaviour(message)["do"]](Reply(stream, behaviour(message)))

    def read_message(self):
        message = b""
        while True:
            head = self.rfile.read(2)
            if len(head) < 2 or head[0] & 0x0f == 8:
                return None
            length = head[1] & 0x7f
            if length > 125:
                length = int.from_bytes(self.rfile.read(2 if length == 126 else 8), "big")
            mask = self.rfile.read(4)
            content = self.rfile.read(length)
            if head[0] & 0x0f in (9, 10):
                continue
            message += unmask(content, mask)
            if head[0] & 0x80:
                return message


def unmask(content, mask):
    long = mask * (len(content) // 4 + 1)
    length = len(content)
    return (int.from_bytes(content, "little") ^ int.from_bytes(long[:length], "little")).to_bytes(length, "little")


def inflate(body):
    plain = ctypes.create_string_buffer(MOST)
    size = ZSTD.ZSTD_decompress(plain, ctypes.c_size_t(MOST), body, ctypes.c_size_t(len(body)))
    if size > MOST:
        raise ValueError("a body that is too long, or broken")
    return plain.raw[:size]


def behaviour(body):
    """The requested behaviour, in the last item of the question."""
    items = json.loads(body).get("input") or [{}]
    if items[-1].get("type") == "function_call_output":
        return {"do": "words"}
    text = "".join(part.get("text", "") for part in items[-1].get("content") or [] if isinstance(part, dict))
    if MARK not in text:
        return {"do": "words"}
    return json.JSONDecoder().raw_decode(text[text.index(MARK) + len(MARK):])[0]


def leave_with_the_harness():
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


if __name__ == "__main__":
    from pathlib import Path
    host, port = sys.argv[1].removeprefix("http://").split(":")
    STAND_IN, SECRETS = (host, int(port)), Path(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with Server(("127.0.0.1", 0), Handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
        threading.Thread(target=leave_with_the_harness, daemon=True).start()
        server.serve_forever(poll_interval=0.1)
