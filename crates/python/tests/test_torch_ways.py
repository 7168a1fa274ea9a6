"""Every way of training gives the models of the plain loop."""

import random

import numpy as np
import pytest

import guestlist

torch = pytest.importorskip("torch")

from guestlist.torch import _choose  # noqa: E402
from guestlist.torch._captured import captured  # noqa: E402
from guestlist.torch._ensemble import Ensemble  # noqa: E402
from guestlist.torch._lanes import Lanes  # noqa: E402
from guestlist.torch._order import Order, blocks, steps_of  # noqa: E402
from guestlist.torch._outputs import Asking  # noqa: E402
from guestlist.torch._plain import Plain  # noqa: E402
from guestlist.torch._queries import FlipsAndShifts, views  # noqa: E402
from guestlist.torch._recipe import recipe  # noqa: E402
from guestlist.torch._records import read  # noqa: E402
from guestlist.torch._ways import Job  # noqa: E402
from guestlist.torch._worker import setup  # noqa: E402

from test_torch_audit import Net, images, perceptron, table  # noqa: E402

CPU = torch.device("cpu")
DEVICES = [CPU] + ([torch.device("cuda", 0)] if torch.cuda.is_available() else [])

OPTIMIZERS = {
    "adam": torch.optim.Adam,
    "adamw": lambda p: torch.optim.AdamW(p, lr=3e-3, amsgrad=True),
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4),
    "plain sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=1e-3, momentum=0.9, centered=True),
    "nadam": torch.optim.NAdam,
    "groups": lambda p: torch.optim.AdamW(
        [{"params": [w for w in p if w.ndim > 1], "weight_decay": 0.1},
         {"params": [w for w in p if w.ndim == 1], "weight_decay": 0.0, "lr": 1e-2}], lr=1e-3,
    ),
}  # fmt: skip


def ready(model, data, device=CPU, **more):
    records = read(data)
    asked = dict.fromkeys(["augment", "loss", "train", "optimizer"])
    asked |= {"epochs": 3, "batch_size": 16, "schedule": "triangle", "queries": 1}
    asked |= {"precision": "float32", "bf16": False}
    return setup(recipe(model, records, **(asked | more)), records, device, lambda _: None)


