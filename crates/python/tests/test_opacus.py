"""DP-SGD of Opacus held against the ε that it claims, by canaries in one run: the example as it is shipped."""

import sys
from pathlib import Path

import numpy as np
import pytest

import guestlist

pytest.importorskip("torch")
pytest.importorskip("opacus")

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "dp-sgd"
EPSILON, DELTA = 4.0, 1e-5


@pytest.fixture(scope="module")
def example():
    sys.path.insert(0, str(EXAMPLE))
    try:
        import make_data
        import train

        yield make_data, train
    finally:
        sys.path.remove(str(EXAMPLE))
        for name in ("make_data", "train"):
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def drawn(example, tmp_path_factory):
    folder = tmp_path_factory.mktemp("private")
    x, y = example[0].made()
    np.savez(folder / "data.npz", x=x, y=y)
    return guestlist.canaries.draw(
        data=folder / "data.npz", label="y", design="random-features", count=700, out=folder / "canaries", seed=5,
        progress=False,
    )  # fmt: skip


def audited(train, drawn, folder, broken):
    training, canaries = np.load(drawn.training), np.load(drawn.canaries)
    model = train.trained(training["x"], training["y"], EPSILON, DELTA, broken, 0, steps=10 if broken == "sampling" else 4)
    found = train.scores(model, canaries["x"], canaries["y"])
    rows = [f"{name},{score}" for name, score in zip(canaries["ids"], found)]
    (folder / "scores.csv").write_text("\n".join(["id,phi", *rows]))
    return guestlist.audit_file(
        folder / "scores.csv",
        "scores",
        canaries=drawn.manifest,
        claim={"epsilon": EPSILON, "delta": DELTA},
        progress=False,
    )


def bound(report):
    return report.attacks["phi"]["epsilon_lower_bound"]["value"]


def test_a_right_implementation_is_not_refuted(example, drawn, tmp_path):
    report = audited(example[1], drawn, tmp_path, None)
    assert report.outcome == "pass", report.to_text()
    assert 0.2 * EPSILON < bound(report) < EPSILON


@pytest.mark.parametrize("broken", ["noise", "clipping", "sampling"])
def test_a_broken_implementation_is_caught(example, drawn, tmp_path, broken):
    report = audited(example[1], drawn, tmp_path, broken)
    assert report.outcome == "fail" and bound(report) > EPSILON, (broken, bound(report))
