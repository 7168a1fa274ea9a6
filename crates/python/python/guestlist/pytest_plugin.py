"""Audits as tests: a leak is a test that fails, with the first lines of its report.

.. code-block:: python

    def test_the_model_does_not_leak(guestlist_audit):
        guestlist_audit(phi, keep)                                  # as guestlist.audit
        guestlist_audit.rag(ask, members, nonmembers)               # as guestlist.audit_rag

Installed with the package; ``pytest --guestlist-policy policy.toml`` judges every audit by that policy. Where an audit is
inconclusive the test fails too, unless a marker or ``--guestlist-inconclusive`` has it skipped: nothing makes it green,
neither that the audit ran in another thread, nor that the test caught what it raised, nor that it is expected to fail
(``xfail``). A test that expects a leak asserts the outcome of ``guestlist.audit`` itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from ._report import Report

LINES = 24
"""Of the report that a failing test shows."""
WIDTH = 88
PROPERTY = "guestlist"
"""Outcomes travel in the properties of tests: to ``junit.xml``, and from the processes of pytest-xdist."""
FAIL, SKIP = "fail", "skip"
AUDITOR: pytest.StashKey[Auditor] = pytest.StashKey()


class Auditor:
    """Audits as the functions of the package do, and fails the test unless they pass.

    Every call gives the report, for further assertions. ``policy`` is that of the marker, of the command line or of the
    configuration, where the call itself names none.
    """

    def __init__(self, item: Any, policy: Path | None, inconclusive: str) -> None:
        self._item, self._policy, self._inconclusive = item, policy, inconclusive
        self._audits = 0
        self._untold: str | None = None
        self._unnoticed: list[str] = []
        """Failures that were raised: the test may be in another thread, or have caught them."""
        self.refusals: list[str] = []
        """All of them: whatever else becomes of the test, it is red."""
        self._lock, self._running, self._ended, self._green = threading.Lock(), 0, False, False

    def __call__(self, *args: Any, **options: Any) -> Report:
        """:func:`guestlist.audit`: a classifier, by shadow models."""
        return self._judged("audit", args, options)

    def tokens(self, *args: Any, **options: Any) -> Report:
        """:func:`guestlist.audit_tokens`: a language model."""
        return self._judged("audit_tokens", args, options)

    def rag(self, *args: Any, **options: Any) -> Report:
        """:func:`guestlist.audit_rag`: a function that answers from documents, or a transcript."""
        return self._judged("audit_rag", args, options)

    def source(self, *args: Any, **options: Any) -> Report:
        """:func:`guestlist.audit_source`: where a service has its answers from."""
        return self._judged("audit_source", args, options)

    def fewshot(self, *args: Any, **options: Any) -> Report:
        """:func:`guestlist.audit_fewshot`: a classifier, by a few known records."""
        return self._judged("audit_fewshot", args, options)

    def scores(self, *args: Any, **options: Any) -> Report:
        """:func:`guestlist.audit_scores`: scores that another program made."""
        return self._judged("audit_scores", args, options)

    def file(self, *args: Any, **options: Any) -> Report:
        """:func:`guestlist.audit_file`: a file or folder of any kind."""
        return self._judged("audit_file", args, options)

    def run(self, *args: Any, **options: Any) -> Report:
        """:func:`guestlist.run`: what a configuration says."""
        return self._judged("run", args, options)

    def check(self, report: Report | str | Path) -> Report:
        """A report that exists, such as one of ``guestlist.torch.audit``, or the folder of an audit.

        One that was read from a folder fails where ``SHA256SUMS`` there says that it was changed.
        """
        import guestlist

        from ._stored import changed

        with self._at_work():
            own = report if isinstance(report, guestlist.Report) else guestlist.load(report)
            if why := changed(own):
                self._refuse(why)
            judged = own if self._policy is None else guestlist.policy_check(own, self._policy)
            self._conclude(judged.outcome, own)
        return own

    def _judged(self, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Report:
        import guestlist

        if self._policy is not None:
            options.setdefault("policy", self._policy)
        options.setdefault("progress", False)
        audit: Callable[..., Report] = getattr(guestlist, name)
        with self._at_work():
            report = audit(*args, **options)
            self._conclude(report.outcome, report)
        return report

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        with self._lock:
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1

    def _refuse(self, why: str) -> NoReturn:
        """A report that somebody changed decides nothing, and no test may be skipped for it."""
        self._audits += 1
        self._item.user_properties.append((PROPERTY, "inconclusive"))
        self._fail(f"guestlist: {why}")

    def _conclude(self, outcome: str, report: Report) -> None:
        self._audits += 1
        self._item.user_properties.append((PROPERTY, outcome))
        if outcome == "pass":
            return
        told = shortened(report)
        if outcome == "inconclusive" and self._inconclusive == SKIP:
            # Not at once: what is audited next may leak.
            self._untold = self._untold or told.splitlines()[0]
            return
        self._fail(f"guestlist: {outcome}\n{told}")

    def _fail(self, words: str) -> NoReturn:
        self._unnoticed.append(words)
        self._end_red(words)

    def _end_red(self, words: str) -> NoReturn:
        self.refusals.append(words)
        pytest.fail(words, pytrace=False)

    def noticed(self) -> None:
        """The test failed by itself."""
        self._unnoticed.clear()
        self._ended = True

    def refuse_unnoticed(self) -> None:
        """Fails where the test went on after an audit that was no pass."""
        self._ended = True
        if self._unnoticed:
            words = "\n".join(self._unnoticed)
            self._unnoticed.clear()
            why = "guestlist: the test went on after this, which another thread raised, or which it caught"
            self._end_red(f"{why}\n{words}")

    def end(self) -> None:
        """What becomes of a test that found nothing wrong."""
        self.refuse_unnoticed()
        if self._running:
            self._end_red("guestlist: the test ended before its audits: wait for the threads that run them")
        if not self._audits:
            self._end_red("guestlist: the test asked for guestlist_audit and audited nothing")
        if self._untold is not None:
            pytest.skip(f"guestlist: {self._untold}")
        self._green = True

    def end_of_teardown(self) -> None:
        """What was audited after the test itself, by fixtures or by threads."""
        if self._ended:
            self.refuse_unnoticed()
        if self._green and self._untold is not None:
            self._end_red(f"guestlist: audited after the test, which can be skipped no more\n{self._untold}")


def shortened(report: Report) -> str:
    """The first lines of a report; it names nobody unless that was asked for."""
    lines = report.to_text(WIDTH).rstrip().splitlines()
    more = ["…"] if len(lines) > LINES else []
    return "\n".join(lines[:LINES] + more)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("guestlist", "membership audits")
    group.addoption(
        "--guestlist-policy",
        metavar="FILE",
        help="judge the audits of guestlist_audit by this policy; fails where no test audits anything",
    )
    group.addoption(
        "--guestlist-inconclusive",
        choices=[FAIL, SKIP],
        default=FAIL,
        help="what becomes of tests whose audit cannot tell (default: fail)",
    )
    words = "the policy of guestlist_audit, from the root folder; fails where no test audits anything"
    # Not the empty text, which is what a variable that is not set leaves of it.
    parser.addini("guestlist_policy", words, default=False)


def pytest_configure(config: pytest.Config) -> None:
    words = "guestlist(policy=FILE, inconclusive='skip'): how guestlist_audit judges in this test"
    config.addinivalue_line("markers", words)
    _policy(config)


def _policy(config: pytest.Config) -> Path | None:
    given, written = config.getoption("--guestlist-policy"), config.getini("guestlist_policy")
    if given is not None:
        return _file(config.invocation_params.dir, given, "--guestlist-policy")
    return None if written is False else _file(config.rootpath, written, "guestlist_policy")


def _file(folder: Path, given: Any, name: str) -> Path:
    if not str(given or "").strip():
        raise pytest.UsageError(f"guestlist: {name} is empty: name the file of a policy, or leave it out")
    path = Path(folder, given)
    if not path.is_file():
        raise pytest.UsageError(f"guestlist: the policy {path} is not there")
    return path


LOOKS_ONLY = ("collectonly", "setuponly", "setupplan", "showfixtures", "show_fixtures_per_test", "cacheshow")
"""Sessions that run no test."""


def _gated(config: pytest.Config) -> bool:
    """Whether tests must audit something."""
    given, written = config.getoption("--guestlist-policy"), config.getini("guestlist_policy")
    looks = any(config.getoption(name, default=None) for name in LOOKS_ONLY)
    return not looks and (given is not None or written is not False)


@pytest.fixture
def guestlist_audit(request: pytest.FixtureRequest) -> Iterator[Auditor]:
    """Audits that fail the test unless they pass: ``guestlist_audit(phi, keep)``, ``.scores``, ``.tokens``, ``.rag``,
    ``.source``, ``.fewshot``, ``.file``, ``.run`` and ``.check(report)``."""
    marked: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("guestlist"))):
        if marker.args:
            raise pytest.UsageError("pytest.mark.guestlist wants names: policy=FILE, inconclusive='skip'")
        marked |= marker.kwargs
    if unknown := marked.keys() - {"policy", "inconclusive"}:
        raise pytest.UsageError(f"pytest.mark.guestlist has no {', '.join(sorted(unknown))}")
    policy = _policy(request.config)
    if "policy" in marked:
        policy = _file(request.config.rootpath, marked["policy"], "policy of pytest.mark.guestlist")
    inconclusive = marked.get("inconclusive", request.config.getoption("--guestlist-inconclusive"))
    if inconclusive not in (FAIL, SKIP):
        raise pytest.UsageError(f"pytest.mark.guestlist: inconclusive is {inconclusive!r}; give 'fail' or 'skip'")
    auditor = Auditor(request.node, policy, inconclusive)
    request.node.stash[AUDITOR] = auditor
    yield auditor
    auditor.end_of_teardown()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    try:
        result = yield
    except pytest.skip.Exception:
        if auditor := item.stash.get(AUDITOR, None):
            auditor.refuse_unnoticed()
        raise
    except BaseException:
        if auditor := item.stash.get(AUDITOR, None):
            auditor.noticed()
        raise
    if auditor := item.stash.get(AUDITOR, None):
        auditor.end()
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """After everything that takes a failure for an expected one, and unittest's own reading of what a test raised."""
    report = yield
    auditor = item.stash.get(AUDITOR, None)
    if auditor and auditor.refusals and report.outcome == "skipped":
        report.outcome, report.longrepr = "failed", "\n".join(auditor.refusals)
        report.__dict__.pop("wasxfail", None)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or session.exitstatus != 0:
        return
    outcomes = _outcomes(reporter)
    # A leak is red in the end, even where another plugin made its test something else.
    if "fail" in outcomes or (_gated(session.config) and not outcomes):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    outcomes = _outcomes(terminalreporter)
    if outcomes:
        counts = [f"{outcomes.count(name)} {name}" for name in ("pass", "fail", "inconclusive") if name in outcomes]
        terminalreporter.write_line(f"guestlist: {len(outcomes)} audits, {', '.join(counts)}")
    elif _gated(config):
        terminalreporter.write_line("guestlist: a policy was given, and no test audited anything", red=True)


def _outcomes(reporter: Any) -> list[str]:
    """Of every audit, by the reports of tests: those of other processes too."""
    reports: Iterable[Any] = (report for some in reporter.stats.values() for report in some)
    # The last report of a test has the properties of all of it.
    ends = [report for report in reports if getattr(report, "when", None) == "teardown"]
    return [outcome for report in ends for name, outcome in report.user_properties if name == PROPERTY]