def jobs(records, count=3):
    rng = np.random.default_rng(0)
    halves = [np.sort(rng.permutation(records)[: records // 2 + m]) for m in range(count)]
    return [Job(m, rows, 100 + m) for m, rows in enumerate(halves)]


def phi(here, way, wanted):
    """φ of every model, whoever was trained together."""
    found = []
    for first in range(0, len(wanted), way.capacity):
        for batch in way.train(wanted[first : first + way.capacity]):
            found += Asking(here).outputs(batch.ask, len(batch.jobs))
    return np.stack([output.phi for output in found])


def uncaptured(step, device):
    for _ in range(3):
        step()
    return step


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("device", DEVICES, ids=str)
def test_perceptrons_are_the_same_every_way(name, device):
    here = ready(perceptron, table(), device, optimizer=OPTIMIZERS[name])
    wanted = jobs(200)
    plain = phi(here, Plain(here), wanted)
    assert np.abs(plain).max() > 0.1
    # Three models in four places, and then in two and one of two.
    for models in (4, 2):
        np.testing.assert_allclose(phi(here, Ensemble(here, models), wanted), plain, atol=2e-4)
    lanes = Lanes(here, uncaptured if device == CPU else captured)
    np.testing.assert_allclose(phi(here, lanes, wanted), plain, atol=2e-4)
    lanes.add()
    np.testing.assert_allclose(phi(here, lanes, wanted), plain, atol=2e-4)


@pytest.mark.parametrize("device", DEVICES, ids=str)
def test_networks_with_convolutions_and_batch_normalisation_too(device):
    here = ready(Net, images(96), device, optimizer=OPTIMIZERS["sgd"], queries=3)
    wanted = jobs(96)
    plain = phi(here, Plain(here), wanted)
    lanes = Lanes(here, uncaptured if device == CPU else captured)
    np.testing.assert_allclose(phi(here, lanes, wanted), plain, atol=1e-2)
    np.testing.assert_allclose(phi(here, Ensemble(here, 3), wanted), plain, atol=1e-2)


def test_what_is_frozen_stays_frozen_in_an_ensemble():
    def make():
        model = perceptron()
        model[0].requires_grad_(False)
        return model

    here = ready(make, table())
    ensemble = Ensemble(here, 3)
    wanted = jobs(200)
    np.testing.assert_allclose(phi(here, ensemble, wanted), phi(here, Plain(here), wanted), atol=2e-4)
    fresh = here.recipe.new_model(wanted[1].seed, CPU)
    assert torch.equal(ensemble.weights(1)["0.weight"], fresh[0].weight)


def test_dropout_differs_between_the_models_of_an_ensemble():
    def make():
        return torch.nn.Sequential(torch.nn.Dropout(0.5), *perceptron())

    here = ready(make, table())
    same = [Job(0, np.arange(100), 7)] * 2
    first, second = phi(here, Ensemble(here, 2), same)
    assert not np.array_equal(first, second)
    assert np.array_equal(*(phi(here, Plain(here), same[:1])[0] for _ in range(2)))


def test_the_fastest_way_is_chosen_and_the_others_are_told_of():
    here = ready(perceptron, table(), epochs=20)
    found = _choose.choose(here, jobs(200, 24))
    assert found.way.name in ("plain", "ensemble")
    assert "ms a step" in found.tried["plain"] or "µs a step" in found.tried["plain"]
    assert found.seconds > 0 and found.way.name in found.told()
    assert _choose.choose(here, jobs(200), "ensemble").way.name == "ensemble"
    assert _choose.choose(here, jobs(200), "plain").way.name == "plain"
    with pytest.raises(guestlist.UsageError, match="there is no way 'fast'"):
        _choose.choose(here, jobs(200), "fast")
    with pytest.raises(guestlist.GuestlistError, match="cannot be trained by way of graph"):
        _choose.choose(here, jobs(200), "graph")


class Branching(torch.nn.Module):
    """Looks at its numbers to decide what to do: no transformation follows that."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 2)

    def forward(self, inputs):
        output = self.layer(inputs)
        return output * 2 if output.sum() > 0 else output


def test_a_way_that_does_not_work_says_why_and_the_plain_loop_does():
    here = ready(Branching, table())
    found = _choose.choose(here, jobs(200, 8))
    assert found.way.name == "plain"
    assert "data-dependent control flow" in found.tried["ensemble"]
    custom = ready(perceptron, table(), optimizer=lambda p: torch.optim.Rprop(p))
    found = _choose.choose(custom, jobs(200, 8))
    assert found.way.name == "plain" and "Rprop is no optimizer" in found.tried["ensemble"]


class Counting(torch.nn.Module):
    """Another function in every step, by a counter that no recording sees."""

    def __init__(self):
        super().__init__()
        self.layer, self.calls = torch.nn.Linear(6, 2), 0

    def forward(self, inputs):
        self.calls += 1
        return self.layer(inputs) * (1 + 3 * (self.calls % 5))


def test_a_way_whose_steps_come_out_otherwise_is_not_believed():
    here = ready(Counting, table(), optimizer=OPTIMIZERS["plain sgd"])
    found = _choose.choose(here, jobs(200, 8))
    assert found.way.name == "plain"
    assert "differ from the plain loop's" in found.tried["ensemble"]


def test_random_numbers_of_the_host_are_noticed(monkeypatch):
    def flip(inputs):
        return -inputs if random.random() < 0.5 else inputs

    for augment, draws in [(flip, True), (FlipsAndShifts(), False), (None, False)]:
        here = ready(Net, images(96), augment=augment)
        search = _choose._Search(here, jobs(96))
        assert search._changes(random.getstate) == draws


@pytest.mark.parametrize("room", [10, 3])
def test_ensembles_shrink_until_they_fit_into_memory(monkeypatch, room):
    here, told = ready(perceptron, table(), epochs=20), []
    real = Ensemble.__init__

    def full(self, setup, models):
        if models > room:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory.")
        real(self, setup, models)

    monkeypatch.setattr(Ensemble, "__init__", full)
    here = type(here)(**{**vars(here), "tell": told.append})
    found = _choose.choose(here, jobs(200, 32), "ensemble")
    assert found.way.name == "ensemble" and 2 <= found.way.capacity <= room
    assert "ensembles are of" in told[-1]


def test_records_come_in_shuffled_epochs_of_whole_batches():
    order = Order(np.array([3, 5, 8, 9, 11]), 4, seed=1)
    drawn = order.take(5).reshape(-1).tolist()
    epochs = [drawn[first : first + 5] for first in range(0, 20, 5)]
    assert all(sorted(epoch) == [3, 5, 8, 9, 11] for epoch in epochs)
    assert len(set(map(tuple, epochs))) > 1
    again = Order(np.array([3, 5, 8, 9, 11]), 4, seed=1)
    pieces = [again.take(2), again.take(3)]
    assert torch.cat(pieces).reshape(-1).tolist() == drawn
    assert (steps_of(500, 2, 64), steps_of(5, 0.5, 64)) == (15, 1)
    assert blocks(5, 1 << 19) == [2, 2, 1] and sum(blocks(10**6, 250)) == 10**6


def test_images_are_mirrored_and_moved():
    pixels = torch.arange(2 * 3 * 9 * 9.0).reshape(2, 3, 9, 9)
    every = [view(pixels) for view in views(18, shift=2)]
    assert torch.equal(every[0], pixels) and torch.equal(every[1], pixels.flip(-1))
    assert torch.equal(every[2][..., 2:], pixels[..., :-2])
    assert torch.equal(every[4][..., 2:, :], pixels[..., :-2, :])
    assert len({tuple(view.flatten().tolist()) for view in every}) == 18
    padded = torch.nn.functional.pad(pixels, [2] * 4, mode="reflect")
    assert torch.equal(every[2], padded[..., 2:-2, :9])
    torch.manual_seed(0)
    seen = FlipsAndShifts(shift=2)(pixels.repeat(200, 1, 1, 1))
    possible = [
        padded[:1, ..., down : down + 9, right : right + 9].flip(*flip)
        for down in range(5)
        for right in range(5)
        for flip in ([()], [(-1,)])
    ]
    found = {tuple(image.flatten().tolist()) for image in seen[::2]}
    assert found <= {tuple(image.flatten().tolist()) for image in possible} and len(found) > 30
