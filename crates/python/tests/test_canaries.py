"""Canaries through Python: what the command line draws, checks and seals."""

import json
from pathlib import Path

import numpy as np
import pytest

import guestlist
from guestlist import canaries

TOKENIZER = Path(__file__).parents[2] / "rehearsal/data/lm/tokenizer.json"


@pytest.fixture
def training(tmp_path):
    path = tmp_path / "train.jsonl"
    rows = [{"text": f"The mill of Ulm was sold in {1700 + n} for {n} crowns."} for n in range(60)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_draw_of_texts_is_sealed_and_opens(training, tmp_path):
    drawn = canaries.draw(training, count=40, tiers=(1, 4), tokenizer=TOKENIZER, out=tmp_path / "drawn")
    assert drawn.check is not None and drawn.check.outcome == "visible"
    found = canaries.read(drawn.manifest)
    coins = canaries.truth(tmp_path / "drawn")
    rows = [json.loads(line)["text"] for line in drawn.training.read_text().splitlines()]
    assert found.kind == "lm" and {canary["id"] for canary in found.canaries} == coins.keys()
    for canary in found.canaries:
        assert rows.count(canary["text"]) == canary["tier"] * coins[canary["id"]]
    assert "seed" not in drawn.manifest.read_text()


def test_traps_are_named(training, tmp_path):
    drawn = canaries.draw(training, count=20, out=tmp_path / "drawn")
    assert drawn.check is None
    check = canaries.check(drawn.manifest, tokenizer=TOKENIZER, max_length=6)
    violated = {found["trap"] for found in check.findings if found["status"] == "violated"}
    assert check.outcome == "invisible" and "truncated" in violated
    assert check.invisible == check.canaries == 20
    known = {trap["id"]: trap["remedy"] for trap in canaries.traps()}
    assert violated < known.keys()
    assert canaries.read(drawn.manifest).document["check"]["outcome"] == "invisible"


def test_a_draw_of_records_keeps_their_types(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 255, size=(80, 4, 3), dtype=np.uint8)
    y = rng.integers(0, 3, size=80)
    np.savez(tmp_path / "data.npz", x=x, y=y)
    drawn = canaries.draw(
        data=tmp_path / "data.npz",
        count=20,
        design=["random-label", "random-features"],
        out=tmp_path / "drawn",
    )
    made, trained = np.load(drawn.canaries), np.load(drawn.training)
    assert made["x"].dtype == np.uint8 and made["x"].shape == (20, 4, 3)
    assert made["y"].dtype == y.dtype
    listed = canaries.read(drawn.manifest).canaries
    assert list(made["ids"]) == [canary["id"] for canary in listed]
    coins = canaries.truth(drawn.manifest)
    for record, name in zip(made["x"], made["ids"]):
        times = (trained["x"] == record).all(axis=(1, 2)).sum()
        assert times == coins[str(name)]


def test_mistakes_are_refused_in_words(training, tmp_path):
    with pytest.raises(guestlist.UsageError, match="either training"):
        canaries.draw()
    with pytest.raises(guestlist.UsageError, match="did you mean random-tokens"):
        canaries.draw(training, design="random-token", out=tmp_path / "drawn")
    drawn = canaries.draw(training, count=10, out=tmp_path / "drawn")
    with pytest.raises(guestlist.FileError, match="exists already"):
        canaries.draw(training, count=10, out=tmp_path / "drawn")
    truth = tmp_path / "drawn/truth.json"
    truth.write_text(truth.read_text().replace("true", "false"))
    with pytest.raises(guestlist.InputError, match="was changed since it was sealed"):
        canaries.truth(drawn.manifest)
