"""``python -m guestlist.torch``: how ``guestlist run`` has models of PyTorch trained. Nothing for people."""

from __future__ import annotations

import sys

from ._served import describe, serve

COMMANDS = {"describe": describe, "serve": serve}


def main() -> int:
    command = COMMANDS.get(sys.argv[1] if len(sys.argv) == 2 else "")
    if command is None:
        sys.stderr.write("guestlist.torch is started by `guestlist run` of a configuration with [torch]\n")
        return 2
    return command()


if __name__ == "__main__":
    sys.exit(main())
