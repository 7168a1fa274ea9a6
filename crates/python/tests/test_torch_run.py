"""``[torch]`` in a configuration: the same models as ``guestlist.torch.audit``, by way of ``guestlist run``."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import guestlist

torch = pytest.importorskip("torch")

MODULE = '''
import torch
from torch import nn

WIDTH = 24

def make_model():
    return nn.Sequential(nn.Linear(6, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 2))

def make_optimizer(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)

def dataset():
    print("words that are no answer")
    generator = torch.Generator().manual_seed(5)
    return torch.randn(240, 6, generator=generator), torch.arange(240) % 2

def people():
    return [f"p{record // 4}" for record in range(240)]

def loop(model, data, seed, device):
    loader = torch.utils.data.DataLoader(data, batch_size=20, shuffle=True)
    optimizer = make_optimizer(model.parameters())
    for _ in range(10):
        for inputs, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs), labels).backward()
            optimizer.step()

def mirrored(inputs):
    return -inputs

def as_it_is(inputs):
    return inputs

def lost():
    class Lost(nn.Module):
        def __init__(self):
            super().__init__()
            self.line = nn.Linear(6, 2)

        def forward(self, inputs):
            return self.line(inputs) * float("nan")

    return Lost()

def dies():
    class Dies(nn.Module):
        def __init__(self):
            super().__init__()
            self.line = nn.Linear(6, 2)

        def forward(self, inputs):
            if self.training:
                import os
                os._exit(9)
            return self.line(inputs)

    return Dies()
'''

CONFIGURATION = """
kind = "classifier"
[models]
shadows = 4
[run]
folder = "run"
[audit]
attacks = ["lira", "rmia", "label-ratio"]
[torch]
python = "{python}"
model = "training:make_model"
dataset = "training:dataset"
optimizer = "training:make_optimizer"
epochs = 30
batch_size = 20
schedule = "cosine"
devices = ["cpu"]
way = "plain"
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "training.py").write_text(MODULE)
    return tmp_path


def written(place, *changes):
    """A configuration, with lines of [torch] replaced or added."""
    lines = CONFIGURATION.format(python=sys.executable).splitlines()
    for change in changes:
        name = change.partition(" ")[0]
        lines = [line for line in lines if not line.startswith(f"{name} ")]
        lines.append(change)
    path = place / "guestlist.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def run(place, *changes):
    return guestlist.run(written(place, *changes), progress=False)


def scores(folder, model, name="scores.npy"):
    return np.load(folder / "models" / f"{model:05}" / name)


def when(folder):
    return {path: path.stat().st_mtime_ns for path in sorted(folder.glob("models/*/scores.npy"))}


def test_the_models_are_those_of_an_audit_in_python(place, monkeypatch):
    report = run(place)
    monkeypatch.syspath_prepend(place)
    monkeypatch.delitem(sys.modules, "training", raising=False)
    import training  # the user's own module, as Python finds it

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        same = guestlist.torch.audit(
            training.make_model, training.dataset(), shadows=4, epochs=30, batch_size=20,
            optimizer=training.make_optimizer, schedule="cosine", devices="cpu", way="plain",
            folder=place / "other", attacks="lira,rmia,label-ratio", progress=False,
        )  # fmt: skip
    finally:
        torch.set_num_threads(before)
        sys.modules.pop("training", None)
    for model in range(5):
        for name in ("scores.npy", "keep.npy", "right.npy"):
            ours, theirs = (scores(place / folder, model, name) for folder in ("run", "other"))
            assert np.allclose(ours, theirs, atol=1e-4), (model, name)
    both = [{name: one["auc"]["value"] for name, one in each.attacks.items()} for each in (report, same)]
    assert both[0] == pytest.approx(both[1], abs=1e-3)
    assert set(both[0]) == {"lira", "rmia", "label-ratio"}
    record = json.loads((place / "run/models/00000/training.json").read_text())
    assert record["right"]["training"] == scores(place / "run", 0, "right.npy")[scores(place / "run", 0, "keep.npy")].mean()


