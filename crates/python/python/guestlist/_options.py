"""Keyword arguments as the extension reads them, and the call that gives a report again."""

from __future__ import annotations

import difflib
import inspect
import json
import math
import operator
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from ._errors import UsageError, hinted
from ._progress import Listener

PathLike = str | os.PathLike[str]


class MeasureOptions(TypedDict, total=False):
    """How scores are measured: flags of ``guestlist audit``, with the same defaults."""

    fpr: Sequence[float]
    """False-positive rates for TPR at FPR: 0.1, 0.01 and 0.001."""
    confidence: float
    """Of intervals: 0.95."""
    delta: float
    """Of the lower bounds on epsilon: 1e-5."""
    log_mia_fp: str | int
    """False positives that regime B of Log-MIA allows: ``ceil``, ``floor`` or ``round`` of ln n, or a number."""
    bootstrap: int | None
    """Replicates; where nothing is said, as many as the records allow."""
    seed: int
    """Of everything that is random: 0."""
    progress: bool | Listener | None
    """``True``, ``False``, a function of (stretch, done, total), or ``None``: a bar where somebody looks."""


class AuditOptions(MeasureOptions, total=False):
    """What may be asked of every judge: flags of ``guestlist audit``, with the same defaults."""

    group: str | None
    """The column, array or field that says whose a record is."""
    join: str | None
    """How the scores of a person's records become one: ``sum``, ``mean`` or ``max``."""
    measure: str
    """What the gate looks at: ``auc``, ``advantage``, ``epsilon``, or ``tpr@`` with a rate."""
    threshold: float | None
    """The audit fails at or above it."""
    gate: str
    """``point``, ``conservative`` or ``proven``."""
    policy: PathLike | None
    """Criteria in a file of their own, instead of ``gate``, ``measure`` and ``threshold``."""
    claim: Mapping[str, Any] | None
    """What is claimed of the model: ``{"epsilon": 1.0, "delta": 1e-5}``; with canaries also ``"mechanism": "gaussian"``."""
    holdout: bool
    """Choose the attack on one half of the records, report on the other."""
    attacker: str
    """Whom to be safe from: ``strongest``, ``target-only`` or ``few-shot``."""
    force: bool
    """A verdict even when a guardrail is violated."""
    show_records: bool
    """Ids, texts and memberships in the report."""
    subject: str | None
    """What is audited, in the user's words, for the first lines of the report."""
    date: str | None
    """The day that the report bears, as 2026-01-31."""
    call_level: float
    """The level at which records of unknown membership are called members: 0.05."""


OPTIONS = (
    "attacks",
    "settings",
    "replicates",
    "scaling",
    "slices",
    "group",
    "join",
    "fpr",
    "gate",
    "measure",
    "threshold",
    "policy",
    "claim",
    "holdout",
    "attacker",
    "force",
    "show_records",
    "confidence",
    "delta",
    "call_level",
    "log_mia_fp",
    "bootstrap",
    "subject",
)
"""What may be asked of attacks and judge, in the names of a configuration's [audit]."""

LISTS = ("scaling", "slices", "fpr")

WHOLE = (
    "target",
    "shadows",
    "replicates",
    "bootstrap",
    "runs",
    "validation",
    "query",
    "workers",
    "limit",
    "max_requests",
)
COUNTS = ("scaling", "shots")
"""Whole numbers from 0 on, and lists of them."""

OWN = (
    "seed",
    "date",
    "format",
    "target",
    "shadows",
    "members",
    "unknown",
    "canaries",
    "population",
    "records",
    "documents",
    "config",
    "training_file",
    "shadow",
    "label",
    "runs",
    "validation",
    "query",
    "thresholds",
    "layer",
)
"""What single kinds are asked beside, where it lies on the disk."""


