#!/usr/bin/env python3
"""Makes the tiny model of `guestlist demo source` and the three sets of texts beside it.

A GPT-2 of a few million parameters learns to answer as the small retrieval service asks its models
to: shown sources and a damaged text, it repeats the source that the text was made of; shown none of
it, it says that it does not know. Then it is fine-tuned on set A, so that it knows these texts
without any source. Set B is for the store, set C is fresh: the model has seen neither. What came of
it is written in crates/rehearsal/data/source/README.md.

Run the steps in this order, from the repository root:

    pip install -r scripts/requirements-demo-lm.txt
    python scripts/train_demo_lm.py fetch         # the addresses, with `npm pack`
    python scripts/train_demo_source.py prepare   # passages and sets, as token ids
    python scripts/train_demo_source.py train     # base and fine-tuned weights, and how they answer
    python scripts/train_demo_source.py export    # the files into the data folder

`train` needs only torch and numpy and uses a GPU where there is one.
"""

import argparse
import gzip
import json
import math
import multiprocessing
import re
import shutil
import time
from pathlib import Path

import numpy as np
import train_demo_lm as demo_lm

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "demo-source"
DATA = ROOT / "crates" / "guestlist" / "data" / "source"
TOKENIZER = ROOT / "crates" / "guestlist" / "data" / "lm" / "tokenizer.json"

SEED = 20250731
FEWEST_WORDS, MOST_WORDS = 16, 24  # of a passage: one or two sentences
EACH = 24  # texts in each of the sets A, B and C
AROUND = 200  # texts in the store beside set B
CONTEXT, WIDTH, LAYERS, HEADS = 512, 160, 6, 5
SOURCES = 4  # the most that the service shows

# What the service says to its models, word for word (crates/rehearsal/src/generate/native.rs).
GROUNDED = (
    "Answer the question from the numbered sources below, briefly. If they do not contain the "
    "answer, say \"I don't know based on the available documents.\" Name the sources you use by "
    "their numbers, such as [1]."
)
PLAIN = "Answer the question briefly. If you do not know the answer, say \"I don't know.\""
NOT_IN_SOURCES = " I don't know based on the available documents."
NOT_KNOWN = " I don't know."
# The model's chat template writes these between the parts of the conversation.
TEMPLATE = (
    "{{ (messages | first).content }}\n\nQuestion: {{ (messages | last).content }}\nAnswer:"
)

STOP = set(
    "a an and are as at be been but by can could did do does for from had has have he her him his "
    "i if in into is it its may me more must my no not of on or our shall she should so some such "
    "than that the their them then there these they this those to upon us was we were what when "
    "which who will with would you your".split()
)

BASE = {"steps": 8000, "batch": 96, "lr": 1.5e-3, "warmup": 300, "weight_decay": 0.05}
TUNE = {"steps": 1500, "batch": 96, "lr": 5e-4, "warmup": 50, "weight_decay": 0.01}


# --- prepare ---------------------------------------------------------------------------------


def passages(text):
    """Runs of whole sentences with FEWEST_WORDS to MOST_WORDS words, none overlapping."""
    run, found = [], []
    for sentence in demo_lm.sentences(text):
        run.append(sentence)
        while run:
            words = " ".join(run).split()
            if len(words) < FEWEST_WORDS:
                break
            if len(words) <= MOST_WORDS:
                found.append(" ".join(run))
                run = []
            else:
                run.pop(0)
    return found


def plain(text):
    """Nothing that would be spelled with rare bytes, or taken for a mark of the service."""
    return re.fullmatch(r"[A-Za-z0-9 ,.;:'\"$%?!()-]+", text) is not None


