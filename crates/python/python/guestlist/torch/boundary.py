"""How far records lie from where a model changes its mind, found by asking for labels alone.

A model that answers with classes hides how sure it is, but not how far a record must be altered before
the answer changes; records that were trained on tend to lie further from there (Choquette-Choo et al. 2021,
arXiv:2007.14321). The search is that of HopSkipJump (Chen, Jordan and Wainwright 2020, arXiv:1904.02144).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .._errors import InputError, UsageError, hinted

Numbers = npt.NDArray[np.floating[Any]]

_HALVINGS = 12
"""How often a step that ends on the wrong side is halved."""
_DOUBLINGS = 24
"""How often the reach is doubled where no record of another class is known."""
_FEWEST = 10
"""From fewer directions no step is taken."""
_POOL = 512
"""So many records are looked through for one of another class, nearest to the record."""


@dataclass(frozen=True)
class BoundarySearch:
    """What :func:`boundary_search` found."""

    distances: npt.NDArray[np.float64]
    """To the nearest point found with another label; 0 where the model is wrong about the record itself,
    and infinite where no other label was found."""
    queries: npt.NDArray[np.int64]
    """How often the model was asked, record by record."""
    points: Numbers
    """The nearest points found, in the shape of the records."""


def boundary_distance(
    predict_labels: Callable[[Any], Any], x: Any, y: Any, **settings: Any
) -> npt.NDArray[np.float64]:
    """The distance of every record to the nearest point found that a model gives another label.

    ``predict_labels`` takes a batch of records and returns the class that the model names for each:

    .. code-block:: python

        def predict_labels(batch):
            with torch.no_grad():
                return model(torch.from_numpy(batch).to(device)).argmax(1).cpu().numpy()

        distances = boundary_distance(predict_labels, x, y, queries=2500, clip=(0, 1))
        report = guestlist.audit_scores({"boundary": distances}, member)

    Members tend to lie further off, so that distances are scores as they are. ``settings`` are those of
    :func:`boundary_search`.
    """
    return boundary_search(predict_labels, x, y, **settings).distances


def boundary_search(
    predict_labels: Callable[[Any], Any],
    x: Any,
    y: Any,
    *,
    queries: int = 2500,
    directions: int = 50,
    clip: tuple[float, float] | None = None,
    batch_size: int = 4096,
    seed: int = 0,
) -> BoundarySearch:
    """Searches for the nearest point that a model gives another label, by its labels alone.

    ``x`` holds the records ``[records, …]`` and ``y`` their classes. No record is asked about more than
    ``queries`` times. ``directions`` is how many of them go into the first guess of a direction; later ones
    have more. ``clip`` keeps points between two numbers, as pictures are. ``batch_size`` is the most that
    ``predict_labels`` is handed at once: neither it nor the other records change what is found, but for where
    the search starts. The same seed finds the same.
    """
    points, labels = _checked(x, y, queries, directions, batch_size, clip)
    model = _Model(predict_labels, points.shape[1:], points.dtype, labels, batch_size, clip)
    flat = points.reshape(len(points), -1)
    found = _Found(flat, model.named(flat, np.arange(len(flat))))
    start = _starts(model, found, queries, seed)
    at_once = max(1, batch_size // max(directions, _FEWEST))
    for first in range(0, len(start), at_once):
        rows = start[first : first + at_once]
        _Search(model, found, rows, queries, directions, seed).run()
    return BoundarySearch(found.distances, model.asked, found.points.reshape(points.shape))


def _checked(
    x: Any, y: Any, queries: int, directions: int, batch_size: int, clip: tuple[float, float] | None
) -> tuple[Numbers, npt.NDArray[np.int64]]:
    points, labels = np.asarray(x), np.asarray(y)
    if not np.issubdtype(points.dtype, np.floating):
        points = points.astype(np.float32)
    if points.ndim < 2 or labels.shape != points.shape[:1]:
        what = f"x has shape {points.shape} and y has shape {labels.shape}"
        raise hinted(InputError, what, "give x [records, …] and y [records], a class for each")
    if not np.isfinite(points).all():
        record = int(np.flatnonzero(~np.isfinite(points).reshape(len(points), -1).all(1))[0])
        hint = "only finite numbers have a distance"
        raise hinted(InputError, f"x of record {record} is not finite", hint)
    for name, value in (("queries", queries), ("directions", directions), ("batch_size", batch_size)):
        if value < 1:
            raise hinted(UsageError, f"{name} is {value}", "give a number from 1 on")
    if clip is not None and not clip[0] < clip[1]:
        raise hinted(UsageError, f"clip is {clip}", "give the smallest and the largest number, as (0, 1)")
    return points, labels.astype(np.int64)


class _Model:
    """The callable, in batches, with every question counted for the record that it is about."""

    def __init__(
        self,
        predict: Callable[[Any], Any],
        shape: tuple[int, ...],
        kind: np.dtype[Any],
        labels: npt.NDArray[np.int64],
        batch_size: int,
        clip: tuple[float, float] | None,
    ) -> None:
        self.predict, self.shape, self.kind = predict, shape, kind
        self.labels, self.batch_size, self.clip = labels, batch_size, clip
        self.asked = np.zeros(len(labels), np.int64)

    def inside(self, points: Numbers) -> Numbers:
        return points if self.clip is None else np.clip(points, *self.clip)

    def named(self, points: Numbers, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """The class of each point; ``rows`` says which record it is asked for."""
        np.add.at(self.asked, rows, 1)
        answers = []
        for first in range(0, len(points), self.batch_size):
            batch = points[first : first + self.batch_size].astype(self.kind)
            answer = np.asarray(self.predict(batch.reshape(-1, *self.shape)))
            if answer.shape != (len(batch),):
                what = f"predict_labels returned shape {answer.shape} for {len(batch)} records"
                raise hinted(InputError, what, "return one class for each record: argmax of the logits")
            answers.append(answer.astype(np.int64))
        return np.concatenate(answers) if answers else np.zeros(0, np.int64)

    def differs(self, points: Numbers, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Whether the class named for each point is another than that of its record."""
        answer: npt.NDArray[np.bool_] = self.named(points, rows) != self.labels[rows]
        return answer


