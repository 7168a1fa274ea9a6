"""Token signals from models of Hugging Face: what they made of every token of a text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._errors import InputError, UsageError, hinted
from .._files import whole_file
from ._modes import evaluating

if TYPE_CHECKING:
    import pyarrow


def tokens(
    path: str | os.PathLike[str],
    model: Any,
    reference: Any,
    tokenizer: Any,
    texts: Sequence[str],
    member: Sequence[bool],
    **options: Any,
) -> Path:
    """Writes ``tokens.parquet`` for ``guestlist.audit_tokens`` or ``guestlist audit``.

    .. code-block:: python

        from guestlist import collect
        collect.tokens("tokens.parquet", tuned, base, tokenizer, texts, member)
        report = guestlist.audit_tokens("tokens.parquet")

    ``reference`` is the model that fine-tuning started from, or ``None``. ``options`` are those of
    :func:`token_table`.
    """
    import pyarrow.parquet

    path = Path(path)
    table = token_table(model, tokenizer, texts, member, reference=reference, **options)
    with whole_file(path) as name:
        pyarrow.parquet.write_table(table, name)
    return path


def token_table(
    model: Any,
    tokenizer: Any,
    texts: Sequence[str],
    member: Sequence[bool],
    *,
    reference: Any = None,
    ids: Iterable[Any] | None = None,
    batch_size: int = 8,
    max_length: int | None = None,
) -> pyarrow.Table:
    """Token signals of causal language models as a table of PyArrow.

    Log-probabilities are taken in float32 whatever the model computes in. A text that is longer than the
    model's context, or than ``max_length`` tokens, is cut there. Models are asked in evaluation mode and
    without gradients, and are left in the mode they came in.
    """
    import pyarrow

    texts, member = checked(texts, member)
    check_sizes(batch_size=batch_size, max_length=max_length)
    named = [str(i) for i in range(len(texts))] if ids is None else [str(name) for name in ids]
    if len(named) != len(texts):
        what = f"{len(texts)} texts but {len(named)} ids"
        raise hinted(InputError, what, "give one id per text")
    limit = _limit([model, reference], tokenizer, max_length)
    token_ids = [tokenizer(text)["input_ids"][:limit] for text in texts]
    columns: dict[str, list[Any]] = {
        "id": named,
        "member": member,
        "text": texts,
        "token_ids": token_ids,
    }
    for prefix, asked in (("", model), ("ref_", reference)):
        if asked is None:
            continue
        columns |= {prefix + name: [] for name in ("logprob", "rank", "mean", "variance", "max_logprob")}
        for signals in _scored(asked, token_ids, batch_size):
            for name, values in signals.items():
                columns[prefix + name].append(values)
    numbers, integers = pyarrow.list_(pyarrow.float32()), pyarrow.list_(pyarrow.int32())
    types = {"id": pyarrow.string(), "member": pyarrow.bool_(), "text": pyarrow.string()}
    types |= {"token_ids": integers, "rank": integers, "ref_rank": integers}
    fields = [(name, types.get(name, numbers)) for name in columns]
    return pyarrow.table(columns, schema=pyarrow.schema(fields))


def checked(texts: Iterable[str], member: Iterable[Any]) -> tuple[list[str], list[bool]]:
    """Texts, and for each whether it was trained on."""
    if isinstance(texts, str):
        raise hinted(InputError, "texts is a single text", "give a list of texts")
    texts = list(texts)
    flags = [_flag(place, flag) for place, flag in enumerate(member)]
    if len(texts) != len(flags):
        what = f"{len(texts)} texts but {len(flags)} members"
        raise hinted(InputError, what, "give one flag per text")
    return texts, flags


def _flag(place: int, flag: Any) -> bool:
    value = flag.item() if hasattr(flag, "item") and flag is not np.ma.masked else flag
    if not isinstance(value, (bool, int, float)) or value not in (0, 1):
        hint = "flags are True and False, or 1 and 0"
        raise hinted(InputError, f"member of text {place} is {value!r}", hint)
    return bool(value)


def check_sizes(**sizes: int | None) -> None:
    for name, size in sizes.items():
        if size is not None and size < 1:
            raise hinted(UsageError, f"{name} is {size}", "give 1 or more")


def _limit(models: Iterable[Any], tokenizer: Any, max_length: int | None) -> int | None:
    limits = [max_length]
    for model in models:
        limits.append(getattr(getattr(model, "config", None), "max_position_embeddings", None))
    known = [limit for limit in limits if limit]
    return min(known) if known else None


def _scored(
    model: Any, token_ids: list[list[int]], batch_size: int
) -> Iterator[dict[str, list[Any]]]:
    """Signals of every text in turn. Texts are padded on the right, where no token looks."""
    import torch

    device = next(model.parameters()).device
    with evaluating(model):
        for first in range(0, len(token_ids), batch_size):
            batch = token_ids[first : first + batch_size]
            longest = max(1, *map(len, batch)) if batch else 1
            padded = torch.zeros((len(batch), longest), dtype=torch.long)
            mask = torch.zeros_like(padded)
            for row, ids in enumerate(batch):
                padded[row, : len(ids)] = torch.tensor(ids, dtype=torch.long)
                mask[row, : len(ids)] = 1
            with torch.no_grad():
                logits = model(padded.to(device), attention_mask=mask.to(device)).logits
                for row, ids in enumerate(batch):
                    yield _of_text(torch, logits[row, : len(ids)], ids)


def _of_text(torch: Any, logits: Any, ids: list[int]) -> dict[str, list[Any]]:
    """The first token has no prediction: its entries are null."""
    logprobs = torch.log_softmax(logits[:-1].float(), dim=-1)
    true = torch.tensor(ids[1:], dtype=torch.long, device=logprobs.device)
    own = logprobs.gather(1, true[:, None])
    probabilities = logprobs.exp()
    # 0 times -inf is 0 here: what cannot be has no share in the mean.
    finite = logprobs.masked_fill(probabilities == 0, 0.0)
    mean = (probabilities * finite).sum(dim=1)
    signals = {
        "logprob": own[:, 0],
        "rank": (logprobs > own).sum(dim=1) + 1,
        "mean": mean,
        "variance": (probabilities * (finite - mean[:, None]) ** 2).sum(dim=1),
        "max_logprob": logprobs.amax(dim=1),
    }
    absent: list[Any] = [None] if ids else []
    return {name: absent + values.cpu().tolist() for name, values in signals.items()}
