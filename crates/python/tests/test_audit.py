"""Audits of classifiers: the same numbers as the command line, from every kind of array."""

import numpy as np
import pytest
from conftest import without_origin

import guestlist


@pytest.fixture(scope="module")
def plain(leaky):
    return guestlist.audit(*leaky, progress=False).to_dict()


def test_numbers_are_those_of_the_command_line_to_the_last_bit(leaky, command_line, tmp_path):
    phi, keep = leaky
    signals = tmp_path / "signals.npz"
    np.savez(signals, phi=phi, keep=keep, labels=np.arange(600) % 3)
    flags = ["--target", 2, "--replicates", 3, "--scaling", "4,8", "--slice", "label"]
    flags += ["--gate", "proven", "--threshold", 0.7, "--set", "rmia.gamma=1.5", "--seed", 9]
    expected = command_line(signals, *flags, out=tmp_path / "out")
    options = dict(target=2, replicates=3, scaling=[4, 8], slices=["label"], gate="proven")
    options |= dict(threshold=0.7, settings={"rmia.gamma": 1.5}, seed=9, progress=False)
    read = guestlist.audit(signals, **options)
    held = guestlist.audit(phi, keep, labels=np.arange(600) % 3, **options)
    assert without_origin(read.to_dict()) == without_origin(expected)
    assert without_origin(held.to_dict()) == without_origin(expected)
    assert read.to_dict()["provenance"]["inputs"] == expected["provenance"]["inputs"]
    read.save(tmp_path / "saved", junit=True, markdown=True, sarif=True)
    for name in ("report.json", "scores.parquet", "vulnerability.parquet", "junit.xml"):
        assert (tmp_path / "saved" / name).exists()
    same = (tmp_path / "saved/scores.parquet").read_bytes()
    assert same == (tmp_path / "out/scores.parquet").read_bytes()


def test_policies_and_claims_are_those_of_the_command_line(leaky, command_line, tmp_path):
    phi, keep = leaky
    signals, policy = tmp_path / "signals.npz", tmp_path / "policy.toml"
    np.savez(signals, phi=phi, keep=keep)
    policy.write_text(
        'name = "ours"\n[[criteria]]\nmeasure = "auc"\nthreshold = 0.65\nwhy = "as it was before"\n'
        '[[criteria]]\nmeasure = "epsilon"\ndelta = 1e-5\nthreshold = 1\nwhy = "as it was before"\n'
    )
    flags = ["--policy", policy, "--claim-epsilon", 1, "--claim-delta", 1e-6]
    expected = command_line(signals, *flags, out=tmp_path / "out")
    claim = {"epsilon": 1.0, "delta": 1e-6}
    report = guestlist.audit(signals, policy=policy, claim=claim, progress=False).to_dict()
    assert report["policy"] == expected["policy"]
    assert report["claim"] == expected["claim"] is not None
    with pytest.raises(guestlist.UsageError, match="do not go together"):
        guestlist.audit(signals, policy=policy, threshold=0.6, progress=False)


def layouts(phi, keep):
    wide = np.zeros((phi.shape[0] * 2, phi.shape[1] * 3), phi.dtype)
    wide[::2, ::3] = phi
    yield "Fortran order", np.asfortranarray(phi), np.asfortranarray(keep)
    yield "strides", wide[::2, ::3], keep.astype(np.int64)
    yield "backwards", phi[::-1][::-1], keep[:, ::-1][:, ::-1]
    yield "reversed twice", np.ascontiguousarray(phi[::-1])[::-1], keep.astype(float)
    yield "big-endian", phi.astype(">f4"), keep.astype(">i2")
    yield "double", phi.astype(np.float64), keep.astype(np.uint8)
    yield "lists", phi.tolist(), keep.tolist()


def test_every_layout_gives_the_same_report(leaky, plain):
    for name, phi, keep in layouts(*leaky):
        report = guestlist.audit(phi, keep, progress=False).to_dict()
        report["provenance"]["command"] = plain["provenance"]["command"]
        assert report == plain, name


def test_half_precision_is_read_as_it_is(leaky):
    phi, keep = leaky
    half = phi.astype(np.float16)
    report = guestlist.audit(half, keep, attacks="lira", progress=False)
    wide = guestlist.audit(half.astype(np.float64), keep, attacks="lira", progress=False)
    assert report.attacks == wide.attacks


