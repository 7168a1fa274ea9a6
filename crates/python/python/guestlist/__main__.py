"""The command ``guestlist``: the command line of the extension, which is the program itself."""

from __future__ import annotations

import sys

ERROR = 2
"""What the command line exits with where it cannot work; Python's own 1 would mean a leak."""


def main() -> int:
    """Runs what was typed, and gives the exit code."""
    try:
        from . import _guestlist
        from ._program import program
    except ImportError as error:
        said = f"error: the native part of guestlist cannot be loaded: {error}"
        print(f"{said}; hint: pip install --force-reinstall guestlist", file=sys.stderr)
        return ERROR
    return _guestlist.command_line(sys.argv[1:], program(), sys.executable or None)


if __name__ == "__main__":
    sys.exit(main())
