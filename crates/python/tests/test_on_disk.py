"""Audits of files of every kind: a retrieval service that is asked, features, transcripts, scores."""

import json
import subprocess

import numpy as np
import pytest
from conftest import without_origin

import guestlist

WORDS = "amber bridge cedar delta ember fjord grove harbor island jasper kettle lagoon".split()


def document(number):
    rng = np.random.default_rng(number)
    name = "".join(rng.choice(list("abcdefghiklmnoprstuvz"), size=9))
    words = " ".join(rng.choice(WORDS, size=14))
    text = f"The {name} of {number + 1900} holds {words}. It was found near {name[::-1]} in spring."
    return {"id": f"d{number}", "title": f"The {name}", "text": text}


def write(path, documents):
    path.write_text("".join(json.dumps(row) + "\n" for row in documents))


@pytest.fixture(scope="module")
def asked(tmp_path_factory, command_line):
    """A folder with a finished run against the rehearsal service, and its report."""
    folder = tmp_path_factory.mktemp("rag")
    write(folder / "in.jsonl", map(document, range(20)))
    write(folder / "out.jsonl", map(document, range(20, 40)))
    server = subprocess.Popen(
        [command_line.program, "rag-server", "in.jsonl", "--port", "0", "--json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        events = (json.loads(line) for line in server.stdout)
        address = next(event["address"] for event in events if event["event"] == "listening")
        (folder / "guestlist.toml").write_text(
            f"""
            kind = "rag"
            [documents]
            members = "in.jsonl"
            nonmembers = "out.jsonl"
            [target]
            preset = "guestlist"
            url = "{address}"
            [audit]
            attacks = "yes-no,citation"
            """
        )
        yield folder, guestlist.run(folder / "guestlist.toml", progress=False)
    finally:
        server.terminate()
        server.wait()


def test_a_retrieval_service_is_asked_and_judged(asked):
    folder, report = asked
    assert report.to_dict()["kind"] == "rag"
    assert report.attacks["citation"]["auc"]["value"] > 0.9
    assert folder / "guestlist-run/report.json" in report.files
    estimate = guestlist.plan(folder / "guestlist.toml")
    assert estimate.kind == "rag" and "Nothing was sent" in str(estimate)


def by_id(table):
    return dict(zip(table["id"].to_pylist(), table["citation"].to_pylist(), strict=True))


def test_its_transcript_is_judged_again(asked, command_line):
    folder, report = asked
    transcript = folder / "guestlist-run/transcript.jsonl"
    again = guestlist.audit_rag(transcript, "citation", documents=folder / "in.jsonl")
    assert by_id(again.scores) == by_id(report.scores)
    known = guestlist.audit_file(transcript, attacks=["citation"])
    assert known.to_dict()["kind"] == "rag"
    flags = ["--attacks", "citation", "--threshold", 0.7, "--seed", 3]
    expected = command_line(transcript, *flags, out=folder / "out")
    mine = guestlist.audit_rag(transcript, "citation", threshold=0.7, seed=3)
    assert without_origin(mine.to_dict()) == without_origin(expected)
    command = mine.to_dict()["provenance"]["command"]
    assert command.startswith("guestlist.audit_rag(") and "threshold=0.7" in command


def test_features_are_audited_as_on_the_command_line(tmp_path, command_line):
    member = np.arange(120) % 2 == 0
    vectors = np.random.default_rng(2).normal(size=(120, 6)) + 1.5 * member[:, None]
    path = tmp_path / "features.npz"
    np.savez(path, features=vectors, member=member)
    flags = ["--kind", "fewshot", "--shots", "1,5", "--runs", 30, "--seed", 4]
    expected = command_line(path, *flags, out=tmp_path / "out")
    report = guestlist.audit_fewshot(path, shots=[1, 5], runs=30, seed=4, progress=False)
    assert without_origin(report.to_dict()) == without_origin(expected)
    same = guestlist.audit_file(path, "fewshot", shots=[1, 5], runs=30, seed=4)
    assert same.attacks == report.attacks


def test_options_of_another_kind_and_unknown_ones_are_refused(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("member,mine\n1,0.5\n0,0.2\n")
    with pytest.raises(guestlist.UsageError, match="shots is for kind fewshot"):
        guestlist.audit_file(path, "scores", shots=3)
    with pytest.raises(TypeError, match="treshold"):
        guestlist.audit_file(path, "scores", treshold=0.6)
    with pytest.raises(guestlist.UsageError, match="kind"):
        guestlist.audit_file(path, "oracle")
    with pytest.raises(guestlist.GuestlistError, match=r"source\.json"):
        guestlist.audit_source(tmp_path / "transcript.jsonl")
