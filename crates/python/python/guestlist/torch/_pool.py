"""Several devices at once: a process each, forked from this one, so that functions of a notebook will do."""

from __future__ import annotations

import ctypes
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from ._recipe import Recipe
from ._records import Records
from ._ways import Job
from ._worker import Failure, Result, Worker, failure, setup, tuned

PATIENCE = 0.1
"""Seconds between two looks at whether somebody wants to stop."""

ATTEMPTS = 2
"""How often a model is tried whose worker was killed."""


def can_fork() -> bool:
    """Whether several processes can be had: neither CUDA nor the threads that it starts survive a fork."""
    return sys.platform.startswith("linux") and not torch.cuda.is_initialized()


def elsewhere(ask: Callable[[], Any]) -> Any:
    """What a function says in a process of its own, so that it leaves nothing behind here."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=lambda: theirs.send(ask()))
    _started(process)
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        return None
    finally:
        process.join()


def _started(process: Any) -> None:
    with warnings.catch_warnings():
        # Threads of libraries are asleep here, and the child uses none of them.
        warnings.simplefilter("ignore")
        process.start()


class Pool:
    """A worker process per device."""

    def __init__(
        self,
        recipe: Recipe,
        records: Records,
        devices: Sequence[Any],
        way: str | None,
        tell: Callable[[str], None],
        pause: Callable[[], None],
    ) -> None:
        self._recipe, self._records, self._way = recipe, records, way
        self._devices, self._tell, self._pause = devices, tell, pause
        self._workers: list[_Process] = []

    def train(self, jobs: Sequence[Job]) -> Iterator[Result | Failure]:
        """Trains all models; those of a worker that dies are given to another."""
        waiting, attempts = deque(range(len(jobs))), [0] * len(jobs)
        try:
            self._workers = [self._start(device, jobs) for device in self._devices]
            while self._workers:
                yield from self._answers(jobs, waiting, attempts)
                self._pause()
        finally:
            for worker in self._workers:
                worker.end()

    def _answers(
        self, jobs: Sequence[Job], waiting: deque[int], attempts: list[int]
    ) -> Iterator[Result | Failure]:
        known = {worker.connection: worker for worker in self._workers}
        for connection in multiprocessing.connection.wait(list(known), timeout=PATIENCE):
            worker = known[connection]  # type: ignore[index]
            try:
                kind, content = worker.connection.recv()
            except (EOFError, OSError):
                yield from self._bury(worker, jobs, waiting, attempts)
                continue
            if kind == "tell":
                self._tell(content)
            elif kind == "ready":
                worker.busy = [waiting.popleft() for _ in range(min(content, len(waiting)))]
                for place in worker.busy:
                    attempts[place] += 1
                worker.connection.send(worker.busy)
                if not worker.busy:
                    self._workers.remove(worker)
                    worker.end()
            else:
                worker.busy = [place for place in worker.busy if jobs[place].model != content.model]
                yield content

    def _bury(
        self, worker: _Process, jobs: Sequence[Job], waiting: deque[int], attempts: list[int]
    ) -> Iterator[Failure]:
        """What a dead worker was at goes to another, a few times."""
        worker.end()
        self._workers.remove(worker)
        self._tell(f"a worker on {worker.device} ended ({worker.how()}); another takes its place")
        for place in reversed(worker.busy):
            if attempts[place] < ATTEMPTS:
                waiting.appendleft(place)
            else:
                hint = "the system may have ended it for want of memory: give fewer devices"
                what = f"its worker ended {attempts[place]} times ({worker.how()}); hint: {hint}"
                yield Failure(jobs[place].model, what)
        if waiting:
            self._workers.append(self._start(worker.device, jobs))

    def _start(self, device: Any, jobs: Sequence[Job]) -> _Process:
        return _Process(device, (self._recipe, self._records, device, self._way, jobs, len(self._devices)))


class _Process:
    """One worker, and what it is at."""

    def __init__(self, device: Any, work: tuple[Any, ...]) -> None:
        context = multiprocessing.get_context("fork")
        self.device, self.busy = device, list[int]()
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, os.getpid(), *work))
        _started(self._process)
        theirs.close()

    def end(self) -> None:
        self.connection.close()
        self._process.join(0)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()

    def how(self) -> str:
        code = self._process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"status {code}"


def _work(
    connection: Any,
    parent: int,
    recipe: Recipe,
    records: Records,
    device: Any,
    way: str | None,
    jobs: Sequence[Job],
    workers: int,
) -> None:
    """A worker's life: asks for models until there are none."""
    _die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Threads do not come along with a fork: one of its own is all that a worker may use.
    torch.set_num_threads(1)
    try:
        with tuned():
            here = setup(recipe, records, device, lambda text: connection.send(("tell", text)))
            share = jobs[: max(1, -(-len(jobs) // workers))]
            _serve(connection, Worker(here, share, way), jobs)
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:
        connection.send(("outcome", failure(-1, error)))


def _serve(connection: Any, worker: Worker, jobs: Sequence[Job]) -> None:
    while True:
        connection.send(("ready", worker.capacity))
        places = connection.recv()
        if not places:
            return
        for outcome in worker.train([jobs[place] for place in places]):
            connection.send(("outcome", outcome))


def _die_with(parent: int) -> None:
    """Has the system end this process when its parent is gone, however that ends."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (OSError, AttributeError):
        return
    if os.getppid() != parent:
        os._exit(1)
