"""How a causal language model's logits are made: in blocks of positions where its architecture allows.

Most models end in one matrix over the last hidden states. Where that gives the very logits that the model
itself gives, the matrix is applied to blocks of rows and the whole vocabulary of a batch is never held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._statistics import of_rows

GPU_BLOCK, CPU_BLOCK = 1 << 28, 1 << 23
"""Logits at a time: half a gigabyte in bfloat16 on a GPU; what caches nearly hold elsewhere."""
GPU_TOKENS, CPU_TOKENS = 1 << 15, 1 << 12
"""Tokens at a time."""
GPU_LOGITS = 1 << 30
"""Logits of a batch where they have to be held at once."""


class Head:
    """Statistics of batches of one model. ``sample``: some tokens, on which the fast way is held against the
    model's own logits."""

    def __init__(self, model: Any, sample: list[int]) -> None:
        self.model = model
        self.device = next(model.parameters()).device
        self._whole = model.get_base_model() if hasattr(model, "get_base_model") else model
        embeddings = getattr(self._whole, "get_output_embeddings", None)
        self._matrix: Any = None if embeddings is None else embeddings()
        config = getattr(self._whole, "config", None)
        self._cap = getattr(config, "final_logit_softcapping", None)
        self.in_blocks = self._agrees(sample)

    def tokens_at_once(self, vocabulary: int) -> int:
        if self.device.type != "cuda":
            return CPU_TOKENS
        return GPU_TOKENS if self.in_blocks else min(GPU_TOKENS, max(1, GPU_LOGITS // vocabulary))

    def statistics(self, padded: Any, lengths: list[int]) -> Any:
        """[5, positions]: of all positions of every text but its first, text after text.

        ``padded`` is an array [texts, longest], texts of two tokens and more.
        """
        import torch

        ids, longest = sent(padded, self.device), padded.shape[1]
        rows = self._hidden(ids) if self.in_blocks else self._logits(ids, lengths)
        predicting = [np.arange(n - 1) + row * longest for row, n in enumerate(lengths)]
        places = np.concatenate(predicting)
        truth = sent(padded.reshape(-1)[places + 1], rows.device)
        rows, places = rows.flatten(0, 1), sent(places, rows.device)
        limit = GPU_BLOCK if rows.is_cuda else CPU_BLOCK
        size = max(1, limit // self.vocabulary)
        found = []
        for place, tokens in zip(places.split(size), truth.split(size)):
            block = rows.index_select(0, place)
            logits = self._made(block) if self.in_blocks else block
            found.append(of_rows(logits, tokens.to(logits.device)))
        return torch.cat(found, dim=1)

    def _hidden(self, ids: Any) -> Any:
        """No mask: texts are padded on the right, where no causal model looks, and attention is fastest without."""
        return self._whole.base_model(ids, use_cache=False).last_hidden_state

    def _made(self, rows: Any) -> Any:
        logits = self._matrix(rows)
        return (logits / self._cap).tanh() * self._cap if self._cap else logits

    def _logits(self, ids: Any, lengths: list[int]) -> Any:
        """As the model gives them. Tokens that a method of tuning puts before the text have no place in ours."""
        mask = np.arange(ids.shape[1])[None, :] < np.array(lengths)[:, None]
        given = self.model(ids, attention_mask=sent(mask.astype(np.int64), ids.device)).logits
        return given[:, -ids.shape[1] :]

    def _agrees(self, sample: list[int]) -> bool:
        """Whether the parts give the model's logits, and padding on the right changes nothing before it."""
        import torch

        half = len(sample) // 2
        rows = [sample, sample[:half] + [0] * (len(sample) - half)]
        ids = torch.tensor(rows, device=self.device)
        given = self.model(ids).logits
        self.vocabulary = given.shape[-1]
        if self._matrix is None or getattr(self._whole, "base_model", self._whole) is self._whole:
            return False
        try:
            made = self._made(self._hidden(ids))
        # Bodies that want other inputs, or give other outputs, are asked as a whole.
        except (AttributeError, TypeError, ValueError, NotImplementedError, RuntimeError):
            return False
        if given.shape != made.shape:
            return False
        unit = torch.finfo(made.dtype).eps
        given, made = given.float(), made.float().to(given.device)
        size = given.nan_to_num(0.0, 0.0, 0.0).abs().max().item()
        same = torch.allclose(made, given, rtol=0.0, atol=unit * size)
        # Kernels may add in another order where texts differ; a model that looks ahead differs by far more.
        causal = torch.allclose(made[0, :half], made[1, :half], rtol=0.0, atol=8 * unit * size)
        return bool(same and causal)


def sent(array: Any, device: Any) -> Any:
    """An array on a device, without waiting for what runs there."""
    import torch

    tensor = torch.from_numpy(np.ascontiguousarray(array))
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)
