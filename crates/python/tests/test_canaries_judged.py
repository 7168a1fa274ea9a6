"""Canaries: their coins are the truth, in tables, arrays and files alike."""

import hashlib
import json

import numpy as np
import pytest
from conftest import without_origin

import guestlist

COUNT = 600


@pytest.fixture(scope="module")
def coins():
    """By id, in an order that tells nothing."""
    flips = np.random.default_rng(5).integers(0, 2, size=COUNT)
    return {f"canary {row}": bool(flip) for row, flip in enumerate(flips)}


def drawn(folder, kind, coins):
    """The folder of a draw, as ``guestlist canaries`` writes it."""
    folder.mkdir()
    rows = [{"id": one, "tier": 1, "design": "random-tokens"} for one in coins]
    if kind == "lm":
        rows = [row | {"text": f"the code is {row['id']}"} for row in rows]
    truth = {"schema": "guestlist.canaries.truth/1", "seed": 1, "included": coins}
    files = {
        "canaries": ("canaries.jsonl", "".join(json.dumps(row) + "\n" for row in rows)),
        "truth": ("truth.json", json.dumps(truth)),
    }
    sealed = []
    for role, (name, text) in files.items():
        (folder / name).write_text(text)
        digest = hashlib.sha256(text.encode()).hexdigest()
        sealed.append({"role": role, "path": name, "sha256": digest, "rows": len(coins)})
    manifest = {
        "schema": "guestlist.canaries/1",
        "kind": kind,
        "guestlist": "0.1.0",
        "canaries": len(coins),
        "designs": [{"design": "random-tokens", "canaries": len(coins)}],
        "tiers": [{"repetitions": 1, "canaries": len(coins)}],
        "coin": 0.5,
        "files": sealed,
        "check": {"outcome": "visible", "findings": []} if kind == "lm" else None,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder / "manifest.json"


def test_tables_and_files_of_texts_are_judged_alike(coins, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    manifest = drawn(tmp_path / "drawn", "lm", coins)
    rng = np.random.default_rng(1)
    rows = []
    for one, included in coins.items():
        level = rng.normal(-4, 0.2)
        own = level + 0.1 * (rng.normal() + 6 * included)
        text = f"the code is {one}"
        rows.append(
            {"id": one, "text": text, "logprob": [None] + [own] * 20, "ref_logprob": [None] + [level] * 20}
        )
    table = pyarrow.Table.from_pylist(rows)
    path = tmp_path / "tokens.parquet"
    pyarrow.parquet.write_table(table, path)
    claim = {"epsilon": 1.0, "delta": 1e-5}
    asked = {"canaries": manifest, "claim": claim, "progress": False, "bootstrap": 0}
    reports = [
        guestlist.audit_tokens(given, **asked).to_dict() for given in (table, path)
    ] + [guestlist.audit_file(path, kind="lm", **asked).to_dict()]
    assert reports[0]["verdict"]["outcome"] == "fail"
    assert reports[0]["claim"]["outcome"] == "refuted"
    assert reports[0]["canaries"]["canaries"] == COUNT
    assert without_origin(reports[0]) == without_origin(reports[1]) == without_origin(reports[2])
    with pytest.raises(guestlist.UsageError, match="canaries and members do not go together"):
        guestlist.audit_tokens(table, members=["canary 1"], canaries=manifest, progress=False)


def test_arrays_of_classifiers_are_judged_by_coins(coins, tmp_path):
    manifest = drawn(tmp_path / "drawn", "classifier", coins)
    rng = np.random.default_rng(2)
    keep = rng.integers(0, 2, size=(9, COUNT)).astype(bool)
    keep[0] = list(coins.values())
    phi = (rng.normal(size=COUNT) + rng.normal(size=keep.shape) + 4 * keep).astype("float32")
    keep[0] = rng.integers(0, 2, size=COUNT)
    report = guestlist.audit(
        phi, keep, ids=coins, attacks="lira", canaries=manifest, progress=False, bootstrap=0
    ).to_dict()
    assert report["canaries"]["included"] == sum(coins.values())
    assert report["attacks"][0]["auc"]["value"] > 0.9
    with pytest.raises(guestlist.UsageError, match="no ids"):
        guestlist.audit(phi, keep, canaries=manifest, progress=False)


def test_scores_of_arrays_tables_and_files_are_judged_by_coins(coins, tmp_path):
    manifest = drawn(tmp_path / "drawn", "lm", coins)
    rng = np.random.default_rng(7)
    asked = {"canaries": manifest, "claim": {"epsilon": 2.0, "delta": 1e-5}, "progress": False, "bootstrap": 0}
    for lift, outcome in ((6.0, "fail"), (0.0, "pass")):
        mine = rng.normal(size=COUNT) + lift * np.array(list(coins.values()))
        path = tmp_path / "mine.csv"
        path.write_text("id,mine\n" + "".join(f"{one},{score}\n" for one, score in zip(coins, mine.tolist())))
        reports = [
            guestlist.audit_scores({"mine": mine}, ids=coins, **asked),
            guestlist.audit_scores({"id": list(coins), "mine": mine}, **asked),
            guestlist.audit_scores(path, **asked),
        ]
        assert [report.outcome for report in reports] == [outcome] * 3
        assert reports[0].to_dict()["canaries"]["included"] == sum(coins.values())
        first, *others = [report.to_dict()["attacks"] for report in reports]
        assert all(first == other for other in others)
    # What is said of members is compared, and not believed.
    others = np.array(list(coins.values()))[::-1]
    report = guestlist.audit_scores({"mine": mine}, others, ids=coins, **asked)
    assert report.outcome == "inconclusive"
    with pytest.raises(guestlist.UsageError, match="no ids"):
        guestlist.audit_scores({"mine": mine}, **asked)
    with pytest.raises(guestlist.UsageError, match="nobody says who was a member"):
        guestlist.audit_scores({"mine": mine}, ids=coins, progress=False)
    with pytest.raises(guestlist.GuestlistError, match="manifest.json"):
        guestlist.audit_scores({"mine": mine}, ids=coins, canaries=tmp_path / "nothing" / "manifest.json")


def test_noise_passes_only_where_somebody_looked(coins, tmp_path):
    manifest = drawn(tmp_path / "drawn", "lm", coins)
    document = json.loads(manifest.read_text()) | {"check": None}
    manifest.write_text(json.dumps(document))
    noise = np.random.default_rng(4).normal(size=COUNT)
    asked = {"canaries": manifest, "ids": coins, "progress": False, "bootstrap": 0}
    report = guestlist.audit_scores({"mine": noise}, **asked)
    assert report.outcome == "inconclusive"
    assert "unseen-canaries" in str(report.to_dict()["verdict"]["reasons"])
    leak = noise + 6 * np.array(list(coins.values()))
    assert guestlist.audit_scores({"mine": leak}, **asked).outcome == "fail"


def test_a_mechanism_means_nothing_without_canaries(coins, tmp_path):
    claim = {"epsilon": 1.0, "delta": 1e-5, "mechanism": "gaussian"}
    member = np.arange(200) % 2 == 0
    with pytest.raises(guestlist.UsageError, match="claim's mechanism means nothing without canaries"):
        guestlist.audit_scores({"mine": np.arange(200.0)}, member, claim=claim, progress=False)
    for confidence in (0.0001, 0.49, 1.0):
        with pytest.raises(guestlist.UsageError, match="from 0.5 to below 1"):
            guestlist.audit_scores({"mine": np.arange(200.0)}, member, confidence=confidence, progress=False)
