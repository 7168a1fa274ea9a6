"""Audits as tests: what leaks is red, what cannot tell is not green, and what audits nothing is neither."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

HEAD = """
import numpy as np, pytest, guestlist
rng, member = np.random.default_rng(1), np.arange(4000) % 2 == 0
noise = rng.normal(size=4000)
"""

KINDS = """
def test_leak(guestlist_audit):
    guestlist_audit.scores({"mine": noise + 1.5 * member}, member, ids=[f"person-{n}" for n in range(4000)])

def test_sound(guestlist_audit):
    assert guestlist_audit.scores({"mine": noise}, member).attacks["mine"]["auc"]["value"] < 0.6

def test_few(guestlist_audit):
    guestlist_audit.scores({"mine": noise[:12]}, member[:12])

@pytest.mark.guestlist(inconclusive="skip")
def test_few_that_may_be_skipped(guestlist_audit):
    guestlist_audit.scores({"mine": noise[:12]}, member[:12])

@pytest.mark.guestlist(inconclusive="skip")
def test_few_before_a_leak(guestlist_audit):
    guestlist_audit.scores({"mine": noise[:12]}, member[:12])
    guestlist_audit.scores({"mine": noise + 1.5 * member}, member)

def test_signals(guestlist_audit):
    keep = guestlist.shadow_splits(records=400, models=9)
    guestlist_audit(rng.normal(size=keep.shape) + 2.0 * keep, keep, attacks="lira")

def test_stored(guestlist_audit, tmp_path):
    guestlist.audit_scores({"mine": noise + 1.5 * member}, member).save(tmp_path / "audit")
    guestlist_audit.check(tmp_path / "audit")

def test_nothing(guestlist_audit):
    pass

def test_broken(guestlist_audit):
    guestlist_audit.scores({"mine": noise}, member[:-1])
"""

RAG = """
import random
numbers = random.Random(3).sample(range(100, 1000), 100)

def documents(some):
    return [
        f"Note {n}: the mill of Ulm was sold to the family Marek{n} for {n} crowns. "
        f"Its keeper, Ada Venn{n}, kept a ledger of {n} pages there."
        for n in some
    ]

def test_pipeline(guestlist_audit, tmp_path):
    store = documents(numbers[:50])
    def ask(question):
        words = set(question.split())
        best = max(store, key=lambda text: len(words & set(text.split())))
        return {"answer": best, "sources": [best]}
    guestlist_audit.rag(ask, store, documents(numbers[50:]), attacks="content", folder=tmp_path / "run")
"""


def pytest_over(folder, source, *arguments):
    """A session of pytest over this file alone, and what became of each test."""
    (folder / "test_audits.py").write_text(HEAD + source)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # others' plugins take longer to load than ours to judge
    command = [sys.executable, "-m", "pytest", "-p", "guestlist.pytest_plugin", "-p", "no:cacheprovider", "-v"]
    ended = subprocess.run(
        [*command, "--junit-xml=junit.xml", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    found = re.findall(r"^test_audits\.py::([\w:]+) (\w+)", ended.stdout, re.MULTILINE)
    return ended, dict(found)


def test_only_a_pass_is_green(tmp_path):
    ended, outcomes = pytest_over(tmp_path, KINDS)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert outcomes == {
        "test_leak": "FAILED",
        "test_sound": "PASSED",
        "test_few": "FAILED",
        "test_few_that_may_be_skipped": "SKIPPED",
        "test_few_before_a_leak": "FAILED",
        "test_signals": "FAILED",
        "test_stored": "FAILED",
        "test_nothing": "FAILED",
        "test_broken": "FAILED",
    }
    assert "guestlist: 8 audits, 1 pass, 4 fail, 3 inconclusive" in ended.stdout
    assert "audited nothing" in ended.stdout and "FAIL: " in ended.stdout
    assert "AUC of mine is" in ended.stdout and "person-" not in ended.stdout
    properties = ElementTree.parse(tmp_path / "junit.xml").iter("property")
    assert sorted(one.get("value") for one in properties) == ["fail"] * 4 + ["inconclusive"] * 3 + ["pass"]


def test_what_cannot_tell_may_be_skipped_and_is_never_green(tmp_path):
    _, outcomes = pytest_over(tmp_path, KINDS, "--guestlist-inconclusive=skip")
    assert outcomes["test_few"] == "SKIPPED" and outcomes["test_leak"] == "FAILED"
    ended, _ = pytest_over(tmp_path, KINDS, "--guestlist-inconclusive=pass")
    assert ended.returncode == 4


def test_a_policy_judges_instead_of_the_threshold(tmp_path):
    policy = tmp_path / "strict.toml"
    policy.write_text(
        'name = "strict"\n[[criteria]]\nmeasure = "auc"\nthreshold = 0.99\nwhy = "only for this test"\n'
    )
    weak = """
