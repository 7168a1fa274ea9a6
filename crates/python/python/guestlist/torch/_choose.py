"""Which way of training is the fastest for this model on this device: found by trying.

A few steps of every way that could work are timed on the user's own model. A way that cannot work says why; one
whose steps do not come out as the plain loop's is not believed. The plain loop always works.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from .._errors import GuestlistError, UsageError, hinted
from ._captured import reason
from ._ensemble import Ensemble
from ._lanes import Lanes
from ._own import Own
from ._plain import Plain
from ._seeds import host_state
from ._ways import Job, NotThisWay, Setup, Way, is_out_of_memory

WAYS = ("plain", "graph", "compiled", "ensemble")

TIMED = 0.4
"""Seconds of steps that are enough to know how long one takes."""

MOST_TIMED = 2000
"""Steps that are timed at most."""

FEW = 8
"""An ensemble of so many shows whether a larger one is worth building."""

MOST_LANES = 4
"""Models side by side in streams at most."""

WORTH_A_LANE = 0.97
"""What a further stream must at least make of the time of a step."""

WORTH_COMPILING = 90.0
"""Seconds of training by the best way so far that make it worth compiling."""

COMPARED = 3
"""Steps that are compared with the plain loop's."""

LONGEST = 300.0
"""Seconds that an ensemble may train before its models are there: more would be lost to a power cut."""


@dataclass
class Choice:
    """The way that was taken, and what was found on the way to it."""

    way: Way
    seconds: float
    """Of one step of one model."""
    tried: dict[str, str] = field(default_factory=dict)
    """By the name of a way what a step took, or why it does not work here."""

    def told(self) -> str:
        others = "; ".join(f"{name}: {what}" for name, what in self.tried.items())
        return f"models are trained by way of {self.way.name} ({others})"


def choose(setup: Setup, jobs: Sequence[Job], asked: str | None = None) -> Choice:
    """The fastest way to train these models, or the one that was asked for."""
    if setup.recipe.train is not None:
        return Choice(Own(setup), 0.0, {"own": "your own loop"})
    check_way(asked, setup.device)
    if asked == "plain":
        return Choice(Plain(setup), 0.0, {"plain": "as asked"})
    return _Search(setup, jobs).found(asked)


def check_way(asked: str | None, device: Any) -> None:
    if asked in ("graph", "compiled") and device.type != "cuda":
        hint = "leave way out, or train on a GPU: devices=\"cuda\""
        raise hinted(GuestlistError, f"models cannot be trained by way of {asked} on {device.type}", hint)
    if asked is not None and asked not in WAYS:
        hint = f"give one of {', '.join(WAYS)}, or nothing to have the fastest chosen"
        raise hinted(UsageError, f"there is no way {asked!r} of training", hint)