class _Found:
    """The nearest point so far, of every record."""

    def __init__(self, records: Numbers, named: npt.NDArray[np.int64]) -> None:
        self.records, self.named = records, named
        self.points = records.copy()
        self.distances = np.full(len(records), math.inf)

    def keep(self, rows: npt.NDArray[np.intp], points: Numbers) -> None:
        apart = points.astype(np.float64) - self.records[rows]
        distances = np.linalg.norm(apart, axis=1)
        nearer = distances < self.distances[rows]
        self.distances[rows[nearer]] = distances[nearer]
        self.points[rows[nearer]] = points[nearer]


def _starts(model: _Model, found: _Found, queries: int, seed: int) -> npt.NDArray[np.intp]:
    """A point of another label for every record; the records that have one, and one to search for."""
    wrong = found.named != model.labels
    found.distances[wrong] = 0.0
    count = len(found.records)
    pool = np.random.default_rng([seed, count]).permutation(count)[:_POOL]
    for row in np.flatnonzero(~wrong):
        others = found.records[pool[found.named[pool] != model.labels[row]]]
        if len(others):
            nearest = np.argmin(np.linalg.norm(others - found.records[row], axis=1))
            found.keep(np.array([row]), others[[nearest]])
    _reach_out(model, found, np.flatnonzero(np.isinf(found.distances)), queries, seed)
    return np.flatnonzero(~wrong & np.isfinite(found.distances))


def _reach_out(
    model: _Model, found: _Found, rows: npt.NDArray[np.intp], queries: int, seed: int
) -> None:
    """Where all records have one label: further and further off, each time in another direction."""
    reach = np.maximum(np.linalg.norm(found.records[rows], axis=1), 1.0) / 8
    for _ in range(_DOUBLINGS):
        open_ = np.isinf(found.distances[rows]) & (model.asked[rows] < queries)
        rows, reach = rows[open_], 2 * reach[open_]
        if not len(rows):
            return
        away = np.concatenate([_unit(1, found, row, model, seed) for row in rows])
        points = model.inside(found.records[rows] + reach[:, None] * away)
        differs = model.differs(points, rows)
        found.keep(rows[differs], points[differs])


