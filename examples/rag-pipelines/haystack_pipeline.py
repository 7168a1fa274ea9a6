import guestlist
from documents import members, nonmembers
from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from stand_in import haystack  # your own generator
store, pipeline = InMemoryDocumentStore(), Pipeline()
store.write_documents([Document(content=document["text"], id=document["id"]) for document in members])
prompt = PromptBuilder("{% for d in documents %}{{ d.content }} {% endfor %}\n\nQuestion: {{ question }}")
for name, part in {"retriever": InMemoryBM25Retriever(store), "prompt": prompt, "llm": haystack()}.items():
    pipeline.add_component(name, part)
pipeline.connect("retriever", "prompt.documents").connect("prompt", "llm")
ask = guestlist.rag.haystack(pipeline, sources="retriever")
print(guestlist.audit_rag(ask, members, nonmembers, folder="haystack-run"))
