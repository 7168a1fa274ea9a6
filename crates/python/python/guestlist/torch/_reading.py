"""How data sets of every kind are read: in order, in pieces, and the same again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .._errors import InputError, hinted
from ._inputs import Inputs, joined, mapped, parts

CHUNK = 1024
"""Records that are read at once."""

COMPARED = 48
"""Records that are read twice, to see that they stay what they are."""

LABELS = ("labels", "label")

SAME = (
    "a record must be the same whenever it is read: no shuffling, and random transforms belong into "
    "augment=…, which trains alone see"
)

Chunk = tuple[Inputs, Any]


class Read:
    """A data set that can be read in order."""

    reads_again = True
    """Whether any record can be had again, whenever it is wanted."""
    whole: Inputs | None = None
    """All inputs, where they are there already."""

    def chunks(self) -> Iterator[Chunk]:
        raise NotImplementedError

    def rows(self, rows: slice) -> Chunk:
        raise NotImplementedError

    def subset(self, rows: npt.NDArray[np.int64]) -> Any:
        raise NotImplementedError

    def check_again(self) -> None:
        """Refuses records that are others at a second reading."""


def reader(dataset: Any, labels: Any = None) -> Read:
    """The way to read a data set, by what it is."""
    given = None if labels is None else torch.as_tensor(labels)
    if isinstance(dataset, torch.utils.data.DataLoader):
        return _Loaded(_unshuffled(dataset), given)
    if isinstance(dataset, torch.utils.data.TensorDataset):
        dataset = dataset.tensors
    if given is not None and (torch.is_tensor(dataset) or isinstance(dataset, np.ndarray)):
        return _Tensors(_tensor(dataset), given)
    if isinstance(dataset, (tuple, list)) and len(dataset) > 1 and all(map(_is_array, dataset)):
        return _Tensors(*_apart(tuple(map(_tensor, dataset)), given))
    if isinstance(dataset, (tuple, list)) and len(dataset) == 2 and _is_named(dataset[0]) and _is_array(dataset[1]):
        inputs = {name: _tensor(value) for name, value in dataset[0].items()}
        return _Tensors(inputs, _tensor(dataset[1]) if given is None else given)
    if _is_named(dataset):
        inputs, own = _apart({name: _tensor(value) for name, value in dataset.items()}, given)
        return _Tensors(inputs, own)
    if hasattr(dataset, "with_format") and hasattr(dataset, "column_names"):
        return _HuggingFace(dataset, given)
    if isinstance(dataset, torch.utils.data.IterableDataset):
        return _Loaded(torch.utils.data.DataLoader(dataset, batch_size=CHUNK), given)
    if hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__"):
        return _Items(dataset, given)
    hint = "give (inputs, labels) as tensors, a Dataset or DataLoader of PyTorch, or one of Hugging Face"
    raise hinted(InputError, f"the data set is {type(dataset).__name__}", hint)


def _is_named(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_array, value.values()))


def _is_array(value: Any) -> bool:
    return torch.is_tensor(value) or isinstance(value, np.ndarray)


def _tensor(value: Any) -> Any:
    return value if torch.is_tensor(value) else torch.as_tensor(value)


def _apart(item: Any, given: Any) -> Chunk:
    """Inputs and labels of records that were put together; labels that were given replace their own."""
    if isinstance(item, Mapping):
        name = next((name for name in LABELS if name in item), None)
        if name is None and given is None:
            hint = 'name the labels "label" or "labels", or give labels=…'
            raise hinted(InputError, f"a record has {', '.join(map(str, item))} but no labels", hint)
        named = {key: value for key, value in item.items() if key != name}
        return named, item[name] if given is None else given
    if isinstance(item, (tuple, list)) and len(item) > 1:
        inputs = item[0] if len(item) == 2 else tuple(item[:-1])
        return inputs, item[-1] if given is None else given
    if given is not None:
        return (item[0] if isinstance(item, (tuple, list)) else item), given
    hint = "a record is (input, label), or a mapping with the label; or give labels=…"
    raise hinted(InputError, f"a record is {type(item).__name__}", hint)


class _Tensors(Read):
    """Inputs and labels that are there already."""

    def __init__(self, inputs: Inputs, labels: Any) -> None:
        self.whole, self._labels = inputs, labels
        for part in parts(inputs):
            if len(part) != len(labels):
                what = f"there are {len(part)} inputs but {len(labels)} labels"
                raise hinted(InputError, what, "give one label per record")

    def chunks(self) -> Iterator[Chunk]:
        for first in range(0, len(self._labels), CHUNK):
            yield self.rows(slice(first, first + CHUNK))

    def rows(self, rows: slice) -> Chunk:
        return mapped(self.whole, lambda tensor: tensor[rows]), self._labels[rows]

    def subset(self, rows: npt.NDArray[np.int64]) -> Any:
        if isinstance(self.whole, Mapping):
            return _Named(self.whole, self._labels, rows)
        tensors = torch.utils.data.TensorDataset(*parts(self.whole), self._labels)
        return torch.utils.data.Subset(tensors, rows.tolist())


class _Named:
    """Records whose inputs have names, with the label as ``labels``."""

    def __init__(self, inputs: Mapping[str, Any], labels: Any, rows: npt.NDArray[np.int64]) -> None:
        self._inputs, self._labels, self._rows = inputs, labels, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> dict[str, Any]:
        row = int(self._rows[place])
        named = {name: values[row] for name, values in self._inputs.items()}
        return {**named, "labels": self._labels[row]}


class _Items(Read):
    """A data set of PyTorch that gives one record at a time."""

    def __init__(self, dataset: Any, labels: Any) -> None:
        self._dataset, self._labels = dataset, labels

    def chunks(self) -> Iterator[Chunk]:
        for first in range(0, len(self._dataset), CHUNK):
            yield self.rows(slice(first, min(first + CHUNK, len(self._dataset))))

    def rows(self, rows: slice) -> Chunk:
        places = range(rows.start, rows.stop)
        given = None if self._labels is None else self._labels[rows]
        return _apart(_collated([self._dataset[place] for place in places], rows.start), given)

    def subset(self, rows: npt.NDArray[np.int64]) -> Any:
        return torch.utils.data.Subset(self._dataset, rows.tolist())

    def check_again(self) -> None:
        count = len(self._dataset)
        for place in sorted({count * part // COMPARED for part in range(COMPARED)}):
            _refuse_change(place, self.rows)


class _HuggingFace(Read):
    """A data set of Hugging Face."""

    def __init__(self, dataset: Any, labels: Any) -> None:
        if not hasattr(dataset, "__len__"):
            hint = "give one of its splits that is not streamed, such as load_dataset(…, split='train')"
            raise hinted(InputError, "the data set is streamed", hint)
        if isinstance(dataset, Mapping):
            hint = f"give one of them: dataset[{next(iter(dataset))!r}]"
            raise hinted(InputError, f"the data set has the splits {', '.join(dataset)}", hint)
        self._own, self._labels = dataset, labels
        self._dataset = dataset if dataset.format["type"] == "torch" else dataset.with_format("torch")

    def chunks(self) -> Iterator[Chunk]:
        for first in range(0, len(self._dataset), CHUNK):
            yield self.rows(slice(first, min(first + CHUNK, len(self._dataset))))

    def rows(self, rows: slice) -> Chunk:
        columns = self._dataset[rows.start : rows.stop]
        named = {name: self._stacked(name, values) for name, values in columns.items()}
        given = None if self._labels is None else self._labels[rows]
        inputs, labels = _apart(named, given)
        return (next(iter(inputs.values())) if _is_image(inputs) else inputs), labels

    def _stacked(self, name: str, values: Any) -> Any:
        if torch.is_tensor(values):
            return values
        try:
            return torch.stack([torch.as_tensor(value) for value in values])
        except (RuntimeError, TypeError, ValueError) as error:
            hint = "pad or resize them (tokenizer(…, padding='max_length', truncation=True)), or remove the "
            hint += f"column: dataset.remove_columns({name!r})"
            raise hinted(InputError, f"column {name} is not of one shape or holds no numbers", hint) from error

    def subset(self, rows: npt.NDArray[np.int64]) -> Any:
        return self._own.select(rows)

    def check_again(self) -> None:
        count = len(self._dataset)
        for place in sorted({count * part // COMPARED for part in range(COMPARED)}):
            _refuse_change(place, self.rows)


def _is_image(inputs: Inputs) -> bool:
    """A single column that no model takes by its name in the data set."""
    return isinstance(inputs, Mapping) and list(inputs) in (["img"], ["image"], ["x"], ["features"])


class _Loaded(Read):
    """A loader, read from its beginning; what it gave is kept."""

    reads_again = False

    def __init__(self, loader: Any, labels: Any) -> None:
        self._loader, self._labels = loader, labels
        self._chunks: list[Chunk] = []

    def chunks(self) -> Iterator[Chunk]:
        before = 0
        for batch in self._loader:
            inputs, labels = self._read(batch, before)
            before += len(labels)
            self._chunks.append((inputs, labels))
            yield inputs, labels

    def _read(self, batch: Any, before: int) -> Chunk:
        inputs, labels = _apart(batch, None if self._labels is None else self._labels[before:])
        return inputs, labels[: len(parts(inputs)[0])]

    def rows(self, rows: slice) -> Chunk:
        raise NotImplementedError

    def subset(self, rows: npt.NDArray[np.int64]) -> Any:
        whole = _Tensors(
            joined([inputs for inputs, _ in self._chunks], torch.cat),
            torch.cat([torch.as_tensor(labels) for _, labels in self._chunks]),
        )
        return whole.subset(rows)

    def check_again(self) -> None:
        again = iter(self._loader)
        for place, (inputs, labels) in enumerate(self._chunks[:2]):
            batch = next(again, None)
            other = None if batch is None else self._read(batch, place * len(labels))
            if other is None or not _equal((inputs, labels), other):
                raise hinted(InputError, f"batch {place} of the loader is another at a second reading", SAME)


def _unshuffled(loader: Any) -> Any:
    data = torch.utils.data
    random = (data.RandomSampler, data.SubsetRandomSampler, data.WeightedRandomSampler)
    batches = getattr(loader, "batch_sampler", None)
    for sampler in (getattr(loader, "sampler", None), getattr(batches, "sampler", None)):
        if isinstance(sampler, random):
            hint = "records must come in their order: give its data set, or a DataLoader with shuffle=False"
            raise hinted(InputError, f"the loader draws records by a {type(sampler).__name__}", hint)
    if getattr(loader, "drop_last", False):
        hint = "every record counts: give its data set, or a DataLoader with drop_last=False"
        raise hinted(InputError, "the loader drops its last records", hint)
    return loader


def _collated(items: list[Any], first: int) -> Any:
    try:
        return torch.utils.data.default_collate(items)
    except (RuntimeError, TypeError) as error:
        hint = "records must be tensors or numbers of one shape: a transform such as ToTensor and Resize makes "
        hint += "them so"
        what = f"records from {first} on cannot be put together: {str(error).splitlines()[0]}"
        raise hinted(InputError, what, hint) from error


def _refuse_change(place: int, read: Callable[[slice], Chunk]) -> None:
    row = slice(place, place + 1)
    if not _equal(read(row), read(row)):
        raise hinted(InputError, f"record {place} is another at a second reading", SAME)


def _equal(one: Chunk, other: Chunk) -> bool:
    both = zip([*parts(one[0]), one[1]], [*parts(other[0]), other[1]], strict=True)
    return all(_same(torch.as_tensor(a), torch.as_tensor(b)) for a, b in both)


def _same(one: Any, other: Any) -> bool:
    if one.shape != other.shape:
        return False
    return bool(((one == other) | ((one != one) & (other != other))).all())
