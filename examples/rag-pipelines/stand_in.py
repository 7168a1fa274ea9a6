"""Models that need no network, in the classes of each framework: put your own in their place.

The language model answers with the two sentences of its prompt that share most words with the question, and the
embedding counts words.
"""

import re
import zlib


def answer(prompt, question):
    wanted = set(re.findall(r"\w+", question.lower()))
    sentences = re.split(r"(?<=[.!?])\s+", prompt.replace(question, " "))
    score = lambda text: len(wanted & set(re.findall(r"\w+", text.lower())))
    return " ".join(sorted(sentences, key=score, reverse=True)[:2]) or "I do not know."


def vector(text):
    counts = [0.0] * 1024
    for word in re.findall(r"\w+", text.lower()):
        counts[zlib.crc32(word.encode()) % 1024] += 1.0
    return counts


def langchain():
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models.llms import LLM

    class Vectors(Embeddings):
        def embed_query(self, text):
            return vector(text)

        def embed_documents(self, texts):
            return [vector(text) for text in texts]

    class Model(LLM):
        @property
        def _llm_type(self):
            return "stand-in"

        def _call(self, prompt, stop=None, run_manager=None, **more):
            return answer(prompt, prompt.rpartition("Question: ")[2])

    return Model(), Vectors()


def llama_index():
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata

    class Vectors(BaseEmbedding):
        def _get_query_embedding(self, query):
            return vector(query)

        def _get_text_embedding(self, text):
            return vector(text)

        async def _aget_query_embedding(self, query):
            return vector(query)

    class Model(CustomLLM):
        @property
        def metadata(self):
            return LLMMetadata()

        def complete(self, prompt, formatted=False, **more):
            question = prompt.rpartition("Query: ")[2].removesuffix("\nAnswer: ")
            return CompletionResponse(text=answer(prompt, question))

        def stream_complete(self, prompt, formatted=False, **more):
            yield self.complete(prompt)

    return Model(), Vectors()


def haystack():
    from haystack import component

    @component
    class Model:
        @component.output_types(replies=list[str])
        def run(self, prompt: str):
            return {"replies": [answer(prompt, prompt.rpartition("Question: ")[2])]}

    return Model()
