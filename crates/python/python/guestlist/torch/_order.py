"""Which records a model trains on, batch by batch.

Records come in a stream of epochs, each shuffled anew, and the stream is cut into batches of one size: no
batch is short, and a batch may end one epoch and begin the next. All models of an audit take the same
number of steps, whatever the way they are trained.
"""

from __future__ import annotations

from typing import Any

import torch

BLOCK = 1 << 20
"""Records whose order is drawn at once, so that a long training needs no more memory than a short one."""


class Order:
    """The stream of one model. Drawn on the CPU, so that it is the same on every device."""

    def __init__(self, rows: Any, batch_size: int, seed: int) -> None:
        self._rows = torch.as_tensor(rows, dtype=torch.int64)
        self._batch_size = batch_size
        self._generator = torch.Generator().manual_seed(seed)
        self._left = self._rows[:0]

    def take(self, steps: int) -> Any:
        """The next batches, [steps, batch_size]."""
        wanted = steps * self._batch_size
        pieces, have = [self._left], len(self._left)
        while have < wanted:
            shuffled = torch.randperm(len(self._rows), generator=self._generator)
            pieces.append(self._rows[shuffled])
            have += len(self._rows)
        stream = torch.cat(pieces)
        self._left = stream[wanted:]
        return stream[:wanted].reshape(steps, self._batch_size)


def steps_of(rows: int, epochs: float, batch_size: int) -> int:
    """How many batches make so many epochs of so many records."""
    return max(1, int(epochs * rows) // batch_size)


def blocks(steps: int, batch_size: int) -> list[int]:
    """The steps in blocks whose order is drawn at once."""
    most = max(1, BLOCK // batch_size)
    whole, rest = divmod(steps, most)
    return [most] * whole + ([rest] if rest else [])
