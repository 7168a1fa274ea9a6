"""Functions by their names, as a configuration has them: ``module:function``."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from .._errors import UsageError, hinted
from ._recipe import SCHEDULES

FUNCTIONS = ("model", "dataset", "groups", "optimizer", "schedule", "augment", "loss", "train")


def functions(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with functions where their names were."""
    found = dict(settings)
    for name in FUNCTIONS:
        given = settings.get(name)
        if given is not None and not (name == "schedule" and given in SCHEDULES):
            found[name] = function(f"torch.{name}", given)
    queries = settings.get("queries")
    if isinstance(queries, list):
        found["queries"] = [function("torch.queries", query) for query in queries]
    return found


def packages(settings: Mapping[str, Any]) -> set[str]:
    """The packages that the names begin with."""
    queries = settings.get("queries")
    named = [settings.get(name) for name in FUNCTIONS] + (queries if isinstance(queries, list) else [])
    return {name.partition(":")[0].partition(".")[0] for name in named if name is not None and ":" in name}


def function(setting: str, name: str) -> Any:
    """What a name stands for."""
    module, _, path = name.partition(":")
    if not module or not path:
        hint = 'write "module:function", such as "train:make_model" for make_model in train.py'
        raise hinted(UsageError, f"{setting} is {name!r}", hint)
    try:
        found: Any = importlib.import_module(module)
    except ImportError as error:
        if error.name != module.partition(".")[0] and error.name != module:
            raise
        hint = "modules are looked for in torch.folder, which is the configuration's folder by default"
        raise hinted(UsageError, f"{setting}: there is no module {module}", hint) from error
    for part in path.split("."):
        if not hasattr(found, part):
            offered = [one for one in vars(found) if not one.startswith("_")] if hasattr(found, "__dict__") else []
            hint = f"it has {', '.join(sorted(offered)[:12])}" if offered else "look for its name there"
            raise hinted(UsageError, f"{setting}: {module} has no {path}", hint)
        found = getattr(found, part)
    return found


def value(found: Any) -> Any:
    """What a name gives: what a function returns, or the thing itself."""
    is_data = hasattr(found, "__getitem__") or hasattr(found, "__iter__")
    return found() if callable(found) and not is_data else found
