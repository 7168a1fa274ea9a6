"""What a row of logits says of its true token: computed in float32, without keeping the vocabulary.

A row goes in as the model made it (bfloat16, float16 or float32) and five numbers come out. On a GPU one kernel
reads the row twice; elsewhere a block of rows at a time is worked through in float32.
"""

from __future__ import annotations

import warnings
from typing import Any

NAMES = ("logprob", "mean", "variance", "max_logprob", "rank")
"""Rows of what :func:`of_rows` gives."""

NEGLIGIBLE = -200.0
"""A logit this far below the largest has no share left in float32: exp(-200) is 0. Logits of minus infinity
are put here, so that 0 times infinity stays out of the sums."""

_kernel: dict[str, Any] = {}


def of_rows(logits: Any, truth: Any) -> Any:
    """[5, rows] in float32, in the order of ``NAMES``, of logits [rows, vocabulary] and the tokens that came."""
    fused = _fused(logits, truth) if logits.is_cuda else None
    return plain(logits, truth) if fused is None else fused(logits, truth)


def plain(logits: Any, truth: Any) -> Any:
    """The same with PyTorch's own operations.

    With d = logit − largest logit and the moments E of d under the model's distribution, ln p = d − ln Σ e^d has
    mean E[d] − ln Σ e^d and variance E[d²] − E[d]². The subtraction loses little: where most of the weight lies
    at −d it needs e^d tokens to hold it, so E[d²] is at most ln² of the vocabulary.
    """
    import torch

    logits = logits.float()
    own = logits.gather(1, truth[:, None])
    above = (logits > own).sum(dim=1)
    top = logits.amax(dim=1, keepdim=True)
    below = (logits - top).clamp_(min=NEGLIGIBLE)
    weight = below.exp()
    total = weight.sum(dim=1)
    first = weight.mul_(below).sum(dim=1) / total
    second = weight.mul_(below).sum(dim=1) / total
    spread = (second - first * first).clamp_(min=0.0)
    log_total = total.log()
    logprob = own[:, 0] - top[:, 0] - log_total
    return torch.stack([logprob, first - log_total, spread, -log_total, 1.0 + above])


def _fused(logits: Any, truth: Any) -> Any | None:
    """The kernel, once it was seen to give on this GPU what the plain operations give."""
    if "rows" not in _kernel:
        _kernel["rows"] = _tried(logits[:64], truth[:64])
    return _kernel["rows"]


def _tried(logits: Any, truth: Any) -> Any | None:
    import torch

    try:
        from ._kernel import rows

        found, expected = rows(logits, truth), plain(logits, truth)
        if torch.allclose(found, expected, rtol=1e-3, atol=1e-3, equal_nan=True):
            return rows
        problem = "it disagrees with plain operations"
    # Whatever a compiler of kernels lacks on a machine, the plain operations do the work.
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    warnings.warn(f"token statistics are computed without the fused kernel: {problem}", stacklevel=2)
    return None
