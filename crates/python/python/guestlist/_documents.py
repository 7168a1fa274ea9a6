"""Documents and sources as programs hold them: texts, mappings, frames, and the objects of retrieval frameworks."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

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
    if isinstance(given, Mapping):
        given = _by_id(name, given)
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
    found = _known(given)
    ids = (found.get("document_id"), found.get("id"))
    kept = {
        "id": next((str(one) for one in ids if one), None),
        "title": found.get("title"),
        "text": found.get("text"),
    }
    return {key: value for key, value in kept.items() if value is not None}


def shown(given: Any) -> Any:
    """What an answer shows as its sources, as JSON: the audit reads that as it reads answers of services. Objects
    become mappings; one that nothing can be read of is an error."""
    if isinstance(given, Mapping) or not _is_several(given):
        return _plain(given, 1)
    return [_plain(one, number) for number, one in enumerate(_several(given), 1)]


def _plain(given: Any, number: int) -> Any:
    given = _value(given)
    if given is None or isinstance(given, (str, bool, int, float)):
        return given
    if isinstance(given, Mapping):
        return {str(key): _within(value) for key, value in given.items()}
    if _is_several(given):
        return [_plain(one, number) for one in _several(given)]
    found = _of_object(given)
    if not found:
        raise TypeError(f"source {number} of type {type(given).__name__} without id, title or text")
    return found


def _within(given: Any) -> Any:
    """The same in a mapping, where not everything is a source."""
    try:
        return _plain(given, 1)
    except TypeError:
        return {"type": type(given).__name__}


def _of_object(given: Any) -> dict[str, Any]:
    found = _known(given)
    if "text" in found:
        return found
    # Whatever it calls its parts.
    own = {
        key: value
        for key, value in getattr(given, "__dict__", {}).items()
        if not key.startswith("_") and _may_tell(value)
    }
    return {**{key: _within(value) for key, value in own.items()}, **found}


def _may_tell(given: Any) -> bool:
    """A payload may; numbers, such as an embedding's, do not."""
    if isinstance(given, (list, tuple)):
        return not all(isinstance(one, float) for one in given)
    return _is_plain(given) or isinstance(given, Mapping) or bool(_known(given))


def _known(given: Any) -> dict[str, Any]:
    """What documents of frameworks hold; what was noted of them goes along, for it may have their names."""
    # LlamaIndex hands out nodes in an envelope with their score.
    given = getattr(given, "node", given)
    if isinstance(given, type) or _is_plain(given) or given is None:
        return {}
    about = getattr(given, "metadata", None) or getattr(given, "meta", None) or {}
    about = dict(about) if isinstance(about, Mapping) else {}
    text = next(
        (text for text in (getattr(given, name, None) for name in TEXTS) if isinstance(text, str)),
        None,
    )
    title = about.get("title") or getattr(given, "title", None)
    notes = {str(key): _value(one) for key, one in about.items() if _is_plain(_value(one))}
    found = {
        "document_id": _name(getattr(given, "ref_doc_id", None) or about.get("id")),
        "id": next(filter(None, (_name(getattr(given, name, None)) for name in IDS)), None),
        "title": title if isinstance(title, str) else None,
        "text": text,
        "metadata": notes or None,
    }
    return {key: value for key, value in found.items() if value is not None}


def _name(given: Any) -> str | None:
    """An id as a text; what is no text, number or UUID is none."""
    given = _value(given)
    named = isinstance(given, (str, int)) and not isinstance(given, bool) and given != ""
    return str(given) if named else None


def _value(given: Any) -> Any:
    """Numbers of NumPy, paths and UUIDs as everybody writes them."""
    if isinstance(given, (os.PathLike, UUID)):
        return str(given)
    if getattr(given, "shape", None) == () and hasattr(given, "item"):
        return given.item()
    return given


def _is_plain(given: Any) -> bool:
    return isinstance(given, (str, bool, int, float))


def _is_several(given: Any) -> bool:
    """Documents of some frameworks can be iterated over, too: theirs are fields."""
    if hasattr(given, "columns"):
        return True
    return isinstance(given, Iterable) and not (
        isinstance(given, (str, bytes, Mapping))
        or hasattr(type(given), "model_fields")
        or _known(given)
    )


def _several(given: Any) -> Iterable[Any]:
    if hasattr(given, "columns") and hasattr(given, "to_dict"):
        return list(given.to_dict("records"))
    if hasattr(given, "_asdict"):
        return [given._asdict()]
    return list(given)


def _by_id(name: str, given: Mapping[Any, Any]) -> list[dict[str, Any]]:
    """Documents under their ids."""
    if isinstance(given.get("text"), (str, list)):
        raise _wrong(name, "is one mapping with text, and no list")
    return [{**document(one), "id": str(key)} for key, one in given.items()]


def _row(name: str, number: int, given: Any) -> dict[str, Any]:
    row = document(given)
    if not isinstance(row.get("text"), str):
        raise _wrong(name, f"row {number} is {type(given).__name__} without a text")
    return row


def _wrong(name: str, what: str) -> Exception:
    hint = 'give a list of texts or of {"id": …, "text": …}, {id: text}, a frame with such columns, or a path'
    return hinted(InputError, f"{name}: {what}", hint)
