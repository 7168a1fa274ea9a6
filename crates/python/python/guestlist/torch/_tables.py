"""What differs from step to step, on the device: batches and learning rates, and the loss so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ._order import Order, blocks
from ._ways import Job, Setup


class Tables:
    """The next steps of models that train together. A step reads where it stands, and moves on by itself."""

    def __init__(self, setup: Setup, rates: list[float], models: int) -> None:
        recipe, device = setup.recipe, setup.device
        self._setup, self._base, self._on_host = setup, rates, [rates]
        self._block = blocks(recipe.steps, models * recipe.batch_size)[0]
        shape = (self._block, models, recipe.batch_size)
        self._rows = torch.zeros(shape, dtype=torch.int64, device=device)
        self._rates = torch.zeros((self._block, len(rates)), device=device)
        self._place = torch.zeros(1, dtype=torch.int64, device=device)
        self._losses = torch.zeros(models, device=device)

    def running(self, jobs: Sequence[Job], steps: int) -> Iterator[None]:
        """The models from their beginning: everything is ready for a step whenever this comes to a halt."""
        size = self._setup.recipe.batch_size
        orders = [Order(job.rows, size, job.seed) for job in jobs]
        self._losses.zero_()
        done, block = 0, min(self._block, steps)
        drawn = _drawn(orders, block)
        while block:
            self._fill(done, drawn)
            for _ in range(block):
                yield
            done += block
            block = min(self._block, steps - done)
            # While the device is still at work.
            drawn = _drawn(orders, block) if block else drawn

    def _fill(self, first: int, drawn: Any) -> None:
        """Readies the next steps, whose records are given."""
        steps = len(drawn)
        self._rows[:steps].copy_(drawn)
        factors = self._setup.recipe.factors(first, steps)
        self._on_host = [[base * factor for base in self._base] for factor in factors]
        self._rates[:steps].copy_(torch.tensor(self._on_host))
        self._place.zero_()

    def rows(self) -> Any:
        """The records of this step, [models, batch_size]."""
        return self._rows.index_select(0, self._place)[0]

    def set_rates(self, optimizer: Any) -> None:
        """The learning rates of this step, without the host."""
        now = self._rates.index_select(0, self._place)[0]
        for place, group in enumerate(optimizer.param_groups):
            group["lr"].copy_(now[place])

    def set_rates_on_host(self, optimizer: Any) -> None:
        for rate, group in zip(self._on_host[int(self._place)], optimizer.param_groups, strict=True):
            group["lr"] = rate

    def advance(self, losses: Any) -> None:
        self._losses += losses
        # Steps that only warm up must not run off the table.
        self._place.add_(1).remainder_(self._block)

    def mean_losses(self, steps: int) -> list[float]:
        return [float(loss) / steps for loss in self._losses.tolist()]


def _drawn(orders: Sequence[Order], steps: int) -> Any:
    """The next batches of several models, [steps, models, batch_size]."""
    return torch.stack([order.take(steps) for order in orders], dim=1)
