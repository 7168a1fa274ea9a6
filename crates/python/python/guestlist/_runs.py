"""Configurations: what a run would cost, and the run itself."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from typing import Any

from . import _guestlist, _options
from ._progress import Listener, following
from ._report import Report

PathLike = str | os.PathLike[str]

IRRELEVANT = ("executor", "workers", "ask_again", "figures", "junit", "sarif")
"""What does not change a report: equal audits have equal reports."""


@dataclass(frozen=True)
class Estimate:
    """What a run would do, take and cost. ``str()`` of it is the table that ``guestlist plan`` prints.

    >>> import guestlist
    >>> guestlist.Estimate("rag", {"questions": 40}, (("service", "a chat"),), (), "", "service  a chat")
    Estimate(kind='rag', facts={'questions': 40})
    """

    kind: str
    """classifier, lm, rag, source or fewshot."""
    facts: dict[str, Any]
    """Requests, models, seconds and the like, by name."""
    lines: tuple[tuple[str, str], ...]
    """For people: what, and how much."""
    notes: tuple[str, ...]
    next: str
    """What to do next."""
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Estimate(kind={self.kind!r}, facts={self.facts!r})"


def run(
    config: PathLike = "guestlist.toml",
    *,
    shadows: int | None = None,
    executor: str | None = None,
    workers: int | None = None,
    max_requests: int | None = None,
    replay: bool = False,
    ask_again: bool = False,
    figures: bool = False,
    junit: bool = False,
    sarif: bool = False,
    progress: bool | Listener | None = None,
) -> Report:
    """Runs a configuration as ``guestlist run`` does: trains, scores or asks what is missing, and judges.

    The arguments are the flags of ``guestlist run``. What was collected is kept in the run's folder: stop
    whenever you like (Ctrl-C, or an exception of ``progress``), and the next run goes on from there. The
    report's files are ``report.files``. Models on a cluster are trained by the program ``guestlist``,
    which must be on the ``PATH`` for that.

    >>> import guestlist
    >>> guestlist.run("nowhere.toml")
    Traceback (most recent call last):
    ...
    guestlist._errors.UsageError: nowhere.toml: cannot be read: No such file or directory (os error 2); \
hint: `guestlist init KIND` writes a configuration; KIND is classifier, lm, rag, source or fewshot
    """
    given = dict(locals())
    extras = ["markdown", *(name for name in ("figures", "junit", "sarif") if given[name])]
    options = _options.plain_json(
        shadows=shadows,
        executor=executor,
        workers=workers,
        max_requests=max_requests,
        replay=replay,
        ask_again=ask_again,
        extras=extras,
        command=_options.call(run, given, IRRELEVANT),
        worker=shutil.which("guestlist"),
    )
    with following(progress) as listener:
        audit, files = _guestlist.run(config, options, listener)
    return Report(audit, files)


def plan(
    config: PathLike = "guestlist.toml",
    *,
    shadows: int | None = None,
    executor: str | None = None,
    workers: int | None = None,
    max_requests: int | None = None,
    progress: bool | Listener | None = None,
) -> Estimate:
    """What :func:`run` would do, take and cost. Nothing is sent, trained or kept.

    Everything that can be checked is checked: a configuration with a fault is refused here, with its line.
    """
    options = _options.plain_json(
        shadows=shadows, executor=executor, workers=workers, max_requests=max_requests
    )
    with following(progress) as listener:
        written = json.loads(_guestlist.plan(config, options, listener))
    return Estimate(
        kind=written["kind"],
        facts=written["facts"],
        lines=tuple((str(name), str(words)) for name, words in written["lines"]),
        notes=tuple(written["notes"]),
        next=written["next"],
        text=written["text"],
    )
