"""The statistics of :mod:`._statistics` as one kernel of Triton: every row of logits is read twice, in the
precision that the model made it in, and nothing of the vocabulary's size is written."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from ._statistics import NAMES, NEGLIGIBLE

BLOCK = 2048


def rows(logits: Any, truth: Any) -> Any:
    """[5, rows] in float32, as :func:`._statistics.plain` gives them."""
    count, vocabulary = logits.shape
    if logits.stride(1) != 1:
        logits = logits.contiguous()
    found = torch.empty((len(NAMES), count), dtype=torch.float32, device=logits.device)
    if count:
        with torch.cuda.device_of(logits):
            _row[(count,)](
                logits, truth, found, count, vocabulary, logits.stride(0),
                NEGLIGIBLE=NEGLIGIBLE, BLOCK=BLOCK, num_warps=8,
            )  # fmt: skip
    return found


@triton.jit  # type: ignore[misc,untyped-decorator,unused-ignore]
def _row(logits, truth, found, count, vocabulary, stride, NEGLIGIBLE: tl.constexpr, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    row = tl.program_id(0)
    begin = logits + row.to(tl.int64) * stride
    lane = tl.arange(0, BLOCK)
    own = tl.load(begin + tl.load(truth + row)).to(tl.float32)
    largest = tl.full([BLOCK], -float("inf"), tl.float32)
    for first in range(0, vocabulary, BLOCK):
        inside = first + lane < vocabulary
        value = tl.load(begin + first + lane, mask=inside, other=-float("inf")).to(tl.float32)
        largest = tl.maximum(largest, value)
    top = tl.max(largest, axis=0)
    total = tl.zeros([BLOCK], tl.float32)
    once = tl.zeros([BLOCK], tl.float32)
    twice = tl.zeros([BLOCK], tl.float32)
    above = tl.zeros([BLOCK], tl.int32)
    for first in range(0, vocabulary, BLOCK):
        inside = first + lane < vocabulary
        value = tl.load(begin + first + lane, mask=inside, other=-float("inf")).to(tl.float32)
        below = value - top
        # Not a maximum: what is not a number must stay one.
        below = tl.where(below < NEGLIGIBLE, NEGLIGIBLE, below)
        weight = tl.exp(below)
        total += weight
        once += weight * below
        twice += weight * below * below
        above += (value > own).to(tl.int32)
    sum_weight = tl.sum(total, axis=0)
    mean = tl.sum(once, axis=0) / sum_weight
    spread = tl.sum(twice, axis=0) / sum_weight - mean * mean
    log_total = tl.log(sum_weight)
    tl.store(found + row, own - top - log_total)
    tl.store(found + count + row, mean - log_total)
    tl.store(found + 2 * count + row, tl.where(spread < 0.0, 0.0, spread))
    tl.store(found + 3 * count + row, -log_total)
    tl.store(found + 4 * count + row, 1.0 + tl.sum(above, axis=0).to(tl.float32))
