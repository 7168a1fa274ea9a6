"""EZ-MIA's protocol (arXiv:2601.12104, and its published code): texts, fine-tunes, references."""

import random

import torch
from torch.nn.functional import cross_entropy

WORDS, TOKENS = 128, 128
RATE, BATCH = 1e-4, 16
LORA = {"r": 16, "lora_alpha": 32, "lora_dropout": 0.05}
PROMPT, GENERATED, TEMPERATURE, TOP_P = 16, 112, 0.9, 0.9
DISTILLING = 4


def pieces(path):
    """128 words after one another of one long text, as the published code cuts WikiText."""
    words = open(path, encoding="utf-8").read().split()
    return [" ".join(words[i : i + WORDS]) for i in range(0, len(words) - WORDS + 1, WORDS)]


def sets(path, count, seed):
    """Members, non-members, and texts for prompts that are neither."""
    found = pieces(path)
    random.Random(seed).shuffle(found)
    count = min(count, len(found) * 2 // 5)
    return found[:count], found[count : 2 * count], found[2 * count :]


def device():
    return "cuda" if torch.cuda.is_available() else "cpu"


def encoded(tokenizer, texts):
    """Token ids padded on the right, and labels that leave the padding out."""
    ids = [tokenizer(text)["input_ids"][:TOKENS] for text in texts]
    longest = max(map(len, ids))
    rows = torch.zeros(len(ids), longest, dtype=torch.long)
    labels = torch.full((len(ids), longest), -100)
    for row, tokens in enumerate(ids):
        rows[row, : len(tokens)] = labels[row, : len(tokens)] = torch.tensor(tokens)
    return rows, labels


def train(model, tokenizer, texts, epochs, seed=1337, told=print):
    """AdamW, linear decay, no warm-up. Yields after each epoch."""
    torch.manual_seed(seed)
    ids, labels = encoded(tokenizer, texts)
    model.to(device()).train()
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=RATE)
    steps = epochs * -(-len(ids) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / steps))
    for epoch in range(1, epochs + 1):
        total = 0.0
        for rows in torch.randperm(len(ids)).split(BATCH):
            with torch.autocast(device(), dtype=torch.bfloat16, enabled=device() == "cuda"):
                logits = model(ids[rows].to(device())).logits
            loss = cross_entropy(logits[:, :-1].float().flatten(0, 1), labels[rows][:, 1:].flatten().to(device()))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(rows)
        told(f"  epoch {epoch}: loss {total / len(ids):.3f}")
        model.eval()
        yield epoch
        model.train()
    model.eval()


def adapted(model):
    from peft import LoraConfig, get_peft_model

    return get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", target_modules="all-linear", **LORA))


@torch.no_grad()
def generated(model, tokenizer, texts, count, seed):
    """What the target goes on to say after the first tokens of public texts."""
    torch.manual_seed(seed)
    prompts = [tokenizer(text)["input_ids"][:PROMPT] for text in texts[:count]]
    prompts = [prompt for prompt in prompts if len(prompt) == PROMPT]
    said = []
    for first in range(0, len(prompts), (32 if device() == "cuda" else 4) * BATCH):
        batch = torch.tensor(prompts[first : first + (32 if device() == "cuda" else 4) * BATCH], device=device())
        out = model.generate(batch, attention_mask=torch.ones_like(batch), max_new_tokens=GENERATED, do_sample=True,
                             temperature=TEMPERATURE, top_p=TOP_P, pad_token_id=0)
        said += tokenizer.batch_decode(out, skip_special_tokens=True)
    return said
