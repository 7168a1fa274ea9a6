"""Arrays of every library as NumPy sees them: views where that can be, copies where it cannot."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import InputError, UsageError, hinted

NamedArray = tuple[str, npt.NDArray[Any], str]
"""Name, array, and its element type as NumPy spells it: what the extension reads."""

READABLE = "biufUS"
"""Kinds of elements with a meaning here: booleans, numbers and text."""


def is_path(value: object) -> bool:
    return isinstance(value, (str, os.PathLike))


def named(name: str, value: object) -> NamedArray:
    """A view of the value that the extension can read, or a copy where there is none."""
    if np.ma.is_masked(value):
        hint = "every entry must be there: leave out the records or models with masked ones"
        raise hinted(InputError, f"{name} has masked entries", hint)
    array = as_numpy(value)
    if array.ndim == 0:
        raise hinted(InputError, f"{name} is a single value", "give an array or a list")
    if array.dtype.kind not in READABLE:
        hint = "give booleans, integers, float16, float32 or float64"
        raise hinted(InputError, f"{name} holds {array.dtype} values", hint)
    if any(stride < 0 for stride in array.strides):
        array = np.ascontiguousarray(array)
    return name, array, array.dtype.str


def flags(name: str, value: object) -> NamedArray:
    """Truth values, and -1 where nobody knows: None, NaN, -1, masked in NumPy, null elsewhere."""
    if isinstance(value, np.ma.MaskedArray):
        numbers, mask = value.data.astype(np.float64), np.ma.getmaskarray(value)
        return named(name, np.where(mask, -1.0, numbers))
    if hasattr(value, "is_null") and hasattr(value, "to_pylist"):  # PyArrow
        value = value.to_pylist()
    array = as_numpy(value)
    if array.dtype.kind == "O":
        known = [-1 if _is_missing(entry) else entry for entry in array.ravel().tolist()]
        array = np.asarray(known).reshape(array.shape)
    return named(name, array)


def _is_missing(value: Any) -> bool:
    return value is None or str(value) == "<NA>" or (isinstance(value, float) and value != value)


def as_numpy(value: Any) -> npt.NDArray[Any]:
    if type(value).__module__.partition(".")[0] == "torch":
        return _of_torch(value)
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        return np.from_dlpack(value)
    if type(value).__module__.partition(".")[0] == "pandas":
        return _of_pandas(value)
    return np.asarray(value)


def _of_pandas(value: Any) -> npt.NDArray[Any]:
    """pandas' own types, and Arrow's in it, look like objects to NumPy until they are named."""
    array = np.asarray(value)
    if array.dtype.kind != "O" or not hasattr(value, "dtypes") or np.any(value.isna()):
        return array
    kinds = {dtype.kind for dtype in np.atleast_1d(np.asarray(value.dtypes, dtype=object))}
    if not kinds <= set("biuf"):
        return array
    return np.asarray(value.to_numpy(dtype=np.float64 if "f" in kinds else np.int64))


def _of_torch(tensor: Any) -> npt.NDArray[Any]:
    tensor = tensor.detach().cpu()
    # NumPy has no bfloat16.
    tensor = tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor
    array: npt.NDArray[Any] = tensor.numpy()
    return array


def with_mask(name: str, value: Any) -> tuple[NamedArray, NamedArray | None]:
    """Numbers, and where entries are missing: masked in NumPy, null in pandas or Arrow."""
    mask: Any = None
    if isinstance(value, np.ma.MaskedArray):
        mask, value = np.ma.getmaskarray(value), value.data
    elif hasattr(value, "is_null") and hasattr(value, "null_count"):  # PyArrow
        if value.null_count:
            mask = np.asarray(value.is_null())
            value = value.fill_null(0)
    elif hasattr(value, "dtype") and hasattr(value.dtype, "na_value") and hasattr(value, "isna"):
        # pandas' own types know null; its float64 does not, and a NaN there stays a NaN.
        mask = np.asarray(value.isna())
        value = value.fillna(0).to_numpy()
    marked = None if mask is None or not np.any(mask) else named(f"mask of {name}", mask)
    return named(name, value), marked


def people(groups: Iterable[Any] | None) -> list[str | None] | None:
    """Whose each record is; None, NaN and empty names are nobody's."""
    if groups is None:
        return None
    named_by = [None if one is None or one != one else str(one) for one in groups]
    return [one or None for one in named_by]


