"""Audits of what answers from a store of documents: a function that is asked, or exchanges that were recorded."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from . import _guestlist, _options
from ._documents import written
from ._errors import UsageError, hinted
from ._functions import Ask, answering, name_of
from ._on_disk import audited
from ._options import AuditOptions, PathLike
from ._progress import following
from ._report import Report

IRRELEVANT = (
    "concurrency",
    "requests_per_minute",
    "timeout",
    "retries",
    "ask_again",
    "figures",
    "junit",
    "sarif",
)
"""What does not change a report: equal audits have equal reports."""

RECORDED = ("attacks", "documents", "settings", "slices")
"""What means something for exchanges that were recorded, beyond what every judge is asked."""


def audit_rag(
    ask: Ask | PathLike,
    members: Any = None,
    nonmembers: Any = None,
    *,
    attacks: str | Sequence[str] = "all",
    without_retrieval: Ask | None = None,
    unknown: Any = None,
    controls: PathLike | None = None,
    limit: int | None = None,
    folder: PathLike = "guestlist-run",
    concurrency: int = 4,
    requests_per_minute: int | None = None,
    timeout: float = 60.0,
    retries: int = 4,
    max_requests: int | None = None,
    max_tokens: int | None = None,
    repeats: int = 20,
    recheck: int = 16,
    adaptive: bool = True,
    helper: Mapping[str, Any] | None = None,
    replay: bool = False,
    ask_again: bool = False,
    documents: PathLike | None = None,
    settings: Mapping[str, Any] | None = None,
    slices: Sequence[str] = (),
    figures: bool = False,
    junit: bool = False,
    sarif: bool = False,
    **options: Unpack[AuditOptions],
) -> Report:
    """Audits a function that answers from a store of documents, in this program and without a server.

    ``ask(question)`` returns a text, or ``{"answer": …, "sources": […]}``, and may be asynchronous; a source is a text, a
    mapping or a document of a framework, also with a score beside it, and one may stand alone. Up to
    ``concurrency`` calls run at once, on threads of their own, and one that raises is tried again ``retries`` times.
    ``members`` are documents that the store holds, ``nonmembers`` others like them: lists of texts or of ``{"id",
    "text", "title"}``, ``{id: text}``, frames, documents of LangChain, LlamaIndex or Haystack, or a path. ``without_retrieval`` is the
    same function without its store: what a model says without it is no leak of the store. :mod:`guestlist.rag` makes
    functions of chains, query engines and pipelines.

    Every answer is kept in ``folder`` before it is used: stop whenever you like (Ctrl-C, kill), call again, and nothing is
    asked twice. With ``adaptive`` documents are left alone that their first answers settle. The other arguments are keys of a
    configuration, and flags of ``guestlist run``.

    A path in place of the function is a transcript: JSON Lines, one row per exchange with ``document``, ``member``,
    ``strategy``, ``query`` and ``answer``; ``documents`` has the texts where the transcript has none. What stands behind
    it are attacks then.

    >>> import guestlist, tempfile
    >>> texts = [f"Ward {i} of the clinic at Bellmere keeps {i * 37 + 11} litres of saline in store room {i * 7 + 3}." for i in range(40)]
    >>> store = texts[:20]
    >>> def ask(question):
    ...     words = set(question.lower().split())
    ...     best = max(store, key=lambda text: len(words & set(text.lower().split())))
    ...     return {"answer": best, "sources": [{"text": best}]}
    >>> report = guestlist.audit_rag(ask, store, texts[20:], attacks="citation", folder=tempfile.mkdtemp())
    >>> report.outcome, report.attacks["citation"]["auc"]["value"]
    ('fail', 1.0)
    """
    given = _options.merged(audit_rag, dict(locals()), AuditOptions)
    if isinstance(ask, (str, os.PathLike)):
        return _recorded(ask, given)
    if not callable(ask):
        what = f"ask is {type(ask).__name__}, neither a function nor a path"
        raise hinted(UsageError, what, "give a function, or a pipeline through guestlist.rag")
    if not 0 < timeout < math.inf:
        raise hinted(UsageError, f"timeout is {timeout}", "give seconds, such as 60")
    place = Path(folder)
    sets = {"members": members, "nonmembers": nonmembers, "unknown": unknown}
    for name in ("members", "nonmembers"):
        if sets[name] is None:
            raise hinted(
                UsageError,
                f"{name} is missing",
                "give the documents that the store holds, and others like them",
            )
    config = _configuration(
        given,
        {
            name: written(name, documents, place)
            for name, documents in sets.items()
            if documents is not None
        },
    )
    extras = ["markdown", *(name for name in ("figures", "junit", "sarif") if given[name])]
    command = _options.call(audit_rag, given, IRRELEVANT)
    run = _options.plain_json(
        replay=replay, ask_again=ask_again, extras=extras, command=command, date=given.get("date")
    )
    names = name_of(ask), without_retrieval and name_of(without_retrieval)
    desk = _guestlist.Desk(*names)
    with (
        following(given.get("progress")) as listener,
        answering(desk, ask, without_retrieval, timeout) as answerers,
    ):
        try:
            audit, files = desk.run(config, run, listener)
        except KeyboardInterrupt:
            kept = f"{answerers.answered} new answers are kept in {place}"
            raise KeyboardInterrupt(
                f"interrupted; {kept}: call again with the same folder to go on"
            ) from None
    return Report(audit, files)


def _configuration(given: Mapping[str, Any], paths: Mapping[str, str]) -> str:
    """What a configuration of kind rag would say."""

    def table(**keys: Any) -> dict[str, Any]:
        return {key: value for key, value in keys.items() if value is not None}

    def named(*names: str) -> dict[str, Any]:
        return table(**{name: given[name] for name in names})

    return _options.plain_json(
        kind="rag",
        seed=given.get("seed", 0),
        documents={**paths, **named("controls", "limit")},
        target={},
        transport=named(
            "concurrency", "requests_per_minute", "timeout", "retries", "max_requests", "max_tokens"
        ),
        probes=named("repeats", "recheck", "adaptive"),
        helper=given["helper"] or {},
        run={"folder": given["folder"]},
        audit=_options.judging(given),
    )


def _recorded(path: PathLike, given: dict[str, Any]) -> Report:
    """A transcript is judged: what only asking needs means nothing here."""
    usual = audit_rag.__kwdefaults__ or {}
    if given["members"] is not None and given["nonmembers"] is None:
        # What stands behind a transcript are attacks.
        given = {**given, "attacks": given["members"], "members": None}
    for name in ("members", "nonmembers", *usual):
        if (
            name not in RECORDED
            and given[name] is not usual.get(name)
            and given[name] != usual.get(name)
        ):
            raise hinted(
                UsageError,
                f"{name} means nothing for a transcript",
                "leave it out, or give a function to ask",
            )
    return audited(audit_rag, path, "rag", given)
