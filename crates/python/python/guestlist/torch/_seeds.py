"""Random numbers that begin anew for every model, and leave the caller's own untouched."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch


@contextmanager
def seeded(seed: int, device: Any) -> Iterator[None]:
    """Python's, NumPy's and PyTorch's random numbers start from the seed; afterwards they go on as before."""
    python, numpy = random.getstate(), np.random.get_state()
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        begin(seed)
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(numpy)


def begin(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def host_state() -> tuple[Any, ...]:
    """Where the random numbers of the host stand: of Python, of NumPy, and of PyTorch off the device."""
    numpy: Any = np.random.get_state()
    return random.getstate(), numpy[1].tobytes(), numpy[2], torch.get_rng_state().numpy().tobytes()
