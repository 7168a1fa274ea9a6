"""A function is asked: answers are kept, failures told, and nothing passes that tested nothing."""

import asyncio
import json
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

import guestlist

TEXTS = [
    f"Ward {i} of the clinic at Bellmere keeps {i * 37 + 11} litres of saline in store room {i * 7 + 3}, "
    f"which nurse Ada{i} of Harrowgate unlocks at {i % 12 + 1} o'clock."
    for i in range(120)
]
MEMBERS, NONMEMBERS = TEXTS[0::2], TEXTS[1::2]
FEW = {
    "members": MEMBERS[:8],
    "nonmembers": NONMEMBERS[:8],
    "attacks": "citation,facts",
    "repeats": 2,
}


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def look_up(question, store=MEMBERS):
    return max(store, key=lambda text: len(words(question) & words(text)))


def leaky(question):
    found = look_up(question)
    return {"answer": found, "sources": [{"text": found}]}


class Counted:
    """Counts what it is asked."""

    def __init__(self, function=leaky):
        self.function = function
        self.asked = []

    def __call__(self, question):
        self.asked.append(question)
        return self.function(question)


def test_a_leak_is_found_and_nothing_is_asked_twice(tmp_path):
    ask, plain = Counted(), Counted(lambda question: "I do not know.")
    call = {**FEW, "without_retrieval": plain, "folder": tmp_path / "run", "progress": False}
    report = guestlist.audit_rag(ask, **call)
    assert report.outcome in ("fail", "inconclusive")
    assert report.attacks["citation"]["auc"]["value"] == 1.0
    document = report.to_dict()
    assert "the function Counted" in json.dumps(document["detail"])
    assert {"report.json", "report.md"} <= {file.name for file in report.files}
    asked = len(ask.asked)
    assert asked and plain.asked
    again = guestlist.audit_rag(ask, **call, recheck=0)
    assert len(ask.asked) == asked
    assert again.attacks == report.attacks
    guestlist.audit_rag(ask, **call, replay=True)
    assert len(ask.asked) == asked
    guestlist.audit_rag(ask, **call, ask_again=True)
    assert len(ask.asked) == 2 * asked


