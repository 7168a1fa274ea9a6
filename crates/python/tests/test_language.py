"""Token signals and leakage from models of Hugging Face, tiny and made on the spot."""

import math

import pytest

import guestlist
from guestlist import collect

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pyarrow = pytest.importorskip("pyarrow")


class Letters:
    """A tokenizer: every letter is a token."""

    def __call__(self, text):
        return {"input_ids": [1 + ord(letter) % 30 for letter in text]}


def tiny(seed):
    torch.manual_seed(seed)
    config = transformers.GPT2Config(
        vocab_size=32, n_positions=24, n_embd=16, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0
    )
    return transformers.GPT2LMHeadModel(config)


def texts(count):
    generator = torch.Generator().manual_seed(5)
    letters = torch.randint(97, 123, (count, 20), generator=generator)
    return ["".join(map(chr, row[: 8 + i % 12])) for i, row in enumerate(letters.tolist())]


def test_signals_are_what_the_model_says_token_by_token(tmp_path):
    model, base = tiny(0), tiny(1)
    given = texts(11) + ["a" * 40, "b"]
    path = collect.tokens(
        tmp_path / "tokens.parquet", model, base, Letters(), given, [1, 0] * 6 + [1], batch_size=4
    )
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(path).to_pylist()
    assert [len(row["logprob"]) for row in rows[-2:]] == [24, 1]  # cut to the context; one token
    model.eval(), base.eval()
    for row in rows[:12]:
        ids = torch.tensor([row["token_ids"]])
        with torch.no_grad():
            own = torch.log_softmax(model(ids).logits[0].double(), -1)
            other = torch.log_softmax(base(ids).logits[0].double(), -1)
        assert row["logprob"][0] is None and row["rank"][0] is None
        for place in range(1, len(row["token_ids"])):
            before, token = own[place - 1], row["token_ids"][place]
            assert row["logprob"][place] == pytest.approx(before[token].item(), abs=1e-4)
            assert row["rank"][place] == 1 + (before > before[token]).sum().item()
            mean = (before.exp() * before).sum().item()
            square = (before.exp() * before**2).sum().item()
            assert row["mean"][place] == pytest.approx(mean, abs=1e-4)
            assert row["variance"][place] == pytest.approx(square - mean**2, abs=1e-3)
            assert row["max_logprob"][place] == pytest.approx(before.max().item(), abs=1e-4)
            behind = other[place - 1]
            mean = (behind.exp() * behind).sum().item()
            assert row["ref_rank"][place] == 1 + (behind > behind[token]).sum().item()
            assert row["ref_mean"][place] == pytest.approx(mean, abs=1e-4)
            assert row["ref_max_logprob"][place] == pytest.approx(behind.max().item(), abs=1e-4)
            assert row["ref_variance"][place] >= 0
            reference = behind[token].item()
            assert row["ref_logprob"][place] == pytest.approx(reference, abs=1e-4)
    report = guestlist.audit_tokens(path, progress=False)
    assert "lm-ratio" in report.attacks or report.attacks


def test_models_are_left_in_the_mode_they_came_in():
    model = tiny(0)
    model.train()
    table = collect.token_table(model, Letters(), ["abc", "bcd"], [True, False])
    assert model.training and "ref_logprob" not in table.column_names
    with pytest.raises(guestlist.InputError, match="1 texts but 2 members"):
        collect.token_table(model, Letters(), ["abc"], [True, False])
    model.transformer.drop.eval()
    collect.token_table(model, Letters(), ["abc", "bcd"], [True, False])
    assert model.training and not model.transformer.drop.training