class _Search:
    def __init__(self, setup: Setup, jobs: Sequence[Job]) -> None:
        self.setup, self._jobs = setup, jobs
        self._plain = Plain(setup)
        self._tried: dict[str, str] = {}

    def found(self, asked: str | None) -> Choice:
        seconds = self._timed(self._plain)
        self._tried["plain"] = _shown(seconds)
        best = Choice(self._plain, seconds, self._tried)
        if self._draws_on_host():
            self._tried["others"] = "a step draws random numbers on the host, which a recording would repeat"
            return self._only(best, asked)
        for name, make in self._candidates().items():
            if asked in (None, name):
                found = self._try(name, make, best.seconds if asked is None else None)
                if found is not None and (asked == name or found.seconds < best.seconds):
                    best = found
        return self._only(best, asked)

    def _only(self, best: Choice, asked: str | None) -> Choice:
        """Whoever asks for a way has that way or none."""
        if asked is not None and best.way.name != asked:
            why = self._tried.get(asked, self._tried.get("others", "it is not possible here"))
            hint = "leave way out: the plain loop works always"
            raise hinted(GuestlistError, f"models cannot be trained by way of {asked}: {why}", hint)
        return best

    def _candidates(self) -> dict[str, Callable[[float | None], tuple[Way, float]]]:
        ways: dict[str, Callable[[float | None], tuple[Way, float]]] = {}
        cuda = self.setup.device.type == "cuda"
        if cuda:
            ways["graph"] = lambda _: self._lanes(compiled=False)
        if len(self._jobs) > 1:
            ways["ensemble"] = self._ensemble
        if cuda:
            ways["compiled"] = self._compiled
        return ways

    def _compiled(self, best: float | None) -> tuple[Way, float]:
        """Compiling takes its time: only where much is to be trained."""
        ahead = self.setup.recipe.steps * len(self._jobs) * (best or float("inf"))
        if ahead < WORTH_COMPILING:
            raise NotThisWay(f"compiling would take longer than it saves ({ahead:.0f} s are ahead)")
        torch._dynamo.reset()
        return self._lanes(compiled=True)

    def _try(
        self, name: str, make: Callable[[float | None], tuple[Way, float]], best: float | None
    ) -> Choice | None:
        try:
            way, seconds = make(best)
        except NotThisWay as why:
            self._tried[name] = str(why)
        except GuestlistError:
            raise
        except Exception as error:  # Whatever a model does under a transformation, the plain loop remains.
            if is_out_of_memory(error):
                self._tried[name] = "the device's memory does not suffice"
                torch.cuda.empty_cache()
            else:
                self._tried[name] = f"{type(error).__name__}: {reason(error)}"
        else:
            self._tried[name] = _shown(seconds)
            return Choice(way, seconds, self._tried)
        return None

    def _lanes(self, *, compiled: bool) -> tuple[Way, float]:
        way = Lanes(self.setup, compiled=compiled)
        way.run(self._jobs[-1:], COMPARED)
        self._compare(way.run(self._jobs[:1], COMPARED).state_dict(), exact=not compiled)
        seconds = self._timed(way)
        while way.capacity < min(MOST_LANES, len(self._jobs)):
            try:
                way.add()
                self._compare_lanes(way)
                more = self._timed(way) / way.capacity
            except RuntimeError as error:
                if not is_out_of_memory(error):
                    raise
                more = seconds
            if more > WORTH_A_LANE * seconds:
                way.smaller()
                torch.cuda.empty_cache()
                break
            seconds = more
        return way, seconds

    def _ensemble(self, best: float | None) -> tuple[Way, float]:
        most = self._room()
        if most < 2:
            raise NotThisWay("two models do not fit into memory together")
        few, seconds = self._fitting(min(FEW, most), least=2)
        full = few.capacity < FEW or few.capacity == most
        if full or (best is not None and seconds > best):
            return few, seconds
        del few
        most = min(most, max(FEW, int(LONGEST / (self.setup.recipe.steps * seconds))))
        return self._fitting(most, least=FEW)

    def _fitting(self, size: int, *, least: int) -> tuple[Ensemble, float]:
        """An ensemble of so many models or as many as fit, and seconds of its steps a model."""
        while True:
            try:
                return self._tried_ensemble(size)
            except RuntimeError as error:
                if not is_out_of_memory(error) or size <= least:
                    raise
            torch.cuda.empty_cache()
            size = max(least, size // 2)
            self.setup.tell(f"the device's memory is full: ensembles are of {size} models")

    def _tried_ensemble(self, size: int) -> tuple[Ensemble, float]:
        made = Ensemble(self.setup, size)
        # Twice: what an earlier model leaves behind must not show in a later one.
        for _ in range(2):
            made.run(self._jobs[:size], COMPARED)
        self._compare(made.weights(0), exact=False)
        return made, self._timed(made) / size

    def _room(self) -> int:
        """How many models fit into memory at once."""
        weights = sum(p.numel() * p.element_size() for p in self._fresh().parameters())
        if self.setup.device.type == "cuda":
            free, _ = torch.cuda.mem_get_info(self.setup.device)
            torch.cuda.reset_peak_memory_stats(self.setup.device)
            before = torch.cuda.memory_allocated(self.setup.device)
            self._plain.steps(self._jobs, 2)
            each = torch.cuda.max_memory_allocated(self.setup.device) - before
            room = 0.6 * free / max(each, 6 * weights, 1)
        else:
            pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            room = min(64, 0.25 * pages / (os.cpu_count() or 1) / max(8 * weights, 1))
        return min(len(self._jobs), int(room))

    def _fresh(self) -> Any:
        return self.setup.recipe.new_model(0, torch.device("cpu"))

    def _timed(self, way: Way) -> float:
        """Seconds of a step: what many take more than few, so that what is done once per model is left out."""
        jobs, few = self._jobs[: way.capacity], 2
        way.steps(jobs, few)
        short, many = self._took(way, jobs, few), 4 * few
        while True:
            long = self._took(way, jobs, many)
            if long > TIMED or many >= MOST_TIMED:
                return max(long - short, 0.1 * long) / (many - few)
            many = min(MOST_TIMED, many * max(2, int(1.5 * TIMED / max(long, 1e-6))))

    def _took(self, way: Way, jobs: Sequence[Job], count: int) -> float:
        self.setup.synchronize()
        began = time.perf_counter()
        way.steps(jobs, count)
        self.setup.synchronize()
        return time.perf_counter() - began

    def _compare_lanes(self, way: Lanes) -> None:
        """Side by side, every lane must do to a model what it would do alone."""
        way.run([self._jobs[0]] * way.capacity, COMPARED)
        for model in way.models():
            self._compare(model.state_dict(), exact=False)

    def _compare(self, weights: dict[str, Any], *, exact: bool) -> None:
        """Refuses a way whose first steps are not those of the plain loop."""
        job, setup = self._jobs[0], self.setup
        before = setup.recipe.new_model(job.seed, setup.device).state_dict()
        plain = self._plain.trained(job, COMPARED)[0].state_dict()
        if not exact and self._draws_on_device():
            return  # Other random numbers, of the same kind.
        moved = apart = 0.0
        for name, tensor in plain.items():
            if name in weights and tensor.is_floating_point():
                moved += float((tensor - before[name]).detach().double().square().sum())
                apart += float((tensor - weights[name]).detach().double().square().sum())
        limit = 0.35 if setup.recipe.precision == "bf16" else 0.05
        if not apart <= limit**2 * moved:
            share = (apart / moved) ** 0.5 if moved else float("inf")
            raise NotThisWay(f"its first steps differ from the plain loop's by {share:.0%} of their length")

    def _draws_on_host(self) -> bool:
        """Whether a step draws random numbers that a recording on the device would freeze."""
        return self._changes(host_state) if self.setup.device.type == "cuda" else False

    def _draws_on_device(self) -> bool:
        device = self.setup.device
        if device.type == "cuda":
            return self._changes(lambda: torch.cuda.get_rng_state(device).numpy().tobytes())
        return self._changes(host_state)

    def _changes(self, state: Callable[[], Any]) -> bool:
        """Whether a training step changes a state. Training itself leaves the caller's as it was."""
        recipe, setup, job = self.setup.recipe, self.setup, self._jobs[0]
        model = recipe.new_model(job.seed, setup.device)
        model.train()
        inputs, labels = setup.batch(torch.as_tensor(job.rows[: recipe.batch_size], device=setup.device))
        before = state()
        recipe.loss_of(model, recipe.augmented(inputs), labels).backward()
        return bool(before != state())


def _shown(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms a step" if seconds >= 1e-4 else f"{1e6 * seconds:.3g} µs a step"