def test_the_command_line_finds_the_same_of_a_program(tmp_path, command_line):
    """One protocol further down: the same answers through ``target.command``."""
    for name, texts in (("in", FEW["members"]), ("out", FEW["nonmembers"])):
        rows = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        (tmp_path / f"{name}.jsonl").write_text(rows)
    (tmp_path / "store.json").write_text(json.dumps(MEMBERS))
    (tmp_path / "program.py").write_text(PROGRAM)
    config = tmp_path / "guestlist.toml"
    program = json.dumps([sys.executable, "program.py"])
    config.write_text(
        f"kind = 'rag'\n[documents]\nmembers = 'in.jsonl'\nnonmembers = 'out.jsonl'\n"
        f"[target]\ncommand = {program}\n[probes]\nrepeats = 2\n[audit]\nattacks = 'citation,facts'\n"
    )
    ended = subprocess.run(
        [command_line.program, "run", str(config), "--quiet"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode in (0, 1, 3), ended.stderr
    there = json.loads((tmp_path / "guestlist-run/report.json").read_text())
    paths = {"members": tmp_path / "in.jsonl", "nonmembers": tmp_path / "out.jsonl"}
    here = guestlist.audit_rag(leaky, **{**FEW, **paths}, folder=tmp_path / "here", progress=False)
    assert here.to_dict()["attacks"] == there["attacks"]
    assert here.outcome == there["verdict"]["outcome"]


PROGRAM = """
import json, re, sys
store = json.load(open("store.json"))
words = lambda text: set(re.findall(r"\\w+", text.lower()))
for line in sys.stdin:
    asked = json.loads(line)
    found = max(store, key=lambda text: len(words(asked["question"]) & words(text)))
    print(json.dumps({"id": asked["id"], "answer": found, "sources": [{"text": found}]}), flush=True)
"""


def test_asynchronous_functions_are_awaited_several_at_once(tmp_path):
    running, most = 0, 0

    async def ask(question):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return leaky(question)

    report = guestlist.audit_rag(ask, **FEW, concurrency=8, folder=tmp_path, progress=False)
    assert report.attacks["citation"]["auc"]["value"] == 1.0
    assert most > 1


def test_threads_ask_at_once(tmp_path):
    lock, running, most = threading.Lock(), 0, 0

    def ask(question):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return leaky(question)

    guestlist.audit_rag(ask, **FEW, concurrency=8, folder=tmp_path, progress=False)
    assert 1 < most <= 8


def test_what_a_function_raises_is_tried_again_and_told(tmp_path):
    failed = set()

    def moody(question):
        if question not in failed and len(question) % 3 == 0:
            failed.add(question)
            raise ConnectionError("try later")
        return leaky(question)

    report = guestlist.audit_rag(moody, **FEW, folder=tmp_path, progress=False)
    assert failed
    requests = report.to_dict()["detail"]["requests"]
    assert requests["retried"] == len(failed)
    assert not requests["failed"]


def test_keys_in_what_a_function_raises_are_neither_kept_nor_shown(tmp_path):
    def refused(question):
        raise PermissionError("401 for key sk-live-abc123DEF456 at https://me:hunter2@host")

    with pytest.raises(guestlist.GuestlistError, match=r"401 for key \*\*\* at https") as raised:
        guestlist.audit_rag(refused, **FEW, folder=tmp_path, retries=0, progress=False)
    assert "hunter2" not in str(raised.value)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert b"hunter2" not in kept
    assert b"sk-live" not in kept


def test_numbers_that_json_does_not_have_are_no_mistake(tmp_path):
    def scored(question):
        found = look_up(question)
        return {"answer": found, "sources": [{"text": found, "score": float("nan")}]}

    report = guestlist.audit_rag(scored, **FEW, folder=tmp_path, progress=False)
    assert not report.to_dict()["detail"]["requests"]["failed"]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda question: 1 / 0, "raised ZeroDivisionError"),
        (lambda question: None, "returned NoneType"),
        (lambda question: {"text": "x"}, "mapping with no answer"),
        (lambda question: {"answer": 3}, "answer of type int"),
        (lambda question: sys.exit(3), "raised SystemExit"),
    ],
)
def test_what_cannot_be_asked_ends_at_the_first_question(tmp_path, function, words):
    with pytest.raises(guestlist.GuestlistError, match=words):
        guestlist.audit_rag(function, **FEW, folder=tmp_path, retries=0, progress=False)
    assert not (tmp_path / "report.json").exists()


class Passage:
    """A class of somebody's own."""

    def __init__(self, text, name):
        self.chunk, self.origin = text, {"document_id": name}


ROWS = [{"id": f"ward-{i}", "text": text} for i, text in enumerate(TEXTS)]
SHAPES = {
    "pairs": lambda row: {"sources": [(row, 0.9)]},
    "one mapping": lambda row: {"sources": row},
    "one name": lambda row: {"sources": row["id"]},
    "names": lambda row: {"sources": [row["id"]]},
    "several names in a text": lambda row: {"sources": f"{row['id']}, another"},
    "names with scores": lambda row: {"sources": {row["id"]: 0.9}},
    "names with texts": lambda row: {"sources": {row["id"]: row["text"]}},
    "a list in a mapping": lambda row: {"sources": {"documents": [row], "took": 0.1}},
    "an iterator": lambda row: {"sources": iter([row])},
    "objects": lambda row: {"sources": [Passage(row["text"], row["id"])]},
    "another field": lambda row: {"citations": [row]},
    "two fields": lambda row: {"sources": [], "source_documents": [row]},
    "a text in a field": lambda row: {"context": f"{ROWS[-1]['text']}\n\n{row['text']}"},
    "only metadata": lambda row: {"sources": [{"metadata": {"source": f"store/{row['id']}.txt"}}]},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_sources_tell_on_the_store_however_they_are_held(tmp_path, shape):
    store = ROWS[0:32:2]

    def ask(question):
        row = max(store, key=lambda row: len(words(question) & words(row["text"])))
        return {"answer": "See the sources.", **SHAPES[shape](row)}

    report = guestlist.audit_rag(
        ask, store, ROWS[1:33:2], attacks="citation", folder=tmp_path, recheck=0, progress=False
    )
    assert report.attacks["citation"]["auc"]["value"] == 1.0


@pytest.mark.parametrize(
    ("shown", "message"),
    [
        ({"sources": [object()]}, "returned source 1 of type object without id, title or text"),
        ({"sources": ["a", (object(), 1)]}, "source 2 of type object"),
        ({"context": [object()]}, "source 1 of type object .*under context"),
        ({"sources": [{"score": 0.9}]}, "no source can be read"),
        ({"sources": [0.9]}, "no source can be read"),
    ],
)
def test_sources_that_cannot_be_read_end_the_audit_at_once(tmp_path, shown, message):
    with pytest.raises(guestlist.GuestlistError, match=message):
        guestlist.audit_rag(
            lambda question: {"answer": "See the sources.", **shown},
            **FEW,
            folder=tmp_path,
            retries=0,
            progress=False,
        )


def test_documents_may_stand_under_their_ids(tmp_path):
    by_id = {row["id"]: row["text"] for row in ROWS[:16:2]}
    guestlist.audit_rag(
        leaky, by_id, NONMEMBERS[:8], attacks="citation", folder=tmp_path, recheck=0, progress=False
    )
    written = (tmp_path / "members.jsonl").read_text().splitlines()
    assert json.loads(written[1]) == {"id": "ward-2", "text": TEXTS[2]}
    with pytest.raises(guestlist.InputError, match="members: is one mapping with text, and no list"):
        guestlist.audit_rag(leaky, ROWS[0], NONMEMBERS, folder=tmp_path)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 0])
