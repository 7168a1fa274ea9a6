"""How models are trained: everything that decides what comes out, checked before the first of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional

from .._errors import InputError, UsageError, hinted
from . import _code
from ._inputs import Inputs, called, mapped
from ._order import steps_of
from ._queries import Query, chosen
from ._records import Records
from ._seeds import seeded

Schedule = Callable[[int, int], float]
"""From a step and their number to a factor of the learning rate."""

PRECISIONS = ("bf16", "float32")


def constant(step: int, steps: int) -> float:
    return 1.0


def cosine(step: int, steps: int) -> float:
    return 0.5 * (1.0 + math.cos(math.pi * step / steps))


def triangle(step: int, steps: int) -> float:
    """Up over the first fifth, then down to nothing."""
    peak = max(1.0, 0.2 * steps)
    return (step + 1) / peak if step < peak else max(0.0, (steps - step) / (steps - peak))


SCHEDULES: dict[str, Schedule] = {"constant": constant, "cosine": cosine, "triangle": triangle}


@dataclass(frozen=True)
class Recipe:
    """What the user asked for, resolved for the records and the device at hand."""

    make_model: Callable[[], Any]
    epochs: float
    batch_size: int
    steps: int
    optimizer: Callable[[Any], Any]
    schedule: Schedule
    augment: Callable[[Inputs], Inputs] | None
    loss: Callable[[Any, Any], Any]
    train: Callable[..., Any] | None
    queries: tuple[Query, ...]
    precision: str

    def new_model(self, seed: int, device: Any) -> Any:
        """A fresh model, always the same for one seed; its weights are drawn on the CPU, then moved."""
        with seeded(seed, device):
            model = _checked_model(self.make_model())
        model = model.to(device)
        if device.type == "cuda" and self.train is None and _has_convolutions(model):
            # The layout that matrix units read; the numbers are the same.
            model = model.to(memory_format=torch.channels_last)
        return model

    def new_optimizer(self, model: Any) -> Any:
        made = self.optimizer([p for p in model.parameters() if p.requires_grad])
        if not isinstance(made, torch.optim.Optimizer):
            hint = "give a function of the parameters, such as lambda p: torch.optim.SGD(p, lr=0.1)"
            raise hinted(UsageError, f"optimizer gave {type(made).__name__}", hint)
        return made

    def loss_of(self, model: Any, inputs: Inputs, labels: Any) -> Any:
        """The mean loss of a batch, in the precision that was asked for."""
        device = labels.device.type
        with torch.autocast(device, dtype=torch.bfloat16, enabled=self.precision == "bf16"):
            logits = called(model, inputs)
        return self.loss(logits.float(), labels)

    def augmented(self, inputs: Inputs) -> Inputs:
        return inputs if self.augment is None else self.augment(inputs)

    def factors(self, first: int, count: int) -> list[float]:
        """The factors of the learning rate of some steps."""
        return [float(self.schedule(step, self.steps)) for step in range(first, first + count)]


def recipe(
    make_model: Callable[[], Any],
    records: Records,
    *,
    epochs: float | None,
    batch_size: int | None,
    optimizer: Callable[[Any], Any] | None,
    schedule: str | Schedule | None,
    augment: Callable[[Inputs], Inputs] | None,
    loss: Callable[[Any, Any], Any] | None,
    train: Callable[..., Any] | None,
    queries: int | Sequence[Query],
    precision: str | None,
    bf16: bool,
    rows: int | None = None,
) -> Recipe:
    """Checks what was asked for, and fills in what was not. A model trains on so many ``rows``, half of the records
    where nothing is said."""
    _check_callable(make_model=make_model, optimizer=optimizer, augment=augment, loss=loss, train=train)
    if train is None:
        _check_sizes(epochs, batch_size)
    else:
        _refuse_beside_train(epochs=epochs, batch_size=batch_size, optimizer=optimizer)
        _refuse_beside_train(schedule=schedule, augment=augment, loss=loss)
    rows = max(1, len(records) // 2) if rows is None else rows
    size = min(batch_size or 1, rows)
    return Recipe(
        make_model=make_model,
        epochs=epochs or 0,
        batch_size=size,
        steps=0 if epochs is None else steps_of(rows, epochs, size),
        optimizer=optimizer or torch.optim.Adam,
        schedule=_schedule(schedule),
        augment=augment,
        loss=loss or default_loss,
        train=train,
        queries=tuple(chosen(queries)),
        precision=_precision(precision, make_model, bf16=bf16),
    )


def default_loss(logits: Any, labels: Any) -> Any:
    """Cross-entropy; of a single logit, which is the log-odds of class 1, its binary form."""
    if logits.shape[-1] == 1:
        return functional.binary_cross_entropy_with_logits(logits[..., 0], labels.to(logits.dtype))
    return functional.cross_entropy(logits, labels)


def _check_callable(**given: Any) -> None:
    for name, value in given.items():
        if isinstance(value, torch.nn.Module) and name == "make_model":
            hint = "give a function that makes one: every model of the audit begins anew"
            raise hinted(UsageError, "make_model is a model", hint)
        if value is not None and not callable(value):
            raise hinted(UsageError, f"{name} is {value!r}", "give a function")


def _check_sizes(epochs: float | None, batch_size: int | None) -> None:
    for name, value in {"epochs": epochs, "batch_size": batch_size}.items():
        if value is None:
            hint = f"train the shadows as the audited model is trained: {name}=…, or train= your own loop"
            raise hinted(UsageError, f"{name} is not given", hint)
        if not value > 0 or (name == "batch_size" and value != int(value)):
            raise hinted(UsageError, f"{name} is {value}", "give a number above 0")


def _refuse_beside_train(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            hint = "your own loop decides that: leave it out"
            raise hinted(UsageError, f"{name} is given beside train", hint)


def _schedule(schedule: str | Schedule | None) -> Schedule:
    if schedule is None or isinstance(schedule, str):
        found = SCHEDULES.get(schedule or "constant")
        if found is None:
            hint = f"give {', '.join(SCHEDULES)}, or a function of (step, steps)"
            raise hinted(UsageError, f"there is no schedule {schedule!r}", hint)
        return found
    return schedule


def _precision(precision: str | None, make_model: Callable[[], Any], *, bf16: bool) -> str:
    """Half precision pays where matrix units do the work: convolutions and attention, on a GPU."""
    if precision is not None:
        if precision not in PRECISIONS:
            hint = f"give {' or '.join(PRECISIONS)}, or nothing to have it chosen"
            raise hinted(UsageError, f"precision is {precision!r}", hint)
        return precision
    if not bf16:
        return "float32"
    with seeded(0, torch.device("cpu")):
        model = _checked_model(make_model())
    names = {type(part).__name__ for part in model.modules()}
    gains = any("Conv" in name or "Attention" in name for name in names)
    return "bf16" if gains else "float32"


def _has_convolutions(model: Any) -> bool:
    return any(isinstance(part, torch.nn.Conv2d) for part in model.modules())


def _checked_model(model: Any) -> Any:
    if not isinstance(model, torch.nn.Module):
        hint = "it must return a torch.nn.Module"
        raise hinted(UsageError, f"make_model gave {type(model).__name__}", hint)
    return model


def check_once(plan: Recipe, records: Records, device: Any) -> None:
    """One model, one batch, before anything is trained: what would go wrong later goes wrong now."""
    model = plan.new_model(0, device)
    _, inputs = next(records.chunks(min(8, len(records))))
    inputs = mapped(inputs, lambda tensor: tensor[:8].to(device))
    model.eval()
    _check_images(plan, inputs)
    for place, query in enumerate(plan.queries):
        try:
            with torch.no_grad():
                output = called(model, query(inputs))
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            if isinstance(error, (InputError, UsageError)):
                raise
            what = f"the model cannot be asked about the records (query {place}): {error}"
            hint = "it is called with the inputs of a batch, on the device where they lie: check their type and shape"
            raise hinted(UsageError, what, hint) from error
        check_logits(output, len(inputs if torch.is_tensor(inputs) else output), records.classes)
        wrong = torch.nonzero(~torch.isfinite(output).all(1))
        if len(wrong):
            what = f"the model gives {_not_finite(output)} for record {int(wrong[0])} before any training"
            raise hinted(InputError, what, "look at the record's inputs, at how they are scaled, and at the model")


def _check_images(plan: Recipe, inputs: Inputs) -> None:
    """Only images are mirrored and moved."""
    if not any(getattr(query, "of_images", False) for query in plan.queries):
        return
    shape = list(inputs.shape) if torch.is_tensor(inputs) else None
    if shape is None or len(shape) != 4:
        what = f"queries mirror and move images, but a record has shape {shape[1:]}" if shape else (
            "queries mirror and move images, but records have several inputs")  # fmt: skip
        hint = "leave queries out, or list functions of your own that ask about a record in another way"
        raise hinted(UsageError, what, hint)


def _not_finite(output: Any) -> float:
    return float(output[~torch.isfinite(output)][0])


def check_logits(output: Any, records: int, classes: int) -> None:
    """Whether a model's output is logits of as many classes as the labels need."""
    if not torch.is_tensor(output) or output.ndim != 2 or len(output) != records:
        shape = list(output.shape) if torch.is_tensor(output) else type(output).__name__
        hint = "it must give logits [records, classes], as a tensor or as .logits"
        raise hinted(InputError, f"the model gave {shape} for {records} records", hint)
    width = output.shape[1]
    if width < classes and not (width == 1 and classes == 2):
        hint = f"give the model {classes} outputs, or number the classes from 0 without gaps"
        what = f"the model gives {width} numbers per record, but there is a label {classes - 1}"
        raise hinted(InputError, what, hint)