def test_frames_and_tensors_are_arrays_too(leaky, plain):
    pandas = pytest.importorskip("pandas")
    phi, keep = leaky
    given = [(pandas.DataFrame(phi), pandas.DataFrame(keep))]
    torch = pytest.importorskip("torch")
    given.append((torch.tensor(phi, requires_grad=True), torch.tensor(keep)))
    for some_phi, some_keep in given:
        report = guestlist.audit(some_phi, some_keep, progress=False).to_dict()
        assert report["attacks"] == plain["attacks"]
    rough = torch.tensor(phi).bfloat16()
    report = guestlist.audit(rough, keep, attacks="lira", progress=False)
    same = guestlist.audit(rough.float(), keep, attacks="lira", progress=False)
    assert report.attacks == same.attacks


def test_logits_with_labels_become_phi(command_line, tmp_path):
    rng = np.random.default_rng(3)
    keep = guestlist.shadow_splits(records=200, models=9)
    labels = rng.integers(0, 4, size=200)
    logits = rng.normal(size=(9, 200, 4))
    logits[:, np.arange(200), labels] += 1 + keep
    np.savez(tmp_path / "signals.npz", logits=logits, labels=labels, keep=keep)
    expected = command_line(tmp_path / "signals.npz", out=tmp_path / "out")
    report = guestlist.audit(logits, keep, labels=labels, logits=True, progress=False)
    assert without_origin(report.to_dict()) == without_origin(expected)
    assert "labels=labels, logits=True" in report.to_dict()["provenance"]["command"]
    twice = np.stack([logits, logits], axis=2)
    four = guestlist.audit(twice, keep, labels=labels, attacks="lira", progress=False)
    assert four.outcome


def test_one_model_alone_is_the_weakest_attacker():
    rng = np.random.default_rng(4)
    members, labels = rng.random(600) < 0.5, rng.integers(0, 4, size=600)
    logits = rng.normal(size=(600, 4))
    options = dict(labels=labels, progress=False)
    report = guestlist.audit(logits, members, logits=True, **options)
    assert report.outcome == "inconclusive" and "correctness" in report.attacks
    named = guestlist.audit(logits, members, logits=True, attacker="target-only", **options)
    assert named.outcome == "pass"
    odds = np.exp(logits)
    odds /= odds.sum(axis=1, keepdims=True)
    same = guestlist.audit(odds, members, probabilities=True, **options)
    assert same.attacks["loss"]["auc"]["value"] == report.attacks["loss"]["auc"]["value"]
    with pytest.raises(guestlist.InputError, match="they are probabilities"):
        guestlist.audit(odds, members, logits=True, **options)


def test_three_axes_with_labels_are_not_guessed(leaky):
    phi, keep = leaky
    twice, labels = np.stack([phi, phi + 0.1], axis=2), np.arange(600) % 2
    with pytest.raises(guestlist.UsageError, match="logits of 2 classes or φ under 2 augmentations"):
        guestlist.audit(twice, keep, labels=labels)
    with pytest.raises(guestlist.UsageError, match="there are logits but no labels"):
        guestlist.audit(twice, keep, logits=True)
    options = dict(attacks="lira", progress=False)
    labelled = guestlist.audit(twice, keep, labels=labels, logits=False, **options)
    assert labelled.attacks == guestlist.audit(twice, keep, **options).attacks


def test_frames_with_types_of_their_own_are_arrays(leaky, plain):
    pandas = pytest.importorskip("pandas")
    phi, keep = leaky
    for kind, flag in (("Float32", "boolean"), ("float[pyarrow]", "bool[pyarrow]")):
        frames = pandas.DataFrame(phi).astype(kind), pandas.DataFrame(keep).astype(flag)
        report = guestlist.audit(*frames, progress=False).to_dict()
        assert report["attacks"] == plain["attacks"]
        frames[0].iloc[2, 3] = pandas.NA
        with pytest.raises(guestlist.InputError):
            guestlist.audit(*frames, progress=False)


