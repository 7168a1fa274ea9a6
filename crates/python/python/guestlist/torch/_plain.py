"""One model after another by the loop that everybody writes: what every other way must agree with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ._inputs import called
from ._optimizers import Rates
from ._order import Order, blocks
from ._seeds import seeded
from ._ways import Ask, Batch, Job, Setup


class Plain:
    """A fresh model and a fresh optimizer for every job."""

    name = "plain"
    capacity = 1

    def __init__(self, setup: Setup) -> None:
        self._setup = setup

    def train(self, jobs: Sequence[Job]) -> Iterator[Batch]:
        for job in jobs:
            model, loss = self.trained(job, self._setup.recipe.steps)
            yield Batch([job], asking(model), [loss], dict(model.named_parameters()))

    def steps(self, jobs: Sequence[Job], count: int) -> None:
        self.trained(jobs[0], count)

    def smaller(self) -> None:
        return None

    def trained(self, job: Job, steps: int) -> tuple[Any, float]:
        """A model after so many steps, and its mean loss over them."""
        setup, recipe = self._setup, self._setup.recipe
        model = recipe.new_model(job.seed, setup.device)
        model.train()
        optimizer = recipe.new_optimizer(model)
        rates = Rates(optimizer)
        order = Order(job.rows, recipe.batch_size, job.seed)
        total, step = torch.zeros((), device=setup.device), 0
        with seeded(job.seed, setup.device):
            for block in blocks(steps, recipe.batch_size):
                batches = order.take(block).to(setup.device)
                for rows, factor in zip(batches, recipe.factors(step, block), strict=True):
                    inputs, labels = setup.batch(rows)
                    rates.set(factor)
                    optimizer.zero_grad()
                    loss = recipe.loss_of(model, recipe.augmented(inputs), labels)
                    loss.backward()
                    optimizer.step()
                    total += loss.detach()
                step += block
        return model, float(total) / max(1, steps)


def asking(model: Any) -> Ask:
    """What a single trained model is asked by."""
    model.eval()

    def ask(inputs: Any) -> Any:
        return called(model, inputs)[None]

    return ask
