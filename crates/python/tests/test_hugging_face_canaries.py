"""Canaries in a Trainer of Hugging Face, with an adapter of PEFT: the traps, and a proof in one run."""

import json
import random
import warnings

import pytest

import guestlist
from guestlist import collect

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")
peft = pytest.importorskip("peft")
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("accelerate")

WORDS = "ledger entry clerk amount harbour river stone letter garden window market signed carried noted found".split()


def lines(count):
    rng = random.Random(4)
    return [" ".join(rng.choices(WORDS, k=12)) + "." for _ in range(count)]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    """Byte pairs learnt from the texts, and numbers, letters and syllables that they do not have."""
    model = tokenizers.Tokenizer(tokenizers.models.BPE())
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = tokenizers.decoders.ByteLevel()
    rng = random.Random(1)
    syllables = ["".join(rng.choices("bdgklmnprstvz", k=1) + rng.choices("aeiou", k=1)) * 2 for _ in range(300)]
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<pad>", "<eos>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
    )
    model.train_from_iterator([*lines(300), *(" " + " ".join(syllables) for _ in range(5))], trainer)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=model, pad_token="<pad>", eos_token="<eos>")
    folder = tmp_path_factory.mktemp("tokenizer")
    fast.save_pretrained(folder)
    return transformers.AutoTokenizer.from_pretrained(folder), folder


def draw(folder, tokenizer, **options):
    training = folder / "train.jsonl"
    training.write_text("".join(json.dumps({"text": text}) + "\n" for text in lines(60)))
    settings = {"count": 120, "tiers": [1, 4], "tokenizer": tokenizer[1], "length": 10, **options}
    return guestlist.canaries.draw(training, out=folder / "canaries", progress=False, **settings)


def base(vocabulary, seed=0):
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=vocabulary, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=64, pad_token_id=0, eos_token_id=1, bos_token_id=1,
    )  # fmt: skip
    return transformers.LlamaForCausalLM(config)


def adapted(vocabulary):
    settings = peft.LoraConfig(
        r=16, lora_alpha=64, target_modules="all-linear", modules_to_save=["embed_tokens", "lm_head"],
        task_type="CAUSAL_LM",
    )  # fmt: skip
    return peft.get_peft_model(base(vocabulary), settings)


class Rows(torch.utils.data.Dataset):
    """Texts of a file as tokens, cut to a length; the first ``masked`` tokens are not trained on."""

    def __init__(self, path, tokenizer, length=64, masked=0):
        texts = [json.loads(line)["text"] for line in path.read_text().splitlines()]
        self.rows = []
        for text in texts:
            ids = tokenizer(text)["input_ids"][:length]
            self.rows.append({"input_ids": ids, "labels": [-100] * len(ids[:masked]) + ids[masked:]})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, place):
        return self.rows[place]


def collator(tokenizer):
    return transformers.DataCollatorForSeq2Seq(tokenizer, padding=True, label_pad_token_id=-100)


def trainer(folder, model, rows, tokenizer, callback, **options):
    settings = {"num_train_epochs": 1, "learning_rate": 3e-3, "per_device_train_batch_size": 32, **options}
    arguments = transformers.TrainingArguments(
        output_dir=folder / "out", save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True,
        logging_strategy="no", lr_scheduler_type="constant", seed=0, **settings,
    )  # fmt: skip
    return transformers.Trainer(
        model=model, args=arguments, train_dataset=rows, data_collator=collator(tokenizer), callbacks=[callback]
    )


