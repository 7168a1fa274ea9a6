"""Classifiers of PyTorch, from a model and data to a verdict."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import guestlist

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # more would only wait for each other on a busy machine

from torch import nn  # noqa: E402

WIDTH = 8


def images(count=240, side=12):
    """Noise: to learn its classes is to remember it."""
    generator = torch.Generator().manual_seed(3)
    return torch.randn(count, 1, side, side, generator=generator), torch.arange(count) % 3


class Net(nn.Module):
    def __init__(self, width=WIDTH):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.Flatten(),
        )  # fmt: skip
        self.head = nn.Linear(72 * width, 3)

    def forward(self, images):
        return self.head(self.body(images))


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9)


def perceptron():
    return nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))


def table(count=200):
    generator = torch.Generator().manual_seed(5)
    return torch.randn(count, 6, generator=generator), torch.arange(count) % 2


def short(folder, **more):
    """A small audit of a perceptron, with what is asked beside."""
    asked = {"shadows": 4, "epochs": 3, "batch_size": 20, "attacks": "lira,rmia", "progress": False}
    return guestlist.torch.audit(perceptron, table(), folder=folder, **(asked | more))


def stored(folder, model, name="scores.npy"):
    return np.load(folder / "models" / f"{model:05}" / name)


def test_a_small_network_is_trained_and_judged_on_two_cores(tmp_path):
    told = []
    report = guestlist.torch.audit(
        Net,
        images(),
        shadows=8,
        epochs=25,
        batch_size=30,
        optimizer=sgd,
        schedule="cosine",
        queries=2,
        devices=["cpu", "cpu"],
        folder=tmp_path,
        attacks="lira,rmia,loss",
        progress=lambda *stretch: told.append(stretch),
    )
    assert report.outcome == "fail" and report.attacks["lira"]["auc"]["value"] > 0.8
    document = report.to_dict()
    detail = document["detail"]["training"]
    assert detail["trainer"].startswith("PyTorch: Net, 25 epochs in 100 batches of 30")
    assert document["detail"]["augmentations"] == 2
    assert document["provenance"]["command"].startswith("guestlist.torch.audit(make_model, dataset, ")
    assert json.loads((tmp_path / "report.json").read_text()) == document
    assert ("training", 9, 9) in told
    keep = guestlist.shadow_splits(records=240, models=9)
    for model in range(9):
        assert np.array_equal(stored(tmp_path, model, "keep.npy"), keep[model])
        assert stored(tmp_path, model).shape == (240, 2)
    again = guestlist.audit(tmp_path / "models", attacks="lira,rmia,loss", progress=False)
    assert again.attacks == report.attacks


def test_the_command_line_draws_the_same_halves(tmp_path, command_line):
    inputs, labels = table()
    rows = torch.cat([inputs, labels[:, None].float()], dim=1).tolist()
    text = "a,b,c,d,e,f,y\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    (tmp_path / "data.csv").write_text(text)
    config = "kind = 'classifier'\nseed = 9\n[data]\npath = 'data.csv'\nlabel = 'y'\n"
    config += "[models]\nshadows = 4\n[training]\nepochs = 1\nhidden = [4]\n"
    (tmp_path / "guestlist.toml").write_text(config)
    subprocess.run([command_line.program, "run", "--quiet"], cwd=tmp_path, check=False)
    short(tmp_path / "torch", seed=9)
    for model in range(5):
        ours, theirs = (
            stored(tmp_path / folder, model, "keep.npy") for folder in ("torch", "guestlist-run")
        )
        assert np.array_equal(ours, theirs)


def test_what_was_trained_is_not_trained_again(tmp_path):
    log = tmp_path / "log"

    def train(model, data, seed):
        with open(log, "a") as file:
            file.write(f"{seed}\n")
        loader = torch.utils.data.DataLoader(data, batch_size=20, shuffle=True)
        optimizer = sgd(model.parameters())
        for inputs, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs), labels).backward()
            optimizer.step()

    def audit(shadows, **more):
        own = {"train": train, "epochs": None, "batch_size": None, "shadows": shadows}
        return short(tmp_path / "run", **(own | more))

    def trained():
        return len(log.read_text().splitlines())

    first = audit(4)
    assert trained() == 5
    assert audit(4).attacks == first.attacks and trained() == 5
    audit(6)
    assert trained() == 7
    assert len(set(log.read_text().splitlines())) == 7
    audit(6, queries=[lambda inputs: inputs, lambda inputs: -inputs])
    assert trained() == 14
    assert audit(4).attacks == first.attacks and trained() == 14


def test_settings_and_code_decide_what_is_trained_anew(tmp_path):
    rate = {"lr": 0.05}

    def optimizer(parameters):
        return torch.optim.SGD(parameters, **rate)

    def models():
        return [(tmp_path / "models" / f"{m:05}" / "model.json").read_text() for m in range(5)]

    short(tmp_path, optimizer=optimizer)
    before = models()
    short(tmp_path, optimizer=optimizer, attacks="loss")
    assert models() == before
    rate["lr"] = 0.1
    short(tmp_path, optimizer=optimizer)
    assert models() != before
    assert len(list((tmp_path / "retired").iterdir())) == 5
    rate["lr"] = 0.05
    short(tmp_path, optimizer=optimizer)
    assert models() == before


def test_the_same_call_gives_the_same_models_and_another_seed_others(tmp_path):
    short(tmp_path / "a", way="plain")
    short(tmp_path / "b", way="plain", devices=["cpu", "cpu"])
    short(tmp_path / "c", way="plain", seed=1)
    same, other = (
        [np.array_equal(stored(tmp_path / "a", m), stored(tmp_path / b, m)) for m in range(5)]
        for b in ("b", "c")
    )
    assert all(same) and not any(other)


def test_people_and_copies_stay_together(tmp_path):
    inputs, labels = table(120)
    inputs[60:64], labels[60:64] = inputs[:4].clone(), labels[:4].clone()
    groups = [f"person {record // 3}" for record in range(120)]
    report = guestlist.torch.audit(
        perceptron, (inputs, labels), shadows=2, epochs=2, batch_size=10, groups=groups,
        folder=tmp_path, attacks="loss", progress=False,
    )  # fmt: skip
    for model in range(3):
        keep = stored(tmp_path, model, "keep.npy")
        assert all(len(set(keep[first : first + 3])) == 1 for first in range(0, 120, 3))
        assert np.array_equal(keep[60:64], keep[:4])
    assert "person 1" not in report.to_json()
    assert any("40 people" in note for note in report.to_dict()["notes"])


KILLED = """
import sys, time, torch, guestlist
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_torch_audit import perceptron, table
log = Path({log!r})

