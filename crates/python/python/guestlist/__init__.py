"""Who was on the guest list? Membership-inference audits that hold.

>>> import numpy as np, guestlist
>>> keep = guestlist.shadow_splits(records=400, models=17, seed=1)
>>> rng = np.random.default_rng(0)
>>> phi = rng.normal(size=keep.shape) + 2.0 * keep        # members score higher: a leak
>>> report = guestlist.audit(phi, keep, target=0, attacks="lira,rmia")
>>> report.outcome
'fail'

``init`` writes a configuration of any kind, ``probe`` asks its service one question, ``plan`` says what a
run costs, and ``run`` takes it to its report, as the command line does. Of signals that exist already,
``audit`` judges a classifier by shadow models, ``audit_tokens`` a language model by what it made of texts,
``audit_rag`` a function that answers from documents, or a service by recorded exchanges, ``audit_source`` where a service has its answers from,
``audit_fewshot`` a classifier by a few records with known membership, ``audit_scores`` scores that another
program made, and ``audit_file`` any of them. ``evaluate`` gives the measures of one vector of scores without a
verdict. ``load`` reads a report back, ``policy_check`` judges it by a policy, ``diff`` says whether leakage rose between
two, ``verify`` whether an audit's files are as they were, ``convert`` writes signals in another format. ``demo`` shows a whole audit, ``rag_server`` serves documents to rehearse on, and
``guestlist.rag`` makes such functions of pipelines of LangChain, LlamaIndex and Haystack,
``guestlist.canaries`` draws records that prove in one training run what a model remembers,
``guestlist.collect`` writes signals from PyTorch and Hugging Face loops, and ``guestlist.torch`` trains a
classifier of PyTorch with its shadows. Numbers are those of the command line,
to the last bit; whatever takes long tells its progress and stops at Ctrl-C.
"""

from __future__ import annotations

# Checkers of types know the name; importing it would be a quarter of the command's start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import torch as torch
    from ._public import *
else:

    def __getattr__(name: str) -> Any:
        # The command line and the plugin of pytest are in this package too, and want none of NumPy's start.
        # A module of our own that is wanted by name (`from . import _guestlist`) is imported where this knows nothing.
        if name.startswith("_") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        # PyTorch is slow to import and may not be there.
        if name == "torch":
            return importlib.import_module("guestlist.torch")
        public = importlib.import_module("guestlist._public")
        # It is half there while it imports its own.
        if name == "__all__" or name in getattr(public, "__all__", ()):
            globals()[name] = getattr(public, name)
            return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from ._public import __all__

    return sorted({*globals(), *__all__})
