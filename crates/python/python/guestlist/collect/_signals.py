"""Shadow signals from models of PyTorch: the logit-scaled confidence of every record."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from .._arrays import as_numpy
from .._errors import InputError, UsageError
from .._files import whole_file


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
            hint = "the loader must give the records in the same order every time: shuffle=False"
            message = f"the labels for model {index} are not those for the models before it"
            raise InputError(f"{message}; hint: {hint}", hint)
        self._labels = labels

    def _part(self, model: int) -> Path:
        return self._parts / f"{model:05}.npz"

    def _is_finished(self) -> bool:
        return self.path.exists() and not self._parts.exists()

    def _open(self) -> None:
        """Refuses what belongs to other splits."""
        kept = self._parts / "keep.npy"
        if self._is_finished():
            with np.load(self.path) as stored:
                same = "keep" in stored and np.array_equal(stored["keep"], self.keep)
        elif kept.exists():
            same = np.array_equal(np.load(kept), self.keep)
        else:
            self._parts.mkdir(parents=True, exist_ok=True)
            with whole_file(kept) as name, open(name, "wb") as file:
                np.save(file, self.keep)
            same = True
        if not same:
            place = self.path if self._is_finished() else self._parts
            hint = "remove it to collect anew, or give the splits that it was made with"
            raise UsageError(f"{place}: was made with other splits; hint: {hint}", hint)

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

    first = next(iter(model.parameters()), None)
    device = first.device if first is not None else torch.device("cpu")
    was_training = model.training
    model.eval()
    phi, labels = [], []
    try:
        with torch.no_grad():
            for inputs, classes in loader:
                logits = model(inputs.to(device)).double().cpu()
                classes = classes.long().cpu().reshape(-1)
                phi.append(_rescaled(torch, logits, classes))
                labels.append(classes)
    finally:
        model.train(was_training)
    if not phi:
        hint = "give (inputs, labels) of all records"
        raise InputError(f"the loader gave no records; hint: {hint}", hint)
    return (
        torch.cat(phi).float().numpy(),
        torch.cat(labels).numpy(),
    )


def _rescaled(torch: Any, logits: Any, classes: Any) -> Any:
    logits = logits.reshape(len(classes), -1)
    if logits.shape[1] == 1:  # a single logit is the log-odds of class 1
        return torch.where(classes == 1, logits[:, 0], -logits[:, 0])
    own = torch.nn.functional.one_hot(classes, logits.shape[1]).bool()
    others = logits.masked_fill(own, -torch.inf)
    return logits[own] - torch.logsumexp(others, dim=1)