def test_nothing_is_trained_twice_and_a_change_of_code_is_seen(place):
    run(place)
    first = when(place / "run")
    run(place)
    assert when(place / "run") == first
    (place / "training.py").write_text(MODULE.replace("WIDTH = 24", "WIDTH = 32"))
    estimate = guestlist.plan(written(place))
    assert estimate.facts["stale"] == 5
    (place / "training.py").write_text(MODULE)
    assert guestlist.plan(written(place)).facts["stale"] == 0


def test_modules_and_configuration_are_what_was_read(place):
    (place / "sizes.py").write_text("WIDTH = 24\n")
    (place / "training.py").write_text(MODULE.replace("WIDTH = 24", "from sizes import WIDTH"))
    report = run(place)
    read = {one["path"]: one["sha256"] for one in report.to_dict()["provenance"]["inputs"]}
    names = ("training.py", "sizes.py", "guestlist.toml")
    assert read == {name: hashlib.sha256((place / name).read_bytes()).hexdigest() for name in names}
    assert guestlist.verify(place / "run").holds
    (place / "sizes.py").write_text("WIDTH = 32\n")
    found = guestlist.verify(place / "run")
    assert not found.holds and found.inputs["sizes.py"] == "changed", found


def test_a_loop_of_ones_own_people_and_queries(place):
    # No way, batch or schedule beside a loop of one's own.
    path = written(place, 'train = "training:loop"', 'groups = "training:people"')
    kept = [line for line in path.read_text().splitlines() if line.split(" ")[0] not in
            ("epochs", "batch_size", "optimizer", "schedule", "way")]  # fmt: skip
    path.write_text("\n".join([*kept, 'queries = ["training:as_it_is", "training:mirrored"]', ""]))
    report = guestlist.run(path, progress=False)
    assert scores(place / "run", 0).shape == (240, 2)
    keep = scores(place / "run", 0, "keep.npy").reshape(60, 4)
    assert (keep.all(1) | ~keep.any(1)).all(), "people are in or out as a whole"
    assert "p17" not in "".join(path.read_text(errors="replace") for path in (place / "run").glob("*.json"))
    assert report.outcome in ("fail", "pass", "inconclusive")


def test_a_data_file_will_do_for_a_data_set(place):
    rng = np.random.default_rng(3)
    rows = "\n".join(",".join(f"{x:.4f}" for x in rng.normal(size=6)) + f",{n % 2}" for n in range(160))
    (place / "people.csv").write_text("a,b,c,d,e,f,y\n" + rows + "\n")
    path = written(place)
    text = path.read_text().replace('dataset = "training:dataset"\n', "")
    path.write_text(text + '[data]\npath = "people.csv"\nlabel = "y"\n')
    guestlist.run(path, progress=False)
    assert scores(place / "run", 0).shape == (160,)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ('model = "training:mak_model"', "training has no mak_model"),
        ('model = "nowhere:make"', "there is no module nowhere"),
        ('model = "make_model"', "module:function"),
        ('model = "training:lost"', "gives nan for record 0 before any training"),
        ('dataset = "training:lost"', "the data set is"),
        ('python = "no-such-python"', "no-such-python is not found"),
        ('devices = ["cuda:7"]', "device cuda:7 is not there"),
        ('way = "fast"', "there is no way 'fast'"),
        ('schedule = "training:nothing"', "training has no nothing"),
        ("batch_size = 0", "batch_size is 0"),
        ('epoch = "3"', "did you mean `epochs`?"),
    ],
)
def test_mistakes_are_named_before_anything_is_trained(place, change, words):
    with pytest.raises(guestlist.GuestlistError) as refused:
        guestlist.plan(written(place, change))
    assert words in str(refused.value), str(refused.value)
    assert not (place / "run").exists()


