"""Checks whose failure reports the value found."""


class Failure(Exception):
    pass


def same(seen, expected, what):
    if seen != expected:
        raise Failure(f"{what} is {seen!r}, not {expected!r}")


def holds(text, part, what):
    if part not in text:
        raise Failure(f"{what} has no {part!r}: {text.strip()[-400:]!r}")


def true(condition, what):
    if not condition:
        raise Failure(what)
