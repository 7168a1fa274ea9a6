"""From a model and data to a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import torch

from .. import _guestlist, _options
from .._arrays import named, people, refuse_other_order
from .._options import AuditOptions, PathLike
from .._progress import following
from .._report import Report
from . import _devices
from ._about import about
from ._devices import Devices
from ._inputs import Inputs
from ._queries import Query
from ._recipe import Recipe, Schedule, check_once, ingredients, recipe
from ._records import Records, read
from ._training import train_all

IRRELEVANT = ("devices", "way", "folder")
"""What does not change a report: equal audits have equal reports."""


def audit(
    make_model: Callable[[], Any],
    dataset: Any,
    *,
    labels: Any = None,
    shadows: int = 64,
    epochs: float | None = None,
    batch_size: int | None = None,
    optimizer: Callable[[Any], Any] | None = None,
    schedule: str | Schedule | None = None,
    augment: Callable[[Inputs], Inputs] | None = None,
    loss: Callable[[Any, Any], Any] | None = None,
    train: Callable[..., Any] | None = None,
    queries: int | Sequence[Query] = 1,
    precision: str | None = None,
    devices: Devices = None,
    way: str | None = None,
    folder: PathLike = "guestlist-run",
    groups: Iterable[Any] | None = None,
    duplicates: str = "together",
    attacks: str | Sequence[str] = "all",
    settings: Mapping[str, Any] | None = None,
    replicates: int = 0,
    scaling: Sequence[int] = (),
    slices: Sequence[str] = (),
    **options: Unpack[AuditOptions],
) -> Report:
    """Trains a classifier of PyTorch and its shadows, attacks, and judges.

    ``make_model()`` gives a fresh model, which is called with the inputs of a batch and gives logits. ``dataset``
    is ``(inputs, labels)`` as tensors or arrays, a ``Dataset`` or ``DataLoader`` of PyTorch, or one of Hugging
    Face; ``labels`` replaces its own. The audited model trains on a random half of it, as each shadow does.

    Models train for ``epochs`` on batches of ``batch_size``, by ``optimizer(parameters)`` (Adam where nothing is
    said) whose learning rate follows ``schedule``: ``"constant"``, ``"cosine"``, ``"triangle"`` or a function from
    (step, steps) to a factor. ``augment(inputs)`` changes a batch at random on the device, ``loss(logits, labels)``
    replaces cross-entropy, ``precision`` is ``"bf16"`` or ``"float32"``. Or a loop of your own trains:
    ``train(model, train_data, seed, device)`` returns the trained model.

    Every record is asked about in ``queries`` ways: 2 are as it is and mirrored, up to 18 move it as well, and
    functions of the inputs may be listed. Attacks see all of them.

    Models are kept in ``folder`` as soon as they are trained, so that the call may be stopped and made again; what
    was trained is trained again only where data, functions or settings changed. ``devices`` names where to train,
    all GPUs or all cores otherwise; ``way`` is ``"plain"``, ``"graph"``, ``"compiled"`` or ``"ensemble"`` where the
    fastest should not be looked for. ``groups`` says whose each record is. The rest is as in
    :func:`guestlist.audit`.

    >>> import guestlist, torch, tempfile
    >>> x, y = torch.randn(400, 8), torch.arange(400) % 2
    >>> make = lambda: torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
    >>> report = guestlist.torch.audit(make, (x, y), shadows=4, epochs=40, batch_size=20, devices="cpu",
    ...                                folder=tempfile.mkdtemp(), attacks="lira,rmia", progress=False)
    >>> report.outcome
    'fail'
    """
    given = _options.merged(audit, dict(locals()), AuditOptions)
    places = _devices.chosen(devices)
    refuse_other_order(labels=labels, groups=groups)
    records = read(dataset, labels, keep=train is None)
    plan = recipe(
        make_model,
        records,
        epochs=epochs,
        batch_size=batch_size,
        optimizer=optimizer,
        schedule=schedule,
        augment=augment,
        loss=loss,
        train=train,
        queries=queries,
        precision=precision,
        bf16=places[0].type == "cuda" and _devices.gpus()[1],
    )
    # Of several, none is touched before workers are forked.
    check_once(plan, records, places[0] if len(places) == 1 else torch.device("cpu"))
    request = _request(plan, given)
    session = _guestlist.begin_training(_given(records, groups), request, None)
    try:
        with following(given.get("progress")) as listener:
            train_all(session, plan, records, places, given, listener)
            found, files = session.finish(listener)
    finally:
        session.close()
    return Report(found, files)


def _given(records: Records, groups: Iterable[Any] | None) -> Any:
    labels = named("labels", records.labels.numpy().astype(np.int64))
    return labels, named("copies", records.copies), people(groups), records.digest


def _request(plan: Recipe, given: Mapping[str, Any]) -> str:
    name = type(plan.new_model(0, torch.device("cpu"))).__name__
    asked = dict(given)
    asked.setdefault("subject", name)
    document = _options.judging(asked)
    return _options.plain_json(
        audit=document,
        seed=given.get("seed"),
        shadows=given["shadows"],
        folder=given["folder"],
        duplicates=given["duplicates"],
        by="guestlist.torch.audit",
        about=about(plan, name),
        ingredients=ingredients(plan),
        command=_options.call(audit, given, IRRELEVANT),
        date=given.get("date"),
    )
