"""Canaries looked for in the batches that a model is trained on: how often each arrives, whole, and trained on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ANCHOR = 4
"""Tokens by which a canary is looked for; the rest is compared where they are found."""
IGNORED = -100
"""The label of a token that is not trained on, in PyTorch and transformers."""
_FACTOR = np.uint64(0x9E37_79B9_7F4A_7C15)


@dataclass
class Pattern:
    """The drawn part of a canary as tokens, and what became of it."""

    name: str
    tokens: np.ndarray[Any, Any]
    drawn: np.ndarray[Any, Any]
    """Which of the tokens were drawn; the others lie between."""
    text: np.ndarray[Any, Any] = field(default_factory=lambda: np.empty(0, np.int64))
    """The whole text, with the tokens that the tokenizer puts around it."""
    whole: int = 0
    cut: int = 0
    masked: int = 0
    """Arrivals, complete or cut off, with a drawn token that is not trained on."""
    ignored: float = 0.0
    """The largest share of drawn tokens in an arrival that are not trained on."""


def pattern(tokenizer: Any, name: str, text: str, secret: list[dict[str, int]]) -> Pattern:
    """From the first drawn character to the last. Tokens at the edges depend on what stands beside them, which a
    template may change: they are left out where enough remain."""
    spans = [(part["start"], part["end"]) for part in secret] or [(0, len(text))]
    if getattr(tokenizer, "is_fast", False):
        encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        offsets = [tuple(pair) for pair in encoded["offset_mapping"]]
        drawn = [any(begin < end_ and end > begin_ for begin, end in spans) for begin_, end_ in offsets]
    else:
        encoded = tokenizer(text)
        drawn = [True] * len(encoded["input_ids"])
    where = np.flatnonzero(drawn)
    first, last = (int(where[0]), int(where[-1]) + 1) if len(where) else (0, len(drawn))
    if last - first >= ANCHOR + 2:
        first, last = first + 1, last - 1
    ids = np.array(encoded["input_ids"][first:last], dtype=np.int64)
    whole = np.array(tokenizer(text)["input_ids"], dtype=np.int64)
    return Pattern(name, ids, np.array(drawn[first:last], dtype=bool), whole)


def drawn_tokens(tokenizer: Any, text: str, secret: list[dict[str, int]], length: int) -> list[int] | None:
    """Places of the tokens that the drawn parts became; nothing where the tokenizer does not say where tokens come
    from, or where the text was cut within them."""
    if not secret or not getattr(tokenizer, "is_fast", False):
        return None
    offsets = tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
    touched = [
        place
        for place, (begin, end) in enumerate(offsets)
        if any(begin < part["end"] and part["start"] < end for part in secret)
    ]
    return touched if touched and touched[-1] < length else None


@dataclass
class Search:
    """All patterns, found by the hash of their first tokens."""

    patterns: list[Pattern]
    _longest: int = 0
    _ends: set[bytes] = field(default_factory=set)
    """The longest rows that were seen."""
    _known: dict[int, dict[int, list[Pattern]]] = field(default_factory=dict)
    _hashed: dict[int, np.ndarray[Any, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.patterns:
            width = min(ANCHOR, len(one.tokens))
            if width:
                places = self._known.setdefault(width, defaultdict(list))
                places[int(_hashes(one.tokens[:width], width)[0])].append(one)
        for width, places in self._known.items():
            self._hashed[width] = np.fromiter(places, np.uint64, len(places))

    def look(self, batch: Any) -> int:
        """Counts the arrivals in a batch as a collator gives it; how many rows it had."""
        ids = _rows(batch["input_ids"])
        mask = _rows(batch["attention_mask"]) if _has(batch, "attention_mask", ids) else None
        labels = _rows(batch["labels"]) if _has(batch, "labels", ids) else None
        for row in range(len(ids)):
            kept = slice(None) if mask is None else mask[row] != 0
            self._look(ids[row][kept], None if labels is None else labels[row][kept])
        return len(ids)

    def missed(self) -> None:
        """Once all was seen: what was not found, but whose text begins one of the longest rows, was cut off before
        its drawn part."""
        for one in self.patterns:
            beginning = one.text[: self._longest].astype(np.int64).tobytes()
            one.cut += not one.whole and not one.cut and beginning in self._ends

    def _look(self, ids: Any, labels: Any) -> None:
        if len(ids) > self._longest:
            self._longest, self._ends = len(ids), set()
        if len(ids) == self._longest:
            self._ends.add(np.asarray(ids, dtype=np.int64).tobytes())
        for width, places in self._known.items():
            hashes = _hashes(ids, width)
            for place in np.flatnonzero(np.isin(hashes, self._hashed[width])).tolist():
                for one in places[int(hashes[place])]:
                    _arrived(one, ids[place:], None if labels is None else labels[place:])


def _arrived(one: Pattern, ids: Any, labels: Any) -> None:
    length = min(len(ids), len(one.tokens))
    if not np.array_equal(ids[:length], one.tokens[:length]):
        return
    if length == len(one.tokens):
        one.whole += 1
    else:
        one.cut += 1
    if labels is None:
        return
    drawn = one.drawn[:length]
    share = float((labels[:length][drawn] == IGNORED).mean()) if drawn.any() else 0.0
    one.masked += share > 0
    one.ignored = max(one.ignored, share)


def _hashes(ids: Any, width: int) -> Any:
    """A hash of every ``width`` tokens in a row."""
    values = np.asarray(ids).astype(np.uint64)
    count = max(0, len(values) - width + 1)
    total = np.zeros(count, dtype=np.uint64)
    for step in range(width):
        total = total * _FACTOR + values[step : step + count] + np.uint64(1)
    return total


def _rows(values: Any) -> Any:
    array = values.cpu().numpy() if hasattr(values, "cpu") else np.asarray(values)
    return array.reshape(-1, array.shape[-1])


def _has(batch: Any, name: str, ids: Any) -> bool:
    return name in batch and batch[name] is not None and _rows(batch[name]).shape == ids.shape


def alike(token_ids: Iterable[list[int]]) -> int:
    """How many texts are the same as another once they are tokens."""
    counts: dict[tuple[int, ...], int] = defaultdict(int)
    for ids in token_ids:
        counts[tuple(ids)] += 1
    return sum(count for count in counts.values() if count > 1)