def test_keys_of_a_file_are_refused_beside_a_data_set(place):
    path = written(place)
    path.write_text(path.read_text() + '[data]\ngroup = "person"\n')
    with pytest.raises(guestlist.GuestlistError, match=r"give whose the records are as torch\.groups"):
        guestlist.plan(path)


def test_people_of_an_earlier_plan_are_forgotten(place, command_line):
    run(place, 'groups = "training:people"')
    run(place)
    for file in sorted((place / "run/models/00001").iterdir()):
        file.unlink()
    ended = subprocess.run(
        [command_line.program, "work", str(place / "run"), "--job", "1"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_two_trainers_are_refused(place):
    path = written(place)
    path.write_text(path.read_text() + '[command]\nrun = ["true"]\n')
    with pytest.raises(guestlist.GuestlistError, match="are both there"):
        guestlist.plan(path)


def test_a_python_without_guestlist_is_told_so(place, command_line):
    path = written(place, f'python = "{sys.executable}"', 'environment = { PYTHONPATH = "/nowhere" }')
    ended = subprocess.run(
        [command_line.program, "plan", str(path)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2 and "has no guestlist" in ended.stderr, ended.stderr


def test_a_worker_that_dies_is_told_of_and_the_run_goes_on_later(place):
    with pytest.raises(guestlist.GuestlistError) as failed:
        run(place, 'model = "training:dies"')
    assert "could not be trained" in str(failed.value) or "failed alike" in str(failed.value)
    run(place)
    assert len(when(place / "run")) == 5


def test_models_elsewhere_are_trained_from_the_plan_alone(place, command_line):
    path = written(place)
    run(place)
    lost = place / "run/models/00002"
    before = scores(place / "run", 2)
    for file in sorted(lost.iterdir()):
        file.unlink()
    lost.rmdir()
    ended = subprocess.run(
        [command_line.program, "work", str(place / "run/plan.json"), "--job", "2"],
        capture_output=True, text=True, check=False, cwd=Path("/"),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert np.allclose(before, scores(place / "run", 2), atol=1e-4)
    assert guestlist.plan(path).facts["done"] == 5


def test_one_job_of_a_cluster_may_train_several(place, command_line):
    path = written(place, "models_per_job = 3")
    run(place, "models_per_job = 3")
    for model in (3, 4):
        for file in sorted((place / f"run/models/{model:05}").iterdir()):
            file.unlink()
    # Two jobs make five models: the second has two.
    ended = subprocess.run(
        [command_line.program, "work", str(place / "run"), "--job", "1", "--models-per-job", "3"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert guestlist.plan(path).facts["done"] == 5
    logs = [log.read_text() for log in sorted((place / "run/logs").glob("worker-*.log"))]
    assert sum(log.count("models are trained by way of") for log in logs) == 2, logs


def test_functions_are_not_uploaded_to_ray(place):
    path = written(place)
    path.write_text(path.read_text() + '[ray]\nfiles = "upload"\n')
    with pytest.raises(guestlist.GuestlistError, match=r'set ray.files = "shared"'):
        guestlist.plan(path, executor="ray")


@pytest.mark.parametrize(("share", "steps"), [(0.5, {60}), (0.2, {96, 24})])
def test_an_offline_design_trains_for_the_epochs_that_were_asked_for(place, share, steps):
    (place / "training.py").write_text(
        MODULE
        + """
def counting(step, steps):
    with open("steps.txt", "a") as file:
        file.write(f"{steps} ")
    return 1.0
"""
    )
    path = written(place, "epochs = 20", 'schedule = "training:counting"')
    text = path.read_text().replace("shadows = 4", 'shadows = 4\ndesign = "offline"')
    text = text.replace('"lira", "rmia", "label-ratio"', '"lira-offline"')
    path.write_text(text + f"[data]\nreference = {share}\n")
    guestlist.run(path, progress=False)
    # Of 240 records, the audited model has half of those that are not set aside, shadows half of the others.
    assert set(map(int, (place / "steps.txt").read_text().split())) == steps
