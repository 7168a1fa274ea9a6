"""FeS-TT: a two-way head on a model's outputs, tuned with the whole model on a handful of known records.

The head reads relu(z) of the outputs z, starts from the normalised class means of the known records, and is tuned by
one step of cross-entropy on them and one step that lowers the entropy of the records asked about, epoch after epoch
(Dhillon et al. 2020, "A baseline for few-shot image classification", equations 6 to 8; Jiménez-López et al. 2025). The
model is in evaluation mode: batches of two records have no statistics.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.nn import functional

from ..collect._modes import evaluating
from ._features import device_of, outputs
from ._inputs import Inputs, mapped

LEAST_NORM = 1e-6
"""A norm below this counts as this, so that an empty vector stays one."""

BETAS = (0.9, 0.999)

Sides = tuple[list[int], list[bool]]


class Recipe(NamedTuple):
    """How a head is tuned, as the library says it."""

    learning_rate: float
    epochs: int
    patience: int
    unit_length: bool
    epsilon: float
    keras: bool
    """Whether ε stands beside the uncorrected root, as in Keras's Adam."""


class Tuner:
    """A model that is tuned again and again, always from the same weights, and given back as it was."""

    def __init__(self, model: Any, inputs: Inputs) -> None:
        self._model, self._inputs = model, inputs
        self._weights = [parameter.detach().clone() for parameter in model.parameters()]
        self._device = device_of(model)

    def __call__(
        self, support: Sides, validation: Sides, asked: list[int], temperatures: list[float], how: tuple[Any, ...]
    ) -> list[tuple[list[float], list[float]]]:
        """P(member) of validation records and of those asked about, after a tuning per temperature."""
        try:
            with evaluating(self._model):
                return [self._tuned(support, validation, asked, heat, Recipe(*how)) for heat in temperatures]
        finally:
            self._restore()

    def _restore(self) -> None:
        with torch.no_grad():
            for parameter, weight in zip(self._model.parameters(), self._weights, strict=True):
                parameter.copy_(weight)
                parameter.grad = None

    def _tuned(
        self, support: Sides, validation: Sides, asked: list[int], temperature: float, recipe: Recipe
    ) -> tuple[list[float], list[float]]:
        self._restore()
        known, sides = support[0], self._sides(support)
        with torch.no_grad():
            head = _Head(self._outputs(known), sides, recipe.unit_length)
        steps = _Steps([*self._model.parameters(), *head.parameters], recipe)
        best, waited = float("inf"), 0
        for _ in range(recipe.epochs):
            steps.step(functional.cross_entropy(head(self._outputs(known)), sides))
            if asked:
                steps.step(_entropy(head(self._outputs(asked)) / temperature))
            if validation[0]:
                with torch.no_grad():
                    scores = head(self._outputs(validation[0]))
                    loss = float(functional.cross_entropy(scores, self._sides(validation)))
                best, waited = (loss, 0) if loss < best else (best, waited + 1)
                if waited >= recipe.patience:
                    break
        with torch.no_grad():
            return self._scores(head, validation[0]), self._scores(head, asked)

    def _scores(self, head: _Head, rows: list[int]) -> list[float]:
        if not rows:
            return []
        scores: list[float] = head(self._outputs(rows)).softmax(1)[:, 1].double().tolist()
        return scores

    def _outputs(self, rows: list[int]) -> Any:
        where = torch.tensor(rows)
        inputs = mapped(self._inputs, lambda tensor: tensor[where.to(tensor.device)].to(self._device))
        return outputs(self._model, inputs).float()

    def _sides(self, known: Sides) -> Any:
        return torch.tensor(known[1], dtype=torch.long, device=self._device)


class _Head:
    """Two rows of weights, for non-members and members, and their biases."""

    def __init__(self, given: Any, sides: Any, unit_length: bool) -> None:
        self._unit_length = unit_length
        positive = given.clamp_min(0)
        means = torch.stack([positive[sides == side].mean(0) for side in (0, 1)])
        means = means / means.norm(dim=1, keepdim=True).clamp_min(LEAST_NORM)
        biases = torch.zeros(2, device=given.device)
        self.parameters = [means.requires_grad_(), biases.requires_grad_()]

    def __call__(self, given: Any) -> Any:
        inputs = given.clamp_min(0)
        if self._unit_length:
            inputs = inputs / inputs.norm(dim=1, keepdim=True).clamp_min(LEAST_NORM)
        weights, biases = self.parameters
        return inputs @ weights.T + biases


class _Steps:
    """Adam over head and model."""

    def __init__(self, parameters: list[Any], recipe: Recipe) -> None:
        learning = [parameter for parameter in parameters if parameter.requires_grad]
        self._adam = torch.optim.Adam(learning, lr=recipe.learning_rate, betas=BETAS, eps=recipe.epsilon)
        self._recipe, self._count = recipe, 0

    def step(self, loss: Any) -> None:
        self._count += 1
        if self._recipe.keras:
            root = (1 - BETAS[1] ** self._count) ** 0.5
            self._adam.param_groups[0]["eps"] = self._recipe.epsilon / root
        self._adam.zero_grad()
        loss.backward()
        self._adam.step()


def _entropy(logits: Any) -> Any:
    logarithms = logits.log_softmax(1)
    return -(logarithms.exp() * logarithms).sum(1).mean()
