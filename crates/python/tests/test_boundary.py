"""Distances to the boundary of models whose boundary is known."""

import numpy as np
import pytest

import guestlist
from guestlist.torch.boundary import boundary_distance, boundary_search

WIDTH = 20


@pytest.fixture(scope="module")
def plane():
    """Records on both sides of a plane, and how far they really lie from it."""
    rng = np.random.default_rng(3)
    normal, offset = rng.normal(size=WIDTH), 0.3
    x = rng.normal(size=(40, WIDTH))
    side = x @ normal + offset
    return x, normal, offset, np.abs(side) / np.linalg.norm(normal)


class Counting:
    """A model that remembers how often and how much it was asked."""

    def __init__(self, predict):
        self.predict, self.asked, self.largest = predict, 0, 0

    def __call__(self, batch):
        self.asked, self.largest = self.asked + len(batch), max(self.largest, len(batch))
        return self.predict(batch)


def linear(normal, offset):
    return lambda batch: (batch @ normal + offset > 0).astype(int)


def test_the_distance_to_a_plane_is_found(plane):
    x, normal, offset, true = plane
    model = Counting(linear(normal, offset))
    y = model.predict(x)
    found = boundary_search(model, x, y, queries=2000, batch_size=700)
    ratio = found.distances / true
    assert (ratio >= 1 - 1e-9).all() and (ratio < 1.03).all(), (ratio.min(), ratio.max())
    assert model.asked == found.queries.sum() and model.largest <= 700
    assert (found.queries <= 2000).all()
    assert (model.predict(found.points) != y).all()
    apart = np.linalg.norm(found.points - x, axis=1)
    np.testing.assert_allclose(found.distances, apart, rtol=1e-12)


def test_a_curved_boundary_and_single_precision(plane):
    x = plane[0].astype(np.float32)
    x *= (np.linspace(0.5, 2.5, len(x)) / np.linalg.norm(x, axis=1))[:, None].astype(np.float32)
    y = (np.linalg.norm(x, axis=1) > 1.5).astype(int)
    seen = []

    def predict(batch):
        seen.append(batch.dtype)
        return (np.linalg.norm(batch.reshape(len(batch), -1), axis=1) > 1.5).astype(int)

    shaped = x.reshape(-1, 4, 5)
    found = boundary_distance(predict, shaped, y, queries=6000)
    true = np.abs(np.linalg.norm(x, axis=1) - 1.5)
    np.testing.assert_allclose(found, true, rtol=0.05, atol=1e-3)
    assert set(seen) == {np.dtype(np.float32)}


def test_several_classes_have_the_nearest_of_their_boundaries():
    rng = np.random.default_rng(5)
    weights = rng.normal(size=(WIDTH, 4))
    x = rng.normal(size=(24, WIDTH))
    logits = x @ weights
    y = logits.argmax(1)
    found = boundary_distance(lambda batch: (batch @ weights).argmax(1), x, y, queries=4000)
    nearest = []
    for record, label in enumerate(y):
        apart = np.delete(weights[:, [label]] - weights, label, axis=1)
        gaps = np.delete(logits[record, label] - logits[record], label)
        nearest.append((gaps / np.linalg.norm(apart, axis=0)).min())
    ratio = found / np.asarray(nearest)
    # A search may end where another class begins than the nearest, and never nearer.
    assert (ratio >= 1 - 1e-9).all()
    assert np.median(ratio) < 1.03, ratio


def test_the_same_seed_finds_the_same_in_any_batches(plane):
    x, normal, offset, _ = plane
    predict = linear(normal, offset)
    y = predict(x)
    first = boundary_search(predict, x, y, queries=300, seed=4)
    for batch_size in (64, 501):
        again = boundary_search(predict, x, y, queries=300, seed=4, batch_size=batch_size)
        assert np.array_equal(first.distances, again.distances)
        assert np.array_equal(first.queries, again.queries)
    other = boundary_search(predict, x, y, queries=300, seed=5)
    assert not np.array_equal(first.distances, other.distances)


def test_more_questions_bring_it_nearer_and_few_are_enough_for_a_bound(plane):
    x, normal, offset, true = plane
    predict = linear(normal, offset)
    y = predict(x)
    means = []
    for queries in (1, 6, 100, 1000):
        found = boundary_search(predict, x, y, queries=queries)
        assert (found.queries <= queries).all()
        assert (found.distances >= true * (1 - 1e-9)).all()
        means.append((found.distances / true).mean())
    assert means == sorted(means, reverse=True) and means[-1] < 1.05


def test_wrong_answers_lie_at_zero_and_one_answer_for_all_at_infinity(plane):
    x, normal, offset, _ = plane
    predict = linear(normal, offset)
    y = predict(x)
    y[:7] = 1 - y[:7]
    found = boundary_search(predict, x, y, queries=60)
    assert (found.distances[:7] == 0).all() and (found.queries[:7] == 1).all()
    assert (found.distances[7:] > 0).all()
    always = boundary_search(lambda batch: np.zeros(len(batch), int), x, np.zeros(len(x), int))
    assert np.isinf(always.distances).all()


def test_records_of_one_class_are_reached_from_afar(plane):
    x, normal, offset, true = plane
    predict = linear(normal, offset)
    above = predict(x) == 1
    found = boundary_distance(predict, x[above], np.ones(above.sum(), int), queries=2000)
    np.testing.assert_allclose(found, true[above], rtol=0.05)


def test_points_stay_within_the_clip():
    rng = np.random.default_rng(7)
    x = rng.uniform(size=(12, WIDTH))
    normal = rng.normal(size=WIDTH)
    predict = linear(normal, -normal.sum() / 2)
    seen = []

    def watched(batch):
        seen.append((batch.min(), batch.max()))
        return predict(batch)

    found = boundary_search(watched, x, predict(x), queries=500, clip=(0.0, 1.0))
    assert min(low for low, _ in seen) >= 0 and max(high for _, high in seen) <= 1
    assert np.isfinite(found.distances).all()


def test_distances_are_judged_as_scores(plane):
    x, normal, offset, true = plane
    predict = linear(normal, offset)
    distances = boundary_distance(predict, x, predict(x), queries=500)
    member = true > np.median(true)
    assert guestlist.evaluate(distances, member)["auc"]["value"] > 0.95


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"x": np.zeros(5)}, r"x has shape \(5,\)"),
        ({"y": np.zeros(3, int)}, "y has shape"),
        ({"x": np.full((5, 2), np.nan)}, "record 0 is not finite"),
        ({"queries": 0}, "queries is 0"),
        ({"clip": (1, 0)}, "clip is"),
        ({"predict_labels": lambda batch: np.zeros((len(batch), 2))}, "returned shape"),
    ],
)
def test_what_cannot_be_searched_is_refused_with_a_remedy(change, words):
    given = {"predict_labels": lambda b: np.zeros(len(b), int), "x": np.zeros((5, 2)), "y": [0] * 5}
    given.update(change)
    with pytest.raises(guestlist.GuestlistError, match=words) as error:
        boundary_search(**given)
    assert error.value.hint