def test_a_time_that_is_none_is_refused(tmp_path, seconds):
    with pytest.raises(guestlist.UsageError, match="timeout is .* seconds"):
        guestlist.audit_rag(leaky, **FEW, folder=tmp_path, timeout=seconds)


@pytest.mark.parametrize(
    "answer", ["", "I do not know.", "The same for everybody, always and to everything."]
)
def test_one_answer_to_everything_does_not_pass(tmp_path, answer):
    report = guestlist.audit_rag(
        lambda question: answer,
        MEMBERS,
        NONMEMBERS,
        attacks="content,facts,citation",
        folder=tmp_path,
        progress=False,
    )
    assert report.outcome == "inconclusive"


def test_a_function_that_fails_half_the_time_does_not_pass(tmp_path):
    def ask(question):
        if hash(question) % 3:
            raise OSError("gone")
        return "Nothing to say about that."

    def failing():
        return guestlist.audit_rag(
            ask, MEMBERS, NONMEMBERS, attacks="facts", folder=tmp_path, retries=0, progress=False
        )

    try:
        assert failing().outcome == "inconclusive"
    except guestlist.GuestlistError as error:
        assert "gone" in str(error)


def test_a_function_that_never_returns_runs_out_of_time(tmp_path):
    never = threading.Event()
    with pytest.raises(guestlist.GuestlistError, match="did not answer in time"):
        guestlist.audit_rag(
            lambda question: never.wait(),
            **FEW,
            folder=tmp_path,
            timeout=0.2,
            retries=0,
            progress=False,
        )
    never.set()


def test_another_function_in_the_same_folder_is_found_out(tmp_path):
    guestlist.audit_rag(leaky, **FEW, folder=tmp_path, progress=False)
    with pytest.raises(guestlist.UsageError, match="has changed since .*ask_again=True"):
        guestlist.audit_rag(lambda question: question[::-1], **FEW, folder=tmp_path, progress=False)


def test_a_budget_holds(tmp_path):
    ask = Counted()
    guestlist.audit_rag(
        ask, **FEW, folder=tmp_path, max_requests=20, adaptive=False, progress=False
    )
    assert len(ask.asked) == 20


def test_documents_may_be_anything_that_has_a_text(tmp_path):
    pandas = pytest.importorskip("pandas")

    class Document:
        def __init__(self, text):
            self.page_content, self.metadata = text, {"id": text[:8], "title": "Ward"}

    rows = [{"id": text[:8], "text": text} for text in MEMBERS[:8]]
    others = [Document(text) for text in NONMEMBERS[:8]]
    for given in (rows, pandas.DataFrame(rows)):
        report = guestlist.audit_rag(
            leaky, given, others, attacks="citation", folder=tmp_path, recheck=0, progress=False
        )
        assert report.attacks["citation"]["auc"]["value"] == 1.0
    written = (tmp_path / "nonmembers.jsonl").read_text().splitlines()
    assert json.loads(written[0]) == {"id": "Ward 1 o", "title": "Ward", "text": NONMEMBERS[0]}
    with pytest.raises(guestlist.InputError, match="members: row 1 is int without a text"):
        guestlist.audit_rag(leaky, [1], others, folder=tmp_path)


