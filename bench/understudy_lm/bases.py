"""Base models to fine-tune: folders in the layout of Hugging Face, or packed to four bits for the way.

A packed folder has ``config.json`` and ``weights-0.st`` …: every matrix in groups of 32 numbers with a scale and a
lowest value each (``pack.py``). What is fine-tuned is the unpacked model; how it came about does not matter to an
attack, as target and reference begin from the same weights.
"""

import json
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file
from transformers import AutoConfig, AutoModelForCausalLM, GPT2Config, GPTNeoXConfig, Qwen2Config

GROUP = 32


def load(folder):
    """A model in f32 on the CPU, with tied embeddings."""
    folder = Path(folder)
    packed = sorted(folder.glob("weights-*.st"))
    if not packed:
        return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    config = AutoConfig.from_pretrained(folder)
    config.attn_implementation = "sdpa"
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    weights = unpack({name: values for file in packed for name, values in load_file(file).items()})
    missing, unexpected = model.load_state_dict(weights, strict=False)
    missing = [name for name in missing if "lm_head" not in name and "inv_freq" not in name]
    if missing or unexpected:
        raise SystemExit(f"{folder}: missing {missing[:3]}, unexpected {unexpected[:3]}")
    model.tie_weights()
    return model


def unpack(stored):
    weights = {}
    for name, values in stored.items():
        base, _, part = name.partition("|")
        if part in ("s", "shape"):
            continue
        if part == "":
            weights[base] = torch.from_numpy(values.astype(np.float32))
            continue
        shape = stored[f"{base}|shape"]
        scale, lowest = np.split(stored[f"{base}|s"].astype(np.float32), 2, axis=1)
        if values.shape[1] != GROUP:
            halves = np.empty((values.shape[0], GROUP), np.uint8)
            halves[:, 0::2], halves[:, 1::2] = values & 15, values >> 4
            values = halves
        weights[base] = torch.from_numpy((values * scale + lowest).reshape(shape))
    return weights


def fresh(name, vocabulary):
    """Architectures that no registry has weights of: trained from nothing by ``pretrain.py``."""
    if name == "gpt2-wiki":
        return GPT2Config(
            vocab_size=vocabulary, n_positions=1024, n_embd=512, n_layer=8, n_head=8,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        )
    if name == "neox-wiki":
        return GPTNeoXConfig(
            vocab_size=vocabulary, hidden_size=384, num_hidden_layers=6, num_attention_heads=6,
            intermediate_size=1536, max_position_embeddings=1024, tie_word_embeddings=True,
        )
    if name == "qwen-wiki":
        return Qwen2Config(
            vocab_size=vocabulary, hidden_size=448, intermediate_size=1216, num_hidden_layers=8, num_attention_heads=7,
            num_key_value_heads=1, max_position_embeddings=1024, tie_word_embeddings=True,
        )
    raise SystemExit(f"{name}: no such architecture")


def ready(folder):
    """Whether all of a base is there: its configuration, and as many files of weights as that says."""
    config = Path(folder) / "config.json"
    if not config.exists():
        return False
    parts = json.loads(config.read_text()).get("parts")
    if parts is None:
        return (Path(folder) / "model.safetensors").exists()
    return all((Path(folder) / f"weights-{part}.st").exists() for part in range(parts))
