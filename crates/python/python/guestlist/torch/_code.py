"""What functions and models are made of, so that a change of them is seen.

A function is known by its compiled code, by the values that it closes over, and by the functions, classes and
plain values of the user's own modules that it names. Comments and layout count for nothing. What libraries
do is not looked at: whoever upgrades one trains anew where that matters.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import inspect
import site
import sys
import sysconfig
from collections.abc import Collection, Mapping
from pathlib import Path
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))

SETTINGS = (argparse.Namespace, SimpleNamespace)
"""What holds settings though its class is Python's."""


def digest(value: Any) -> str:
    """SHA-256 of what a value is made of."""
    told = hashlib.sha256()
    _Telling(told).tell(value)
    return told.hexdigest()


def model_digest(model: Any) -> str:
    """Of a model as it was built: its layers, the shapes of its weights, and the code of its own classes."""
    told = hashlib.sha256()
    telling = _Telling(told)
    telling.word(repr(model))
    for name, tensor in model.state_dict().items():
        if torch.is_tensor(tensor):
            telling.word(f"{name} {tuple(tensor.shape)} {tensor.dtype}")
    for kind in _kinds(model):
        telling.tell(kind)
    return told.hexdigest()


def _kinds(model: Any) -> list[type]:
    kinds = {type(part) for part in model.modules()}
    return sorted(kinds, key=lambda kind: f"{kind.__module__}.{kind.__qualname__}")


class _Telling:
    """Takes values apart, each once."""

    def __init__(self, told: Any) -> None:
        self._told = told
        self._seen: dict[int, Any] = {}

    def word(self, text: str) -> None:
        self._told.update(f"{len(text)}:{text};".encode())

    def tell(self, value: Any) -> None:
        if isinstance(value, PLAIN):
            self.word(f"{type(value).__name__} {value!r}")
            return
        if isinstance(value, (CodeType, tuple)):
            # Whether equal constants are one object is the interpreter's affair.
            self._tell_compound(value)
        elif id(value) in self._seen:
            self.word("again")
        else:
            self._seen[id(value)] = value
            self._tell_compound(value)

    def _tell_compound(self, value: Any) -> None:
        if isinstance(value, CodeType):
            self._tell_code(value)
        elif isinstance(value, functools.partial):
            self.word("partial")
            for part in (value.func, value.args, value.keywords):
                self.tell(part)
        elif inspect.ismethod(value):
            self.tell(value.__func__)
            self.tell(value.__self__)
        elif inspect.isfunction(value):
            self._tell_function(value)
        elif inspect.isclass(value):
            self._tell_class(value)
        elif isinstance(value, (tuple, list)):
            self.word(f"{type(value).__name__} of {len(value)}")
            for part in value:
                self.tell(part)
        elif isinstance(value, Mapping):
            self.word(f"mapping of {len(value)}")
            for name in sorted(value, key=repr):
                self.tell(name)
                self.tell(value[name])
        elif isinstance(value, (set, frozenset)):
            self.word(f"set {sorted(map(repr, value))}")
        elif torch.is_tensor(value) or isinstance(value, np.ndarray):
            self._tell_array(value)
        else:
            self._tell_object(value)

    def _tell_code(self, code: CodeType) -> None:
        self.word(f"code {code.co_names} {code.co_varnames} {code.co_argcount}")
        self._told.update(code.co_code)
        for constant in code.co_consts:
            self.tell(constant)

    def _tell_function(self, function: Any) -> None:
        if not _is_own(function):
            self.word(f"{function.__module__}.{function.__qualname__}")
            return
        self._tell_code(function.__code__)
        self.tell(function.__defaults__)
        self.tell(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            try:
                self.tell(cell.cell_contents)
            except ValueError:
                self.word("empty")
        for name in sorted(_names(function.__code__)):
            if name in function.__globals__:
                self.word(name)
                self.tell(function.__globals__[name])

    def _tell_class(self, kind: type) -> None:
        self.word(f"class {kind.__module__}.{kind.__qualname__}")
        if not _is_own(kind):
            return
        for base in kind.__bases__:
            self.tell(base)
        for name, member in sorted(vars(kind).items()):
            inner = getattr(member, "__func__", getattr(member, "fget", member))
            if inspect.isfunction(inner) or isinstance(inner, PLAIN + (tuple, list, dict)):
                if not name.startswith("__") or inspect.isfunction(inner):
                    self.word(name)
                    self.tell(inner)

    def _tell_array(self, array: Any) -> None:
        plain = array.detach().cpu() if torch.is_tensor(array) else torch.as_tensor(array.copy())
        self.word(f"array {tuple(plain.shape)} {plain.dtype}")
        self._told.update(plain.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())

    def _tell_object(self, value: Any) -> None:
        """An object by its class and what it holds; a module of a library by its name."""
        if isinstance(value, ModuleType):
            self.word(f"module {value.__name__}")
            return
        self.tell(type(value))
        if isinstance(value, torch.nn.Module):
            self.word(model_digest(value))
        elif hasattr(value, "__dict__") and (_is_own(type(value)) or isinstance(value, SETTINGS)):
            self.tell(vars(value))


def _names(code: CodeType) -> set[str]:
    """The names that code and the functions within it look up."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names(constant)
    return found


@functools.cache
def _libraries() -> list[Path]:
    """Where Python and installed packages lie, and where this package does."""
    places = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    places += [*site.getsitepackages(), site.getusersitepackages()]
    roots = [Path(module.__file__).parent for module in (torch, np) if module.__file__]
    return [Path(place).resolve() for place in places if place] + [root.resolve() for root in roots]


def _is_own(value: Any) -> bool:
    """Whether a function or class is the user's: not Python's, nor of an installed package."""
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    name = getattr(module, "__name__", "")
    if name == "__main__" or module is None:
        return True
    if name.partition(".")[0] in ("builtins", "guestlist", "torch", "numpy"):
        return False
    file = getattr(module, "__file__", None)
    if file is None:
        return name not in sys.builtin_module_names
    return not _is_of_a_library(Path(file).resolve())


def _is_of_a_library(path: Path) -> bool:
    return any(path.is_relative_to(place) for place in _libraries())


def files(packages: Collection[str]) -> dict[str, str]:
    """The files of the user's own modules that were imported, as seen from here, each by its SHA-256.

    They lie in the folder where Python runs, or belong to a package that is named.
    """
    here = Path.cwd().resolve()
    found: dict[str, str] = {}
    for name, module in sorted(sys.modules.items()):
        file, package = getattr(module, "__file__", None), name.partition(".")[0]
        if file is None or package in ("__main__", "guestlist"):
            continue
        path = Path(file).resolve()
        inside = path.is_relative_to(here)
        if (inside or package in packages) and path.is_file() and not _is_of_a_library(path):
            seen = path.relative_to(here) if inside else path
            found[str(seen)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
