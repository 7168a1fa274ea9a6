"""The records of an audit: read once, checked, and known by what is in them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .._errors import InputError, hinted
from ._inputs import Inputs, joined, mapped, parts
from ._reading import CHUNK, Read, reader


@dataclass(frozen=True)
class Records:
    """What models train on. Inputs lie where the user had them, or are read again whenever they are needed."""

    labels: Any
    """Class numbers [records], on the CPU."""
    digest: str
    """Of inputs and labels: a change of them is a change of every model."""
    copies: npt.NDArray[np.int64]
    """Of each record a number that its exact copies share."""
    _inputs: Inputs | None
    _read: Read

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def classes(self) -> int:
        return int(self.labels.max()) + 1

    def chunks(self, size: int, inputs: Inputs | None = None) -> Iterator[tuple[slice, Inputs]]:
        """All records in order, so many at a time, from where they are held now."""
        held = self._inputs if inputs is None else inputs
        for first in range(0, len(self), size):
            rows = slice(first, min(first + size, len(self)))
            yield rows, self._read.rows(rows)[0] if held is None else mapped(held, itemgetter(rows))

    def on(self, device: Any) -> Inputs:
        """All inputs on a device."""
        whole = self._inputs
        if whole is None:
            whole = joined([chunk for _, chunk in self.chunks(CHUNK)], torch.cat)
        return whole if device is None else mapped(whole, lambda tensor: tensor.to(device))

    def whole(self) -> Inputs:
        """All inputs, where they lie."""
        return self.on(None) if self._inputs is None else self._inputs

    def first(self, count: int) -> Records:
        """The first of the records alone."""
        inputs = mapped(self.whole(), itemgetter(slice(0, count)))
        return replace(self, labels=self.labels[:count], _inputs=inputs)

    def standing_for(self, labels: Any) -> Records:
        """So few records in place of many that are not read yet: their number, classes and shape are right."""
        return replace(self, labels=labels)

    def subset(self, rows: npt.NDArray[np.int64]) -> Any:
        """Some of the records as the user's own loop reads them."""
        return self._read.subset(rows)


def read(dataset: Any, labels: Any = None, *, keep: bool = True) -> Records:
    """Reads a data set: tensors, a ``Dataset``, a ``DataLoader`` or one of Hugging Face.

    ``keep=False`` leaves the inputs where they are, for a loop that reads them itself.
    """
    source = reader(dataset, labels)
    kept: list[Inputs] = []
    found: list[Any] = []
    ledger = _Ledger()
    for inputs, classes in source.chunks():
        _check_lengths(inputs, classes, sum(map(len, found)))
        ledger.add(inputs, classes)
        found.append(torch.as_tensor(classes).detach().cpu())
        if keep or not source.reads_again:
            kept.append(inputs)
    if not found:
        hint = "give (inputs, labels), a Dataset, or one of Hugging Face, with some hundreds of records"
        raise hinted(InputError, "the data set is empty", hint)
    classes = _checked_labels(torch.cat(found))
    source.check_again()
    whole = source.whole if source.whole is not None else (joined(kept, _cat) if kept else None)
    return Records(classes, ledger.digest(), ledger.copies(), whole, source)


def read_unlabelled(dataset: Any) -> Records:
    """The same where nobody needs labels: they may be there, and are not looked at."""
    if torch.is_tensor(dataset) or isinstance(dataset, np.ndarray):
        count = len(dataset)
    elif isinstance(dataset, Mapping):
        count = len(next(iter(dataset.values())))
    elif isinstance(dataset, (tuple, list)) and dataset and hasattr(dataset[0], "shape"):
        count = len(dataset[0])
    else:
        count = len(dataset)
    return read(dataset, torch.arange(count) % 2)


def _cat(pieces: list[Any]) -> Any:
    return pieces[0] if len(pieces) == 1 else torch.cat(pieces)


def _check_lengths(inputs: Inputs, labels: Any, before: int) -> None:
    for part in parts(inputs):
        if not torch.is_tensor(part):
            hint = "give tensors: a transform such as ToTensor makes them of images"
            raise hinted(InputError, f"inputs are {type(part).__name__}", hint)
        if len(part) != len(labels):
            what = f"from record {before} on there are {len(part)} inputs but {len(labels)} labels"
            raise hinted(InputError, what, "give one label per record")


def _checked_labels(labels: Any) -> Any:
    """A label is a whole number from 0, and there are two classes or more."""
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        hint = "give one class number per record; argmax(1) makes them of rows with a single one"
        raise hinted(InputError, f"labels have shape {list(labels.shape)}", hint)
    whole = labels.long()
    wrong = (labels != whole) | (whole < 0)
    if bool(wrong.any()):
        record = int(torch.nonzero(wrong)[0])
        what = f"the label of record {record} is {labels[record].item()}"
        raise hinted(InputError, what, "labels are whole numbers from 0, one per class")
    if bool((whole == whole[0]).all()):
        hint = "a classifier needs two classes or more"
        raise hinted(InputError, f"every record has the label {int(whole[0])}", hint)
    return whole


class _Ledger:
    """Records by the digest of what is in them."""

    def __init__(self) -> None:
        self._all = hashlib.sha256()
        self._known: dict[bytes, int] = {}
        self._copies: list[int] = []
        self._shape = ""

    def add(self, inputs: Inputs, labels: Any) -> None:
        rows = [_bytes(part) for part in parts(inputs)]
        rows.append(_bytes(torch.as_tensor(labels).to(torch.float64)))
        names = sorted(inputs) if isinstance(inputs, Mapping) else []
        shape = f"{names} {[(tuple(part.shape[1:]), str(part.dtype)) for part in parts(inputs)]}"
        if shape != self._shape:
            self._all.update(shape.encode())
            self._shape = shape
        for record in range(len(labels)):
            told = hashlib.sha256()
            for part in rows:
                told.update(part[record])
            own = told.digest()
            self._all.update(own)
            self._copies.append(self._known.setdefault(own, len(self._known)))

    def digest(self) -> str:
        return self._all.hexdigest()

    def copies(self) -> npt.NDArray[np.int64]:
        return np.asarray(self._copies, dtype=np.int64)


def _bytes(tensor: Any) -> npt.NDArray[np.uint8]:
    """The bytes of each record in a row."""
    flat = tensor.detach().cpu().contiguous().reshape(len(tensor), -1)
    if flat.shape[1] == 0:
        return np.zeros((len(flat), 0), dtype=np.uint8)
    rows: npt.NDArray[np.uint8] = flat.view(torch.uint8).numpy()
    return rows
