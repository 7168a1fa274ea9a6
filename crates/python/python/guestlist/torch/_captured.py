"""A step as a CUDA graph: recorded once, replayed for every step of every model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ._ways import NotThisWay

Record = Callable[[Callable[[], None], Any], Callable[[], None]]
"""From a step and its device to something that repeats it."""

WARM_UP = 3
"""Steps before one is recorded: libraries choose their kernels, and memory is taken."""


def reason(error: BaseException) -> str:
    """The first sentence of what went wrong first."""
    while error.__context__ is not None:
        error = error.__context__
    said = str(error).strip().splitlines() or [type(error).__name__]
    return said[0].partition(". ")[0]


def captured(step: Callable[[], None], device: Any) -> Callable[[], None]:
    """The step, recorded. It must read and write the same memory each time."""
    graph = torch.cuda.CUDAGraph()
    try:
        aside = torch.cuda.Stream(device)
        aside.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP):
                step()
        torch.cuda.current_stream(device).wait_stream(aside)
        # In a stream of its own: libraries keep scratch memory by stream, and two recordings that are replayed
        # at once must not share it.
        with torch.cuda.graph(graph, stream=aside):
            step()
    except torch.cuda.OutOfMemoryError:
        raise
    except RuntimeError as error:
        # A failed recording leaves an error behind that the next call would meet.
        torch.cuda.synchronize(device)
        raise NotThisWay(f"a step cannot be recorded: {reason(error)}") from error
    replay: Callable[[], None] = graph.replay
    return replay
