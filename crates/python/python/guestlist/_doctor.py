"""Whether guestlist can work here, and what is missing for what."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from . import _guestlist
from ._errors import no_truth
from ._options import PathLike
from ._program import program


@dataclass(frozen=True)
class Checkup:
    """What was looked at. ``str()`` of it is what ``guestlist doctor`` prints."""

    works: bool
    """Whether audits can work here."""
    findings: tuple[dict[str, str], ...]
    """``id``, ``status`` (``ok``, ``absent``, ``warning`` or ``trouble``), ``detail`` and mostly a ``remedy``."""
    text: str

    def __bool__(self) -> bool:
        no_truth("a checkup", "guestlist.doctor().works")

    def __str__(self) -> str:
        return self.text


def doctor(out: PathLike | None = None) -> Checkup:
    """Looks at the machine, the clusters, this Python and the folder ``out`` that audits would be written to.

    Variables of the environment are named and their values are not shown.

    >>> import guestlist
    >>> [found["status"] for found in guestlist.doctor().findings if found["id"] == "version"]
    ['ok']
    """
    found = json.loads(_guestlist.doctor(out, program(), sys.executable or "python3"))
    return Checkup(found["works"], tuple(found["findings"]), found["text"])
