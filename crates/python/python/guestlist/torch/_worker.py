"""What trains on one device: chooses its way, trains model after model, and asks each about all records."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .._errors import GuestlistError
from ._choose import choose
from ._outputs import Asking, Outputs
from ._plain import Plain
from ._recipe import Recipe
from ._records import Records
from ._ways import Batch, Job, NotThisWay, Setup, Way, diverged, is_out_of_memory, untrained


@dataclass(frozen=True)
class Result:
    """A trained model, as it is kept."""

    model: int
    phi: npt.NDArray[np.float32]
    right: npt.NDArray[np.bool_]
    """Whether each answer was right, in the shape of φ."""
    shares: tuple[float, float]
    """The share of records, as they are, that were classified right: of its own, and of the others."""
    seconds: float


@dataclass(frozen=True)
class Failure:
    """A model that could not be trained."""

    model: int
    error: str
    log: str = ""
    """What Python said, for the model's log."""


def setup(
    recipe: Recipe, records: Records, device: Any, tell: Callable[[str], None]
) -> Setup:
    """The records on the device, where they fit."""
    labels = records.labels.to(device)
    if recipe.train is not None:
        return Setup(recipe, records, device, None, labels, tell)
    try:
        inputs = records.on(device)
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        torch.cuda.empty_cache()
        tell("the records do not fit on the device: every batch is moved there by itself")
        inputs = records.on(torch.device("cpu"))
    return Setup(recipe, records, device, inputs, labels, tell)


@contextmanager
def tuned() -> Iterator[None]:
    """Lets libraries look for the fastest kernels, unless the user wants the same ones every time."""
    cudnn = torch.backends.cudnn
    before = cudnn.benchmark
    cudnn.benchmark = before or not (cudnn.deterministic or torch.are_deterministic_algorithms_enabled())
    try:
        yield
    finally:
        cudnn.benchmark = before


class Worker:
    """Trains on one device."""

    def __init__(self, here: Setup, jobs: Sequence[Job], way: str | None) -> None:
        self._setup, self._asking = here, Asking(here)
        choice = choose(here, jobs, way)
        self._way: Way = choice.way
        self._learns = False
        here.tell(choice.told())

    @property
    def capacity(self) -> int:
        """How many models it wants at once."""
        return self._way.capacity

    def train(self, jobs: Sequence[Job]) -> Iterator[Result | Failure]:
        """Trains models; each that cannot be trained is told of, and the others go on."""
        left = list(jobs)
        while left:
            together, began = left[: self.capacity], time.perf_counter()
            try:
                for batch in self._way.train(together):
                    yield from self._asked(batch, began)
                    left = [job for job in left if job not in batch.jobs]
                    began = time.perf_counter()
            except Exception as error:
                if self._goes_on(error):
                    continue
                there = [job for job in together if job in left]
                for job in there:
                    yield failure(job.model, error)
                left = [job for job in left if job not in there]

    def _goes_on(self, error: Exception) -> bool:
        """Whether another way may train what this one could not."""
        if isinstance(error, NotThisWay):
            self._setup.tell(f"{error}: the plain loop trains the rest")
            self._way = Plain(self._setup)
            return True
        if not is_out_of_memory(error):
            return False
        smaller = self._way.smaller()
        if smaller is None:
            return False
        self._way = smaller
        torch.cuda.empty_cache()
        self._setup.tell(f"the device's memory is full: models are trained {smaller.capacity} at a time")
        return True

    def _asked(self, batch: Batch, began: float) -> Iterator[Result | Failure]:
        if not self._learns:
            error = untrained(self._setup.recipe, batch)
            if error is not None:
                yield from (Failure(job.model, str(error)) for job in batch.jobs)
                return
            # Of a loop of the user's own every model is looked at.
            self._learns = self._setup.recipe.train is None
        found = self._asking.outputs(batch.ask, len(batch.jobs))
        each = (time.perf_counter() - began) / len(batch.jobs)
        for job, loss, output in zip(batch.jobs, batch.losses, found, strict=True):
            error = diverged(loss) or (output if isinstance(output, GuestlistError) else None)
            if error is not None or not isinstance(output, Outputs):
                yield Failure(job.model, str(error))
                continue
            yield Result(job.model, output.phi, output.right, _shares(output.right[:, 0], job), each)


def _shares(right: npt.NDArray[np.bool_], job: Job) -> tuple[float, float]:
    own = np.zeros(len(right), dtype=bool)
    own[job.rows] = True
    return float(right[own].mean()), float(right[~own].mean())


def failure(model: int, error: BaseException) -> Failure:
    """What became of a model, in words."""
    log = "".join(traceback.format_exception(error))
    if isinstance(error, GuestlistError):
        return Failure(model, str(error), log)
    said = str(error).strip().splitlines()
    words = f"{type(error).__name__}: {said[0]}" if said else type(error).__name__
    if is_out_of_memory(error):
        words += "; hint: the device's memory does not suffice: lower batch_size, or give precision=\"bf16\""
    return Failure(model, words, log)
