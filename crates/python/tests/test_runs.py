"""Configurations from Python: plans, runs of several kinds, and Ctrl-C between."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest

import guestlist

CLASSIFIER = """
kind = "classifier"
[data]
path = "data.csv"
label = "class"
[models]
shadows = {shadows}
[training]
hidden = [{width}]
epochs = {epochs}
[audit]
attacks = "lira,rmia"
"""

LONG = """
import sys, guestlist
def listener(stretch, done, total):
    print(done, flush=True)
try:
    guestlist.run("guestlist.toml", workers=1, progress=listener)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(42)
"""


def configure(folder, shadows=4, width=8, epochs=3):
    rng = np.random.default_rng(1)
    label = rng.integers(0, 2, size=200)
    age = rng.normal(40 + 5 * label, 8)
    rows = "".join(f"{a:.1f},{['no', 'yes'][k]}\n" for a, k in zip(age, label, strict=True))
    (folder / "data.csv").write_text("age,class\n" + rows)
    config = folder / "guestlist.toml"
    config.write_text(CLASSIFIER.format(shadows=shadows, width=width, epochs=epochs))
    return config


def test_a_plan_says_what_a_run_would_do_and_does_nothing(tmp_path):
    config = configure(tmp_path)
    estimate = guestlist.plan(config, shadows=6)
    assert estimate.kind == "classifier"
    assert isinstance(estimate.facts, dict) and estimate.facts
    names = [name for name, _ in estimate.lines]
    assert names and all(name in str(estimate) for name in names)
    assert estimate.next in str(estimate)
    assert not (tmp_path / "guestlist-run" / "report.json").exists()


def test_a_run_trains_judges_and_names_its_files(tmp_path):
    config, told = configure(tmp_path), []
    report = guestlist.run(config, junit=True, progress=lambda *stretch: told.append(stretch))
    document = report.to_dict()
    assert document["kind"] == "classifier"
    assert sorted(report.attacks) == ["lira", "rmia"]
    names = {file.name for file in report.files}
    assert {"report.json", "report.html", "report.md", "scores.parquet", "junit.xml"} <= names
    written = json.loads((tmp_path / "guestlist-run/report.json").read_text())
    assert written == document
    assert document["provenance"]["command"].startswith("guestlist.run(")
    assert told
    again = guestlist.run(config, progress=False)
    assert again.attacks == report.attacks


def test_the_command_line_finds_the_same(tmp_path, command_line):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    report = guestlist.run(configure(tmp_path / "here"), progress=False)
    configure(tmp_path / "there")
    ended = subprocess.run(
        [command_line.program, "run", "--quiet"], cwd=tmp_path / "there", check=False
    )
    assert ended.returncode in (0, 1, 3)
    written = json.loads((tmp_path / "there/guestlist-run/report.json").read_text())
    assert written["attacks"] == report.to_dict()["attacks"]


def test_what_is_wrong_is_said_as_on_the_command_line(tmp_path):
    config = configure(tmp_path)
    with pytest.raises(guestlist.UsageError, match="max-requests is for kind"):
        guestlist.plan(config, max_requests=3)
    config.write_text("kind = 'oracle'\n")
    with pytest.raises(guestlist.UsageError, match="line 1"):
        guestlist.run(config)


def test_control_c_stops_a_run_and_the_next_goes_on(tmp_path):
    configure(tmp_path, shadows=64, width=256, epochs=60)
    program = subprocess.Popen(
        [sys.executable, "-c", LONG],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stdout.readline()
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    finally:
        program.kill()
    assert program.returncode == 42, err
    assert out.endswith("interrupted\n")
    assert not (tmp_path / "guestlist-run/report.json").exists()
