from collections.abc import Callable
from os import PathLike
from typing import Any, final

import numpy.typing as npt

__version__: str

_Array = tuple[str, npt.NDArray[Any], str]
_Column = tuple[_Array, _Array | None]
_Path = str | PathLike[str]
_Signals = _Path | tuple[list[_Array], list[str] | None]
_Listener = Callable[[str, int, int], object] | None

@final
class Audit:
    def to_json(self) -> str: ...
    def to_markdown(self) -> str: ...
    def to_html(self) -> str: ...
    def to_text(self, width: int) -> str: ...
    def save(
        self, folder: _Path, junit: bool, markdown: bool, sarif: bool, figures: bool
    ) -> list[Any]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

def audit_shadow(
    signals: _Signals,
    population: _Signals | None,
    members: _Path | _Array | None,
    options: str,
    listener: _Listener,
) -> Audit: ...
def audit_tokens(
    signals: _Path | object,
    members: _Path | list[str] | None,
    options: str,
    listener: _Listener,
) -> Audit: ...
def audit_scores(
    given: _Path | tuple[list[_Column], _Array, list[str] | None],
    options: str,
    listener: _Listener,
) -> Audit: ...
def evaluate(column: _Column, member: _Array, options: str) -> str: ...
def attacks() -> list[dict[str, str]]: ...
def explain(id: str, width: int) -> str: ...
def shadow_splits(records: int, models: int, seed: int) -> bytearray: ...
