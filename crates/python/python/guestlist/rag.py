"""Pipelines of LangChain, LlamaIndex and Haystack as functions that :func:`guestlist.audit_rag` asks.

Each adapter takes the object as it is and gives a function from a question to ``{"answer", "sources"}``. None of
these packages is imported here.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from ._errors import UsageError, hinted
from ._guestlist import SOURCE_FIELDS

__all__ = ["haystack", "langchain", "llama_index"]

Function = Callable[[str], Any]

LANGCHAIN_INPUTS = ("input", "question", "query")
LANGCHAIN_ANSWERS = ("answer", "result", "output", "output_text", "response")
HAYSTACK_INPUTS = ("question", "query")
"""Inputs of prompts, which may be left empty and must not be."""


def langchain(
    chain: Any,
    *,
    input: str | None = None,
    answer: str | None = None,
    sources: str | None = None,
    asynchronous: bool = False,
) -> Function:
    """A chain of LangChain: anything with ``invoke``, or with ``asynchronous=True`` anything with ``ainvoke``.

    ``input`` is the key that the question goes under; where it is left out, the chain's own schema says whether it
    wants a mapping, and with which key. ``answer`` and ``sources`` are keys of what comes back. Without them usual ones are
    looked for, and what lies under several that usually hold sources is read together.

    >>> import guestlist
    >>> class Chain:
    ...     def invoke(self, question): return {"answer": question.upper(), "context": []}
    >>> guestlist.rag.langchain(Chain())("who?")
    {'answer': 'WHO?', 'sources': []}
    """
    method = "ainvoke" if asynchronous else "invoke"
    _needs(chain, method, "a chain of LangChain")
    key = input or _langchain_input(chain)

    def given(question: str) -> Any:
        return question if key is None else {key: question}

    def read(said: Any) -> dict[str, Any]:
        if not isinstance(said, Mapping):
            if sources:
                raise KeyError(f"what came back has no {sources}: it is {type(said).__name__}")
            return {"answer": _text(said)}
        text = _text(_first(said, answer, LANGCHAIN_ANSWERS, "answer"))
        if sources:
            return {"answer": text, "sources": _first(said, sources, (), "sources")}
        used = answer or next(one for one in LANGCHAIN_ANSWERS if one in said)
        shown = {field: said[field] for field in SOURCE_FIELDS if field in said and field != used}
        return {"answer": text, **_together(shown)}

    return _asking(getattr(chain, method), given, read, chain, asynchronous)


def llama_index(query_engine: Any, *, asynchronous: bool = False) -> Function:
    """A query engine of LlamaIndex: anything with ``query``, or with ``asynchronous=True`` anything with ``aquery``.

    >>> import guestlist, types
    >>> class Engine:
    ...     def query(self, question): return types.SimpleNamespace(response="Yes.", source_nodes=[])
    >>> guestlist.rag.llama_index(Engine())("who?")
    {'answer': 'Yes.', 'sources': []}
    """
    method = "aquery" if asynchronous else "query"
    _needs(query_engine, method, "a query engine of LlamaIndex")

    def read(said: Any) -> dict[str, Any]:
        # A stream is read to its end.
        whole = getattr(said, "get_response", None)
        if callable(whole) and not inspect.iscoroutinefunction(whole):
            said = whole()
        text = getattr(said, "response", said)
        silent = text is None and said is not None
        nodes = getattr(said, "source_nodes", None)
        return {
            "answer": "" if silent else _text(text),
            **({} if nodes is None else {"sources": nodes}),
        }

    return _asking(
        getattr(query_engine, method), lambda question: question, read, query_engine, asynchronous
    )


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
    ``sources`` the one whose ``documents`` the answer was made from. Documents that answers carry are read in any case, and without
    ``sources`` those that the pipeline gives back.
    """
    _needs(pipeline, "run", "a pipeline of Haystack")
    sockets = (
        [question] if isinstance(question, str) else list(question or _haystack_inputs(pipeline))
    )
    for socket in sockets:
        if "." not in socket:
            raise hinted(UsageError, f"question: {socket} names no input", "write component.input")
    if sources:
        _haystack_shows(pipeline, sources)
    seen = {name for name in (answer, sources) if name}

    def run(words: str) -> Any:
        data: dict[str, dict[str, str]] = {}
        for socket in sockets:
            component, _, name = socket.rpartition(".")
            data.setdefault(component, {})[name] = words
        return pipeline.run(data, **({"include_outputs_from": seen} if seen else {}))

    def read(said: Any) -> dict[str, Any]:
        return {"answer": _haystack_answer(said, answer), **_haystack_sources(said, sources)}

    return _asking(run, lambda question: question, read, pipeline, False)


