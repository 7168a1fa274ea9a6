"""Data sets of every kind, and what is refused of them and of models, in words."""

import numpy as np
import pytest

import guestlist

torch = pytest.importorskip("torch")

from guestlist.torch._code import digest, model_digest  # noqa: E402
from guestlist.torch._records import read  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset  # noqa: E402

from test_torch_audit import Net, perceptron, short, table  # noqa: E402


class Items(Dataset):
    def __init__(self, inputs, labels):
        self.inputs, self.labels = inputs, labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, place):
        return self.inputs[place], int(self.labels[place])


class Noisy(Items):
    def __getitem__(self, place):
        return self.inputs[place] + torch.rand(6), int(self.labels[place])


class Stream(IterableDataset):
    def __init__(self, items, shuffled=False):
        self.items, self.shuffled = items, shuffled

    def __iter__(self):
        places = range(len(self.items))
        places = torch.randperm(len(self.items)).tolist() if self.shuffled else places
        return (self.items[place] for place in places)


def named(inputs, labels):
    return [{"x": x, "label": int(y)} for x, y in zip(inputs, labels, strict=True)]


def test_every_kind_of_data_set_is_the_same_data_set():
    inputs, labels = table()
    kinds = [
        (inputs, labels),
        (inputs.numpy(), labels.numpy()),
        TensorDataset(inputs, labels),
        Items(inputs, labels),
        DataLoader(Items(inputs, labels), batch_size=7),
        Stream(Items(inputs, labels)),
    ]
    found = [read(kind) for kind in kinds] + [read(inputs, labels), read(Items(inputs, labels), keep=False)]
    assert len({records.digest for records in found}) == 1
    for records in found:
        assert torch.equal(torch.cat([chunk for _, chunk in records.chunks(13)]), inputs)
        assert torch.equal(records.on(torch.device("cpu")), inputs)
        assert torch.equal(records.labels, labels) and records.classes == 2
        subset = records.subset(np.array([4, 7]))
        assert len(subset) == 2 and torch.equal(subset[1][0], inputs[7]) and subset[1][1] == labels[7]
    other = inputs.clone()
    other[17, 3] += 1
    assert read((other, labels)).digest != found[0].digest
    assert read((inputs, 1 - labels)).digest != found[0].digest


def test_inputs_may_have_names():
    inputs, labels = table()
    mapping = read({"x": inputs, "labels": labels})
    assert mapping.digest == read(named(inputs, labels)).digest
    assert torch.equal(mapping.on(torch.device("cpu"))["x"], inputs)
    assert torch.equal(mapping.subset(np.array([3]))[0]["x"], inputs[3])


def test_data_sets_of_hugging_face_are_read():
    datasets = pytest.importorskip("datasets")
    inputs, labels = table(40)
    data = datasets.Dataset.from_dict({"features": inputs.tolist(), "label": labels.tolist()})
    records = read(data)
    assert torch.equal(records.labels, labels)
    np.testing.assert_allclose(records.on(torch.device("cpu")).numpy(), inputs.numpy(), rtol=1e-6)
    ragged = data.add_column("ids", [[1] * (1 + row % 3) for row in range(40)])
    with pytest.raises(guestlist.InputError, match="column ids is not of one shape .* padding"):
        read(ragged)
    with pytest.raises(guestlist.InputError, match=r"has the splits train; hint: give one of them"):
        read(datasets.DatasetDict(train=data))


