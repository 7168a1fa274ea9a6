"""Keyword arguments as the extension reads them, and the call that gives a report again."""

from __future__ import annotations

import inspect
import json
import os
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

OWN = (
    "seed",
    "format",
    "target",
    "shadows",
    "members",
    "population",
    "records",
    "documents",
    "training_file",
    "label",
    "runs",
    "validation",
    "query",
    "thresholds",
    "layer",
)
"""What single kinds are asked beside, where it lies on the disk."""


def document(command: str, given: Mapping[str, Any], **own: Any) -> str:
    """One JSON document of what was asked; absent ones keep their defaults."""
    whole = {"options": _judging(given), "seed": given["seed"], "command": command, **own}
    return json.dumps(whole, default=_plain)


def request(command: str, kind: str | None, given: Mapping[str, Any]) -> str:
    """The same for an audit of what lies on the disk."""
    own = {key: given[key] for key in OWN if given.get(key) is not None}
    steps = (given.get("checkpoints") or {}).items()
    return plain_json(
        kind=kind,
        audit=_judging(given),
        command=command,
        checkpoints=[(str(step), path) for step, path in steps],
        shots=one_or_many(given.get("shots", ())),
        **own,
    )


def plain_json(**whole: Any) -> str:
    """What was given, less what was not."""
    return json.dumps({k: v for k, v in whole.items() if v is not None}, default=_plain)


def _judging(given: Mapping[str, Any]) -> dict[str, Any]:
    options = {key: given[key] for key in OPTIONS if given.get(key) is not None}
    for key in options.keys() & set(LISTS):
        options[key] = one_or_many(options[key])
    if not isinstance(options.get("attacks", ""), str):
        options["attacks"] = ",".join(options["attacks"])
    return options


def refuse_unknown(
    function: Callable[..., Any], given: Iterable[str], known: Iterable[str]
) -> None:
    """What Python itself would say, were every argument spelt out."""
    for name in given:
        if name not in known:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")


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
        return os.fspath(value)
    raise TypeError(f"{value!r} is neither a number nor a text")


FURTHER = inspect.Parameter("further", inspect.Parameter.KEYWORD_ONLY, default=None)
"""An argument that a function takes with ``**``."""


def call(function: Callable[..., Any], given: Mapping[str, Any], hidden: Iterable[str] = ()) -> str:
    """The call in Python, arguments with their default values left out."""
    arguments = []
    parameters = inspect.signature(function).parameters
    further = [name for name in given if name not in parameters]
    for name in [*parameters, *further]:
        parameter = parameters.get(name, FURTHER)
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        value = _named(given[name])
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


def _named(value: Any) -> Any:
    """A path by its name: a call holds no objects."""
    return os.fspath(value) if hasattr(value, "__fspath__") else value


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
