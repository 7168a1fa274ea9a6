"""Where models are trained: every GPU that is there, or every core."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import torch

from .._errors import UsageError, hinted
from ._pool import can_fork, elsewhere

Devices = str | Sequence[Any] | None


def chosen(devices: Devices) -> list[Any]:
    """The devices that were named, each checked; all GPUs or the CPU where none was."""
    if devices is None:
        return [torch.device("cuda", place) for place in range(gpus()[0])] or [torch.device("cpu")]
    named = [devices] if isinstance(devices, (str, torch.device)) else list(devices)
    if not named:
        raise hinted(UsageError, "devices is empty", 'give "cpu", "cuda", or a list such as ["cuda:0"]')
    found = [_device(name) for name in named]
    # Processes share the cores, but would only take turns on a GPU.
    return [one for place, one in enumerate(found) if one.type != "cuda" or one not in found[:place]]


def _device(name: Any) -> Any:
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError) as error:
        hint = 'give "cpu", "cuda", or a list such as ["cuda:0", "cuda:1"]'
        raise hinted(UsageError, f"there is no device {name!r}", hint) from error
    if device.type == "cuda":
        there, _ = gpus()
        device = torch.device("cuda", device.index or 0)
        if device.index >= there:
            hint = f"PyTorch sees {there} GPUs here: see torch.cuda.is_available()"
            raise hinted(UsageError, f"device {name} is not there", hint)
    return device


def gpus() -> tuple[int, bool]:
    """How many GPUs can be used, and whether they have bfloat16. Where there are several, CUDA must not begin in
    this process: their workers are forked from it."""
    count = torch.cuda.device_count()
    if not count:
        return 0, False
    if count == 1 or not can_fork():
        return _usable(count)
    found: tuple[int, bool] | None = elsewhere(lambda: _usable(count))
    return found or (0, False)


def _usable(count: int) -> tuple[int, bool]:
    return (count, bool(torch.cuda.is_bf16_supported())) if torch.cuda.is_available() else (0, False)


def workers(devices: Sequence[Any], models: int, asked: bool) -> list[Any]:
    """A place for every process that trains: as many as there are cores where the CPU was not asked for by name."""
    places = list(devices)
    if not asked and [device.type for device in devices] == ["cpu"]:
        places *= cores()
    places = places[: max(1, models)]
    return places if len(places) == 1 or can_fork() else places[:1]


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
