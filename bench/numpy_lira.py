"""LiRA in numpy as a whole command: arrays loaded from files, one attack, its AUC printed; no report, no checks.

Usage: numpy_lira.py FOLDER   (phi.npy and keep.npy; row 0 is the audited model)
numpy is all that is imported: scipy and scikit-learn take longer to start than the attack takes.
"""

import sys
from pathlib import Path

import numpy as np


def ratio(target, phi, keep):
    """Per-record Gaussian log-likelihood ratio, sums in float64."""
    count_in = keep.sum(axis=0)
    count_out = keep.shape[0] - count_in
    sum_in = np.einsum("kn,kn->n", phi, keep, dtype=np.float64)
    sum_out = phi.sum(axis=0, dtype=np.float64) - sum_in
    mean_in, mean_out = sum_in / count_in, sum_out / count_out
    centred = phi - np.where(keep, mean_in.astype(np.float32), mean_out.astype(np.float32))
    np.square(centred, out=centred)
    square_in = np.einsum("kn,kn->n", centred, keep, dtype=np.float64)
    square_out = centred.sum(axis=0, dtype=np.float64) - square_in
    variance_in, variance_out = square_in / count_in, square_out / count_out
    far_in = (target - mean_in) ** 2 / variance_in
    far_out = (target - mean_out) ** 2 / variance_out
    return 0.5 * (np.log(variance_out / variance_in) + far_out - far_in)


def auc(scores, member):
    """By ranks; single scores of a continuous statistic hardly tie."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores)] = np.arange(1, len(scores) + 1)
    members = member.sum()
    return (ranks[member].sum() - members * (members + 1) / 2) / (members * (len(scores) - members))


def main():
    folder = Path(sys.argv[1])
    phi, keep = np.load(folder / "phi.npy"), np.load(folder / "keep.npy")
    print(auc(ratio(phi[0], phi[1:], keep[1:]), keep[0]))


if __name__ == "__main__":
    main()
