"""Documents to try the examples on: speeches that the store holds, and others like them."""

import gzip
import json
import random
from pathlib import Path

DATA = Path(__file__).parents[2] / "crates/rehearsal/data/lm"


def texts(name, count):
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return random.Random(0).sample(rows, count)


members = texts("members.jsonl.gz", 50)
nonmembers = texts("held-out.jsonl.gz", 50)
