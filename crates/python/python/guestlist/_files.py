"""Files that are there as a whole, or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A name to write to; what was written takes its place once it is on the disk."""
    name = path.parent / f".{path.name}.{secrets.token_hex(6)}.tmp"
    # As open() would make it: whoever may read the folder's other files may read this one.
    os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield name
        with open(name, "rb+") as written:
            os.fsync(written.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
