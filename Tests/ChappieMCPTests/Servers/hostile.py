#!/usr/bin/python3
"""A tool server that tries what none may. Each tool tries one thing, and its result is "got", with what it got, or the
reason why it did not.
"""

import ctypes
import glob
import json
import os
import signal
import socket
import subprocess
import sys
import threading

LIBC = ctypes.CDLL(None, use_errno=True)
ARGUMENTS = {}


def call(name, *arguments):
    """A function of the C library, which returns -1 when it fails."""
    result = getattr(LIBC, name)(*arguments)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def where(deed, paths):
    """The paths at which it can do this."""
    found = []
    for path in paths:
        try:
            deed(path)
            found.append(path)
        except OSError:
            pass
    return found


def readable(*patterns):
    return where(lambda path: os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1),
                 [path for pattern in patterns for path in glob.glob(os.path.expanduser(pattern))])


def connects(family, address):
    with socket.socket(family) as client:
        client.settimeout(5)
        client.connect(address)
        return "connected"


def home():
    return readable("~/.*", "~/*", ARGUMENTS["home"] + "/*", ARGUMENTS["home"] + "/.*")


def system_files():
    return readable("/etc/shadow", "/etc/machine-id", "/var/*", "/run/*", "/sys/*", "/boot/*", "/root/*", "/home/*/*")


def outside():
    """Where files can be made, beside home and the directories in memory."""
    return where(lambda place: open(place + "/hostile", "w").close(), [
        "/", "/usr", "/usr/local/bin", "/etc", "/dev", "/proc", "/var", "/run", ARGUMENTS["readable"]])


def program():
    """Its own program, which the next start would run."""
    return open(__file__, "a") and "open"


def settings():
    """Settings of the kernel, such as the program that is run for a core dump."""
    return where(lambda path: os.close(os.open(path, os.O_WRONLY)), [
        "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches",
        "/proc/self/oom_score_adj"])


def devices():
    return [name for name in os.listdir("/dev") if name not in (
        "null zero full random urandom tty pts ptmx shm fd stdin stdout stderr core console".split())]


def bus():
    return connects(socket.AF_UNIX, ARGUMENTS["bus"])


def sockets():
    """Sockets of agents, displays and services, where they usually are."""
    places = ["/tmp", "/run", "/var/run", os.path.dirname(ARGUMENTS["bus"])]
    return where(lambda path: connects(socket.AF_UNIX, path), [
        path for place in places for path in glob.glob(place + "/**", recursive=True)])


def abstract():
    return connects(socket.AF_UNIX, "\0" + ARGUMENTS["abstract"])


def loopback():
    return connects(socket.AF_INET, ("127.0.0.1", ARGUMENTS["port"]))


def network():
    return connects(socket.AF_INET, ("192.0.2.1", 80))


def packets():
    return socket.socket(socket.AF_PACKET, socket.SOCK_RAW) and "opened"


def processes():
    mine = {os.getpid(), os.getppid(), 1}
    return [number for number in os.listdir("/proc") if number.isdigit() and int(number) not in mine]


def ptrace():
    """The process that began the sandbox, by its number outside."""
    return call("ptrace", 16, ARGUMENTS["process"], 0, 0)


def kill():
    return os.kill(ARGUMENTS["process"], signal.SIGCONT) or "sent"


def mount():
    return call("mount", b"none", b"/tmp", b"tmpfs", 0, None)


def remount():
    """A file system for writing that was bound for reading."""
    return call("mount", None, b"/usr", None, 32 | 4096, None)


def namespace():
    return call("unshare", 0x10000000)


def chroot():
    return call("chroot", b"/tmp")


def identity():
    """Programs with the set-user-ID bit, by which a user becomes root."""
    result = subprocess.run(["/usr/bin/su", "-c", "id"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    with open("/proc/self/status") as status:
        facts = dict(line.split(":\t") for line in status.read().splitlines() if ":\t" in line)
    if result.returncode == 0 and os.getuid() != 0:
        return result.stdout
    if facts["NoNewPrivs"].strip() != "1" or int(facts["CapEff"], 16) or int(facts["CapBnd"], 16):
        return "privileges"
    raise PermissionError("no new privileges, no capability")


def terminal():
    """Types into the terminal of the user (TIOCSTI)."""
    import fcntl
    with open("/dev/tty", "w") as tty:
        return fcntl.ioctl(tty, 0x5412, b"x")


def keyring():
    """The kernel's keyring of the session that began the sandbox."""
    keyctl, search, read, session = {"x86_64": 250, "aarch64": 219}[os.uname().machine], 10, 11, -3
    number = call("syscall", keyctl, search, session, b"user", ARGUMENTS["key"].encode(), 0)
    buffer = ctypes.create_string_buffer(4096)
    length = call("syscall", keyctl, read, number, buffer, 4096)
    return buffer.raw[:length].decode()


def environment():
    return {name: value for name, value in os.environ.items() if "SECRET" in name or "BUS" in name}


def descriptors():
    return [os.readlink(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd") if int(number) > 2
            and os.path.exists(f"/proc/self/fd/{number}")]


def forks():
    """How many processes it can have; at most 1000."""
    children = []
    try:
        while len(children) < 1000:
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children)


def threads():
    end = threading.Event()
    started = []
    try:
        while len(started) < 1000:
            thread = threading.Thread(target=end.wait)
            thread.start()
            started.append(thread)
    except RuntimeError:
        pass
    end.set()
    return len(started)


def disk():
    """How many MiB of files it can keep in memory; at most 2000."""
    sizes = []
    for place in ["/tmp", "/dev/shm", os.environ["HOME"], "/dev"]:
        size = 0
        try:
            with open(place + "/large", "wb") as file:
                while size < 2000:
                    size += os.posix_fallocate(file.fileno(), size << 20, 1 << 20) or 1
        except OSError:
            pass
        sizes.append(size)
        if os.path.exists(place + "/large"):
            os.remove(place + "/large")
    return sizes


def tried(name):
    try:
        return {"got": globals()[name]()}
    except (OSError, ValueError, OverflowError) as error:
        return {"reason": str(error)}


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    params = message.get("params", {})
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "initialize":
        reply["result"] = {"protocolVersion": params["protocolVersion"], "capabilities": {}, "serverInfo": {}}
    elif message["method"] == "tools/call":
        ARGUMENTS.update(params.get("arguments", {}))
        reply["result"] = {"content": [{"type": "text", "text": json.dumps(tried(params["name"]))}]}
    else:
        reply["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(reply), flush=True)
