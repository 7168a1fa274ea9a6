"""What lies on the disk from before: reports, read, checked and compared, and signals in another format."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _guestlist, _options
from ._errors import about_files, no_truth
from ._options import PathLike
from ._progress import Listener, following
from ._report import Report


def load(path: PathLike) -> Report:
    """Reads a report back, from an audit's folder or the ``report.json`` itself, of earlier versions too.

    >>> import guestlist, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> report = guestlist.audit_scores([0.9, 0.8, 0.4, 0.1] * 50, [1, 1, 0, 0] * 50)
    >>> _ = report.save(folder)
    >>> guestlist.load(folder).outcome == report.outcome
    True
    """
    with about_files("cannot be read"):
        return Report(_guestlist.load(path), read_from=path)


SUMS = "SHA256SUMS"


def changed(report: Report) -> str | None:
    """Why a report that was read back is not as its audit wrote it, by the digests beside it.

    Nothing where it is, where there are none, and of a report that is no file.
    """
    place = report._read_from
    if place is None:
        return None
    file = place / "report.json" if place.is_dir() else place
    sums = file.parent / SUMS
    if file.name != "report.json" or not sums.is_file():
        return None
    lines = sums.read_text(encoding="utf-8", errors="replace").splitlines()
    named = (line.partition("  ") for line in lines)
    recorded = [digest for digest, _, name in named if name == file.name]
    if not recorded:
        return f"{SUMS} beside {file} has no digest of it"
    if recorded != [hashlib.sha256(file.read_bytes()).hexdigest()]:
        return f"{file} is not as the audit wrote it: {SUMS} beside it has another digest; guestlist verify says more"
    return None


@dataclass(frozen=True)
class Verification:
    """Whether an audit's files are as they were. ``str()`` of it is what ``guestlist verify`` prints."""

    holds: bool
    """Everything that could be checked agrees, and everything that was asked for was checked."""
    files: dict[str, str]
    """``"ok"``, ``"changed"``, ``"missing"`` or ``"not recorded"``, by file."""
    inputs: dict[str, str]
    """The same of what the audit read."""
    signature: str
    conclusion: str
    text: str

    def __bool__(self) -> bool:
        no_truth("a verification", "guestlist.verify(folder).holds")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Verification({self.conclusion})"


def verify(
    folder: PathLike,
    *,
    inputs: PathLike | None = None,
    signers: PathLike | None = None,
    identity: str | None = None,
) -> Verification:
    """Holds the files of an audit, and what it read, against the digests that were written with it.

    With ``inputs``, the folder where the inputs lie, every one of them must be there. With ``signers``, an
    allowed signers file of OpenSSH, somebody in it (or ``identity`` alone) must have signed.

    >>> import guestlist, pathlib, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = guestlist.audit_scores([0.9, 0.8, 0.4, 0.1] * 50, [1, 1, 0, 0] * 50).save(folder)
    >>> guestlist.verify(folder).holds
    True
    >>> _ = pathlib.Path(folder, "report.html").write_text("all is well")
    >>> guestlist.verify(folder).files["report.html"]
    'changed'
    """
    with about_files("cannot be read"):
        found = json.loads(_guestlist.verify(folder, inputs, signers, identity))
    files, read = dict(found.pop("files")), dict(found.pop("inputs"))
    return Verification(files=files, inputs=read, **found)


def sign(folder: PathLike, key: PathLike) -> Path:
    """Signs the digests of an audit with OpenSSH's ``ssh-keygen``, by a private key or by the public half of
    one that ``ssh-agent`` holds, and names the signature. No key is read here."""
    with about_files("cannot be read"):
        return Path(_guestlist.sign(folder, key))


@dataclass(frozen=True)
class PolicyCheck:
    """What a policy says of a report. ``str()`` of it is what ``guestlist policy check`` prints."""

    outcome: str
    """``"pass"``, ``"fail"`` or ``"inconclusive"``: the report lacks what a criterion needs."""
    reasons: tuple[str, ...]
    criteria: tuple[dict[str, Any], ...]
    """Every criterion with its measure, threshold, outcome and reason."""
    name: str
    sha256: str
    text: str

    def __bool__(self) -> bool:
        no_truth("the check of a policy", 'guestlist.policy_check(report).outcome == "pass"')

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"PolicyCheck({self.outcome.upper()}: {self.name})"


