"""Fine-tunes whose members are known, and what target and reference made of every token.

    python finetunes.py BASES CORPORA OUT COUNT SECONDS [WORKERS]

BASES holds a folder per base model, CORPORA token ids per base and corpus (``tokenise.py``). Fine-tune i is drawn from
seed i alone: base, corpus, length of texts, how many, epochs, full or LoRA, learning rate, or nothing learnt. OUT receives
``i.npz`` (signals of the reference and of up to three targets, members) and ``i.json`` (what it was). Workers claim
fine-tunes one by one.

The targets: the fine-tuned model (`end`), the same after one of its earlier epochs (`epoch`), and one whose weights lie
between those of the reference and its own (`between`): gentler ones that cost no training.
"""

import copy
import gc
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

import bases

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
KEPT = 600
# From this number on, fine-tunes come in pairs: one to audit, and a shadow of it.
PAIRED = 100_000
BASES = {"smol": 5, "gemma": 4, "stories": 4, "gpt2-wiki": 4, "neox-wiki": 4, "qwen-wiki": 4}
LARGE = ("smol", "gemma")
# Learning rates, of which logarithms are drawn evenly: from hardly anything learnt to learnt by heart, whatever the base.
FULL_LARGE, FULL_SMALL, LORA = (4e-6, 2e-4), (1.5e-5, 8e-4), (5e-5, 2e-3)
# Tokens of a training step at the most.
STEP = 4096


def drawn(i, corpora):
    """The recipe of fine-tune i."""
    rng = random.Random(f"fine-tune {i - i % 2 if i >= PAIRED else i}")
    base = rng.choices(list(BASES), list(BASES.values()))[0]
    corpus = rng.choice(sorted(corpora))
    length = rng.choice((32, 64, 128, 128, 128, 256, 512))
    lora = rng.random() < 0.3
    epochs = rng.choice((1, 1, 1, 2, 2, 3, 3, 4, 5))
    if epochs >= 4:
        length = min(length, 256)
    texts = rng.choice((250, 500, 500, 1000, 2000))
    if length >= 256 or base in LARGE:
        texts = min(texts, 1000)
    least, most = LORA if lora else FULL_LARGE if base in LARGE else FULL_SMALL
    null = rng.random() < 0.06
    shadow = None
    if i >= PAIRED:  # The same recipe twice, on texts of the same corpus that the other never saw.
        shadow, null, texts = i % 2 == 1, False, min(texts, 500)
    return {
        "shadow": shadow, "number": i, "base": base, "corpus": corpus, "length": length, "epochs": epochs, "lora": lora,
        "rank": rng.choice((8, 16, 32)) if lora else 0, "rate": least * (most / least) ** rng.random(), "texts": texts,
        "null": null, "batch": min(rng.choice((8, 16, 16, 32)), STEP // length),
        # Signals are read in single precision or, as many do, in brain floats.
        "brain": rng.random() < 0.25, "share": 0.04 * (0.7 / 0.04) ** rng.random(),
    }


class Lora(nn.Module):
    def __init__(self, linear, rank):
        super().__init__()
        self.linear, self.scale = linear, 2.0
        self.down = nn.Parameter(torch.randn(rank, linear.in_features, device=DEVICE) / linear.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank, device=DEVICE))

    def forward(self, x):
        return self.linear(x) + self.scale * ((x @ self.down.to(x.dtype).T) @ self.up.to(x.dtype).T)


def adapt(model, rank):
    """LoRA on every projection of the blocks but GPT-2's, whose layers are no Linear: there on those that are."""
    for p in model.parameters():
        p.requires_grad_(False)
    from transformers.pytorch_utils import Conv1D

    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, Conv1D):
                linear = nn.Linear(child.weight.shape[0], child.weight.shape[1], device=DEVICE)
                linear.weight.data, linear.bias.data = child.weight.data.T.contiguous(), child.bias.data
                for p in linear.parameters():
                    p.requires_grad_(False)
                child = linear
            elif not isinstance(child, nn.Linear) or "head" in name or "embed_out" in name:
                continue
            setattr(module, name, Lora(child, rank))
    return [p for p in model.parameters() if p.requires_grad]


