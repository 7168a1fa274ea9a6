"""From logits to φ, the number that attacks on classifiers look at."""

from __future__ import annotations

from typing import Any


def rescaled(logits: Any, classes: Any) -> Any:
    """z_y - logsumexp(other z) of logits [records, classes] of PyTorch, for the true classes [records]."""
    import torch

    if logits.shape[1] == 1:  # a single logit is the log-odds of class 1
        return torch.where(classes == 1, logits[:, 0], -logits[:, 0])
    own = torch.nn.functional.one_hot(classes, logits.shape[1]).bool()
    others = logits.masked_fill(own, -torch.inf)
    return logits[own] - torch.logsumexp(others, dim=1)
