import guestlist
from documents import members, nonmembers
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnableParallel, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from stand_in import langchain  # your own model and embedding

model, embedding = langchain()
store = InMemoryVectorStore.from_texts([document["text"] for document in members], embedding)
prompt = PromptTemplate.from_template("{context}\n\nQuestion: {question}")
chain = RunnableParallel(context=store.as_retriever(), question=RunnablePassthrough())
chain = chain.assign(answer=prompt | model)
ask, plain = guestlist.rag.langchain(chain), guestlist.rag.langchain(model)
print(guestlist.audit_rag(ask, members, nonmembers, without_retrieval=plain, folder="langchain-run"))
