"""The audits of signals."""

from __future__ import annotations

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
    refuse_other_matrix,
    refuse_other_members,
    refuse_other_order,
)
from ._errors import UsageError, about_files, hinted
from ._on_disk import audited
from ._options import AuditOptions, PathLike
from ._progress import following
from ._report import Report


def audit(
    phi: Any,
    keep: Any = None,
    target: int = 0,
    attacks: str | Sequence[str] = "all",
    *,
    labels: Any = None,
    logits: bool | None = None,
    probabilities: bool | None = None,
    ids: Iterable[Any] | None = None,
    members: Any = None,
    canaries: PathLike | None = None,
    population: Any = None,
    shadows: int | None = None,
    format: str | None = None,
    settings: Mapping[str, Any] | None = None,
    replicates: int = 0,
    scaling: Sequence[int] = (),
    slices: Sequence[str] = (),
    records: PathLike | None = None,
    groups: Iterable[Any] | None = None,
    **options: Unpack[AuditOptions],
) -> Report:
    """Audits a classifier by the outputs of the model and of its shadow models.

    ``phi`` is ``[models, records]`` or ``[models, records, augmentations]``: the logit-scaled
    confidence of the true label, z_y - logsumexp(other z). With ``labels`` it may be the logits
    themselves, ``[models, records, (augmentations,) classes]``; three axes may be either, and ``logits``
    says which: ``True`` for logits, ``False`` for φ under augmentations. With ``probabilities=True`` it is the
    probabilities of all classes instead. One model alone needs no axis for models: ``[records, classes]`` and
    ``keep`` ``[records]``; only attacks without shadows run then, which is the weakest attacker. Arrays of NumPy (float16, float32 or
    float64, any strides), tensors of PyTorch and frames of pandas are read where they lie. ``keep`` is
    ``[models, records]``: whether a model trained on a record. Row ``target`` is the audited model, and
    its ``keep`` is the truth. Do not change the arrays while the audit runs.

    A path stands for a file or folder in any layout that ``guestlist audit`` reads.

    ``members`` replaces the target's row of ``keep``: one flag per record, or a file with one id per
    line. Where nobody knows, a flag of ``members`` or of the target's row is ``None``, NaN or -1: such records
    enter no measure, and are called members at ``call_level`` (``calls.parquet``, and counts in ``report.json``).
    ``canaries`` is the manifest.json of canaries among the records, known by ``ids``: their coins are the truth,
    and bounds on epsilon rest on them. ``population`` are further records under the same models, as ``(phi, keep)`` or a path. ``groups`` says whose
    each record is; of a path, ``group`` names the array or column that does. The other arguments are the flags of
    ``guestlist audit``, with the same defaults; ``guestlist.AuditOptions`` lists those that every audit takes,
    among them ``claim``, what is claimed of the model: ``{"epsilon": 1.0, "delta": 1e-5}``.

    >>> import numpy as np, guestlist
    >>> keep = guestlist.shadow_splits(records=500, models=33)
    >>> phi = np.random.default_rng(7).normal(size=keep.shape).astype("float32") + keep
    >>> report = guestlist.audit(phi, keep, attacks=["lira", "rmia"], threshold=0.6)
    >>> report.outcome, sorted(report.attacks)
    ('fail', ['lira', 'rmia'])
    """
    given = _options.merged(audit, dict(locals()), AuditOptions)
    if keep is not None:
        refuse_other_matrix(phi, keep, labels=labels, ids=ids, members=members, groups=groups)
    signals = _signals(phi, keep, labels, names(ids), logits, probabilities)
    if groups is None and all(part is None or is_path(part) for part in (signals, members, population)):
        return audited(audit, phi, "classifier", given)
    further: Any = None
    if population is not None:
        parts = (population,) if is_path(population) else tuple(population)
        if len(parts) > 1:
            refuse_other_matrix(*parts[:2])
        further = _signals(parts[0], parts[1] if len(parts) > 1 else None, None, None)
    asked = _options.document(
        _options.call(audit, given),
        given,
        target=target,
        shadows=shadows,
        format=format,
        records=records,
        canaries=canaries,
        groups=people(groups),
    )
    listed = members if members is None or is_path(members) else flags("members", members)
    with following(given.get("progress")) as listener, about_files("cannot be read"):
        return Report(_guestlist.audit_shadow(signals, further, listed, asked, listener))


