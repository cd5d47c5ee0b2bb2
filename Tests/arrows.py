#!/usr/bin/env python3
"""Finds folders of a target that depend on each other in a ring, in the compiler's index of a debug build.

Usage: Tests/arrows.py DIRECTORY-OF-THE-BUILD

A folder depends on another one when a file in it uses a symbol that is defined there. A folder below another one is a
folder of its own. The program prints each ring with the uses that are fewest, and fails if there is one, or if the
index is empty.
"""

import os
import shutil
import sys
from collections import defaultdict
from ctypes import CDLL, CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint64
from ctypes import c_void_p, string_at
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "Sources"
RECORD = 2
DEFINITION, REFERENCE = 1 << 1, 1 << 2


class Text(Structure):
    _fields_ = [("start", POINTER(c_char)), ("length", c_size_t)]

    def __str__(self):
        return string_at(self.start, self.length).decode()


NAMES = CFUNCTYPE(c_bool, c_void_p, Text)
OBJECTS = CFUNCTYPE(c_bool, c_void_p, c_void_p)


class Index:
    """The part of libIndexStore, which comes with the compiler, that this program needs."""

    def __init__(self, path):
        library = Path(shutil.which("swiftc")).resolve().parent.parent / "lib" / "libIndexStore.so"
        self.library = CDLL(str(library))
        self.store = self.function("store_create", c_void_p, c_char_p, c_void_p)(str(path).encode(), None)
        if not self.store:
            sys.exit(f"{path} is no index: build first.")

    def function(self, name, result, *arguments):
        function = getattr(self.library, f"indexstore_{name}")
        function.restype, function.argtypes = result, arguments
        return function

    def collect(self, name, callback, read, *arguments):
        """The result of `read` for each object that a function passes; the objects are invalid after its return."""
        found = []
        take = callback(lambda _, thing: found.append(read(thing)) or True)
        types = [c_uint if index else c_void_p for index in range(len(arguments))]
        self.function(name, c_bool, *types, c_void_p, callback)(*arguments, None, take)
        return found

    def symbols(self):
        """(file below Sources, symbol, name, roles, line) of each occurrence."""
        main_file = self.function("unit_reader_get_main_file", Text, c_void_p)
        unit_reader = self.function("unit_reader_create", c_void_p, c_void_p, c_char_p, c_void_p)
        for unit in self.collect("store_units_apply_f", NAMES, str, self.store, 0):
            reader = unit_reader(self.store, unit.encode(), None)
            file = reader and str(main_file(reader))
            if file and file.startswith(f"{SOURCES}/") and os.path.exists(file):
                for record in self.records(reader, file):
                    for occurrence in self.occurrences(record):
                        yield file[len(str(SOURCES)) + 1:], *occurrence

    def records(self, reader, file):
        kind = self.function("unit_dependency_get_kind", c_int, c_void_p)
        path = self.function("unit_dependency_get_filepath", Text, c_void_p)
        name = self.function("unit_dependency_get_name", Text, c_void_p)

        def read(dependency):
            return str(name(dependency)) if kind(dependency) == RECORD and str(path(dependency)) == file else None

        return filter(None, self.collect("unit_reader_dependencies_apply_f", OBJECTS, read, reader))

    def occurrences(self, record):
        create = self.function("record_reader_create", c_void_p, c_void_p, c_char_p, c_void_p)
        reader = create(self.store, record.encode(), None)
        if not reader:
            return []
        symbol = self.function("occurrence_get_symbol", c_void_p, c_void_p)
        roles = self.function("occurrence_get_roles", c_uint64, c_void_p)
        usr = self.function("symbol_get_usr", Text, c_void_p)
        name = self.function("symbol_get_name", Text, c_void_p)
        place = self.function("occurrence_get_line_col", None, c_void_p, POINTER(c_uint), POINTER(c_uint))
        line, column = c_uint(), c_uint()

        def read(occurrence):
            it = symbol(occurrence)
            place(occurrence, line, column)
            return str(usr(it)), str(name(it)), roles(occurrence), line.value

        return self.collect("record_reader_occurrences_apply_f", OBJECTS, read, reader)


def uses(index):
    """The symbols that each folder uses of each other folder of its target."""
    definitions, references = {}, defaultdict(set)
    for file, symbol, name, roles, _ in index.symbols():
        if roles & DEFINITION:
            definitions.setdefault(symbol, (file, name))
        elif roles & REFERENCE:
            references[symbol].add(file)
    found = defaultdict(set)
    for symbol, (home, name) in definitions.items():
        for file in references[symbol]:
            if os.path.dirname(file) != os.path.dirname(home) and file.split("/")[0] == home.split("/")[0]:
                found[os.path.dirname(file), os.path.dirname(home)].add(f"{name} in {Path(file).name}")
    return found


def rings(arrows):
    """The sets of folders of which each depends on each other one of its set, directly or not."""
    following = defaultdict(set)
    for one, other in arrows:
        following[one].add(other)

    def reached(start):
        found, waiting = set(), [start]
        while waiting:
            for other in following[waiting.pop()] - found:
                found.add(other)
                waiting.append(other)
        return found

    reach = {folder: reached(folder) for folder in list(following)}
    return {frozenset(other for other in reach[folder] if folder in reach.get(other, ())) for folder in reach
            if folder in reach[folder]}


def main():
    found = uses(Index(Path(sys.argv[1]) / "index" / "store"))
    if not found:
        sys.exit(f"arrows: the index below {sys.argv[1]} is empty")
    groups = rings(found)
    for group in sorted(groups, key=sorted):
        print("These folders depend on each other: " + ", ".join(sorted(group)))
        inside = [pair for pair in found if set(pair) <= group]
        for one, other in sorted(inside, key=lambda pair: len(found[pair]))[:3]:
            print(f"    {one} needs of {other}: {', '.join(sorted(found[one, other])[:5])}")
    print(f"arrows: {len(found)} between folders, {len(groups)} rings")
    sys.exit(bool(groups))


if __name__ == "__main__":
    main()
