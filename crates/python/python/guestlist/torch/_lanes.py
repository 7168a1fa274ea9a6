"""A few models side by side on one device, each in its own stream: where the kernels of one model leave units of
the device idle, those of another use them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from ._captured import Record, captured
from ._plain import asking
from ._seeds import seeded
from ._single import Single
from ._ways import Batch, Job, Setup


class Lanes:
    """The step as a CUDA graph per lane, of the model as it is or compiled."""

    def __init__(self, setup: Setup, record: Record = captured, *, compiled: bool = False) -> None:
        self.name = "compiled" if compiled else "graph"
        self._setup, self._record, self._compiled = setup, record, compiled
        self._lanes: list[tuple[Single, Any]] = []
        self.add()

    @property
    def capacity(self) -> int:
        return len(self._lanes)

    def add(self) -> None:
        """One lane more."""
        cuda = self._setup.device.type == "cuda"
        stream = torch.cuda.Stream(self._setup.device) if cuda else None
        with seeded(0, self._setup.device):
            self._lanes.append((Single(self._setup, self._record, compiled=self._compiled), stream))

    def models(self) -> list[Any]:
        """What each lane has trained."""
        return [lane.model for lane, _ in self._lanes]

    def smaller(self) -> Lanes | None:
        if len(self._lanes) < 2:
            return None
        self._lanes.pop()
        return self

    def train(self, jobs: Sequence[Job]) -> Iterator[Batch]:
        steps = self._setup.recipe.steps
        self.run(jobs, steps)
        for job, (lane, _) in zip(jobs, self._lanes, strict=False):
            weights = dict(lane.model.named_parameters())
            yield Batch([job], asking(lane.model), [lane.mean_loss(steps)], weights)

    def steps(self, jobs: Sequence[Job], count: int) -> None:
        """Steps without a beginning: to be timed."""
        self._run(jobs, count)

    def run(self, jobs: Sequence[Job], steps: int) -> Any:
        """So many steps of models from their beginning; gives the first of them."""
        for job, (lane, _) in zip(jobs, self._lanes, strict=False):
            lane.begin(job)
        self._run(jobs, steps)
        return self._lanes[0][0].model

    def _run(self, jobs: Sequence[Job], steps: int) -> None:
        used = self._lanes[: len(jobs)]
        self._meet(used, before=True)
        with seeded(jobs[0].seed, self._setup.device):
            running = [lane.running(job, steps) for job, (lane, _) in zip(jobs, used, strict=True)]
            for _ in range(steps):
                for run, (lane, stream) in zip(running, used, strict=True):
                    with _within(stream):
                        next(run)
                        lane.step()
        self._meet(used, before=False)

    def _meet(self, used: Sequence[tuple[Single, Any]], *, before: bool) -> None:
        """Lanes begin once all that came before is done; what comes after them waits for all."""
        for _, stream in used:
            if stream is not None:
                here = torch.cuda.current_stream(self._setup.device)
                waits, waited_for = (stream, here) if before else (here, stream)
                waits.wait_stream(waited_for)


def _within(stream: Any) -> AbstractContextManager[Any]:
    context: AbstractContextManager[Any] = nullcontext() if stream is None else torch.cuda.stream(stream)
    return context
