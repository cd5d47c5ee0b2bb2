#!/usr/bin/env python3
"""Runs the commands of README.md and doc/*.md and compares their output with the pages.

    Tests/readme.py DIRECTORY-WITH-THE-PROGRAMS [PAGE…]

Each page has a private session of its own, with the service and the stand-in server. `$ISSUER` is the server's address,
and `$LOG` the file with the service's log. Every block that is marked as console is run. The pages must show the
programs of Examples unchanged, and the Swift code must compile, that of the articles in doc/Libraries.docc too. Each
public declaration of the libraries has a comment.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PAGES = ["README.md", *sorted(str(page.relative_to(TOP)) for page in (TOP / "doc").glob("*.md"))]
EXAMPLES = {"bash": ["count-lines"], "json": ["Flatpak/org.example.Ask.json"],
            "javascript": ["ask.js"], "python": ["ask.py"], "swift": ["Ask/Ask.swift"]}
NAME = r"\bturn-[a-z0-9]+-\d+\b|\bask-[a-z2-9]{5}\b|\bcall_[0-9a-f]{24}\b|\b[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\b"
# A person waits so long; a busy machine needs longer.
PAUSES = {"sleep 1": "sleep 4", "timeout 2": "timeout 6"}
# Parts of the output that differ from run to run.
CHANGING = [
    (r"\b[A-Z]{4}-\d{5}\b", "CODE"),
    (r"\bchappie-Message: [\d:.]+: ", "LOG "),
    (r":1\.\d+\b", ":1.N"),
    (r"http://127\.0\.0\.1:\d+", "ISSUER"),
    (r"(ISSUER/api/accounts/authorize\?client_id=\w+&)\S+", r"\1…"),
    (r"\bresp_[0-9a-f]+", "RESPONSE"),
    (r"\b1[78]\d{8}\b", "TIME"),
    (NAME, "NAME"),
    (r"\b\w{3} \d+ \w{3} \d{4}, \d\d:\d\d", "DATE"),
    # A time of today has no date.
    (r"resets (DATE|\d\d:\d\d)", "resets DATE"),
    (r"\b[\d.]+ ([KMG]i)?B\b", "SIZE"),
    (r"[█░]{20} +\d+%", "BAR"),
    (r"\b\d+%", "PERCENT"),
    (r"(percent(age)?['\"]:? ?(d |<)?)[\d.]+", r"\1N"),
    (r"/(session|client)/n\d+", r"/\1/N"),
    (r"(duration_ms': <uint32 )\d+", r"\1N"),
    (r"(used_bytes': <uint64 )\d+", r"\1N"),
    (r"(input_tokens\"? t |input_tokens': <uint64 )\d+", r"\1N"),
    # Column widths depend on the content.
    (r" {2,}", "  "),
]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (TOP / page).read_text(), re.S | re.M)


def commands(page):
    """(command, expected output) for each command of a page."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def learn_names(expected, printed, names):
    """Maps the page's names of turns, calls and threads to those of this run."""
    for ours, theirs in zip(re.findall(NAME, expected), re.findall(NAME, printed)):
        names[ours] = theirs


