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

from typing import TYPE_CHECKING, Any

from . import canaries, collect, rag
from ._audits import audit, audit_tokens
from ._errors import FileError, GuestlistError, InputError, UsageError
from ._guestlist import __version__
from ._on_disk import audit_file, audit_fewshot, audit_source
from ._options import AuditOptions, MeasureOptions
from ._rag import audit_rag
from ._rehearsal import RagServer, demo, misleading, rag_server
from ._report import Report
from ._runs import Estimate, Probe, Started, init, plan, probe, run
from ._scores import audit_scores, evaluate
from ._stored import (
    Difference,
    PolicyCheck,
    Verification,
    convert,
    diff,
    load,
    policy_check,
    sign,
    verify,
)
from ._words import attacks, explain, shadow_splits

__all__ = [
    "AuditOptions",
    "Difference",
    "Estimate",
    "FileError",
    "GuestlistError",
    "InputError",
    "MeasureOptions",
    "PolicyCheck",
    "Probe",
    "RagServer",
    "Report",
    "Started",
    "UsageError",
    "Verification",
    "__version__",
    "attacks",
    "audit",
    "audit_fewshot",
    "audit_file",
    "audit_rag",
    "audit_scores",
    "audit_source",
    "audit_tokens",
    "canaries",
    "collect",
    "convert",
    "demo",
    "diff",
    "evaluate",
    "explain",
    "init",
    "load",
    "misleading",
    "plan",
    "policy_check",
    "probe",
    "rag",
    "rag_server",
    "run",
    "shadow_splits",
    "sign",
    "torch",
    "verify",
]

if TYPE_CHECKING:
    from . import torch


def __getattr__(name: str) -> Any:
    # PyTorch is slow to import and may not be there.
    if name == "torch":
        import importlib

        return importlib.import_module("guestlist.torch")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
