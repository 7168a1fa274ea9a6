"""The same language model without documents: what it says when nothing is retrieved."""

import os
import threading

from hayhooks import BasePipelineWrapper, get_last_user_message
from haystack import Pipeline
from haystack.dataclasses import ChatMessage
from haystack_integrations.components.generators.llama_cpp import LlamaCppChatGenerator

# llama.cpp answers one question at a time.
ONE_AT_A_TIME = threading.Lock()


class PipelineWrapper(BasePipelineWrapper):
    def setup(self):
        settings = {"max_tokens": 96, "temperature": 0.0}
        # Threads that wait for each other lose more than they gain on a busy machine.
        threads = {"n_threads": 1, "n_threads_batch": 1, "n_ctx": 4096}
        model = LlamaCppChatGenerator(
            os.environ["RAG_MODEL"], model_kwargs=threads, generation_kwargs=settings
        )
        self.pipeline = Pipeline()
        self.pipeline.add_component("model", model)

    def run_chat_completion(self, model: str, messages: list[dict], body: dict) -> str:
        query = f"Answer the question.\nQuestion: {get_last_user_message(messages)}"
        with ONE_AT_A_TIME:
            found = self.pipeline.run({"model": {"messages": [ChatMessage.from_user(query)]}})
        return found["model"]["replies"][0].text
