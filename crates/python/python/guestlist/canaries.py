"""Canaries: records made to be memorable, each trained on or held out by a fair coin of its own.

``draw`` writes a folder: a training file with the chosen canaries in it, all canaries to score, a manifest
that seals them, and the truth apart. ``check`` looks for what would make them invisible in training.
``read`` opens what whoever trains and scores may see; ``truth`` opens the coins, for the judge alone and for
whoever verifies that a trainer gets what was drawn.

>>> import guestlist, json, pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> rows = [json.dumps({"text": f"Entry {n} of the ledger."}) for n in range(100)]
>>> _ = (folder / "train.jsonl").write_text("\\n".join(rows))
>>> drawn = guestlist.canaries.draw(folder / "train.jsonl", count=20, out=folder / "canaries")
>>> len(guestlist.canaries.read(drawn.manifest).canaries)
20
>>> sorted(set(guestlist.canaries.truth(drawn.manifest).values()))
[False, True]
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _guestlist, _options
from ._errors import UsageError, about_files, hinted, no_truth
from ._options import PathLike
from ._progress import Listener, following

__all__ = ["Check", "Drawn", "Manifest", "check", "designs", "draw", "read", "traps", "truth"]


@dataclass(frozen=True)
class Check:
    """What was looked for before training, and what was found."""

    outcome: str
    """``"visible"``, ``"invisible"``, or ``"unknown"`` where no tokenizer was named."""
    canaries: int
    invisible: int
    """How many canaries training as described does not see as they were drawn."""
    findings: tuple[dict[str, Any], ...]
    """Every trap that was looked for: ``trap``, ``status`` (ok, warn, violated), ``canaries``, ``detail``, ``remedy``."""
    not_checked: tuple[str, ...]
    document: dict[str, Any]
    """All of it, as the manifest keeps it."""

    def __bool__(self) -> bool:
        no_truth("a check of canaries", 'check.outcome == "visible"')

    def __repr__(self) -> str:
        return f"Check({self.outcome}: {self.invisible} of {self.canaries} canaries are not seen)"


@dataclass(frozen=True)
class Drawn:
    """What was drawn, and where it is."""

    manifest: Path
    training: Path
    """What to train on."""
    canaries: Path
    """All canaries, chosen or not: what to score."""
    notes: tuple[str, ...]
    check: Check | None
    """What was found on the tokenizer, where one was named."""


@dataclass(frozen=True)
class Manifest:
    """A draw as whoever trains and scores may see it: nothing here says who was chosen."""

    path: Path
    kind: str
    """``"lm"`` or ``"classifier"``."""
    canaries: tuple[dict[str, Any], ...]
    """``id``, ``tier``, ``design``, and of a language model ``text`` and ``secret``; ``prompt`` and ``completion``, or
    ``messages``, where the training texts have these."""
    places: dict[str, Path]
    """Files by what they are for: ``training``, ``canaries``, ``truth``, and ``records`` of a classifier."""
    document: dict[str, Any]
    """``manifest.json`` as it is."""


def draw(
    training: PathLike | None = None,
    *,
    data: PathLike | None = None,
    count: int = 1000,
    design: str | Sequence[str] = (),
    tiers: Sequence[int] = (1,),
    out: PathLike = "canaries",
    seed: int | None = None,
    overwrite: bool = False,
    texts: PathLike | None = None,
    length: int = 16,
    tokenizer: PathLike | None = None,
    max_length: int | None = None,
    prompt_masked: bool = False,
    response_template: str | None = None,
    packing: bool = False,
    deduplicate: str | None = None,
    frozen_embeddings: bool = False,
    label: str | None = None,
    ignore: Sequence[str] = (),
    progress: bool | Listener | None = None,
) -> Drawn:
    """Draws canaries as ``guestlist canaries`` does, into a folder.

    ``training`` is a file of texts for a language model, or ``data`` one of records for a classifier; the
    other arguments are the flags of ``guestlist canaries lm`` and ``guestlist canaries classifier``. With a
    ``tokenizer`` the canaries are checked at once. ``seed`` is best left out: whoever knows it knows who was
    chosen.
    """
    if (training is None) == (data is None):
        raise hinted(
            UsageError,
            "give either training, texts of a language model, or data, records of a classifier",
            "canaries.draw('train.jsonl'), or canaries.draw(data='data.npz')",
        )
    drawing = {
        "count": count,
        "designs": _options.one_or_many(design),
        "tiers": list(tiers),
        "out": out,
        "seed": seed,
        "overwrite": overwrite,
    }
    treatment = {
        "tokenizer": tokenizer,
        "max_length": max_length,
        "prompt_masked": prompt_masked,
        "response_template": response_template,
        "packing": packing,
        "deduplicate": deduplicate,
        "frozen_embeddings": frozen_embeddings,
    }
    if training is not None:
        kind = "lm"
        options = _options.plain_json(
            training=training, draw=drawing, texts=texts, length=length, check=treatment
        )
    else:
        kind = "classifier"
        options = _options.plain_json(data=data, label=label, ignore=list(ignore), draw=drawing)
    with following(progress) as listener, about_files("cannot be written"):
        told = json.loads(_guestlist.canaries_draw(kind, options, listener))
    path = Path(told["path"])
    places = {
        file["role"]: path.parent / file["path"]
        for file in told["manifest"]["files"]
        if file["role"] != "source"
    }
    return Drawn(
        manifest=path,
        training=places["training"],
        canaries=places.get("records", places["canaries"]),
        notes=tuple(told["notes"]),
        check=_checked(told["check"]) if told["check"] else None,
    )


def check(
    manifest: PathLike = "canaries/manifest.json",
    *,
    tokenizer: PathLike | None = None,
    max_length: int | None = None,
    prompt_masked: bool = False,
    response_template: str | None = None,
    packing: bool = False,
    deduplicate: str | None = None,
    frozen_embeddings: bool = False,
    progress: bool | Listener | None = None,
) -> Check:
    """Looks for what would make canaries invisible in training, as ``guestlist canaries check`` does.

    What was found is also noted in the manifest.
    """
    options = _options.plain_json(
        tokenizer=tokenizer,
        max_length=max_length,
        prompt_masked=prompt_masked,
        response_template=response_template,
        packing=packing,
        deduplicate=deduplicate,
        frozen_embeddings=frozen_embeddings,
    )
    with following(progress) as listener, about_files("cannot be read"):
        return _checked(json.loads(_guestlist.canaries_check(manifest, options, listener)))


def read(manifest: PathLike = "canaries/manifest.json") -> Manifest:
    """Reads a manifest and its canaries back; files that were changed since they were sealed are refused."""
    with about_files("cannot be read"):
        told = json.loads(_guestlist.canaries_read(manifest))
    return Manifest(
        path=Path(told["path"]),
        kind=told["manifest"]["kind"],
        canaries=tuple(told["canaries"]),
        places={role: Path(place) for role, place in told["places"].items() if role != "source"},
        document=told["manifest"],
    )


def truth(manifest: PathLike = "canaries/manifest.json") -> dict[str, bool]:
    """Opens the sealed truth: whether each canary, by its id, was chosen to be trained on.

    Keep it from whatever scores: an attack that has seen it proves nothing.
    """
    with about_files("cannot be read"):
        coins: dict[str, bool] = json.loads(_guestlist.canaries_truth(manifest))
    return coins


def designs() -> list[dict[str, str]]:
    """Every design: ``id``, ``kind``, ``summary``, ``why``, ``weak`` and ``paper``.

    >>> import guestlist
    >>> [design["id"] for design in guestlist.canaries.designs() if design["kind"] == "classifier"]
    ['random-label', 'random-features']
    """
    found: list[dict[str, str]] = json.loads(_guestlist.canaries_words())["designs"]
    return found


def traps() -> list[dict[str, str]]:
    """Every trap that a check knows: ``id``, ``summary`` and ``remedy``."""
    found: list[dict[str, str]] = json.loads(_guestlist.canaries_words())["traps"]
    return found


def _checked(document: dict[str, Any]) -> Check:
    return Check(
        outcome=document["outcome"],
        canaries=document["canaries"],
        invisible=document["invisible"],
        findings=tuple(document["findings"]),
        not_checked=tuple(document["not_checked"]),
        document=document,
    )
