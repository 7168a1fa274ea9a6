"""Reports in MLflow, Weights & Biases and TensorBoard: measures, verdict and the report itself, and nothing that
names a record."""

from __future__ import annotations

import importlib
import itertools
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _shared
from ._errors import UsageError, hinted

if TYPE_CHECKING:
    from ._report import Report

EXIT_CODES = {"pass": 0, "fail": 1, "inconclusive": 3}
USUAL_FOLDER = Path("runs") / "guestlist"


@dataclass(frozen=True)
class Logged:
    """What a tracker is told."""

    name: str
    measures: dict[str, float]
    facts: dict[str, str]
    files: dict[str, str]
    """By their names."""
    step: int | None
    folder: Path


def log(
    report: Report,
    tracker: str,
    *,
    folder: str | os.PathLike[str] | None,
    step: int | None,
    name: str,
) -> None:
    """Hands a report to a tracker."""
    if tracker not in TRACKERS:
        known = ", ".join(sorted(TRACKERS))
        raise hinted(UsageError, f"there is no tracker {tracker}", f"trackers are {known}")
    if folder is not None and tracker != "tensorboard":
        raise hinted(UsageError, f"{tracker} has no folder here", f"set it where {tracker} is set up")
    logged = Logged(
        name=name,
        measures=measures(report, name),
        facts=facts(report),
        files=_shared.files(report),
        step=step,
        folder=USUAL_FOLDER if folder is None else Path(folder),
    )
    TRACKERS[tracker](logged)


def measures(report: Report, name: str) -> dict[str, float]:
    """Every number worth a curve; those that are not there or not finite are left out."""
    found: dict[str, Any] = {f"{name}/exit_code": EXIT_CODES[report.outcome]}
    attacks = report.attacks
    if attacks:
        found[f"{name}/auc"] = max(attack["auc"]["value"] for attack in attacks.values())
    for id, attack in zip(_plain_names(attacks), attacks.values(), strict=True):
        own = f"{name}/{id}"
        found |= {
            f"{own}/auc": attack["auc"]["value"],
            f"{own}/auc_low": attack["auc"]["low"],
            f"{own}/auc_high": attack["auc"]["high"],
        }
        for rate in attack.get("tpr_at_fpr") or ():
            found[f"{own}/tpr_at_fpr_{rate['fpr']:g}"] = rate["value"]
        for measure in ("balanced_accuracy", "epsilon_lower_bound"):
            found[f"{own}/{measure}"] = (attack.get(measure) or {}).get("value")
    return {key: float(value) for key, value in found.items() if value is not None and math.isfinite(value)}


def facts(report: Report) -> dict[str, str]:
    """What is no number."""
    document = report.to_dict()
    attacks = report.attacks
    best = max(attacks, key=lambda id: float(attacks[id]["auc"]["value"])) if attacks else ""
    return {
        "outcome": report.outcome,
        "kind": str(document["kind"]),
        "best_attack": best,
        "seed": str(document["provenance"]["seed"]),
        "version": str(document["provenance"]["version"]),
    }


def _plain(id: str) -> str:
    """A name of an attack as every tracker takes it: other programs' scores are named by people."""
    return re.sub(r"[^\w.-]", "_", id)


def _plain_names(ids: Iterable[str]) -> list[str]:
    """Likewise, each a name of its own: the second that comes out the same has a 2 behind it."""
    names: list[str] = []
    for plain in map(_plain, ids):
        further = (f"{plain}_{number}" for number in itertools.count(2))
        names.append(next(name for name in itertools.chain([plain], further) if name not in names))
    return names


def _needed(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{package} is not installed; pip install {package}") from error


@contextmanager
def _written(files: dict[str, str]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="guestlist-") as folder:
        _shared.write(Path(folder), files)
        yield Path(folder)


def _mlflow(logged: Logged) -> None:
    mlflow = _needed("mlflow", "mlflow")
    begun = mlflow.active_run() is None
    if begun:
        mlflow.start_run(run_name=logged.name)
    status = "FAILED"
    try:
        mlflow.log_metrics(logged.measures, step=logged.step)
        mlflow.set_tags({f"{logged.name}.{key}": value for key, value in logged.facts.items()})
        with _written(logged.files) as folder:
            mlflow.log_artifacts(str(folder), artifact_path=logged.name)
        status = "FINISHED"
    finally:
        if begun:
            mlflow.end_run(status)


def _wandb(logged: Logged) -> None:
    wandb = _needed("wandb", "wandb")
    begun = wandb.run is None
    run = wandb.init(project=logged.name, job_type="audit") if begun else wandb.run
    code = 1
    try:
        run.log(logged.measures, step=logged.step)
        # A step that the run has passed already takes nothing any more; its summary does.
        told: dict[str, Any] = {f"{logged.name}/{key}": value for key, value in logged.facts.items()}
        run.summary.update(told | logged.measures)
        artifact = wandb.Artifact(f"{logged.name}-report-{run.id}", type="report", metadata=logged.facts)
        with _written(logged.files) as folder:
            artifact.add_dir(str(folder), policy="mutable")
            run.log_artifact(artifact)
        code = 0
    finally:
        if begun:
            run.finish(exit_code=code)


def _tensorboard(logged: Logged) -> None:
    writing = _needed("tensorboard.summary.writer.event_file_writer", "tensorboard")
    event = _needed("tensorboard.compat.proto.event_pb2", "tensorboard")
    summary = _needed("tensorboard.compat.proto.summary_pb2", "tensorboard")
    tensor = _needed("tensorboard.compat.proto.tensor_pb2", "tensorboard")
    types = _needed("tensorboard.compat.proto.types_pb2", "tensorboard")

    def text(tag: str, words: str) -> Any:
        shape = {"dim": [{"size": 1}]}
        value = tensor.TensorProto(dtype=types.DT_STRING, string_val=[words.encode()], tensor_shape=shape)
        plugin = summary.SummaryMetadata.PluginData(plugin_name="text")
        return summary.Summary.Value(
            tag=tag, metadata=summary.SummaryMetadata(plugin_data=plugin), tensor=value
        )

    values = [summary.Summary.Value(tag=tag, simple_value=value) for tag, value in logged.measures.items()]
    values += [text(f"{logged.name}/{key}", value) for key, value in logged.facts.items()]
    values.append(text(f"{logged.name}/report", logged.files["report.md"]))
    # As torch's writer tells events of one file apart from those of another in the same folder.
    writer = writing.EventFileWriter(str(logged.folder), filename_suffix=f".{_plain(logged.name)}")
    try:
        import time

        writer.add_event(
            event.Event(
                wall_time=time.time(), step=logged.step or 0, summary=summary.Summary(value=values)
            )
        )
    finally:
        writer.close()
    # Not among what lies there: the folder of an audit has a report of its own, with its digest.
    _shared.write(logged.folder / f"{_plain(logged.name)}-report", logged.files)


TRACKERS: dict[str, Callable[[Logged], None]] = {
    "mlflow": _mlflow,
    "wandb": _wandb,
    "tensorboard": _tensorboard,
}
