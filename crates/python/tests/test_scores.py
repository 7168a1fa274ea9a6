"""Audits of scores that were made elsewhere."""

import numpy as np
import pytest
from conftest import without_origin

import guestlist

pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def table(leaky):
    return guestlist.audit(*leaky, attacks="lira,rmia", progress=False).scores


def test_numbers_are_those_of_the_command_line_to_the_last_bit(table, command_line, tmp_path):
    import pyarrow.parquet

    scores = tmp_path / "scores.parquet"
    pyarrow.parquet.write_table(table, scores)
    flags = ["--kind", "scores", "--holdout", "--seed", 2]
    expected = without_origin(command_line(scores, *flags, out=tmp_path / "out"))
    frame = table.to_pandas()
    columns = {name: frame[name].to_numpy() for name in ("lira", "rmia")}
    for given in (
        (scores,),
        (table,),
        (frame,),
        (columns, table.column("member")),
        (frame[["lira", "rmia"]], frame["member"]),
    ):
        report = guestlist.audit_scores(*given, holdout=True, seed=2, progress=False)
        assert without_origin(report.to_dict()) == expected, type(given[0])


def test_records_of_pandas_are_not_taken_by_position_where_their_indexes_disagree():
    pandas = pytest.importorskip("pandas")
    member = pandas.Series(np.arange(400) % 2 == 0)
    scores = pandas.DataFrame({"mine": np.random.default_rng(0).normal(size=400) + 3 * member})
    shuffled = scores.sample(frac=1, random_state=1)
    assert guestlist.audit_scores(scores, member, progress=False).outcome == "fail"
    for given in (
        (shuffled, member),
        (shuffled["mine"], member),
        ({"mine": scores["mine"], "other": shuffled["mine"]}, member),
    ):
        with pytest.raises(guestlist.UsageError, match="indexes of .* disagree; hint: .*to_numpy"):
            guestlist.audit_scores(*given, progress=False)
    with pytest.raises(guestlist.UsageError, match="scores and groups disagree"):
        people = pandas.Series(range(400), index=shuffled.index)
        guestlist.audit_scores(scores, member, groups=people, progress=False)
    with pytest.raises(guestlist.UsageError, match="scores and member disagree"):
        guestlist.evaluate(shuffled["mine"], member)
    # Matched, or laid side by side on purpose.
    again = guestlist.audit_scores(shuffled, member.reindex(shuffled.index), progress=False)
    assert again.outcome == "fail"
    guestlist.audit_scores(shuffled, member.to_numpy(), progress=False)


def test_a_truth_that_stands_twice_is_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1, 0, 9.0], [0, 1, 1.0]], columns=["member", "member", "s"])
    for given in (frame, pyarrow.table([[1, 0], [0, 1], [9.0, 1.0]], names=list(frame.columns))):
        with pytest.raises(guestlist.UsageError, match="two columns are named member"):
            guestlist.audit_scores(given)


def test_two_truths_that_disagree_are_refused(table):
    member = np.asarray(table.column("member"))
    frame = table.to_pandas()
    other = np.roll(member, 1)
    for given in (frame, table, {"member": member + 0.1, "a": frame["lira"]}, {"member": member, "a": frame["lira"]}):
        with pytest.raises(guestlist.UsageError, match="column member and the argument member disagree; hint: leave out"):
            guestlist.audit_scores(given, other, progress=False)
    expected = guestlist.audit_scores(table, progress=False).attacks
    for equal in (member, member.astype(int), member.tolist(), frame["member"], table.column("member"), member * 1.0):
        for given in (frame, table):
            assert guestlist.audit_scores(given, equal, progress=False).attacks == expected
    unknown = [None if row < 50 else bool(flag) for row, flag in enumerate(member)]
    half = table.set_column(1, "member", pyarrow.array(unknown))
    guestlist.audit_scores(half, [-1 if flag is None else flag for flag in unknown], progress=False)
    with pytest.raises(guestlist.UsageError, match="disagree"):
        guestlist.audit_scores(half, member, progress=False)


