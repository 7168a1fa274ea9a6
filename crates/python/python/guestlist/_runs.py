"""Configurations: one to start from, one question, what a run would cost, and the run itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _guestlist, _options
from ._errors import FileError, hinted
from ._files import whole_file
from ._options import PathLike
from ._program import program
from ._progress import Listener, following
from ._report import Report

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
    limit: int | None = None,
    attacks: str | Sequence[str] | None = None,
    seed: int | None = None,
    max_requests: int | None = None,
    replay: bool = False,
    ask_again: bool = False,
    policy: PathLike | None = None,
    what_if: Sequence[str] = (),
    figures: bool = False,
    junit: bool = False,
    sarif: bool = False,
    progress: bool | Listener | None = None,
) -> Report:
    """Runs a configuration as ``guestlist run`` does: trains, scores or asks what is missing, and judges.

    The arguments are the flags of ``guestlist run``. What was collected is kept in the run's folder: stop
    whenever you like (Ctrl-C, or an exception of ``progress``), and the next run goes on from there. The
    report's files are ``report.files``. Models on a cluster are trained by the command ``guestlist`` that was
    installed with this package, which the nodes must reach under the same path.

    >>> import guestlist
    >>> guestlist.run("nowhere.toml")
    Traceback (most recent call last):
    ...
    guestlist._errors.UsageError: nowhere.toml: cannot be read: No such file or directory (os error 2); \
hint: `guestlist init KIND` writes a configuration; KIND is classifier, lm, rag, source or fewshot
    """
    given = dict(locals())
    _options.refuse_no_counts(given)
    extras = ["markdown", *(name for name in ("figures", "junit", "sarif") if given[name])]
    options = _options.plain_json(
        shadows=shadows,
        executor=executor,
        workers=workers,
        limit=limit,
        attacks=_named(attacks),
        seed=seed,
        max_requests=max_requests,
        replay=replay,
        ask_again=ask_again,
        policy=policy,
        what_if=list(what_if),
        extras=extras,
        command=_options.call(run, given, IRRELEVANT),
        worker=program(),
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
    limit: int | None = None,
    attacks: str | Sequence[str] | None = None,
    seed: int | None = None,
    max_requests: int | None = None,
    questions: PathLike | None = None,
    progress: bool | Listener | None = None,
) -> Estimate:
    """What :func:`run` would do, take and cost. Nothing is sent, trained or kept.

    Everything that can be checked is checked: a configuration with a fault is refused here, with its line.
    ``questions`` is a file to write the questions of an audit of kind rag to, for others to ask.
    """
    _options.refuse_no_counts(dict(locals()))
    options = _options.plain_json(
        shadows=shadows,
        executor=executor,
        workers=workers,
        limit=limit,
        attacks=_named(attacks),
        seed=seed,
        max_requests=max_requests,
        questions=questions is not None,
    )
    if questions is not None and Path(questions).exists():
        raise hinted(FileError, f"{questions}: is there already", "name another file, or remove it")
    with following(progress) as listener:
        written = json.loads(_guestlist.plan(config, options, listener))
    if questions is not None:
        with whole_file(Path(questions)) as place:
            place.write_text(written["questions"], encoding="utf-8")
    return Estimate(
        kind=written["kind"],
        facts=written["facts"],
        lines=tuple((str(name), str(words)) for name, words in written["lines"]),
        notes=tuple(written["notes"]),
        next=written["next"],
        text=written["text"],
    )


def _named(attacks: str | Sequence[str] | None) -> str | None:
    return None if attacks is None else _options.attack_ids(attacks)


@dataclass(frozen=True)
class Started:
    """What :func:`init` wrote, and what comes next."""

    config: Path | None
    """The configuration; ``None`` where one was there and only controls were written."""
    controls: Path | None
    """Documents with invented facts, to be put into a service's store."""
    next: str
    doubts: str | None
    """What a plan would refuse as things are."""


def init(
    kind: str,
    *,
    data: PathLike | None = None,
    label: str | None = None,
    members: PathLike | None = None,
    nonmembers: PathLike | None = None,
    target: PathLike | None = None,
    reference: PathLike | None = None,
    preset: str | None = None,
    controls: int | None = None,
    items: PathLike | None = None,
    stand_in: str | None = None,
    images: str | None = None,
    out: PathLike | None = None,
    overwrite: bool = False,
) -> Started:
    """Writes a commented configuration to start from, as ``guestlist init`` does.

    ``kind`` is classifier, lm, rag, source or fewshot; or policy, for criteria that several audits share. The
    other arguments are the flags of ``guestlist init``; one that means nothing for the kind is refused. It goes to
    ``guestlist.toml``, a policy to ``policy.toml``, where ``out`` says nothing else.

    >>> import guestlist, pathlib, tempfile
    >>> out = pathlib.Path(tempfile.mkdtemp(), "guestlist.toml")
    >>> started = guestlist.init("rag", target="http://127.0.0.1:8080", preset="guestlist", out=out)
    >>> started.config == out, 'kind = "rag"' in out.read_text()
    (True, True)
    """
    given = dict(locals())
    del given["kind"]
    given["out"] = out or ("policy.toml" if kind == "policy" else "guestlist.toml")
    written = json.loads(_guestlist.init(kind, _options.plain_json(**given)))
    path = {name: written[name] and Path(written[name]) for name in ("config", "controls")}
    return Started(next=written["next"], doubts=written["doubts"], **path)


@dataclass(frozen=True)
class Probe:
    """One question and its answer. ``str()`` of it is what ``guestlist probe`` prints."""

    url: str
    status: int
    seconds: float
    answer: str | None
    """What was read; ``None`` where nothing could be, and ``error`` says why."""
    citations: tuple[Any, ...]
    retrieved: tuple[Any, ...]
    error: str | None
    paths: tuple[dict[str, Any], ...]
    """What was looked for in the answer, where, and how often it was found."""
    text: str

    def __str__(self) -> str:
        return self.text


def probe(
    config: PathLike = "guestlist.toml",
    query: str | None = None,
    *,
    without_retrieval: bool = False,
    progress: bool | Listener | None = None,
) -> Probe:
    """Sends one question to the service of a configuration, and shows what was read from its answer.

    Without ``query`` it is what a run would ask first. Nothing is stored.
    """
    with following(progress) as listener:
        shown = json.loads(_guestlist.probe(config, query, without_retrieval, listener))
    for name in ("citations", "retrieved", "paths"):
        shown[name] = tuple(shown[name] or ())
    return Probe(**shown)