def policy_check(report: Report | PathLike, policy: PathLike | None = None) -> PolicyCheck:
    """Judges a report by a policy, or by the one that it was made with, without its signals.

    >>> import guestlist, pathlib, tempfile
    >>> out = pathlib.Path(tempfile.mkdtemp(), "policy.toml")
    >>> _ = guestlist.init("policy", preset="research", out=out)
    >>> member = [1, 0] * 300
    >>> leaky = guestlist.audit_scores([i * 7919 % 600 + 500 * m for i, m in enumerate(member)], member)
    >>> guestlist.policy_check(leaky, out).outcome
    'fail'
    """
    own = report if isinstance(report, Report) else load(report)
    with about_files("cannot be read"):
        found = json.loads(_guestlist.policy_check(own._audit, policy))
    return PolicyCheck(
        outcome=found["outcome"],
        reasons=tuple(found["reasons"]),
        criteria=tuple(found["policy"]["criteria"]),
        name=found["policy"]["name"],
        sha256=found["policy"]["sha256"],
        text=found["text"],
    )


@dataclass(frozen=True)
class Difference:
    """Two audits compared. ``str()`` of it is what ``guestlist diff`` prints."""

    outcome: str
    """``"fail"`` for a significant rise, ``"pass"`` for none, or ``"inconclusive"``."""
    reason: str
    level: float
    changes: tuple[dict[str, Any], ...]
    """Every measure that both have: ``attack``, ``measure``, ``before``, ``after``, p-values, ``rise``."""
    remarks: tuple[str, ...]
    document: dict[str, Any]
    """All that was found, with the names of ``guestlist diff --json``."""
    text: str
    markdown: str

    def to_markdown(self) -> str:
        """For a pull request."""
        return self.markdown

    def __bool__(self) -> bool:
        no_truth("a difference", 'guestlist.diff(before, after).outcome == "pass"')

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Difference({self.outcome.upper()}: {self.reason})"


def diff(
    baseline: Report | PathLike, current: Report | PathLike, *, level: float = 0.05
) -> Difference:
    """Did leakage rise between two audits? Each is a :class:`Report`, a ``report.json``, or its folder.

    >>> import guestlist
    >>> member = [1, 0] * 200
    >>> before = guestlist.audit_scores([i * 7919 % 400 for i in range(400)], member)
    >>> after = guestlist.audit_scores([i * 7919 % 400 + 300 * m for i, m in enumerate(member)], member)
    >>> guestlist.diff(before, after).outcome, guestlist.diff(before, before).outcome
    ('fail', 'pass')
    """
    first, second = (one if isinstance(one, Report) else load(one) for one in (baseline, current))
    found = json.loads(_guestlist.diff(first._audit, second._audit, level))
    text, markdown, rises = (found.pop(name) for name in ("text", "markdown", "rises"))
    changes = zip(found["changes"], rises, strict=True)
    return Difference(
        outcome=found["outcome"],
        reason=found["reason"],
        level=found["level"],
        changes=tuple({**change, "rise": rise} for change, rise in changes),
        remarks=tuple(found["remarks"]),
        document=found,
        text=text,
        markdown=markdown,
    )


def convert(
    input: PathLike,
    output: PathLike,
    *,
    from_format: str | None = None,
    to_format: str | None = None,
    overwrite: bool = False,
    progress: bool | Listener | None = None,
) -> dict[str, Any]:
    """Converts shadow signals between file formats; logits and probabilities become φ on the way.

    Formats are told by looking, and by the output's ending. What was read and written comes back.

    >>> import guestlist, numpy as np, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> keep = guestlist.shadow_splits(records=20, models=5)
    >>> np.savez(folder / "signals.npz", phi=np.zeros(keep.shape), keep=keep)
    >>> done = guestlist.convert(folder / "signals.npz", folder / "signals.parquet")
    >>> done["from"], done["to"], done["models"], done["records"]
    ('npz', 'parquet', 5, 20)
    """
    # A keyword of Python cannot name an argument.
    options = {"from": from_format, "to": to_format, "overwrite": overwrite}
    with following(progress) as listener, about_files("cannot be read"):
        done = _guestlist.convert(input, output, _options.plain_json(**options), listener)
    converted: dict[str, Any] = json.loads(done)
    return converted
