#!/usr/bin/env python3
"""A network with a proxy and a server behind TLS, between the service and the sign-in server.

Only the proxy knows the server's name, so nothing reaches the server without the proxy. The server behind TLS forwards
to PORT. The file ANSWER chooses the answer to each connection at that time; the program prints each CONNECT.

    network.py DIRECTORY PORT      DIRECTORY/trust.pem is the certificate to trust
"""

import re
import select
import socket
import ssl
import subprocess
import sys
import threading
from pathlib import Path

SERVER = "sign-in.chappie.test"
TIMEOUT = 60

HTML = b"<!DOCTYPE html><html><title>Blocked</title><body>invalid_grant: sign in to the network first</body></html>"
OAUTH = b'{"error":"invalid_grant","error_description":"The refresh token is invalid."}'


def head(status, body=b"", kind="text/html", length=None):
    """An HTTP answer; a greater length than the body's makes it incomplete."""
    return (f"HTTP/1.1 {status} Whatever\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(body) if length is None else length}\r\nConnection: close\r\n\r\n").encode() + body


# For openssl ca, which alone can give a certificate a later start.
AUTHORITY = """[ca]
default_ca = authority
[authority]
database = {folder}/index.txt
serial = {folder}/serial
new_certs_dir = {folder}
default_md = sha256
policy = names
copy_extensions = copy
[names]
commonName = supplied
"""


def make_certificate(folder, name, host=SERVER, days=7, issuer=None, start=None):
    """A self-signed certificate for `host` and its key, in NAME.pem, valid from `start` (YYYYMMDDHHMMSSZ) or from now.

    With -1 days it has expired.
    """
    path, key, request = (Path(folder) / f"{name}.{end}" for end in ("pem", "key", "csr"))
    signing = ["x509", "-req", "-in", request, "-signkey", key, "-copy_extensions", "copy", "-days", str(days),
               "-out", path]
    if start:
        configuration = Path(folder) / "authority.conf"
        configuration.write_text(AUTHORITY.format(folder=folder))
        (Path(folder) / "index.txt").write_text("")
        signing = ["ca", "-batch", "-selfsign", "-notext", "-create_serial", "-config", configuration, "-keyfile", key,
                   "-in", request, "-startdate", start, "-days", "40000", "-out", path]
    for command in (
            ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
             f"/CN={issuer or host}",
             "-addext", f"subjectAltName=DNS:{host}", "-keyout", key, "-out", request],
            signing):
        subprocess.run(["openssl", *command], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, key)
    return context


def received(end):
    """What has arrived at `end`: None if it was no data, and empty at its end."""
    end.settimeout(0)
    try:
        return end.recv(65536)
    except (ssl.SSLWantReadError, BlockingIOError):
        return None
    except OSError:
        return b""
    finally:
        end.settimeout(TIMEOUT)


def join(client, server):
    """Relays bytes both ways until the server has closed.

    One thread does it, because an SSL socket serves only one at a time.
    """
    ends = [client, server]
    with client, server:
        while server in ends:
            ready = [end for end in ends if isinstance(end, ssl.SSLSocket) and end.pending()]
            ready = ready or select.select(ends, [], [], TIMEOUT)[0]
            if not ready:
                break
            for end in ready:
                data = received(end)
                if data:
                    (server if end is client else client).sendall(data)
                elif data is not None:
                    ends.remove(end)
                    if end is client:
                        server.shutdown(socket.SHUT_WR)


class Network:
    """A proxy at `port` that leads to the server. `choose` returns the answer to each connection."""

    def __init__(self, folder, target, choose, is_quiet=False):
        self.target, self.choose, self.is_quiet = target, choose, is_quiet
        self.trusted = make_certificate(folder, "trusted")
        self.others = {
            "": make_certificate(folder, "untrusted", issuer="Somebody"),
            "expired": make_certificate(folder, "expired", days=-1),
            "too-early": make_certificate(folder, "too-early", start="20910101000000Z"),
            "other-host": make_certificate(folder, "other-host", host="other.chappie.test")}
        # The issuer of these certificates is trusted: only the stated property is wrong.
        trusted = [Path(folder) / f"{name}.pem" for name in ("trusted", "expired", "too-early", "other-host")]
        (Path(folder) / "trust.pem").write_bytes(b"".join(path.read_bytes() for path in trusted))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            connection, _ = self.listener.accept()
            connection.settimeout(TIMEOUT)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            with connection:
                self.answer(connection)
        except (OSError, ssl.SSLError):
            pass

    def answer(self, connection):
        request = read_head(connection)
        if not request:
            return
        line = request.split(b"\r\n")[0].decode(errors="replace")
        if not self.is_quiet:
            print(line, flush=True)
        how, _, what = self.choose().partition(" ")
        if how == "pass":
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            with self.trusted.wrap_socket(connection, server_side=True) as client:
                request = read_head(client)
                if request:
                    server = socket.create_connection(("127.0.0.1", self.target), TIMEOUT)
                    server.sendall(request)
                    join(client, server)
        elif how == "refuse":
            # A status, and whether its body has an OAuth error.
            status, _, body = what.partition(" ")
            connection.sendall(head(int(status), OAUTH, "application/json") if body == "oauth" else
                               head(int(status), HTML))
        elif how == "cut":
            connection.shutdown(socket.SHUT_RDWR)
        elif how == "half":
            connection.sendall(b"HTTP/1.1 40")
        elif how == "noise":
            connection.sendall(bytes(range(256)) * 8)
        elif how == "silence":
            # Drips for the stated time, or until the client closes.
            connection.settimeout(float(what or TIMEOUT))
            connection.recv(1)
        elif how == "page":
            # Reports success without a connection.
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n" + head(403, OAUTH, "application/json"))
            connection.recv(4096)
        elif how == "intercept":
            # A certificate that is untrusted, expired or for another host.
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            with self.others[what].wrap_socket(connection, server_side=True) as client:
                client.recv(65536)
                client.sendall(head(403, OAUTH, "application/json"))
        elif how in ("behind", "keep"):
            # The server's own connection, with this answer to one request or to all.
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            with self.trusted.wrap_socket(connection, server_side=True) as client:
                while read_request(client):
                    client.sendall(what.encode("latin-1").decode("unicode_escape").encode("latin-1"))
                    if how == "behind":
                        break
        else:
            raise ValueError(how)


def read_head(connection):
    """The head of a request with the received part of its body; empty if the head is incomplete."""
    request = b""
    while b"\r\n\r\n" not in request:
        data = connection.recv(65536)
        if not data:
            return b""
        request += data
    return request


def read_request(connection):
    """The head and the whole body of a request."""
    start, _, body = read_head(connection).partition(b"\r\n\r\n")
    length = re.search(rb"content-length: *(\d+)", start, re.I)
    while length and len(body) < int(length[1]):
        data = connection.recv(65536)
        if not data:
            break
        body += data
    return start + b"\r\n\r\n" + body


def main():
    folder, target = Path(sys.argv[1]), int(sys.argv[2])
    answer = folder / "answer"
    if not answer.exists():
        answer.write_text("pass")
    network = Network(folder, target, answer.read_text)
    print(f"ready {network.port}", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
