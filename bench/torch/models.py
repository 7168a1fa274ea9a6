"""The models and data of the benchmark."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

FASHION = Path("/usr/share/datasets/fashion-mnist")
"""Where Debian's package dataset-fashion-mnist puts the images."""


def block(inputs: int, outputs: int, pool: bool = False) -> nn.Sequential:
    layers = [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
    return nn.Sequential(*layers, *([nn.MaxPool2d(2)] if pool else []))


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(block(width, width), block(width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x)


def resnet9(classes: int = 10) -> nn.Module:
    """Of images of 32 × 32: eight convolutions and a linear layer, 426 GFLOP for a step of 250 images."""
    return nn.Sequential(
        block(3, 64), block(64, 128, True), Residual(128),
        block(128, 256, True), block(256, 256, True), Residual(256),
        nn.MaxPool2d(4), nn.Flatten(), nn.Linear(256, classes),
    )  # fmt: skip


def perceptron() -> nn.Module:
    """446-512-256-128-30, as for the records of Location."""
    widths = [446, 512, 256, 128, 30]
    layers: list[nn.Module] = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def pixels_perceptron() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(3072, 256), nn.ReLU(), nn.Linear(256, 10))


def sgd(parameters) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9, nesterov=True, weight_decay=5e-4)


def calm_sgd(parameters) -> torch.optim.Optimizer:
    """At which no model leaves its way at the end, so that the spread over models is small."""
    return torch.optim.SGD(parameters, lr=0.02, momentum=0.9, nesterov=True, weight_decay=5e-4)


def noise(count: int = 20_000) -> tuple[torch.Tensor, torch.Tensor]:
    """Random pixels, where only the speed counts."""
    generator = torch.Generator().manual_seed(0)
    pixels = torch.randn(count, 3, 32, 32, generator=generator)
    return pixels, torch.randint(10, (count,), generator=generator)


def table(count: int = 5_010) -> tuple[torch.Tensor, torch.Tensor]:
    """Binary features of as many records as Location has."""
    generator = torch.Generator().manual_seed(0)
    features = (torch.rand(count, 446, generator=generator) < 0.1).float()
    return features, torch.randint(30, (count,), generator=generator)


def fashion(count: int = 20_000, folder: Path = FASHION) -> tuple[torch.Tensor, torch.Tensor]:
    """Images of clothes at 32 × 32, thrice the same colour."""
    images = _idx(folder / "train-images-idx3-ubyte.gz", 16)[: count * 784].reshape(-1, 1, 28, 28)
    labels = _idx(folder / "train-labels-idx1-ubyte.gz", 8)[:count]
    pixels = torch.from_numpy(images.astype(np.float32)) / 255
    return functional.pad((pixels - 0.286) / 0.353, [2] * 4).repeat(1, 3, 1, 1), torch.from_numpy(labels.astype(np.int64))


def _idx(path: Path, header: int) -> np.ndarray:
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), dtype=np.uint8, offset=header)