def test_one_array_is_one_attack(table):
    member = np.asarray(table.column("member"))
    report = guestlist.audit_scores(np.asarray(table.column("lira")), member, progress=False)
    assert list(report.attacks) == ["scores"]
    assert report.attacks["scores"]["auc"] == guestlist.evaluate(table["lira"], member)["auc"]


def test_nulls_are_abstentions_and_nan_is_refused(table):
    member = table.column("member")
    values = table.column("lira").to_pylist()
    with_null = pyarrow.array([None, *values[1:]])
    report = guestlist.audit_scores({"a": with_null}, member, progress=False)
    assert report.attacks["a"]["abstained"] == 1
    with pytest.raises(guestlist.InputError, match="a, record 0 is NaN"):
        guestlist.audit_scores({"a": [np.nan, *values[1:]]}, member)


def test_errors_say_what_is_wrong(table):
    values, member = table.column("lira"), table.column("member")
    for arguments, options, words in (
        (({1: values, "1": values}, member), {}, "two columns are named 1"),
        (({"a": values},), {}, "nobody says who was a member"),
        (({"<b>": values}, member), {}, "cannot be shown under that name"),
        (({"a": values.slice(1)}, member), {}, "a has 599 scores for 600 records"),
        (({"a": values}, member), {"attacks": "b"}, "there are no scores named b"),
        (
            ({"a": values, "label": values}, member),
            {},
            'column label is named like a label.*name the columns that are scores: attacks = "a"',
        ),
        (({"a": values}, member), {"ids": ["x"]}, "1 ids for 600 records"),
        (("nowhere.parquet",), {}, "nowhere.parquet: no such file"),
        (("nowhere.parquet", member), {}, "given beside a path"),
    ):
        with pytest.raises(guestlist.GuestlistError, match=words):
            guestlist.audit_scores(*arguments, **options, progress=False)


def test_columns_of_text_are_left_out_with_a_warning(table):
    noted = table.append_column("note", pyarrow.array(["seen", None] * 300))
    for given in (noted, noted.to_pandas()):
        with pytest.warns(UserWarning, match="columns of text .* were left out: note"):
            report = guestlist.audit_scores(given, progress=False)
        assert list(report.attacks) == ["lira", "rmia"]


def test_numbers_are_scores_or_refused_however_they_are_kept(table):
    import pandas

    leak = table.column("lira").to_pandas()
    plain = table.select(["member", "rmia"]).append_column("leak", pyarrow.array(leak))
    expected = guestlist.audit_scores(plain, progress=False).attacks["leak"]["auc"]
    kept = plain.set_column(2, "leak", pyarrow.array(leak).dictionary_encode())
    assert guestlist.audit_scores(kept, progress=False).attacks["leak"]["auc"] == expected
    frame = plain.to_pandas()
    texts = leak.astype(str)
    commas = texts.str.replace(".", ",", regex=False)
    for written in (texts, commas, texts.astype("category")):
        for given in (
            frame.assign(leak=written),
            pyarrow.table(frame.assign(leak=written)),
        ):
            with pytest.raises(guestlist.GuestlistError, match="column leak holds numbers as texts"):
                with pytest.warns(UserWarning):
                    guestlist.audit_scores(given, progress=False)
    truths = frame.assign(leak=pandas.Series(leak > leak.median()))
    assert "leak" in guestlist.audit_scores(truths, progress=False).attacks


def test_records_are_numbers_unless_they_are_shown(table):
    arguments = ({"a": table.column("lira")}, table.column("member"))
    ids = [f"ada{row}@example.org" for row in range(len(table))]
    plain = guestlist.audit_scores(*arguments, ids=ids, progress=False)
    for text in (plain.to_json(), plain.to_html(), plain.to_text(), plain.to_markdown()):
        assert "ada" not in text
    shown = guestlist.audit_scores(*arguments, ids=ids, show_records=True, progress=False)
    assert "ada" in shown.to_json() and "ada" in shown.to_html()
    assert "ada" not in shown.to_markdown()
    assert plain.scores.column("id").to_pylist() == ids
