"""Texts scored by a causal language model: the longest first, in batches of about as many tokens, one copy from
the device to the host per batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._head import Head
from ._modes import evaluating
from ._statistics import NAMES

DISABLE_ADAPTER = "disable_adapter"
"""As a reference: the model itself, with its adapter of PEFT switched off."""

SAMPLE = 64
"""Tokens on which the fast way is held against the model's own."""


class Scored:
    """What a model made of every token. ``values[name]`` holds all texts' tokens one after the other; the first of
    each text has no prediction and is NaN."""

    def __init__(self, token_ids: list[list[int]]) -> None:
        self.offsets = np.cumsum([0, *map(len, token_ids)])
        found = np.full((len(NAMES), self.offsets[-1]), np.nan, dtype=np.float32)
        self.values = dict(zip(NAMES, found))
        self._found = found

    def put(self, texts: list[int], lengths: list[int], found: Any) -> None:
        starts = self.offsets[texts]
        places = np.concatenate([begin + 1 + np.arange(n - 1) for begin, n in zip(starts, lengths)])
        self._found[:, places] = found


def scored(model: Any, token_ids: list[list[int]], batch_size: int | None = None) -> Scored:
    """Signals of every text."""
    import torch

    result = Scored(token_ids)
    order = sorted((i for i, ids in enumerate(token_ids) if len(ids) > 1), key=lambda i: -len(token_ids[i]))
    if not order:
        return result
    with evaluating(model), torch.no_grad():
        head = Head(model, token_ids[order[0]][:SAMPLE])
        waiting: Any = None
        for batch in _batches(order, token_ids, head.tokens_at_once(head.vocabulary), batch_size):
            for begun in _begun(head, batch, token_ids):
                # The device is at work on this batch while the one before is put away.
                _put_away(result, waiting)
                waiting = begun
        _put_away(result, waiting)
    return result


def reference_scored(
    model: Any, reference: Any, token_ids: list[list[int]], batch_size: int | None
) -> Scored | None:
    if reference is None:
        return None
    if isinstance(reference, str):
        with model.disable_adapter():
            return scored(model, token_ids, batch_size)
    return scored(reference, token_ids, batch_size)


def _batches(
    order: list[int], token_ids: list[list[int]], tokens: int, batch_size: int | None
) -> Iterator[list[int]]:
    """Texts of about the same length together: at most ``tokens`` with their padding, or ``batch_size`` texts."""
    batch: list[int] = []
    for text in order:
        most = batch_size or max(1, tokens // len(token_ids[(batch or [text])[0]]))
        if len(batch) == most:
            yield batch
            batch = []
        batch.append(text)
    yield batch


def _begun(head: Head, texts: list[int], token_ids: list[list[int]]) -> Iterator[Any]:
    """A batch that the device works on; in halves where its memory does not hold it."""
    import torch

    lengths = [len(token_ids[text]) for text in texts]
    padded = np.zeros((len(texts), max(lengths)), dtype=np.int64)
    for row, text in zip(padded, texts):
        row[: len(token_ids[text])] = token_ids[text]
    try:
        found = head.statistics(padded, lengths)
    except torch.cuda.OutOfMemoryError:
        if len(texts) == 1:
            raise
        found = None
    if found is not None:
        yield texts, lengths, *_copied(found)
        return
    torch.cuda.empty_cache()
    half = len(texts) // 2
    yield from _begun(head, texts[:half], token_ids)
    yield from _begun(head, texts[half:], token_ids)


def _copied(found: Any) -> tuple[Any, Any]:
    """Where the numbers will lie on the host, and what says that they do."""
    import torch

    if not found.is_cuda:
        return found, None
    host = torch.empty(found.shape, dtype=found.dtype, pin_memory=True)
    with torch.cuda.device(found.device):
        host.copy_(found, non_blocking=True)
        there = torch.cuda.Event()
        there.record()
    return host, there


def _put_away(result: Scored, waiting: Any) -> None:
    if waiting is None:
        return
    texts, lengths, host, there = waiting
    if there is not None:
        there.synchronize()
    result.put(texts, lengths, host.cpu().numpy())