def normal(text):
    for pattern, name in CHANGING:
        text = re.sub(pattern, name, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def check_pages():
    """Static checks of the pages."""
    targets = {"", *re.findall(r"^([a-z-]+):", (TOP / "Makefile").read_text(), re.M)}
    for page in sorted({*PAGES, "packaging/README.md", *(page.name for page in TOP.glob("*.md"))}):
        text = (TOP / page).read_text()
        for code in re.findall(r"^```sh\n(.*?)^```$|`([^`\n]+)`", text, re.S | re.M):
            code = re.sub(r"#.*", "", "".join(code))
            for target in re.findall(r"(?:^|sudo |&& |PATH\" )make\b((?: (?:-s )?[a-z-]+)*)", code, re.M):
                unknown = set(target.replace("-s", "").split()) - targets
                assert not unknown, f"{page} tells to make {unknown}, which the Makefile does not have"
            for path in re.findall(r"(?<![\w/.-])(?:\./)?((?:Tests|scripts|packaging)/[\w./-]+)", code):
                assert (TOP / path).exists(), f"{page} names {path}, which does not exist"
        assert text.count("\n```") % 2 == 0, f"{page} has a block without an end"
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (TOP / page).parent.joinpath(link).exists(), f"{page} links to {link}, which does not exist"
    for language, files in EXAMPLES.items():
        shown = [block for page in PAGES for block in blocks(page, language)]
        for file in files:
            assert (TOP / "Examples" / file).read_text() in shown, f"no page shows Examples/{file} as it is"


def compiler_flags(build):
    """What a program outside of the package compiles with. SwiftPM would pass the same."""
    headers = subprocess.check_output(["pkg-config", "--cflags", TOP / "Sources/CGLib/headers.pc"], text=True).split()
    modules = [build / "Modules", *(module.parent for module in (TOP / "Sources").glob("C*/module.modulemap")),
               *(module.parent for module in build.glob("C*.build/module.modulemap"))]
    return [f"-I{folder}" for folder in modules] + [part for flag in headers for part in ("-Xcc", flag)]


def page_as_program(page, index):
    """The Swift code of a page as a source file, each block with the declarations of the blocks before it."""
    text, imports, body = page.read_text(), {"import ChappieSDK"}, []
    for block in re.finditer(r"^```swift\n(.*?)^```$", text, re.S | re.M):
        place = text.count("\n", 0, block.start(1)) + 1
        lines = block[1].splitlines()
        imports |= {line for line in lines if line.startswith("import ")}
        body += ["do {", f'#sourceLocation(file: "{page.relative_to(TOP)}", line: {place})',
                 *("" if line in imports else line for line in lines)]
    return "\n".join([*sorted(imports), f"func page{index}(_ configuration: ChappieConfiguration) async throws {{",
                      *body, *["}"] * body.count("do {"), "#sourceLocation()", "}", ""])


def check_swift(build):
    """The Swift code of the pages must compile outside of the package, in both modes of the language."""
    articles = (TOP / "doc/Libraries.docc").glob("*.md")
    pages = [page for page in [*(TOP / page for page in PAGES), *articles] if "```swift\n" in page.read_text()]
    with tempfile.TemporaryDirectory() as scratch:
        files = [Path(scratch, f"page{index}.swift") for index in range(len(pages))]
        for index, file in enumerate(files):
            file.write_text(page_as_program(pages[index], index))
        for mode in "5", "6":
            checked = subprocess.run(
                ["swiftc", "-typecheck", "-suppress-warnings", "-swift-version", mode, *compiler_flags(build), *files])
            assert checked.returncode == 0, f"the pages have Swift code that does not compile in mode {mode}"


def check_packages():
    """The guide of the libraries names the packages of the headers that each of them includes. SwiftPM asks for no other
    file of pkg-config than ours."""
    # In a folder of its own, so that it does not wait for the tests that run.
    command = ["swift", "package", "--scratch-path", ".build/manifest", "dump-package"]
    targets = json.loads(subprocess.check_output(command, cwd=TOP))["targets"]
    assert {target.get("pkgConfig") for target in targets} == {None, f"{TOP}/Sources/CGLib/headers.pc"}
    needs = {target["name"]: [name for need in target["dependencies"] for name, *_ in need.values()]
             for target in targets}
    flags = subprocess.check_output(["pkg-config", "--cflags", TOP / "Sources/CGLib/headers.pc"], text=True).split()
    named = set()
    for packages, library in re.findall(r"^sudo apt install (.*?) +# (\w+)", (TOP / "doc/swift.md").read_text(), re.M):
        named |= set(packages.split())
        parts = [library]
        for part in parts:
            parts += [need for need in needs[part] if need not in parts]
        folders = [TOP / "Sources" / part for part in parts]
        sources = [file for folder in folders for file in folder.glob("*.[ch]")]
        included = subprocess.check_output(
            ["clang", "-M", *flags, *(f"-I{folder}/include" for folder in folders), *sources], text=True)
        headers = {word for word in included.split() if word.startswith("/usr/")}
        found = subprocess.run(["dpkg", "-S", *headers], capture_output=True, text=True).stdout
        # Debian 13 has divided the package of GLib, and the one depends on the other. A compiler brings those of libc.
        owners = set(re.findall(r"^([^:]+)", found.replace("libgio-2.0-dev", "libglib2.0-dev"), re.M))
        owners -= {"libc6-dev", "linux-libc-dev"}
        assert owners == named, f"{library} needs {owners}, and doc/swift.md says {named}"


def check_comments(build):
    """Each public declaration of the libraries must have a comment."""
    libraries = re.findall(r'\.library\(name: "(\w+)"', (TOP / "Package.swift").read_text())
    target = f"{platform.machine()}-unknown-linux-gnu"
    with tempfile.TemporaryDirectory() as scratch:
        for library in libraries:
            subprocess.run(
                ["swift-symbolgraph-extract", "-module-name", library, "-target", target, "-minimum-access-level",
                 "public", "-skip-synthesized-members", *compiler_flags(build), "-output-dir", scratch], check=True)
        graphs = [json.loads(graph.read_text()) for graph in Path(scratch).glob("*.json")]
    symbols = [symbol for graph in graphs for symbol in graph["symbols"]]
    bare = [".".join(symbol["pathComponents"]) for symbol in symbols if "docComment" not in symbol]
    assert symbols and not bare, f"public declarations without a comment: {', '.join(bare)}"


def add_browser():
    """Gives this session a mock display and browser. A thread plays the user."""
    applications = Path(os.environ["XDG_DATA_HOME"], "applications")
    applications.mkdir()
    schemes = ["x-scheme-handler/http", "x-scheme-handler/https"]
    (applications / "browser.desktop").write_text(
        f"[Desktop Entry]\nType=Application\nName=Browser\nExec=true %u\nMimeType={';'.join(schemes)};\n")
    (applications / "mimeapps.list").write_text(
        "[Default Applications]\n" + "".join(f"{scheme}=browser.desktop\n" for scheme in schemes))
    os.environ["DISPLAY"] = ":none"

    def approve_each_page():
        session = ["gdbus", "call", "--session", "--dest", "org.chappie", "--object-path", "/org/chappie",
                   "--method"]
        waits = session + ["org.freedesktop.DBus.Properties.Get", "org.chappie.Session", "BrowserPage"]
        # Only programs that start or join the sign-in get the address of its page.
        joins = session + ["org.chappie.Session.StartBrowserSignIn", "{'open': <false>, 'notify': <false>}"]
        visited = set()
        while not ended.wait(0.2):
            if "expires_at" not in subprocess.run(waits, capture_output=True, text=True).stdout:
                continue
            page = re.search(r"\('([^']+)'", subprocess.run(joins, capture_output=True, text=True).stdout)
            if page and page[1] not in visited:
                visited.add(page[1])
                urllib.request.urlopen(page[1]).read()

    ended = threading.Event()
    threading.Thread(target=approve_each_page, daemon=True).start()
    return ended


def sign_in():
    subprocess.run(["chappie", "sign-in", "--device-code", "--no-open"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def add_server():
    """Gives this session a program mcp-server-git and a repository."""
    folder = Path.home() / "bin"
    folder.mkdir()
    shutil.copy(TOP / "Tests/tool-server.py", folder / "mcp-server-git")
    Path.home().joinpath("src/shop").mkdir(parents=True)


def run(page, programs):
    """Runs a page in this session. Returns how many commands passed and how many failed."""
    if page == "doc/tools.md" and subprocess.run(
            ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        print(f"skip  {page}: bubblewrap can make no sandbox here")
        return 0
    os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
    os.environ["LC_ALL"] = "C.UTF-8"
    sandbox = subprocess.Popen(["chappie-sandbox", "--port", "0", "--auto-approve"], stdout=subprocess.PIPE, text=True)
    issuer = os.environ["ISSUER"] = sandbox.stdout.readline().split()[1]
    log = os.environ["LOG"] = f"{os.environ['CHAPPIE_WORLD']}/chappied.log"
    with open(log, "w") as output:
        service = subprocess.Popen(
            ["chappied", "--issuer", issuer, "--backend", f"{issuer}/backend-api"], stderr=output)
    passed, failed, names, ended = 0, 0, {}, None
    try:
        subprocess.run(["gdbus", "wait", "--session", "--timeout", "120", "org.chappie"], check=True)
        if page == "README.md":
            ended = add_browser()
        if page in ("doc/desktop.md", "doc/tools.md"):
            sign_in()
        if page == "doc/tools.md":
            add_server()
        for command, expected in commands(page):
            command = re.sub(NAME, lambda name: names.get(name[0], name[0]), command)
            command = re.sub(r"\b(sleep 1|timeout 2)\b", lambda pause: PAUSES[pause[0]], command)
            result = subprocess.run(
                command, shell=True, text=True, timeout=120, cwd=TOP, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            learn_names(expected, result.stdout, names)
            if normal(result.stdout) == normal(expected):
                passed += 1
            else:
                failed += 1
                print(f"{page}: {command}\n--- says\n{expected}--- prints\n{result.stdout}", file=sys.stderr)
    finally:
        if ended:
            ended.set()
        for process in (service, sandbox):
            process.terminate()
            process.wait()
    print(f"{page}: {passed} passed, {failed} failed")
    return 0 if not failed else 1


def main():
    programs = Path(sys.argv[1]).resolve()
    if sys.argv[2:3] == ["--here"]:
        return run(sys.argv[3], programs)
    check_pages()
    check_swift(programs)
    check_comments(programs)
    if shutil.which("dpkg"):
        check_packages()
    failed = [page for page in sys.argv[2:] or PAGES if subprocess.run(
        [TOP / "scripts/private-session", __file__, programs, "--here", page], cwd=TOP).returncode != 0]
    return 1 if failed else 0


sys.exit(main())
