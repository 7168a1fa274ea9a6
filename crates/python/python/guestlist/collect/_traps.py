"""What makes a canary invisible to training, in words: seen in the batches that the trainer will take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._arrivals import Pattern


@dataclass(frozen=True)
class Finding:
    trap: str
    message: str
    hint: str
    hides: bool = True
    """Whether canaries cannot be seen with it; otherwise they are seen less well."""
    without_counts: str = ""
    """The message where counts would tell how many were chosen, as in a manifest; empty where it has none of these."""

    def __str__(self) -> str:
        return f"{self.trap}: {self.message}; hint: {self.hint}"


def in_batches(included: list[Pattern], held_out: list[Pattern], tiers: dict[str, int]) -> list[Finding]:
    """What the arrivals say. Counts alone: a message that named canaries would tell who was chosen."""
    found = [
        _some(included, lambda one: not one.whole and not one.cut, "absent",
              "do not arrive in training",
              "train on the file training.jsonl as it was drawn; do not filter, deduplicate or normalise it"),
        _some(included, lambda one: one.cut > 0, "truncated",
              "are cut off within their drawn part or before it",
              "raise the maximum length, or do not cut packed texts at the end of a block"),
        _some(included, lambda one: one.masked > 0, "masked-prompt",
              "arrive with drawn tokens that are not trained on (label -100)",
              "draw canaries in the shape of your rows (prompt and completion, messages), so that what is drawn "
              "lies in what is trained on"),
        _some(included, lambda one: 0 < one.whole and one.whole + one.cut < tiers[one.name], "deduplicated",
              "arrive less often than their tier says",
              "do not remove repeated rows of training.jsonl"),
        _some(included, lambda one: one.whole > tiers[one.name], "repeated",
              "arrive more often than their tier says",
              "train on training.jsonl once per epoch, and on no other copy of it"),
        _some(held_out, lambda one: one.whole > 0, "held-out",
              "arrive though they were held out",
              "train on training.jsonl alone; canaries.jsonl is for scoring"),
    ]  # fmt: skip
    return [finding for finding in found if finding is not None]


def _some(
    patterns: list[Pattern], is_so: Callable[[Pattern], bool], trap: str, what: str, hint: str
) -> Finding | None:
    count = sum(map(is_so, patterns))
    kind = "held-out" if trap == "held-out" else "included"
    message = f"{count} of {len(patterns)} {kind} canaries {what}"
    return Finding(trap, message, hint, without_counts=f"{kind} canaries {what}") if count else None


def in_texts(alike: int, count: int) -> list[Finding]:
    if not alike:
        return []
    message = f"{alike} of {count} canaries are the same tokens as another"
    hint = "draw with the --tokenizer that you train with, and do not normalise texts"
    return [Finding("duplicates", message, hint)]


def in_model(model: Any, designs: set[str]) -> list[Finding]:
    """What does not train cannot remember."""
    if not any(parameter.requires_grad for parameter in model.parameters()):
        hint = "unfreeze it, or add an adapter that trains"
        return [Finding("frozen-model", "no parameter of the model trains", hint)]
    embeddings = model.get_input_embeddings()
    if embeddings is None or any(parameter.requires_grad for parameter in embeddings.parameters()):
        return []
    new = "new-token" in designs
    message = "the embeddings do not train" + (", which new-token canaries need" if new else "")
    hint = "train them (modules_to_save of PEFT), or draw another design" if new else "train them for a stronger test"
    return [Finding("frozen-embeddings", message, hint, hides=new)]


def noted(findings: list[Finding]) -> list[dict[str, str]]:
    """As a manifest keeps them."""
    return [
        {
            "trap": finding.trap,
            "status": "violated" if finding.hides else "warn",
            "detail": finding.without_counts or finding.message,
            "remedy": finding.hint,
        }
        for finding in findings
    ]


def in_schedule(rows: int, taken: int | None) -> list[Finding]:
    """Whether training ends before it saw its data once."""
    if taken is None or taken >= rows:
        return []
    message = f"training takes {taken} rows and ends before it saw all {rows}"
    shorter = "training ends before it saw all of its rows"
    return [Finding("unseen", message, "train for an epoch at least", without_counts=shorter)]