def test_copies_are_found():
    inputs, labels = table(20)
    inputs[11], inputs[13] = inputs[1], inputs[2]
    labels[13] = 1 - labels[2]
    copies = read((inputs, labels)).copies
    assert copies[11] == copies[1] and copies[13] != copies[2] and len(set(copies)) == 19


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (lambda x, y: DataLoader(Items(x, y), shuffle=True), "draws records by a RandomSampler"),
        (lambda x, y: DataLoader(Items(x, y), batch_size=7, drop_last=True), "drops its last records"),
        (lambda x, y: Noisy(x, y), "record 0 is another at a second reading.* into augment"),
        (lambda x, y: Stream(Items(x, y), shuffled=True), "batch 0 of the loader is another"),
        (lambda x, y: (x[:0], y[:0]), "the data set is empty"),
        (lambda x, y: Items(x[:0], y[:0]), "the data set is empty"),
        (lambda x, y: (x, y[:-1]), "200 inputs but 199 labels"),
        (lambda x, y: (x, y + 0.5), r"the label of record 0 is 0\.5"),
        (lambda x, y: (x, y - 1), "the label of record 0 is -1"),
        (lambda x, y: (x, torch.zeros(200)), "every record has the label 0"),
        (lambda x, y: (x, nn.functional.one_hot(y)), r"labels have shape \[200, 2\].*argmax"),
        (lambda x, y: 17, "the data set is int"),
        (lambda x, y: [{"x": row} for row in x], "a record has x but no labels"),
        (lambda x, y: [(torch.zeros(n % 3), 0) for n in range(9)], "cannot be put together"),
    ],
)
def test_data_that_cannot_be_audited_are_refused(data, words, tmp_path):
    with pytest.raises(guestlist.InputError, match=words):
        guestlist.torch.audit(perceptron, data(*table()), epochs=1, batch_size=5, folder=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def exploding(parameters):
    return torch.optim.SGD(parameters, lr=1e30)


@pytest.mark.parametrize(
    ("make", "more", "words"),
    [
        (perceptron(), {}, "make_model is a model; hint: give a function that makes one"),
        (lambda: 3, {}, "make_model gave int"),
        (lambda: nn.Linear(6, 1), {"labels": torch.arange(200) % 3}, "gives 1 numbers per record"),
        (lambda: nn.Linear(6, 2), {"labels": torch.arange(200) % 3}, "there is a label 2"),
        (lambda: nn.Linear(5, 2), {}, "the model cannot be asked about the records"),
        (lambda: nn.Flatten(0), {}, r"the model gave \[48\] for 8 records"),
        (perceptron, {"epochs": None}, "epochs is not given"),
        (perceptron, {"epochs": 0}, "epochs is 0"),
        (perceptron, {"batch_size": 2.5}, "batch_size is 2.5"),
        (perceptron, {"schedule": "exponential"}, "there is no schedule 'exponential'"),
        (perceptron, {"optimizer": 0.1}, "optimizer is 0.1; hint: give a function"),
        (perceptron, {"optimizer": list}, "optimizer gave list"),
        (perceptron, {"precision": "fp8"}, "precision is 'fp8'"),
        (perceptron, {"queries": 0}, "queries is 0"),
        (perceptron, {"queries": "flip"}, "queries is 'flip'"),
        (perceptron, {"queries": [3]}, r"queries is \[3\]"),
        (perceptron, {"devices": "tpu"}, "there is no device 'tpu'"),
        (perceptron, {"devices": []}, "devices is empty"),
        (perceptron, {"devices": "cuda:99"}, "device cuda:99 is not there"),
        (perceptron, {"train": print}, "epochs is given beside train"),
        (perceptron, {"shadows": 0}, "no shadows were asked for"),
        (perceptron, {"groups": ["a"]}, "there are 1 groups but 200 labels"),
        (perceptron, {"attacks": "lyra"}, "lyra"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_trained(make, more, words, tmp_path):
    asked = {"shadows": 4, "epochs": 3, "batch_size": 20, "progress": False}
    with pytest.raises(guestlist.GuestlistError, match=words):
        guestlist.torch.audit(make, table(), folder=tmp_path / "run", **(asked | more))
    assert not (tmp_path / "run" / "models").exists()
    with pytest.raises(TypeError, match="Did you mean 'batch_size'"):
        guestlist.torch.audit(perceptron, table(), batchsize=3)


@pytest.mark.parametrize("devices", ["cpu", ["cpu", "cpu"]], ids=["here", "in processes"])
def test_models_that_diverge_are_named_and_stop_the_rest(devices, tmp_path):
    with pytest.raises(guestlist.GuestlistError, match="the first 2 models failed alike.*lower the learning"):
        short(tmp_path, optimizer=exploding, devices=devices)
    assert not list(tmp_path.glob("models/0*"))


def test_a_single_model_that_fails_costs_only_itself(tmp_path):
    log, mended = tmp_path / "log", tmp_path / "mended"

    def train(model, data, seed):
        with open(log, "a") as file:
            file.write(".")
        calls = log.stat().st_size
        with torch.no_grad():
            model[0].bias += 0.1
        if calls == 3 and not mended.exists():
            with torch.no_grad():
                model[2].bias[0] = torch.nan
        if calls == 4 and not mended.exists():
            raise LookupError("no such file")

    own = {"train": train, "epochs": None, "batch_size": None, "devices": "cpu"}
    with pytest.raises(guestlist.GuestlistError) as refused:
        short(tmp_path / "run", **own)
    words = str(refused.value)
    assert "2 of 5 models could not be trained" in words and "3 of 5 models are kept" in words
    assert "model 2: the trained model's φ of record 0 is nan" in words
    assert "model 3: LookupError: no such file" in words
    assert 'raise LookupError("no such file")' in (tmp_path / "run/logs/00003.log").read_text()
    mended.touch()
    assert short(tmp_path / "run", **own).outcome and log.stat().st_size == 5 + 2


def test_a_loop_that_gives_no_model_is_refused(tmp_path):
    own = {"epochs": None, "batch_size": None, "devices": "cpu"}
    with pytest.raises(guestlist.GuestlistError, match="train gave int; hint: return the trained model"):
        short(tmp_path, train=lambda model, data: 7, **own)


def test_a_full_memory_makes_questions_smaller(monkeypatch, tmp_path):
    sizes = []

    class Small(nn.Linear):
        def forward(self, inputs):
            if not self.training:
                sizes.append(len(inputs))
                if len(inputs) > 60:
                    raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 1 GiB")
            return super().forward(inputs)

    report = guestlist.torch.audit(
        lambda: Small(6, 2), table(), shadows=2, epochs=1, batch_size=10, folder=tmp_path,
        devices="cpu", way="plain", attacks="loss", progress=False,
    )  # fmt: skip
    assert report.outcome and {200, 50} <= set(sizes)


def test_code_is_known_by_what_it_does():
    def make(rate, scale=1):
        def function(x):
            return scale * x + rate

        return function

    one, same, other = make(1), make(1), make(2)
    assert digest(one) == digest(same) != digest(other)
    assert digest(make(1, 2)) != digest(one)
    space = {}
    exec("K = 3\ndef helper(x):\n    return x + K\ndef f(x):\n    return helper(x)\n", space)
    before = digest(space["f"])
    space["K"] = 4
    assert digest(space["f"]) != before
    first = {}
    exec("# words\ndef f(x):\n    # more words\n    return  x+1\n", first)
    second = {}
    exec("def f(x):\n    return x + 1\n", second)
    assert digest(first["f"]) == digest(second["f"])
    assert model_digest(Net()) == model_digest(Net()) != model_digest(Net(4))


def test_a_loop_that_trains_nothing_is_refused(tmp_path):
    def forgets(model, data):
        import copy

        other = copy.deepcopy(model)
        fit(other, data)  # and nothing is returned

    def fit(model, data):
        step = torch.optim.SGD(model.parameters(), lr=0.1)
        for inputs, labels in torch.utils.data.DataLoader(data, batch_size=20):
            step.zero_grad()
            torch.nn.functional.cross_entropy(model(inputs), labels).backward()
            step.step()

    for train in (forgets, lambda model, data: None):
        with pytest.raises(guestlist.GuestlistError, match="the very weights that it began with"):
            guestlist.torch.audit(
                perceptron, table(), train=train, shadows=4, folder=tmp_path, devices="cpu", progress=False
            )
    for how in ({"optimizer": lambda p: torch.optim.SGD(p, lr=0.0)}, {"loss": lambda z, y: (z * 0).sum()}):
        for way in ("plain", "ensemble"):
            with pytest.raises(guestlist.GuestlistError, match="learning rate, the loss and what is frozen"):
                guestlist.torch.audit(
                    perceptron, table(), epochs=1, batch_size=20, way=way, shadows=4, folder=tmp_path,
                    devices="cpu", progress=False, **how,
                )  # fmt: skip


def test_only_images_are_mirrored_and_moved(tmp_path):
    with pytest.raises(guestlist.UsageError, match=r"but a record has shape \[6\]"):
        guestlist.torch.audit(
            perceptron, table(), epochs=1, batch_size=20, queries=2, shadows=4, folder=tmp_path,
            devices="cpu", progress=False,
        )  # fmt: skip


def test_names_of_inputs_may_stand_beside_labels():
    inputs, labels = table()
    found = guestlist.torch._records.read(({"a": inputs, "b": inputs}, labels))
    assert sorted(found.whole()) == ["a", "b"] and len(found) == len(labels)


class Drawing(torch.nn.Module):
    """Draws random numbers whenever it is asked."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 2)

    def forward(self, inputs):
        return self.layer(inputs + 0.01 * torch.randn_like(inputs))


def test_a_model_that_draws_numbers_is_trained_and_asked_every_way(tmp_path):
    for way in ("plain", "ensemble"):
        report = guestlist.torch.audit(
            Drawing, table(), epochs=2, batch_size=20, way=way, shadows=4, folder=tmp_path / way,
            devices="cpu", attacks="lira", progress=False,
        )  # fmt: skip
        assert report.outcome