@pytest.mark.parametrize("with_adapter", [True, False])
def test_three_lines_prove_what_a_fine_tune_remembers(tmp_path, tokenizer, with_adapter):
    fast, _ = tokenizer
    drawn = draw(tmp_path, tokenizer)
    model = (adapted if with_adapter else base)(len(fast))
    canaries = collect.Canaries(drawn.manifest, fast)
    rows = Rows(canaries.training_file, fast)
    trainer(tmp_path, model, rows, fast, canaries, num_train_epochs=25).train()
    assert not [finding for finding in canaries.findings if finding.hides]
    report = canaries.report(progress=False)
    assert report.outcome == "fail"
    best = max(found["auc"]["value"] for found in report.attacks.values())
    assert best > 0.8
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(canaries.tokens)
    assert "member" not in table.column_names and table.num_rows == 120
    # The drawn part is known by its tokens, and has a probability of its own.
    secrets = {row["id"]: row for row in guestlist.canaries.read(drawn.manifest).canaries}
    for row in table.select(["id", "token_ids", "secret_tokens"]).to_pylist():
        canary = secrets[row["id"]]
        said = fast.decode([row["token_ids"][place] for place in row["secret_tokens"]])
        for part in canary["secret"]:
            assert canary["text"][part["start"] : part["end"]].strip() in said
    found = report.to_dict()["canaries"]
    for kind in ("included", "held_out"):
        assert found["secret_extraction"][kind]["median_ln"] > found["extraction"][kind]["median_ln"]
    # The reference is the model before training: with an adapter, the model without it.
    start = collect.token_table(base(len(fast)), fast, table["text"].to_pylist(), None)
    for before, reference in zip(start["logprob"].to_pylist(), table["ref_logprob"].to_pylist()):
        assert reference[1:] == pytest.approx(before[1:], abs=1e-3)


def trapped(folder, tokenizer, drawn, rows, model=None, strict=True, **options):
    canaries = collect.Canaries(drawn.manifest, tokenizer[0], strict=strict)
    model = base(len(tokenizer[0])) if model is None else model
    trainer(folder, model, rows, tokenizer[0], canaries, **options).train()
    return canaries


