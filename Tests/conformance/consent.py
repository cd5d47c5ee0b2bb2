#!/usr/bin/env python3
"""Plays the user at the browser, who answers the stand-in's consent page.

    consent.py approve|decline|without-plan|chromium [--user EMAIL] ADDRESS

As a program it is the browser in $BROWSER. `chromium` clicks in a headless Chromium; the others follow the form.
"""

import base64
import contextlib
import hashlib
import html.parser
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

from checks import Failure, Skip

TIMEOUT = 60


class Person:
    """Opens addresses for a client in this process, and remembers the titles of the pages."""

    def __init__(self, decision="approve", user=None):
        self.decision, self.user, self.pages, self.addresses = decision, user, [], []

    def open(self, address):
        self.addresses.append(dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query)))
        # As a browser, it does not keep its caller waiting.
        threading.Thread(target=self.follow, args=(address,), daemon=True).start()
        return True

    def follow(self, address):
        fetch(self.decide(address)).read()

    def decide(self, address):
        """Answers the page, and returns the address of the client's listener, to which a browser would go."""
        answer = fetch(address)
        if "location" not in answer.headers:
            form = Form(answer.read().decode())
            self.pages.append(form.title.split(" – ")[0])
            if not form.fields:
                raise Failure(f"the page is {form.title!r}")
            fields = form.fields | {"decision": "decline" if self.decision == "decline" else "approve"}
            if self.decision == "without-plan":
                fields.pop("plan_use", None)
            if self.user:
                fields["user"] = self.user
            answer = fetch(
                urllib.parse.urljoin(address, form.action), urllib.parse.urlencode(fields).encode())
        return answer.headers["location"]


class Form(html.parser.HTMLParser):
    """The form of a page: its address, and its fields as they are shown."""

    def __init__(self, text):
        super().__init__()
        self.action, self.fields, self.title, self.in_title = "", {}, "", False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.action = values.get("action", "")
        elif tag == "input" and (values.get("type") != "checkbox" or "checked" in values):
            self.fields[values["name"]] = values.get("value", "")
        self.in_title = tag == "title"

    def handle_data(self, data):
        if self.in_title:
            self.title += data

    def handle_endtag(self, tag):
        self.in_title = False


class Unfollowed(urllib.request.HTTPRedirectHandler):
    def http_error_302(self, request, answer, *_):
        return answer

    http_error_303 = http_error_302


def fetch(address, form=None):
    return urllib.request.build_opener(Unfollowed, urllib.request.ProxyHandler({})).open(address, form, TIMEOUT)


# --- A real browser


class Chromium:
    """A headless Chromium with a profile of its own, over WebDriver."""

    def __init__(self, folder):
        driver = shutil.which("chromedriver")
        if not driver:
            raise Skip("Debian's chromium-driver is not installed")
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "started successfully on port" in line:
                self.address = f"http://127.0.0.1:{line.split('port')[1].strip(' .' + chr(10))}/session"
                break
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}",
                   f"--ignore-certificate-errors-spki-list={key_digest()}"]
        session = self.send("", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": options}}}})
        self.address += "/" + session["sessionId"]

    def send(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.address + path, data, {"content-type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=TIMEOUT) as answer:
            return json.load(answer)["value"]

    def approve(self, address):
        """Opens the page, clicks, and waits until the page of the client's listener is there."""
        self.send("/url", {"url": address})
        if not self.send("/url").startswith("http://127.0.0.1:"):
            button, = self.send("/element", {"using": "css selector", "value": "#approve"}).values()
            self.send(f"/element/{button}/click", {})
        end = time.monotonic() + TIMEOUT
        while not self.send("/url").startswith("http://127.0.0.1:"):
            if time.monotonic() > end:
                raise Failure(f"the browser stays at {self.send('/title')!r}")
            time.sleep(0.05)

    def close(self):
        try:
            self.send("", method="DELETE")
        finally:
            self.process.terminate()
            self.process.wait()


def key_digest():
    """The digest of the public key that Chromium accepts in a certificate of an unknown issuer."""
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    key = x509.load_pem_x509_certificate(Path(os.environ["SSL_CERT_FILE"]).read_bytes()).public_key()
    content = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(content).digest()).decode()


def as_browser(decision, *options):
    """The value of $BROWSER for this person."""
    return " ".join([sys.executable, __file__, decision, *options, "%s"])


def main():
    decision, *options, address = sys.argv[1:]
    if decision == "chromium":
        with tempfile.TemporaryDirectory() as folder, contextlib.closing(Chromium(folder)) as browser:
            browser.approve(address)
    else:
        Person(decision, *options[1:]).follow(address)


if __name__ == "__main__":
    main()