def _signals(
    phi: Any,
    keep: Any,
    labels: Any,
    ids: list[str] | None,
    logits: bool | None = None,
    probabilities: bool | None = None,
) -> Any:
    if is_path(phi):
        _refuse_beside_a_path(
            keep=keep, labels=labels, ids=ids, logits=logits, probabilities=probabilities
        )
        return phi
    if keep is None:
        hint = "give keep [models, records]: 1 where a model trained on a record, else 0"
        raise UsageError(f"there is phi but no keep; hint: {hint}", hint)
    numbers = named("phi", phi)
    if probabilities:
        numbers = ("probabilities", *numbers[1:])
    elif _are_logits(numbers[1].shape, labels is not None, logits):
        numbers = ("logits", *numbers[1:])
    arrays: list[NamedArray] = [numbers, flags("keep", keep)]
    if labels is not None:
        arrays.append(named("labels", labels))
    return arrays, ids


def _are_logits(shape: tuple[int, ...], labelled: bool, logits: bool | None) -> bool:
    """Logits have one axis more than what is made of them: the classes."""
    if logits and not labelled:
        hint = "give labels: the class of every record, one number each"
        raise hinted(UsageError, "there are logits but no labels", hint)
    if logits is not None or not labelled:
        return bool(logits)
    if len(shape) == 3:
        either = f"logits of {shape[2]} classes or φ under {shape[2]} augmentations"
        what = f"phi {list(shape)} with labels may be {either}"
        raise hinted(UsageError, what, "say logits=True or logits=False")
    return len(shape) > 3


def _refuse_beside_a_path(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            hint = "leave it out: the file has its own"
            raise UsageError(f"{name} was given beside a path; hint: {hint}", hint)


def audit_tokens(
    table: Any,
    attacks: str | Sequence[str] = "all",
    *,
    members: Any = None,
    canaries: PathLike | None = None,
    training_file: PathLike | None = None,
    shadow: PathLike | None = None,
    checkpoints: Mapping[Any, PathLike] | None = None,
    label: str = "target",
    settings: Mapping[str, Any] | None = None,
    groups: Iterable[Any] | None = None,
    **options: Unpack[AuditOptions],
) -> Report:
    """Audits a language model by token signals: what it made of every token of a text.

    ``table`` has one row per text with the columns of token signals (``logprob``, ``rank``,
    ``ref_logprob``, ``member``, …; docs/file-formats.md lists them). It is a path, or a table of PyArrow,
    pandas or polars, or anything else that speaks Arrow; its memory is read batch by batch.

    ``members`` lists the members' ids, or names a file with one id per line, where the table has no
    ``member``; a list must agree with one that is there. ``canaries`` is the manifest.json of canaries that are the texts: their coins are the truth, and
    bounds on epsilon rest on them. ``checkpoints`` maps steps or names to files with the signals of other checkpoints on the
    same texts; ``label`` is then the audited one's own. ``groups`` says whose each text is; of a path, ``group``
    names the field that does, such as ``author``. ``shadow`` is a file with token signals of a fine-tune of your own
    whose members are known: ``understudy-lm`` learns from it.

    >>> import pyarrow as pa, guestlist
    >>> rows = [{"id": f"t{i}", "member": i % 2 == 0, "text": f"word {i * 7919}",
    ...          "logprob": [None] + [-1.0 - (i % 2) - 0.01 * (i % 7)] * 30} for i in range(200)]
    >>> report = guestlist.audit_tokens(pa.Table.from_pylist(rows), attacks="lm-loss", force=True)
    >>> report.outcome, report.attacks["lm-loss"]["auc"]["value"]
    ('fail', 1.0)
    """
    given = _options.merged(audit_tokens, dict(locals()), AuditOptions)
    refuse_other_order(table=table, groups=groups)
    if groups is None and is_path(table) and (members is None or is_path(members)):
        return audited(audit_tokens, table, "lm", given)
    asked = _options.document(
        _options.call(audit_tokens, given),
        given,
        label=str(label),
        groups=people(groups),
        training_file=training_file,
        shadow=shadow,
        canaries=canaries,
        checkpoints=[(str(step), path) for step, path in (checkpoints or {}).items()],
    )
    listed = members if members is None or is_path(members) else names(members)
    if isinstance(listed, list) and not is_path(table):
        refuse_other_members(table, listed)
    signals = table if is_path(table) else _stream(table)
    with following(given.get("progress")) as listener, about_files("cannot be read"):
        return Report(_guestlist.audit_tokens(signals, listed, asked, listener))


def _stream(table: Any) -> object:
    if hasattr(table, "__arrow_c_stream__"):
        return table.__arrow_c_stream__()
    if hasattr(table, "__arrow_c_array__") or type(table).__module__.startswith("pandas."):
        import pyarrow

        return pyarrow.table(table).__arrow_c_stream__()
    hint = "give a path, or a table of pyarrow, pandas or polars"
    kind = f"{type(table).__module__}.{type(table).__qualname__}"
    raise UsageError(f"a {kind} is no table that can be read; hint: {hint}", hint)