def _unit(count: int, found: _Found, row: int, model: _Model, seed: int) -> npt.NDArray[np.float64]:
    """Directions of length one, drawn for this record and this moment of its search."""
    rng = np.random.default_rng([seed, int(row), int(model.asked[row])])
    drawn = rng.standard_normal((count, found.records.shape[1]))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return drawn


class _Search:
    """Some records at once, each on its own way along the boundary."""

    def __init__(
        self,
        model: _Model,
        found: _Found,
        rows: npt.NDArray[np.intp],
        queries: int,
        directions: int,
        seed: int,
    ) -> None:
        self.model, self.found, self.rows = model, found, rows
        self.queries, self.directions, self.seed = queries, directions, seed
        self.width = found.records.shape[1]
        # As the paper has it: points lie much closer to the boundary than directions reach.
        self.halvings = math.ceil(1.5 * math.log2(max(self.width, 2))) + 1

    def run(self) -> None:
        """Until no record has questions left for another step."""
        at: Numbers = self.found.points[self.rows].astype(np.float64)
        at = self._to_boundary(self.rows, at)
        step = 0
        while True:
            step += 1
            left = self.queries - self.model.asked[self.rows] - self.halvings - _HALVINGS
            going = left >= _FEWEST
            self.rows, at, left = self.rows[going], at[going], left[going]
            if not len(self.rows):
                return
            counts = np.minimum(left, int(self.directions * math.sqrt(step)))
            at = self._step(at, counts, step)

    def _step(self, at: Numbers, counts: npt.NDArray[np.int64], step: int) -> Numbers:
        """Away from the boundary on its far side, then straight back towards the record."""
        normals = self._normals(at, counts)
        reach = np.linalg.norm(at - self.found.records[self.rows], axis=1) / math.sqrt(step)
        ahead, open_ = at.copy(), np.arange(len(self.rows))
        for _ in range(_HALVINGS):
            tried = self.model.inside(at[open_] + reach[open_, None] * normals[open_])
            differs = self.model.differs(tried, self.rows[open_])
            ahead[open_[differs]] = tried[differs]
            open_ = open_[~differs]
            if not len(open_):
                break
            reach[open_] /= 2
        return self._to_boundary(self.rows, ahead)

    def _normals(self, at: Numbers, counts: npt.NDArray[np.int64]) -> Numbers:
        """The direction in which the label changes, guessed from random ones."""
        reach = np.linalg.norm(at - self.found.records[self.rows], axis=1) / self.width
        drawn = [
            _unit(int(count), self.found, row, self.model, self.seed)
            for row, count in zip(self.rows, counts)
        ]
        owner = np.repeat(np.arange(len(self.rows)), counts)
        points = self.model.inside(at[owner] + reach[owner, None] * np.concatenate(drawn))
        differs = self.model.differs(points, self.rows[owner])
        # What was really asked about, after clipping.
        moved = points - at[owner]
        normals = np.empty_like(at)
        for place in range(len(self.rows)):
            mine = owner == place
            signs = np.where(differs[mine], 1.0, -1.0)
            # Less their mean, unless all are alike: that halves the noise.
            weights = signs if abs(signs.mean()) == 1.0 else signs - signs.mean()
            normal = weights @ moved[mine]
            normals[place] = normal / max(np.linalg.norm(normal), np.finfo(np.float64).tiny)
        return normals

    def _to_boundary(self, rows: npt.NDArray[np.intp], far: Numbers) -> Numbers:
        """Halves the way between records and points of another label, as far as questions last."""
        records = self.found.records[rows].astype(np.float64)
        near, share = np.zeros(len(rows)), np.ones(len(rows))
        away = far - records
        open_ = np.arange(len(rows))
        for _ in range(self.halvings):
            open_ = open_[self.model.asked[rows[open_]] < self.queries]
            if not len(open_):
                break
            middle = (near[open_] + share[open_]) / 2
            tried = records[open_] + middle[:, None] * away[open_]
            differs = self.model.differs(tried, rows[open_])
            share[open_[differs]], near[open_[~differs]] = middle[differs], middle[~differs]
        # What was not brought nearer stays the very point that was asked about.
        far = np.where(share[:, None] < 1.0, records + share[:, None] * away, far)
        self.found.keep(rows, far.astype(self.found.records.dtype))
        return far
