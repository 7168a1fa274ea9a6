"""What needs no signals."""

import os
import subprocess

import numpy as np
import pytest

import guestlist


def test_splits_are_those_of_the_command_line(tmp_path, command_line):
    rng = np.random.default_rng(0)
    records = tmp_path / "records.csv"
    rows = [f"{a},{b},{label}" for a, b, label in zip(*rng.normal(size=(2, 40)), [0, 1] * 20)]
    records.write_text("\n".join(["a,b,label", *rows]) + "\n")
    config = tmp_path / "guestlist.toml"
    command = [command_line.program, "init", "classifier", "--data", records, "--label", "label"]
    subprocess.run([*command, "--out", config], check=True, capture_output=True)
    text = config.read_text()
    ended = subprocess.run(
        [command_line.program, "run", config, "--shadows", "4", "--quiet"],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert ended.returncode in (0, 1, 3), (ended.stderr, text)
    kept = sorted(tmp_path.rglob("keep.npy"))
    assert len(kept) == 5
    keep = guestlist.shadow_splits(records=40, models=5)
    assert np.array_equal(np.stack([np.load(file) for file in kept]), keep)


def test_splits_can_be_changed_and_refuse_what_cannot_be():
    keep = guestlist.shadow_splits(records=64, models=3)
    assert keep.dtype == np.bool_ and keep.flags.writeable
    with pytest.raises(guestlist.UsageError, match="no shadows were asked for"):
        guestlist.shadow_splits(records=64, models=1)
    with pytest.raises(guestlist.UsageError, match="cannot be split into halves"):
        guestlist.shadow_splits(records=2, models=3)
    for given, words in (
        ((10, -3), "models is -3; hint: give how many models"),
        ((10, 2.5), "models is 2.5"),
        (("ten", 3), "records is 'ten'; hint: give how many records"),
        ((10, 10**30), "models is 1000"),
        ((10, 3, -1), "seed is -1; hint: give a whole number from 0 to"),
    ):
        with pytest.raises(guestlist.UsageError, match=words):
            guestlist.shadow_splits(*given)
    assert guestlist.shadow_splits(np.int64(10), np.int32(3), np.uint8(1)).shape == (3, 10)


def test_attacks_and_words_explain_themselves(command_line):
    for attack in guestlist.attacks():
        assert attack["id"] in guestlist.explain(attack["id"])
    said = subprocess.run([command_line.program, "explain", "auc"], capture_output=True, text=True)
    assert said.stdout.split() == guestlist.explain("auc").split()
    with pytest.raises(guestlist.UsageError, match="nothing is named"):
        guestlist.explain("lyra")
    with pytest.raises(guestlist.UsageError, match="there is no kind nonsense; hint: kinds are class"):
        guestlist.attacks("nonsense")
