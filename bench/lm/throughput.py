#!/usr/bin/env python3
"""Tokens per second of scoring texts on one GPU: plain transformers beside `guestlist.collect`.

    python3 bench/lm/throughput.py [135m] [1.2b] [--precision bfloat16,float32] [--out results.json]

Both score the same tokens of the same model (random weights: speed does not depend on them) and copy their
answers to the host. "plain" is a model's logits, log-softmax, gather, rank, mean and variance, as a user writes
it; "plain, two answers" leaves out mean and variance; "collect" gives all five answers of `collect.tokens`, with
sorting, padding and unpacking, and "collect, as a table" makes the table of PyArrow of them too, where PyArrow is.
Without a GPU everything is made small, to see that it runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import types
from pathlib import Path

import numpy as np
import torch
import transformers

SOURCE = Path(__file__).resolve().parents[2] / "crates/python/python/guestlist"
try:
    import guestlist  # noqa: F401
except ImportError:
    # Collecting needs nothing of the compiled part.
    package = types.ModuleType("guestlist")
    package.__path__ = [str(SOURCE)]
    sys.modules["guestlist"] = package
    collecting = types.ModuleType("guestlist.collect")
    collecting.__path__ = [str(SOURCE / "collect")]
    sys.modules["guestlist.collect"] = collecting
from guestlist.collect import _head, _scoring, _statistics, _tokens  # noqa: E402

GPU = torch.cuda.is_available()
DEVICE = torch.device("cuda" if GPU else "cpu")
SHAPES = {
    "135m": {
        "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30, "num_attention_heads": 9,
        "num_key_value_heads": 3, "vocab_size": 49_152, "rope_theta": 100_000.0, "tie_word_embeddings": True,
    },
    "1.2b": {
        "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 32,
        "num_key_value_heads": 8, "vocab_size": 128_256, "rope_theta": 500_000.0, "tie_word_embeddings": True,
    },
}  # fmt: skip
SIZES = ((8, 128), (64, 512))
BATCHES = 8 if GPU else 2
"""Batches that one timing goes through, so that what overlaps may overlap."""


def waited() -> float:
    if GPU:
        torch.cuda.synchronize()
    return time.perf_counter()


def made(shape: dict, precision: torch.dtype):
    shape = dict(shape)
    if not GPU:
        shape |= {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
        shape |= {"num_key_value_heads": 2, "vocab_size": 1000}
    base = shape.pop("rope_theta")
    config = transformers.LlamaConfig(
        **shape, max_position_embeddings=2048, attn_implementation="sdpa", rope_theta=base
    )
    torch.manual_seed(0)
    with torch.device(DEVICE):
        model = transformers.LlamaForCausalLM(config)
    return model.to(precision).eval()


@torch.no_grad()
def plain(model, texts: np.ndarray, moments: bool) -> list:
    """As `scripts/lm_throughput.py` scores, and the answers on the host."""
    ids = torch.from_numpy(texts).to(DEVICE)
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
    return [answer.float().cpu() for answer in answers]


def collected(model, texts: np.ndarray):
    return _scoring.scored(model, texts.tolist(), batch_size=None if GPU else 8)


class Numbers:
    """A tokenizer of texts that are numbers already."""

    def __init__(self, texts: np.ndarray) -> None:
        self.rows = texts.tolist()

    def __call__(self, text: str) -> dict:
        return {"input_ids": self.rows[int(text)]}


def as_table(model, texts: np.ndarray):
    names = [str(row) for row in range(len(texts))]
    return _tokens.token_table(model, Numbers(texts), names, [False] * len(names))


def ways(batch: int) -> dict:
    """Each takes many texts; plain ways take them a batch at a time."""

    def in_batches(moments):
        def go(model, texts):
            return [plain(model, texts[row : row + batch], moments) for row in range(0, len(texts), batch)]

        return go

    found = {"plain": in_batches(True), "plain, two answers": in_batches(False), "collect": collected}
    try:
        import pyarrow  # noqa: F401

        found["collect, as a table"] = as_table
    except ImportError:
        pass
    return found


def timed(way, model, texts: np.ndarray, repeats: int) -> dict:
    if GPU:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    way(model, texts)
    seconds = []
    for _ in range(repeats):
        began = waited()
        way(model, texts)
        seconds.append(waited() - began)
    found = {"best": texts.size / min(seconds), "median": texts.size / statistics.median(seconds)}
    if GPU:
        found["peak GiB"] = torch.cuda.max_memory_allocated() / 2**30
    return found


def agreement(model, texts: np.ndarray) -> dict:
    """How far both ways are from float64 statistics of the same logits, and from each other, on a few texts."""
    few = texts[:4, :64]
    found = collected(model, few)
    reference = plain(model, few, True)
    own = found.values["logprob"].reshape(few.shape)[:, 1:]
    ranks = found.values["rank"].reshape(few.shape)[:, 1:]
    with torch.no_grad():
        ids = torch.from_numpy(few).to(DEVICE)
        exact = model(ids[:, :-1], use_cache=False).logits.double().log_softmax(-1)
        exact = exact.gather(2, ids[:, 1:, None])[..., 0].cpu().numpy()
    return {
        "collect from float64": float(np.abs(own - exact).max()),
        "plain from float64": float(np.abs(reference[0].numpy() - exact).max()),
        "ranks that differ": float((ranks != reference[1].numpy()).mean()),
    }


def measured(name: str, precision: str, repeats: int) -> list[dict]:
    model = made(SHAPES[name], getattr(torch, precision))
    size = sum(parameter.numel() for parameter in model.parameters())
    print(f"\n{name} ({size / 1e9:.3f} billion parameters), {precision}", flush=True)
    rng, rows = np.random.default_rng(1), []
    for batch, length in SIZES:
        texts = rng.integers(0, model.config.vocab_size, size=(batch * BATCHES, length))
        speeds = {}
        for way, function in ways(batch).items():
            try:
                speeds[way] = timed(function, model, texts, repeats)
            except torch.cuda.OutOfMemoryError:
                print(f"  {batch} x {length} {way}: out of memory", flush=True)
                continue
            row = {"model": name, "precision": precision, "batch": batch, "length": length, "way": way}
            rows.append(row | speeds[way])
            speed, beside = speeds[way]["best"], speeds.get("plain", speeds[way])["best"]
            print(
                f"  {batch:3} x {length:3} {way:20} {speed:12,.0f} tokens/s (median {speeds[way]['median']:12,.0f}), "
                f"{speed / beside:5.2f} x plain, {speeds[way].get('peak GiB', 0.0):6.1f} GiB",
                flush=True,
            )
        rows.append({"model": name, "precision": precision, "agreement": agreement(model, texts)})
        print("     ", rows[-1]["agreement"], flush=True)
    print("      logits in blocks:", _head.Head(model, texts[0, :64].tolist()).in_blocks,
          "| fused kernel:", _statistics._kernel.get("rows") is not None, flush=True)  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", help=f"of {', '.join(SHAPES)}; all by default")
    parser.add_argument("--precision", default="bfloat16,float32" if GPU else "float32")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    device = torch.cuda.get_device_name(0) if GPU else "no GPU: small shapes, to see that it runs"
    print(f"torch {torch.__version__}, transformers {transformers.__version__}, {device}")
    rows = []
    for name in given.models or SHAPES:
        for precision in given.precision.split(","):
            rows += measured(name, precision, given.repeats)
            if GPU:
                torch.cuda.empty_cache()
    if given.out:
        given.out.write_text(json.dumps({"device": device, "torch": torch.__version__, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
