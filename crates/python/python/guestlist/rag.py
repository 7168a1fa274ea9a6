"""Pipelines of LangChain, LlamaIndex and Haystack as functions that :func:`guestlist.audit_rag` asks.

Each adapter takes the object as it is and gives a function from a question to ``{"answer", "sources"}``. None of
these packages is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ._documents import document
from ._errors import UsageError, hinted

__all__ = ["haystack", "langchain", "llama_index"]

Function = Callable[[str], dict[str, Any]]

LANGCHAIN_INPUTS = ("input", "question", "query")
LANGCHAIN_ANSWERS = ("answer", "result", "output", "output_text", "response")
HAYSTACK_INPUTS = ("question", "query")
"""Inputs of prompts, which may be left empty and must not be."""
LANGCHAIN_SOURCES = ("context", "source_documents", "sources", "documents")


def langchain(
    chain: Any, *, input: str | None = None, answer: str | None = None, sources: str | None = None
) -> Function:
    """A chain of LangChain: anything with ``invoke``.

    ``input`` is the key that the question goes under; where it is left out, the chain's own schema says whether it
    wants a mapping, and with which key. ``answer`` and ``sources`` are keys of what comes back; usual ones are looked for.

    >>> import guestlist
    >>> class Chain:
    ...     def invoke(self, question): return {"answer": question.upper(), "context": []}
    >>> guestlist.rag.langchain(Chain())("who?")
    {'answer': 'WHO?', 'sources': []}
    """
    _needs(chain, "invoke", "a chain of LangChain")
    key = input or _langchain_input(chain)

    def ask(question: str) -> dict[str, Any]:
        said = chain.invoke(question if key is None else {key: question})
        if not isinstance(said, Mapping):
            return {"answer": _message(said)}
        text = _first(said, answer, LANGCHAIN_ANSWERS, "answer")
        shown = said.get(sources) if sources else _any(said, LANGCHAIN_SOURCES)
        return {"answer": _message(text), **_shown(shown)}

    return _called(ask, chain)


def llama_index(query_engine: Any) -> Function:
    """A query engine of LlamaIndex: anything with ``query``.

    >>> import guestlist, types
    >>> class Engine:
    ...     def query(self, question): return types.SimpleNamespace(response="Yes.", source_nodes=[])
    >>> guestlist.rag.llama_index(Engine())("who?")
    {'answer': 'Yes.', 'sources': []}
    """
    _needs(query_engine, "query", "a query engine of LlamaIndex")

    def ask(question: str) -> dict[str, Any]:
        said = query_engine.query(question)
        text = said.response if hasattr(said, "response") else said
        return {
            "answer": "" if text is None else str(text),
            **_shown(getattr(said, "source_nodes", None)),
        }

    return _called(ask, query_engine)


def haystack(
    pipeline: Any,
    question: str | Sequence[str] | None = None,
    *,
    answer: str | None = None,
    sources: str | None = None,
) -> Function:
    """A pipeline of Haystack.

    ``question`` names the inputs that the question goes to, as ``"retriever.query"``; where it is left out, every
    mandatory input of type text gets it, and every one that is called question or query. ``answer`` is the component whose ``replies`` or ``answers`` are the answer,
    ``sources`` the one whose ``documents`` the answer was made from; without it no sources are seen.
    """
    _needs(pipeline, "run", "a pipeline of Haystack")
    sockets = (
        [question] if isinstance(question, str) else list(question or _haystack_inputs(pipeline))
    )
    for socket in sockets:
        if "." not in socket:
            raise hinted(UsageError, f"question: {socket} names no input", "write component.input")

    def ask(words: str) -> dict[str, Any]:
        data: dict[str, dict[str, str]] = {}
        for socket in sockets:
            component, _, name = socket.rpartition(".")
            data.setdefault(component, {})[name] = words
        seen = {"include_outputs_from": {sources}} if sources else {}
        said = pipeline.run(data, **seen)
        shown = said.get(sources, {}).get("documents") if sources else None
        return {"answer": _haystack_answer(said, answer), **_shown(shown)}

    return _called(ask, pipeline)


def _needs(given: Any, method: str, what: str) -> None:
    if not callable(getattr(given, method, None)):
        raise hinted(
            UsageError,
            f"{type(given).__name__} has no {method}()",
            f"give {what}, or a function of your own",
        )


def _called(ask: Function, owner: Any) -> Function:
    """Messages name the pipeline, and not our own function."""
    ask.__qualname__ = ask.__name__ = type(owner).__name__
    return ask


def _shown(sources: Any) -> dict[str, Any]:
    return {} if sources is None else {"sources": _listed(sources)}


def _listed(sources: Any) -> list[Any]:
    # Some chains put the text of all documents together, which names none of them.
    if isinstance(sources, str):
        return [{"text": sources}]
    return [document(source) for source in sources]


def _message(said: Any) -> str:
    """A text, or the text of a message."""
    text = getattr(said, "content", said)
    if isinstance(text, list):
        text = "".join(part if isinstance(part, str) else part.get("text", "") for part in text)
    return text if isinstance(text, str) else str(text)


def _any(said: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((said[key] for key in keys if key in said), None)


def _first(said: Mapping[str, Any], key: str | None, keys: Sequence[str], name: str) -> Any:
    found = [one for one in ((key,) if key else keys) if one in said]
    if not found:
        raise KeyError(
            f"what came back has no {key or name}: it has {', '.join(map(str, said))}; name it with {name}="
        )
    return said[found[0]]


def _langchain_input(chain: Any) -> str | None:
    """The key that the question goes under; nothing where the chain takes the question itself."""
    keys = list(getattr(chain, "input_keys", ()) or ())
    if not keys and hasattr(chain, "get_input_jsonschema"):
        schema = chain.get_input_jsonschema()
        schema = schema.get("$defs", {}).get(schema.get("$ref", "").rpartition("/")[2], schema)
        keys = list(schema.get("required") or schema.get("properties") or ())
    if len(keys) <= 1:
        return str(keys[0]) if keys else None
    usual = [key for key in keys if key in LANGCHAIN_INPUTS]
    if len(usual) != 1:
        raise hinted(
            UsageError,
            f"the chain takes {', '.join(keys)}",
            "say which is the question with input=",
        )
    return str(usual[0])


def _haystack_inputs(pipeline: Any) -> list[str]:
    found = [
        f"{component}.{name}"
        for component, inputs in pipeline.inputs().items()
        for name, about in inputs.items()
        if about.get("type") in (str, Any)
        and (about.get("is_mandatory") or name in HAYSTACK_INPUTS)
    ]
    if not found:
        raise hinted(
            UsageError,
            "the pipeline has no input that a question could go to",
            'name its inputs: question="retriever.query"',
        )
    return found


def _haystack_answer(said: Mapping[str, Any], answer: str | None) -> str:
    for component in [answer] if answer else list(said):
        outputs = said.get(component) or {}
        for reply in [*(outputs.get("replies") or ()), *(outputs.get("answers") or ())]:
            # A text, a message of a chat, or an answer of an extractor.
            for text in (reply, getattr(reply, "text", None), getattr(reply, "data", None)):
                if isinstance(text, str):
                    return text
        if "replies" in outputs or "answers" in outputs:
            return ""
    raise KeyError(
        f"no replies or answers of {answer or 'any component'}: there is {', '.join(said)}; name it with answer="
    )
