"""Files that are there as a whole, or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ._errors import FileError, GuestlistError, hinted


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A name to write to; what was written takes its place once it is on the disk.

    A link is followed, and what is there keeps its permissions. A device is written to as it is.
    """
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        yield path
        return
    target = Path(os.path.realpath(path))
    name = target.parent / f".{target.name}.{secrets.token_hex(6)}.tmp"
    try:
        # For the user alone from the start: it may say who was a member.
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        yield name
        with open(name, "rb+") as written:
            os.fsync(written.fileno())
        if mode is not None:
            os.chmod(name, stat.S_IMODE(mode))
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _mode(path: Path) -> int | None:
    """Kind and permissions of what is there already."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unwritable(path, error) from error
    if stat.S_ISDIR(mode):
        raise hinted(FileError, f"{path}: is a folder", "name a file")
    return mode


def _unwritable(path: Path, error: OSError) -> GuestlistError:
    hint = "give a path in a folder that is there and that you may write to"
    return hinted(FileError, f"{path}: cannot be written: {error.strerror}", hint)
