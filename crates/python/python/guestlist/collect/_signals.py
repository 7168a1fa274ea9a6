"""Shadow signals from models of PyTorch: the logit-scaled confidence of every record."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from .._arrays import as_numpy
from .._errors import FileError, InputError, UsageError, hinted
from .._files import whole_file
from ._modes import evaluating
from ._phi import rescaled


def signals(
    path: str | os.PathLike[str],
    splits: Any,
    *,
    ids: Iterable[Any] | None = None,
) -> Signals:
    """Collects what models say about every record, and writes ``signals.npz`` when all have.

    ``splits`` is ``[models, records]``, as :func:`guestlist.shadow_splits` gives it: model m trains on
    the records where row m is true. Row 0 is the audited model.

    .. code-block:: python

        with collect.signals("signals.npz", splits=keep) as signals:
            for m in signals.missing:
                signals.add(m, train(keep[m]), loader)

    ``loader`` gives (inputs, labels) of *all* records in their order: no shuffling, nothing dropped. A
    batch may also be a mapping with ``labels``, whose other entries the model takes by name. A
    model that was added stays: stop the loop whenever you like, and the next one trains only what is
    missing. Several processes may each add some of the models.
    """
    return Signals(path, splits, ids=ids)


class Signals:
    """What :func:`signals` gives."""

    path: Path
    """The file that is written when no model is missing."""
    keep: npt.NDArray[np.bool_]
    """Which records each model trains on."""

    def __init__(
        self, path: str | os.PathLike[str], splits: Any, *, ids: Iterable[Any] | None = None
    ) -> None:
        self.path = Path(path)
        keep = as_numpy(splits)
        if keep.ndim != 2 or not np.isin(keep, (0, 1)).all():
            hint = "give [models, records] with 1 where a model trains on a record and 0 elsewhere"
            raise InputError(f"splits has shape {keep.shape}; hint: {hint}", hint)
        self.keep = keep.astype(np.bool_)
        self._ids = None if ids is None else np.asarray([str(name) for name in ids])
        if self._ids is not None and len(self._ids) != keep.shape[1]:
            what = f"there are {len(self._ids)} ids but splits has {keep.shape[1]} records"
            raise hinted(InputError, what, "give one id per record")
        self._parts = self.path.with_name(self.path.name + ".parts")
        self._labels: npt.NDArray[np.int64] | None = None
        self._open()

    def __enter__(self) -> Signals:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and not self.missing and not self._is_finished():
            self._write()

    @property
    def missing(self) -> list[int]:
        """The models that are yet to be added."""
        if self._is_finished():
            return []
        return [model for model in range(len(self.keep)) if not self._part(model).exists()]

    def __contains__(self, model: int) -> bool:
        return model not in self.missing

    def add(self, index: int, model: Any, loader: Iterable[Any]) -> bool:
        """Asks a model about all records; ``False`` where it was there already.

        The model is asked in evaluation mode and without gradients, on the device where its parameters
        are, and is left in the mode it came in.
        """
        if not 0 <= index < len(self.keep):
            hint = f"models are numbered 0 to {len(self.keep) - 1}, as the rows of splits"
            raise UsageError(f"there is no model {index}; hint: {hint}", hint)
        if index in self:
            return False
        phi, labels = confidences(model, loader)
        self._check(index, phi, labels)
        with whole_file(self._part(index)) as name, open(name, "wb") as file:
            np.savez(file, phi=phi, labels=labels)
        return True

    def _check(
        self, index: int, phi: npt.NDArray[np.float32], labels: npt.NDArray[np.int64]
    ) -> None:
        records = self.keep.shape[1]
        if len(phi) != records:
            hint = "give every record once and in order: shuffle=False, drop_last=False"
            message = f"the loader gave {len(phi)} records but splits has {records}"
            raise InputError(f"{message}; hint: {hint}", hint)
        if not np.isfinite(phi).all():
            record = int(np.flatnonzero(~np.isfinite(phi))[0])
            hint = "logits must be finite: did this model's training diverge, or float16 overflow?"
            message = f"phi of model {index}, record {record} is {phi[record]}"
            raise InputError(f"{message}; hint: {hint}", hint)
        if self._labels is None:
            self._labels = self._stored_labels()
        if self._labels is not None and not np.array_equal(labels, self._labels):
            hint = "give the records in the same order every time, with shuffle=False; if the earlier "
            hint += f"loader was wrong, remove {self._parts} and add all models anew"
            message = f"the labels for model {index} are not those for the models before it: "
            message += "either this loader or the earlier one was out of order"
            raise hinted(InputError, message, hint)
        self._labels = labels

    def _part(self, model: int) -> Path:
        return self._parts / f"{model:05}.npz"

    def _is_finished(self) -> bool:
        return self.path.exists() and not self._parts.exists()

    def _open(self) -> None:
        """Refuses what belongs to other splits."""
        kept = self._parts / "keep.npy"
        if self._is_finished():
            same = np.array_equal(self._stored_keep(), self.keep)
        elif kept.exists():
            same = np.array_equal(np.load(kept), self.keep)
        else:
            self._parts.mkdir(mode=0o700, parents=True, exist_ok=True)
            with whole_file(kept) as name, open(name, "wb") as file:
                np.save(file, self.keep)
            same = True
        if not same:
            place = self.path if self._is_finished() else self._parts
            hint = "remove it to collect anew, or give the splits that it was made with"
            raise UsageError(f"{place}: was made with other splits; hint: {hint}", hint)

    def _stored_keep(self) -> npt.NDArray[Any]:
        try:
            with np.load(self.path) as stored:
                keep: npt.NDArray[Any] = stored["keep"]
                return keep
        except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
            hint = "remove it to collect anew, or give another path"
            raise hinted(FileError, f"{self.path}: is no npz file of signals", hint) from error

    def _stored_labels(self) -> npt.NDArray[np.int64] | None:
        for model in range(len(self.keep)):
            if self._part(model).exists():
                labels: npt.NDArray[np.int64] = np.load(self._part(model))["labels"]
                return labels
        return None

    def _write(self) -> None:
        """All models in one file, row by row, so that no more than one is in memory."""
        labels = self._stored_labels()
        extra = {} if self._ids is None else {"ids": self._ids}
        with whole_file(self.path) as name:
            with zipfile.ZipFile(name, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
                self._write_phi(archive)
                for key, array in {"keep": self.keep, "labels": labels, **extra}.items():
                    with archive.open(f"{key}.npy", "w") as entry:
                        np.lib.format.write_array(entry, np.asarray(array), allow_pickle=False)
        shutil.rmtree(self._parts)

    def _write_phi(self, archive: zipfile.ZipFile) -> None:
        header = {"descr": "<f4", "fortran_order": False, "shape": self.keep.shape}
        with archive.open("phi.npy", "w", force_zip64=True) as entry:
            np.lib.format.write_array_header_1_0(entry, header)
            for model in range(len(self.keep)):
                entry.write(np.load(self._part(model))["phi"].astype("<f4").tobytes())


def confidences(
    model: Any, loader: Iterable[Any]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """phi = z_y - logsumexp(other z) of every record of a loader, and the labels."""
    import torch

    _refuse_shuffled(torch, loader)
    first = next(iter(model.parameters()), None)
    device = first.device if first is not None else torch.device("cpu")
    phi: list[Any] = []
    labels: list[Any] = []
    with evaluating(model), torch.no_grad():
        for batch in loader:
            logits, classes = _asked(torch, model, batch, device)
            _check_classes(torch, classes, logits.shape[1], sum(map(len, labels)))
            phi.append(rescaled(logits, classes.long()))
            labels.append(classes.long())
    if not phi:
        hint = "give (inputs, labels) of all records"
        raise InputError(f"the loader gave no records; hint: {hint}", hint)
    return (
        torch.cat(phi).float().numpy(),
        torch.cat(labels).numpy(),
    )


def _refuse_shuffled(torch: Any, loader: Any) -> None:
    data = torch.utils.data
    random = (data.RandomSampler, data.SubsetRandomSampler, data.WeightedRandomSampler)
    batches = getattr(loader, "batch_sampler", None)
    for sampler in (getattr(loader, "sampler", None), getattr(batches, "sampler", None)):
        if isinstance(sampler, random):
            hint = "records must come in their order: use a DataLoader with shuffle=False"
            raise hinted(InputError, f"the loader draws records by a {type(sampler).__name__}", hint)


def _asked(torch: Any, model: Any, batch: Any, device: Any) -> tuple[Any, Any]:
    """Logits [records, classes] of a batch, and the records' labels."""
    if isinstance(batch, Mapping):
        name = next((name for name in ("labels", "label") if name in batch), None)
        if name is None:
            raise hinted(InputError, "a batch of the loader has no labels", 'name them "labels"')
        rest = {key: value for key, value in batch.items() if key != name}
        output = model(**{key: _moved(value, device) for key, value in rest.items()})
        labels = batch[name]
    elif isinstance(batch, (tuple, list)) and len(batch) == 2:
        output, labels = model(_moved(batch[0], device)), batch[1]
    else:
        items = f"{len(batch)} items" if isinstance(batch, (tuple, list)) else type(batch).__name__
        hint = 'give (inputs, labels), or a mapping of the model\'s arguments and "labels"'
        raise hinted(InputError, f"a batch of the loader is {items}", hint)
    labels = torch.as_tensor(labels).cpu().reshape(-1)
    # Models of Hugging Face give their logits beside other things.
    logits = getattr(output, "logits", output).double().cpu()
    return logits.reshape(len(labels), -1), labels


def _moved(value: Any, device: Any) -> Any:
    return value.to(device) if hasattr(value, "to") else value


def _check_classes(torch: Any, labels: Any, logits: int, before: int) -> None:
    """A label is a whole number, and one of the model's classes."""
    classes = max(2, logits)  # a single logit is the log-odds of class 1
    wrong = (labels != labels.long()) | (labels.long() < 0) | (labels.long() >= classes)
    if wrong.any():
        place = int(torch.nonzero(wrong)[0])
        what = f"the label of record {before + place} is {labels[place].item()}"
        hint = f"this model has {classes} classes: labels are whole numbers from 0 to {classes - 1}"
        raise hinted(InputError, what, hint)
