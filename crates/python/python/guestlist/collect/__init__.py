"""Hooks that write signals from training loops, in three lines.

``signals`` for classifiers of PyTorch; ``tokens``, ``text_features``, ``LeakageCallback`` and ``Canaries`` for
language models of Hugging Face. PyTorch and transformers are imported when they are used, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._signals import Signals, signals
from ._text_features import text_features
from ._tokens import token_table, tokens

if TYPE_CHECKING:
    from ._callback import LeakageCallback
    from ._canaries import Canaries

__all__ = [
    "Canaries",
    "LeakageCallback",
    "Signals",
    "signals",
    "text_features",
    "token_table",
    "tokens",
]


def __getattr__(name: str) -> Any:
    # Their classes derive from one of transformers', which is slow to import and may not be there.
    if name == "LeakageCallback":
        from ._callback import LeakageCallback

        return LeakageCallback
    if name == "Canaries":
        from ._canaries import Canaries

        return Canaries
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
