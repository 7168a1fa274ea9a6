"""Token signals from models of Hugging Face: what they made of every token of a text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import refuse_other_order
from .._errors import InputError, UsageError, hinted
from .._files import whole_file
from ._scoring import DISABLE_ADAPTER, Scored, reference_scored, scored

if TYPE_CHECKING:
    import pyarrow


def tokens(
    path: str | os.PathLike[str],
    model: Any,
    reference: Any,
    tokenizer: Any,
    texts: Sequence[str],
    member: Sequence[bool] | None,
    **options: Any,
) -> Path:
    """Writes ``tokens.parquet`` for ``guestlist.audit_tokens`` or ``guestlist audit``.

    .. code-block:: python

        from guestlist import collect
        collect.tokens("tokens.parquet", tuned, base, tokenizer, texts, member)
        report = guestlist.audit_tokens("tokens.parquet")

    ``reference`` is the model that fine-tuning started from, ``"disable_adapter"`` for a model of PEFT whose
    adapter is switched off for it, or ``None``. ``options`` are those of :func:`token_table`.
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
    member: Sequence[bool] | None,
    *,
    reference: Any = None,
    ids: Iterable[Any] | None = None,
    batch_size: int | None = None,
    max_length: int | None = None,
) -> pyarrow.Table:
    """Token signals of causal language models as a table of PyArrow.

    Log-probabilities and their moments are taken in float32 whatever the model computes in. A text that is longer
    than the model's context, or than ``max_length`` tokens, is cut there. Models are asked in evaluation mode and
    without gradients, and are left in the mode they came in. Texts go in batches of as many tokens as suit the
    device, or of ``batch_size`` texts.

    ``reference`` is a model, or ``"disable_adapter"``: the model itself with its adapter of PEFT switched off.
    ``member`` may be ``None`` where the truth lies elsewhere, as with canaries.
    """
    refuse_other_order(texts=texts, ids=ids)
    texts, flags = checked(texts, [False] * len(texts) if member is None else member)
    check_sizes(batch_size=batch_size, max_length=max_length)
    names = named(ids, len(texts))
    check_reference(model, reference)
    token_ids = tokenised(tokenizer, texts, limit([model, reference], max_length))
    own = scored(model, token_ids, batch_size)
    other = reference_scored(model, reference, token_ids, batch_size)
    about: dict[str, Any] = {"id": names, "text": texts}
    if member is not None:
        about["member"] = flags
    return assembled(about, token_ids, own, other)


def assembled(
    about: dict[str, Any], token_ids: list[list[int]], own: Scored, other: Scored | None
) -> pyarrow.Table:
    """A table of token signals, from what two models made of the same tokens."""
    import pyarrow

    offsets = pyarrow.array(own.offsets.astype(np.int32))
    flat = np.fromiter((token for ids in token_ids for token in ids), np.int32, own.offsets[-1])
    columns = dict(about)
    columns["token_ids"] = pyarrow.ListArray.from_arrays(offsets, pyarrow.array(flat))
    for prefix, found in (("", own), ("ref_", other)):
        for name, values in ({} if found is None else found.values).items():
            # The first token of a text has no prediction: its entry is null.
            absent = np.zeros(len(values), dtype=bool)
            absent[own.offsets[:-1][np.diff(own.offsets) > 0]] = True
            typed = np.where(absent, 0, values).astype(np.int32) if name == "rank" else values
            entries = pyarrow.array(typed, mask=absent)
            columns[prefix + name] = pyarrow.ListArray.from_arrays(offsets, entries)
    return pyarrow.table(columns)


def check_reference(model: Any, reference: Any) -> None:
    if not isinstance(reference, str):
        return
    if reference != DISABLE_ADAPTER:
        hint = f'give a model, or "{DISABLE_ADAPTER}" for a model of PEFT'
        raise hinted(UsageError, f"reference is {reference!r}", hint)
    if not hasattr(model, "disable_adapter"):
        hint = "give the model that fine-tuning started from"
        raise hinted(UsageError, f"the model has no adapter to switch off: it is a {type(model).__name__}", hint)


def tokenised(tokenizer: Any, texts: list[str], limit: int | None) -> list[list[int]]:
    """Tokens of every text. Tokenizers of Hugging Face's library take them all at once, on all cores."""
    if getattr(tokenizer, "is_fast", False) and texts:
        return [list(ids[:limit]) for ids in tokenizer(texts)["input_ids"]]
    return [list(tokenizer(text)["input_ids"][:limit]) for text in texts]


def checked(texts: Iterable[str], member: Iterable[Any]) -> tuple[list[str], list[bool]]:
    """Texts, and for each whether it was trained on."""
    refuse_other_order(texts=texts, member=member)
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


def named(ids: Iterable[Any] | None, count: int) -> list[str]:
    """The texts' ids, or their numbers from 0."""
    names = [str(i) for i in range(count)] if ids is None else [str(name) for name in ids]
    if len(names) != count:
        raise hinted(InputError, f"{count} texts but {len(names)} ids", "give one id per text")
    return names


def limit(models: Iterable[Any], max_length: int | None) -> int | None:
    """Tokens that every model can take at once."""
    limits = [max_length]
    for model in models:
        limits.append(getattr(getattr(model, "config", None), "max_position_embeddings", None))
    known = [limit for limit in limits if limit]
    return min(known) if known else None
