"""Documents as programs hold them: texts, mappings, frames, and the objects of retrieval frameworks."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ._errors import InputError, hinted
from ._files import whole_file

TEXTS = ("page_content", "content", "text")
"""Where LangChain, Haystack and LlamaIndex keep a document's text."""
IDS = ("id", "id_", "node_id", "doc_id")


def written(name: str, given: Any, folder: Path) -> str:
    """The path of these documents; those that have none yet are written to the folder."""
    if isinstance(given, (str, os.PathLike)):
        return os.fspath(given)
    if hasattr(given, "columns") and hasattr(given, "to_dict"):
        if len(set(given.columns)) < len(given.columns):
            raise _wrong(name, "has two columns of one name")
        given = given.to_dict("records")
    if not isinstance(given, Iterable):
        raise _wrong(name, "is neither a path nor a list")
    rows = [_row(name, number, one) for number, one in enumerate(given, 1)]
    if not rows:
        raise _wrong(name, "is empty")
    # For the user alone, as every folder of a run.
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    with whole_file(path) as place, open(place, "w", encoding="utf-8") as out:
        out.writelines(as_json(row) + "\n" for row in rows)
    return os.fspath(path)


def as_json(given: Any) -> str:
    """JSON as everybody reads it: numbers that it does not have, such as missing ones of a frame, are null."""
    return json.dumps(_finite(given), default=str)


def _finite(given: Any) -> Any:
    if isinstance(given, float):
        return given if math.isfinite(given) else None
    if isinstance(given, dict):
        return {key: _finite(value) for key, value in given.items()}
    if isinstance(given, (list, tuple)):
        return [_finite(value) for value in given]
    return given


def document(given: Any) -> dict[str, Any]:
    """``id``, ``title`` and ``text`` of whatever holds them."""
    if isinstance(given, str):
        return {"text": given}
    if isinstance(given, Mapping):
        return dict(given)
    # LlamaIndex hands out nodes in an envelope with their score.
    given = getattr(given, "node", given)
    about = getattr(given, "metadata", None) or getattr(given, "meta", None) or {}
    text = next(
        (text for text in (getattr(given, name, None) for name in TEXTS) if isinstance(text, str)),
        None,
    )
    own = (
        getattr(given, "ref_doc_id", None),
        about.get("id"),
        *(getattr(given, name, None) for name in IDS),
    )
    found = {
        "id": next((str(one) for one in own if one), None),
        "title": about.get("title"),
        "text": text,
    }
    return {key: value for key, value in found.items() if value is not None}


def _row(name: str, number: int, given: Any) -> dict[str, Any]:
    row = document(given)
    if not isinstance(row.get("text"), str):
        raise _wrong(name, f"row {number} is {type(given).__name__} without a text")
    return row


def _wrong(name: str, what: str) -> Exception:
    hint = 'give texts, {"id": …, "text": …}, a frame with such columns, or a path'
    return hinted(InputError, f"{name}: {what}", hint)
