"""How models are trained, for people, in a line."""

from __future__ import annotations

from ._recipe import Recipe


def about(plan: Recipe, name: str) -> str:
    if plan.train is not None:
        return f"PyTorch: {name}, by a loop of your own ({getattr(plan.train, '__name__', 'train')})"
    return (
        f"PyTorch: {name}, {plan.epochs:g} epochs in {plan.steps} batches of {plan.batch_size}, {plan.precision}"
    )
