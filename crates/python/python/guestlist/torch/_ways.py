"""What every way of training has in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch

from .._errors import GuestlistError, hinted
from ._inputs import Inputs, mapped, parts
from ._recipe import Recipe
from ._records import Records


@dataclass(frozen=True, eq=False)
class Job:
    """One model to train."""

    model: int
    rows: npt.NDArray[np.int64]
    """The records that it trains on, in ascending order."""
    seed: int


@dataclass(frozen=True)
class Setup:
    """What all models on one device share: the recipe, and the records, which lie there."""

    recipe: Recipe
    records: Records
    device: Any
    inputs: Inputs
    labels: Any
    tell: Callable[[str], None]

    def batch(self, rows: Any) -> tuple[Inputs, Any]:
        """Inputs and labels of some records."""
        where = rows if self.on_device else rows.cpu()
        chosen = mapped(self.inputs, lambda tensor: tensor[where].to(self.device))
        return chosen, self.labels[rows]

    @property
    def on_device(self) -> bool:
        """Whether the inputs lie on the device, or were too many for it."""
        return all(tensor.device == self.labels.device for tensor in parts(self.inputs))

    def synchronize(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)


Ask = Callable[[Inputs], Any]
"""Logits [models, records, classes] of trained models."""


@dataclass(frozen=True)
class Batch:
    """Models that were trained together."""

    jobs: Sequence[Job]
    ask: Ask
    losses: Sequence[float]
    """Of each the mean over its steps."""
    weights: Mapping[str, Any]
    """Of the first, by name."""


class Way(Protocol):
    """A way of training."""

    name: str

    @property
    def capacity(self) -> int:
        """How many models it trains at once."""

    def train(self, jobs: Sequence[Job]) -> Iterator[Batch]:
        """Trains the models, some or all at a time."""

    def steps(self, jobs: Sequence[Job], count: int) -> None:
        """Steps of a training, to see how long they take."""

    def smaller(self) -> Way | None:
        """The same with fewer models at once, where memory does not suffice; nothing where it has one only."""


class NotThisWay(Exception):
    """Why models cannot be trained in some way; another way can."""


def diverged(loss: float) -> GuestlistError | None:
    """What is wrong with a loss that has left the numbers."""
    if math.isfinite(loss):
        return None
    hint = "lower the learning rate, warm it up, or clip gradients in a loop of your own (train=…)"
    return hinted(GuestlistError, f"the training diverged: its loss became {loss}", hint)


def untrained(recipe: Recipe, batch: Batch) -> GuestlistError | None:
    """What is wrong with a model that has the very weights that it began with: nothing was audited by it."""
    fresh = recipe.new_model(batch.jobs[0].seed, torch.device("cpu"))
    known = [(p, batch.weights[n]) for n, p in fresh.named_parameters() if p.requires_grad and n in batch.weights]
    same = [p.shape == w.shape and torch.equal(p.detach(), w.detach().cpu().to(p.dtype)) for p, w in known]
    if not same or not all(same):
        return None
    hint = "look at the learning rate, the loss and what is frozen"
    if recipe.train is not None:
        hint = "train must change the model that it is given, or return the one that it trained"
    return hinted(GuestlistError, "the trained model has the very weights that it began with", hint)


def is_out_of_memory(error: BaseException) -> bool:
    return isinstance(error, torch.cuda.OutOfMemoryError) or "out of memory" in str(error).lower()
