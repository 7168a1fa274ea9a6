"""Downloads CIFAR-10 with torchvision and writes the arrays that cifar10.toml names."""

from pathlib import Path

import numpy as np
from torchvision.datasets import CIFAR10

folder = Path(__file__).parent / "cifar10"
# The 50,000 training images; guestlist splits them itself, so that the test images are not needed.
dataset = CIFAR10(folder, train=True, download=True)
np.save(folder / "images.npy", dataset.data.transpose(0, 3, 1, 2))  # bytes, [50000, 3, 32, 32]
np.save(folder / "labels.npy", np.array(dataset.targets, dtype=np.int64))
print(f"{len(dataset)} images and labels are in {folder}")
