"""Made data: 200 records of ten numbers, two classes. Nothing in it is anybody's."""

from pathlib import Path

import numpy as np


def made(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=200)
    x = rng.normal(size=(200, 10)) + 0.5 * (2 * y[:, None] - 1)
    return x.astype(np.float32), y


if __name__ == "__main__":
    x, y = made()
    np.savez(Path("data.npz"), x=x, y=y)
