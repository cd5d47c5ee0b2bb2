#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the sign-in in a headless Chromium, which gets the page as the user's browser does: from the desktop portal.

    scripts/private-session Tests/browser.py DIRECTORY-WITH-THE-PROGRAMS

The service is the real one, chappie-sandbox is the server, and this test plays the portal and the user. Then it searches
the browser's profile for secrets.
"""

import json
import os
import re
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from pathlib import Path

from gi.repository import Gio, GLib
from support import BUS, TIMEOUT, Failure, World, call, call_service, equal, parse_arguments, run_steps, wait_for

WORLD = Path(os.environ["CHAPPIE_WORLD"])
PROFILE = WORLD / "chromium"
# Every secret of the stand-in contains this, also in base64url, as in an ID token.
MARKERS = (b"SANDBOXSECRET", b"U0FOREJPWFNFQ1JF")
# An authorization code.
CODE = re.compile(rb"ac-SANDBOXSECRET-[\w-]+")
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def has_no_secret(where, content):
    data = content.encode() if isinstance(content, str) else content
    for marker in MARKERS:
        if marker in data:
            raise Failure(f"{where} has a secret: …{data[max(0, data.index(marker) - 40):][:120]!r}")


def properties():
    return call("org.chappie", "/org/chappie", "org.freedesktop.DBus.Properties.GetAll", "(s)", "org.chappie.Session")


class Portal:
    """A mock of the desktop portal, which records the pages to open."""

    NAME, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
    XML = """<node><interface name="org.freedesktop.portal.OpenURI"><method name="OpenURI">
      <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/>
      <arg type="o" direction="out"/></method></interface></node>"""

    def __init__(self):
        self.pages = []
        BUS.register_object(self.PATH, Gio.DBusNodeInfo.new_for_xml(self.XML).interfaces[0], self._called, None, None)
        Gio.bus_own_name_on_connection(BUS, self.NAME, Gio.BusNameOwnerFlags.NONE, None, None)
        threading.Thread(target=GLib.MainLoop().run, daemon=True).start()
        BUS.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus.Peer", "Ping", None, None, 0, -1, None)

    def _called(self, _bus, _sender, _path, _interface, _method, parameters, invocation):
        self.pages.append(parameters.unpack()[1])
        invocation.return_value(GLib.Variant("(o)", (f"{self.PATH}/request/1",)))

    def page(self):
        wait_for("a page for the desktop", lambda: self.pages)
        return self.pages.pop()


class Chromium:
    """A headless Chromium with a new profile, over WebDriver."""

    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                break
        self.base = f"http://127.0.0.1:{found[1]}/session"
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={PROFILE}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        capabilities = {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}
        self.base += "/" + self.send("", {"capabilities": capabilities})["sessionId"]

    def send(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"content-type": "application/json"}, method=method)
        with DIRECT.open(request, timeout=TIMEOUT) as answer:
            return json.load(answer)["value"]

    def open(self, address):
        self.send("/url", {"url": address})

    def click(self, element):
        found, = self.send("/element", {"using": "css selector", "value": f"#{element}"}).values()
        self.send(f"/element/{found}/click", {})

    def address(self):
        return self.send("/url")

    def run(self, script):
        return self.send("/execute/sync", {"script": script, "args": []})

    def text(self):
        return self.run("return document.body?.innerText ?? ''")

    def history(self):
        """The addresses in the browser's history."""
        self.open("chrome://history/")
        links = """
            const found = [];
            (function walk(root) {
              for (const element of root.querySelectorAll('*')) {
                if (element.href) found.push(element.href + ' ' + element.textContent);
                if (element.shadowRoot) walk(element.shadowRoot);
              }
            })(document);
            return found.filter(link => link.startsWith('http:'))"""
        return wait_for("the history", lambda: self.run(links))

    def close(self):
        if self.driver.poll() is not None:
            return
        try:
            self.send("", method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()


class Run:
    """The steps, in their order."""

    def __init__(self):
        self.log = open(WORLD / "service.log", "w+b")
        self.world = World("--rate", "0")
        self.portal = Portal()
        self.world.start_service(env={**os.environ, "G_MESSAGES_DEBUG": "all"}, stdout=self.log, stderr=self.log)
        self.browser = Chromium()

    def close(self):
        try:
            self.browser.close()
        finally:
            self.world.close()

    def sign_in(self, button, title, link, **options):
        """Starts a sign-in, and clicks on a button of the page."""
        shown, _ = call_service("Session.StartBrowserSignIn", "(a{sv})", options)
        page = self.portal.page()
        has_no_secret("the page's address", page)
        equal("the page", page.split("?")[0], shown.split("?")[0])
        self.browser.open(page)
        self.browser.click(button)
        wait_for(f"“{title}”", lambda: title in self.browser.text())
        port = urllib.parse.urlsplit(urllib.parse.parse_qs(urllib.parse.urlsplit(page).query)["redirect_uri"][0]).port
        equal("the address bar", self.browser.address(), f"http://127.0.0.1:{port}/auth/done")
        has_no_secret("the browser's page", self.browser.send("/source"))
        wait_for(link, lambda: properties()["DeviceLinkState"] == link)
        self.others_see_nothing()

    def others_see_nothing(self):
        """No secret is in the arguments or the environment of a process, which other programs can read."""
        for directory in Path("/proc").glob("[0-9]*"):
            try:
                arguments, environment = ((directory / name).read_bytes() for name in ("cmdline", "environ"))
            except (OSError, ProcessLookupError):
                continue  # The process has ended.
            # Only the processes of this test are checked.
            if f"CHAPPIE_WORLD={WORLD}\0".encode() in environment:
                has_no_secret(f"{directory}/cmdline", arguments)
                has_no_secret(f"{directory}/environ", environment)

    def signs_in_and_asks(self):
        self.sign_in("approve", "You are signed in", "linked")
        equal("the state", properties()["State"], "signed-in")
        equal("the method", properties()["AuthMethod"], "browser")
        answer = call_service("Client.Send", "(sa{sv})", "hi", {})
        equal("the answer", "hi" in str(answer), True)

    def goes_back(self):
        """The browser's “Back” leads to the issuer's page."""
        self.browser.send("/back", {})
        wait_for("the issuer's page", lambda: self.browser.address().startswith(self.world.issuer))

    def signs_in_again(self):
        self.sign_in("approve", "You are signed in", "linked")

    def declines(self):
        call_service("Session.SignOut")
        self.sign_in("decline", "You declined the sign-in", "declined")
        equal("the state", properties()["State"], "signed-out")

    def searches_the_history(self):
        shown = "\n".join(self.browser.history())
        equal("the last page in the history", "/auth/done" in shown, True)
        has_no_secret("the browser's page of its history", shown)
        equal("the callback in the history", "/auth/callback?" in shown, False)
        self.browser.close()
        for path in filter(Path.is_file, PROFILE.rglob("*")):
            # Chromium's files have each redirect with its authorization code, which has been redeemed.
            has_no_secret(f"the browser's {path.name}", CODE.sub(b"", path.read_bytes()))

    def searches_the_log(self):
        self.log.seek(0)
        has_no_secret("the log", self.log.read())


def main():
    parse_arguments()
    run = Run()
    return run_steps(run, [run.signs_in_and_asks, run.goes_back, run.signs_in_again, run.declines,
                           run.searches_the_history, run.searches_the_log])


if __name__ == "__main__":
    sys.exit(main())
