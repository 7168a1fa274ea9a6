"""A retrieval service on this machine, rehearsed on and audited: python rag.py store.jsonl others.jsonl"""

import sys

import guestlist

store, others = sys.argv[1:]
with guestlist.rag_server(store) as service:
    guestlist.init("rag", members=store, nonmembers=others, target=service.url, preset="guestlist")
    print(guestlist.plan())
    report = guestlist.run(max_requests=20_000)
print(report.to_text())
