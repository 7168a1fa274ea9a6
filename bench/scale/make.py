"""Writes token signals or scores of any size, as a folder of Parquet files: one table that Spark, Ray or
`datasets` could have written. Rows depend on their number alone, so that a larger table begins with the
smaller one.

    make.py tokens FOLDER TEXTS     128 tokens each, all optional columns, with the text
    make.py scores FOLDER RECORDS   three attacks, with ids

A further number says how many rows a file has.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

TOKENS = 128
# Words as frequent as in a language: the k-th is drawn with a chance of about 1 / k.
WORDS = 30_000


def lists(values, first_is_null=True):
    """A list per row; the first token has no prediction."""
    rows, width = values.shape
    mask = np.zeros(values.shape, dtype=bool)
    if first_is_null:
        mask[:, 0] = True
    items = pa.array(values.ravel(), mask=mask.ravel() if first_is_null else None)
    offsets = pa.array(np.arange(0, rows * width + 1, width, dtype=np.int32))
    return pa.ListArray.from_arrays(offsets, items)


def tokens(first, rows, words):
    random = np.random.default_rng([20261118, first])
    member = random.random(rows) < 0.5
    shape = (rows, TOKENS)
    chances = 1.0 / np.arange(1, WORDS + 1)
    drawn = np.searchsorted(np.cumsum(chances / chances.sum()), random.random((rows, 96)))
    texts = [" ".join(words[word] for word in row) for row in np.minimum(drawn, WORDS - 1)]
    reference = -random.exponential(2.5, shape).astype(np.float32)
    lift = 0.12 * member[:, None] * random.random(shape)
    logprob = np.minimum(reference + lift + random.normal(0, 0.4, shape), -1e-4).astype(np.float32)
    ids = random.integers(0, 50_000, shape).astype(np.int32)

    def model(logprob):
        most = np.minimum(logprob * random.random(shape), 0).astype(np.float32)
        rank = np.minimum(np.exp(-logprob), 50_000).astype(np.int32) + 1
        mean = (-5 - random.random(shape)).astype(np.float32)
        variance = (4 + random.random(shape)).astype(np.float32)
        return lists(rank), lists(mean), lists(variance), lists(most)

    rank, mean, variance, most = model(logprob)
    ref_rank, ref_mean, ref_variance, ref_most = model(reference)
    return pa.table(
        {
            "id": [f"text-{row:09d}" for row in range(first, first + rows)],
            "member": member,
            "text": texts,
            "token_ids": lists(ids, False),
            "ref_token_ids": lists(ids, False),
            "logprob": lists(logprob),
            "rank": rank,
            "mean": mean,
            "variance": variance,
            "max_logprob": most,
            "ref_logprob": lists(reference),
            "ref_rank": ref_rank,
            "ref_mean": ref_mean,
            "ref_variance": ref_variance,
            "ref_max_logprob": ref_most,
            "lowercase_logprob": lists((logprob - 0.3 * random.random(shape)).astype(np.float32)),
        }
    )


def scores(first, rows):
    random = np.random.default_rng([20261118, first])
    member = random.random(rows) < 0.5
    numbers = {
        name: random.normal(0, 1, rows) + lift * member
        for name, lift in (("loss", 0.1), ("ratio", 0.2), ("lira", 0.3))
    }
    ids = [f"rec-{row:09d}" for row in range(first, first + rows)]
    return pa.table({"id": ids, "member": member, **numbers})


def main(kind, folder, total, per_file=None):
    folder = Path(folder)
    folder.mkdir(parents=True)
    words = [f"w{np.base_repr(place * 7919 % WORDS, 36).lower()}" for place in range(WORDS)]
    usual, block = {"tokens": (50_000, 1_000), "scores": (1_000_000, 100_000)}[kind]
    per_file = per_file or usual
    for place, start in enumerate(range(0, total, per_file)):
        end = min(total, start + per_file)
        path = folder / f"part-{place:05d}.parquet"
        writer = None
        for first in range(start, end, block):
            rows = min(block, end - first)
            table = tokens(first, rows, words) if kind == "tokens" else scores(first, rows)
            writer = writer or pq.ParquetWriter(path, table.schema, compression="snappy", use_dictionary=False)
            writer.write_table(table, row_group_size=block)
        writer.close()
    (folder / "_SUCCESS").touch()


if __name__ == "__main__":
    kind, folder, *numbers = sys.argv[1:]
    main(kind, folder, *map(int, numbers))
