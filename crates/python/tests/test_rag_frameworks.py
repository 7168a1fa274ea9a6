"""Pipelines of others, with the packages themselves."""

import asyncio
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


def test_langchain_reads_every_key_that_usually_holds_sources():
    runnables = pytest.importorskip("langchain_core.runnables")
    documents = pytest.importorskip("langchain_core.documents")
    found = [documents.Document("text", metadata={"source": "a.md"})]

    def shown(given, **keys):
        chain = runnables.RunnableLambda(lambda question: {"answer": "Yes.", **given})
        return guestlist.rag.langchain(chain, **keys)("who?")

    assert shown({"docs": found}) == {"answer": "Yes.", "sources": found}
    assert shown({"mine": found}, sources="mine")["sources"] == found
    both = {"context": [], "source_documents": found}
    assert shown(both)["sources"] == both
    assert shown({"sources": "a.md, b.md"})["sources"] == "a.md, b.md"
    with pytest.raises(KeyError, match="has no doc: it has answer, docs"):
        shown({"docs": found}, sources="doc")


@pytest.mark.parametrize("made", [None, iter("ab"), ["a"], object()])
def test_what_is_no_text_is_no_answer(made):
    runnables = pytest.importorskip("langchain_core.runnables")

    for said in (made, {"answer": made, "context": []}):
        ask = guestlist.rag.langchain(runnables.RunnableLambda(lambda question, said=said: said))
        with pytest.raises(TypeError, match=f"the answer is {type(made).__name__} and no text"):
            ask("who?")


def test_asynchronous_chains_and_engines_are_awaited():
    runnables = pytest.importorskip("langchain_core.runnables")

    async def reply(question):
        return question.upper()

    chain = runnables.RunnableLambda(reply)
    ask = guestlist.rag.langchain(chain, asynchronous=True)
    assert asyncio.run(ask("who?")) == {"answer": "WHO?"}

    class Engine:
        async def query(self, question):
            return question.upper()

        aquery = query

    ask = guestlist.rag.llama_index(Engine(), asynchronous=True)
    assert asyncio.run(ask("who?")) == {"answer": "WHO?"}
    with pytest.raises(TypeError, match="asynchronous=True"):
        guestlist.rag.llama_index(Engine())("who?")


def test_haystack_gives_all_answers_and_the_documents_that_they_carry():
    haystack = pytest.importorskip("haystack")
    builders = pytest.importorskip("haystack.components.builders")

    @haystack.component
    class Retriever:
        @haystack.component.output_types(documents=list[haystack.Document])
        def run(self, query: str):
            return {"documents": [haystack.Document(content="text", id="a")]}

    @haystack.component
    class Model:
        @haystack.component.output_types(replies=list[str])
        def run(self, question: str, documents: list[haystack.Document]):
            return {"replies": ["one", "two"]}

    pipeline = haystack.Pipeline()
    parts = {"retriever": Retriever(), "llm": Model(), "builder": builders.AnswerBuilder()}
    for name, part in parts.items():
        pipeline.add_component(name, part)
    pipeline.connect("retriever", "llm.documents")
    pipeline.connect("llm.replies", "builder.replies")
    pipeline.connect("retriever", "builder.documents")
    for named in ({}, {"sources": "retriever"}):
        said = guestlist.rag.haystack(pipeline, **named)("who?")
        assert said["answer"] == "one\ntwo"
        assert {document.id for document in said["sources"]} == {"a"}
    assert guestlist.rag.haystack(pipeline, answer="llm")("who?")["answer"] == "one\ntwo"
    for name, why in (
        ("retriver", "is no component"),
        ("llm", "gives no documents"),
        ("builder", "gives no documents"),
    ):
        with pytest.raises(guestlist.UsageError, match=f"{name} {why}.*retriever, llm, builder"):
            guestlist.rag.haystack(pipeline, sources=name)


def test_documents_of_frameworks_keep_the_names_that_were_noted_of_them():
    """As the same mapping does, by whatever name the audit knows."""
    documents = pytest.importorskip("langchain_core.documents")
    haystack = pytest.importorskip("haystack")
    from guestlist._documents import shown

    of_langchain = documents.Document("t", metadata={"source": "a.md", "page": 1}, id="uuid")
    noted = {"id": "uuid", "text": "t", "metadata": {"source": "a.md", "page": 1}}
    assert shown([of_langchain]) == [noted]
    assert shown(of_langchain) == noted
    of_haystack = haystack.Document(id="hash", content="t", meta={"file_path": "x/a.md"})
    noted = {"id": "hash", "text": "t", "metadata": {"file_path": "x/a.md"}}
    assert shown([(of_haystack, 0.5)]) == [[noted, 0.5]]


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
