#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Signs in through a headless Chromium, which gets the page as a browser of the user does: from the desktop's portal.

    scripts/private-session Tests/browser.py DIRECTORY-WITH-THE-PROGRAMS

The service is the real one, chappie-sandbox plays the servers, and this test plays the portal and the person. Then it
searches the browser for what should not stay there.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

from gi.repository import Gio, GLib

PROGRAMS = Path(sys.argv[1]).resolve()
WORLD = Path(os.environ["CHAPPIE_WORLD"])
PROFILE = WORLD / "chromium"
# A part of every secret of the stand-in, also in base64url, as in an ID token.
MARKERS = (b"SANDBOXSECRET", b"U0FOREJPWFNFQ1JF")
# An authorization code.
CODE = re.compile(rb"ac-SANDBOXSECRET-[\w-]+")
# What a slow machine may take until something is to be seen.
PATIENCE = 120
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Faulty(Exception):
    pass


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise Faulty(f"{what}: not within {PATIENCE} s")


def equal(what, found, expected):
    if found != expected:
        raise Faulty(f"{what}:\n  found    {found!r:.2000}\n  expected {expected!r:.2000}")


def has_no_secret(where, content):
    data = content.encode() if isinstance(content, str) else content
    for marker in MARKERS:
        if marker in data:
            raise Faulty(f"{where} has a secret: …{data[max(0, data.index(marker) - 40):][:120]!r}")


BUS = Gio.bus_get_sync(Gio.BusType.SESSION)


def call(member, signature="()", *values, interface="org.chappie.Session"):
    return BUS.call_sync("org.chappie", "/org/chappie", interface, member, GLib.Variant(signature, values), None, 0,
                         PATIENCE * 1000, None).unpack()


def properties():
    return call("GetAll", "(s)", "org.chappie.Session", interface="org.freedesktop.DBus.Properties")[0]


class Portal:
    """The desktop's portal, which is asked to open pages."""

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
        with DIRECT.open(request, timeout=PATIENCE) as answer:
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
        """The addresses on the browser's page of its history."""
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
        self.processes = []
        self.log = open(WORLD / "service.log", "w+b")
        sandbox = self.start("chappie-sandbox", "--rate", "0", stdout=subprocess.PIPE)
        self.issuer = sandbox.stdout.readline().split()[1].decode()
        self.portal = Portal()
        self.start("chappied", "--issuer", self.issuer, "--backend", f"{self.issuer}/backend-api",
                   env={**os.environ, "G_MESSAGES_DEBUG": "all"}, stdout=self.log, stderr=self.log)
        subprocess.run(["gdbus", "wait", "--session", "--timeout", "120", "org.chappie"], check=True)
        self.browser = Chromium()

    def start(self, program, *arguments, **options):
        process = subprocess.Popen([PROGRAMS / program, *arguments], **options)
        self.processes.append(process)
        return process

    def close(self):
        try:
            self.browser.close()
        finally:
            for process in self.processes:
                process.kill()
                process.wait()

    def sign_in(self, button, title, link, **options):
        """Starts a sign-in, and clicks on a button of the page."""
        shown, _ = call("StartBrowserSignIn", "(a{sv})", options)
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
        """Every program may read the arguments of the others, and the user's the environments."""
        for directory in Path("/proc").glob("[0-9]*"):
            try:
                arguments, environment = ((directory / name).read_bytes() for name in ("cmdline", "environ"))
            except (OSError, ProcessLookupError):
                continue  # It has ended.
            # The programs of other tests that run now are not asked.
            if f"CHAPPIE_WORLD={WORLD}\0".encode() in environment:
                has_no_secret(f"{directory}/cmdline", arguments)
                has_no_secret(f"{directory}/environ", environment)

    def signs_in_and_asks(self):
        self.sign_in("approve", "You are signed in", "linked")
        equal("the state", properties()["State"], "signed-in")
        equal("the method", properties()["AuthMethod"], "browser")
        answer = call("Send", "(sa{sv})", "hi", {}, interface="org.chappie.Client")
        equal("the answer", "hi" in str(answer), True)

    def goes_back(self):
        """The issuer's page comes before the last one."""
        self.browser.send("/back", {})
        wait_for("the issuer's page", lambda: self.browser.address().startswith(self.issuer))

    def signs_in_again(self):
        self.sign_in("approve", "You are signed in", "linked")

    def declines(self):
        call("SignOut")
        self.sign_in("decline", "You declined the sign-in", "declined")
        equal("the state", properties()["State"], "signed-out")

    def searches_the_history(self):
        shown = "\n".join(self.browser.history())
        equal("the last page in the history", "/auth/done" in shown, True)
        has_no_secret("the browser's page of its history", shown)
        equal("the callback in the history", "/auth/callback?" in shown, False)
        self.browser.close()
        for path in filter(Path.is_file, PROFILE.rglob("*")):
            # Chromium's files name each redirect, and with it the codes, which were redeemed.
            has_no_secret(f"the browser's {path.name}", CODE.sub(b"", path.read_bytes()))

    def searches_the_log(self):
        self.log.seek(0)
        has_no_secret("the log", self.log.read())


run = Run()
try:
    for step in (run.signs_in_and_asks, run.goes_back, run.signs_in_again, run.declines, run.searches_the_history,
                 run.searches_the_log):
        step()
        print(f"ok {step.__name__}", flush=True)
except Faulty as fault:
    sys.exit(f"FAILED {fault}")
finally:
    run.close()