def test_members_population_and_names_are_heeded(leaky, tmp_path):
    phi, keep = leaky
    names = [f"person {row}" for row in range(600)]
    listed = tmp_path / "members.txt"
    listed.write_text("\n".join(name for name, kept in zip(names, keep[4]) if kept))
    flagged = guestlist.audit(phi, keep, members=keep[4], ids=names, progress=False)
    by_file = guestlist.audit(phi, keep, members=listed, ids=names, progress=False)
    assert flagged.attacks == by_file.attacks
    assert flagged.scores.column("id")[7].as_py() == "person 7"
    assert flagged.scores.column("member").to_pylist() == keep[4].tolist()
    further = guestlist.audit(
        phi, keep, attacks="rmia", population=(phi[:, :90] - 1, keep[:, :90]), progress=False
    )
    assert further.attacks != guestlist.audit(phi, keep, attacks="rmia", progress=False).attacks


def test_the_call_that_gives_the_report_again_is_written_down(leaky):
    report = guestlist.audit(*leaky, attacks=["lira"], seed=4, progress=False)
    command = report.to_dict()["provenance"]["command"]
    assert command == "guestlist.audit(phi, keep=keep, attacks=['lira'], seed=4)"


def broken(phi, keep):
    nan = phi.copy()
    nan[3, 17] = np.nan
    two = keep.astype(int)
    two[1, 2] = 2
    yield (nan, keep), {}, guestlist.InputError, "phi of model 3, record 17 is NaN"
    yield (np.ma.masked_equal(phi, phi[0, 0]), keep), {}, guestlist.InputError, "phi has masked"
    yield (1.0, True), {}, guestlist.InputError, "phi is a single value"
    yield (phi, True), {}, guestlist.InputError, "keep is a single value"
    yield (phi, keep), {"members": "nofile"}, guestlist.FileError, "nofile: cannot be read"
    yield ("nowhere.npz",), {"logits": True}, guestlist.UsageError, "logits was given beside a path"
    yield (phi, two), {}, guestlist.InputError, "keep of model 1, record 2 is 2"
    yield (phi, keep[:, 1:]), {}, guestlist.InputError, "phi has 600 records but keep has 599"
    yield (phi, keep.T), {}, guestlist.InputError, "keep is transposed"
    yield (phi[:0], keep[:0]), {}, guestlist.InputError, "phi is empty"
    yield (phi.astype(object), keep), {}, guestlist.InputError, "phi holds object values"
    yield (phi.astype(int), keep), {}, guestlist.InputError, "phi holds int64 values"
    yield (phi,), {}, guestlist.UsageError, "there is phi but no keep"
    yield (phi, keep), {"target": 17}, guestlist.UsageError, "model 17 was asked for"
    yield (phi, keep), {"target": -1}, guestlist.UsageError, "target is -1"
    yield (phi, keep), {"attacks": "lyra"}, guestlist.UsageError, "no attack named lyra"
    yield (phi, keep), {"threshold": 7.0}, guestlist.UsageError, "threshold is 7"
    yield (phi, keep), {"ids": ["a"]}, guestlist.InputError, "there are 1 ids"
    yield (phi, keep), {"members": keep[0, :5]}, guestlist.UsageError, "members has 5 entries"
    yield (phi, keep), {"settings": {"x.y": 1}}, guestlist.UsageError, "x.y"
    yield ("nowhere.npz",), {}, guestlist.FileError, "nowhere.npz: no such file"
    yield ("nowhere.npz", keep), {}, guestlist.UsageError, "keep was given beside a path"


def test_errors_are_typed_and_say_what_to_do(leaky):
    for arguments, options, kind, words in broken(*leaky):
        with pytest.raises(kind) as caught:
            guestlist.audit(*arguments, **options, progress=False)
        assert words in str(caught.value)
        assert caught.value.hint and str(caught.value).endswith(f"; hint: {caught.value.hint}")
        assert isinstance(caught.value, (ValueError, OSError))


def test_words_are_those_of_the_command_line(leaky, command_line, tmp_path):
    import subprocess

    phi, keep = leaky
    phi = phi.copy()
    phi[3, 17] = np.inf
    signals = tmp_path / "signals.npz"
    np.savez(signals, phi=phi, keep=keep)
    said = subprocess.run(
        [command_line.program, "audit", signals], capture_output=True, text=True, check=False
    )
    with pytest.raises(guestlist.InputError) as caught:
        guestlist.audit(signals)
    assert str(caught.value) in said.stderr


