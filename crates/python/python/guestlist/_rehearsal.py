"""Demonstrations on embedded data, and a retrieval service to rehearse on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from . import _guestlist, _options
from ._options import PathLike
from ._progress import Listener, following
from ._report import Report


def demo(
    kind: str = "classifier",
    *,
    out: PathLike | None = None,
    epsilon: float | None = None,
    defences: Sequence[str] = (),
    policy: PathLike | None = None,
    figures: bool = False,
    seed: int = 0,
    progress: bool | Listener | None = None,
) -> Report:
    """A whole audit on embedded data, without a network: what ``guestlist demo`` shows.

    ``kind`` is classifier, lm, rag, source or fewshot. Data, configuration, models and report go to the folder
    ``out`` (``guestlist-demo``, with the kind behind it for all but classifier), where they can be looked at,
    changed and run again. ``epsilon`` trains the classifier with DP-SGD; ``defences`` are those of the
    retrieval service. :func:`misleading` has the demonstration of mistakes.
    """
    given = dict(locals())
    options = _options.plain_json(
        out=out,
        epsilon=epsilon,
        defences=list(defences),
        policy=policy,
        extras=["markdown", "figures"] if figures else ["markdown"],
        seed=seed,
        command=_options.call(demo, given, ("out", "figures")),
    )
    with following(progress) as listener:
        audit, files = _guestlist.demo(kind, options, listener)
    return Report(audit, files)


def misleading(
    case: str | None = None, *, seed: int = 0, progress: bool | Listener | None = None
) -> list[dict[str, Any]]:
    """How audits mislead: mistakes of published code, made again beside what guestlist says.

    Without a ``case`` the cases are listed; with one, or ``"all"``, each is made again: ``mistaken`` and
    ``guestlist`` are what either way says.

    >>> import guestlist
    >>> ties, = guestlist.misleading("ties")
    >>> ties["mistaken"][0]["words"] != ties["guestlist"][0]["words"]
    True
    """
    with following(progress) as listener:
        cases: list[dict[str, Any]] = json.loads(_guestlist.misleading(case, seed, listener))
    return cases


class RagServer:
    """A retrieval service on this machine. It goes on until it is stopped: by ``stop``, or at the end of a
    ``with``.
    """

    def __init__(self, serving: _guestlist.RagServer) -> None:
        self._serving = serving

    @property
    def url(self) -> str:
        """Where it listens, such as ``http://127.0.0.1:8080``: ``target.url`` of a configuration."""
        return self._serving.address

    @property
    def documents(self) -> int:
        """How many it answers from."""
        return self._serving.documents

    @property
    def chunks(self) -> int:
        """How many pieces they were cut into."""
        return self._serving.chunks

    def stop(self) -> None:
        """Finishes the answers in the making, and goes."""
        self._serving.stop()

    def __enter__(self) -> RagServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"RagServer({self.url!r}, documents={self.documents})"


def rag_server(
    documents: PathLike,
    *,
    port: int = 0,
    host: str = "127.0.0.1",
    retriever: str = "bm25",
    embeddings: PathLike | None = None,
    model: PathLike | None = None,
    top_k: int = 4,
    chunk_words: int = 120,
    chunk_overlap: int = 20,
    max_tokens: int = 128,
    defences: Sequence[str] = (),
    usual_questions: PathLike | None = None,
    api_key: str | None = None,
) -> RagServer:
    """Serves a small question-answering service over documents, to rehearse audits and defences on.

    ``documents`` is JSON Lines with ``id``, ``text`` and ``title``, or a folder of ``.txt`` and ``.md`` files.
    It speaks OpenAI's chat completions and answers on threads of its own; port 0 takes any that is free. The
    other arguments are the flags of ``guestlist rag-server``.

    >>> import guestlist, json, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "store.jsonl")
    >>> _ = path.write_text(json.dumps({"id": "a", "text": "The mill in Ulm is blue."}))
    >>> with guestlist.rag_server(path) as service:
    ...     service.url.startswith("http://127.0.0.1:"), service.documents
    (True, 1)
    """
    given = dict(locals())
    key = given.pop("api_key")
    return RagServer(_guestlist.rag_server(_options.plain_json(**given), key))
