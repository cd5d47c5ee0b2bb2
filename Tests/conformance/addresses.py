"""The names of the live servers, which lead to the stand-in: clients reach it at addresses that they have built in."""

import asyncio
import os
import ssl
import subprocess
import threading
from pathlib import Path

ISSUER = "https://auth.openai.com"
NAMES = ["auth.openai.com", "api.openai.com"]
TIMEOUT = 90


class Addresses:
    """TLS for the names, at port 443 of this network namespace; `standin` is the server behind it."""

    def __init__(self, folder):
        self.standin = None
        hosts = folder / "hosts"
        hosts.write_text(f"127.0.0.1 localhost {' '.join(NAMES)}\n")
        subprocess.run(["mount", "--bind", hosts, Path("/etc/hosts").resolve()], check=True)
        self.certificate, self.key = folder / "names.pem", folder / "names.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "7", "-subj", "/CN=Conformance",
             "-addext", "subjectAltName=" + ",".join(f"DNS:{name}" for name in NAMES),
             "-keyout", self.key, "-out", self.certificate], check=True, capture_output=True)
        # For this program and for all that it starts.
        os.environ["SSL_CERT_FILE"] = str(self.certificate)
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.listen(ready)), daemon=True).start()
        if not ready.wait(TIMEOUT):
            raise OSError("nothing listens on port 443")

    async def listen(self, ready):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        async with await asyncio.start_server(self.serve, "127.0.0.1", 443, ssl=context) as server:
            ready.set()
            await server.serve_forever()

    async def serve(self, *client):
        try:
            server = await asyncio.open_connection("127.0.0.1", self.standin.port)
            await asyncio.gather(pump(client[0], server[1]), pump(server[0], client[1]))
        except OSError:
            client[1].close()


async def pump(source, sink):
    """Forwards bytes until one side ends, and then ends the other."""
    try:
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    except OSError:
        pass
    sink.close()
