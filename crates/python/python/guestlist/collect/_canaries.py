"""Canaries in a fine-tuning run: a callback for the Trainer of Hugging Face."""

from __future__ import annotations

import json
import os
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from transformers import TrainerCallback

from .. import _guestlist
from .. import canaries as drawing
from .._audits import audit_tokens
from .._errors import GuestlistError, InputError, UsageError, about_files, hinted
from .._files import whole_file
from .._report import Report
from ._arrivals import Search, alike, drawn_tokens, pattern
from ._scoring import DISABLE_ADAPTER, Scored, reference_scored, scored
from ._tokens import assembled, check_reference, check_sizes, limit, tokenised
from ._traps import Finding, in_batches, in_model, in_schedule, in_texts, noted


class Canaries(TrainerCallback):  # type: ignore[misc,unused-ignore]
    """Checks that canaries arrive in training, scores them when it ends, and judges.

    .. code-block:: python

        canaries = collect.Canaries("canaries/manifest.json", tokenizer)
        trainer = Trainer(..., train_dataset=tokenised(canaries.training_file), callbacks=[canaries])
        trainer.train()
        report = canaries.report()

    Before the first step the Trainer's own data set and collator are run, and what they give is searched for the
    canaries: chosen ones must arrive whole, unmasked and as often as their tier says, held-out ones not at all. What
    would make them invisible is refused with the name of the trap, or with ``strict=False`` warned of. What was found is
    noted in the manifest, without counts, and an audit passes only where canaries could be seen. This is the one
    place outside the judge where the truth is opened; scores are made without it.

    ``reference``: ``"auto"`` is the model with its adapter of PEFT switched off, or the model as it was before the
    first step; otherwise a model, ``"disable_adapter"`` or ``None``. Scores go to ``tokens.parquet`` in
    ``folder``, by default the manifest's own.
    """

    findings: list[Finding]
    """What the check before training found."""

    def __init__(
        self,
        manifest: str | os.PathLike[str],
        tokenizer: Any,
        *,
        reference: Any = "auto",
        strict: bool = True,
        folder: str | os.PathLike[str] | None = None,
        batch_size: int | None = None,
        max_length: int | None = None,
    ) -> None:
        check_sizes(batch_size=batch_size, max_length=max_length)
        drawn = drawing.read(manifest)
        if drawn.kind != "lm":
            hint = "draw texts with guestlist canaries lm"
            raise hinted(UsageError, f"{manifest}: the canaries are of kind {drawn.kind}", hint)
        self.findings = []
        self.training_file = drawn.places["training"]
        self._manifest = drawn.path
        self._folder = self._manifest.parent if folder is None else Path(folder)
        self._rows = list(drawn.canaries)
        self._tokenizer, self._reference, self._strict = tokenizer, reference, strict
        self._batch_size, self._max_length = batch_size, max_length
        self._token_ids: list[list[int]] = []
        self._before: Scored | None = None
        self._written = False

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        model = kwargs["model"]
        self._written, self._before = False, None
        texts = [row["text"] for row in self._rows]
        self._token_ids = tokenised(self._tokenizer, texts, limit([model], self._max_length))
        if not state.is_world_process_zero:
            return
        self.findings = self._checked(args, state, model, kwargs["train_dataloader"])
        self._note()
        self._tell()
        if self._reference == "auto" and not hasattr(model, DISABLE_ADAPTER):
            self._before = self._first(state, model)
        elif self._reference != "auto":
            check_reference(model, self._reference)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if not state.is_world_process_zero:
            return
        import pyarrow.parquet

        model = kwargs["model"]
        own = scored(model, self._token_ids, self._batch_size)
        other = self._before
        if self._reference != "auto":
            other = reference_scored(model, self._reference, self._token_ids, self._batch_size)
        elif hasattr(model, DISABLE_ADAPTER):
            other = reference_scored(model, DISABLE_ADAPTER, self._token_ids, self._batch_size)
        about: dict[str, Any] = {name: [row[name] for row in self._rows] for name in ("id", "text")}
        secrets = [
            drawn_tokens(self._tokenizer, row["text"], row.get("secret", []), len(ids))
            for row, ids in zip(self._rows, self._token_ids)
        ]
        about["secret_tokens"] = pyarrow.array(secrets, pyarrow.list_(pyarrow.int32()))
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(self.tokens) as name:
            pyarrow.parquet.write_table(assembled(about, self._token_ids, own, other), name)
        self._written = True

    @property
    def tokens(self) -> Path:
        """Where the scores of the canaries are written when training ends."""
        return self._folder / "tokens.parquet"

    def report(self, **options: Any) -> Report:
        """The audit of the canaries; ``options`` are those of :func:`guestlist.audit_tokens`."""
        if not self._written:
            hint = "train to the end with this callback first"
            raise hinted(UsageError, "no canary was scored", hint)
        report = audit_tokens(self.tokens, canaries=self._manifest, **options)
        hiding = [finding for finding in self.findings if finding.hides]
        if report.outcome == "pass" and hiding:
            hint = "mend what is named and train again"
            what = f"the canaries were not remembered, but they could not be: {hiding[0].trap}: {hiding[0].message}"
            raise hinted(UsageError, what, hint)
        return report

    def _first(self, state: Any, model: Any) -> Scored | None:
        """What the model made of the canaries before any of them was trained on."""
        if state.global_step == 0:
            return scored(model, self._token_ids, self._batch_size)
        words = "training goes on from a checkpoint, which is no reference: canaries are judged without one"
        warnings.warn(f"{words}; give reference= the model that fine-tuning started from", stacklevel=3)
        return None

    def _checked(self, args: Any, state: Any, model: Any, loader: Any) -> list[Finding]:
        rows = {row["id"]: row for row in self._rows}
        patterns = [
            pattern(self._tokenizer, name, row["text"], row.get("secret", []))
            for name, row in rows.items()
        ]
        search = Search(patterns)
        at_once = args.gradient_accumulation_steps * max(1, args.world_size)
        taken = int(state.max_steps) * int(args.train_batch_size) * at_once if state.max_steps > 0 else None
        count = _run(search, loader, taken)
        search.missed()
        coins = drawing.truth(self._manifest)
        included = [one for one in patterns if coins[one.name]]
        held_out = [one for one in patterns if not coins[one.name]]
        tiers = {name: int(row["tier"]) for name, row in rows.items()}
        return [
            *in_texts(alike(self._token_ids), len(patterns)),
            *in_model(model, {row["design"] for row in self._rows}),
            *in_schedule(count, taken),
            *in_batches(included, held_out, tiers),
        ]

    def _note(self) -> None:
        """Where an audit looks for it: where ``guestlist canaries check`` notes what it finds."""
        seen = {"by": "guestlist.collect.Canaries", "findings": noted(self.findings)}
        try:
            with about_files("cannot be written"):
                _guestlist.canaries_note(self._manifest, json.dumps(seen))
        except GuestlistError as error:
            words = f"what was found of the canaries cannot be noted in {self._manifest}: {error}"
            warnings.warn(f"{words}; an audit passes only where the manifest says that they were seen", stacklevel=4)

    def _tell(self) -> None:
        hiding = [finding for finding in self.findings if finding.hides]
        if hiding and self._strict:
            what = "canaries cannot be seen as training is set up: " + "; ".join(map(str, hiding))
            raise hinted(InputError, what, "mend this, or give strict=False to train all the same")
        for finding in self.findings:
            warnings.warn(str(finding), stacklevel=4)


def _run(search: Search, loader: Any, taken: int | None) -> int:
    """One pass over the data set as the Trainer collates it; how many rows there were."""
    from torch.utils.data import DataLoader

    dataset, collate = getattr(loader, "dataset", None), getattr(loader, "collate_fn", None)
    if dataset is None or collate is None:
        hint = "let the Trainer make its own DataLoader, or check with guestlist canaries check"
        raise hinted(InputError, f"batches of a {type(loader).__name__} cannot be looked at", hint)
    count, most = 0, None if hasattr(dataset, "__len__") else taken
    with _unmoved():
        for batch in DataLoader(dataset, batch_size=32, collate_fn=collate):
            if "input_ids" not in batch:
                hint = "train with a collator that gives input_ids and labels"
                raise hinted(InputError, f"batches have {', '.join(batch)} and no input_ids", hint)
            search.look(batch)
            count += 32 if not hasattr(dataset, "__len__") else 0
            if most is not None and count >= most:
                break
    return len(dataset) if hasattr(dataset, "__len__") else count


@contextmanager
def _unmoved() -> Iterator[None]:
    """Collators may draw: what training draws afterwards stays what it would have been."""
    import torch

    python, numpy = random.getstate(), np.random.get_state()
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(numpy)
