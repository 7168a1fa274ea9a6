"""A kernel machine by DP-SGD of Opacus on a file with canaries; every canary's score goes to a CSV file.

    python train.py canaries --epsilon 4 --delta 1e-5 --out scores.csv [--broken noise|clipping|sampling]

`--broken` makes one of three mistakes that leave the accountant, and so the claimed ε, as they were.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
import torch
from opacus import PrivacyEngine
from opacus.accountants.utils import get_noise_multiplier
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

CLIP_NORM = 1.0
STEPS = 10
STEP_SIZE = 0.001
"""How far one record's clipped gradient moves the weights in a step: little, so that it stays clipped to the last."""
FEATURES, WIDTH, FEATURE_SEED = 16_384, 0.5, 7
"""Cosines that stand for a Gaussian kernel (Rahimi & Recht 2007), and how far apart records are that are alike: so
little that every record has a direction of its own, and no other one hides what the model keeps of it."""
SAMPLED = 0.02
"""What the accountant is told of the batches where sampling is broken: one record in fifty."""

# Opacus warns of its own generator of random numbers, and of hooks on layers that begin a network.
warnings.filterwarnings("ignore", module="opacus|torch")


def features(x: np.ndarray) -> torch.Tensor:
    """Each record in directions that are fixed before any data are seen; of length 20."""
    rng = np.random.default_rng(FEATURE_SEED)
    frequencies = rng.normal(size=(x.shape[1], FEATURES)) / WIDTH
    phases = rng.uniform(0.0, 2.0 * np.pi, size=FEATURES)
    return torch.from_numpy(20.0 * np.sqrt(2.0 / FEATURES) * np.cos(x @ frequencies + phases)).float()


def trained(
    x: np.ndarray, y: np.ndarray, epsilon: float, delta: float, broken: str | None, seed: int, steps: int = STEPS
):
    """A model that is (ε, δ)-private, unless it is broken."""
    torch.manual_seed(seed)
    model = torch.nn.Linear(FEATURES, int(y.max()) + 1)
    torch.nn.init.zeros_(model.weight)
    data = TensorDataset(features(x), torch.from_numpy(y).long())
    rate = SAMPLED if broken == "sampling" else 1.0
    noise = get_noise_multiplier(
        target_epsilon=epsilon, target_delta=delta, sample_rate=rate, steps=steps, accountant="prv"
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=STEP_SIZE * len(data))
    if broken == "clipping":
        return clipped_as_a_whole(model, optimizer, data, noise, steps)
    engine = PrivacyEngine(accountant="prv")
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=optimizer,
        data_loader=DataLoader(data, batch_size=len(data)),
        noise_multiplier=noise,
        max_grad_norm=CLIP_NORM,
    )
    if broken == "noise":
        optimizer.noise_multiplier = 0.0  # left over from debugging
    # Where sampling is broken the accountant counted on batches of one in fifty; these are all records.
    for _ in range(steps):
        for inputs, labels in loader:
            optimizer.zero_grad()
            functional.cross_entropy(model(inputs), labels).backward()
            optimizer.step()
    return model


def clipped_as_a_whole(model, optimizer, data, noise: float, steps: int):
    """Clips the mean gradient of the batch, where every record's own should be."""
    inputs, labels = data.tensors
    for _ in range(steps):
        optimizer.zero_grad()
        functional.cross_entropy(model(inputs), labels).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP_NORM)
        for parameter in model.parameters():
            parameter.grad += torch.randn_like(parameter) * noise * CLIP_NORM / len(data)
        optimizer.step()
    return model


def scores(model, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """φ: the logit of a record's label less the log-sum-exp of the others."""
    with torch.no_grad():
        logits = model(features(x)).double()
    own = torch.from_numpy(y).long()[:, None]
    others = logits.scatter(1, own, -torch.inf).logsumexp(1)
    return (logits.gather(1, own)[:, 0] - others).numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("canaries", type=Path, help="the folder that guestlist canaries wrote")
    parser.add_argument("--epsilon", type=float, default=4.0)
    parser.add_argument("--delta", type=float, default=1e-5)
    parser.add_argument("--broken", choices=["noise", "clipping", "sampling"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("scores.csv"))
    given = parser.parse_args()
    training, canaries = (np.load(given.canaries / name) for name in ("training.npz", "canaries.npz"))
    model = trained(training["x"], training["y"], given.epsilon, given.delta, given.broken, given.seed)
    found = scores(model, canaries["x"], canaries["y"])
    with given.out.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "phi"])
        rows.writerows(zip(canaries["ids"], found.tolist()))


if __name__ == "__main__":
    main()