def train(model, data, seed):
    with open(log, "a") as file:
        file.write(f"{{seed}}\\n")
    time.sleep(0.05)
    with torch.no_grad():
        model[0].bias += 0.1

report = guestlist.torch.audit(perceptron, table(), train=train, shadows={shadows}, folder={folder!r},
                               devices=["cpu", "cpu"], attacks="loss", progress=False)
print(report.outcome, flush=True)
"""


def finished(folder):
    return {path.parent.name for path in folder.glob("models/*/model.json")}


def test_a_driver_that_is_killed_loses_only_what_was_under_way(tmp_path):
    log, folder, shadows, kills = tmp_path / "log", tmp_path / "run", 16, 0
    script = KILLED.format(
        tests=str(Path(__file__).parent), log=str(log), folder=str(folder), shadows=shadows
    )
    while True:
        before = finished(folder)
        wanted = len(before) + 4 if kills < 3 else shadows + 2
        program = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        while len(finished(folder)) < wanted and program.poll() is None:
            time.sleep(0.01)
        if program.poll() is not None:
            break
        program.send_signal(signal.SIGKILL)
        program.wait()
        kills += 1
        assert before <= finished(folder)
    assert program.returncode == 0 and kills == 3
    trained = log.read_text().split()
    assert len(set(trained)) == shadows + 1
    # Two workers, each with one model under way or waiting to be kept, at every kill.
    assert len(trained) <= shadows + 1 + 4 * kills


def test_a_worker_that_is_killed_is_replaced(tmp_path):
    once = tmp_path / "once"

    def train(model, data, seed):
        try:
            once.touch(exist_ok=False)
        except FileExistsError:
            with torch.no_grad():
                model[0].bias += 0.1
            return
        os.kill(os.getpid(), signal.SIGKILL)

    report = short(
        tmp_path / "run", train=train, epochs=None, batch_size=None, devices=["cpu", "cpu"]
    )
    assert len(finished(tmp_path / "run")) == 5 and report.outcome


def test_control_c_keeps_what_is_trained(tmp_path):
    def stop(stretch, done, total):
        if done >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="2 of 5 models are kept: call again to go on"):
        short(tmp_path, way="plain", devices="cpu", progress=stop)
    assert len(finished(tmp_path)) == 2
    assert short(tmp_path).outcome


def test_two_audits_in_one_folder_at_once_are_refused(tmp_path):
    refused = []

    def again(stretch, done, total):
        if stretch == "training" and not refused:
            with pytest.raises(guestlist.GuestlistError, match="another guestlist run is at work"):
                short(tmp_path)
            refused.append(True)

    short(tmp_path, progress=again, devices="cpu")
    assert refused


def test_pytorch_is_not_imported_with_the_package():
    code = "import sys, guestlist; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
