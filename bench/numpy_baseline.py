"""What the field would write with numpy, scipy and scikit-learn, timed on the data of the Rust side.

Usage: numpy_baseline.py FOLDER   (phi.npy, keep.npy, scores.npy, member.npy, population.npy)
Prints one JSON object: seconds by name, the best of a few runs each.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from scipy.stats import norm
from sklearn.metrics import roc_auc_score, roc_curve


def best_of(runs, work):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def lira(target, phi, keep):
    """Per-record Gaussian log-likelihood ratio, vectorised over records, sums in float64."""
    count_in = keep.sum(axis=0)
    count_out = keep.shape[0] - count_in
    sum_in = np.einsum("kn,kn->n", phi, keep, dtype=np.float64)
    sum_out = phi.sum(axis=0, dtype=np.float64) - sum_in
    mean_in, mean_out = sum_in / count_in, sum_out / count_out
    centred = phi - np.where(keep, mean_in.astype(np.float32), mean_out.astype(np.float32))
    np.square(centred, out=centred)
    square_in = np.einsum("kn,kn->n", centred, keep, dtype=np.float64)
    square_out = centred.sum(axis=0, dtype=np.float64) - square_in
    log_in = norm.logpdf(target, mean_in, np.sqrt(square_in / count_in))
    return log_in - norm.logpdf(target, mean_out, np.sqrt(square_out / count_out))


def lira_where(target, phi, keep):
    """The same with masked reductions: which of the two is faster depends on the machine."""
    count_in = keep.sum(axis=0)
    count_out = keep.shape[0] - count_in
    out = ~keep
    mean_in = phi.sum(axis=0, where=keep, dtype=np.float64) / count_in
    mean_out = phi.sum(axis=0, where=out, dtype=np.float64) / count_out
    centred = phi - np.where(keep, mean_in.astype(np.float32), mean_out.astype(np.float32))
    centred *= centred
    std_in = np.sqrt(centred.sum(axis=0, where=keep, dtype=np.float64) / count_in)
    std_out = np.sqrt(centred.sum(axis=0, where=out, dtype=np.float64) / count_out)
    return norm.logpdf(target, mean_in, std_in) - norm.logpdf(target, mean_out, std_out)


def rmia_matrix(ratio, population):
    """RMIA as a matrix of all pairs, in chunks that fit the memory."""
    shares = np.empty(len(ratio))
    for first in range(0, len(ratio), 1000):
        part = ratio[first : first + 1000, None] / population[None, :]
        shares[first : first + 1000] = (part > 1.0).mean(axis=1)
    return shares


def bootstrap(scores, member, replicates):
    """Stratified resamples, each scored by scikit-learn."""
    rng = np.random.default_rng(0)
    inside, outside = scores[member], scores[~member]
    labels = np.r_[np.ones(len(inside), bool), np.zeros(len(outside), bool)]
    for _ in range(replicates):
        sample = np.r_[rng.choice(inside, len(inside)), rng.choice(outside, len(outside))]
        roc_auc_score(labels, sample)
        false_rate, true_rate, _ = roc_curve(labels, sample)
        for rate in (0.1, 0.01, 0.001):
            true_rate[np.searchsorted(false_rate, rate, side="right") - 1]


def main():
    folder = Path(sys.argv[1])
    phi, keep = np.load(folder / "phi.npy"), np.load(folder / "keep.npy")
    scores, member = np.load(folder / "scores.npy"), np.load(folder / "member.npy")
    ratio = np.exp(np.load(folder / "ratio.npy"))
    population = np.exp(np.load(folder / "population.npy"))
    target, shadows, members = phi[0], phi[1:], keep[1:]
    replicates = 20
    seconds = {
        "lira": min(
            best_of(20, lambda: lira(target, shadows, members)),
            best_of(20, lambda: lira_where(target, shadows, members)),
        ),
        "rmia_matrix": best_of(3, lambda: rmia_matrix(ratio, population)),
        "bootstrap_1000": best_of(2, lambda: bootstrap(scores, member, replicates)) * 1000 / replicates,
    }
    # The mean score, so that a reader can see that both sides computed the same thing.
    seconds["check_lira_mean"] = float(np.mean(lira_where(target, shadows, members)))
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
