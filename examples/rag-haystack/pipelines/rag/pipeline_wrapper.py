"""A retrieval service in Haystack: BM25 over the documents, answers by a small language model."""

import json
import os
import threading
import time

from fastapi_openai_compat.chat_completions.models import ChatCompletion, Choice, Message
from hayhooks import BasePipelineWrapper, get_last_user_message, streaming_generator
from haystack import Document, Pipeline
from haystack.components.builders import ChatPromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack_integrations.components.generators.llama_cpp import LlamaCppChatGenerator

PROMPT = """Answer the question from these documents.
{% for document in documents %}
[{{ loop.index }}] {{ document.meta["title"] }}
{{ document.content }}
{% endfor %}
Question: {{ query }}"""

# llama.cpp answers one question at a time.
ONE_AT_A_TIME = threading.Lock()


def stored_documents(path):
    """The documents the service holds; those marked as non-members stay outside."""
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    return [
        Document(id=row["id"], content=row["text"], meta={"title": row["title"]})
        for row in rows
        if row["member"]
    ]


class PipelineWrapper(BasePipelineWrapper):
    def setup(self):
        store = InMemoryDocumentStore()
        store.write_documents(stored_documents(os.environ["RAG_DOCUMENTS"]))
        self.pipeline = Pipeline()
        self.pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=3))
        prompt = ChatPromptBuilder([ChatMessage.from_user(PROMPT)], required_variables="*")
        self.pipeline.add_component("prompt", prompt)
        settings = {"max_tokens": 96, "temperature": 0.0}
        # Threads that wait for each other lose more than they gain on a busy machine.
        threads = {"n_threads": 1, "n_threads_batch": 1, "n_ctx": 4096}
        model = LlamaCppChatGenerator(
            os.environ["RAG_MODEL"], model_kwargs=threads, generation_kwargs=settings
        )
        self.pipeline.add_component("model", model)
        self.pipeline.connect("retriever.documents", "prompt.documents")
        self.pipeline.connect("prompt.prompt", "model.messages")

    def run_chat_completion(self, model: str, messages: list[dict], body: dict):
        query = get_last_user_message(messages)
        inputs = {"retriever": {"query": query}, "prompt": {"query": query}}
        if body.get("stream"):
            return self.stream(model, inputs)
        with ONE_AT_A_TIME:
            found = self.pipeline.run(inputs, include_outputs_from={"retriever"})
        answer = Message(role="assistant", content=found["model"]["replies"][0].text)
        choice = Choice(index=0, message=answer, finish_reason="stop")
        return completion(model, "chat.completion", choice, found)

    def stream(self, model, inputs):
        """The answer piece by piece, then the documents it was made from."""
        found = {}
        with ONE_AT_A_TIME:
            yield from streaming_generator(
                self.pipeline,
                pipeline_run_args=inputs,
                include_outputs_from={"retriever"},
                on_pipeline_end=found.update,
            )
        choice = Choice(index=0, delta=Message(role="assistant", content=""))
        yield completion(model, "chat.completion.chunk", choice, found)


def completion(model, kind, choice, found):
    """An OpenAI-compatible answer with one more field: the retrieved documents."""
    documents = [document.to_dict(flatten=False) for document in found["retriever"]["documents"]]
    return ChatCompletion(
        id=f"{model}-{time.time_ns()}",
        object=kind,
        created=int(time.time()),
        model=model,
        choices=[choice],
        documents=documents,
    )
