"""Images as they are asked about and trained on: mirrored, and moved by a few pixels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .._errors import UsageError, hinted
from ._inputs import Inputs

Query = Callable[[Inputs], Inputs]

DIRECTIONS = [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1)]
"""Down and right, in the order in which queries use them."""


def views(count: int, *, flip: bool = True, shift: int = 4) -> list[Query]:
    """So many ways to ask about an image: as it is, mirrored, and both again moved by ``shift`` pixels.

    The first two are those of most papers on LiRA; all eighteen are eight directions and none, each mirrored
    as well. The edge is filled with its reflection.

    >>> import torch
    >>> from guestlist.torch import views
    >>> image = torch.arange(4.0).reshape(1, 1, 1, 4)
    >>> [view(image).flatten().tolist() for view in views(2)]
    [[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]]
    """
    mirrored = [False, True] if flip else [False]
    every = [(move, mirror) for move in DIRECTIONS for mirror in mirrored]
    if not 1 <= count <= len(every):
        hint = f"give 1 to {len(every)}, or a list of functions of your own"
        raise hinted(UsageError, f"queries is {count}", hint)
    return [_view(down * shift, right * shift, mirror) for (down, right), mirror in every[:count]]


def _view(down: int, right: int, mirror: bool) -> Query:
    def view(images: Any) -> Any:
        seen = moved(images, down, right) if down or right else images
        return seen.flip(-1) if mirror else seen

    view.of_images = True  # type: ignore[attr-defined]
    return view


def moved(images: Any, down: int, right: int) -> Any:
    """Images [records, channels, height, width] moved by so many pixels."""
    height, width = images.shape[-2:]
    reach = max(abs(down), abs(right))
    if reach >= min(height, width):
        hint = "give smaller moves, or functions of your own as queries"
        raise hinted(UsageError, f"images of {height} × {width} cannot move by {reach}", hint)
    padded = reflected(images, reach)
    return padded[..., reach - down :, reach - right :][..., :height, :width]


def reflected(images: Any, reach: int) -> Any:
    """Images with their edges reflected around them."""
    rows, columns = (_reflection(size, reach, images.device) for size in images.shape[-2:])
    return images.index_select(-2, rows).index_select(-1, columns)


def _reflection(size: int, reach: int, device: Any) -> Any:
    place = torch.arange(-reach, size + reach, device=device).abs()
    return torch.where(place < size, place, 2 * (size - 1) - place)


class FlipsAndShifts:
    """Images of a batch at random: each mirrored or not, and moved by up to ``shift`` pixels."""

    def __init__(self, *, flip: bool = True, shift: int = 4) -> None:
        self.flip, self.shift = flip, shift

    def __call__(self, images: Any) -> Any:
        count, channels, height, width = images.shape
        device, reach = images.device, 2 * self.shift + 1
        rows = torch.arange(height, device=device) + torch.randint(reach, (count, 1), device=device)
        columns = torch.arange(width, device=device) + torch.randint(reach, (count, 1), device=device)
        if self.flip:
            mirror = torch.rand(count, 1, device=device) < 0.5
            columns = torch.where(mirror, columns.flip(1), columns)
        padded = reflected(images, self.shift) if self.shift else images
        record = torch.arange(count, device=device)[:, None, None, None]
        channel = torch.arange(channels, device=device)[None, :, None, None]
        return padded[record, channel, rows[:, None, :, None], columns[:, None, None, :]]

    def __repr__(self) -> str:
        return f"flips_and_shifts(flip={self.flip}, shift={self.shift})"


def flips_and_shifts(*, flip: bool = True, shift: int = 4) -> FlipsAndShifts:
    """An ``augment`` for images: each mirrored or not, and moved by up to ``shift`` pixels, at random."""
    return FlipsAndShifts(flip=flip, shift=shift)


def chosen(queries: int | Sequence[Query]) -> list[Query]:
    """The ways to ask that were named, by their number or one by one."""
    if isinstance(queries, int) and not isinstance(queries, bool):
        return [_as_it_is] if queries == 1 else views(queries)
    listed = list(queries) if isinstance(queries, Sequence) else []
    if not listed or not all(map(callable, listed)):
        hint = "give how many there are (2: as it is, and mirrored), or a list of functions of the inputs"
        raise hinted(UsageError, f"queries is {queries!r}", hint)
    return listed


def _as_it_is(inputs: Inputs) -> Inputs:
    return inputs
