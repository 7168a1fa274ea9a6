"""Many models at once: their weights lie side by side, and every operation is done for all of them.

Each model has its own weights, its own batches and its own part of the loss; the sum of the losses has the
derivatives of each, and an optimizer that treats every weight by itself does to all what it would do to one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.func import functional_call, stack_module_state, vmap

from ._captured import captured
from ._inputs import called, mapped
from ._optimizers import reset, reusable
from ._seeds import seeded
from ._tables import Tables
from ._ways import Ask, Batch, Job, NotThisWay, Setup


class Ensemble:
    """So many models in one memory; on a GPU the step is a CUDA graph as well."""

    name = "ensemble"

    def __init__(self, setup: Setup, models: int) -> None:
        if not setup.on_device:
            raise NotThisWay("the records do not fit on the device")
        self._setup, self.capacity = setup, models
        self._captures = setup.device.type == "cuda"
        self._template = setup.recipe.new_model(0, setup.device)
        self._template.train()
        fresh = [setup.recipe.new_model(0, torch.device("cpu"))]
        weights, buffers = stack_module_state(fresh * models)
        learns = {n: p.requires_grad for n, p in self._template.named_parameters()}
        self._weights = {n: _leaf(w, setup.device, learns[n]) for n, w in weights.items()}
        self._buffers = {n: b.detach().clone().to(setup.device) for n, b in buffers.items()}
        made = setup.recipe.new_optimizer(self._template)
        stacked = {id(p): self._weights[n] for n, p in self._template.named_parameters()}
        self._optimizer = reusable(made, stacked, setup.device, captured=self._captures)
        self._base = [float(group["lr"]) for group in made.param_groups]
        self._tables = Tables(setup, self._base, models)
        self._replay: Callable[[], None] | None = None

    def train(self, jobs: Sequence[Job]) -> Iterator[Batch]:
        self.run(jobs, self._setup.recipe.steps)
        losses = self._tables.mean_losses(self._setup.recipe.steps)[: len(jobs)]
        yield Batch(jobs, self._asking(len(jobs)), losses, self.weights(0))

    def steps(self, jobs: Sequence[Job], count: int) -> None:
        if self._replay is None:
            self.run(jobs, count)
        else:
            self._train(self._filled(jobs), count)

    def smaller(self) -> Ensemble | None:
        return Ensemble(self._setup, self.capacity // 2) if self.capacity > 1 else None

    def _filled(self, jobs: Sequence[Job]) -> list[Job]:
        """Places that are left over train the last model once more."""
        return [*jobs, *[jobs[-1]] * (self.capacity - len(jobs))]

    def run(self, jobs: Sequence[Job], steps: int) -> None:
        """So many steps of all models from their beginning."""
        filled = self._filled(jobs)
        if self._replay is None:
            self._replay = self._step
            if self._captures:
                self._begin(filled)
                self._replay = captured(self._step, self._setup.device)
        self._begin(filled)
        self._train(filled, steps)

    def _train(self, jobs: Sequence[Job], steps: int) -> None:
        assert self._replay is not None
        with seeded(jobs[0].seed, self._setup.device):
            for _ in self._tables.running(jobs, steps):
                self._replay()

    def weights(self, place: int) -> dict[str, Any]:
        """The weights of one of the models."""
        return {name: tensor[place] for name, tensor in self._weights.items()}

    def _begin(self, jobs: Sequence[Job]) -> None:
        with torch.no_grad():
            for place, job in enumerate(jobs):
                fresh = self._setup.recipe.new_model(job.seed, torch.device("cpu"))
                for name, tensor in fresh.named_parameters():
                    self._weights[name][place].copy_(tensor)
                for name, tensor in fresh.named_buffers():
                    self._buffers[name][place].copy_(tensor)
        reset(self._optimizer)

    def _losses(self, weights: Any, buffers: Any, inputs: Any, labels: Any) -> Any:
        def model(*given: Any, **named: Any) -> Any:
            return functional_call(self._template, (weights, buffers), given, named)

        return self._setup.recipe.loss_of(model, inputs, labels)

    def _step(self) -> None:
        recipe, rows = self._setup.recipe, self._tables.rows()
        inputs, labels = self._setup.batch(rows.reshape(-1))
        apart = mapped(recipe.augmented(inputs), lambda tensor: tensor.unflatten(0, rows.shape))
        if self._captures:
            self._tables.set_rates(self._optimizer)
        else:
            self._tables.set_rates_on_host(self._optimizer)
        self._optimizer.zero_grad(set_to_none=True)
        all_at_once = vmap(self._losses, randomness="different")
        losses = all_at_once(self._weights, self._buffers, apart, labels.reshape(rows.shape))
        losses.sum().backward()
        self._optimizer.step()
        self._tables.advance(losses.detach())

    def _asking(self, models: int) -> Ask:
        def one(weights: Any, buffers: Any, inputs: Any) -> Any:
            def model(*given: Any, **named: Any) -> Any:
                return functional_call(self._template, (weights, buffers), given, named)

            return called(model, inputs)

        def ask(inputs: Any) -> Any:
            self._template.eval()
            try:
                weights = {name: tensor[:models] for name, tensor in self._weights.items()}
                buffers = {name: tensor[:models] for name, tensor in self._buffers.items()}
                return vmap(one, in_dims=(0, 0, None), randomness="different")(weights, buffers, inputs)
            finally:
                self._template.train()

        return ask


def _leaf(tensor: Any, device: Any, learns: bool) -> Any:
    return tensor.detach().clone().to(device).requires_grad_(learns)
