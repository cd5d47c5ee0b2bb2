"""A private desktop session for measurements: its own home, bus and keyring.

The services measured are started by the bus, from .service files in that home,
and stopped by their process id; so a row can begin with a fresh process, and
the start itself can be measured.
"""

import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

KEPT_VARIABLES = ("PATH", "LANG", "LD_LIBRARY_PATH")


class BenchError(Exception):
    """An error that prevents the benchmark from measuring."""


def wait_until(condition, what, seconds=20):
    """The first true value of the condition."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise BenchError(f"waited {seconds} s without success: {what}")
        time.sleep(0.01)
    return value


class World:
    """A context manager: the processes that it started end with it."""

    def __enter__(self):
        self.root = Path(tempfile.mkdtemp(prefix="chappie-bench-"))
        self.home = self.root / "home"
        self.runtime = self.root / "runtime"
        self.services = []
        self.processes = []
        self.home.mkdir()
        self.runtime.mkdir(mode=0o700)
        self.environment = {key: os.environ[key] for key in KEPT_VARIABLES if key in os.environ}
        self.environment |= {
            "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.home / "share"),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus",
            # A screen that locks during a measurement must not lock the service.
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.runtime}/no-system-bus",
        }
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, (BenchError, subprocess.SubprocessError)):
            self.print_logs()
        for name in self.services:
            self.stop(name)
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.root, ignore_errors=True)

    def print_logs(self):
        for log in sorted(self.root.glob("*.log")):
            lines = log.read_text(errors="replace").splitlines()[-15:]
            print(f"--- {log.name}", *lines, sep="\n")

    def spawn(self, name, *argv, stdin=None):
        """Starts a helper whose output goes to NAME.log; returns its process."""
        with open(self.root / f"{name}.log", "wb") as log:
            process = subprocess.Popen(
                [str(argument) for argument in argv], env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.PIPE, start_new_session=True)
        self.processes.append(process)
        process.stdin.write(stdin or b"")
        process.stdin.close()
        return process

    def spawn_server(self, name, *argv):
        """Starts a helper that prints the URL it listens on; returns the URL."""
        self.spawn(name, *argv)
        log = self.root / f"{name}.log"
        return wait_until(lambda: re.search(r"https?://127\.0\.0\.1:\d+(?=[\s/])", log.read_text()),
                          f"{name} to say where it listens")[0]

    def start_session(self):
        """Starts the bus, and a keyring that is unlocked."""
        self.spawn("bus", "dbus-daemon", "--session", "--nofork", "--print-address",
                   "--address=" + self.environment["DBUS_SESSION_BUS_ADDRESS"])
        wait_until((self.runtime / "bus").exists, "the bus")
        self.spawn("keyring", "gnome-keyring-daemon", "--unlock", "--components=secrets",
                   "--foreground", stdin=b"bench")
        wait_until(lambda: self.pid("org.freedesktop.secrets"), "the keyring")

    # Services

    def add_service(self, name, *argv):
        """Makes a bus name activatable; call it before the session starts."""
        folder = self.home / "share/dbus-1/services"
        folder.mkdir(parents=True, exist_ok=True)
        command = shlex.join(str(argument) for argument in argv)
        (folder / f"{name}.service").write_text(f"[D-BUS Service]\nName={name}\nExec={command}\n")
        self.services.append(name)

    def configure(self, text):
        """Writes the service's own configuration file."""
        folder = self.home / ".config/chappie"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "chappie.conf").write_text(text)

    def call(self, name, path, method, *arguments):
        """A method's reply as gdbus prints it."""
        run = subprocess.run(
            ["gdbus", "call", "--session", "--timeout", "20", "--dest", name, "--object-path", path,
             "--method", method, *arguments], env=self.environment, capture_output=True, text=True)
        if run.returncode != 0:
            raise BenchError(run.stderr.strip())
        return run.stdout

    def pid(self, name):
        """The process that owns the name; None when no process does."""
        try:
            reply = self.call("org.freedesktop.DBus", "/org/freedesktop/DBus",
                              "org.freedesktop.DBus.GetConnectionUnixProcessID", name)
        except BenchError:
            return None
        return int(re.search(r"uint32 (\d+)", reply)[1])

    def stop(self, name):
        pid = self.pid(name)
        if not pid:
            return
        process = os.pidfd_open(pid)
        for number in (signal.SIGTERM, signal.SIGKILL):
            signal.pidfd_send_signal(process, number)
            if select.select([process], [], [], 5)[0]:
                break
        os.close(process)

    def resident_mib(self, name):
        status = Path(f"/proc/{self.pid(name)}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def run_client(self, client, name, *flags, **options):
        """The output of the measuring client."""
        argv = [str(client), "--name", name, *flags]
        argv += [f"--{key}={value}" for key, value in options.items()]
        run = subprocess.run(argv, env=self.environment, capture_output=True, text=True, timeout=120)
        if run.returncode != 0:
            raise BenchError(f"{shlex.join(argv)}: {run.stderr.strip()}")
        return json.loads(run.stdout)
