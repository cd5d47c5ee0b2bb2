"""The Codex CLI: an installation of its own, and the commands under test."""

import os
import re
import signal
import subprocess
import threading

from checks import Failure

TIMEOUT = 90


class Codex:
    def __init__(self, binary, folder, standin):
        self.binary, self.standin = binary, standin
        self.home, self.work = folder / "home", folder / "work"
        for made in (self.home, self.work):
            made.mkdir(parents=True)
        # With one spelling for both, it would use the server of accounts/check.
        (self.home / "config.toml").write_text(
            f'chatgpt_base_url = "http://localhost:{standin.port}/backend-api"\n'
            f'openai_base_url = "http://127.0.0.1:{standin.port}/backend-api/codex"\n'
            'cli_auth_credentials_store = "file"\n'
            "[analytics]\nenabled = false\n")
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", "CODEX_HOME": str(self.home),
            "CODEX_REFRESH_TOKEN_URL_OVERRIDE": f"{standin.issuer}/oauth/token",
            "CODEX_REVOKE_TOKEN_URL_OVERRIDE": f"{standin.issuer}/oauth/revoke",
        }

    @property
    def credential(self):
        """The file with the sign-in."""
        return self.home / "auth.json"

    def sign_in(self):
        """Signs in by device code, approved on the stand-in's side, and returns what it printed."""
        login = self.start("login", "--device-auth", "--experimental_issuer", self.standin.issuer)
        # It waits no longer than this for anything.
        timer = threading.Timer(TIMEOUT, end_all, [login])
        timer.start()
        try:
            text = ""
            while not (code := re.search(r"[A-Z]{4}-\d{5}", text)):
                if not (line := login.stdout.readline()):
                    raise Failure(f"it shows no code: {text[-400:]!r}")
                text += line
            self.standin.post("/sandbox/approve", {"user_code": code[0]})
            return text + login.communicate()[0]
        finally:
            timer.cancel()
            end_all(login)

    def ask(self, text, *options):
        return self.run("exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", *options, text)

    def resume(self, text):
        return self.run("exec", "--sandbox", "danger-full-access", "resume", "--skip-git-repo-check", "--last", text)

    def run(self, *arguments, fails=False):
        """Runs a command; returns the answer that it prints, or its error output if it should fail."""
        process = self.start(*arguments, errors=subprocess.PIPE)
        try:
            output, errors = process.communicate(timeout=TIMEOUT)
        finally:
            end_all(process)
        if fails == (process.returncode == 0):
            raise Failure(f"it ends with status {process.returncode}: {errors.strip()[-400:]!r}")
        return errors if fails else output

    def start(self, *arguments, errors=subprocess.STDOUT):
        return subprocess.Popen(
            [self.binary, *arguments], cwd=self.work, env=self.environment, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)


def end_all(process):
    """Ends a program and the processes that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
