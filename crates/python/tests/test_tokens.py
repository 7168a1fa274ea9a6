"""Audits of language models, from tables of every library."""

import numpy as np
import pytest
from conftest import without_origin

import guestlist

pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def table():
    """600 texts: more than the reader takes at once."""
    rng = np.random.default_rng(2)
    rows = []
    for row in range(600):
        member, length = bool(row % 2), int(rng.integers(5, 40))
        loss = rng.exponential(2.0 - 0.5 * member, size=length)
        rows.append(
            {
                "id": f"text {row}",
                "member": member,
                "text": " ".join(f"w{word}" for word in rng.integers(0, 10_000, size=length)),
                "logprob": [None, *(-loss)],
                "rank": [None, *rng.integers(1, 50, size=length).tolist()],
                "ref_logprob": [None, *(-loss - rng.exponential(0.1, size=length))],
            }
        )
    return pyarrow.Table.from_pylist(rows)


@pytest.fixture(scope="module")
def plain(table):
    return without_origin(guestlist.audit_tokens(table, progress=False).to_dict())


def test_numbers_are_those_of_the_command_line_to_the_last_bit(table, command_line, tmp_path):
    import pyarrow.parquet

    signals = tmp_path / "tokens.parquet"
    pyarrow.parquet.write_table(table, signals)
    flags = ["--holdout", "--threshold", 0.8, "--seed", 3]
    expected = without_origin(command_line(signals, *flags, out=tmp_path / "out"))
    for given in (table, signals):
        report = guestlist.audit_tokens(
            given, holdout=True, threshold=0.8, seed=3, progress=False
        )
        assert without_origin(report.to_dict()) == expected


def test_every_library_gives_the_same_report(table, plain):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert isinstance(table.to_pandas(), pandas.DataFrame)
    batches = table.to_batches(max_chunksize=100)
    wide = table.cast(
        pyarrow.schema(
            [
                (field.name, pyarrow.large_list(field.type.value_type))
                if pyarrow.types.is_list(field.type)
                else (field.name, field.type)
                for field in table.schema
            ]
        )
    )
    for given in (
        table.combine_chunks().to_batches()[0],
        pyarrow.RecordBatchReader.from_batches(table.schema, batches),
        pyarrow.Table.from_batches(batches),
        wide,
        polars.from_arrow(table),
    ):
        report = guestlist.audit_tokens(given, progress=False)
        assert without_origin(report.to_dict()) == plain, type(given)


def test_frames_of_pandas_are_tables(table, plain):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {name: table.column(name).to_pylist() for name in table.column_names}
    )
    report = guestlist.audit_tokens(frame, progress=False)
    assert without_origin(report.to_dict()) == plain


def test_members_may_be_listed_apart(table, plain, tmp_path):
    nameless = table.drop_columns("member")
    ids, member = table.column("id").to_pylist(), table.column("member").to_pylist()
    listed = [name for name, inside in zip(ids, member) if inside]
    (tmp_path / "members.txt").write_text("\n".join(listed))
    for members in (listed, tmp_path / "members.txt"):
        report = guestlist.audit_tokens(nameless, members=members, progress=False)
        assert without_origin(report.to_dict()) == plain
    with pytest.raises(guestlist.UsageError, match='table: row 1 .* has no member'):
        guestlist.audit_tokens(nameless)
    # Beside a column that says the same, and beside one that does not.
    guestlist.audit_tokens(table, members=listed, progress=False)
    for given in (table, table.to_pandas()):
        for others in (listed[1:], [*listed, ids[member.index(False)]]):
            with pytest.raises(guestlist.UsageError, match="the list members disagree; hint: leave out"):
                guestlist.audit_tokens(given, members=others, progress=False)


def test_checkpoints_are_followed(table, tmp_path):
    import pyarrow.parquet

    pyarrow.parquet.write_table(table, tmp_path / "early.parquet")
    report = guestlist.audit_tokens(
        table, checkpoints={100: tmp_path / "early.parquet"}, label="200", progress=False
    )
    assert [point["label"] for point in report.to_dict()["detail"]["checkpoints"]] == ["100", "200"]


def test_errors_name_row_and_column(table):
    rows = table.to_pylist()
    rows[570]["logprob"][2] = 0.7
    with pytest.raises(guestlist.InputError, match=r'table: row 571 \("text 570"\): logprob has 0.7'):
        guestlist.audit_tokens(pyarrow.Table.from_pylist(rows))
    with pytest.raises(guestlist.InputError, match="neither a column logprob nor a column text"):
        guestlist.audit_tokens(table.select(["id"]))
    with pytest.raises(guestlist.UsageError, match="builtins.int is no table"):
        guestlist.audit_tokens(7)
    with pytest.raises(guestlist.UsageError, match="for shadow models|unexpected|no attack"):
        guestlist.audit_tokens(table, attacks="lira")


def test_a_stream_that_fails_is_an_error_and_not_an_end(table):
    def batches():
        yield table.to_batches(max_chunksize=100)[0]
        raise OSError("the cable was pulled")

    reader = pyarrow.RecordBatchReader.from_batches(table.schema, batches())
    with pytest.raises(guestlist.InputError, match="the cable was pulled"):
        guestlist.audit_tokens(reader, progress=False)
