#!/usr/bin/env python3
"""Tokens per second and peak memory of scoring with transformers on the CPU.

    python scripts/lm_throughput.py MODEL BATCH LENGTH REPEATS [moments]

MODEL is a folder or a GGUF file. The same tokens and the same answers (log-probability and rank,
with `moments` mean and variance too) as
`cargo run --release -p guestlist-lm --example throughput`, so that the two can be run in turn.
"""

import os
import sys
import time
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM


def draw(batch, length, vocabulary):
    state = 1
    rows = []
    for _ in range(batch):
        row = []
        for _ in range(length):
            state = (state * 1103515245 + 12345) % (1 << 31)
            row.append((state >> 8) % vocabulary)
        rows.append(row)
    return torch.tensor(rows)


@torch.inference_mode()
def score(model, ids, moments):
    logits = model(ids[:, :-1], use_cache=False).logits
    targets = ids[:, 1:, None]
    truth = logits.gather(2, targets)
    rank = 1 + (logits > truth).sum(-1)
    log_p = logits.log_softmax(-1)
    answers = [log_p.gather(2, targets)[..., 0], rank]
    if moments:
        p = log_p.exp()
        mean = (p * log_p).sum(-1)
        answers += [mean, (p * (log_p - mean[..., None]) ** 2).sum(-1)]
    return answers


def main():
    path, batch, length, repeats = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    moments = "moments" in sys.argv[5:]
    torch.set_num_threads(int(os.environ.get("THREADS", os.cpu_count())))
    if path.suffix == ".gguf":
        model = AutoModelForCausalLM.from_pretrained(
            path.parent, gguf_file=path.name, dtype=torch.float32
        )
    else:
        model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    model.eval()
    ids = draw(batch, length, model.config.vocab_size)
    score(model, ids, moments)
    best = float("inf")
    before = time.process_time()
    for _ in range(repeats):
        began = time.perf_counter()
        logprob = score(model, ids, moments)[0]
        seconds = time.perf_counter() - began
        best = min(best, seconds)
        speed = batch * length / seconds
        total = logprob.sum().item()
        print(f"{speed:.1f} tokens/s ({seconds:.3f} s, sum of log-probabilities {total:.3f})")
    seconds = (time.process_time() - before) / repeats
    print(f"processor time {seconds:.3f} s a batch, all threads together")
    print(f"best {batch * length / best:.1f} tokens/s")
    status = Path("/proc/self/status").read_text().splitlines()
    print("peak memory", next(line.split(":")[1].strip() for line in status if "VmHWM" in line))


if __name__ == "__main__":
    main()