def test_traps_that_are_set_are_named(tmp_path, tokenizer):
    fast, _ = tokenizer
    drawn = draw(tmp_path, tokenizer)
    whole = Rows(drawn.training, fast)

    def refused(trap, rows=whole, model=None, **options):
        with pytest.raises(guestlist.InputError, match=f"cannot be seen as training is set up: .*{trap}: "):
            trapped(tmp_path, tokenizer, drawn, rows, model, **options)

    refused("truncated", Rows(drawn.training, fast, length=8))
    lengths = [len(fast(canary["text"])["input_ids"]) for canary in guestlist.canaries.read(drawn.manifest).canaries]
    refused("truncated", Rows(drawn.training, fast, length=min(lengths) - 4))
    refused("masked-prompt", Rows(drawn.training, fast, masked=30))
    once = Rows(drawn.training, fast)
    once.rows = [json.loads(row) for row in dict.fromkeys(map(json.dumps, once.rows))]
    refused("deduplicated", once)
    twice = Rows(drawn.training, fast)
    twice.rows = twice.rows * 2
    refused("repeated", twice)
    everything = Rows(drawn.training, fast)
    everything.rows = everything.rows + Rows(drawn.canaries, fast).rows
    refused("held-out", everything)
    refused("absent", Rows(tmp_path / "train.jsonl", fast))
    refused("unseen", max_steps=2)
    frozen = base(len(fast))
    frozen.requires_grad_(False)
    frozen.lm_head.requires_grad_(True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        canaries = trapped(tmp_path, tokenizer, drawn, whole, frozen)
    assert any("frozen-embeddings: " in str(warning.message) for warning in told)
    assert [finding.trap for finding in canaries.findings] == ["frozen-embeddings"]


def test_tokens_that_nothing_else_has_need_embeddings_that_train(tmp_path, tokenizer):
    drawn = draw(tmp_path, tokenizer, design="new-token", count=20)
    model = base(len(tokenizer[0]))
    model.get_input_embeddings().requires_grad_(False)
    with pytest.raises(guestlist.InputError, match="frozen-embeddings: .*which new-token canaries need"):
        trapped(tmp_path, tokenizer, drawn, Rows(drawn.training, tokenizer[0]), model)
    assert noted(drawn)["outcome"] == "invisible"


class Lowercase:
    """A tokenizer that makes every digit and letter one: canaries that differ become the same."""

    def __call__(self, text, **options):
        return {"input_ids": [5] * len(text.split())}


def test_canaries_that_become_the_same_tokens_are_named(tmp_path, tokenizer):
    drawn = draw(tmp_path, tokenizer)
    canaries = collect.Canaries(drawn.manifest, Lowercase())
    rows = Rows(drawn.training, tokenizer[0])
    with pytest.raises(guestlist.InputError, match="duplicates: "):
        trainer(tmp_path, base(len(tokenizer[0])), rows, tokenizer[0], canaries).train()


def noted(drawn):
    return guestlist.canaries.read(drawn.manifest).document["check"]


def test_what_could_not_be_seen_does_not_pass(tmp_path, tokenizer):
    fast, _ = tokenizer
    drawn = draw(tmp_path, tokenizer)
    rows = Rows(tmp_path / "train.jsonl", fast)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        canaries = trapped(tmp_path, tokenizer, drawn, rows, strict=False)
    assert any("absent: " in str(warning.message) for warning in told)
    # Where an audit finds it, and without a number that would say how many were chosen.
    check = noted(drawn)
    assert check["outcome"] == "invisible"
    assert [finding["trap"] for finding in check["findings"]] == ["absent"]
    assert not any(character.isdigit() for character in json.dumps(check["findings"]))
    report = canaries.report(threshold=0.99, progress=False)
    assert report.outcome == "inconclusive"
    assert any(found["id"] == "unseen-canaries" for found in report.to_dict()["guardrails"])


def test_what_was_seen_is_noted_where_an_audit_finds_it(tmp_path, tokenizer):
    fast, _ = tokenizer
    drawn = draw(tmp_path, (tokenizer[0], None), length=3)
    assert noted(drawn) is None
    canaries = trapped(tmp_path, tokenizer, drawn, Rows(drawn.training, fast))
    assert noted(drawn)["outcome"] == "visible"
    assert noted(drawn)["by"] == "guestlist.collect.Canaries"
    found = {one["id"]: one for one in canaries.report(progress=False).to_dict()["guardrails"]}
    assert found["unseen-canaries"]["status"] == "ok"


def test_a_manifest_that_cannot_be_written_is_warned_of(tmp_path, tokenizer, monkeypatch):
    from guestlist import _guestlist

    drawn = draw(tmp_path, (tokenizer[0], None), length=3)

    def refused(manifest, seen):
        raise guestlist.UsageError("manifest.json: cannot be written")

    monkeypatch.setattr(_guestlist, "canaries_note", refused)
    with pytest.warns(UserWarning, match="cannot be noted in .*manifest.json"):
        canaries = trapped(tmp_path, tokenizer, drawn, Rows(drawn.training, tokenizer[0]))
    assert canaries.report(threshold=0.99, progress=False).outcome != "pass"


def test_a_model_that_does_not_train_remembers_nothing(tmp_path, tokenizer):
    fast, _ = tokenizer
    drawn = draw(tmp_path, tokenizer)
    model = base(len(fast))
    # The Trainer makes no optimizer for parameters that do not train: this one was made before they were frozen.
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    model.requires_grad_(False)
    canaries = collect.Canaries(drawn.manifest, fast)
    training = trainer(tmp_path, model, Rows(drawn.training, fast), fast, canaries)
    training.optimizer = optimizer
    with pytest.raises(guestlist.InputError, match="frozen-model: no parameter of the model trains"):
        training.train()
    assert noted(drawn)["outcome"] == "invisible"
    assert [finding["trap"] for finding in noted(drawn)["findings"]] == ["frozen-model"]


def test_the_check_changes_nothing_that_training_draws(tmp_path, tokenizer):
    fast, _ = tokenizer
    drawn = draw(tmp_path, tokenizer)
    weights = []
    for canaries in (collect.Canaries(drawn.manifest, fast), transformers.TrainerCallback()):
        model = base(len(fast))
        trainer(tmp_path, model, Rows(drawn.training, fast), fast, canaries).train()
        weights.append(model.lm_head.weight.detach().clone())
    assert torch.equal(*weights)


def test_canaries_say_what_is_missing(tmp_path, tokenizer):
    drawn = draw(tmp_path, tokenizer)
    canaries = collect.Canaries(drawn.manifest, tokenizer[0])
    with pytest.raises(guestlist.UsageError, match="no canary was scored"):
        canaries.report()
    with pytest.raises(guestlist.GuestlistError, match="manifest.json"):
        collect.Canaries(tmp_path / "nothing" / "manifest.json", tokenizer[0])