def chunks(ids, lengths, length, wanted, rng, begin=None):
    """Pieces of at most `length` tokens, at least a quarter of it, of documents in random order; each begins with the
    token that the base model knows beginnings by, if it does."""
    front = np.array([] if begin is None else [begin], ids.dtype)
    length -= len(front)
    ends = np.cumsum(lengths)
    order = rng.permutation(len(lengths))
    found = []
    for d in order:
        document = ids[ends[d] - lengths[d] : ends[d]]
        for at in range(0, len(document), length):
            piece = document[at : at + length]
            if len(piece) >= max(12, length // 4):
                found.append(np.concatenate([front, piece]))
        if len(found) >= 3 * wanted:
            break
    rng.shuffle(found)
    return found[:wanted]


def padded(texts, length):
    ids = torch.zeros(len(texts), length, dtype=torch.long)
    labels = torch.full((len(texts), length), -100)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.from_numpy(text.astype(np.int64))
        labels[row, : len(text)] = ids[row, : len(text)]
    return ids.to(DEVICE), labels.to(DEVICE)


def train(model, parameters, ids, labels, recipe, after):
    """AdamW with a linear decay; the step is recorded once and replayed. `after` hears of every epoch but the last."""
    batch, count = recipe["batch"], len(ids)
    batch = min(batch, count)
    per_epoch = count // batch
    total = per_epoch * recipe["epochs"]
    rate = torch.tensor(recipe["rate"], device=DEVICE)
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.0, capturable=DEVICE == "cuda", fused=True)
    x, y = ids[:batch].clone(), labels[:batch].clone()

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(DEVICE, dtype=torch.bfloat16, cache_enabled=False):
            logits = model(x, use_cache=False).logits
        loss = nn.functional.cross_entropy(logits[:, :-1].float().flatten(0, 1), y[:, 1:].flatten(), ignore_index=-100)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0, foreach=True)
        optimizer.step()
        return loss

    generator = torch.Generator().manual_seed(recipe["number"])
    replay, done, loss = None, 0, None
    for epoch in range(1, recipe["epochs"] + 1):
        order = torch.randperm(count, generator=generator)[: per_epoch * batch].view(per_epoch, batch).to(DEVICE)
        for rows in order:
            rate.fill_(recipe["rate"] * (1 - 0.9 * done / total))
            x.copy_(ids[rows])
            y.copy_(labels[rows])
            if replay is None and done >= 3 and DEVICE == "cuda":
                replay = torch.cuda.CUDAGraph()
                optimizer.zero_grad(set_to_none=True)
                with torch.cuda.graph(replay):
                    loss = step()
            if replay is not None:
                replay.replay()
            elif DEVICE == "cuda":
                side = torch.cuda.Stream()
                side.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(side):
                    loss = step()
                torch.cuda.current_stream().wait_stream(side)
            else:
                loss = step()
            done += 1
        if epoch < recipe["epochs"]:
            after(epoch)
    last = loss.item()
    del replay, optimizer, loss
    return last


SIGNALS = ("logprob", "mean", "deviation", "rank", "largest")


@torch.no_grad()
def signals(model, ids, brain):
    """[texts, length - 1, 5]: what the model made of each token but the first."""
    out = []
    rows = max(1, (1 << 26 if DEVICE == "cuda" else 1 << 24) // model.config.vocab_size // ids.shape[1])
    for begin in range(0, len(ids), rows):
        x = ids[begin : begin + rows]
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=brain):
            logits = model(x, use_cache=False).logits[:, :-1].float()
        p = torch.log_softmax(logits, -1)
        truth = p.gather(2, x[:, 1:, None])
        weights = p.exp()
        mean = (weights * p).sum(-1)
        variance = (weights * (p - mean[..., None]) ** 2).sum(-1)
        rank = (p > truth).sum(-1) + 1
        out.append(torch.stack([truth[..., 0], mean, variance.sqrt(), rank.float().log(), p.amax(-1)], -1))
        del logits, p, weights
    return torch.cat(out)


@torch.no_grad()
def move_towards(model, base, share):
    """Leaves this share of what fine-tuning changed."""
    adapters = [module for module in model.modules() if isinstance(module, Lora)]
    for module in adapters:
        module.scale *= share
    if not adapters:
        for own, before in zip(model.parameters(), base.parameters()):
            own.copy_(before + share * (own - before))


