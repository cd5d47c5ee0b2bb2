"""The clients under test, in the versions of `requirements.txt`, in an environment of their own."""

import hashlib
import subprocess
import sys
from pathlib import Path

PINS = Path(__file__).parent / "requirements.txt"


def install(top):
    """Installs the packages below `top`, once for each list of pins, and returns the environment's Python."""
    pins = PINS.read_bytes() + sys.version.encode()
    environment = top / "conformance" / hashlib.sha256(pins).hexdigest()[:16]
    python = environment / "bin" / "python"
    done = environment / "done"
    if done.exists():
        return python
    print("Installing the packages of requirements.txt in", environment, flush=True)
    run(sys.executable, "-m", "venv", "--clear", environment, otherwise="There is no python3-venv here.")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps",
        "--only-binary", ":all:", "-r", PINS,
        otherwise="The packages could not be had: this needs the package registry, or the caches of an earlier run.")
    done.touch()
    return python


def run(*command, otherwise):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        lines = (result.stdout + result.stderr).strip().splitlines()
        sys.exit("\n".join([otherwise, *lines[-8:]]))
