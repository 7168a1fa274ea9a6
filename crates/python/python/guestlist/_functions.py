"""Functions that answer questions: called on threads of their own, while the audit waits."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

from . import _guestlist
from ._documents import as_json, shown

Ask = Callable[[str], Any]
"""A question in; out a text, or a mapping with ``answer`` and ``sources``; or an awaitable of either."""

_Task = tuple[int, Ask, str]

RETURNED = (
    'return a text, or {"answer": "…", "sources": […]}, where a source is a text, {"id", "title", "text"} '
    "or a document of LangChain, LlamaIndex or Haystack"
)
SHOWN = (*_guestlist.SOURCE_FIELDS, "retrieved")
"""Where an answer has its sources, and what was looked up."""

DEEPEST = 20
"""Levels of what else is given back; a structure may hold itself."""


def name_of(function: Ask) -> str:
    """What messages call it."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return str(getattr(function, "name", None) or named.__qualname__)


@contextmanager
def answering(
    desk: _guestlist.Desk, ask: Ask, without: Ask | None, timeout: float
) -> Iterator[Answerers]:
    """Threads that answer what lies on the desk, until it closes."""
    answerers = Answerers(desk, ask, without, timeout)
    answerers.start()
    try:
        yield answerers
    finally:
        answerers.stop()


class Answerers:
    """As many threads as questions are open; one whose function never returns is left behind."""

    def __init__(
        self, desk: _guestlist.Desk, ask: Ask, without: Ask | None, timeout: float
    ) -> None:
        self.answered = 0
        self._desk = desk
        self._ask, self._without = ask, without
        self._timeout = timeout
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._threads = 0
        # What the caller has set, such as tracing, holds for his function too.
        self._context = contextvars.copy_context()
        self._loop = asyncio.new_event_loop()

    def start(self) -> None:
        for work in (self._distribute, self._run_loop):
            threading.Thread(target=work, daemon=True).start()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        for _ in range(self._threads):
            self._tasks.put(None)

    def _run_loop(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        # Answers that nobody waits for any more.
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()

    def _distribute(self) -> None:
        while (taken := self._desk.take()) is not None:
            number, without, question = taken
            function = self._without if without and self._without is not None else self._ask
            with self._lock:
                lacking = self._tasks.qsize() >= self._idle
                self._threads += lacking
            self._tasks.put((number, function, question))
            if lacking:
                threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                self._idle += 1
            task = self._tasks.get()
            with self._lock:
                self._idle -= 1
            if task is None:
                return
            self._answer(*task)

    def _answer(self, number: int, function: Ask, question: str) -> None:
        name = name_of(function)
        try:
            said = self._context.copy().run(function, question)
            if inspect.isawaitable(said):
                said = self._awaited(said)
        # Whatever it is, the audit must hear of it: even SystemExit ends no more than this thread.
        except BaseException as error:
            hint = "mend it, or call again when it is well: what came is kept"
            self._desk.fail(number, True, f"{name} raised {_told(error)}", hint)
            return
        try:
            body = _body(said)
        except (TypeError, ValueError) as error:
            self._desk.fail(number, False, f"{name} returned {error}", RETURNED)
            return
        self._desk.answer(number, body)
        with self._lock:
            self.answered += 1

    def _awaited(self, said: Any) -> Any:
        async def wait() -> Any:
            return await said

        waiting = asyncio.run_coroutine_threadsafe(wait(), self._loop)
        try:
            return waiting.result(self._timeout)
        except TimeoutError:
            waiting.cancel()
            raise


def _told(error: BaseException) -> str:
    words = _whole(str(error))
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _whole(text: str) -> str:
    """Halves of characters, which no file holds, as they are written in Python."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _body(said: Any) -> str:
    """The answer as JSON; a complaint says what it was instead."""
    if isinstance(said, str):
        said = {"answer": said}
    if not isinstance(said, Mapping):
        raise TypeError(f"{type(said).__name__}, which is no answer")
    if not isinstance(said.get("answer"), str):
        what = (
            "no answer"
            if "answer" not in said
            else f"an answer of type {type(said['answer']).__name__}"
        )
        raise TypeError(f"a mapping with {what}")
    body: dict[str, Any] = {"answer": _whole(said["answer"])}
    body |= {key: _shown(key, said[key]) for key in SHOWN if said.get(key) is not None}
    if said.get("blocked"):
        body["blocked"] = True
    known = {"answer", "blocked", *SHOWN}
    beside = {_whole(str(key)): _plain(value) for key, value in said.items() if key not in known}
    return as_json(body | {key: value for key, value in beside.items() if value is not None})


def _plain(value: Any, depth: int = 0) -> Any:
    """What else is given back, as a service would send it: who asks sees it. Objects of Python are not sent."""
    if depth > DEEPEST:
        return None
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {_whole(str(key)): _plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one, depth + 1) for one in value]
    return None


def _shown(key: str, sources: Any) -> Any:
    try:
        return shown(sources)
    except TypeError as error:
        if key == "sources":
            raise
        raise TypeError(f"{error}, under {key}") from None
