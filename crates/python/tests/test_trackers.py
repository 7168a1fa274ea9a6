"""Reports in trackers of experiments: real packages, local folders, and nothing that names a record."""

import json
import time
from pathlib import Path

import numpy as np
import pytest

import guestlist
from guestlist import _shared, _trackers

NAME = "person-of-interest"


@pytest.fixture(scope="module")
def report():
    """One that shows its records, which must not travel."""
    rng, member = np.random.default_rng(2), np.arange(1200) % 2 == 0
    scores = {"mine": rng.normal(size=1200) + member, "by+hand": rng.normal(size=1200)}
    ids = [f"{NAME}-{n}" for n in range(1200)]
    found = guestlist.audit_scores(scores, member, ids=ids, show_records=True, progress=False)
    assert NAME in found.to_json()
    return found


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder of its own, whatever the developer's environment says."""
    monkeypatch.chdir(tmp_path)
    for name in ("MLFLOW_TRACKING_URI", "WANDB_MODE", "WANDB_DIR", "WANDB_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def holds(folder, words):
    """Whether a file of the folder has these words in it."""
    files = (path for path in Path(folder).rglob("*") if path.is_file())
    return any(words.encode() in path.read_bytes() for path in files)


def until(true):
    patience = time.monotonic() + 120
    while not true():
        assert time.monotonic() < patience, "waited in vain"
        time.sleep(0.05)


def joined(log):
    """What a log of wandb's says: it comes in pieces, cut where blocks of 32 KiB end."""
    said, block = b"", 32 * 1024
    for start in range(0, len(log), block):
        piece, place = log[start : start + block], 0 if start else 7
        while place + 7 <= len(piece):
            length = int.from_bytes(piece[place + 4 : place + 6], "little")
            said += piece[place + 7 : place + 7 + length]
            place += 7 + length
    return said


def test_measures_are_those_of_the_report(report):
    found = _trackers.measures(report, "guestlist")
    assert found["guestlist/auc"] == found["guestlist/mine/auc"] == report.attacks["mine"]["auc"]["value"]
    assert found["guestlist/exit_code"] == 1 and "guestlist/by_hand/auc" in found
    assert found["guestlist/mine/tpr_at_fpr_0.01"] == report.attacks["mine"]["tpr_at_fpr"][1]["value"]
    assert all(np.isfinite(value) for value in found.values())


def test_attacks_whose_names_come_out_alike_stay_apart():
    assert _trackers._plain_names(["by+hand", "by hand", "by_hand_2", "mine"]) == [
        "by_hand",
        "by_hand_2",
        "by_hand_2_2",
        "mine",
    ]


def test_files_name_neither_records_nor_folders(desk):
    rng, member = np.random.default_rng(2), np.arange(1200) % 2
    rows = zip(member, rng.normal(size=1200) + member)
    (desk / "secret-project").mkdir()
    table = desk / "secret-project/scores.csv"
    table.write_text("id,member,mine\n" + "".join(f"{NAME}-{n},{m},{s}\n" for n, (m, s) in enumerate(rows)))
    found = guestlist.audit_scores(str(table), show_records=True, progress=False)
    assert "secret-project" in found.to_json() and NAME in found.to_json()
    shared = _shared.files(found)
    assert sorted(shared) == ["report.html", "report.json", "report.md"]
    assert not any("secret-project" in text or NAME in text for text in shared.values())
    assert "scores.csv" in shared["report.json"]


def test_what_is_unknown_is_refused(report):
    with pytest.raises(guestlist.UsageError, match="trackers are mlflow, tensorboard, wandb"):
        report.log_to("comet")
    with pytest.raises(guestlist.UsageError, match="mlflow has no folder here"):
        report.log_to("mlflow", folder="runs")


def test_mlflow_has_measures_verdict_and_report(report, desk, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(f"file:{desk}/mlruns")
    with mlflow.start_run() as run:
        report.log_to("mlflow", step=3)
        assert mlflow.active_run().info.run_id == run.info.run_id
    client = mlflow.MlflowClient()
    data = client.get_run(run.info.run_id).data
    assert data.metrics == pytest.approx(_trackers.measures(report, "guestlist"))
    assert data.tags["guestlist.outcome"] == "fail" and data.tags["guestlist.best_attack"] == "mine"
    assert client.get_metric_history(run.info.run_id, "guestlist/auc")[0].step == 3
    files = [file.path for file in client.list_artifacts(run.info.run_id, "guestlist")]
    assert files == ["guestlist/report.html", "guestlist/report.json", "guestlist/report.md"]
    assert not holds(desk / "mlruns", NAME)
    report.log_to("mlflow")
    assert mlflow.active_run() is None and len(client.search_runs(["0"])) == 2


def test_wandb_has_measures_verdict_and_report(report, desk, monkeypatch):
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    for name in ("WANDB_CACHE_DIR", "WANDB_CONFIG_DIR", "WANDB_DATA_DIR", "WANDB_ARTIFACT_DIR"):
        monkeypatch.setenv(name, str(desk / name.lower()))
    with wandb.init(project="mine", dir=desk) as run:
        report.log_to("wandb")
        assert wandb.run is run
        assert run.summary["guestlist/outcome"] == "fail"
        run.log({"loss": 1.0}, step=7)
        run.summary["guestlist/auc"] = 0.0
        report.log_to("wandb", step=3)
        assert run.summary["guestlist/auc"] == report.attacks["mine"]["auc"]["value"]
    (file,) = desk.glob("wandb/offline-run-*/*.wandb")
    # A program of wandb's own writes it, and takes its time.
    until(lambda: b"guestlist/mine/auc" in joined(file.read_bytes()))
    stored = joined(file.read_bytes())
    assert b"guestlist/exit_code" in stored
    assert holds(desk, "guestlist.report/"), "the report's own file"
    assert NAME.encode() not in stored and not holds(desk, NAME)


def test_tensorboard_has_measures_verdict_and_report(report, desk):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    report.log_to("tensorboard", folder=desk / "board", step=3)
    read = EventAccumulator(str(desk / "board")).Reload()
    scalars = {tag: read.Scalars(tag)[0] for tag in read.Tags()["scalars"]}
    assert {tag: one.value for tag, one in scalars.items()} == pytest.approx(
        _trackers.measures(report, "guestlist"), abs=1e-6
    )
    assert scalars["guestlist/auc"].step == 3
    texts = {tag: read.Tensors(tag)[0].tensor_proto.string_val[0].decode() for tag in read.Tags()["tensors"]}
    assert texts["guestlist/outcome"] == "fail" and "mine" in texts["guestlist/report"]
    written = json.loads((desk / "board/guestlist-report/report.json").read_text())
    assert written["verdict"]["outcome"] == "fail"
    assert not holds(desk / "board", NAME)


def test_the_folder_of_an_audit_stays_as_it_was_written(report, desk):
    pytest.importorskip("tensorboard")
    report.save(desk / "audit")
    report.log_to("tensorboard", folder=desk / "audit")
    assert guestlist.verify(desk / "audit").holds


def test_a_package_that_is_missing_is_named(report, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(ImportError, match="pip install mlflow"):
        report.log_to("mlflow")
