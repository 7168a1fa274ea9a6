"""Signals from a training loop of PyTorch."""

import numpy as np
import pytest

import guestlist
from guestlist import collect

torch = pytest.importorskip("torch")


@pytest.fixture
def world():
    """Records, and models of them with a layer that tells training from evaluation."""
    torch.manual_seed(0)
    inputs, labels = torch.randn(40, 6), torch.arange(40) % 3
    data = torch.utils.data.TensorDataset(inputs, labels)
    loader = torch.utils.data.DataLoader(data, batch_size=7)

    def model():
        layers = [torch.nn.Linear(6, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 3)]
        return torch.nn.Sequential(*layers)

    return loader, model, guestlist.shadow_splits(records=40, models=5)


def expected(model, loader):
    model.eval()
    with torch.no_grad():
        logits = torch.cat([model(x) for x, _ in loader]).double().numpy()
    labels = torch.cat([y for _, y in loader]).numpy()
    phi = []
    for row, label in zip(logits, labels):
        phi.append(row[label] - np.log(np.sum(np.exp(np.delete(row, label)))))
    return np.asarray(phi)


def test_three_lines_write_signals_that_can_be_audited(world, tmp_path):
    loader, model, keep = world
    path = tmp_path / "signals.npz"
    models = [model() for _ in keep]
    with collect.signals(path, splits=keep) as signals:
        for m in signals.missing:
            assert signals.add(m, models[m], loader)
    stored = np.load(path)
    assert stored["phi"].dtype == np.float32 and not (tmp_path / "signals.npz.parts").exists()
    for m, one in enumerate(models):
        assert one.training or m < 0
        np.testing.assert_allclose(stored["phi"][m], expected(one, loader), rtol=1e-5, atol=1e-5)
    assert np.array_equal(stored["keep"], keep)
    assert stored["labels"].tolist() == [row % 3 for row in range(40)]
    assert guestlist.audit(path, attacks="lira", progress=False).outcome


def test_what_was_collected_is_kept(world, tmp_path):
    loader, model, keep = world
    path = tmp_path / "signals.npz"
    first = model()
    with pytest.raises(RuntimeError):
        with collect.signals(path, splits=keep) as signals:
            signals.add(0, first, loader)
            signals.add(3, model(), loader)
            raise RuntimeError("the power failed")
    assert not path.exists()
    with collect.signals(path, splits=keep) as signals:
        assert signals.missing == [1, 2, 4] and 3 in signals
        assert not signals.add(0, model(), loader)
        for m in signals.missing:
            signals.add(m, model(), loader)
    phi = np.load(path)["phi"]
    np.testing.assert_allclose(phi[0], expected(first, loader), rtol=1e-5, atol=1e-5)
    before = path.read_bytes()
    with collect.signals(path, splits=keep) as signals:
        assert signals.missing == [] and not signals.add(1, model(), loader)
    assert path.read_bytes() == before
    with pytest.raises(guestlist.UsageError, match="was made with other splits"):
        collect.signals(path, splits=~keep)


def test_names_and_single_logits_are_stored(world, tmp_path):
    loader, _, keep = world
    binary = [(x, (y == 1).long()) for x, y in loader]
    path = tmp_path / "signals.npz"
    models = [torch.nn.Linear(6, 1) for _ in keep]
    with collect.signals(path, splits=keep, ids=range(40)) as signals:
        for m, one in enumerate(models):
            signals.add(m, one, binary)
    stored = np.load(path)
    logit = models[2](binary[0][0])[:, 0].detach().numpy()
    sign = np.where(binary[0][1].numpy() == 1, 1, -1)
    np.testing.assert_allclose(stored["phi"][2][:7], sign * logit, rtol=1e-5)
    assert stored["ids"].tolist()[:2] == ["0", "1"]