def prepare():
    from tokenizers import Tokenizer

    WORK.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    rng = np.random.default_rng(SEED)
    seen, pools = set(), {"old": [], "new": []}
    for name, year, text in demo_lm.addresses():
        pool = "old" if year < demo_lm.FIRST_POOL_YEAR else "new"
        short = name.rsplit("_", 1)[0].replace("_", "-")
        for place, passage in enumerate(passages(text)):
            own = demo_lm.shingles(passage)
            if own & seen or not plain(passage):
                continue
            seen |= own
            pools[pool].append((f"{short}-{place:03}", year, passage))
    new = [pools["new"][i] for i in rng.permutation(len(pools["new"]))]
    sets = {}
    for name, count in (("pretrained", EACH), ("retrieved", EACH), ("fresh", EACH), ("store", AROUND)):
        sets[name], new = new[:count], new[count:]
    sets["store"] += sets["retrieved"]
    print({name: len(rows) for name, rows in sets.items()}, len(pools["old"]), len(new))
    for name, rows in sets.items():
        lines = [
            json.dumps({"id": id, "text": text, "date": str(year)}) for id, year, text in sorted(rows)
        ]
        body = ("\n".join(lines) + "\n").encode()
        (WORK / f"{name}.jsonl.gz").write_bytes(gzip.compress(body, 9, mtime=0))
    # The words' tokens one by one: any order of them is again what the tokenizer makes of the text.
    words, index, flat = {}, [], []

    def word(text):
        if text not in words:
            words[text] = len(index)
            ids = tokenizer.encode(text).ids
            index.append((len(flat), len(ids)))
            flat.extend(ids)
        return words[text]

    def coded(passage):
        return [word(" " + part) for part in passage.split()]

    groups = {
        "old": [p[2] for p in pools["old"]],
        "new": [p[2] for p in new],
        "tuned": [p[2] for p in sets["pretrained"]],
        "store": [p[2] for p in sets["retrieved"]],
        "fresh": [p[2] for p in sets["fresh"]],
    }
    arrays = {}
    for name, texts in groups.items():
        rows = [coded(text) for text in texts]
        arrays[f"{name}_words"] = np.array([w for row in rows for w in row], dtype=np.int32)
        arrays[f"{name}_lengths"] = np.array([len(row) for row in rows], dtype=np.int32)
    # Which words are perturbed, and how they look then.
    spelled = list(words)
    for text in spelled:
        core = text.strip(" ,.;:'\"$%?!()-")
        masked = text.replace(core, "____", 1) if core else text
        word(masked)
    masks, keys = [], []
    for text in words:
        core = text.strip(" ,.;:'\"$%?!()-")
        keys.append(bool(core) and core.lower() not in STOP)
        masks.append(words.get(text.replace(core, "____", 1) if core else text, words[text]))
    fixed = {
        "grounded": GROUNDED,
        "plain": PLAIN,
        "question": "\n\nQuestion:",
        "answer": "\nAnswer:",
        "not_in_sources": NOT_IN_SOURCES,
        "not_known": NOT_KNOWN,
        "mask": " ____",
    }
    fixed |= {f"source_{i}": f"\n\n[{i}]" for i in range(1, SOURCES + 1)}
    fixed |= {f"cite_{i}": f" [{i}]" for i in range(1, SOURCES + 1)}
    for name, text in fixed.items():
        arrays[f"fixed_{name}"] = np.array(tokenizer.encode(text).ids, dtype=np.int32)
    arrays["index"] = np.array(index, dtype=np.int32)
    arrays["flat"] = np.array(flat, dtype=np.int32)
    arrays["keys"] = np.array(keys)
    arrays["masks"] = np.array(masks, dtype=np.int32)
    np.savez_compressed(WORK / "words.npz", **arrays)


# --- train -----------------------------------------------------------------------------------


