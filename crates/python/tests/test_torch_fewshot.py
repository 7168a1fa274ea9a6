"""Few-shot audits of models of PyTorch, with their weights at hand."""

import json
import struct
import subprocess

import numpy as np
import pytest

import guestlist

torch = pytest.importorskip("torch")

from guestlist.torch import features  # noqa: E402
from torch import nn  # noqa: E402

from test_torch_audit import images, perceptron, table  # noqa: E402


class Wide(nn.Module):
    """A block of a wide residual network."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first, self.second = nn.BatchNorm2d(inputs), nn.BatchNorm2d(outputs)
        self.one = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.two = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.short = nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x):
        inner = self.two(torch.relu(self.second(self.one(torch.relu(self.first(x))))))
        return inner + self.short(x)


def wide_residual(depth=28, widening=2, classes=10):
    """WRN-28-2: three groups of (depth - 4) / 6 blocks."""
    widths, layers, inputs = [16, 32, 64], [nn.Conv2d(3, 16, 3, padding=1, bias=False)], 16
    for group, width in enumerate(widths):
        for block in range((depth - 4) // 6):
            stride = 2 if group and not block else 1
            layers.append(Wide(inputs, width * widening, stride))
            inputs = width * widening
    end = [nn.BatchNorm2d(inputs), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, *end, nn.Linear(inputs, classes))


def weights(path):
    """The arrays of a safetensors file."""
    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + size])
    arrays = {}
    for name, about in header.items():
        if name != "__metadata__":
            first, last = about["data_offsets"]
            bytes_ = content[8 + size + first : 8 + size + last]
            arrays[name] = torch.tensor(np.frombuffer(bytes_, "<f4").reshape(about["shape"]).copy())
    return arrays


def test_tuning_is_that_of_the_native_trainer(tmp_path, command_line):
    inputs, labels = table(160)
    rows = torch.cat([inputs, labels[:, None].float()], dim=1).tolist()
    text = "a,b,c,d,e,f,y\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    (tmp_path / "data.csv").write_text(text)
    config = "kind = 'classifier'\n[data]\npath = 'data.csv'\nlabel = 'y'\n"
    config += "[models]\nshadows = 2\n[training]\nepochs = 40\nhidden = [12]\n"
    (tmp_path / "guestlist.toml").write_text(config)
    subprocess.run([command_line.program, "run", "--quiet"], cwd=tmp_path, check=False)
    run = tmp_path / "guestlist-run"
    stored = weights(run / "models/00000/weights.safetensors")
    names = sorted(stored)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
    shapes = {tuple(parameter.shape): parameter for parameter in model.parameters()}
    with torch.no_grad():
        for name in names:
            array = stored[name]
            own = shapes[tuple(array.shape)] if tuple(array.shape) in shapes else shapes[tuple(array.T.shape)]
            own.copy_(array if own.shape == array.shape else array.T)
    members = np.load(run / "models/00000/keep.npy")
    standard = (inputs - inputs.mean(0)) / inputs.std(0, correction=0)
    asked = {"shots": [2, 5], "runs": 6, "attacks": "fes-tt", "progress": False}
    native = guestlist.audit_fewshot(run, **asked)
    ours = guestlist.torch.fewshot(model, standard, members, **asked)
    for attack, measures in native.attacks.items():
        found = ours.attacks[attack]["auc"]["value"]
        assert found == pytest.approx(measures["auc"]["value"], abs=2e-3), attack
    one, other = (report.scores_dataframe()["fes-tt-5-shot"].dropna() for report in (native, ours))
    np.testing.assert_allclose(one.to_numpy(), other.to_numpy(), atol=2e-3)


def test_a_wide_residual_network_is_tuned_and_left_as_it_was():
    torch.manual_seed(0)
    model = wide_residual(depth=10)
    assert sum(p.numel() for p in wide_residual().parameters()) == pytest.approx(1.47e6, rel=0.05)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    pixels = torch.randn(40, 3, 8, 8)
    report = guestlist.torch.fewshot(
        model, pixels, np.arange(40) % 2, shots=2, runs=2, validation=2, query=2, progress=False,
        settings={"fes.tt.style": "dhillon"},
    )  # fmt: skip
    detail = report.to_dict()["detail"]
    assert detail["white_box"] and "PyTorch: Sequential" in detail["features"]
    assert {attack.rsplit("-2-", 1)[0] for attack in report.attacks} == {"fes-ss", "fes-ls", "fes-tt"}
    assert model.training
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, before[name]), name


def test_a_language_model_of_hugging_face_is_tuned():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.GPT2Config(vocab_size=5000, n_positions=16, n_embd=32, n_layer=1, n_head=2)
    model = transformers.GPT2LMHeadModel(config)
    ids = torch.randint(0, 5000, (60, 12))
    mask = (torch.arange(12)[None] < 6 + torch.arange(60)[:, None] % 6).long()
    texts = {"input_ids": ids, "attention_mask": mask}
    report = guestlist.torch.fewshot(
        model, texts, np.arange(60) % 2, shots=1, runs=2, validation=2, query=2, progress=False,
        settings={"fes.tt.style": "dhillon"},
    )  # fmt: skip
    assert report.to_dict()["detail"]["features"].startswith("penultimate, 32 numbers per record")
    assert "fes-tt-1-shot" in report.attacks
    vectors = features(model, texts)
    model.eval()
    with torch.no_grad():
        logits = model(**texts).logits
    np.testing.assert_allclose(vectors[7], logits[7, : mask[7].sum()].mean(0).numpy(), atol=1e-4)


def test_layers_are_taken_by_hooks():
    model = perceptron()
    inputs, labels = table(30)
    hidden = torch.relu(model[0](inputs)).detach().numpy()
    np.testing.assert_allclose(features(model, (inputs, labels), "penultimate"), hidden, rtol=1e-5)
    np.testing.assert_allclose(features(model, (inputs, labels), "1"), hidden, rtol=1e-5)
    assert not model[0]._forward_hooks and model.training
    with pytest.raises(guestlist.UsageError, match="has no layer body; hint: .* 0, 1, 2"):
        features(model, (inputs, labels), "body")
    pixels, classes = images(6)
    convolution = nn.Sequential(nn.Conv2d(1, 4, 3), nn.Flatten(), nn.Linear(400, 3))
    assert features(convolution, (pixels, classes), "0").shape == (6, 4)


def test_what_cannot_be_tuned_is_said():
    with pytest.raises(guestlist.UsageError, match="model is int"):
        guestlist.torch.fewshot(3, torch.randn(80, 6), np.arange(80) % 2)
    with pytest.raises(guestlist.InputError, match="members has 79 entries but there are 80 records"):
        guestlist.torch.fewshot(perceptron(), torch.randn(80, 6), np.arange(79) % 2)

    class Stubborn(nn.Linear):
        def forward(self, inputs):
            output = super().forward(inputs)
            if torch.is_grad_enabled():
                raise RuntimeError("CUDA out of memory")
            return output

    with pytest.raises(guestlist.GuestlistError, match="cannot be tuned: .*out of memory.*leave fes-tt out"):
        guestlist.torch.fewshot(
            Stubborn(6, 3), torch.randn(80, 6), np.arange(80) % 2, shots=1, runs=2, progress=False
        )
