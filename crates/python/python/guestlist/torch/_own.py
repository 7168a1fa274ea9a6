"""Models that the user's own loop trains."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from .._errors import UsageError, hinted
from ._plain import asking
from ._seeds import seeded
from ._ways import Batch, Job, Setup


class Own:
    """``train(model, train_data, seed, device)`` of the user's; what it does not take it is not given."""

    name = "own"
    capacity = 1

    def __init__(self, setup: Setup) -> None:
        self._setup = setup

    def train(self, jobs: Sequence[Job]) -> Iterator[Batch]:
        for job in jobs:
            trained = self._trained(job)
            yield Batch([job], asking(trained), [0.0], dict(trained.named_parameters()))

    def steps(self, jobs: Sequence[Job], count: int) -> None:
        raise NotImplementedError

    def smaller(self) -> None:
        return None

    def _trained(self, job: Job) -> Any:
        setup, train = self._setup, self._setup.recipe.train
        assert train is not None
        model = setup.recipe.new_model(job.seed, setup.device)
        model.train()
        data = setup.records.subset(job.rows)
        given = {"seed": job.seed, "device": setup.device}
        with seeded(job.seed, setup.device):
            trained = train(model, data, **{k: v for k, v in given.items() if _takes(train, k)})
        trained = model if trained is None else trained
        if not isinstance(trained, torch.nn.Module):
            hint = "return the trained model, or nothing where the one that was given is trained"
            raise hinted(UsageError, f"train gave {type(trained).__name__}", hint)
        return trained.to(setup.device)


def _takes(function: Any, name: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