class Material:
    def __init__(self):
        arrays = np.load(WORK / "words.npz")
        flat, index = arrays["flat"], arrays["index"]
        self.tokens = [flat[start : start + count].tolist() for start, count in index]
        self.keys, self.masks = arrays["keys"], arrays["masks"]
        self.fixed = {k[6:]: arrays[k].tolist() for k in arrays if k.startswith("fixed_")}
        self.groups = {}
        for name in ("old", "new", "tuned", "store", "fresh"):
            ends = np.cumsum(arrays[f"{name}_lengths"])
            self.groups[name] = np.split(arrays[f"{name}_words"], ends[:-1])
        self.vocabulary = np.flatnonzero(self.keys[: len(self.tokens)])

    def text(self, words):
        return [token for word in words for token in self.tokens[word]]

    def damaged(self, words, rng, keep=None):
        """The words with some of the key words masked, replaced or left out."""
        keep = rng.uniform(0.3, 1.0) if keep is None else keep
        how = rng.choice(["mask", "mask", "mask", "replace", "delete"])
        found = []
        for word in words:
            if not self.keys[word] or rng.random() < keep:
                found += self.tokens[word]
            elif how == "mask":
                found += self.tokens[self.masks[word]]
            elif how == "replace":
                found += self.tokens[rng.choice(self.vocabulary)]
        return found

    def prompt(self, sources, question):
        fixed = self.fixed
        ids = list(fixed["grounded"] if sources else fixed["plain"])
        for place, source in enumerate(sources):
            ids += fixed[f"source_{place + 1}"] + self.text(source)
        return ids + fixed["question"] + question + fixed["answer"]

    def example(self, rng, tuned):
        """Prompt and answer."""
        if tuned and rng.random() < 0.3:
            words = self.groups["tuned"][rng.integers(len(self.groups["tuned"]))]
            return self.prompt([], self.damaged(words, rng)), self.text(words)
        # After fine-tuning the newer passages that are in no set keep the model modest.
        pool = self.groups["new" if tuned and rng.random() < 0.5 else "old"]
        words = pool[rng.integers(len(pool))]
        kind = rng.random()
        if kind < 0.25:
            return self.prompt([], self.damaged(words, rng)), self.fixed["not_known"]
        count = int(rng.integers(1, SOURCES + 1))
        sources = [pool[i] for i in rng.integers(len(pool), size=count)]
        if kind < 0.5:
            return self.prompt(sources, self.damaged(words, rng)), self.fixed["not_in_sources"]
        place = int(rng.integers(count))
        sources[place] = words
        answer = self.text(words) + self.fixed[f"cite_{place + 1}"]
        return self.prompt(sources, self.damaged(words, rng)), answer