def make(recipe, folder, corpora, models):
    began = time.time()
    base = models.get(recipe["base"])
    if base is None:
        base = models[recipe["base"]] = bases.load(Path(folder) / recipe["base"]).to(DEVICE).eval()
    paired = recipe["shadow"] is not None
    rng = np.random.default_rng(recipe["number"] - recipe["number"] % 2 if paired else recipe["number"])
    stored = corpora(recipe["base"])
    n, corpus, begin = recipe["texts"], recipe["corpus"], stored.get("begin")
    found = chunks(stored[corpus + "|ids"], stored[corpus + "|len"], recipe["length"], 4 * n, rng, begin)
    n = min(n, len(found) // 4 if paired else len(found) // 3 if recipe["null"] else len(found) // 2)
    if recipe["shadow"]:
        found = found[2 * n :]
    if n < 100:
        return None
    model = copy.deepcopy(base)
    audited = found[: 2 * n]
    trained = found[2 * n : 3 * n] if recipe["null"] else found[:n]
    length = max(len(text) for text in audited + trained)
    kept = np.concatenate([np.arange(min(n, KEPT)), n + np.arange(min(n, KEPT))])
    asked, _ = padded([audited[i] for i in kept], length)
    lengths = np.array([len(audited[i]) for i in kept], np.int32)
    read = lambda: signals(model, asked, recipe["brain"])
    reference, targets = read(), {}
    parameters = adapt(model, recipe["rank"]) if recipe["lora"] else list(model.parameters())
    looked = int(rng.integers(1, max(2, recipe["epochs"])))

    def after(epoch):
        if epoch == looked:
            targets["epoch"] = read()

    loss = train(model, parameters, *padded(trained, length), recipe, after)
    targets["end"] = read()
    move_towards(model, base, recipe["share"])
    targets["between"] = read()
    values = {name: target.cpu().numpy() for name, target in {"reference": reference, **targets}.items()}
    if not all(np.isfinite(v).all() for v in values.values()):
        return None
    about = {**recipe, "used": int(n), "loss": loss, "looked": looked, "seconds": time.time() - began}
    return {**values, "lengths": lengths, "member": kept < n}, about


def work(folder, corpora_folder, out, count, until):
    torch.set_float32_matmul_precision("high")
    torch.backends.cuda.matmul.allow_tf32 = True
    cache, models = {}, {}

    def corpora(base):
        if base not in cache:
            cache[base] = dict(np.load(Path(corpora_folder) / f"{base}.npz"))
        return cache[base]

    names = (Path(corpora_folder) / "names").read_text().split()
    while time.time() < until:
        for i in [*range(count // 12), *range(PAIRED, PAIRED + count // 40), *range(count // 12, count)]:
            recipe = drawn(i, names)
            # A base that is still being trained has its turn later.
            ready = bases.ready(Path(folder) / recipe["base"]) and (Path(corpora_folder) / f"{recipe['base']}.npz").exists()
            if time.time() > until or not ready or not claimed(out / f"{i}.claim"):
                continue
            attempt(i, recipe, folder, corpora, models, out)
        time.sleep(2)


def claimed(place):
    try:
        os.mkdir(place)
    except FileExistsError:
        return False
    return True


def attempt(i, recipe, folder, corpora, models, out):
    try:
        made = make(recipe, folder, corpora, models)
    except torch.cuda.OutOfMemoryError as error:
        print(i, "memory", str(error)[:80], flush=True)
        made = None
    except torch.AcceleratorError as error:
        # Nothing that this process asks of the device would succeed any more.
        print(i, "device", str(error)[:80], flush=True)
        os.execv(sys.executable, [sys.executable, *sys.argv])
    gc.collect()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
    if made is None:
        print(i, "left out", recipe, flush=True)
        return
    values, about = made
    np.savez(out / f"{i}.npz", **values)
    (out / f"{i}.json").write_text(json.dumps(about))
    print(json.dumps(about), flush=True)


def main():
    folder, corpora, out, count, until = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
    out.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) > 6:
        until += time.time()
        command = [sys.executable, __file__, folder, corpora, str(out), str(count), str(until)]
        workers = [subprocess.Popen(command) for _ in range(int(sys.argv[6]))]
        sys.exit(max(worker.wait() for worker in workers))
    work(folder, corpora, out, count, until)


if __name__ == "__main__":
    main()
