#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the Flatpak of desktop/window from its manifest, as the bundle that is published, and tests it over AT-SPI: it
has a sign-in of its own.

    scripts/private-session Tests/window-flatpak.py DIRECTORY-WITH-THE-PROGRAMS [--pictures DIRECTORY]

The build is offline: the runtime consists of the files that the window uses on this machine, and the JavaScript
libraries are Debian's.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import window  # noqa: E402
from support import TOP, Failure, World, parse_arguments  # noqa: E402
from window import Window  # noqa: E402

MANIFEST = json.loads((TOP / "desktop/window/org.chappie.Window.json").read_text())
# Files that GTK programs read and do not keep open or mapped.
DATA = ["/usr/bin/sh", "/usr/bin/gjs", "/usr/share/icons/Adwaita", "/usr/share/mime", "/usr/share/icons/hicolor/index.theme",
        "/usr/share/gtksourceview-5", "/usr/share/X11/xkb"]


def run(*command, **options):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)


def files_in_use(process):
    """The mapped files of a process: programs, libraries and typelibs."""
    maps = Path(f"/proc/{process}/maps").read_text()
    used = {file for file in re.findall(r" (/usr/\S+|/lib\S+)$", maps, re.M) if Path(file).exists()}
    # Without the OpenGL renderer, which is not needed here, and is larger than everything else.
    return {file for file in used if "LLVM" not in file and "/dri/" not in file}


class Flatpak:
    """The repository with runtime and app, and their per-user installation."""

    def __init__(self, world):
        self.at = world
        self.arch = subprocess.run(["flatpak", "--default-arch"], capture_output=True, text=True, check=True).stdout.strip()

    def metadata(self, directory, kind, name):
        reference = f"{self.arch}/{MANIFEST['runtime-version']}"
        (self.at / directory / "metadata").write_text(
            f"[{kind}]\nname={name}\nruntime={MANIFEST['runtime']}/{reference}\nsdk={MANIFEST['sdk']}/{reference}\n")

    def make_runtime(self, files):
        usr = self.at / "runtime/usr"
        usr.mkdir(parents=True)
        (self.at / "runtime/files").mkdir()
        run("cp", "-rL", "--parents", "-t", self.at / "runtime", *files)
        loader = re.search(r"interpreter: (\S+)\]", subprocess.run(
            ["readelf", "-l", "/usr/bin/gjs"], capture_output=True, text=True, check=True).stdout)[1]
        run("install", "-D", loader, f"{usr}{loader}")
        # Programs load a library by its SONAME.
        for library in list((self.at / "runtime").rglob("*.so*")):
            name = re.search(r"SONAME\s+(\S+)", subprocess.run(
                ["objdump", "-p", library], capture_output=True, text=True).stdout)
            if name and not (library.parent / name[1]).exists():
                (library.parent / name[1]).symlink_to(library.name)
        self.metadata("runtime", "Runtime", MANIFEST["runtime"])
        run("flatpak", "build-export", "--disable-sandbox", "--runtime", "repository", "runtime", MANIFEST["runtime-version"],
            cwd=self.at)

    def make_app(self):
        destination = self.at / "app/files"
        (self.at / "app/var").mkdir(parents=True)
        for module in MANIFEST["modules"]:
            source = module["sources"][0]
            if source["type"] == "git":  # Offline, Debian's file replaces it.
                script = destination / "share/javascript" / module["name"]
                shutil.copytree(f"/usr/share/javascript/{module['name']}", script)
                continue
            for command in module["build-commands"]:
                run("sh", "-euc", command, cwd=TOP / "desktop/window" / source["path"],
                    env={**os.environ, "FLATPAK_DEST": "/app", "MAKEFLAGS": f"DESTDIR={self.at}/made"})
        shutil.copytree(self.at / "made/app", destination, dirs_exist_ok=True)
        self.metadata("app", "Application", MANIFEST["id"])
        run("flatpak", "build-finish", *MANIFEST["finish-args"], f"--command={MANIFEST['command']}", "app", cwd=self.at)
        run("flatpak", "build-export", "--disable-sandbox", "repository", "app", "master", cwd=self.at)
        run("flatpak", "build-update-repo", "repository", cwd=self.at)
        run("flatpak", "--user", "remote-add", "--no-gpg-verify", "here", "repository", cwd=self.at)
        run("flatpak", "--user", "install", "--noninteractive", "here",
            f"runtime/{MANIFEST['runtime']}//{MANIFEST['runtime-version']}")

    def install_bundle(self):
        """The bundle, signed with a temporary key, as its users install it."""
        key = "test@chappie.invalid"
        os.environ["GNUPGHOME"] = str(self.at / "gnupg")
        (self.at / "gnupg").mkdir(0o700)
        run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", key, "ed25519", "sign", "never",
            stderr=subprocess.DEVNULL)
        try:
            run(TOP / "packaging/flatpak-bundle", key, self.at / "repository", self.at)
        finally:
            run("gpgconf", "--kill", "all")
        # Without --no-deps, Flatpak would ask Flathub for the runtime.
        run("flatpak", "--user", "install", "--noninteractive", "--no-deps", "--bundle",
            self.at / f"{MANIFEST['id']}.flatpak")
        remote = subprocess.run(["flatpak", "--user", "remotes", "--show-disabled", "--columns=name,options"],
                                check=True, capture_output=True, text=True).stdout
        if any("no-gpg-verify" in line for line in remote.splitlines() if not line.startswith("here")):
            raise Failure(f"the signature of the bundle is not verified:\n{remote}")


