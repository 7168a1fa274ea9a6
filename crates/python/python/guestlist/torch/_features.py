"""What a model makes of records: its logits, or what goes into its last layer, taken by a hook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .._errors import UsageError, hinted
from ..collect._modes import evaluating
from ._inputs import Inputs, called, mapped
from ._records import Records, read_unlabelled

LOGITS, PENULTIMATE, SORTED = "logits", "penultimate", "sorted-probabilities"
AT_ONCE = 64
"""Records that a model is asked about at once."""


def features(model: Any, dataset: Any, layer: str = LOGITS) -> npt.NDArray[np.float32]:
    """Features of all records, [records, width]: ``"logits"``, ``"penultimate"``, or a module of the model by name.

    What has further axes is averaged over them: positions of a text (those that its attention mask keeps), or
    pixels. The model is asked in evaluation mode where it is, and left as it was.

    >>> import torch
    >>> from guestlist.torch import features
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
    >>> data = torch.randn(10, 4), torch.arange(10) % 2
    >>> features(model, data).shape, features(model, data, "penultimate").shape
    ((10, 2), (10, 3))
    """
    return of_records(model, read_unlabelled(dataset), layer)


def of_records(model: Any, records: Records, layer: str) -> npt.NDArray[np.float32]:
    device = device_of(model)
    found = []
    with evaluating(model), torch.no_grad():
        for _, inputs in records.chunks(AT_ONCE):
            here = mapped(inputs, lambda tensor: tensor.to(device))
            found.append(outputs(model, here, layer).float().cpu())
    joined: npt.NDArray[np.float32] = torch.cat(found).numpy()
    return joined


def device_of(model: Any) -> Any:
    first = next(iter(model.parameters()), None)
    return first.device if first is not None else torch.device("cpu")


def outputs(model: Any, inputs: Inputs, layer: str = LOGITS) -> Any:
    """One vector per record."""
    if layer in (LOGITS, SORTED):
        return _flat(called(model, inputs), inputs)
    with _listening(model, layer) as heard:
        called(model, inputs)
    if not heard:
        hint = "name a module that every record passes through, or take the logits"
        raise hinted(UsageError, f"nothing came through layer {layer}", hint)
    return _flat(heard[-1], inputs)


@contextmanager
def _listening(model: Any, layer: str) -> Iterator[list[Any]]:
    """What comes out of a module; of the penultimate layer, what goes into the last linear one."""
    heard: list[Any] = []

    def after(_: Any, given: Any, result: Any) -> None:
        heard.append(given[0] if layer == PENULTIMATE else result)

    modules = dict(model.named_modules())
    if layer == PENULTIMATE:
        listened = [part for part in modules.values() if _is_linear(part)]
    else:
        listened = [modules[layer]] if layer in modules else []
    if not listened:
        names = ", ".join(list(modules)[1:8])
        hint = f"give logits, penultimate, sorted-probabilities or one of its modules: {names}, …"
        raise hinted(UsageError, f"the model has no layer {layer}", hint)
    hooks = [part.register_forward_hook(after) for part in listened]
    try:
        yield heard
    finally:
        for hook in hooks:
            hook.remove()


def _is_linear(part: Any) -> bool:
    """Also the linear layer that older models of Hugging Face call a convolution."""
    return isinstance(part, torch.nn.Linear) or type(part).__name__ == "Conv1D"


def _flat(result: Any, inputs: Inputs) -> Any:
    """[records, width]: of images the mean over pixels, of texts the mean over positions."""
    tensor = result[0] if isinstance(result, tuple) else result
    if tensor.ndim == 3:
        mask = inputs.get("attention_mask") if isinstance(inputs, dict) else None
        if mask is not None and mask.shape == tensor.shape[:2]:
            weights = mask.to(tensor.dtype)[:, :, None]
            return (tensor * weights).sum(1) / weights.sum(1).clamp_min(1)
        return tensor.mean(1)
    if tensor.ndim == 4:
        return tensor.mean((2, 3))
    return tensor.reshape(len(tensor), -1)