def test_weak(guestlist_audit):
    report = guestlist_audit.scores({"mine": noise + 1.5 * member}, member)
    guestlist_audit.check(report)
"""
    ended, outcomes = pytest_over(tmp_path, weak)
    assert outcomes == {"test_weak": "FAILED"}
    ended, outcomes = pytest_over(tmp_path, weak, "--guestlist-policy", "strict.toml")
    assert outcomes == {"test_weak": "PASSED"} and "2 audits, 2 pass" in ended.stdout, ended.stdout
    (tmp_path / "pytest.ini").write_text("[pytest]\nguestlist_policy = strict.toml\n")
    assert pytest_over(tmp_path, weak)[1] == {"test_weak": "PASSED"}
    ended, _ = pytest_over(tmp_path, weak, "--guestlist-policy", "nowhere.toml")
    assert ended.returncode == 4 and "is not there" in ended.stderr


def test_a_policy_that_judges_nothing_is_red(tmp_path):
    (tmp_path / "policy.toml").write_text("")
    ended, outcomes = pytest_over(tmp_path, "\ndef test_other(): pass\n", "--guestlist-policy", "policy.toml")
    assert outcomes == {"test_other": "PASSED"}
    assert ended.returncode == 1 and "no test audited anything" in ended.stdout
    assert pytest_over(tmp_path, "\ndef test_other(): pass\n")[0].returncode == 0
    (tmp_path / "pytest.ini").write_text("[pytest]\nguestlist_policy = policy.toml\n")
    ended, _ = pytest_over(tmp_path, "\ndef test_other(): pass\n")
    assert ended.returncode == 1 and "no test audited anything" in ended.stdout
    for looks in ("--collect-only", "--fixtures", "--setup-plan"):
        assert pytest_over(tmp_path, "\ndef test_other(): pass\n", looks)[0].returncode == 0, looks


def test_a_policy_without_a_name_is_an_error(tmp_path):
    leak = """
def test_weak(guestlist_audit):
    guestlist_audit.scores({"mine": noise}, member)
"""
    ended, _ = pytest_over(tmp_path, leak, "--guestlist-policy", "")
    assert ended.returncode == 4 and "--guestlist-policy is empty" in ended.stderr
    for written in ("", "  "):
        ended, _ = pytest_over(tmp_path, leak, "-o", f"guestlist_policy={written}")
        assert ended.returncode == 4 and "guestlist_policy is empty" in ended.stderr
    (tmp_path / "pytest.ini").write_text("[pytest]\nguestlist_policy =\n")
    assert pytest_over(tmp_path, leak)[0].returncode == 4
    (tmp_path / "pytest.ini").unlink()
    marked = leak.replace("def", "@pytest.mark.guestlist(policy='')\ndef")
    ended, outcomes = pytest_over(tmp_path, marked)
    assert ended.returncode == 1 and outcomes == {"test_weak": "ERROR"} and "is empty" in ended.stdout


CHANGED = """
def stored(folder):
    return guestlist.audit_scores({"mine": noise}, member).save(folder)

def altered(folder):
    stored(folder)
    report = folder / "report.json"
    report.write_text(report.read_text().replace('"seed": 0', '"seed": 1'))
    return folder

def test_as_written(guestlist_audit, tmp_path):
    stored(tmp_path)
    guestlist_audit.check(tmp_path)
    guestlist_audit.check(guestlist.load(tmp_path / "report.json"))

def test_folder(guestlist_audit, tmp_path):
    guestlist_audit.check(altered(tmp_path))

def test_file(guestlist_audit, tmp_path):
    guestlist_audit.check(altered(tmp_path) / "report.json")

@pytest.mark.guestlist(inconclusive="skip")
def test_loaded(guestlist_audit, tmp_path):
    guestlist_audit.check(guestlist.load(altered(tmp_path)))

def test_without_its_line(guestlist_audit, tmp_path):
    altered(tmp_path)
    sums = tmp_path / "SHA256SUMS"
    sums.write_text("".join(line for line in sums.read_text().splitlines(True) if "report.json" not in line))
    guestlist_audit.check(tmp_path)

def test_without_digests(guestlist_audit, tmp_path):
    altered(tmp_path)
    (tmp_path / "SHA256SUMS").unlink()
    guestlist_audit.check(tmp_path)
