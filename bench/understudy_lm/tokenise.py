"""Token ids of every corpus under a base's tokenizer.

    python tokenise.py TOKENIZER.json CORPORA OUT.npz [BEGIN]
    python tokenise.py TOKENIZER.json LONG.txt.xz OUT.npy

BEGIN is the id of the token that the base model knows the beginning of a text by, where it does.
"""

import gzip
import json
import lzma
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer


def corpora_of(tokenizer, folder, most=None):
    """Ids and lengths of documents, per corpus; of each corpus at most so many characters."""
    stored = {}
    for file in sorted(Path(folder).glob("*.jsonl.gz")):
        name = file.name.removesuffix(".jsonl.gz")
        with gzip.open(file, "rt") as lines:
            texts = [json.loads(line)["text"] for line in lines]
        if most is not None:
            ends = np.cumsum([len(text) for text in texts])
            texts = texts[: int(np.searchsorted(ends, most)) + 1]
        ids = [np.asarray(e.ids, np.int32) for e in tokenizer.encode_batch(texts, add_special_tokens=False)]
        stored[f"{name}|ids"] = np.concatenate(ids)
        stored[f"{name}|len"] = np.array([len(i) for i in ids], np.int32)
    return stored


def main():
    tokenizer = Tokenizer.from_file(sys.argv[1])
    source, out = Path(sys.argv[2]), sys.argv[3]
    if source.is_dir():
        stored = corpora_of(tokenizer, source)
        if len(sys.argv) > 4:
            stored["begin"] = np.int32(sys.argv[4])
        np.savez(out, **stored)
        return
    text = lzma.open(source, "rt").read()
    pieces = [text[i : i + 20000] for i in range(0, len(text), 20000)]
    np.save(out, np.concatenate([np.asarray(e.ids, np.int32) for e in tokenizer.encode_batch(pieces)]))


if __name__ == "__main__":
    main()
