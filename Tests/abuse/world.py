"""The session under attack: torture's, with a hostile backend and apps in sandboxes."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

from bus.chappie import Caller
from bus.connection import BUS, CallFailed
from bus.marshal import Variant
from kernel import footprint
from session import Session, gdbus, wait_until

HERE = Path(__file__).parent
UNIT = HERE.parents[1] / "data/chappie.service.in"
APPS = ["org.example.Evil", "org.example.Worse"]
KEYRING = ("org.freedesktop.secrets", "/org/freedesktop/secrets")
LOGIN = KEYRING[1] + "/collection/login"


class World(Session):
    def __init__(self, programs, log):
        super().__init__(programs, log)
        self.runtime = Path(os.environ["XDG_RUNTIME_DIR"])
        self.address = os.environ["DBUS_SESSION_BUS_ADDRESS"]
        self.tokens = self.runtime / "tokens"
        self.backend = self.echo = None
        # The service's state before all attacks.
        self.at_start = None
        self.sandboxes = []
        # The address of each app's proxy.
        self.apps = {}

    def __exit__(self, *arguments):
        super().__exit__(*arguments)
        for process in [self.backend, self.echo, *self.sandboxes]:
            if process:
                process.terminate()
                process.wait()

    def start(self):
        self.start_sandbox("--refresh-grace")
        self.backend = subprocess.Popen(
            [sys.executable, HERE / "backend.py", self.url, self.tokens], stdout=subprocess.PIPE,
            stderr=self.log, text=True)
        self.backend_url = self.backend.stdout.readline().strip()
        self.echo = subprocess.Popen([sys.executable, HERE / "echo.py"], stdout=subprocess.PIPE, text=True)
        self.echo_name = self.echo.stdout.readline().strip()
        self.start_service()
        self.sign_in()
        self.send()
        for app in APPS if can_sandbox() else []:
            self.apps[app] = self.start_app(app)
        self.at_start = footprint(self.service.pid)

    def launch_service(self):
        # The limits that systemd sets.
        self.service = subprocess.Popen(
            ["prlimit", f"--nofile={descriptors()}", self.programs / "chappied",
             "--issuer", self.url, "--backend", f"{self.backend_url}/backend-api"], stdout=self.log, stderr=self.log)

    # Apps

    def start_app(self, app):
        """Builds a sandbox like Flatpak's, with a proxy to the bus in it; returns the proxy's address."""
        number = len(self.sandboxes) + 1
        info = (f"[Application]\nname={app}\nruntime=runtime/org.example.Platform/x86_64/1\n\n[Instance]\n"
                f"instance-id={number}\nsession-bus-proxy=true\n")
        record = self.runtime / f".flatpak/{number}"
        record.mkdir(parents=True, exist_ok=True)
        (record / "info").write_text(info)
        socket = self.runtime / f"proxy-{number}"
        with open(record / "info") as mark:
            self.sandboxes.append(subprocess.Popen(
                ["bwrap", "--unshare-pid", "--unshare-user", "--die-with-parent", *root_folders(),
                 "--file", str(mark.fileno()), "/.flatpak-info", "--",
                 "xdg-dbus-proxy", self.address, socket, "--filter", "--talk=org.chappie"],
                pass_fds=[mark.fileno()], stdout=self.log, stderr=self.log))
        address = f"unix:path={socket}"
        wait_until(lambda: listens(address), "a proxy in a sandbox")
        self.sign_in_app(address)
        return address

    @staticmethod
    def sign_in_app(address):
        with Caller(address) as caller:
            # The service may still be closing the objects of the app's callers that have left.
            wait_until(lambda: has_room(caller), "room for a session of the app")
            session = caller.open_session()
            if caller.property(session, "org.chappie.Session", "State") != "signed-in":
                caller.sign_in(session)
            caller.send(caller.open_client(), "hi")

    # The keyring

    def lock_keyring(self):
        gdbus(*KEYRING, "org.freedesktop.Secret.Service.Lock", f"['{LOGIN}']")

    def unlock_keyring(self):
        with Caller(self.address) as caller:
            name, path = KEYRING
            session = caller.call(path, "org.freedesktop.Secret.Service", "OpenSession", "sv",
                                  ["plain", Variant("s", "")], to=name)[1]
            caller.call(path, "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface", "UnlockWithMasterPassword",
                        "o(oayays)", [LOGIN, (session, b"", b"password", "text/plain")], to=name)

    # Searches for secrets

    def secrets(self):
        return self.tokens.read_text().split() if self.tokens.exists() else []

    def lives(self):
        """Whether the same process still serves."""
        if self.service.poll() is not None:
            return False
        try:
            with Caller(self.address, timeout=10) as caller:
                return caller.call("/", BUS, "GetConnectionUnixProcessID", "s", ["org.chappie"],
                                   to=BUS)[0] == self.service.pid
        except Exception:
            return False

    def revive(self):
        """Starts a new service after an attack has broken it."""
        if self.service.poll() is None:
            self.service.kill()
        self.restart_service()
        self.restore()
        self.at_start = footprint(self.service.pid)

    def restore(self):
        """Signs accounts in again that an attack has signed out, which every caller may do to itself."""
        if self.state() != "signed-in":
            self.sign_in()
        self.send()
        for address in self.apps.values():
            self.sign_in_app(address)


def has_room(caller):
    """Whether the caller's application may open another session; it closes the one that it opens."""
    try:
        caller.manager("Close", "o", [caller.open_session()])
    except CallFailed as failure:
        if failure.name != "org.chappie.Error.LimitExceeded":
            raise
        return False
    return True


def listens(address):
    try:
        Caller(address).close()
        return True
    except OSError:
        return False


def descriptors():
    """The limits for open files of the unit, or else of systemd, as far as this machine allows them."""
    stated = re.search(r"^LimitNOFILE=(\d+)(?::(\d+))?$", UNIT.read_text(), re.M)
    soft, hard = (stated[1], stated[2] or stated[1]) if stated else (1024, 524288)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return f"{min(int(soft), most)}:{min(int(hard), most)}"


def can_sandbox():
    if not (shutil.which("bwrap") and shutil.which("xdg-dbus-proxy")):
        return False
    trial = ["bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    return subprocess.run(trial, stderr=subprocess.DEVNULL).returncode == 0


def root_folders():
    """The entries of the root, each of them separately: the machine's own root has no place for the mark."""
    arguments = []
    for path in sorted(Path("/").iterdir()):
        if path.is_symlink():
            arguments += ["--symlink", os.readlink(path), path]
        elif path.name in ("proc", "dev"):
            arguments += [f"--{path.name}", path]
        elif path.is_dir():
            arguments += ["--bind" if path.name in ("run", "tmp", "var") else "--ro-bind", path, path]
    return arguments
