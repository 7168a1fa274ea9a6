"""A model of PyTorch, by a few records with known membership, with its weights at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from .. import _guestlist, _options
from .._arrays import flags, named, refuse_other_order
from .._errors import InputError, UsageError, hinted
from .._options import AuditOptions
from .._progress import following
from .._report import Report
from ._features import LOGITS, PENULTIMATE, SORTED, of_records
from ._inputs import mapped
from ._records import read_unlabelled
from ._tuning import Tuner

WIDEST = 4096
"""Outputs beyond this, such as words, say less than the layer before them."""


def fewshot(
    model: Any,
    dataset: Any,
    members: Any,
    *,
    layer: str | None = None,
    attacks: str | Sequence[str] = "all",
    shots: int | Sequence[int] = (1, 5, 10),
    runs: int = 100,
    validation: int = 15,
    query: int = 15,
    thresholds: str = "validation",
    settings: Mapping[str, Any] | None = None,
    **options: Unpack[AuditOptions],
) -> Report:
    """Audits a trained model of PyTorch by a few records of which it is known whether it trained on them.

    ``dataset`` are the records: inputs alone, ``(inputs, labels)``, a ``Dataset``, or one of Hugging Face; labels
    are not looked at. ``members`` says of each whether the model trained on it. ``fes-ss`` and ``fes-ls`` look at
    features: ``layer`` is ``"logits"``, ``"sorted-probabilities"``, ``"penultimate"`` or a module by name.
    ``fes-tt`` fine-tunes the whole model in every episode, from the same weights, on the device where the model
    lies; afterwards the model is as it was. Language models give one vector per text: the mean over its positions.

    ``shots`` are the known members and non-members of an episode, ``runs`` the episodes of each; the rest is as in
    :func:`guestlist.audit_fewshot`.

    >>> import guestlist, torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    >>> report = guestlist.torch.fewshot(model, torch.randn(120, 4), torch.arange(120) % 2, shots=1, runs=2)
    >>> report.to_dict()["detail"]["white_box"]
    True
    """
    given = _options.merged(fewshot, dict(locals()), AuditOptions)
    if not hasattr(model, "parameters"):
        raise hinted(UsageError, f"model is {type(model).__name__}", "give a trained torch.nn.Module")
    refuse_other_order(dataset=dataset, members=members)
    records = read_unlabelled(dataset)
    if layer is None:
        layer = LOGITS
        if of_records(model, records.first(2), layer).shape[1] > WIDEST:
            layer = PENULTIMATE
    vectors = of_records(model, records, LOGITS if layer == SORTED else layer)
    truth = flags("members", members)
    if len(truth[1]) != len(vectors):
        what = f"members has {len(truth[1])} entries but there are {len(vectors)} records"
        raise hinted(InputError, what, "give one entry per record, in the same order")
    inputs = mapped(records.whole(), lambda tensor: tensor)
    asked = _options.plain_json(
        audit=_options.judging(given),
        seed=given.get("seed"),
        episodes={
            "shots": _options.one_or_many(shots),
            "runs": runs,
            "validation": validation,
            "query": query,
            "thresholds": thresholds,
        },
        layer=layer,
        about=f"PyTorch: {type(model).__name__}",
        command=_options.call(fewshot, given),
        date=given.get("date"),
    )
    with following(given.get("progress")) as listener:
        found = _guestlist.audit_episodes(
            named("features", vectors), truth, Tuner(model, inputs), asked, listener
        )
    return Report(found)
