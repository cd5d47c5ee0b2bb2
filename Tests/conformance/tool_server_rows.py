"""Real tool servers of the Model Context Protocol, in the box, with our client for them."""

import http.server
import json
import socket
import sqlite3
import subprocess
import threading
from pathlib import Path

from checks import holds, same, true

HERE = Path(__file__).parent
MODERN, LEGACY = "2026-07-28", "2025-11-25"


class ToolServer:
    """The program that runs one server for the service."""

    def __init__(self, programs, options, command):
        ours, theirs = socket.socketpair()
        more, input = socket.socketpair()
        self.process = subprocess.Popen(
            [programs / "tool-server-host", *map(str, options), "--", *map(str, command)], stdin=input, stdout=theirs)
        theirs.close()
        input.close()
        self.output, self.input, self.last = more, ours.makefile("r"), 0
        self.progress = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.output.close()
        self.process.wait(60)

    def request(self, method, **params):
        self.last += 1
        params["_meta"] = {"progressToken": self.last}
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.output.sendall(json.dumps(message).encode() + b"\n")
        for line in self.input:
            message = json.loads(line)
            if message.get("id") == self.last and "method" not in message:
                true("error" not in message, message.get("error", {}).get("message"))
                return message["result"]
            if message.get("method") == "notifications/progress":
                self.progress.append(message["params"]["message"])
        raise EOFError

    def tools(self, revision):
        listing = self.request("list")
        same(listing["revision"], revision, "the revision")
        return [tool["name"] for tool in listing["tools"]]

    def text(self, tool, failed=False, **arguments):
        result = self.request("call", tool=tool, arguments=arguments)
        same(result["failed"], failed, "the failure")
        return result["text"]


def tells_the_time(start, revision, folder):
    with start("mcp-server-time", "--local-timezone", "Europe/Berlin") as server:
        same(sorted(server.tools(revision)), ["convert_time", "get_current_time"], "the tools")
        holds(server.text("get_current_time", timezone="Asia/Tokyo"), "+09:00", "the time")
        holds(server.text("get_current_time", failed=True, timezone="No/Where"), "No/Where", "the failure")


def reads_a_repository(start, revision, folder):
    git = ["git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "The first"], check=True)
    with start("mcp-server-git", "--repository", folder, options=["--directory", folder]) as server:
        true("git_log" in server.tools(revision), "there is no tool git_log")
        holds(server.text("git_log", repo_path=str(folder)), "The first", "the log")
        (folder / "new").touch()
        server.text("git_add", repo_path=str(folder), files=["new"])
        holds(server.text("git_status", repo_path=str(folder)), "new file", "the status")
        holds(server.text("git_log", failed=True, repo_path="/"), "/", "the failure")


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        found = self.path == "/page"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(b"A page of words" if found else b"")

    def log_message(self, *_):
        pass


def fetches_a_page(start, revision, folder):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{site.server_port}/page"
        with start("mcp-server-fetch", *FETCH_OPTIONS, options=["--network"]) as server:
            same(server.tools(revision), ["fetch"], "the tools")
            holds(server.text("fetch", url=address), "A page of words", "the page")
        with start("mcp-server-fetch", *FETCH_OPTIONS) as server:
            true("A page" not in server.text("fetch", failed=True, url=address), "there is a network in the box")
        site.shutdown()


def queries_a_database(start, revision, folder):
    path = folder / "data.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE fruit (name TEXT)")
        database.execute("INSERT INTO fruit VALUES ('pear')")
    with start("mcp-server-sqlite", "--db-path", path, options=["--directory", folder]) as server:
        true("read_query" in server.tools(revision), "there is no tool read_query")
        holds(server.text("read_query", query="SELECT * FROM fruit"), "pear", "the rows")
        server.text("write_query", query="INSERT INTO fruit VALUES ('plum')")
        holds(server.text("read_query", query="SELECT * FROM fruit"), "plum", "the rows")


def counts(start, revision, folder):
    with start("python", HERE / "repeater.py", options=["--directory", HERE]) as server:
        same(server.tools(revision), ["add", "count"], "the tools")
        same(server.text("add", a=2, b=3), "5", "the sum")
        same(server.text("count"), "counted", "the result")
        same(server.progress[:1], ["number 1"], "the progress")
        holds(server.text("add", failed=True, a="two", b=3), "a", "the failure")


def gives_each_kind(start, revision, folder):
    with start("python", HERE / "kinds.py", options=["--directory", HERE]) as server:
        same(server.tools(revision), ["kinds"], "the tools")
        result = server.request("call", tool="kinds", arguments={})
        same(result["text"].splitlines(), [
            "words", "[left out: a recording of 3 bytes]", "[a link]: file:///a", "file:///b:", "a page",
            "[left out: file:///c, 3 bytes]"], "the text")
        same([image[:22] for image in result["images"]], ["data:image/png;base64,"], "the images")


FETCH_OPTIONS = ["--ignore-robots-txt", "--allow-private-ips"]
# The package, its list of pins, the row, and the revisions that it serves.
ROWS = [
    ("mcp-server-time", "tool-servers.txt", "tells the time", tells_the_time, [MODERN, LEGACY]),
    ("mcp-server-git", "tool-servers.txt", "reads and writes a repository", reads_a_repository, [MODERN, LEGACY]),
    ("mcp-server-fetch", "tool-servers.txt", "fetches a page, and none without a network", fetches_a_page,
     [MODERN, LEGACY]),
    ("mcp-server-sqlite", "tool-servers-legacy.txt", "queries a database", queries_a_database, [LEGACY]),
    ("fastmcp", "tool-servers.txt", "adds, and tells its progress", counts, [MODERN, LEGACY]),
    ("mcp", "tool-servers.txt", "gives each kind of content", gives_each_kind, [MODERN, LEGACY]),
]


def version(python, package):
    program = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