def refuse_other_order(**tables: Any) -> None:
    """Refuses objects of pandas about the same records whose indexes disagree.

    Everything is laid side by side by its position: pandas itself would have matched these by their indexes, and
    records that were shuffled on one side get a truth that is none.
    """
    _refuse_other_index([found for name, value in tables.items() for found in _indexes(name, value, 0)])


def refuse_other_matrix(phi: Any, keep: Any, **tables: Any) -> None:
    """The same where ``phi`` and ``keep`` have a row per model, unless ``keep`` is of one model alone."""
    alone = (keep.ndim if hasattr(keep, "ndim") else np.ndim(keep)) == 1
    records = 0 if alone else 1
    if not alone:
        _refuse_other_index([*_indexes("phi", phi, 0), *_indexes("keep", keep, 0)])
    further = [found for name, value in tables.items() for found in _indexes(name, value, 0)]
    _refuse_other_index([*_indexes("phi", phi, records), *_indexes("keep", keep, records), *further])


def _indexes(name: str, value: Any, axis: int) -> list[tuple[str, Any]]:
    """The labels along an axis, of what has any; lists and tuples have those of all that they hold."""
    if isinstance(value, (list, tuple)):
        if axis == 0:
            return []
        rows = (_indexes(f"{name}[{row}]", one, axis - 1) for row, one in enumerate(value))
        return [found for row in rows for found in row]
    axes = value.axes if hasattr(value, "iloc") and hasattr(value, "axes") else []
    return [(name, axes[axis])] if axis < len(axes) else []


def _refuse_other_index(there: list[tuple[str, Any]]) -> None:
    for name, index in there[1:]:
        first, other = there[0]
        # Lengths that differ are told by whoever lays them side by side.
        if len(index) == len(other) and not index.equals(other):
            hint = f"bring both into one order, as {name}.reindex does with the index of the other, or give "
            hint += f"{name}.to_numpy() where row by row is what is meant"
            raise hinted(UsageError, f"the indexes of {first} and {name} disagree", hint)


def refuse_other_truth(inside: Any, given: Any) -> None:
    """Refuses two truths about the same records, in their order, that disagree: one of them would be passed over."""
    one, other = (flags("member", value)[1] for value in (inside, given))
    if one.dtype.kind not in "US" and other.dtype.kind not in "US":
        # Nobody knows is NaN in one, and -1 in another.
        one, other = (np.nan_to_num(array.astype(np.float64), nan=-1.0) for array in (one, other))
    if not np.array_equal(one, other):
        hint = "leave out one of them; scores that are called so need another name"
        raise hinted(UsageError, "the column member and the argument member disagree", hint)


def refuse_other_members(table: Any, listed: Iterable[str]) -> None:
    """The same of a table with ``id`` and ``member`` beside a list of ids, where it can be read twice."""
    there = getattr(table, "column_names", getattr(table, "columns", ()))
    if not {"id", "member"} <= {name for name in there if isinstance(name, str)}:
        return
    ids = np.asarray(table["id"]).tolist()
    said = flags("member", table["member"])[1].tolist()
    members = set(listed)
    # Where nobody knows, the list may say it.
    if any((str(id) in members) != bool(flag) for id, flag in zip(ids, said, strict=True) if flag in (0, 1)):
        hint = "leave out members, or the column"
        raise hinted(UsageError, "the column member of the table and the list members disagree", hint)


def names(ids: Iterable[Any] | None) -> list[str] | None:
    return None if ids is None else [str(name) for name in ids]