class SandboxedWindow(Window):
    COMMAND = ["flatpak", "--user", "run", MANIFEST["id"]]

    def close(self):
        subprocess.run(["flatpak", "kill", MANIFEST["id"]], check=False)
        self.process.wait()


def uses_the_app(pictures):
    display = window.Display()
    world = World("--auto-approve", "--interval", "1")
    app = None
    try:
        world.start_service()
        plain = Window()
        plain.shows("Sign in to ChatGPT")
        files = files_in_use(plain.process.pid)
        plain.close()
        flatpak = Flatpak(Path(os.environ["CHAPPIE_WORLD"]))
        flatpak.make_runtime([*sorted(files), *DATA])
        flatpak.make_app()
        flatpak.install_bundle()
        print("ok    the manifest makes an app, whose signed bundle installs", flush=True)

        app = SandboxedWindow()
        app.shows("Sign in to ChatGPT")
        app.press("Use a code instead")
        world.answer("A **bus** carries messages.")
        app.button_is_there("Ask")
        app.action("ask", "What is a bus?")
        app.shows("A bus carries messages.")
        if pictures:
            display.picture(pictures / "flatpak.png")
        print("ok    the app signs in and asks", flush=True)
        if "Signed out" not in subprocess.run(["chappie", "status"], capture_output=True, text=True).stdout:
            raise Failure("the app shares the sign-in of the user's programs")
        print("ok    the sign-in is the app's own", flush=True)
        print("\n".join(app.errors()), end="")
        app.close()
        app = Window()
        app.shows("Sign in to ChatGPT")
        app.combination(",")
        app.shows("These apps have a sign-in of their own.")
        app.shows(MANIFEST["id"])
        print("ok    the desktop's window lists it", flush=True)
    finally:
        if app:
            print("\n".join(app.errors()))
            app.close()
        world.close()
        display.close()


def main():
    pictures = parse_arguments().pictures
    for tool in ("flatpak", "bwrap"):
        if not shutil.which(tool) or subprocess.run(["bwrap", "--unshare-user", "--dev-bind", "/", "/", "true"],
                                                    stderr=subprocess.DEVNULL).returncode:
            return print("skip  the window in Flatpak: this machine allows no sandbox")
    # Flatpak queries parental controls on the system bus, so there has to be one.
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = os.environ["DBUS_SESSION_BUS_ADDRESS"]
    try:
        uses_the_app(pictures)
    except Failure as failure:
        sys.exit(f"FAIL  {failure}")


if __name__ == "__main__":
    main()
