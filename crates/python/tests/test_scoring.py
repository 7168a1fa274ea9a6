"""Token statistics beside their slow twins: the kernel, the blocks, the ways of making logits."""

import os
import subprocess
import sys

import numpy as np
import pytest

import guestlist
from guestlist import collect

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pyarrow = pytest.importorskip("pyarrow")

from guestlist.collect import _head, _scoring, _statistics  # noqa: E402


def slow(logits, truth):
    """Token by token in float64, by the definitions."""
    found = []
    for row, token in zip(logits.double(), truth.tolist()):
        logprobs = torch.log_softmax(row, -1)
        kept = logprobs[logprobs > -torch.inf]
        mean = (kept.exp() * kept).sum()
        spread = (kept.exp() * (kept - mean) ** 2).sum()
        rank = 1 + (row > row[token]).sum()
        found.append([logprobs[token], mean, spread, logprobs.max(), rank])
    return torch.tensor(found).T


def awkward(dtype):
    """Rows that are flat, peaked, tied, cut off, and spread over hundreds; a vocabulary of no round size."""
    rng = torch.Generator().manual_seed(3)
    logits = torch.randn((12, 5003), generator=rng) * torch.logspace(-1, 2, 12)[:, None]
    logits[1] = 0.0
    logits[2, 17] = 60.0
    logits[3, 100:] = -torch.inf
    logits[4] = logits[4].round()
    logits[5] = -11.0 + 0.01 * logits[5]
    logits[5, 3] = 0.0
    return logits.to(dtype), torch.randint(0, 5003, (12,), generator=rng)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_plain_statistics_are_those_of_the_definitions(dtype):
    logits, truth = awkward(getattr(torch, dtype))
    before = logits.clone()
    found = _statistics.of_rows(logits, truth)
    torch.testing.assert_close(found.double(), slow(logits, truth).double(), rtol=2e-5, atol=2e-4)
    assert (found[4].long() == slow(logits, truth)[4].long()).all()
    assert torch.equal(logits, before)


KERNEL = """
import sys, torch
sys.path.insert(0, {tests!r})
from test_scoring import awkward, slow
from guestlist.collect import _kernel, _statistics
for dtype in (torch.float32, torch.bfloat16, torch.float16):
    logits, truth = awkward(dtype)
    found = _kernel.rows(logits, truth)
    torch.testing.assert_close(found.double(), slow(logits, truth).double(), rtol=2e-5, atol=2e-4)
    torch.testing.assert_close(found, _statistics.plain(logits, truth), rtol=2e-5, atol=2e-4)
    wide = torch.cat([logits, logits], dim=1)[:, :5003]
    assert torch.equal(_kernel.rows(wide, truth), found)
logits[0, 5] = torch.nan
assert _kernel.rows(logits, truth)[:4, 0].isnan().all()
print("the kernel agrees")
"""


def test_the_kernel_gives_the_same():
    """Interpreted on the processor: what the GPU runs, operation by operation."""
    pytest.importorskip("triton")
    script = KERNEL.format(tests=os.path.dirname(__file__))
    ended = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0 and "the kernel agrees" in ended.stdout, ended.stderr


def llama(seed=0, **settings):
    torch.manual_seed(seed)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 211}
    config = transformers.LlamaConfig(**sizes, **heads, max_position_embeddings=64, **settings)
    return transformers.LlamaForCausalLM(config).eval()


def gemma():
    torch.manual_seed(0)
    config = transformers.Gemma2Config(
        hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1,
        head_dim=8, vocab_size=211, final_logit_softcapping=0.7, max_position_embeddings=64,
    )  # fmt: skip
    return transformers.Gemma2ForCausalLM(config).eval()


def granite():
    torch.manual_seed(0)
    config = transformers.GraniteConfig(
        hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, vocab_size=211,
        logits_scaling=8.0, max_position_embeddings=64,
    )  # fmt: skip
    return transformers.GraniteForCausalLM(config).eval()


def drawn(count=9):
    rng = np.random.default_rng(1)
    return [rng.integers(0, 211, size=1 + 7 * i % 40).tolist() for i in range(count)] + [[]]


def alone(model, ids):
    """One text at a time, from the model's own logits."""
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0, :-1]
    return slow(logits, torch.tensor(ids[1:]))


def check(model, texts, found):
    for place, ids in enumerate(texts):
        rows = slice(*found.offsets[place : place + 2])
        values = np.stack([found.values[name][rows] for name in _statistics.NAMES])
        assert values.shape[1] == len(ids) and np.isnan(values[:, :1]).all()
        if len(ids) > 1:
            np.testing.assert_allclose(values[:, 1:], alone(model, ids).numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("make, in_blocks", [(llama, True), (gemma, True), (granite, False)])
@pytest.mark.parametrize("batch_size", [None, 1, 4])
def test_every_way_of_making_logits_is_the_models_own(make, in_blocks, batch_size):
    model, texts = make(), drawn()
    assert _head.Head(model, texts[5]).in_blocks is in_blocks
    check(model, texts, _scoring.scored(model, texts, batch_size))


def test_blocks_of_any_size_give_the_same(monkeypatch):
    model, texts = llama(), drawn()
    monkeypatch.setattr(_head, "CPU_BLOCK", 211 * 3)
    monkeypatch.setattr(_head, "CPU_TOKENS", 50)
    check(model, texts, _scoring.scored(model, texts))


def test_a_model_that_looks_ahead_is_given_a_mask():
    model = llama()
    body = model.model.forward

    def forward(input_ids, **options):
        given = body(input_ids, **options)
        given.last_hidden_state = given.last_hidden_state + given.last_hidden_state[:, -1:]
        return given

    model.model.forward = forward
    assert not _head.Head(model, drawn()[5]).in_blocks


def test_a_batch_that_memory_does_not_hold_goes_in_halves(monkeypatch):
    model, texts = llama(), drawn()
    whole = _head.Head.statistics

    def scarce(self, padded, lengths):
        if len(lengths) > 2:
            raise torch.cuda.OutOfMemoryError("no room")
        return whole(self, padded, lengths)

    monkeypatch.setattr(_head.Head, "statistics", scarce)
    check(model, texts, _scoring.scored(model, texts))


def test_the_table_has_all_columns_of_both_models(tmp_path):
    class Words:
        def __call__(self, text):
            return {"input_ids": [int(word) for word in text.split()]}

    model, base = llama(0), llama(1)
    texts = [" ".join(map(str, ids)) for ids in drawn()]
    table = collect.token_table(model, Words(), texts, [True, False] * 5, reference=base)
    expected = {"id", "text", "member", "token_ids", *_statistics.NAMES}
    assert set(table.column_names) == expected | {f"ref_{name}" for name in _statistics.NAMES}
    for row in table.to_pylist():
        ids = row["token_ids"]
        if len(ids) < 2:
            continue
        for prefix, asked in (("", model), ("ref_", base)):
            twin = alone(asked, ids)
            for name, values in zip(_statistics.NAMES, twin):
                assert row[prefix + name][0] is None
                assert row[prefix + name][1:] == pytest.approx(values.tolist(), rel=1e-4, abs=1e-4)
    unknown = collect.token_table(model, Words(), texts, None)
    assert "member" not in unknown.column_names


def test_a_reference_that_is_none_is_named():
    with pytest.raises(guestlist.UsageError, match="reference is 'base'"):
        collect.token_table(llama(), None, ["a"], [True], reference="base")
    with pytest.raises(guestlist.UsageError, match="no adapter to switch off"):
        collect.token_table(llama(), None, ["a"], [True], reference="disable_adapter")