"""


def test_a_report_that_was_changed_since_is_red(tmp_path):
    ended, outcomes = pytest_over(tmp_path, CHANGED)
    assert outcomes == {
        "test_as_written": "PASSED",
        "test_folder": "FAILED",
        "test_file": "FAILED",
        "test_loaded": "FAILED",
        "test_without_its_line": "FAILED",
        "test_without_digests": "PASSED",
    }, ended.stdout
    assert "is not as the audit wrote it" in ended.stdout and "has no digest of it" in ended.stdout


UNNOTICED = """
import threading
from concurrent.futures import ThreadPoolExecutor
leak = {"mine": noise + 1.5 * member}

def test_futures_that_nobody_looks_at(guestlist_audit):
    with ThreadPoolExecutor() as pool:
        pool.submit(guestlist_audit.scores, leak, member)
    guestlist_audit.scores({"mine": noise}, member)

def test_futures_of_passes(guestlist_audit):
    with ThreadPoolExecutor() as pool:
        pool.submit(guestlist_audit.scores, {"mine": noise}, member)

@pytest.mark.filterwarnings("ignore")
def test_thread(guestlist_audit):
    thread = threading.Thread(target=guestlist_audit.scores, args=(leak, member))
    thread.start()
    thread.join()

def test_thread_that_nobody_waits_for(guestlist_audit, monkeypatch):
    guestlist_audit.scores({"mine": noise}, member)
    begun, ended = threading.Event(), threading.Event()
    monkeypatch.setattr(guestlist, "audit_scores", lambda *args, **options: begun.set() or ended.wait())
    threading.Thread(target=guestlist_audit.scores, daemon=True).start()
    begun.wait()

def test_expected(guestlist_audit):
    with pytest.raises(BaseException):
        guestlist_audit.scores(leak, member)

def test_caught(guestlist_audit):
    try:
        guestlist_audit.scores(leak, member)
    except BaseException:
        pass

def test_inconclusive_and_caught(guestlist_audit):
    try:
        guestlist_audit.scores({"mine": noise[:12]}, member[:12])
    except BaseException:
        pass

def test_skipped_after_it(guestlist_audit):
    with pytest.raises(BaseException):
        guestlist_audit.scores(leak, member)
    pytest.skip("all is well")

def test_noticed(guestlist_audit):
    with ThreadPoolExecutor() as pool:
        pool.submit(guestlist_audit.scores, leak, member).result()

def test_leak_that_is_known():
    assert guestlist.audit_scores(leak, member).outcome == "fail"

@pytest.fixture
def late(guestlist_audit):
    yield
    with pytest.raises(BaseException):
        guestlist_audit.scores(leak, member)

def test_with_a_leak_in_a_fixture(guestlist_audit, late):
    guestlist_audit.scores({"mine": noise}, member)
"""


def test_a_leak_that_the_test_does_not_notice_is_red(tmp_path):
    ended, outcomes = pytest_over(tmp_path, UNNOTICED)
    assert outcomes == {
        "test_futures_that_nobody_looks_at": "FAILED",
        "test_futures_of_passes": "PASSED",
        "test_thread": "FAILED",
        "test_thread_that_nobody_waits_for": "FAILED",
        "test_expected": "FAILED",
        "test_caught": "FAILED",
        "test_inconclusive_and_caught": "FAILED",
        "test_skipped_after_it": "FAILED",
        "test_noticed": "FAILED",
        "test_leak_that_is_known": "PASSED",
        "test_with_a_leak_in_a_fixture": "ERROR",
    }, ended.stdout
    assert "guestlist: the test went on after this" in ended.stdout and "AUC of mine is" in ended.stdout
    assert "the test ended before its audits" in ended.stdout
    assert "12 audits, 4 pass, 7 fail, 1 inconclusive" in ended.stdout, ended.stdout


EXPECTED = """
import unittest
leak = {"mine": noise + 1.5 * member}

@pytest.mark.xfail
def test_marked(guestlist_audit):
    guestlist_audit.scores(leak, member)

@pytest.mark.xfail
def test_marked_and_caught(guestlist_audit):
    with pytest.raises(BaseException):
        guestlist_audit.scores(leak, member)

@pytest.mark.xfail
def test_marked_without_audits(guestlist_audit):
    pass

@pytest.mark.xfail
def test_marked_and_sound(guestlist_audit):
    guestlist_audit.scores({"mine": noise}, member)
    raise RuntimeError("something else, which is known")