def _needs(given: Any, method: str, what: str) -> None:
    if not callable(getattr(given, method, None)):
        raise hinted(
            UsageError,
            f"{type(given).__name__} has no {method}()",
            f"give {what}, or a function of your own",
        )


def _asking(
    call: Callable[[Any], Any],
    given: Callable[[str], Any],
    read: Callable[[Any], dict[str, Any]],
    owner: Any,
    asynchronous: bool,
) -> Function:
    """Messages name the pipeline, and not our own function."""

    def ask(question: str) -> dict[str, Any]:
        return read(call(given(question)))

    async def ask_later(question: str) -> dict[str, Any]:
        return read(await call(given(question)))

    function = ask_later if asynchronous else ask
    function.__qualname__ = function.__name__ = type(owner).__name__
    return function


def _together(shown: dict[str, Any]) -> dict[str, Any]:
    """Sources that lie in one place or in several."""
    if not shown:
        return {}
    return {"sources": next(iter(shown.values())) if len(shown) == 1 else shown}


def _text(said: Any) -> str:
    """A text, a number, or the text of a message. Nobody sees how Python would write anything else."""
    for text in (said, getattr(said, "content", None), getattr(said, "text", None)):
        if isinstance(text, str):
            return text
        if isinstance(text, list) and text is not said:
            parts = (part.get("text", "") if isinstance(part, Mapping) else part for part in text)
            return "".join(part for part in parts if isinstance(part, str))
    if isinstance(said, (bool, int, float)):
        return str(said)
    if inspect.iscoroutine(said):
        said.close()
    later = isinstance(said, Awaitable) or inspect.isasyncgen(said)
    hint = (
        "it is asynchronous: say asynchronous=True, where there is such a method"
        if later
        else "end it with a step that gives a text, or write a function that does"
    )
    raise TypeError(f"the answer is {type(said).__name__} and no text: {hint}")


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


def _haystack_shows(pipeline: Any, sources: str) -> None:
    """Refuses the name of a component that gives no documents; a pipeline that cannot say is seen when it runs."""
    if not callable(getattr(pipeline, "outputs", None)):
        return
    outputs = pipeline.outputs(include_components_with_connected_outputs=True)
    if "documents" in outputs.get(sources, {}):
        return
    able = [name for name, sockets in outputs.items() if "documents" in sockets]
    what = "gives no documents" if sources in outputs else "is no component of the pipeline"
    raise hinted(
        UsageError,
        f"sources: {sources} {what}: components are {', '.join(outputs)}",
        f"name one that gives documents: {', '.join(able) or 'there is none'}",
    )


def _haystack_answer(said: Mapping[str, Any], answer: str | None) -> str:
    """All that the pipeline says, each thing once."""
    components = [answer] if answer else list(said)
    outputs = [said.get(component) or {} for component in components]
    if not any(name in output for output in outputs for name in ("replies", "answers")):
        raise KeyError(
            f"no replies or answers of {answer or 'any component'}: there is {', '.join(said)}; name it with answer="
        )
    replies = (
        reply
        for output in outputs
        for name in ("replies", "answers")
        for reply in _listed(output.get(name))
    )
    texts = (_haystack_reply(reply) for reply in replies)
    return "\n".join(dict.fromkeys(text for text in texts if text))


def _haystack_reply(reply: Any) -> str:
    """A text, a message of a chat, or an answer of an extractor; these may be empty."""
    for name in ("text", "data"):
        if hasattr(reply, name) and not isinstance(reply, str):
            text = getattr(reply, name)
            return "" if text is None else _text(text)
    return _text(reply)


def _haystack_sources(said: Mapping[str, Any], sources: str | None) -> dict[str, Any]:
    """Documents that answers carry, and those of the component that was named, or of all that show some."""
    if sources and "documents" not in (said.get(sources) or {}):
        raise KeyError(f"{sources} gave no documents: there is {', '.join(said)}")
    given = [
        output["documents"]
        for component, output in said.items()
        if isinstance(output, Mapping) and "documents" in output
        if component == sources or not sources
    ]
    for output in said.values():
        answers = output.get("answers") if isinstance(output, Mapping) else None
        for one in _listed(answers):
            given += [
                getattr(one, name) for name in ("documents", "document") if hasattr(one, name)
            ]
    documents = [one for some in given for one in _listed(some)]
    return {"sources": documents} if given else {}


def _listed(given: Any) -> list[Any]:
    """A list of whatever it is: one alone, several, or none."""
    if given is None:
        return []
    several = isinstance(given, Iterable) and not isinstance(given, (str, Mapping))
    return list(given) if several else [given]
