#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that misuse of the log and of secrets does not compile.

    Tests/misuse.py BUILD-DIRECTORY

Each line below is compiled by itself, against the modules of a debug build. Those that must compile prove that the
others fail for the reason that is given, and not for another one.
"""

import glob
import os
import subprocess
import sys
import tempfile

VALUES = "_ text: String, _ secret: SecretBytes, _ credential: Credential, _ grant: AccessGrant, _ error: FileError"
ALLOWED = [
    r'Log.info("A caller is refused.")',
    r'Log.info("The model is \(name: text).")',
    r'Log.info("It has \(text.count) bytes: \(error).")',
]
# The line, and a part of the compiler's reason.
FORBIDDEN = [
    (r"Log.info(text)", "cannot convert value of type 'String'"),
    (r'Log.info("It is \(text).")', "no exact matches in call to instance method 'appendInterpolation'"),
    (r'Log.info("It is \(secret).")', "conform to 'LogValue'"),
    (r'Log.info("It is \(name: secret).")', "conform to 'StringProtocol'"),
    (r'Log.info("It is \(credential).")', "conform to 'LogValue'"),
    (r'Log.info("It is \(grant).")', "conform to 'LogValue'"),
    (r"Log.info(LogMessage(stringLiteral: text))", "cannot convert value of type 'String'"),
]


def errors(line, build, scratch):
    """The compiler's errors for a line, as one text; empty if it compiles."""
    source = os.path.join(scratch, "line.swift")
    with open(source, "w") as file:
        file.write("import Platform\nimport SecretMemory\n@testable import ChappieSDK\n@testable import GLibBridge\n\n")
        file.write(f"func line({VALUES}) {{\n  {line}\n}}\n")
    packages = ["gio-unix-2.0", "libsoup-3.0", "libsecret-1", "libsodium"]
    flags = subprocess.check_output(["pkg-config", "--cflags-only-I", *packages], text=True).split()
    maps = glob.glob("Sources/*/module.modulemap") + glob.glob(f"{build}/*.build/module.modulemap")
    command = ["swiftc", "-typecheck", "-swift-version", "6", "-I", f"{build}/Modules", source]
    for flag in flags + [f"-fmodule-map-file={path}" for path in maps]:
        command += ["-Xcc", flag]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main():
    build = os.path.abspath(sys.argv[1])
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        for line in ALLOWED:
            if found := errors(line, build, scratch):
                failures.append(f"{line} does not compile:\n{found}")
        for line, reason in FORBIDDEN:
            found = errors(line, build, scratch)
            if reason not in found:
                failures.append(f"{line} must not compile because it must “{reason}”:\n{found or 'It compiles.'}")
    print("\n".join(failures) or f"ok    {len(FORBIDDEN)} misuses do not compile")
    sys.exit(1 if failures else 0)


main()
