import guestlist
from documents import members, nonmembers
from llama_index.core import Document, VectorStoreIndex
from stand_in import llama_index  # your own model and embedding

model, embedding = llama_index()
texts = [Document(text=document["text"], id_=document["id"]) for document in members]
engine = VectorStoreIndex.from_documents(texts, embed_model=embedding).as_query_engine(llm=model)
ask = guestlist.rag.llama_index(engine)
report = guestlist.audit_rag(
    ask, members, nonmembers, folder="llama-index-run",
    without_retrieval=lambda question: str(model.complete(question)),
)
print(report)