@pytest.mark.parametrize(
    "member, options, kind, words",
    [
        (["yes", "no"], {}, guestlist.InputError, "member of text 0 is 'yes'"),
        ([1, math.nan], {}, guestlist.InputError, "member of text 1 is nan"),
        (torch.tensor([1, 2]), {}, guestlist.InputError, "member of text 1 is 2"),
        ([1, None], {}, guestlist.InputError, "member of text 1 is None"),
        ([1, 0], {"max_length": 0}, guestlist.UsageError, "max_length is 0"),
        ([1, 0], {"batch_size": 0}, guestlist.UsageError, "batch_size is 0"),
        ([1, 0], {"ids": ["a"]}, guestlist.InputError, "2 texts but 1 ids"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_scored(member, options, kind, words):
    with pytest.raises(kind, match=words):
        collect.token_table(None, None, ["abc", "bcd"], member, **options)


def test_a_callback_looks_at_its_texts_at_once():
    with pytest.raises(guestlist.InputError, match="the texts are not of both kinds"):
        collect.LeakageCallback(Letters(), ["a", "b"], [True, True])
    with pytest.raises(guestlist.InputError, match="2 texts but 1 members"):
        collect.LeakageCallback(Letters(), ["a", "b"], [True])


class Copies(torch.utils.data.Dataset):
    def __init__(self, given):
        self.rows = [Letters()(text)["input_ids"] for text in given]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, place):
        return {"input_ids": torch.tensor(self.rows[place][:8]), "labels": torch.tensor(self.rows[place][:8])}


def test_the_callback_sees_leakage_grow(tmp_path):
    pytest.importorskip("accelerate")
    given = [text[:8] for text in texts(80)]
    member = [place < 40 for place in range(80)]
    leakage = collect.LeakageCallback(
        Letters(), given, member, reference=tiny(3), attacks="lm-loss", folder=tmp_path / "leakage"
    )
    arguments = transformers.TrainingArguments(
        output_dir=tmp_path / "out",
        num_train_epochs=60,
        per_device_train_batch_size=40,
        learning_rate=1e-2,
        eval_strategy="steps",
        eval_steps=20,
        save_strategy="steps",
        save_steps=30,
        save_total_limit=1,
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        seed=0,
    )
    trainer = transformers.Trainer(
        model=tiny(3),
        args=arguments,
        train_dataset=Copies(given[:40]),
        eval_dataset=Copies(given[40:]),
        callbacks=[leakage],
    )
    trainer.train()
    steps = [entry["step"] for entry in leakage.history]
    assert steps == [20, 30, 40, 60]
    first, last = leakage.history[0], leakage.history[-1]
    assert last["guestlist_auc"] > 0.8 and last["guestlist_auc"] > first["guestlist_auc"] - 0.05
    assert last["guestlist_auc_low"] <= last["guestlist_auc"] <= last["guestlist_auc_high"]
    logged = [entry for entry in trainer.state.log_history if "guestlist_auc" in entry]
    assert [entry["step"] for entry in logged] == steps
    assert math.isclose(trainer.evaluate()["eval_guestlist_auc"], last["guestlist_auc"])
    report = leakage.report(progress=False).to_dict()
    assert [point["label"] for point in report["detail"]["checkpoints"]] == ["20", "30", "40", "60"]
    trainer.train()
    assert [entry["step"] for entry in leakage.history] == steps
    assert leakage.report(progress=False).outcome


def test_leakage_reaches_the_trackers_of_the_trainer(tmp_path, monkeypatch):
    pytest.importorskip("accelerate")
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    # Where it goes was an argument once.
    monkeypatch.setenv("TENSORBOARD_LOGGING_DIR", str(tmp_path / "board"))
    given = [text[:8] for text in texts(40)]
    member = [place < 20 for place in range(40)]
    leakage = collect.LeakageCallback(Letters(), given, member, attacks="lm-loss")
    arguments = transformers.TrainingArguments(
        output_dir=tmp_path / "out",
        max_steps=4,
        per_device_train_batch_size=20,
        eval_strategy="steps",
        eval_steps=2,
        save_strategy="steps",
        save_steps=3,
        report_to=["tensorboard"],
        disable_tqdm=True,
        use_cpu=True,
        seed=0,
    )
    trainer = transformers.Trainer(
        model=tiny(3),
        args=arguments,
        train_dataset=Copies(given[:20]),
        eval_dataset=Copies(given[20:]),
        callbacks=[leakage],
    )
    trainer.train()
    (events,) = tmp_path.rglob("events.out.tfevents.*")
    read = EventAccumulator(str(events.parent)).Reload()
    found = {event.step: event.value for event in read.Scalars("train/guestlist_auc")}
    assert found == {
        entry["step"]: pytest.approx(entry["guestlist_auc"], abs=1e-6) for entry in leakage.history
    }
    assert sorted(found) == [2, 3, 4] and "eval/loss" in read.Tags()["scalars"]
    assert trainer.state.global_step == 4


def test_a_callback_that_saw_nothing_says_so():
    leakage = collect.LeakageCallback(Letters(), ["a", "b"], [True, False])
    with pytest.raises(guestlist.UsageError, match="no step was measured"):
        leakage.report()


def test_vectors_of_texts_are_of_the_states_and_of_the_signals(tmp_path):
    model, base = tiny(0), tiny(1)
    given, member = texts(12), [1, 0] * 6
    path = collect.text_features(
        tmp_path / "h.parquet", model, Letters(), given, member, features="hidden", batch_size=5
    )
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(path).to_pylist()
    model.eval(), base.eval()
    for row, text in zip(rows, given, strict=True):
        ids = torch.tensor([Letters()(text)["input_ids"]])
        with torch.no_grad():
            states = model(ids, output_hidden_states=True).hidden_states[-1][0, :-1]
        assert row["features"] == pytest.approx(states.mean(0).tolist(), abs=1e-4)
    path = collect.text_features(
        tmp_path / "s.parquet", model, Letters(), given, member, reference=base, ids=range(5, 17)
    )
    rows = pyarrow.parquet.read_table(path).to_pylist()
    table = collect.token_table(model, Letters(), given, member, reference=base).to_pylist()
    assert [row["id"] for row in rows] == [str(name) for name in range(5, 17)]
    for row, signals in zip(rows, table, strict=True):
        own, other = signals["logprob"][1:], signals["ref_logprob"][1:]
        gains = sorted(a - b for a, b in zip(own, other, strict=True))
        assert len(row["features"]) == 1 + 4 * 9
        assert row["features"][0] == pytest.approx(math.log(len(own)))
        assert row["features"][1] == pytest.approx(sum(own) / len(own), abs=1e-4)
        assert row["features"][3] == pytest.approx(min(own), abs=1e-5)
        assert row["features"][28] == pytest.approx(sum(gains) / len(gains), abs=1e-4)
        assert row["features"][-1] == pytest.approx(gains[-1], abs=1e-5)


def test_vectors_of_texts_refuse_what_they_cannot_make(tmp_path):
    model = tiny(0)
    with pytest.raises(guestlist.InputError, match="text '1' has 1 token"):
        collect.text_features(tmp_path / "f.parquet", model, Letters(), ["abc", "b"], [1, 0])
    with pytest.raises(guestlist.UsageError, match="features is 'logits'"):
        collect.text_features(
            tmp_path / "f.parquet", model, Letters(), ["abc", "bcd"], [1, 0], features="logits"
        )
    assert not (tmp_path / "f.parquet").exists()
