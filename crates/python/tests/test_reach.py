"""Whatever the command line does, Python does: configurations, services, stored reports, demonstrations."""

import json
import re
import signal
import socket
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

import guestlist

EXAMPLES = Path(__file__).parents[3] / "examples/python"

ELSEWHERE = {
    "serve": "pages for a browser",
    "work": "what nodes of a cluster start",
    "completions": "for shells",
    "policy": "not reached yet",
    "study": "writes a page; its numbers are those of audit",
}
"""Commands that mean nothing in a program."""

NAMES = {"report": "load", "rag-server": "rag_server", "canaries": "canaries.draw"}

STOPPED = """
import sys, guestlist
try:
    print("running", flush=True)
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(42)
"""


def notes(path, first, count=24):
    towns = ["Ulm", "Riga", "Cork", "Bergen", "Turku", "Siena"]
    things = ["mill", "bell", "bridge", "archive", "orchard"]
    rows = []
    for n in range(first, first + count):
        text = (
            f"Note {n}: the {things[n % 5]} of {towns[n % 6]} was sold in {1700 + n} to the family Marek{n} "
            f"for {310 + 17 * n} crowns. Its keeper, Ada Venn{n}, kept a ledger of {40 + 3 * n} pages there."
        )
        rows.append(json.dumps({"id": f"note-{n}", "text": text}))
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def store(tmp_path):
    return notes(tmp_path / "store.jsonl", 0)


@pytest.fixture
def others(tmp_path):
    return notes(tmp_path / "others.jsonl", 24)


def test_every_command_has_its_function(command_line):
    told = subprocess.run(
        [command_line.program, "--help"], capture_output=True, text=True, check=True
    )
    listed = told.stdout.split("Commands:\n")[1].split("\n\n")[0]
    commands = set(re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)) - {"help"}
    assert len(commands) > 10 and ELSEWHERE.keys() <= commands
    for command in sorted(commands - ELSEWHERE.keys()):
        assert callable(attrgetter(NAMES.get(command, command))(guestlist)), command


def test_every_form_of_a_report_is_that_of_the_command_line(tmp_path, leaky, command_line):
    phi, keep = leaky
    guestlist.audit(phi, keep, attacks="lira").save(tmp_path)
    report = guestlist.load(tmp_path)
    forms = {
        "json": report.to_json(),
        "html": report.to_html(),
        "markdown": report.to_markdown(),
        "junit": report.to_junit(),
        "sarif": report.to_sarif(),
        "annex": report.to_annex(),
        "annex-html": report.to_annex(html=True),
        "model-card": report.to_model_card(),
        "cyclonedx": report.to_cyclonedx(),
    }
    for form, text in forms.items():
        rendered = subprocess.run(
            [command_line.program, "report", tmp_path, "--format", form],
            capture_output=True,
            text=True,
            check=True,
        )
        assert rendered.stdout.rstrip("\n") == text.rstrip("\n"), form
    figures = report.save_figures(tmp_path)
    assert figures and all(file.is_file() and file.parent.name == "figures" for file in figures)
    with pytest.raises(guestlist.UsageError, match=r"scores\.parquet"):
        report.scores
    with pytest.raises(guestlist.FileError, match="cannot be read"):
        guestlist.load(tmp_path / "nothing.json")


def test_what_was_changed_is_told_as_the_command_line_tells_it(tmp_path, leaky, command_line):
    guestlist.audit(*leaky, attacks="lira").save(tmp_path)
    assert guestlist.verify(tmp_path).holds
    report = tmp_path / "report.json"
    report.write_text(report.read_text().replace('"fail"', '"pass"'))
    found = guestlist.verify(tmp_path)
    assert not found.holds and found.files["report.json"] == "changed"
    told = subprocess.run(
        [command_line.program, "verify", tmp_path], capture_output=True, text=True, check=False
    )
    assert told.returncode == 1 and told.stdout == str(found)
    with pytest.raises(guestlist.GuestlistError, match="not as the audit wrote it"):
        guestlist.sign(tmp_path, tmp_path / "key")
    with pytest.raises(guestlist.GuestlistError, match="SHA256SUMS: cannot be read"):
        guestlist.verify(tmp_path / "nowhere")


