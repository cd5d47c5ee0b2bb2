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


class Skip(Exception):
    """Something is missing that a row needs."""


def fails(error, function, *arguments, **named):
    """The error of this type that a call raises."""
    try:
        function(*arguments, **named)
    except error as caught:
        return caught
    raise Failure("it does not fail")