def ingredients(plan: Recipe) -> dict[str, str]:
    """What decides the models beside the data, by name; a change of any makes trained models stale."""
    model = plan.new_model(0, torch.device("cpu"))
    told = {
        "torch.make_model": _code.digest([_code.model_digest(model), plan.make_model]),
        "torch.precision": plan.precision,
        "torch.queries": _code.digest(plan.queries),
    }
    if plan.train is not None:
        return {**told, "torch.train": _code.digest(plan.train)}
    optimizer = plan.new_optimizer(model)
    settings = [{**group, "params": len(group["params"])} for group in optimizer.param_groups]
    told |= {
        "torch.epochs": f"{plan.epochs:g}",
        "torch.batch_size": str(plan.batch_size),
        "torch.optimizer": f"{type(optimizer).__name__} {_shown(settings)}",
        "torch.schedule": _code.digest(plan.factors(0, plan.steps)),
    }
    for name in ("augment", "loss"):
        function = getattr(plan, name)
        if function is not None and function is not default_loss:
            told[f"torch.{name}"] = _code.digest(function)
    return told


def _shown(groups: list[dict[str, Any]]) -> str:
    """Settings of an optimizer as text, less those that only say how it is computed."""
    how = ("foreach", "fused", "capturable", "differentiable")
    told = [", ".join(f"{k}={v}" for k, v in sorted(group.items()) if k not in how) for group in groups]
    return "; ".join(dict.fromkeys(told))