def test_a_rise_between_two_audits_is_that_of_the_command_line(tmp_path, command_line):
    rng, member = np.random.default_rng(3), np.arange(2000) % 2 == 0
    before = guestlist.audit_scores({"mine": rng.normal(size=2000)}, member)
    after = guestlist.audit_scores({"mine": rng.normal(size=2000) + member}, member)
    for name, report in (("before", before), ("after", after)):
        report.save(tmp_path / name)
    found = guestlist.diff(tmp_path / "before", after)
    assert found.outcome == "fail" and any(change["rise"] for change in found.changes)
    assert guestlist.diff(before, before).outcome == "pass"
    ended = subprocess.run(
        [command_line.program, "diff", "before", "after"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stdout.rstrip() == str(found).rstrip()
    assert "mine" in found.to_markdown() and "FAIL" in repr(found)
    with pytest.raises(guestlist.UsageError, match="level"):
        guestlist.diff(before, after, level=2)


def test_configurations_are_those_of_the_command_line(tmp_path, command_line):
    for kind in ("classifier", "lm", "rag", "source", "fewshot"):
        started = guestlist.init(kind, out=tmp_path / f"{kind}.toml")
        subprocess.run(
            [command_line.program, "init", kind, "--quiet", "--out", "same.toml", "--overwrite"],
            cwd=tmp_path,
            check=True,
        )
        assert started.config.read_text() == (tmp_path / "same.toml").read_text(), kind
        assert "guestlist run" in started.next
    with pytest.raises(guestlist.UsageError, match="exists already; hint: .*overwrite"):
        guestlist.init("rag", out=tmp_path / "rag.toml")
    with pytest.raises(guestlist.UsageError, match="stand_in is for init source"):
        guestlist.init("lm", stand_in="http://127.0.0.1:1", out=tmp_path / "x.toml")
    with pytest.raises(guestlist.UsageError, match="there is no kind oracle"):
        guestlist.init("oracle")
    controls = guestlist.init("rag", controls=3, out=tmp_path / "guestlist.toml")
    assert len(controls.controls.read_text().splitlines()) == 3


def test_a_service_is_rehearsed_on_probed_and_audited(tmp_path, store, others):
    config = tmp_path / "guestlist.toml"
    with guestlist.rag_server(store) as service:
        assert service.documents == 24 and str(service.documents) in repr(service)
        guestlist.init(
            "rag",
            members=store,
            nonmembers=others,
            target=service.url,
            preset="guestlist",
            out=config,
        )
        shown = guestlist.probe(config, "Who kept the ledger at the mill of Ulm?")
        assert shown.status == 200 and shown.error is None and shown.answer
        assert shown.url.startswith(service.url) and shown.answer[:20] in str(shown)
        estimate = guestlist.plan(config)
        assert estimate.kind == "rag"
        told = []
        report = guestlist.run(config, progress=lambda *stretch: told.append(stretch))
    assert max(attack["auc"]["value"] for attack in report.attacks.values()) > 0.9
    assert {name for name, _, _ in told} & {"asking"}
    again = guestlist.audit_rag(tmp_path / "guestlist-run/transcript.jsonl", documents=store)
    assert again.to_dict()["kind"] == "rag"
    with pytest.raises(guestlist.GuestlistError):
        guestlist.probe(config)  # It went with its `with`.


@pytest.mark.parametrize("name", ["rag", "fewshot"])
def test_the_examples_run(name, tmp_path, store, others):
    arguments = [store.name, others.name]
    if name == "fewshot":
        member = np.arange(300) % 2 == 0
        vectors = np.random.default_rng(0).normal(size=(300, 6)) + 3 * member[:, None]
        np.savez(tmp_path / "features.npz", features=vectors, member=member)
        arguments = ["features.npz"]
    program = EXAMPLES / f"{name}.py"
    lines = [line for line in program.read_text().splitlines() if line and line[0] != '"']
    assert len(lines) <= 10
    ended = subprocess.run(
        [sys.executable, program, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == (1 if name == "fewshot" else 0), ended.stderr
    assert "FAIL" in ended.stdout or "INCONCLUSIVE" in ended.stdout


def test_signals_are_converted(tmp_path, leaky):
    phi, keep = leaky
    np.savez(tmp_path / "a.npz", phi=phi, keep=keep)
    done = guestlist.convert(tmp_path / "a.npz", tmp_path / "b.parquet")
    assert (done["from"], done["to"], done["models"], done["records"]) == ("npz", "parquet", 17, 600)
    first, second = (guestlist.audit(tmp_path / name, attacks="lira") for name in ("a.npz", "b.parquet"))
    assert first.attacks == second.attacks
    with pytest.raises(guestlist.GuestlistError, match="exists already"):
        guestlist.convert(tmp_path / "a.npz", tmp_path / "b.parquet")
    guestlist.convert(tmp_path / "a.npz", tmp_path / "b.parquet", overwrite=True)
    guestlist.convert(tmp_path / "a.npz", tmp_path / "c.data", to_format="npz")


def test_demonstrations_and_mistakes_are_shown(tmp_path):
    told = []
    report = guestlist.demo("lm", out=tmp_path, progress=lambda *stretch: told.append(stretch))
    assert report.to_dict()["kind"] == "lm" and report.outcome == "fail"
    assert report.to_dict()["provenance"]["command"] == "guestlist.demo(kind='lm')"
    assert (tmp_path / "guestlist.toml").exists()
    assert {"report.html", "report.md"} <= {file.name for file in report.files}
    assert any(total for _, _, total in told)
    with pytest.raises(guestlist.UsageError, match="epsilon is for the classifier"):
        guestlist.demo("lm", out=tmp_path, epsilon=3)
    with pytest.raises(guestlist.UsageError, match="no demonstration of kind scores"):
        guestlist.demo("scores", out=tmp_path)
    titles = guestlist.misleading()
    assert len(titles) > 5 and "mistaken" not in titles[0]
    with pytest.raises(guestlist.GuestlistError):
        guestlist.misleading("nothing of the kind")


@pytest.fixture
def silent_service(tmp_path, store, others):
    """A configuration whose service takes the question and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        guestlist.init(
            "rag",
            members=store,
            nonmembers=others,
            target=url,
            preset="guestlist",
            out=tmp_path / "guestlist.toml",
        )
        yield


@pytest.mark.parametrize(
    "call",
    [
        "guestlist.evaluate([0.9, 0.1] * 50_000, [1, 0] * 50_000, bootstrap=4_000_000)",
        "guestlist.shadow_splits(records=1_000_000, models=60_000)",
        "guestlist.probe()",
        "guestlist.demo(out='demo')",
        "guestlist.misleading('all')",
        "guestlist.audit_scores([0.9, 0.1] * 50_000, [1, 0] * 50_000, bootstrap=4_000_000)",
    ],
)
@pytest.mark.usefixtures("silent_service")
def test_control_c_stops_whatever_takes_long(call, tmp_path):
    program = subprocess.Popen(
        [sys.executable, "-c", STOPPED.format(call=call)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stdout.readline() == "running\n"
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=120)
    finally:
        program.kill()
    assert program.returncode == 42, err
    assert out.endswith("interrupted\n")


def test_a_typing_mistake_is_named():
    with pytest.raises(TypeError, match="unexpected keyword argument 'treshold'"):
        guestlist.audit_scores([1.0, 0.0], [1, 0], treshold=0.6)
    with pytest.raises(TypeError, match="unexpected keyword argument 'threshold'"):
        guestlist.evaluate([1.0, 0.0], [1, 0], threshold=0.6)
