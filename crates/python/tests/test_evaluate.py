"""Measures of one vector of scores."""

import numpy as np
import pytest

import guestlist


@pytest.mark.parametrize("decimals", [0, 1, 2, 8])
def test_auc_agrees_with_scikit_learn_ties_included(decimals):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(decimals)
    for records in (2, 3, 10, 1000, 20_000):
        member = rng.permutation(np.arange(records) % 2 == 0)
        scores = np.round(rng.normal(size=records) + 0.3 * member, decimals)
        ours = guestlist.evaluate(scores, member, bootstrap=0)["auc"]["value"]
        assert abs(ours - metrics.roc_auc_score(member, scores)) <= 1e-12


def test_measures_are_those_of_an_audit(leaky):
    report = guestlist.audit(*leaky, attacks="lira", progress=False)
    scores = report.scores
    measures = guestlist.evaluate(scores.column("lira"), scores.column("member"))
    expected = report.attacks["lira"]
    assert measures.pop("id") == "scores" and expected.pop("id") == "lira"
    assert measures == expected


def test_what_is_masked_is_abstained_on():
    scores, member = [0.9, 0.8, 0.3, 0.1, 5.0], [1, 1, 0, 0, 0]
    mask = [False] * 4 + [True]
    given = [np.ma.masked_array(scores, mask)]
    pandas = pytest.importorskip("pandas")
    given.append(pandas.array(scores[:4] + [None], dtype="Float64"))
    given.append(pandas.Series(scores[:4] + [None], dtype="Float64"))
    pyarrow = pytest.importorskip("pyarrow")
    given.append(pyarrow.array(scores[:4] + [None]))
    given.append(pyarrow.chunked_array([scores[:2], scores[2:4] + [None]]))
    for values in given:
        measures = guestlist.evaluate(values, member)
        assert (measures["auc"]["value"], measures["abstained"]) == (1.0, 1)


def test_infinite_scores_are_ordered_and_nan_is_refused():
    measures = guestlist.evaluate([np.inf, 0.5, -np.inf], [True, False, False])
    assert measures["auc"]["value"] == 1.0
    with pytest.raises(guestlist.InputError, match="scores, record 1 is NaN"):
        guestlist.evaluate([0.1, np.nan], [True, False])
    with pytest.raises(guestlist.InputError, match="member: every record is a member"):
        guestlist.evaluate([0.1, 0.2], [True, True])
    with pytest.raises(guestlist.InputError, match="3 scores but 2 records"):
        guestlist.evaluate([0.1, 0.2, 0.3], [True, False])
    with pytest.raises(guestlist.InputError, match="member, record 0 is 7"):
        guestlist.evaluate([0.1, 0.2], [7, 0])
    with pytest.raises(guestlist.InputError, match="scores is a single value"):
        guestlist.evaluate("x", [1, 0])
    with pytest.raises(guestlist.InputError, match="member has masked entries"):
        guestlist.evaluate([0.1, 0.2], np.ma.masked_array([1, 0], [False, True]))
