"""One model after another in the same memory, so that a step recorded once serves them all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ._captured import Record
from ._optimizers import reset, reusable
from ._tables import Tables
from ._ways import Job, NotThisWay, Setup


class Single:
    """The memory of one model, with its step."""

    def __init__(self, setup: Setup, record: Record, *, compiled: bool = False) -> None:
        if not setup.on_device:
            raise NotThisWay("the records do not fit on the device")
        self._setup = setup
        self.model = setup.recipe.new_model(0, setup.device)
        self.model.train()
        # Compiled for the step alone; it shares its weights with the model that is asked.
        self._called = torch.compile(self.model, dynamic=False) if compiled else self.model
        made = setup.recipe.new_optimizer(self.model)
        same = {id(parameter): parameter for parameter in self.model.parameters()}
        self._optimizer = reusable(made, same, setup.device, captured=True)
        self._tables = Tables(setup, [float(group["lr"]) for group in made.param_groups], 1)
        self.step = record(self._step, setup.device)
        """One step, as it was recorded."""

    def begin(self, job: Job) -> None:
        """The weights and counters of a fresh model, in the memory of the last one."""
        fresh = self._setup.recipe.new_model(job.seed, torch.device("cpu")).state_dict()
        own = self.model.state_dict()
        if [(n, t.shape) for n, t in fresh.items()] != [(n, t.shape) for n, t in own.items()]:
            raise NotThisWay("make_model makes models of different shapes")
        for name, tensor in own.items():
            tensor.copy_(fresh[name])
        reset(self._optimizer)
        self.model.train()

    def running(self, job: Job, steps: int) -> Iterator[None]:
        return self._tables.running([job], steps)

    def mean_loss(self, steps: int) -> float:
        return self._tables.mean_losses(steps)[0]

    def _step(self) -> None:
        recipe = self._setup.recipe
        inputs, labels = self._setup.batch(self._tables.rows()[0])
        self._tables.set_rates(self._optimizer)
        self._optimizer.zero_grad(set_to_none=True)
        loss = recipe.loss_of(self._called, recipe.augmented(inputs), labels)
        loss.backward()
        self._optimizer.step()
        self._tables.advance(loss.detach()[None])