@pytest.mark.xfail
@pytest.mark.guestlist(inconclusive="skip")
def test_marked_and_inconclusive(guestlist_audit):
    guestlist_audit.scores({"mine": noise[:12]}, member[:12])

def test_called(guestlist_audit):
    with pytest.raises(BaseException):
        guestlist_audit.scores(leak, member)
    pytest.xfail("known")

@pytest.fixture
def skipping(guestlist_audit):
    with pytest.raises(BaseException):
        guestlist_audit.scores(leak, member)
    pytest.skip("all is well")

def test_with_a_fixture_that_skips(skipping):
    pass

@pytest.fixture
def late(guestlist_audit):
    yield
    guestlist_audit.scores({"mine": noise[:12]}, member[:12])

@pytest.mark.guestlist(inconclusive="skip")
def test_with_an_inconclusive_end(guestlist_audit, late):
    guestlist_audit.scores({"mine": noise}, member)

@pytest.mark.guestlist(inconclusive="skip")
def test_skipped_before_an_inconclusive_end(guestlist_audit, late):
    guestlist_audit.scores({"mine": noise[:12]}, member[:12])

class Tests(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def auditor(self, guestlist_audit):
        self.audit = guestlist_audit

    @unittest.expectedFailure
    def test_expected(self):
        self.audit.scores(leak, member)

    def test_skipped(self):
        with pytest.raises(BaseException):
            self.audit.scores(leak, member)
        self.skipTest("all is well")

    def test_sound(self):
        self.audit.scores({"mine": noise}, member)
"""


def test_a_leak_is_red_where_a_failure_is_expected_or_skipped(tmp_path):
    ended, outcomes = pytest_over(tmp_path, EXPECTED)
    assert outcomes == {
        "test_marked": "FAILED",
        "test_marked_and_caught": "FAILED",
        "test_marked_without_audits": "FAILED",
        "test_marked_and_sound": "XFAIL",
        "test_marked_and_inconclusive": "SKIPPED",
        "test_called": "FAILED",
        "test_with_a_fixture_that_skips": "ERROR",
        "test_with_an_inconclusive_end": "ERROR",
        "test_skipped_before_an_inconclusive_end": "SKIPPED",
        "Tests::test_expected": "FAILED",
        "Tests::test_skipped": "FAILED",
        "Tests::test_sound": "PASSED",
    }, ended.stdout
    assert "guestlist: fail" in ended.stdout and "AUC of mine is" in ended.stdout
    assert "can be skipped no more" in ended.stdout


def test_a_leak_is_red_in_the_end_whatever_others_make_of_its_test(tmp_path):
    (tmp_path / "conftest.py").write_text(
        "import pytest\n@pytest.hookimpl(wrapper=True, tryfirst=True)\ndef pytest_runtest_makereport():\n"
        "    report = yield\n    report.outcome, report.longrepr = 'passed', None\n    return report\n"
    )
    leak = """
def test_leak(guestlist_audit):
    guestlist_audit.scores({"mine": noise + 1.5 * member}, member)
"""
    ended, outcomes = pytest_over(tmp_path, leak)
    assert outcomes == {"test_leak": "PASSED"} and ended.returncode == 1, ended.stdout
    assert pytest_over(tmp_path, leak.replace("1.5", "0.0"))[0].returncode == 0


def test_what_the_marker_does_not_know_is_refused(tmp_path):
    (tmp_path / "strict.toml").write_text("")
    for given in ("'strict.toml'", "rules='strict.toml'"):
        source = f"""
@pytest.mark.guestlist({given})
def test_sound(guestlist_audit):
    guestlist_audit.scores({{"mine": noise}}, member)
"""
        ended, outcomes = pytest_over(tmp_path, source)
        assert outcomes == {"test_sound": "ERROR"} and ended.returncode == 1, ended.stdout
        assert "pytest.mark.guestlist " in ended.stdout


def test_functions_that_answer_are_audited(tmp_path):
    ended, outcomes = pytest_over(tmp_path, RAG)
    assert outcomes == {"test_pipeline": "FAILED"} and "guestlist: fail" in ended.stdout, ended.stdout


def test_installing_the_package_installs_plugin_and_command():
    import importlib
    import tomllib

    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    entries = {**project["scripts"], **project["entry-points"]["pytest11"]}
    assert project["scripts"].keys() == {"guestlist"}
    for place in entries.values():
        module, _, name = place.partition(":")
        module = importlib.import_module(module)
        assert callable(getattr(module, name)) if name else module.guestlist_audit
