"""A report in every form."""

import html
import json

import pytest

import guestlist
from guestlist import _report


@pytest.fixture(scope="module")
def report(leaky):
    return guestlist.audit(*leaky, attacks="lira,rmia", progress=False)


def test_forms_agree(report, tmp_path):
    assert report.to_dict() == json.loads(report.to_json())
    assert report.outcome == report.verdict["outcome"] == "fail"
    assert list(report.attacks) == ["lira", "rmia"]
    assert report.outcome.upper() in repr(report) and report.verdict["reasons"][0] in repr(report)
    assert "lira" in report.to_markdown() and "lira" in report.to_text()
    assert report.guardrails[0].keys() >= {"id", "status", "detail"}
    report.to_dict()["verdict"]["outcome"] = "pass"
    assert report.outcome == "fail"


def test_pages_are_written_as_a_whole(report, tmp_path):
    page = report.save_html(tmp_path / "report.html")
    assert page.read_text(encoding="utf-8") == report.to_html()
    assert page.stat().st_mode & 0o777 == 0o600
    with pytest.raises(guestlist.FileError, match="nowhere/report.html: cannot be written: No such"):
        report.save_html(tmp_path / "nowhere" / "report.html")
    with pytest.raises(guestlist.FileError, match="is a folder"):
        report.save_html(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_links_devices_and_permissions_stay(report, tmp_path):
    kept, link = tmp_path / "kept.html", tmp_path / "link.html"
    kept.write_text("old")
    kept.chmod(0o640)
    link.symlink_to(kept)
    report.save_html(link)
    assert link.is_symlink() and kept.read_text(encoding="utf-8") == report.to_html()
    assert kept.stat().st_mode & 0o777 == 0o640
    device = tmp_path / "device"
    device.symlink_to("/dev/null")
    report.save_html(device)
    assert device.is_char_device()


def test_files_are_those_of_the_command_line(report, tmp_path):
    written = report.save(tmp_path / "out")
    assert (tmp_path / "out/report.json").read_text() == report.to_json()
    assert tmp_path / "out/scores.parquet" in written
    (tmp_path / "file").write_text("")
    with pytest.raises(guestlist.FileError, match="cannot be written"):
        report.save(tmp_path / "file" / "out")


def test_notebooks_show_the_page_in_a_frame_of_its_own(report, monkeypatch):
    shown = report._repr_html_()
    assert shown.startswith("<iframe") and 'sandbox="allow-scripts"' in shown
    assert html.escape(report.to_html(), quote=True) in shown
    assert shown.count("<") == 2  # nothing of the page is outside the attribute
    monkeypatch.setattr(_report, "LARGEST_PAGE", 10)
    assert "<iframe" not in report._repr_html_() and "lira" in report._repr_html_()


def test_scores_are_tables(report, leaky):
    pytest.importorskip("pyarrow")
    table = report.scores
    assert table.column_names == ["id", "member", "lira", "rmia"]
    assert table.column("member").to_pylist() == leaky[1][0].tolist()
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = report.scores_dataframe()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 600
    assert polars.DataFrame(report)["rmia"].to_list() == table.column("rmia").to_pylist()


def test_an_attack_that_abstains_leaves_nulls():
    import numpy as np

    keep = guestlist.shadow_splits(records=100, models=5)
    keep[1:, 3] = False
    phi = np.random.default_rng(0).normal(size=keep.shape)
    report = guestlist.audit(phi, keep, attacks="lira", progress=False)
    column = report.scores.column("lira")
    assert column.null_count == report.attacks["lira"]["abstained"] == 1
    assert column[3].as_py() is None


def test_a_report_is_no_truth_value(report):
    with pytest.raises(guestlist.UsageError, match='assert report.outcome == "pass"'):
        assert report


def test_findings_are_no_truth_values(report, tmp_path):
    report.save(tmp_path)
    (tmp_path / "report.html").write_text("all is well")
    for found, condition in (
        (guestlist.verify(tmp_path), r"assert guestlist\.verify\(folder\)\.holds"),
        (guestlist.diff(report, report), 'outcome == "pass"'),
        (guestlist.doctor(), r"doctor\(\)\.works"),
        (guestlist.canaries.Check("invisible", 9, 9, (), (), {}), 'outcome == "visible"'),
        (guestlist.PolicyCheck("fail", (), (), "", "", ""), 'outcome == "pass"'),
    ):
        with pytest.raises(guestlist.UsageError, match=f"neither true nor false.*{condition}"):
            assert found