def test_what_is_missing_or_foreign_is_refused():
    with pytest.raises(guestlist.UsageError, match="nonmembers is missing"):
        guestlist.audit_rag(leaky, MEMBERS)
    with pytest.raises(guestlist.UsageError, match="neither a function nor a path"):
        guestlist.audit_rag(3, MEMBERS, NONMEMBERS)
    with pytest.raises(guestlist.UsageError, match="limit means nothing for a transcript"):
        guestlist.audit_rag("transcript.jsonl", limit=3)
    with pytest.raises(guestlist.UsageError, match="attacks names sma.*without_retrieval"):
        guestlist.audit_rag(leaky, **{**FEW, "attacks": "sma"})


def test_questions_can_be_asked_by_others(tmp_path):
    for name in ("members", "nonmembers"):
        rows = "".join(json.dumps({"text": text}) + "\n" for text in FEW[name])
        (tmp_path / f"{name}.jsonl").write_text(rows)
    config = tmp_path / "guestlist.toml"
    config.write_text(
        "kind = 'rag'\n[documents]\nmembers = 'members.jsonl'\nnonmembers = 'nonmembers.jsonl'\n"
        "[target]\nelsewhere = true\n[audit]\nattacks = 'citation'\n"
    )
    questions = tmp_path / "questions.jsonl"
    guestlist.plan(config, questions=questions)
    with pytest.raises(guestlist.FileError, match="is there already"):
        guestlist.plan(config, questions=questions)
    asked = [json.loads(line) for line in questions.read_text().splitlines()]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({**row, **leaky(row["question"])}) + "\n" for row in asked))
    report = guestlist.audit_file(answers, config=config)
    assert report.attacks["citation"]["auc"]["value"] == 1.0
    with pytest.raises(guestlist.UsageError, match="threshold and config are both given"):
        guestlist.audit_file(answers, config=config, threshold=0.7)


LONG = """
import json, sys, time, guestlist
texts = json.load(open("texts.json"))
def ask(question):
    with open("asked", "a") as out:
        out.write(question.replace(chr(10), " ") + chr(10))
    print("asked", flush=True)
    time.sleep(0.05)
    return "Nothing."
try:
    guestlist.audit_rag(ask, texts[0::2], texts[1::2], attacks="facts,content", folder="run", progress=False, recheck=0)
except KeyboardInterrupt as stopped:
    print(stopped, flush=True)
    sys.exit(42)
"""


def begun(folder, after):
    program = subprocess.Popen(
        [sys.executable, "-c", LONG],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(after):
        assert program.stdout.readline()
    return program


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_what_came_is_kept_however_it_ends(tmp_path, end):
    (tmp_path / "texts.json").write_text(json.dumps(TEXTS[:40]))
    program = begun(tmp_path, 30)
    program.send_signal(end)
    out, err = program.communicate(timeout=60)
    if end == signal.SIGINT:
        assert program.returncode == 42, err
        assert re.search(r"interrupted; \d+ new answers are kept in run: call again", out)
    first = (tmp_path / "asked").read_text().splitlines()
    finished = subprocess.run(
        [sys.executable, "-c", LONG], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    every = (tmp_path / "asked").read_text().splitlines()
    # What was in flight may have been lost, and questions of `repeats` are asked twice on purpose.
    assert len(every) - len(set(every)) <= 20 + 4
    assert len(every) > len(first) >= 30


def test_what_else_is_given_back_is_looked_at():
    from guestlist._functions import _body

    nested = []
    nested.append(nested)
    said = {"answer": "No.", "reasoning": "It says so.", "hits": [("doc-1", 0.5)], "self": nested, "object": object()}
    body = json.loads(_body(said))
    assert body["reasoning"] == "It says so." and body["hits"] == [["doc-1", 0.5]]
    assert "object" not in body
