"""Where the command ``guestlist`` lies."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig

NAME = "guestlist"


def program() -> str:
    """What starts guestlist again: the script that started this process, the one that was installed with this
    package, or the first on the ``PATH``; the bare name where there is none yet."""
    ending = ".exe" if os.name == "nt" else ""
    started = sys.argv[0] if sys.argv else ""
    if not os.path.splitext(started)[1] and ending:
        started += ending
    installed = os.path.join(sysconfig.get_path("scripts"), NAME + ending)
    for place in (started, installed):
        if os.path.basename(place) == NAME + ending and os.access(place, os.X_OK) and os.path.isfile(place):
            return os.path.abspath(place)
    return shutil.which(NAME) or NAME