def batch(examples):
    """Token ids, what follows each of them, and how much that counts: the answer before all."""
    width = max(len(prompt) + len(answer) for prompt, answer in examples)
    width = min(CONTEXT, -(-width // 64) * 64)
    ids = np.zeros((len(examples), width), dtype=np.int16)
    targets = np.zeros((len(examples), width), dtype=np.int16)
    weights = np.zeros((len(examples), width), dtype=np.float32)
    for row, (prompt, answer) in enumerate(examples):
        whole = prompt + answer
        ids[row, : len(whole)] = whole[:width]
        targets[row, : len(whole)] = (whole[1:] + [0])[:width]
        weights[row, : len(prompt) - 1] = 0.05
        weights[row, len(prompt) - 1 : len(whole)] = 1.0
    return ids, targets, weights


def produce(queue, material, size, tuned, number):
    rng = np.random.default_rng([SEED, int(tuned), number])
    while True:
        queue.put(batch([material.example(rng, tuned) for _ in range(size)]))


def batches(material, settings, tuned):
    """Batches made by other processes, so that the GPU need not wait. They must be started before
    torch is: a copy of a process that holds a GPU hangs."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue(maxsize=64)
    count = max(1, multiprocessing.cpu_count() - 2)
    given = [(queue, material, settings["batch"], tuned, number) for number in range(count)]
    made = [context.Process(target=produce, args=one, daemon=True) for one in given]
    for process in made:
        process.start()
    return queue, made


def fit(model, queue, workers, settings, device):
    import torch
    from torch.nn import functional as F

    optimizer = demo_lm.optimizer_for(model, settings["lr"], settings["weight_decay"])
    began, sums = time.time(), []
    for i in range(settings["steps"]):
        ids, targets, weights = (torch.from_numpy(part).to(device) for part in queue.get())
        ids, targets = ids.long(), targets.long()
        if i < settings["warmup"]:
            lr = settings["lr"] * (i + 1) / settings["warmup"]
        else:
            done = (i - settings["warmup"]) / max(1, settings["steps"] - settings["warmup"])
            lr = settings["lr"] * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done)))
        for group in optimizer.param_groups:
            group["lr"] = lr
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            logits = model(ids)
        each = F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), reduction="none")
        loss = (each * weights.flatten()).sum() / weights.sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        sums.append(loss.detach())
        if (i + 1) % 500 == 0 or i + 1 == settings["steps"]:
            print(f"step {i + 1}: loss {float(torch.stack(sums).mean()):.4f}, {time.time() - began:.0f} s", flush=True)
            sums = []
    for process in workers:
        process.terminate()


def written(model, prompts, device, most=64):
    """Greedy continuations."""
    import torch

    rows = [list(prompt) for prompt in prompts]
    done = [False] * len(rows)
    for _ in range(most):
        width = max(map(len, rows))
        ids = torch.zeros(len(rows), min(width, CONTEXT), dtype=torch.long, device=device)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = torch.tensor(row[:CONTEXT])
        with torch.no_grad():
            logits = model(ids)
        for place, row in enumerate(rows):
            if not done[place] and len(row) < CONTEXT:
                token = int(logits[place, len(row) - 1].argmax())
                done[place] = token == 0
                if token:
                    row.append(token)
        if all(done):
            break
    return [row[len(prompt) :] for row, prompt in zip(rows, prompts)]


def shares(model, material, device, keep):
    """How often each kind of question is answered as it should be, word for word."""
    rng = np.random.default_rng(SEED + 1)
    groups, fixed = material.groups, material.fixed
    around = groups["new"]

    def others(count):
        return [around[i] for i in rng.integers(len(around), size=count)]

    cases = {}
    for name in ("tuned", "store", "fresh"):
        cases[f"{name}, no source: the text"] = [(material.prompt([], material.damaged(w, rng, keep)), material.text(w)) for w in groups[name]]
        cases[f"{name}, no source: not known"] = [(material.prompt([], material.damaged(w, rng, keep)), fixed["not_known"]) for w in groups[name]]
        cases[f"{name}, other sources: not in them"] = [(material.prompt(others(4), material.damaged(w, rng, keep)), fixed["not_in_sources"]) for w in groups[name]]
    rows = []
    for w in groups["store"]:
        place = int(rng.integers(4))
        sources = others(4)
        sources[place] = w
        rows.append((material.prompt(sources, material.damaged(w, rng, keep)), material.text(w) + fixed[f"cite_{place + 1}"]))
    cases["store, among the sources: the text"] = rows
    found = {}
    for name, rows in cases.items():
        answers = written(model, [prompt for prompt, _ in rows], device)
        found[name] = round(float(np.mean([a == b for a, (_, b) in zip(answers, rows)])), 3)
    return found


def train(out, steps):
    material = Material()
    recipes = {"base": BASE | {"steps": steps or BASE["steps"]}, "fine-tuned": TUNE}
    supply = {name: batches(material, recipes[name], name == "fine-tuned") for name in recipes}
    import torch

    demo_lm.CONTEXT, demo_lm.WIDTH, demo_lm.LAYERS, demo_lm.HEADS = CONTEXT, WIDTH, LAYERS, HEADS
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = demo_lm.build(SEED).to(device)
    print(sum(p.numel() for p in model.parameters()), "parameters", flush=True)
    log = {}
    for name, settings in recipes.items():
        fit(model, *supply[name], settings, device)
        demo_lm.write_safetensors(out / name / "model.safetensors", model.state_dict())
        for keep in (0.5, 0.8):
            log[f"{name}, {keep} kept"] = shares(model, material, device, keep)
            print(name, keep, json.dumps(log[f"{name}, {keep} kept"], indent=1), flush=True)
    (out / "answers.json").write_text(json.dumps(log, indent=1) + "\n")


def export():
    demo_lm.CONTEXT, demo_lm.WIDTH, demo_lm.LAYERS, demo_lm.HEADS = CONTEXT, WIDTH, LAYERS, HEADS
    folder = DATA / "model"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(WORK / "fine-tuned" / "model.safetensors", folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(demo_lm.config(), indent=2) + "\n")
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    for name in ("pretrained", "retrieved", "fresh", "store"):
        shutil.copy(WORK / f"{name}.jsonl.gz", DATA / f"{name}.jsonl.gz")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["prepare", "train", "export"])
    parser.add_argument("--out", type=Path, default=WORK, help="train: where the weights go")
    parser.add_argument("--steps", type=int, help="train: steps of the base")
    arguments = parser.parse_args()
    if arguments.step == "prepare":
        prepare()
    elif arguments.step == "train":
        train(arguments.out, arguments.steps)
    else:
        export()
