"""Optimizers whose memory is used again: by one model after another, and by many models at once."""

from __future__ import annotations

from typing import Any

import torch

from ._ways import NotThisWay

FUSED = (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW)
"""A single kernel for all weights, which also reads its learning rate from the device."""

ELEMENTWISE = (
    *FUSED,
    torch.optim.NAdam,
    torch.optim.RAdam,
    torch.optim.Adamax,
    torch.optim.Adadelta,
    torch.optim.RMSprop,
)
"""What they do to a weight depends on that weight alone, so that models may lie side by side."""


class Rates:
    """The learning rates of an optimizer's groups: a factor of what each began with."""

    def __init__(self, optimizer: Any) -> None:
        self._optimizer = optimizer
        self.base = [float(group["lr"]) for group in optimizer.param_groups]

    def set(self, factor: float) -> None:
        for group, base in zip(self._optimizer.param_groups, self.base, strict=True):
            group["lr"] = base * factor


def reusable(made: Any, replaced: dict[int, Any], device: Any, *, captured: bool) -> Any:
    """An optimizer as the user made it, of other tensors; ready to be captured where that is asked for."""
    kind = type(made)
    if kind not in ELEMENTWISE:
        raise NotThisWay(f"{kind.__name__} is no optimizer whose memory can be used again")
    groups = []
    for group in made.param_groups:
        own = {name: value for name, value in group.items() if name not in ("params", "foreach", "fused")}
        own["params"] = [replaced[id(tensor)] for tensor in group["params"]]
        if own.get("dampening"):
            raise NotThisWay("the first step of SGD with dampening is unlike the others")
        if captured:
            own["lr"] = torch.tensor(float(group["lr"]), device=device)
            if "capturable" in own:
                own["capturable"] = device.type == "cuda"
            elif kind not in FUSED:
                raise NotThisWay(f"{kind.__name__} reads its learning rate on the host")
            if kind in FUSED:
                own["fused"] = True
        groups.append(own)
    return kind(groups, lr=groups[0]["lr"], **_how(groups[0]))


def _how(group: dict[str, Any]) -> dict[str, Any]:
    """What an optimizer wants to be told when it is made, beside its groups."""
    return {name: group[name] for name in ("fused", "capturable") if group.get(name)}


def reset(optimizer: Any) -> None:
    """As before its first step."""
    for state in optimizer.state.values():
        for name, value in state.items():
            if torch.is_tensor(value):
                value.fill_(1.0 if name == "mu_product" else 0.0)
