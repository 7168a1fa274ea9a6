"""What trained models make of every record, in every way it is asked about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .._errors import GuestlistError, hinted
from ..collect._phi import rescaled
from ._inputs import mapped, parts
from ._recipe import check_logits
from ._ways import Ask, Setup, is_out_of_memory

MOST_AT_ONCE = 1 << 12
"""Records times models that are asked about at once, at first."""


@dataclass(frozen=True)
class Outputs:
    """Of one model."""

    phi: npt.NDArray[np.float32]
    """[records, queries]: the logit of the true class less the logarithm of the others' sum."""
    right: npt.NDArray[np.bool_]
    """[records, queries]: whether each was classified right."""


class Asking:
    """Asks models about all records, in smaller pieces where memory does not suffice."""

    def __init__(self, setup: Setup) -> None:
        self._setup, self._most = setup, MOST_AT_ONCE

    def outputs(self, ask: Ask, models: int) -> list[Outputs | GuestlistError]:
        """What each model makes of the records; or what is wrong with it, where that is no number."""
        setup = self._setup
        while True:
            size = max(1, min(len(setup.records), self._most // models))
            try:
                with torch.inference_mode(), _short_products(setup.recipe.precision == "bf16"):
                    return _asked(setup, ask, models, size)
            except RuntimeError as error:
                if not is_out_of_memory(error) or size == 1:
                    raise
            torch.cuda.empty_cache()
            self._most = max(1, size // 4) * models
            setup.tell(f"the device's memory is full: records are asked about {max(1, size // 4)} at a time")


def _asked(setup: Setup, ask: Ask, models: int, size: int) -> list[Outputs | GuestlistError]:
    records, queries = len(setup.records), setup.recipe.queries
    phi = torch.empty((models, records, len(queries)), dtype=torch.float32)
    right = torch.empty((models, records, len(queries)), dtype=torch.bool)
    for rows, inputs in setup.records.chunks(size, setup.inputs):
        here = mapped(inputs, lambda tensor: tensor.to(setup.device))
        labels = setup.labels[rows]
        for place, query in enumerate(queries):
            logits = ask(query(here))
            check_logits(logits[0], len(parts(inputs)[0]), setup.records.classes)
            phi[:, rows, place] = _confidences(logits, labels).cpu()
            right[:, rows, place] = _right(logits, labels).cpu()
    return [_lost(phi[m]) or Outputs(phi[m].numpy(), right[m].numpy()) for m in range(models)]


def _confidences(logits: Any, labels: Any) -> Any:
    flat = logits.double().reshape(-1, logits.shape[-1])
    return rescaled(flat, labels.repeat(len(logits))).reshape(logits.shape[:2]).float()


def _right(logits: Any, labels: Any) -> Any:
    """Whether no class has more than the true one; a single logit is the log-odds of class 1."""
    if logits.shape[-1] == 1:
        return torch.where(labels == 1, logits[..., 0], -logits[..., 0]) >= 0
    truth = logits.gather(-1, labels.expand(len(logits), -1).unsqueeze(-1))
    return truth[..., 0] >= logits.amax(-1)


def _lost(phi: Any) -> GuestlistError | None:
    """What is wrong with φ that is no number."""
    wrong = torch.nonzero(~torch.isfinite(phi))
    if not len(wrong):
        return None
    record, query = wrong[0].tolist()
    what = f"the trained model's φ of record {record} is {phi[record, query].item()}"
    what += f" under query {query}" if phi.shape[1] > 1 else ""
    hint = "its outputs left the numbers: lower the learning rate, or look at the inputs of that record"
    return hinted(GuestlistError, what, hint)


@contextmanager
def _short_products(wanted: bool) -> Iterator[None]:
    """Products of float32 matrices by the matrix units' shorter numbers, as convolutions have them anyway."""
    before = torch.get_float32_matmul_precision()
    if wanted and before == "highest":
        torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