def test_frames_of_pandas_whose_records_stand_in_another_order_are_refused(leaky):
    pandas = pytest.importorskip("pandas")
    phi, keep = (pandas.DataFrame(np.asarray(part)) for part in leaky)
    labels = pandas.Series(np.arange(phi.shape[1]) % 3)
    shuffled = phi.sample(frac=1, axis=1, random_state=1)
    guestlist.audit(phi, keep, attacks="lira", labels=labels, logits=False, progress=False)
    for given, options, words in (
        ((shuffled, keep), {}, "phi and keep"),
        ((phi.iloc[::-1], keep), {}, "phi and keep"),
        ((shuffled, keep.to_numpy()), {"labels": labels, "logits": False}, "phi and labels"),
        ((shuffled, keep.to_numpy()), {"groups": labels}, "phi and groups"),
        ((phi, keep), {"members": keep.iloc[0].sample(frac=1, random_state=1)}, "phi and members"),
    ):
        with pytest.raises(guestlist.UsageError, match=f"the indexes of {words} disagree"):
            guestlist.audit(*given, attacks="lira", progress=False, **options)


def test_rows_of_pandas_within_lists_are_compared_as_frames_are(leaky):
    pandas = pytest.importorskip("pandas")
    phi, keep = (np.asarray(part) for part in leaky)
    order = np.random.default_rng(3).permutation(phi.shape[1])
    rows, flags = ([pandas.Series(row) for row in part] for part in (phi, keep))
    shuffled = [row.iloc[order] for row in flags]
    frame = pandas.DataFrame(keep)
    for given in (
        (rows, shuffled),
        (tuple(rows), tuple(shuffled)),
        (pandas.DataFrame(phi), shuffled),
        ([row.iloc[order] for row in rows], frame),
        ([rows[0], *(row.iloc[order] for row in rows[1:])], keep),
        ([pandas.DataFrame(row) for row in phi], shuffled),
    ):
        with pytest.raises(guestlist.UsageError, match=r"the indexes of .* disagree; hint: .*to_numpy"):
            guestlist.audit(*given, progress=False)
    groups = pandas.Series(np.arange(phi.shape[1]), index=order)
    with pytest.raises(guestlist.UsageError, match=r"phi\[0\] and groups disagree"):
        guestlist.audit(rows, keep, groups=groups, progress=False)
    expected = guestlist.audit(phi, keep, attacks="lira", progress=False).attacks
    for given in ((rows, flags), ([row.iloc[order] for row in rows], shuffled), (list(phi), [list(row) for row in keep])):
        found = guestlist.audit(*given, attacks="lira", progress=False).attacks
        assert found["lira"]["auc"]["value"] == expected["lira"]["auc"]["value"]


def test_arguments_that_make_no_sense_are_named(leaky):
    nan, inf = float("nan"), float("inf")
    for options, words in (
        ({"threshold": nan}, "threshold is no finite number: nan; hint: give a number"),
        ({"threshold": np.float32(inf)}, "threshold is no finite number: inf"),
        ({"fpr": [0.1, -inf]}, r"fpr\[1\] is no finite number: -inf"),
        ({"settings": {"rmia.gamma": nan}}, r"settings\.rmia\.gamma is no finite number"),
        ({"claim": {"epsilon": inf, "delta": 1e-5}}, r"claim\.epsilon is no finite number"),
        ({"attacks": 3}, 'attacks is 3; hint: give ids, as "lira,rmia"'),
        ({"attacks": ["lira", 3]}, "attacks is .* hint: give ids"),
        ({"target": -1}, "target is -1; hint: give a whole number of 0 or more"),
        ({"target": 1.5}, "target is 1.5"),
        ({"scaling": [4, -8]}, "scaling is -8"),
        ({"bootstrap": True}, "bootstrap is True"),
    ):
        with pytest.raises(guestlist.UsageError, match=words):
            guestlist.audit(*leaky, **options, progress=False)
    with pytest.raises(guestlist.UsageError, match="attacks is 3"):
        guestlist.plan("nowhere.toml", attacks=3)
    with pytest.raises(guestlist.UsageError, match="limit is -3"):
        guestlist.run("nowhere.toml", limit=-3)
    with pytest.raises(guestlist.UsageError, match="shots is 1.5"):
        guestlist.audit_fewshot("nowhere.npz", shots=[5, 1.5])
    one = guestlist.audit(*leaky, target=np.int64(1), scaling=np.array([4, 8]), attacks=("lira",), progress=False)
    assert list(one.attacks) == ["lira"]
