"""Bars while an audit runs: tqdm's where it is installed, else a plain line on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Listener = Callable[[str, int, int], object]
"""Called with the stretch of work, what is done of it, and how much it is."""


@contextmanager
def following(progress: bool | Listener | None) -> Iterator[Listener | None]:
    """``None`` shows a bar where somebody looks: in a notebook, or on a terminal."""
    if callable(progress):
        yield progress
        return
    wanted = _is_watched() if progress is None else progress
    if not wanted:
        yield None
        return
    bar = _bar()
    try:
        yield bar.tell
    finally:
        bar.close()


def _is_watched() -> bool:
    return _in_notebook() or sys.stderr.isatty()


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def _bar() -> Any:
    try:
        with warnings.catch_warnings():
            # Without ipywidgets tqdm warns and draws with text, which will do.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return _Line()
    return _Tqdm(tqdm)


class _Tqdm:
    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._stretch = ("", 0)

    def tell(self, stretch: str, done: int, total: int) -> None:
        if (stretch, total) != self._stretch:
            self.close()
            self._stretch = (stretch, total)
            unit = " models" if stretch == "training" else "rec"
            self._bar = self._tqdm(total=total or None, desc=stretch, unit=unit, leave=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Line:
    def __init__(self) -> None:
        self._shown = ""

    def tell(self, stretch: str, done: int, total: int) -> None:
        share = f" {100 * done // total}%" if total else ""
        line = f"{stretch}{share}"
        if line != self._shown:
            sys.stderr.write(f"\r{line:<{len(self._shown)}}")
            sys.stderr.flush()
            self._shown = line

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\r" + " " * len(self._shown) + "\r")
            sys.stderr.flush()
