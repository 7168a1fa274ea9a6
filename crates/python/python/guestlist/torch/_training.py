"""Trains what is missing, keeps it, and says what became of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import named
from .._errors import GuestlistError, UsageError, hinted
from .._progress import Listener
from . import _devices
from ._pool import Pool
from ._recipe import Recipe
from ._records import Records
from ._ways import Job
from ._worker import Failure, Result, Worker, setup, tuned

SEEDS = 0x7FFF_FFFF
"""Seeds are cut to what every library takes, as those of training programs are."""

SHOWN = 3
"""How many failures an error names."""

ALIKE = 2
"""Where so many models failed alike and none was trained, the others are not tried."""


def train_all(
    session: Any,
    recipe: Recipe,
    records: Records,
    devices: Sequence[Any],
    given: Mapping[str, Any],
    listener: Listener | None,
) -> None:
    """Trains the models that are open. Whatever stops it, those that were trained are kept."""
    keeping = _Keeping(session, listener)
    jobs = [_job(session, model) for model in session.open]
    for note in session.notes:
        keeping.tell(note)
    if not jobs:
        return
    places = _devices.workers(devices, len(jobs), given["devices"] is not None)
    keeping.show()
    try:
        for outcome in _outcomes(recipe, records, places, given["way"], jobs, keeping):
            keeping.take(outcome)
    except KeyboardInterrupt as stopped:
        raise KeyboardInterrupt(f"interrupted; {keeping.kept()}: call again to go on") from stopped
    keeping.finish()


def _job(session: Any, model: int) -> Job:
    rows = np.frombuffer(session.rows(model), dtype="<u4").astype(np.int64)
    return Job(model, rows, session.seed(model) & SEEDS)


def _outcomes(
    recipe: Recipe,
    records: Records,
    places: Sequence[Any],
    way: str | None,
    jobs: Sequence[Job],
    keeping: _Keeping,
) -> Iterator[Result | Failure]:
    if len(places) > 1:
        pool = Pool(recipe, records, places, way, keeping.tell, keeping.show)
        yield from pool.train(jobs)
        return
    with tuned():
        yield from Worker(setup(recipe, records, places[0], keeping.tell), jobs, way).train(jobs)


def record_of(result: Result) -> dict[str, Any]:
    """How a model was trained, for ``training.json``."""
    own, others = result.shares
    return {"epochs": [{"training": {"accuracy": own}}], "right": {"training": own, "test": others}}


def stored(result: Result) -> tuple[Any, Any]:
    """φ and whether answers were right as they are kept: without an axis for a single query."""
    if result.phi.shape[1] == 1:
        return result.phi[:, 0], result.right[:, 0]
    return result.phi, result.right


class _Keeping:
    """Puts models into their places, and tells of it."""

    def __init__(self, session: Any, listener: Listener | None) -> None:
        self._session, self._listener = session, listener
        self._there = session.models - len(session.open)
        self._failures: list[Failure] = []
        self._told: set[str] = set()

    def take(self, outcome: Result | Failure) -> None:
        if isinstance(outcome, Result):
            self._commit(outcome)
            self._there += 1
            self.show()
            return
        if outcome.model < 0:
            raise GuestlistError(outcome.error)
        self._failures.append(outcome)
        self._log(outcome)
        alike = {failure.error for failure in self._failures}
        if len(self._failures) >= ALIKE and len(alike) == 1 and not self._there:
            what = f"the first {ALIKE} models failed alike, so that the others were not tried: {outcome.error}"
            raise GuestlistError(what)

    def _commit(self, result: Result) -> None:
        phi, right = (np.ascontiguousarray(answers) for answers in stored(result))
        record = json.dumps(record_of(result)) + "\n"
        self._session.commit(result.model, named("phi", phi), named("right", right), record, result.seconds)

    def _log(self, failure: Failure) -> None:
        if failure.log:
            with open(self._session.log(failure.model), "a", encoding="utf-8") as file:
                file.write(failure.log + "\n")

    def finish(self) -> None:
        """Refuses to go on where models are missing."""
        if not self._failures:
            return
        told = "; ".join(f"model {one.model}: {one.error}" for one in self._failures[:SHOWN])
        more = len(self._failures) - SHOWN
        told += f"; and {more} more" if more > 0 else ""
        what = f"{len(self._failures)} of {self._session.models} models could not be trained ({told})"
        raise hinted(GuestlistError, what, f"mend the cause and call again: {self.kept()}")

    def kept(self) -> str:
        return f"{self._there} of {self._session.models} models are kept"

    def show(self) -> None:
        if self._listener is not None:
            self._listener("training", self._there, self._session.models)

    def tell(self, text: str) -> None:
        """Once, to whoever looks."""
        if text in self._told:
            return
        self._told.add(text)
        if self._listener is not None and sys.stderr.isatty():
            sys.stderr.write(f"\r{text}\n")
