#!/usr/bin/env python3
"""Tokens per second of scoring with transformers on a GPU, and models to measure with.

    python bench/lm/transformers_gpu.py make SHAPE FOLDER
    python bench/lm/transformers_gpu.py time FOLDER BATCH LENGTH REPEATS [f32]

`make` writes a model with random weights in bf16 and a tokenizer of its size; shapes are
smollm2-135m and llama-3.2-1b. `time` draws the same tokens as

    cargo run --release -p guestlist-lm --features cuda --example throughput -- \\
        FOLDER BATCH LENGTH REPEATS moments cuda bf16 agreement

and says how fast transformers is, in bf16 unless f32 is said, with its own attention (SDPA): the
model alone; with log-probabilities and ranks, and with means and variances too, of logits as they
come and of logits in f32, which is what the example computes. Then how far log-probabilities lie from
those of the model in f32.
"""

import sys
import time
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

DEVICE = "cuda"
SHAPES = {
    "smollm2-135m": dict(
        hidden_size=576, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3,
        intermediate_size=1536, vocab_size=49_152, theta=100_000.0,
    ),
    "llama-3.2-1b": dict(
        hidden_size=2048, num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8,
        intermediate_size=8192, vocab_size=128_256, theta=500_000.0,
    ),
}
# So that logits spread as those of a trained model do, by about 3.
SPREAD = 3.0


def make(shape, folder):
    from tokenizers import Tokenizer, models

    settings = dict(SHAPES[shape])
    config = LlamaConfig(
        rope_parameters={"rope_type": "default", "rope_theta": settings.pop("theta")},
        max_position_embeddings=8192, tie_word_embeddings=True, rms_norm_eps=1e-5, **settings,
    )
    torch.manual_seed(1)
    with torch.device(DEVICE):
        model = LlamaForCausalLM(config)
    with torch.no_grad():
        table = model.get_input_embeddings().weight
        table.normal_(0.0, SPREAD / settings["hidden_size"] ** 0.5)
    model.to(torch.bfloat16).save_pretrained(folder)
    words = {f"w{token}": token for token in range(settings["vocab_size"])}
    Tokenizer(models.WordLevel(words, unk_token="w0")).save(str(Path(folder) / "tokenizer.json"))


def draw(batch, length, vocabulary):
    state = 1
    rows = []
    for _ in range(batch):
        row = []
        for _ in range(length):
            state = (state * 1103515245 + 12345) % (1 << 31)
            row.append((state >> 8) % vocabulary)
        rows.append(row)
    return torch.tensor(rows, device=DEVICE)


@torch.inference_mode()
def alone(model, ids, _moments):
    return [model(ids[:, :-1], use_cache=False).logits]


@torch.inference_mode()
def score(model, ids, moments, exactly=False):
    logits = model(ids[:, :-1], use_cache=False).logits
    if exactly:
        logits = logits.float()
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


def score_exactly(model, ids, moments):
    return score(model, ids, moments, exactly=True)


def best(work, model, ids, moments, repeats):
    """Seconds, answers on the host; what does not fit is None."""
    seconds = []
    try:
        for _ in range(repeats + 2):
            torch.cuda.synchronize()
            began = time.perf_counter()
            answers = work(model, ids, moments)
            if work is not alone:
                answers = [answer.cpu() for answer in answers]
            torch.cuda.synchronize()
            seconds.append(time.perf_counter() - began)
            del answers
    except torch.OutOfMemoryError:
        return None
    return min(seconds[2:])


def measure(folder, batch, length, repeats, words):
    kind = torch.float32 if "f32" in words else torch.bfloat16
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=kind).to(DEVICE).eval()
    ids = draw(batch, length, model.config.vocab_size)
    for name, work, moments in [
        ("model alone", alone, False),
        ("log-probabilities and ranks", score, False),
        ("the same of logits in f32", score_exactly, False),
        ("with means and variances", score, True),
        ("the same of logits in f32", score_exactly, True),
    ]:
        seconds = best(work, model, ids, moments, repeats)
        shown = "out of memory" if seconds is None else f"{batch * length / seconds:.0f} tokens/s"
        print(f"transformers, {name}: {shown}", flush=True)
    few = ids[:8]
    rough = score_exactly(model, few, False)[0]
    exact = score_exactly(model.float(), few, False)[0]
    far = (rough - exact).abs()
    print(f"transformers, from f32: mean {far.mean():.6f}, largest {far.max():.6f}", flush=True)


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3])
    else:
        measure(sys.argv[2], *map(int, sys.argv[3:6]), sys.argv[6:])


if __name__ == "__main__":
    main()
