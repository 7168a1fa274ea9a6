"""What can go wrong, in the words of the command line.

Ctrl-C is a ``KeyboardInterrupt``, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn


class GuestlistError(Exception):
    """Any error of guestlist. ``str(error)`` says what and where, and what to do about it.

    >>> import guestlist
    >>> try:
    ...     guestlist.explain("lyra")
    ... except guestlist.GuestlistError as error:
    ...     print(str(error)[:21], type(error).__name__)
    nothing is named lyra UsageError
    """

    hint: str | None
    """What to do about it, alone."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class InputError(GuestlistError, ValueError):
    """The signals are broken or contradict each other: NaN, shapes that differ, no member at all."""


class UsageError(GuestlistError, ValueError):
    """What was asked for makes no sense, or does not fit the signals."""


class FileError(GuestlistError, OSError):
    """A file is not there, or the system would not let us read or write it."""


def hinted(kind: type[GuestlistError], what: str, hint: str) -> GuestlistError:
    """An error that says what is wrong, and what to do about it."""
    return kind(f"{what}; hint: {hint}", hint)


def no_truth(what: str, condition: str) -> NoReturn:
    """Of findings: objects of Python are true by themselves, and ``assert verify(folder)`` would hold whatever was found."""
    raise hinted(UsageError, f"{what} is neither true nor false", f"say what is meant: assert {condition}")


@contextmanager
def about_files(words: str) -> Iterator[None]:
    """A refusal in these words is one of a file: the same words, as a :class:`FileError`."""
    try:
        yield
    except UsageError as error:
        if words not in str(error):
            raise
        raise FileError(str(error), error.hint) from error
