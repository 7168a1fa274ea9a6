"""Token ids of every corpus under a base's tokenizer.

    python tokenise.py TOKENIZER.json CORPORA OUT.npz
    python tokenise.py TOKENIZER.json LONG.txt OUT.npy
"""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer


def main():
    tokenizer = Tokenizer.from_file(sys.argv[1])
    source, out = Path(sys.argv[2]), sys.argv[3]
    if source.is_file():
        text = source.read_text()
        pieces = [text[i : i + 20000] for i in range(0, len(text), 20000)]
        ids = [np.asarray(e.ids, np.int32) for e in tokenizer.encode_batch(pieces)]
        np.save(out, np.concatenate(ids))
        return
    stored = {}
    for file in sorted(source.glob("*.jsonl.gz")):
        name = file.name.removesuffix(".jsonl.gz")
        with gzip.open(file, "rt") as lines:
            texts = [json.loads(line)["text"] for line in lines]
        ids = [np.asarray(e.ids, np.int32) for e in tokenizer.encode_batch(texts)]
        stored[f"{name}|ids"] = np.concatenate(ids)
        stored[f"{name}|len"] = np.array([len(i) for i in ids], np.int32)
    np.savez(out, **stored)


if __name__ == "__main__":
    main()
