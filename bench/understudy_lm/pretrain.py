"""Trains a small base model of its own family from nothing, for as many seconds as given.

    python pretrain.py FOLDER NAME TOKENS.npy SECONDS

FOLDER/NAME receives a model of Hugging Face's layout, its weights before its configuration; TOKENS.npy holds the ids of one long text.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForCausalLM

import bases


def main():
    folder, name, tokens, seconds = Path(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    ids = torch.from_numpy(np.load(tokens).astype(np.int64)).cuda()
    model = AutoModelForCausalLM.from_config(bases.fresh(name, int(ids.max()) + 1)).cuda()
    count = sum(p.numel() for p in model.parameters())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1, fused=True, betas=(0.9, 0.95))
    batch, length, began, step = 64, 512, time.time(), 0
    while (spent := time.time() - began) < seconds:
        share = spent / seconds
        rate = 1e-3 * min(1.0, step / 100) * max(0.02, 1 - share)
        for group in optimizer.param_groups:
            group["lr"] = rate
        starts = torch.randint(0, len(ids) - length, (batch,), device="cuda")
        x = ids[starts[:, None] + torch.arange(length, device="cuda")]
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(x, labels=x, use_cache=False).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % 100 == 0:
            print(f"{name} {count/1e6:.1f}M step {step} {spent:.0f} s loss {loss.item():.3f}", flush=True)
    # Who waits for a model waits for its configuration: that comes last.
    with tempfile.TemporaryDirectory(dir=folder) as made:
        model.cpu().save_pretrained(made)
        for file in sorted(Path(made).iterdir(), key=lambda file: file.name == "config.json"):
            file.rename(folder / name / file.name)
    print(f"{name}: {step} steps, {step * batch * length / 1e6:.0f}M tokens, loss {loss.item():.3f}", flush=True)


if __name__ == "__main__":
    main()
