"""The clients and servers under test, in the versions of a list of pins, each list in an environment of its own."""

import hashlib
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def install(top, name="requirements.txt"):
    """Installs the packages of a list below `top`, once for each content of it, and returns the environment's Python."""
    pins = (HERE / name).read_bytes() + sys.version.encode()
    environment = top / "conformance" / hashlib.sha256(pins).hexdigest()[:16]
    python = environment / "bin" / "python"
    done = environment / "done"
    if done.exists():
        return python
    print("Installing the packages of", name, "in", environment, flush=True)
    run(sys.executable, "-m", "venv", "--clear", environment, otherwise="There is no python3-venv here.")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps",
        "--only-binary", ":all:", "-r", HERE / name,
        otherwise="The packages could not be had: this needs the package registry, or the caches of an earlier run.")
    done.touch()
    return python


def run(*command, otherwise):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        lines = (result.stdout + result.stderr).strip().splitlines()
        sys.exit("\n".join([otherwise, *lines[-8:]]))
