"""Audits of what lies on the disk, of every kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from . import _guestlist, _options
from ._errors import UsageError, about_files, hinted
from ._options import AuditOptions, PathLike
from ._progress import following
from ._report import Report


def audit_file(
    path: PathLike,
    kind: str | None = None,
    attacks: str | Sequence[str] = "all",
    *,
    format: str | None = None,
    target: int = 0,
    shadows: int | None = None,
    members: PathLike | None = None,
    unknown: PathLike | None = None,
    canaries: PathLike | None = None,
    population: PathLike | None = None,
    records: PathLike | None = None,
    documents: PathLike | None = None,
    config: PathLike | None = None,
    training_file: PathLike | None = None,
    shadow: PathLike | None = None,
    checkpoints: Mapping[Any, PathLike] | None = None,
    label: str | None = None,
    shots: int | Sequence[int] = (),
    runs: int | None = None,
    validation: int | None = None,
    query: int | None = None,
    thresholds: str | None = None,
    layer: str | None = None,
    settings: Mapping[str, Any] | None = None,
    replicates: int = 0,
    scaling: Sequence[int] = (),
    slices: Sequence[str] = (),
    **options: Unpack[AuditOptions],
) -> Report:
    """Audits a file or folder of any kind, as ``guestlist audit`` does.

    ``kind`` is classifier, lm, rag, source, fewshot or scores; where it is left out, the file is looked at.
    The other arguments are the flags of ``guestlist audit``; one that means nothing for the kind is refused. ``config``
    is the configuration whose questions were asked elsewhere: it says how to judge, and nothing else may beside it.

    >>> import guestlist, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "scores.csv")
    >>> rows = [f"{i},{i % 2},{i * 7919 % 400 + i % 2 * 200}" for i in range(400)]
    >>> _ = path.write_text("id,member,mine\\n" + "\\n".join(rows))
    >>> guestlist.audit_file(path, kind="scores").attacks["mine"]["auc"]["value"] > 0.8
    True
    """
    given = dict(locals())
    if config is not None:
        _only_config(given)
    return _audited(audit_file, path, kind, given)


def _only_config(given: Mapping[str, Any]) -> None:
    """What a configuration says cannot be said a second time."""
    usual = audit_file.__kwdefaults__ or {}
    beside = [name for name in usual if name != "config" and given[name] != usual[name]]
    beside += [name for name in given["options"] if name not in ("date", "progress")]
    beside += ["attacks"] if given["attacks"] != "all" else []
    if beside:
        raise hinted(UsageError, f"{beside[0]} and config are both given", "the configuration says it: leave out one of them")


def audit_source(
    transcript: PathLike,
    attacks: str | Sequence[str] = "all",
    **options: Unpack[AuditOptions],
) -> Report:
    """Attributes and judges again what a run of kind source recorded.

    ``transcript`` is the run's ``transcript.jsonl``; its ``source.json`` must lie beside it. Labels, scores
    and verdict are those of the run.
    """
    return _audited(audit_source, transcript, "source", dict(locals()))


def audit_fewshot(
    features: PathLike,
    attacks: str | Sequence[str] = "all",
    *,
    members: PathLike | None = None,
    target: int = 0,
    layer: str | None = None,
    shots: int | Sequence[int] = (),
    runs: int | None = None,
    validation: int | None = None,
    query: int | None = None,
    thresholds: str | None = None,
    settings: Mapping[str, Any] | None = None,
    **options: Unpack[AuditOptions],
) -> Report:
    """Audits a classifier by its features of records, of which a few have a known membership.

    ``features`` is ``.npz``, ``.npy`` with ``members``, Parquet, or the folder of a finished run of a
    classifier. ``shots`` are the known members and non-members of an episode, such as ``[1, 5, 10]``.

    >>> import guestlist, numpy as np, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "features.npz")
    >>> member = np.arange(200) % 2 == 0
    >>> vectors = np.random.default_rng(0).normal(size=(200, 8)) + 2 * member[:, None]
    >>> np.savez(path, features=vectors, member=member)
    >>> report = guestlist.audit_fewshot(path, shots=5, runs=20)
    >>> report.to_dict()["kind"]
    'fewshot'
    """
    return _audited(audit_fewshot, features, "fewshot", dict(locals()))


def _audited(
    function: Callable[..., Report], path: PathLike, kind: str | None, given: dict[str, Any]
) -> Report:
    return audited(function, path, kind, _options.merged(function, given, AuditOptions))


def audited(
    function: Callable[..., Report], path: PathLike, kind: str | None, given: dict[str, Any]
) -> Report:
    """The audit of what lies on the disk, for a function that was given all this."""
    document = _options.request(_options.call(function, given), kind, given)
    with following(given.get("progress")) as listener, about_files("cannot be read"):
        return Report(_guestlist.audit_path(path, document, listener))
