"""Everything that the package offers, imported: NumPy and all."""

from . import canaries, collect, rag
from ._audits import audit, audit_tokens
from ._doctor import Checkup, doctor
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
    "Checkup",
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
    "doctor",
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
    "verify",
]