def test_what_is_wrong_is_refused_at_once(world, tmp_path):
    loader, model, keep = world
    signals = collect.signals(tmp_path / "signals.npz", splits=keep)
    broken = model()
    with torch.no_grad():
        broken[2].bias[1] = torch.nan
    with pytest.raises(guestlist.InputError, match="phi of model 2, record 0 is nan"):
        signals.add(2, broken, loader)
    assert broken.training
    with pytest.raises(guestlist.InputError, match="the loader gave 7 records but splits has 40"):
        signals.add(2, model(), [next(iter(loader))])
    with pytest.raises(guestlist.UsageError, match="there is no model 9"):
        signals.add(9, model(), loader)
    signals.add(0, model(), loader)
    with pytest.raises(guestlist.InputError, match="are not those for the models before it"):
        signals.add(1, model(), list(loader)[::-1])
    with pytest.raises(guestlist.InputError, match="splits has shape"):
        collect.signals(tmp_path / "other.npz", splits=keep[0])


def test_every_part_of_a_model_keeps_its_mode(world, tmp_path):
    loader, model, keep = world
    one = model()
    one[1].eval()
    collect.signals(tmp_path / "signals.npz", splits=keep).add(0, one, loader)
    assert one.training and one[0].training and not one[1].training


def test_a_loader_out_of_order_is_refused(world, tmp_path):
    loader, model, keep = world
    signals = collect.signals(tmp_path / "signals.npz", splits=keep)
    data = loader.dataset
    batches = torch.utils.data.BatchSampler(torch.utils.data.RandomSampler(data), 7, False)
    for shuffled in (
        torch.utils.data.DataLoader(data, batch_size=7, shuffle=True),
        torch.utils.data.DataLoader(data, batch_sampler=batches),
    ):
        with pytest.raises(guestlist.InputError, match="draws records by a RandomSampler"):
            signals.add(0, model(), shuffled)
    signals.add(0, model(), list(loader)[::-1])
    with pytest.raises(guestlist.InputError, match="the earlier one was out .* remove .*parts"):
        signals.add(1, model(), loader)


class Named(torch.nn.Module):
    """Takes its inputs by name and gives logits beside other things, as Hugging Face does."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 3)

    def forward(self, pixels):
        return type("Output", (), {"logits": self.layer(pixels), "hidden": None})()


def test_batches_may_be_mappings(world, tmp_path):
    loader, _, keep = world
    one = Named()
    signals = collect.signals(tmp_path / "signals.npz", splits=keep)
    assert signals.add(0, one, [{"pixels": x, "labels": y} for x, y in loader])
    assert signals.add(1, one, [{"pixels": x, "label": y} for x, y in loader])
    first, second = (np.load(signals._part(m))["phi"] for m in (0, 1))
    np.testing.assert_allclose(first, expected(one.layer, loader), rtol=1e-5, atol=1e-5)
    assert np.array_equal(first, second)
    with pytest.raises(guestlist.InputError, match="a batch of the loader has no labels"):
        signals.add(2, one, [{"pixels": x} for x, _ in loader])
    with pytest.raises(guestlist.InputError, match="a batch of the loader is 3 items"):
        signals.add(2, one, [(x, y, y) for x, y in loader])


def test_labels_are_classes_of_the_model(world, tmp_path):
    loader, model, keep = world
    signals = collect.signals(tmp_path / "signals.npz", splits=keep)
    with pytest.raises(guestlist.InputError, match="the label of record 2 is 2; .* from 0 to 1"):
        signals.add(0, torch.nn.Linear(6, 1), loader)
    with pytest.raises(guestlist.InputError, match="the label of record 0 is 0.5"):
        signals.add(0, model(), [(x, y + 0.5) for x, y in loader])
    with pytest.raises(guestlist.InputError, match="the label of record 0 is nan"):
        signals.add(0, model(), [(x, y * torch.nan) for x, y in loader])
    assert signals.add(0, model(), [(x, y.double()) for x, y in loader])


def test_files_and_names_that_do_not_fit_are_refused(world, tmp_path):
    _, _, keep = world
    with pytest.raises(guestlist.InputError, match="there are 3 ids but splits has 40 records"):
        collect.signals(tmp_path / "signals.npz", splits=keep, ids="abc")
    for content in (b"", b"not an archive", b"PK\x03\x04 broken"):
        (tmp_path / "other.npz").write_bytes(content)
        with pytest.raises(guestlist.FileError, match="other.npz: is no npz file of signals"):
            collect.signals(tmp_path / "other.npz", splits=keep)
