"""Keyword arguments as the extension reads them, and the call that gives a report again."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

OPTIONS = (
    "attacks",
    "settings",
    "replicates",
    "scaling",
    "slices",
    "fpr",
    "gate",
    "measure",
    "threshold",
    "holdout",
    "attacker",
    "force",
    "show_records",
    "confidence",
    "delta",
    "bootstrap",
)
"""What may be asked of attacks and judge, in the names of a configuration's [audit]."""

LISTS = ("scaling", "slices", "fpr")


def document(command: str, given: Mapping[str, Any], **own: Any) -> str:
    """One JSON document of what was asked; absent ones keep their defaults."""
    options = {key: given[key] for key in OPTIONS if given.get(key) is not None}
    for key in options.keys() & set(LISTS):
        options[key] = one_or_many(options[key])
    if not isinstance(options.get("attacks", ""), str):
        options["attacks"] = ",".join(options["attacks"])
    whole = {"options": options, "seed": given["seed"], "command": command, **own}
    return json.dumps(whole, default=_plain)


def one_or_many(value: Any) -> list[Any]:
    if isinstance(value, (str, int, float)):
        return [value]
    return list(value)


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays, and paths."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, "__fspath__"):
        return str(value)
    raise TypeError(f"{value!r} is neither a number nor a text")


def call(function: Callable[..., Any], given: Mapping[str, Any], hidden: Iterable[str] = ()) -> str:
    """The call in Python, arguments with their default values left out."""
    arguments = []
    for name, parameter in inspect.signature(function).parameters.items():
        value = given[name]
        if name == "progress" or name in hidden or value is parameter.default:
            continue
        if _is_short(value):
            if _same(value, parameter.default):
                continue
            shown = repr(value)
        else:
            shown = name
        positional = parameter.default is inspect.Parameter.empty
        arguments.append(shown if positional else f"{name}={shown}")
    return f"guestlist.{function.__name__}({', '.join(arguments)})"


def _same(value: Any, default: Any) -> bool:
    if isinstance(value, list) and isinstance(default, tuple):
        return tuple(value) == default
    return bool(value == default)


def _is_short(value: Any) -> bool:
    """Whether its text says it all: not that of an array or a table."""
    if isinstance(value, (str, int, float, bool)) or value is None:
        return True
    if isinstance(value, Mapping):
        return all(map(_is_short, value.values()))
    return isinstance(value, (list, tuple)) and len(value) < 20 and all(map(_is_short, value))
