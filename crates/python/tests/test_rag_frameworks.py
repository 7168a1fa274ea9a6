"""Pipelines of others, with the packages themselves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import guestlist

EXAMPLES = Path(__file__).parents[3] / "examples/rag-pipelines"


@pytest.mark.parametrize(
    ("module", "example", "folder"),
    [
        ("langchain_core", "langchain_chain.py", "langchain-run"),
        ("llama_index.core", "llama_index_engine.py", "llama-index-run"),
        ("haystack", "haystack_pipeline.py", "haystack-run"),
    ],
)
def test_examples_are_short_and_find_the_leak(tmp_path, module, example, folder):
    pytest.importorskip(module)
    assert len((EXAMPLES / example).read_text().splitlines()) <= 15
    found = [str(EXAMPLES), *sys.path]
    ended = subprocess.run(
        [sys.executable, str(EXAMPLES / example)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(found)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    report = json.loads((tmp_path / folder / "report.json").read_text())
    by_name = {attack["id"]: attack["auc"]["value"] for attack in report["attacks"]}
    assert by_name["citation"] > 0.95
    # Sources are those of the documents: every member was seen, and no other.
    found = {guardrail["id"]: guardrail for guardrail in report["guardrails"]}
    assert "50 of 50 members, 0 of 50 non-members" in found["store-contents"]["detail"]
    assert found["without-retrieval"]["status"] == ("warn" if module == "haystack" else "ok")
    assert report["verdict"]["outcome"] == "fail"


def test_langchain_says_what_it_is_given():
    runnables = pytest.importorskip("langchain_core.runnables")
    messages = pytest.importorskip("langchain_core.messages")
    from operator import itemgetter

    by_key = {"question": itemgetter("question")} | runnables.RunnableLambda(
        lambda given: given["question"][::-1]
    )
    assert guestlist.rag.langchain(by_key)("abc") == {"answer": "cba"}
    two = {"a": itemgetter("a"), "b": itemgetter("b")} | runnables.RunnableLambda(str)
    with pytest.raises(guestlist.UsageError, match="the chain takes a, b"):
        guestlist.rag.langchain(two)
    chat = runnables.RunnableLambda(lambda question: messages.AIMessage(content=question))
    assert guestlist.rag.langchain(chat)("abc") == {"answer": "abc"}
    odd = runnables.RunnableLambda(lambda question: {"verdict": question})
    with pytest.raises(KeyError, match="name it with answer="):
        guestlist.rag.langchain(odd)("abc")
    assert guestlist.rag.langchain(odd, answer="verdict")("abc") == {"answer": "abc"}


def test_haystack_fills_every_input_that_wants_the_question():
    haystack = pytest.importorskip("haystack")
    builders = pytest.importorskip("haystack.components.builders")

    @haystack.component
    class Model:
        @haystack.component.output_types(replies=list[str])
        def run(self, prompt: str):
            return {"replies": [prompt]}

    pipeline = haystack.Pipeline()
    pipeline.add_component("prompt", builders.PromptBuilder("Q: {{ question }}"))
    pipeline.add_component("llm", Model())
    pipeline.connect("prompt", "llm")
    assert guestlist.rag.haystack(pipeline)("who?") == {"answer": "Q: who?"}
    assert guestlist.rag.haystack(pipeline, "prompt.question", answer="llm")("who?") == {
        "answer": "Q: who?"
    }
    with pytest.raises(guestlist.UsageError, match="names no input"):
        guestlist.rag.haystack(pipeline, "question")


def test_what_is_no_pipeline_is_refused():
    for adapter in (guestlist.rag.langchain, guestlist.rag.llama_index, guestlist.rag.haystack):
        with pytest.raises(guestlist.UsageError, match="object has no"):
            adapter(object())
