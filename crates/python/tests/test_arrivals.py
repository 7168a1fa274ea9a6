"""Canaries looked for in batches, beside a search that compares everything with everything."""

import numpy as np
import pytest

from guestlist.collect import _arrivals, _traps

torch = pytest.importorskip("torch")


def pattern(name, tokens, drawn=None):
    return _arrivals.Pattern(name, np.array(tokens), np.array(drawn or [True] * len(tokens)))


def naive(tokens, row):
    """How often a row has all of the tokens, and whether it ends within them."""
    whole = sum(row[at : at + len(tokens)] == tokens for at in range(len(row)))
    anchor = min(_arrivals.ANCHOR, len(tokens))
    ends = (n for n in range(anchor, len(tokens)) if row[len(row) - n :] == tokens[:n])
    return whole, sum(1 for _ in ends)


def test_arrivals_are_those_of_a_search_through_everything():
    rng = np.random.default_rng(0)
    tokens = [rng.integers(0, 6, size=1 + i % 9).tolist() for i in range(40)]
    rows = rng.integers(0, 6, size=(60, 30)).tolist()
    for place, row in enumerate(rows):
        row[3 : 3 + len(tokens[place % 40])] = tokens[place % 40]
        rows[place] = row[:30]
    patterns = [pattern(str(i), ids) for i, ids in enumerate(tokens)]
    search = _arrivals.Search(patterns)
    for first in range(0, 60, 8):
        assert search.look({"input_ids": torch.tensor(rows[first : first + 8])}) <= 8
    for one, ids in zip(patterns, tokens):
        expected = np.sum([naive(ids, row) for row in rows], axis=0)
        assert [one.whole, one.cut] == expected.tolist(), ids


def test_padding_ends_a_text_and_labels_say_what_is_trained_on():
    one = pattern("a", [7, 8, 9, 10, 11, 12], [True, True, False, False, True, True])
    batch = {
        "input_ids": torch.tensor([[1, 7, 8, 9, 10, 11, 12], [1, 1, 7, 8, 9, 10, 0], [7, 8, 9, 10, 11, 12, 0]]),
        "attention_mask": torch.tensor([[1] * 7, [1] * 6 + [0], [1] * 6 + [0]]),
        "labels": torch.tensor([[-100, -100, 8, 9, 10, 11, 12], [1, 1, 7, 8, -100, -100, -100], [-100] * 7]),
    }
    _arrivals.Search([one]).look(batch)
    assert (one.whole, one.cut, one.masked, one.ignored) == (2, 1, 2, 1.0)


def test_what_is_cut_off_before_its_drawn_part_is_told_from_what_is_not_there():
    one, other = pattern("a", [8, 9]), pattern("b", [8, 7])
    one.text, other.text = np.array([1, 2, 3, 8, 9]), np.array([4, 2, 3, 8, 7])
    search = _arrivals.Search([one, other])
    search.look({"input_ids": torch.tensor([[1, 2, 3], [4, 4, 4]])})
    search.missed()
    assert (one.cut, other.cut) == (1, 0)


def test_texts_that_become_the_same_are_counted():
    assert _arrivals.alike([[1, 2], [2, 1], [1, 2], [3], [3], [3]]) == 5
    assert _traps.in_texts(0, 4) == [] and _traps.in_texts(5, 6)[0].trap == "duplicates"


def test_findings_name_traps_and_no_canary():
    tiers = {"secret-one": 2, "secret-two": 1, "secret-three": 1}
    one, two, three = (pattern(name, [1, 2, 3]) for name in tiers)
    one.whole, two.whole, three.whole = 1, 1, 0
    assert {f.trap for f in _traps.in_batches([one, two], [three], tiers)} == {"deduplicated"}
    one.whole, two.whole, three.whole = 3, 0, 2
    two.cut, two.masked = 1, 1
    found = _traps.in_batches([one, two], [three], tiers)
    assert {finding.trap for finding in found} == {"repeated", "truncated", "masked-prompt", "held-out"}
    assert not any("secret-" in str(finding) for finding in found)
    two.cut = two.masked = 0
    assert "absent" in {finding.trap for finding in _traps.in_batches([one, two], [three], tiers)}
    assert _traps.in_schedule(100, 99)[0].trap == "unseen" and not _traps.in_schedule(100, 100)
