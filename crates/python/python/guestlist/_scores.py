"""Scores that another program made: an audit of them, and their measures alone."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from . import _guestlist, _options
from ._arrays import (
    NamedArray,
    flags,
    is_path,
    named,
    names,
    people,
    refuse_other_order,
    refuse_other_truth,
    with_mask,
)
from ._errors import UsageError, about_files, hinted
from ._on_disk import audited
from ._options import AuditOptions, MeasureOptions, PathLike
from ._progress import following
from ._report import Report


def audit_scores(
    scores: Any,
    member: Any = None,
    attacks: str | Sequence[str] = "all",
    *,
    ids: Iterable[Any] | None = None,
    canaries: PathLike | None = None,
    groups: Iterable[Any] | None = None,
    **options: Unpack[AuditOptions],
) -> Report:
    """Judges scores that were made elsewhere: larger means more likely a member.

    ``scores`` is one array, a mapping of names to arrays, a table of pandas or PyArrow with a column per
    attack, or a path (Parquet, CSV, JSON Lines or npz, as ``guestlist audit --kind scores`` reads them).
    ``member`` says who was one; a table may have it as its column ``member`` (where both are there they must agree), and
    names as ``id``. A null,
    or what NumPy masks, is an abstention; NaN is refused. A table's columns of text are left out with a
    warning, and refused where the texts are numbers; columns of numbers that look like no scores (labels, record numbers, logits, ``member`` over
    again) are refused until ``attacks`` names those that are. ``canaries`` is the manifest.json of canaries among the
    records, known by ``ids`` or the column ``id``: their coins are the truth, ``member`` is not needed, and bounds on
    epsilon rest on them. ``groups`` says whose each record is (of a path,
    ``group`` names the column): people are then judged too, their scores joined by ``join``.

    >>> import numpy as np, guestlist
    >>> rng = np.random.default_rng(0)
    >>> member = np.arange(2000) % 2 == 0
    >>> report = guestlist.audit_scores({"mine": rng.normal(size=2000) + member}, member)
    >>> report.outcome, round(report.attacks["mine"]["auc"]["value"], 2)
    ('fail', 0.76)
    """
    given = _options.merged(audit_scores, dict(locals()), AuditOptions)
    if given.get("group") is not None and not is_path(scores):
        hint = "give whose each record is as groups, in the order of the scores"
        raise UsageError(f"group names a column of a file; hint: {hint}", hint)
    if is_path(scores):
        if member is not None or ids is not None or groups is not None:
            hint = "leave them out: the file has its own, and group names its column of people"
            raise UsageError(f"member, ids or groups were given beside a path; hint: {hint}", hint)
        return audited(audit_scores, scores, "scores", given)
    asked = _options.document(
        _options.call(audit_scores, given), given, canaries=canaries, groups=people(groups)
    )
    several = scores if isinstance(scores, Mapping) else {"scores": scores}
    tables = {str(name): table for name, table in several.items()}
    refuse_other_order(**(tables | {"member": member, "ids": ids, "groups": groups}))
    columns = _columns(scores, member, ids, told=canaries is not None)
    with following(given.get("progress")) as listener, about_files("cannot be read"):
        return Report(_guestlist.audit_scores(columns, asked, listener))


def _columns(
    scores: Any, member: Any, ids: Iterable[Any] | None, told: bool
) -> tuple[
    list[tuple[NamedArray, NamedArray | None]],
    NamedArray | None,
    list[str] | None,
    list[tuple[str, list[str | None]]],
]:
    """``told``: the coins of canaries say who was a member. Last come columns of text."""
    columns = _by_name(scores)
    inside = columns.pop("member", None)
    if inside is not None and member is not None:
        refuse_other_truth(inside, member)
    inside = inside if member is None else member
    named_ids = columns.pop("id", None)
    if inside is None and not told:
        hint = "give member: true for every record that was trained on, else false"
        raise UsageError(f"nobody says who was a member; hint: {hint}", hint)
    texts: list[tuple[str, list[str | None]]] = []
    if not isinstance(scores, Mapping):
        columns, texts = _without_text(columns)
    chosen = [with_mask(str(name), values) for name, values in columns.items()]
    said = None if inside is None else flags("member", inside)
    return chosen, said, names(named_ids if ids is None else ids), texts


def _by_name(scores: Any) -> dict[Any, Any]:
    if isinstance(scores, Mapping):
        _refuse_twins(scores)
        return dict(scores)
    if hasattr(scores, "column_names"):  # PyArrow
        _refuse_twins(scores.column_names)
        return {name: scores.column(name) for name in scores.column_names}
    if hasattr(scores, "columns"):  # pandas and polars
        _refuse_twins(scores.columns)
        return {name: scores[name] for name in scores.columns}
    return {"scores": scores}


def _refuse_twins(given: Iterable[Any]) -> None:
    seen: set[str] = set()
    for name in map(str, given):
        if name in seen:
            raise hinted(UsageError, f"two columns are named {name}", "give each a name of its own")
        seen.add(name)


def _without_text(
    columns: dict[Any, Any],
) -> tuple[dict[Any, Any], list[tuple[str, list[str | None]]]]:
    """What is no score: notes, sources and the like, as the command line leaves them out. Texts that are
    numbers are refused where they are looked at."""
    text = [name for name, column in columns.items() if _is_text(column)]
    if text:
        listed = ", ".join(map(str, text))
        warnings.warn(f"columns of text are no scores and were left out: {listed}", stacklevel=4)
    others = {name: column for name, column in columns.items() if name not in text}
    return others, [(str(name), _texts(columns[name])) for name in text]


def _texts(column: Any) -> list[str | None]:
    values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    return [value if isinstance(value, str) else None for value in values]


def _is_text(column: Any) -> bool:
    kind = getattr(column, "type", getattr(column, "dtype", ""))
    # pandas' categories; Arrow's dictionaries name the type of their values themselves.
    kind = str(getattr(getattr(kind, "categories", None), "dtype", kind)).lower()
    if kind.startswith("list") or kind.startswith("large_list"):
        return False
    if kind != "object":
        return "string" in kind or kind in ("str", "utf8")
    present = [value for value in column if value is not None and value == value]
    return bool(present) and all(isinstance(value, str) for value in present)


def evaluate(
    scores: Any,
    member: Any,
    **options: Unpack[MeasureOptions],
) -> dict[str, Any]:
    """The measures of one score per record, larger for members, without a verdict.

    What comes back has the names of ``report.json``: ``auc`` with its interval, ``tpr_at_fpr``,
    ``log_mia``, ``balanced_accuracy``, ``epsilon_lower_bound``, and more. Ties count one half.

    >>> import guestlist
    >>> measures = guestlist.evaluate([0.9, 0.8, 0.8, 0.1], [1, 1, 0, 0])
    >>> measures["auc"]["value"]
    0.875
    """
    given = _options.merged(evaluate, dict(locals()), MeasureOptions)
    asked = _options.document("", given)
    refuse_other_order(scores=scores, member=member)
    column = with_mask("scores", scores)
    with following(given.get("progress")) as listener:
        found = _guestlist.evaluate(column, named("member", member), asked, listener)
    measures: dict[str, Any] = json.loads(found)
    return measures
