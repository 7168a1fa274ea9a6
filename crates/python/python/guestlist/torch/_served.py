"""The other side of ``guestlist run`` with ``[torch]``: says what the functions make, and trains model after model."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .._arrays import people
from .._errors import GuestlistError, UsageError, hinted
from . import _devices
from ._about import about
from ._choose import check_way
from ._code import files
from ._named import functions, packages, value
from ._recipe import Recipe, check_once, ingredients, recipe
from ._records import Records, read
from ._training import record_of, stored
from ._ways import Job
from ._worker import Failure, Result, Worker, setup, tuned

PROTOCOL = 1
"""What both sides must agree on."""


def describe() -> int:
    """Reads what a configuration names, and leaves in a folder what it is."""
    _modules_here()
    request = json.load(sys.stdin)
    out = Path(request["out"])
    try:
        if request["protocol"] != PROTOCOL:
            hint = "install the same version for Python as the program has: pip install -U guestlist"
            raise hinted(UsageError, "this guestlist of Python is another than the program", hint)
        answer = _described(request["torch"], request["data"], request["share"], out)
    except Exception as error:
        answer = _refusal(error)
    (out / "described.json").write_text(json.dumps(answer), encoding="utf-8")
    return 0


def _described(
    settings: Mapping[str, Any], data: Mapping[str, Any] | None, share: float, out: Path
) -> dict[str, Any]:
    named = functions(settings)
    places = _devices.chosen(settings["devices"] or None)
    check_way(settings.get("way"), places[0])
    records = _stand_in(data) if data is not None else _read(named)
    plan = _recipe(named, records, settings.get("precision"), places[0], max(1, int(share * len(records))))
    check_once(plan, records, torch.device("cpu") if len(places) > 1 else places[0])
    if data is None:
        np.save(out / "labels.npy", records.labels.numpy().astype(np.int64))
        np.save(out / "copies.npy", records.copies)
        _save_groups(named.get("groups"), len(records), out)
    name = type(plan.new_model(0, torch.device("cpu"))).__name__
    return {
        "about": about(plan, name),
        "share": share,
        "digest": None if data is not None else records.digest,
        "ingredients": ingredients(plan),
        "files": files(packages(settings)),
        "places": len(places) if settings["devices"] or places[0].type == "cuda" else None,
        "gpus": _gpus(places),
    }


def _read(named: Mapping[str, Any]) -> Records:
    return read(value(named["dataset"]), keep=named.get("train") is None)


def _recipe(
    named: Mapping[str, Any], records: Records, precision: str | None, device: Any, rows: int
) -> Recipe:
    taken = ("epochs", "batch_size", "optimizer", "schedule", "augment", "loss", "train", "queries")
    bf16 = precision is None and device.type == "cuda" and _devices.gpus()[1]
    chosen: dict[str, Any] = {name: named.get(name) for name in taken}
    return recipe(named["model"], records, **chosen, precision=precision, bf16=bf16, rows=rows)


def _stand_in(data: Mapping[str, Any]) -> Records:
    """Records of a file that are read later: as many, and of the same shape."""
    labels = torch.zeros(data["records"], dtype=torch.int64)
    labels[-1] = data["classes"] - 1
    few = torch.zeros(min(8, data["records"]), data["features"])
    return read((few, labels[-len(few) :])).standing_for(labels)


def _save_groups(groups: Any, records: int, out: Path) -> None:
    if groups is None:
        return
    named = people(value(groups)) or []
    if len(named) != records:
        what = f"torch.groups names {len(named)} people for {records} records"
        raise hinted(UsageError, what, "give one entry per record, None where nobody is named")
    known: dict[str, int] = {}
    numbers = [-1 if name is None else known.setdefault(name, len(known)) for name in named]
    np.save(out / "groups.npy", np.asarray(numbers, dtype=np.int64))


def _gpus(places: list[Any]) -> list[str]:
    """GPUs as CUDA_VISIBLE_DEVICES names them, for one process each."""
    seen = [name.strip() for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name.strip()]
    indices = [place.index for place in places if place.type == "cuda"]
    return [seen[index] if index < len(seen) else str(index) for index in indices]


def _refusal(error: Exception) -> dict[str, Any]:
    if isinstance(error, GuestlistError):
        words = str(error).partition("; hint: ")[0] if error.hint else str(error)
        return {"error": words, "hint": error.hint}
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in last)
    said = str(error).strip().splitlines() or [""]
    return {"error": f"{type(error).__name__}: {said[0]}{where}", "hint": "mend that, and try again"}


def serve() -> int:
    """Trains what is asked for on standard input, until that ends."""
    _modules_here()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    # What functions of the user's print is no answer.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def answer(**told: Any) -> None:
        answers.write(json.dumps(told) + "\n")
        answers.flush()

    server = _Server(answer)
    with tuned():
        for jobs in _batches(sys.stdin):
            server.train(jobs)
    return 0


def _batches(lines: Any) -> Iterator[list[dict[str, Any]]]:
    """Jobs that come together; an empty line ends them where there may be several."""
    several = os.environ.get("GUESTLIST_MODELS_AT_ONCE", "1") != "1"
    jobs: list[dict[str, Any]] = []
    for line in lines:
        if line.strip():
            jobs.append(json.loads(line))
            if several:
                continue
        if jobs:
            yield jobs
        jobs = []
    if jobs:
        yield jobs


class _Server:
    """Holds what all models share, from the first of them on."""

    def __init__(self, answer: Callable[..., None]) -> None:
        self._answer = answer
        self._shared: _Shared | None = None
        self._workers: dict[int, Worker] = {}

    def train(self, jobs: list[dict[str, Any]]) -> None:
        wanted = {job["model"]: job for job in jobs}
        try:
            if self._shared is None:
                self._shared = _shared(jobs[0])
            together: dict[int, list[Job]] = {}
            for job in map(_job, jobs):
                together.setdefault(self._shared.plan(len(job.rows)).steps, []).append(job)
            # Those that train on more records take more steps.
            for some in together.values():
                for outcome in self._worker(self._shared, some).train(some):
                    self._tell(wanted.pop(outcome.model), outcome)
        except Exception as error:
            sys.stderr.write("".join(traceback.format_exception(error)))
            for model in wanted:
                self._answer(model=model, error=_said(error))

    def _worker(self, shared: _Shared, jobs: list[Job]) -> Worker:
        plan = shared.plan(len(jobs[0].rows))
        if plan.steps not in self._workers:
            here = setup(plan, shared.records, shared.device, _tell)
            self._workers[plan.steps] = Worker(here, jobs, shared.way)
        return self._workers[plan.steps]

    def _tell(self, job: Mapping[str, Any], outcome: Result | Failure) -> None:
        if isinstance(outcome, Failure):
            sys.stderr.write(outcome.log + "\n")
            self._answer(model=outcome.model, error=outcome.error)
            return
        for name, answers in zip(("output", "right"), stored(outcome), strict=True):
            np.save(job[name], answers)
        Path(job["training"]).write_text(json.dumps(record_of(outcome)) + "\n", encoding="utf-8")
        self._answer(model=outcome.model)


@dataclass(frozen=True)
class _Shared:
    """What all models have in common."""

    named: Mapping[str, Any]
    records: Records
    device: Any
    precision: str
    way: str | None

    def plan(self, rows: int) -> Recipe:
        """How a model is trained on so many records."""
        return _recipe(self.named, self.records, self.precision, self.device, rows)


def _shared(job: Mapping[str, Any]) -> _Shared:
    """What all models have in common, if it is what the plan was made from."""
    settings, told = job["parameters"]["torch"], job["parameters"]["described"]
    named = functions(settings)
    records = _of_file(job) if told["digest"] is None else _read(named)
    precision, way = told["ingredients"]["torch.precision"], settings.get("way")
    shared = _Shared(named, records, _device(settings["devices"]), precision, way)
    _check_unchanged(told, records, shared.plan(max(1, int(told["share"] * len(records)))))
    return shared


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")


def _job(job: Mapping[str, Any]) -> Job:
    return Job(job["model"], np.load(job["rows"]), job["seed"])


def _of_file(job: Mapping[str, Any]) -> Records:
    return read((np.load(job["features"]), np.load(job["labels"])))


def _device(devices: list[str]) -> Any:
    """The one that this process sees, or the CPU."""
    asked_for_cpu = bool(devices) and torch.device(devices[0]).type == "cpu"
    return torch.device("cuda", 0) if torch.cuda.is_available() and not asked_for_cpu else torch.device("cpu")


def _check_unchanged(told: Mapping[str, Any], records: Records, plan: Recipe) -> None:
    """A model's card must name what the model was made from."""
    now = ingredients(plan)
    changed = [name for name in sorted(now | told["ingredients"]) if now.get(name) != told["ingredients"].get(name)]
    if told["digest"] not in (None, records.digest):
        changed.insert(0, "the data set")
    if changed:
        hint = "start `guestlist run` again: it makes a new plan; where that does not help, the functions give "
        hint += "something else at every call: draw random numbers from a generator with a seed"
        raise hinted(GuestlistError, f"{', '.join(changed)} changed since the run began", hint)


def _said(error: Exception) -> str:
    if isinstance(error, GuestlistError):
        return str(error)
    told = _refusal(error)
    return str(told["error"])


def _modules_here() -> None:
    """The user's modules are looked for where Python was started."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
