"""Teaches `understudy-lm` on fine-tunes whose members are known, and judges it on what it was not taught on.

    python teach.py FINETUNES OUT STEPS SECONDS

OUT receives ``weights.npz`` (taught on all: what guestlist carries) and ``tables.json``: each corpus left out, each base
model left out, and pairs of a fine-tune and a shadow of it. All networks of one kind of access learn side by side from
the same batches; a network that leaves a fine-tune out gives its texts no weight. Where STEPS would take longer than
SECONDS for a kind of access, there are fewer.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch

from network import VARIANTS, Readers, ez_smoothed, features, of_text, wbc

BATCH, SEEDS, RATE = 256, 2, 2e-3
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Made:
    """All fine-tunes, on the device."""

    def __init__(self, folder):
        self.about, self.values, self.lengths, self.member, self.whole = [], [], [], [], []
        for file in sorted(Path(folder).glob("*.json"), key=lambda file: int(file.stem)):
            stored = np.load(file.with_suffix(".npz"))
            self.about.append(json.loads(file.read_text()))
            # The first predicted position is left out.
            self.values.append(torch.from_numpy(stored["values"][:, 1:]).to(DEVICE))
            self.lengths.append(torch.from_numpy(stored["lengths"] - 2).to(DEVICE).clamp_min(1))
            self.member.append(torch.from_numpy(stored["member"]).to(DEVICE))
            self.whole.append(of_text(self.values[-1], self.mask(-1), "full"))

    def where(self, keep):
        return [i for i, about in enumerate(self.about) if keep(about)]

    def known(self, i, variant):
        return self.whole[i][:, :4] if variant == "bare" else self.whole[i]

    def mask(self, i):
        return torch.arange(self.values[i].shape[1], device=DEVICE)[None] < self.lengths[i][:, None]


class Student:
    """What one network is taught on, and whom it is judged on."""

    def __init__(self, made, seed, left_out, value, keep):
        self.seed, self.left_out, self.value = seed, left_out, value
        self.taught = made.where(lambda about: about["shadow"] is None and keep(about))
        self.judged = made.where(lambda about: about["shadow"] is None and not keep(about))


def students_of(made, variant):
    corpora, models = sorted({a["corpus"] for a in made.about}), sorted({a["base"] for a in made.about})
    students = []
    for seed in range(SEEDS):
        students.append(Student(made, seed, None, None, lambda about: True))
        # Only the richest access is judged as it is shipped, by the mean of two.
        if seed == 0 or variant == "full":
            for name, values in (("corpus", corpora), ("base", models)):
                students += [Student(made, seed, name, v, lambda about, n=name, v=v: about[n] != v) for v in values]
    return students


def elsewhere(made, pairs):
    """For each pair, a network that saw neither its corpus nor its base model."""
    students = []
    for target, _ in pairs:
        a = made.about[target]
        keep = lambda o, a=a: o["corpus"] != a["corpus"] and o["base"] != a["base"]
        students.append(Student(made, 0, "pair", target, keep))
    return students


def pairs_of(made):
    found = {}
    for i, a in enumerate(made.about):
        if a["shadow"] is not None:
            found.setdefault(a["number"] // 2, {})[a["shadow"]] = i
    return [(both[False], both[True]) for both in found.values() if len(both) == 2]


def statistics(made, variant, students):
    """Mean and spread of each feature over the fine-tunes that a student is taught on."""
    rows, known = [], []
    for i in range(len(made.about)):
        sample = features(made.values[i][::5], variant)[made.mask(i)[::5]]
        rows.append(sample[:: max(1, len(sample) // 2000)])
        known.append(made.known(i, variant)[::5])
    centred = []
    for student in students:
        x, k = (torch.cat([part[i] for i in student.taught]) for part in (rows, known))
        centred.append((x.mean(0), x.std(0), k.mean(0), k.std(0)))
    return [torch.stack(parts) for parts in zip(*centred)]


class Bucket:
    """Texts of fine-tunes of about the same length, one after another."""

    def __init__(self, made, jobs, variant):
        longest = max(made.values[i].shape[1] for i in jobs)
        pad = lambda v: torch.nn.functional.pad(v, (0, 0, 0, longest - v.shape[1]))
        self.values = torch.cat([pad(made.values[i]) for i in jobs])
        self.lengths = torch.cat([made.lengths[i] for i in jobs])
        self.member = torch.cat([made.member[i] for i in jobs]).float()
        self.known = torch.cat([made.known(i, variant) for i in jobs])
        self.job = torch.cat([torch.full((len(made.member[i]),), i, device=DEVICE) for i in jobs])

    def batch(self, generator, count):
        rows = torch.randint(len(self.member), (count,), generator=generator, device=DEVICE)
        return self.values[rows], self.lengths[rows], self.member[rows], self.known[rows], self.job[rows]


def buckets(made, jobs, variant):
    by_length = {}
    for i in jobs:
        by_length.setdefault(-(-made.values[i].shape[1] // 64), []).append(i)
    return [Bucket(made, group, variant) for group in by_length.values()]


def in_mask(values, lengths):
    return torch.arange(values.shape[-2], device=DEVICE) < lengths[..., None]


def wrong(said, member, weight):
    """Each network's own mean loss, added up: no network hears of another's."""
    loss = torch.nn.functional.binary_cross_entropy_with_logits(said, member.expand_as(said), reduction="none")
    return ((loss * weight).sum(1) / weight.sum(1).clamp_min(1)).sum()


def teach(made, variant, students, steps, seconds):
    readers = Readers(len(VARIANTS[variant]), 4 if variant == "bare" else 5, [s.seed for s in students]).to(DEVICE)
    readers.centre, readers.spread, readers.known_centre, readers.known_spread = statistics(made, variant, students)
    allowed = torch.zeros(len(students), len(made.about), device=DEVICE)
    for row, student in enumerate(students):
        allowed[row, student.taught] = 1
    optimizer = torch.optim.AdamW(readers.parameters(), lr=RATE, weight_decay=0.01, fused=True)
    groups = buckets(made, made.where(lambda about: about["shadow"] is None), variant)
    share = np.array([float(len(group.member)) for group in groups])
    generator, rng = torch.Generator(device=DEVICE).manual_seed(0), np.random.default_rng(0)
    readers.train()
    began, step, timed = time.time(), 0, 60
    while step < steps:
        if step == timed:  # By now it is known how long a step takes.
            wait()
            steps = max(timed + 1, min(steps, int(seconds / (time.time() - began) * timed)))
            print(f"{variant}: {len(students)} networks, {(time.time() - began) / timed * 1e3:.1f} ms a step, {steps} steps", flush=True)
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 100) * (1 - step / steps)
        values, lengths, member, known, job = groups[rng.choice(len(groups), p=share / share.sum())].batch(generator, BATCH)
        said = readers(features(values, variant), known, in_mask(values, lengths))
        optimizer.zero_grad(set_to_none=True)
        wrong(said, member, allowed[:, job]).backward()
        optimizer.step()
        step += 1
    wait()
    print(f"{variant}: {time.time() - began:.0f} s", flush=True)
    return readers.eval()


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


@torch.no_grad()
def scored(readers, made, i, variant):
    """[networks, texts]"""
    out = []
    for begin in range(0, len(made.member[i]), 200):
        rows = slice(begin, begin + 200)
        values, mask = made.values[i][rows], made.mask(i)[rows]
        out.append(readers(features(values, variant), made.known(i, variant)[rows], mask))
    return torch.cat(out, 1)


def measures(score, member):
    score, member = score.double().cpu().numpy(), member.cpu().numpy()
    a, b = np.sort(score[member]), np.sort(score[~member])
    below = np.searchsorted(b, a, "left") + np.searchsorted(b, a, "right")
    auc = below.sum() / (2 * len(a) * len(b))

    def at(rate):
        allowed = int(rate * len(b))
        threshold = b[len(b) - 1 - allowed]
        return float((a > threshold).mean())

    return [float(auc), at(0.01), at(0.001)]


@torch.no_grad()
def published(made, i):
    values, mask = made.values[i], made.mask(i)
    gain = (values[..., 0].float() - values[..., 5].float()) * mask
    rank, member = values[..., 3], made.member[i]
    wrong = (rank > 0) * mask
    rises, falls = (gain.clamp_min(0) * wrong).sum(1).double(), ((-gain).clamp_min(0) * wrong).sum(1).double()
    ez = torch.where(wrong.any(1), torch.where((rises == 0) & (falls == 0), torch.ones_like(rises), rises / falls),
                     torch.full_like(rises, torch.inf))
    ratio = gain.sum(1) / mask.sum(1)
    z = ((values[..., 0] - values[..., 1]).float() / values[..., 2].float().clamp_min(1e-2)).masked_fill(~mask, torch.inf)
    low = z.sort(1).values
    take = (mask.sum(1) * 0.2).long().clamp_min(1)
    place = torch.arange(z.shape[1], device=DEVICE)[None] < take[:, None]
    min_k = low.masked_fill(~place, 0).sum(1) / take
    found = {"ez": ez, "ez-smoothed": ez_smoothed(gain, rank, mask), "wbc": wbc(gain, mask), "ratio": ratio, "min-k-plus-plus": min_k}
    return {name: measures(score, member) for name, score in found.items()}


def judged(made, variant, students, readers):
    """By what was left out: number of a fine-tune → measures of the mean of those networks that did not see it."""
    found = {}
    for i in range(len(made.about)):
        mine = {}
        for row, student in enumerate(students):
            if i in student.judged and student.left_out != "pair":
                mine.setdefault(student.left_out, []).append(row)
        if mine:
            said = scored(readers, made, i, variant)
            for left_out, rows in mine.items():
                found.setdefault(left_out, {})[made.about[i]["number"]] = measures(said[rows].mean(0), made.member[i])
    return found


WAYS = {
    # Passes over the shadow's texts, rate, whether from what was taught elsewhere.
    "shadow alone": (30, 2e-3, False),
    "5 passes": (5, 5e-4, True),
    "5 passes, faster": (5, 1.5e-3, True),
    "12 passes": (12, 5e-4, True),
    "12 passes, faster": (12, 1.5e-3, True),
}


def further(made, pairs, readers, passes, rate, on):
    """Each network learns from its own shadow, in batches of 64."""
    shadows = [shadow for _, shadow in pairs]
    longest = max(made.values[i].shape[1] for i in shadows)
    steps = passes * max(len(made.member[i]) for i in shadows) // 64
    net = Readers(len(VARIANTS["full"]), 5, [100 + i for i in range(len(pairs))]).to(DEVICE)
    if on:
        net.load_state_dict(readers.state_dict())
    else:
        parts = statistics(made, "full", [type("Alone", (), {"taught": [i]}) for i in shadows])
        net.centre, net.spread, net.known_centre, net.known_spread = parts
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.01, fused=True)
    generator = torch.Generator(device=DEVICE).manual_seed(1)
    one = [Bucket(made, [i], "full") for i in shadows]
    net.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * (1 - step / steps)
        drawn = [bucket.batch(generator, 64) for bucket in one]
        values = torch.stack([torch.nn.functional.pad(d[0], (0, 0, 0, longest - d[0].shape[1])) for d in drawn])
        lengths, member, known = (torch.stack([d[part] for d in drawn]) for part in (1, 2, 3))
        said = net(features(values, "full"), known, in_mask(values, lengths))
        optimizer.zero_grad(set_to_none=True)
        wrong(said, member, torch.ones_like(said)).backward()
        optimizer.step()
    return net.eval()


def shadowed(made, pairs, readers):
    """Taught elsewhere, by one shadow alone, further by it, and the mean of both."""
    first = [scored(readers, made, target, "full")[row] for row, (target, _) in enumerate(pairs)]
    rows = [{**published(made, t), "elsewhere": measures(first[r], made.member[t])} for r, (t, _) in enumerate(pairs)]
    for name, way in WAYS.items():
        net = further(made, pairs, readers, *way)
        for row, (target, _) in enumerate(pairs):
            score = scored(net, made, target, "full")[row]
            rows[row][name] = measures(score, made.member[target])
            rows[row][name + " + elsewhere"] = measures(score + first[row], made.member[target])
    return [{"pair": made.about[target], "found": rows[row]} for row, (target, _) in enumerate(pairs)]


def summary(about, base, found):
    """Means where ez lies between .6 and .95, and the worst difference to it anywhere."""
    rows = [(base[n]["ez"], found[n], n) for n in found if not about[n]["null"]]
    middle = [row for row in rows if 0.6 <= row[0][0] <= 0.95]
    if not middle:
        return None
    ez, ours = np.array([m[0] for m in middle]), np.array([m[1] for m in middle])
    nulls = [found[n][0] for n in found if about[n]["null"]]
    worst = min(rows, key=lambda row: row[1][0] - row[0][0])
    return {
        "n": len(middle), "ez": ez.mean(0).round(4).tolist(), "ours": ours.mean(0).round(4).tolist(),
        "worst": round(worst[1][0] - worst[0][0], 4), "at": worst[2], "its ez": round(worst[0][0], 3),
        "below": int(sum(o[0] < e[0] - 0.003 for e, o, _ in rows)), "of": len(rows),
        "nulls": [round(float(n), 3) for n in nulls],
    }


def told(made, base, variant, found):
    about = {a["number"]: a for a in made.about}
    for left_out, numbers in found.items():
        for value in sorted({about[n][left_out] for n in numbers}):
            part = {n: m for n, m in numbers.items() if about[n][left_out] == value}
            print(variant, left_out, value, summary(about, base, part), flush=True)
        print("ALL", variant, left_out, summary(about, base, numbers), flush=True)


def main():
    folder, out, steps, seconds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    torch.set_float32_matmul_precision("high")
    out.mkdir(parents=True, exist_ok=True)
    began = time.time()
    made = Made(folder)
    base = {a["number"]: published(made, i) for i, a in enumerate(made.about)}
    pairs = pairs_of(made)
    result = {"about": made.about, "published": base, "judged": {}, "pairs": [], "steps": steps}
    weights = {}
    print(f"{len(made.about)} fine-tunes, {len(pairs)} pairs, read in {time.time() - began:.0f} s", flush=True)
    for variant in VARIANTS:
        students = students_of(made, variant)
        whole = len(students)
        if variant == "full":
            students = students + elsewhere(made, pairs)
        readers = teach(made, variant, students, steps, seconds)
        for row, student in enumerate(students[:whole]):
            if student.left_out is None:
                weights |= {f"{variant}.{student.seed}.{name}": v for name, v in readers.one(row).items()}
        np.savez(out / "weights.npz", **weights)
        result["judged"][variant] = judged(made, variant, students, readers)
        told(made, base, variant, result["judged"][variant])
        if variant == "full" and pairs:
            result["pairs"] = shadowed(made, pairs, readers.part(range(whole, len(students))))
            for name in result["pairs"][0]["found"]:
                print("PAIRS", name, np.mean([row["found"][name] for row in result["pairs"]], 0).round(4), flush=True)
        (out / "tables.json").write_text(json.dumps(result))
    print(f"{time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
