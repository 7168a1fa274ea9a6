"""Many private trainings, each with canaries and coins of its own: how often the proven ε exceeds the true one.

    python simulate.py --runs 200

A bound at 95% confidence may exceed the ε of a right implementation in one run of twenty; this counts.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from make_data import made
from train import scores, trained

import guestlist


def bound(folder: Path, epsilon: float, delta: float, seed: int, steps: int) -> float:
    """One draw, one training, one audit."""
    x, y = made(seed)
    np.savez(folder / "data.npz", x=x, y=y)
    drawn = guestlist.canaries.draw(
        data=folder / "data.npz", label="y", design="random-features", out=folder / "canaries", progress=False
    )
    training, canaries = np.load(drawn.training), np.load(drawn.canaries)
    model = trained(training["x"], training["y"], epsilon, delta, None, seed, steps)
    table = np.column_stack([canaries["ids"], scores(model, canaries["x"], canaries["y"])])
    np.savetxt(folder / "scores.csv", table, fmt="%s", delimiter=",", header="id,phi", comments="")
    report = guestlist.audit_file(
        folder / "scores.csv", "scores", canaries=drawn.manifest, delta=delta, progress=False
    )
    return report.attacks["phi"]["epsilon_lower_bound"]["value"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--epsilon", type=float, default=4.0)
    parser.add_argument("--delta", type=float, default=1e-5)
    parser.add_argument("--steps", type=int, default=2)
    given = parser.parse_args()
    found = []
    for seed in range(given.runs):
        with tempfile.TemporaryDirectory() as folder:
            found.append(bound(Path(folder), given.epsilon, given.delta, seed, given.steps))
        above = sum(value > given.epsilon for value in found)
        third = sum(value >= given.epsilon / 3 for value in found)
        print(
            f"{len(found)} runs: mean {np.mean(found):.2f}, largest {max(found):.2f}, above ε = {given.epsilon}: "
            f"{above}, at least a third of it: {third}",
            flush=True,
        )


if __name__ == "__main__":
    main()
