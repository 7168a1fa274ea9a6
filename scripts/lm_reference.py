#!/usr/bin/env python3
"""Reference scores for the tests of crates/lm, by PyTorch and transformers in f32.

    pip install -r scripts/requirements-lm.txt
    python scripts/lm_reference.py checkpoints crates/lm/tests/data [--only NAME ...]
    python scripts/lm_reference.py score MODEL crates/lm/tests/data/texts.jsonl OUT.json
    python scripts/lm_reference.py convert LLAMA_CPP crates/lm/tests/data OUT_FOLDER
    python scripts/lm_reference.py continue SMOLLM2.gguf crates/lm/tests/data/smollm2.conversations.json
    python scripts/lm_reference.py vectors FOLDER crates/lm/tests/data/minilm.vectors.json

`checkpoints` makes small randomly initialised models (wide weights, so that a mistake shows), a
tokenizer trained on a few paragraphs, a sharded bf16 copy and LoRA adapters, and scores
`texts.jsonl` with each of them. `score` scores the same way with any folder or GGUF file; GGUF
weights are dequantised by transformers with the `gguf` package, and the tokenizer is rebuilt from
the file's metadata (`smollm` only). `convert` makes GGUF files of the small models with the converter
of a checkout of llama.cpp (its Python source suffices); `llama.gguf` of the test data came from it.

`continue` lays conversations out with the file's own chat template and continues them greedily.
`vectors` turns texts into vectors of unit length: by a BERT, whose last states are averaged, for a
folder with config.json; else with the Python package wordllama, whose folder is named.

A score file holds, for each text, its token ids and for each predicted position the log-probability,
the rank (1 + tokens with a strictly larger logit), and mean and variance of log-probabilities under
the model's own distribution, computed in f64 from f32 logits.
"""

import argparse
import json
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoModelForCausalLM

CORPUS = """
The lighthouse keeper counted 1,204 gulls on Tuesday and none on Wednesday. She wrote the number
down twice, because the first pen had run dry, and then she went to boil water for tea.
When the harbour froze in 1987, boats stood in the ice like teeth. Children walked between them and
knocked on the hulls to hear which were hollow.
def average(values): return sum(values) / len(values) if values else 0.0
A good map leaves things out. A better one says what it left out, and why it could not be helped.
Membership is a question about the past: was this sentence read, or only one that resembles it?
Über den Dächern lag Schnee; café, naïve, señor, straße. The train to Göteborg leaves at 06:45.
""".strip()

SEED = 20240607


def train_tokenizer(path):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS.splitlines(), trainer)
    tokenizer.save(str(path))


def widen(model):
    """Random weights wide enough for a distribution that is far from flat."""
    generator = torch.Generator().manual_seed(SEED)
    for name, parameter in sorted(model.named_parameters()):
        noise = torch.randn(parameter.shape, generator=generator)
        if parameter.dim() == 1:
            is_bias = name.endswith("bias")
            parameter.data = 0.2 * noise if is_bias else 1.0 + 0.2 * noise
        else:
            parameter.data = 0.25 * noise
    return model.float().eval()


def configurations():
    from transformers import GPT2Config, GPTNeoXConfig, LlamaConfig, Qwen2Config

    common = {"vocab_size": 320, "bos_token_id": 0, "eos_token_id": 0}
    wide = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    yield "gpt2", GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=96, **common)
    yield "llama", LlamaConfig(
        **wide,
        num_key_value_heads=2,
        intermediate_size=48,
        max_position_embeddings=256,
        tie_word_embeddings=True,
        rope_parameters={
            "rope_type": "llama3",
            "rope_theta": 10000.0,
            "factor": 4.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 64,
        },
        **common,
    )
    yield "qwen2", Qwen2Config(
        **wide, num_key_value_heads=2, intermediate_size=48, max_position_embeddings=256, **common
    )
    yield "gpt_neox", GPTNeoXConfig(
        **{**wide, "num_attention_heads": 2},
        intermediate_size=48,
        max_position_embeddings=256,
        rotary_pct=0.25,
        use_parallel_residual=True,
        **common,
    )
    yield "gpt_neox_serial", GPTNeoXConfig(
        **wide,
        intermediate_size=48,
        max_position_embeddings=256,
        rotary_pct=0.5,
        use_parallel_residual=False,
        hidden_act="gelu_new",
        **common,
    )
    yield "llama_yarn", LlamaConfig(
        **wide,
        head_dim=16,
        num_key_value_heads=4,
        intermediate_size=48,
        max_position_embeddings=256,
        attention_bias=True,
        mlp_bias=True,
        rope_parameters={
            "rope_type": "yarn",
            "rope_theta": 10000.0,
            "factor": 4.0,
            "original_max_position_embeddings": 64,
        },
        **common,
    )


