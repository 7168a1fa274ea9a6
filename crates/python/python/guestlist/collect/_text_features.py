"""Vectors of texts from models of Hugging Face, for audits by a handful of known records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import refuse_other_order
from .._errors import InputError, UsageError, hinted
from .._files import whole_file
from ._modes import evaluating
from ._tokens import check_sizes, checked, limit, named, token_table, tokenised

if TYPE_CHECKING:
    import pyarrow

QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


def text_features(
    path: str | os.PathLike[str],
    model: Any,
    tokenizer: Any,
    texts: Sequence[str],
    member: Sequence[bool],
    *,
    features: str = "statistics",
    reference: Any = None,
    ids: Iterable[Any] | None = None,
    batch_size: int = 8,
    max_length: int | None = None,
) -> Path:
    """Writes ``features.parquet`` for ``guestlist audit features.parquet --kind fewshot``.

    .. code-block:: python

        from guestlist import collect
        collect.text_features("features.parquet", tuned, tokenizer, texts, member, reference=base)

    ``features`` is ``"statistics"`` (how many tokens; means, deviations and quantiles of log-probabilities, log ranks,
    standardised log-probabilities and, with a ``reference``, of the difference from it) or ``"hidden"`` (the mean
    state of the last layer over all tokens but the last). They are those that ``guestlist run`` writes with
    ``scoring.features``. A text of fewer than two tokens is refused.
    """
    import pyarrow
    import pyarrow.parquet

    if features not in ("statistics", "hidden"):
        raise hinted(UsageError, f"features is {features!r}", "give statistics or hidden")
    path = Path(path)
    refuse_other_order(texts=texts, ids=ids)
    texts, member = checked(texts, member)
    names = named(ids, len(texts))
    options: dict[str, Any] = {"batch_size": batch_size, "max_length": max_length}
    if features == "hidden":
        check_sizes(**options)
        token_ids = tokenised(tokenizer, texts, limit([model], max_length))
        check_lengths(names, token_ids)
        vectors = list(_states(model, token_ids, batch_size))
    else:
        table = token_table(model, tokenizer, texts, member, reference=reference, ids=names, **options)
        check_lengths(names, table.column("token_ids").to_pylist())
        vectors = [_statistics(row) for row in table.to_pylist()]
    table = pyarrow.table(
        {"id": names, "member": member, "features": [vector.tolist() for vector in vectors]},
        schema=_schema(),
    )
    with whole_file(path) as name:
        pyarrow.parquet.write_table(table, name)
    return path


def _schema() -> pyarrow.Schema:
    import pyarrow

    vectors = pyarrow.list_(pyarrow.float32())
    return pyarrow.schema([("id", pyarrow.string()), ("member", pyarrow.bool_()), ("features", vectors)])


def check_lengths(names: list[str], token_ids: list[list[int]]) -> None:
    for name, ids in zip(names, token_ids, strict=True):
        if len(ids) < 2:
            what = f"text {name!r} has {len(ids)} token: there is nothing to predict"
            raise hinted(InputError, what, "leave texts out that are this short")


def _states(model: Any, token_ids: list[list[int]], batch_size: int) -> Iterator[np.ndarray]:
    """The last layer's mean state, behind its normalisation, over the tokens that predict another."""
    import torch

    device = next(model.parameters()).device
    with evaluating(model):
        for first in range(0, len(token_ids), batch_size):
            batch = token_ids[first : first + batch_size]
            tokens, mask = _padded(torch, batch)
            with torch.no_grad():
                answer = model(tokens.to(device), attention_mask=mask.to(device), output_hidden_states=True)
            states = answer.hidden_states[-1]
            for row, ids in enumerate(batch):
                yield states[row, : len(ids) - 1].double().mean(dim=0).float().cpu().numpy()


def _padded(torch: Any, batch: list[list[int]]) -> tuple[Any, Any]:
    """Texts padded on the right, where no token looks, and the mask of what they are."""
    longest = max(1, *map(len, batch)) if batch else 1
    tokens = torch.zeros((len(batch), longest), dtype=torch.long)
    mask = torch.zeros_like(tokens)
    for row, ids in enumerate(batch):
        tokens[row, : len(ids)] = torch.tensor(ids, dtype=torch.long)
        mask[row, : len(ids)] = 1
    return tokens, mask


def _statistics(row: dict[str, Any]) -> np.ndarray:
    """One row of token signals as a vector."""
    own, mean, variance, rank = (
        np.array(row[name][1:], dtype=np.float64) for name in ("logprob", "mean", "variance", "rank")
    )
    spread = np.sqrt(variance)
    distance = np.divide(own - mean, spread, out=np.zeros_like(own), where=spread > 0)
    series = [own, np.log(rank), distance]
    if "ref_logprob" in row:
        series.append(own - np.array(row["ref_logprob"][1:], dtype=np.float64))
    parts = [np.array([np.log(len(own))])]
    for values in series:
        parts.append(np.array([values.mean(), values.std(), *np.quantile(values, QUANTILES)]))
    return np.concatenate(parts).astype(np.float32)
