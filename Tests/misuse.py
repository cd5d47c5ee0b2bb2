#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that misuse of the log and of secrets does not compile.

    Tests/misuse.py BUILD-DIRECTORY

Each line below is a function by itself; one run of the compiler takes all, against the modules of a debug build, and
names the line of each error. Those that must compile prove that the others fail for the reason that is given, and not
for another one.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

VALUES = "_ text: String, _ secret: SecretBytes, _ credential: Credential, _ grant: AccessGrant, _ error: FileError"
ALLOWED = [
    r'Log.info("A caller is refused.")',
    r'Log.info("The model is \(name: text).")',
    r'Log.info("It has \(text.count) bytes: \(error).")',
]
# The line, and a part of the compiler's error.
FORBIDDEN = [
    (r"Log.info(text)", "cannot convert value of type 'String'"),
    (r'Log.info("It is \(text).")', "no exact matches in call to instance method 'appendInterpolation'"),
    (r'Log.info("It is \(secret).")', "conform to 'LogValue'"),
    (r'Log.info("It is \(name: secret).")', "conform to 'StringProtocol'"),
    (r'Log.info("It is \(credential).")', "conform to 'LogValue'"),
    (r'Log.info("It is \(grant).")', "conform to 'LogValue'"),
    (r"Log.info(LogMessage(stringLiteral: text))", "cannot convert value of type 'String'"),
]


def errors(lines, build):
    """The compiler's errors for each line, as one text, empty if it compiles; and those for none of them."""
    head = ["import Platform", "import SecretMemory", "@testable import ChappieSDK", "@testable import GLibBridge"]
    flags = subprocess.check_output(["pkg-config", "--cflags", "Sources/CGLib/headers.pc"], text=True).split()
    maps = glob.glob("Sources/*/module.modulemap") + glob.glob(f"{build}/*.build/module.modulemap")
    with tempfile.TemporaryDirectory() as scratch:
        source = os.path.join(scratch, "lines.swift")
        with open(source, "w") as file:
            functions = [f"func line{index}({VALUES}) {{ {line} }}" for index, line in enumerate(lines)]
            file.write("\n".join(head + functions) + "\n")
        command = ["swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm"]
        command += ["-I", f"{build}/Modules", source]
        for flag in flags + [f"-fmodule-map-file={path}" for path in maps]:
            command += ["-Xcc", flag]
        done = subprocess.run(command, capture_output=True, text=True)
    found, rest = [""] * len(lines), ""
    for where, text in re.findall(r"^(.*?): error: (.*)$", done.stderr, re.MULTILINE):
        place = re.fullmatch(re.escape(source) + r":(\d+):\d+", where)
        index = int(place[1]) - len(head) - 1 if place else -1
        if 0 <= index < len(lines):
            found[index] += f"{text}\n"
        else:
            rest += f"{where}: {text}\n"
    return found, rest if any(found) or not done.returncode else done.stderr


def main():
    build = os.path.abspath(sys.argv[1])
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    found, rest = errors(ALLOWED + [line for line, _ in FORBIDDEN], build)
    failures = [f"The compiler fails:\n{rest}"] if rest else []
    for line, text in zip(ALLOWED, found):
        if text:
            failures.append(f"{line} does not compile:\n{text}")
    for (line, reason), text in zip(FORBIDDEN, found[len(ALLOWED):]):
        if reason not in text:
            failures.append(f"{line} must not compile because it must “{reason}”:\n{text or 'It compiles.'}")
    print("\n".join(failures) or f"ok    {len(FORBIDDEN)} misuses do not compile")
    sys.exit(1 if failures else 0)


main()