def merged(function: Callable[..., Any], given: dict[str, Any], known: type) -> dict[str, Any]:
    """What a function was given, with what it took as ``**options``; a name that nobody knows is refused."""
    options: dict[str, Any] = given.pop("options")
    names = [*known.__annotations__, *inspect.signature(function).parameters]
    for name in options:
        if name not in known.__annotations__:
            message = f"{function.__name__}() got an unexpected keyword argument {name!r}"
            near = difflib.get_close_matches(name, names, n=1)
            raise TypeError(message + (f". Did you mean {near[0]!r}?" if near else ""))
    return {**given, **options}


def document(command: str, given: Mapping[str, Any], **own: Any) -> str:
    """One JSON document of what was asked; absent ones keep their defaults."""
    whole = {"options": judging(given), "seed": given.get("seed", 0), "command": command, **own}
    return _dumped(whole)


def request(command: str, kind: str | None, given: Mapping[str, Any]) -> str:
    """The same for an audit of what lies on the disk."""
    own = {key: given[key] for key in OWN if given.get(key) is not None}
    steps = (given.get("checkpoints") or {}).items()
    return plain_json(
        kind=kind,
        audit=judging(given),
        command=command,
        checkpoints=[(str(step), path) for step, path in steps],
        shots=one_or_many(given.get("shots", ())),
        **own,
    )


def plain_json(**whole: Any) -> str:
    """What was given, less what was not."""
    return _dumped({k: v for k, v in whole.items() if v is not None})


def _dumped(whole: Mapping[str, Any]) -> str:
    try:
        return json.dumps(whole, default=_plain, allow_nan=False)
    except ValueError:
        for name, value in _endless("", whole):
            hint = "give a number, or leave it out"
            raise hinted(UsageError, f"{name} is no finite number: {value}", hint) from None
        raise


def _endless(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """NaN and infinities, which no document can hold, with what the user calls them."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        yield name, value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            # Arguments, as these group them.
            within = name if name not in ("", "options", "audit") else ""
            yield from _endless(f"{within}.{key}" if within else str(key), one)
    elif isinstance(value, (list, tuple)):
        for place, one in enumerate(value):
            yield from _endless(f"{name}[{place}]" if len(value) > 1 else name, one)


def judging(given: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked of attacks and judge."""
    refuse_no_counts(given)
    options = {key: given[key] for key in OPTIONS if given.get(key) is not None}
    for key in options.keys() & set(LISTS):
        options[key] = one_or_many(options[key])
    if "attacks" in options:
        options["attacks"] = attack_ids(options["attacks"])
    return options


def attack_ids(given: Any) -> str:
    """Ids separated by commas."""
    several: list[Any] = [given]
    if isinstance(given, Iterable) and not isinstance(given, str):
        several = list(given)
    if not all(isinstance(one, str) for one in several):
        hint = 'give ids, as "lira,rmia" or ["lira", "rmia"], or "all"; guestlist.attacks() lists them'
        raise hinted(UsageError, f"attacks is {given!r}", hint)
    return ",".join(several)


def refuse_no_counts(given: Mapping[str, Any]) -> None:
    """Refuses what is no whole number where one is wanted."""
    for name in (*WHOLE, *COUNTS):
        value = given.get(name)
        listed = name in COUNTS and isinstance(value, (list, tuple, np.ndarray))
        for one in [] if value is None else one_or_many(value) if listed else [value]:
            whole(name, one, "give a whole number of 0 or more")


def whole(name: str, value: Any, hint: str) -> None:
    """Refuses what is no whole number from 0 on that the extension can read."""
    try:
        counted = operator.index(value)
    except TypeError:
        counted = -1
    if not 0 <= counted < 2**64 or isinstance(value, (bool, np.bool_)):
        raise hinted(UsageError, f"{name} is {value!r}", hint)


def one_or_many(value: Any) -> list[Any]:
    if isinstance(value, (str, int, float, np.generic)):
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
        # Whose the records are stays out of reports, however few they are.
        if name != "groups" and _is_short(value):
            if _same(value, parameter.default):
                continue
            shown = repr(value)
        else:
            shown = name
        positional = parameter.default is inspect.Parameter.empty
        arguments.append(shown if positional else f"{name}={shown}")
    module = function.__module__.partition("._")[0]
    return f"{module}.{function.__name__}({', '.join(arguments)})"


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
