"""Leakage while a model trains: a callback for the Trainer of Hugging Face."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformers import TrainerCallback
from transformers.trainer_callback import CallbackHandler

from .._audits import audit_tokens
from .._errors import InputError, UsageError, hinted
from .._report import Report
from .._files import whole_file
from ._tokens import check_sizes, checked, token_table


class LeakageCallback(TrainerCallback):  # type: ignore[misc,unused-ignore]
    """Measures at every evaluation and every save how well members can be told from non-members.

    .. code-block:: python

        leakage = collect.LeakageCallback(tokenizer, texts, member, reference=base, folder="leakage")
        trainer = Trainer(..., callbacks=[leakage])
        trainer.train()
        leakage.history          # [{"step": 100, "guestlist_auc": 0.54, …}, …]
        leakage.report()         # the last step, and the way to it

    ``texts`` are some that are trained on and some that are not, of the same kind; some hundreds of
    each do. The largest AUC of the attacks goes to the Trainer's ``state.log_history`` as
    ``guestlist_auc``, to the trackers that it reports to (TensorBoard, Weights & Biases, MLflow and the others of
    ``report_to``), and, after an evaluation, into the returned metrics as ``eval_guestlist_auc``. With a ``folder`` the token signals of every
    step are kept there.
    """

    history: list[dict[str, Any]]
    """One entry per step: ``step``, ``epoch``, ``attack``, and ``guestlist_auc`` with its interval."""

    def __init__(
        self,
        tokenizer: Any,
        texts: Sequence[str],
        member: Sequence[bool],
        *,
        reference: Any = None,
        attacks: str | Sequence[str] = "all",
        folder: str | os.PathLike[str] | None = None,
        batch_size: int | None = None,
        max_length: int | None = None,
        seed: int = 0,
    ) -> None:
        self.history = []
        self._tokenizer = tokenizer
        self._texts, self._member = checked(texts, member)
        if len(set(self._member)) != 2:
            hint = "give texts that are trained on and texts that are not"
            raise hinted(InputError, "the texts are not of both kinds", hint)
        check_sizes(batch_size=batch_size, max_length=max_length)
        self._reference = reference
        self._attacks = attacks
        self._folder = None if folder is None else Path(folder)
        self._scoring: dict[str, Any] = {"batch_size": batch_size, "max_length": max_length}
        self._seed = seed
        self._last: Any = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Training anew starts a new history; training that goes on keeps what led to it."""
        begun = int(state.global_step)
        if any(entry["step"] > begun for entry in self.history):
            self.history = [entry for entry in self.history if entry["step"] < begun]
            self._last = None

    def on_evaluate(
        self, args: Any, state: Any, control: Any, metrics: Any = None, **kwargs: Any
    ) -> None:
        entry = self._measure(args, state, control, kwargs["model"])
        if metrics is not None:
            metrics["eval_guestlist_auc"] = entry["guestlist_auc"]

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._measure(args, state, control, kwargs["model"])

    def report(self, **options: Any) -> Report:
        """The audit of the last step; with a ``folder``, beside all steps before it."""
        if self._last is None:
            hint = "train with an evaluation or a save first"
            raise UsageError(f"no step was measured; hint: {hint}", hint)
        *earlier, last = [entry["step"] for entry in self.history]
        options = {"attacks": self._attacks, "seed": self._seed, **options}
        if self._folder is not None:
            files = {str(step): self._file(step) for step in earlier}
            options |= {"label": str(last), "checkpoints": files}
        return audit_tokens(self._last, **options)

    def _measure(self, args: Any, state: Any, control: Any, model: Any) -> dict[str, Any]:
        step = int(state.global_step)
        # An evaluation and a save at the same step are one.
        if self.history and self.history[-1]["step"] == step:
            return self.history[-1]
        self._last = token_table(
            model,
            self._tokenizer,
            self._texts,
            self._member,
            reference=self._reference,
            **self._scoring,
        )
        self._keep(step)
        report = audit_tokens(
            self._last, attacks=self._attacks, seed=self._seed, bootstrap=0, progress=False
        )
        name, best = max(report.attacks.items(), key=lambda found: found[1]["auc"]["value"])
        entry = {
            "step": step,
            "epoch": state.epoch,
            "attack": name,
            "guestlist_auc": best["auc"]["value"],
            "guestlist_auc_low": best["auc"]["low"],
            "guestlist_auc_high": best["auc"]["high"],
            "outcome": report.outcome,
        }
        self.history.append(entry)
        logged = {key: value for key, value in entry.items() if key.startswith("guestlist_")}
        state.log_history.append({**logged, "epoch": state.epoch, "step": step})
        handler = _calling()
        if handler is not None:
            handler.on_log(args, state, control, {**logged, "epoch": state.epoch})
        return entry

    def _file(self, step: int) -> Path:
        assert self._folder is not None
        return self._folder / f"tokens-{step}.parquet"

    def _keep(self, step: int) -> None:
        if self._folder is None:
            return
        import pyarrow.parquet

        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(self._file(step)) as name:
            pyarrow.parquet.write_table(self._last, name)


def _calling() -> Any:
    """The Trainer's handler that calls us. It has the trackers, and callbacks are not handed it; the metrics of an
    evaluation are logged before callbacks hear of it, so that adding to them comes too late."""
    frame = inspect.currentframe()
    while frame is not None:
        caller = frame.f_locals.get("self")
        if isinstance(caller, CallbackHandler):
            return caller
        frame = frame.f_back
    return None
