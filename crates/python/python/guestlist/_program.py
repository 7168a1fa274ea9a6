"""Where the command ``guestlist`` lies."""

from __future__ import annotations

import os
import sys

NAME = "guestlist"
ENDING = ".exe" if os.name == "nt" else ""


def program() -> str:
    """What starts guestlist again: the script that started this process, the one that was installed with this
    package, or the first on the ``PATH``; the bare name where there is none yet."""
    started = sys.argv[0] if sys.argv else ""
    if not os.path.splitext(started)[1]:
        started += ENDING
    if _starts_it(started):
        return os.path.abspath(started)
    # Slow to import, and seldom wanted: most often the script itself asks.
    import shutil
    import sysconfig

    installed = os.path.join(sysconfig.get_path("scripts"), NAME + ENDING)
    return installed if _starts_it(installed) else shutil.which(NAME) or NAME


def _starts_it(place: str) -> bool:
    return os.path.basename(place) == NAME + ENDING and os.access(place, os.X_OK) and os.path.isfile(place)
