"""Who was on the guest list? Membership-inference audits that hold.

>>> import numpy as np, guestlist
>>> keep = guestlist.shadow_splits(records=400, models=17, seed=1)
>>> rng = np.random.default_rng(0)
>>> phi = rng.normal(size=keep.shape) + 2.0 * keep        # members score higher: a leak
>>> report = guestlist.audit(phi, keep, target=0, attacks="lira,rmia")
>>> report.outcome
'fail'

``run`` takes a configuration of any kind to its report, as the command line does, and ``plan`` says
before what that costs. Of signals that exist already, ``audit`` judges a classifier by shadow models,
``audit_tokens`` a language model by what it made of texts, ``audit_rag`` a retrieval service by recorded
exchanges, ``audit_source`` where a service has its answers from, ``audit_fewshot`` a classifier by a few
records with known membership, ``audit_scores`` scores that another program made, and ``audit_file`` any
of them. ``evaluate`` gives the measures of one vector of scores without a verdict. ``guestlist.collect``
writes signals from PyTorch and Hugging Face loops. Numbers are those of the command line, to the last bit.
"""

from . import collect
from ._audits import audit, audit_tokens
from ._errors import FileError, GuestlistError, InputError, UsageError
from ._guestlist import __version__
from ._on_disk import audit_file, audit_fewshot, audit_rag, audit_source
from ._report import Report
from ._runs import Estimate, plan, run
from ._scores import audit_scores, evaluate
from ._words import attacks, explain, shadow_splits

__all__ = [
    "Estimate",
    "FileError",
    "GuestlistError",
    "InputError",
    "Report",
    "UsageError",
    "__version__",
    "attacks",
    "audit",
    "audit_fewshot",
    "audit_file",
    "audit_rag",
    "audit_scores",
    "audit_source",
    "audit_tokens",
    "collect",
    "evaluate",
    "explain",
    "plan",
    "run",
    "shadow_splits",
]
