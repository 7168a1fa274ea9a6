"""What a model is called with: a tensor, a tuple of them, or a mapping by argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Inputs = Any
"""A tensor, a tuple of tensors or a dict of them; the first axis is that of the records."""


def mapped(inputs: Inputs, function: Callable[[Any], Any]) -> Inputs:
    """The same arrangement of what the function makes of each tensor."""
    if isinstance(inputs, Mapping):
        return {name: function(part) for name, part in inputs.items()}
    if isinstance(inputs, tuple):
        return tuple(function(part) for part in inputs)
    return function(inputs)


def parts(inputs: Inputs) -> list[Any]:
    """Its tensors, in a fixed order."""
    if isinstance(inputs, Mapping):
        return [inputs[name] for name in sorted(inputs)]
    return list(inputs) if isinstance(inputs, tuple) else [inputs]


def joined(pieces: list[Inputs], function: Callable[[list[Any]], Any]) -> Inputs:
    """Pieces of the same arrangement as one; the function joins the tensors of one place."""
    first = pieces[0]
    if isinstance(first, Mapping):
        return {name: function([piece[name] for piece in pieces]) for name in first}
    if isinstance(first, tuple):
        return tuple(function(list(place)) for place in zip(*pieces, strict=True))
    return function(pieces)


def called(model: Any, inputs: Inputs) -> Any:
    """What the model makes of them: its logits, also where it gives them beside other things."""
    if isinstance(inputs, Mapping):
        output = model(**inputs)
    elif isinstance(inputs, tuple):
        output = model(*inputs)
    else:
        output = model(inputs)
    if isinstance(output, Mapping) and "logits" in output:
        return output["logits"]
    return getattr(output, "logits", output)
