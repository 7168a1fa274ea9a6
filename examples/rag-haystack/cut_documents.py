"""Cuts any JSON Lines into documents for an audit: so many members, so many non-members.

    python cut_documents.py texts.jsonl.gz more.jsonl --count 100 --out documents.jsonl

Which text becomes a member is drawn by lot, so that nothing but the lot tells the two sets apart.
"""

import argparse
import gzip
import json
import random


def rows(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def text_of(row, key):
    """The text; lists of paragraphs are joined."""
    text = row[key]
    return "\n".join(map(str, text)) if isinstance(text, list) else str(text)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("files", nargs="+")
    options.add_argument("--count", type=int, default=100, help="members, and as many non-members")
    options.add_argument("--text", default="text", help="the key that holds the text")
    options.add_argument("--title", default="title", help="the key of the title, where there is one")
    options.add_argument("--id", default="id", help="the key of the id")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--out", default="documents.jsonl")
    asked = options.parse_args()

    seen, pool = set(), []
    for path in asked.files:
        for number, row in enumerate(rows(path), 1):
            if asked.text not in row:
                options.error(f"{path}: row {number} has no {asked.text}; it has {', '.join(row)}")
            text = text_of(row, asked.text)
            if " ".join(text.split()) not in seen:
                seen.add(" ".join(text.split()))
                pool.append((str(row.get(asked.id, len(pool))), row.get(asked.title), text))
    if len(pool) < 2 * asked.count:
        options.error(f"{len(pool)} different texts are too few for --count {asked.count}")
    random.Random(asked.seed).shuffle(pool)
    with open(asked.out, "w", encoding="utf-8") as out:
        for place, (name, title, text) in enumerate(pool[: 2 * asked.count]):
            title = title or " ".join(text.split()[:8])
            row = {"id": name, "title": title, "text": text, "member": place < asked.count}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