def relatives():
    """Relatives of Llama, each with what sets it apart: windows shorter than the texts, caps that bite."""
    from transformers import (
        Gemma2Config,
        Gemma3TextConfig,
        MistralConfig,
        Olmo2Config,
        OlmoConfig,
        Phi3Config,
        Qwen3Config,
    )

    common = {"vocab_size": 320, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
    common |= {"tie_word_embeddings": True, "intermediate_size": 48, "max_position_embeddings": 256}
    common |= {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    shared = {"num_key_value_heads": 2}
    yield "mistral", MistralConfig(**common, **shared, sliding_window=11)
    yield "qwen3", Qwen3Config(**common, **shared, head_dim=12)
    yield "qwen3_window", Qwen3Config(
        **common, **shared, head_dim=8, use_sliding_window=True, sliding_window=9, max_window_layers=1
    )
    yield "gemma2", Gemma2Config(
        **common,
        **shared,
        head_dim=12,
        sliding_window=13,
        query_pre_attn_scalar=20,
        attn_logit_softcapping=2.5,
        final_logit_softcapping=4.0,
    )
    yield "gemma3", Gemma3TextConfig(
        **{**common, "num_hidden_layers": 3},
        num_key_value_heads=1,
        head_dim=12,
        sliding_window=10,
        query_pre_attn_scalar=14,
        layer_types=["sliding_attention", "sliding_attention", "full_attention"],
        rope_parameters={
            "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        },
    )
    yield "phi3", Phi3Config(**common, **shared, sliding_window=17)
    yield "phi3_long", Phi3Config(
        **common,
        original_max_position_embeddings=128,
        rope_parameters={
            "rope_type": "longrope",
            "rope_theta": 10000.0,
            "partial_rotary_factor": 0.75,
            "short_factor": [1.0, 1.3, 1.7],
            "long_factor": [1.0, 2.0, 4.0],
            "original_max_position_embeddings": 128,
        },
    )
    yield "olmo", OlmoConfig(**common, clip_qkv=1.5)
    yield "olmo2", Olmo2Config(**common, **shared)


def make_checkpoints(folder, only):
    if not only:
        train_tokenizer(folder / "tokenizer.json")
    for name, config in [*configurations(), *relatives()]:
        if only and name not in only:
            continue
        torch.manual_seed(SEED)
        model = widen(AutoModelForCausalLM.from_config(config))
        stored = model if name == "llama" else model.half()
        stored.save_pretrained(folder / name)
        (folder / name / "generation_config.json").unlink(missing_ok=True)
        scored(folder, name)
    if not only:
        shard(folder / "llama", folder / "llama_sharded")
        scored(folder, "llama_sharded")
    for name in ADAPTED:
        if not only or name in only:
            make_adapter(folder, name)


def scored(folder, name):
    model = AutoModelForCausalLM.from_pretrained(folder / name, dtype=torch.float32).eval()
    write_variant(model, folder, name)


def write_variant(model, folder, name):
    """All texts for the plain architectures, some for what differs in one respect only."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    count = None if name in ["gpt2", "llama", "qwen2", "gpt_neox"] else 8
    write_scores(model, tokenizer, folder / "texts.jsonl", folder / f"{name}.scores.json", count)


def shard(source, target):
    """A bf16 copy in two shards with an index."""
    target.mkdir(exist_ok=True)
    shutil.copy(source / "config.json", target / "config.json")
    weights = {k: v.bfloat16() for k, v in load_file(source / "model.safetensors").items()}
    names = sorted(weights)
    parts = [names[: len(names) // 2], names[len(names) // 2 :]]
    index = {}
    for number, part in enumerate(parts, start=1):
        file = f"model-{number:05}-of-00002.safetensors"
        save_file({name: weights[name] for name in part}, target / file, {"format": "pt"})
        index.update({name: file for name in part})
    (target / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))


ADAPTED = {
    "gpt2": ["c_attn", "mlp.c_proj"],
    "llama": ["q_proj", "v_proj", "down_proj"],
    "gemma3": ["q_proj", "o_proj", "down_proj"],
    "phi3": ["qkv_proj", "gate_up_proj", "down_proj"],
}


def make_adapter(folder, name):
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=3,
        lora_alpha=5,
        target_modules=ADAPTED[name],
        fan_in_fan_out=name == "gpt2",
        use_rslora=name == "llama",
        rank_pattern={"down_proj": 2},
        alpha_pattern={"down_proj": 7},
        task_type="CAUSAL_LM",
    )
    base = AutoModelForCausalLM.from_pretrained(folder / name, dtype=torch.float32)
    model = get_peft_model(base, config)
    generator = torch.Generator().manual_seed(SEED + 1)
    for key, parameter in sorted(model.named_parameters()):
        if "lora_" in key:
            parameter.data = 0.15 * torch.randn(parameter.shape, generator=generator)
    model.save_pretrained(folder / f"{name}_lora")
    (folder / f"{name}_lora" / "README.md").unlink(missing_ok=True)
    write_variant(model.merge_and_unload().float().eval(), folder, f"{name}_lora")


def open_gguf(path):
    """The model with weights dequantised to f32, and its tokenizer."""
    from gguf import GGUFReader

    model = AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32
    )
    fields = GGUFReader(path).fields
    kind = fields["tokenizer.ggml.pre"].contents()
    if kind != "smollm":
        raise SystemExit(f"{path}: no recipe for the pre-tokeniser {kind!r}")
    tokens = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
    vocabulary = {token: index for index, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    kinds = fields["tokenizer.ggml.token_type"].contents()
    tokenizer.add_special_tokens([t for t, kind in zip(tokens, kinds) if kind == 3])
    return model.eval(), tokenizer


def score(path, texts, out):
    path = Path(path)
    if path.suffix == ".gguf":
        model, tokenizer = open_gguf(path)
    else:
        model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
        tokenizer = Tokenizer.from_file(str(path / "tokenizer.json"))
    write_scores(model, tokenizer, texts, out)


@torch.no_grad()
def write_scores(model, tokenizer, texts, out, count=None):
    scored = []
    context = model.config.max_position_embeddings
    for line in Path(texts).read_text().splitlines()[:count]:
        ids = tokenizer.encode(json.loads(line)["text"]).ids[:context]
        logits = model(torch.tensor([ids])).logits[0, :-1].double()
        log_p = logits.log_softmax(-1)
        p = log_p.exp()
        targets = torch.tensor(ids[1:])[:, None]
        mean = (p * log_p).sum(-1)
        scored.append(
            {
                "ids": ids,
                "logprob": rounded(log_p.gather(1, targets)[:, 0]),
                "rank": (1 + (logits > logits.gather(1, targets)).sum(-1)).tolist(),
                "mean": rounded(mean),
                "variance": rounded((p * (log_p - mean[:, None]) ** 2).sum(-1)),
            }
        )
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in scored)
    Path(out).write_text(f"[{lines}]\n")
    print(f"{out}: {len(scored)} texts")


def convert(llama_cpp, folder, out):
    """Small models as GGUF files, by llama.cpp's own converter."""
    sys.path[:0] = [str(llama_cpp / "gguf-py"), str(llama_cpp)]
    from conversion import base

    # The converter knows tokenizers by their hash; ours cuts texts as GPT-2's does. It also still
    # reads a few keys that newer versions of transformers no longer write.
    for kind in vars(base).values():
        if hasattr(kind, "get_vocab_base_pre"):
            kind.get_vocab_base_pre = lambda *_: "gpt-2"
    load = base.ModelBase.load_hparams
    older = {"n_ctx": 96, "rotary_pct": 0.25, "rotary_emb_base": 10000}
    base.ModelBase.load_hparams = staticmethod(
        lambda *args, **keys: load(*args, **keys) | older
    )
    out.mkdir(parents=True, exist_ok=True)
    for name in ["gpt2", "llama", "qwen2", "gpt_neox"]:
        with tempfile.TemporaryDirectory() as temporary:
            whole = Path(temporary) / name
            shutil.copytree(folder / name, whole)
            shutil.copy(folder / "tokenizer.json", whole / "tokenizer.json")
            special = {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"}
            settings = {"tokenizer_class": "PreTrainedTokenizerFast", **special}
            (whole / "tokenizer_config.json").write_text(json.dumps(settings))
            target = out / f"{name}.gguf"
            sys.argv = ["convert", str(whole), "--outtype", "f32", "--outfile", str(target)]
            runpy.run_path(str(llama_cpp / "convert_hf_to_gguf.py"), run_name="__main__")


CONVERSATIONS = [
    [("user", "What is the capital of France?")],
    [
        ("system", "Answer with the context. Context: The keeper counted 1,204 gulls on Tuesday."),
        ("user", "How many gulls were counted, and when?"),
    ],
    [
        ("user", "Name a colour."),
        ("assistant", "Blue."),
        ("user", "Another one, with an accent: é, and why 語?"),
    ],
]


@torch.no_grad()
def continue_conversations(path, out):
    from gguf import GGUFReader
    from transformers import PreTrainedTokenizerFast

    model, tokenizer = open_gguf(path)
    template = GGUFReader(path).fields["tokenizer.chat_template"].contents()
    ends = {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>"}
    chat = PreTrainedTokenizerFast(tokenizer_object=tokenizer, chat_template=template, **ends)
    answers = []
    for conversation in CONVERSATIONS:
        messages = [{"role": role, "content": content} for role, content in conversation]
        text = chat.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        prompt = tokenizer.encode(text, add_special_tokens=False).ids
        whole = model.generate(
            torch.tensor([prompt]),
            attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
            do_sample=False,
            max_new_tokens=32,
            eos_token_id=[0, 2],
            pad_token_id=2,
        )[0].tolist()
        tokens = whole[len(prompt) :]
        ended = tokens[-1] in (0, 2)
        answers.append(
            {
                "messages": messages,
                "prompt": prompt,
                "tokens": tokens[:-1] if ended else tokens,
                "text": tokenizer.decode(tokens),
                "ended": ended,
            }
        )
    lines = ",\n".join(json.dumps(answer) for answer in answers)
    Path(out).write_text(f"[{lines}]\n")


PASSAGES = [
    "The lighthouse keeper counted 1,204 gulls on Tuesday and none on Wednesday.",
    "GULLS!",
    "Über den Dächern lag Schnee; café, naïve, señor. 語 and 🦀",
    "def average(values): return sum(values) / len(values) if values else 0.0",
    # Longer than any of the models reads.
    " ".join(f"On day {day} the keeper saw {day * 7} gulls." for day in range(60)),
]


def vectors(folder, out):
    found = bert_vectors(folder) if (folder / "config.json").exists() else wordllama_vectors(folder)
    entries = [
        {"text": text, "vector": [round(float(x), 7) for x in vector]}
        for text, vector in zip(PASSAGES, found)
    ]
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
    Path(out).write_text(f"[{lines}]\n")


@torch.no_grad()
def bert_vectors(folder):
    from transformers import AutoModel

    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    longest = json.loads((folder / "sentence_bert_config.json").read_text())["max_seq_length"]
    tokenizer.enable_truncation(longest)
    tokenizer.no_padding()
    for text in PASSAGES:
        ids = torch.tensor([tokenizer.encode(text).ids])
        state = model(ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0]
        yield torch.nn.functional.normalize(state.mean(0), dim=0).tolist()


def wordllama_vectors(folder):
    sys.path.insert(0, str(folder.resolve().parent))
    from wordllama.inference import WordLlamaInference

    (weights,) = (folder / "weights").glob("*.safetensors")
    (tokenizer,) = (folder / "tokenizers").glob("*.json")
    rows = load_file(weights)["embedding.weight"].float().numpy()
    model = WordLlamaInference(rows, Tokenizer.from_file(str(tokenizer)))
    return model.embed(PASSAGES, norm=True)


def rounded(values):
    return [round(value, 5) for value in values.tolist()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("checkpoints", help="make and score the small models of the tests")
    make.add_argument("folder", type=Path)
    make.add_argument("--only", nargs="*", default=[])
    one = commands.add_parser("score", help="score texts with one model")
    one.add_argument("model", type=Path)
    one.add_argument("texts", type=Path)
    one.add_argument("out", type=Path)
    gguf = commands.add_parser("convert", help="make GGUF files of the small models")
    gguf.add_argument("llama_cpp", type=Path)
    gguf.add_argument("folder", type=Path)
    gguf.add_argument("out", type=Path)
    more = commands.add_parser("continue", help="continue conversations greedily")
    more.add_argument("model", type=Path)
    more.add_argument("out", type=Path)
    embed = commands.add_parser("vectors", help="turn texts into vectors")
    embed.add_argument("folder", type=Path)
    embed.add_argument("out", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "checkpoints":
        make_checkpoints(arguments.folder, arguments.only)
    elif arguments.command == "convert":
        convert(arguments.llama_cpp, arguments.folder, arguments.out)
    elif arguments.command == "continue":
        continue_conversations(arguments.model, arguments.out)
    elif arguments.command == "vectors":
        vectors(arguments.folder, arguments.out)
    else:
        score(arguments.model, arguments.texts, arguments.out)


if __name__ == "__main__":
    main()
