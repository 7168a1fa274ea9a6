"""Teaches `understudy-lm` on fine-tunes whose members are known, and judges it on what it was not taught on.

    python teach.py FINETUNES OUT STEPS SECONDS

OUT receives ``weights.npz`` (taught on all: what guestlist carries), ``tables.json`` (each corpus left out, each base
model left out, and pairs of a fine-tune and a shadow of it) and ``scores.npz`` (what those networks said of every text
that they were not taught on). All networks of one kind of access learn side by side from the same batches; a network
that leaves a fine-tune out gives its texts no weight. First the ways of learning compete, with one beginning each; the
one that falls behind `ez` least often where corpora and base models are left out is taught from more beginnings.
SECONDS is for the teaching of all: where STEPS would take longer there are fewer.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch

from lessons import DEVICE, HALF, TARGETS, Bucket, Made, buckets, statistics
from measure import measures, published, summary
from network import SIZED, VARIANTS, Readers, features, knows, of_text

SEEDS, RATE = 3, 2e-3
# Ways of learning: how much the order within a fine-tune counts beside the log-odds, and whether sizes are seen.
WAYS = {"plain": (0.0, True), "ranked": (1.0, True), "sizeless": (1.0, False)}
# Shares of the time: the competition, the chosen way from further beginnings, and the three poorer kinds of access.
SHARES = {"competition": 0.34, "full": 0.26, "moments": 0.13, "ranks": 0.13, "bare": 0.13}


class Student:
    """What one network is taught on, and how; `left_out` and `value` say whom it is judged on."""

    def __init__(self, made, seed, way, left_out, value, keep):
        self.seed, self.way, self.left_out, self.value = seed, way, left_out, value
        self.taught = made.where(lambda about: about["shadow"] is None and keep(about))
        self.judged = made.where(lambda about: about["shadow"] is None and not keep(about))


def students_of(made, seeds, ways, folds=True):
    students = []
    for seed in seeds:
        for way in ways:
            students.append(Student(made, seed, way, None, None, lambda about: True))
            for name in ("corpus", "base") if folds else ():
                for value in sorted({about[name] for about in made.about}):
                    keep = lambda about, name=name, value=value: about[name] != value
                    students.append(Student(made, seed, way, name, value, keep))
    return students


def elsewhere(made, pairs, way):
    """For each pair, a network that saw neither its corpus nor its base model."""
    students = []
    for target, _ in pairs:
        a = made.about[target]
        keep = lambda o, a=a: o["corpus"] != a["corpus"] and o["base"] != a["base"]
        students.append(Student(made, 0, way, "pair", target, keep))
    return students


def pairs_of(made):
    found = {}
    for i, a in enumerate(made.about):
        if a["shadow"] is not None:
            found.setdefault(a["number"] // 2, {})[a["shadow"]] = i
    return [(both[False], both[True]) for both in found.values() if len(both) == 2]


def loss_of(said, member, weight, order):
    """Each network's own: the log-odds of every text, and the order of members and others within each target."""
    bce = torch.nn.functional.binary_cross_entropy_with_logits(said, member.expand_as(said), reduction="none")
    bce = (bce * weight).sum(1) / weight.sum(1).clamp_min(1)
    groups = said.view(len(said), TARGETS, 2 * HALF)
    apart = groups[..., :HALF, None] - groups[..., None, HALF:]
    wrong = torch.nn.functional.softplus(-apart).mean((2, 3))
    weight = weight.view(len(said), TARGETS, 2 * HALF)[..., 0]
    wrong = (wrong * weight).sum(1) / weight.sum(1).clamp_min(1)
    return (bce + order * wrong).sum()


def beginning(made, variant, students):
    readers = Readers(len(VARIANTS[variant]), len(knows(variant)), [s.seed for s in students]).to(DEVICE)
    parts = statistics(made, variant, [s.taught for s in students])
    readers.centre, readers.spread, readers.known_centre, readers.known_spread = parts
    for row, student in enumerate(students):
        if not WAYS[student.way][1]:
            readers.seen[row] = torch.tensor([float(name not in SIZED) for name in VARIANTS[variant]])
            readers.known_seen[row] = torch.tensor([float(name not in SIZED) for name in knows(variant)])
    return readers


def teach(made, groups, variant, students, steps, seconds):
    readers = beginning(made, variant, students)
    allowed = torch.zeros(len(students), len(made.about), device=DEVICE)
    for row, student in enumerate(students):
        allowed[row, student.taught] = 1
    order = torch.tensor([WAYS[student.way][0] for student in students], device=DEVICE)
    optimizer = torch.optim.AdamW(readers.parameters(), lr=RATE, weight_decay=0.01, fused=True)
    share = np.array([float(len(group.jobs)) for group in groups])
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
        values, mask, member, job = groups[rng.choice(len(groups), p=share / share.sum())].batch(generator)
        said = readers(features(values, mask, variant), of_text(values, mask, variant), mask)
        optimizer.zero_grad(set_to_none=True)
        loss_of(said, member, allowed[:, job], order).backward()
        optimizer.step()
        step += 1
    wait()
    print(f"{variant}: {time.time() - began:.0f} s", flush=True)
    return readers.eval(), steps


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


@torch.no_grad()
def scored(readers, made, i, variant):
    """[networks, texts]"""
    out = []
    for begin in range(0, len(made.member[i]), 400):
        rows = slice(begin, begin + 400)
        values, mask = made.values[i][rows], made.mask(i)[rows]
        out.append(readers(features(values, mask, variant), of_text(values, mask, variant), mask))
    return torch.cat(out, 1)


def name_of(about):
    return str(about["number"]) if about["kind"] == "end" else f"{about['number']} {about['kind']}"


def said_of(made, variant, students, readers):
    """(way, what was left out) → target → what networks say of its texts that were not taught on it, added up."""
    folds, said = {}, {}
    for row, student in enumerate(students):
        if student.left_out in ("corpus", "base"):
            folds.setdefault((student.left_out, student.value), []).append(row)
    for (left_out, _), rows in folds.items():
        part = readers.part(rows)
        for i in students[rows[0]].judged:
            for row, scores in zip(rows, scored(part, made, i, variant)):
                place = said.setdefault((students[row].way, left_out), {})
                place[i] = place.get(i, 0) + scores
    return said


def judged(made, said):
    return {name_of(made.about[i]): measures(scores, made.member[i]) for i, scores in said.items()}


LEARNING = {
    # Passes over the shadow's texts, rate, whether from what was taught elsewhere.
    "shadow alone": (30, 2e-3, False),
    "5 passes, faster": (5, 1.5e-3, True),
    "12 passes, faster": (12, 1.5e-3, True),
}


def further(made, pairs, readers, passes, rate, on):
    """Each network learns from its own shadow, in batches of 64."""
    shadows = [shadow for _, shadow in pairs]
    longest = max(made.values[i].shape[1] for i in shadows)
    steps = passes * max(len(made.member[i]) for i in shadows) // 64
    net = Readers(len(VARIANTS["full"]), len(knows("full")), [100 + i for i in range(len(pairs))]).to(DEVICE)
    if on:
        net.load_state_dict(readers.state_dict())
    else:
        parts = statistics(made, "full", [[i] for i in shadows])
        net.centre, net.spread, net.known_centre, net.known_spread = parts
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.01, fused=True)
    generator = torch.Generator(device=DEVICE).manual_seed(1)
    one = [Bucket(made, [i]) for i in shadows]
    net.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * (1 - step / steps)
        x, k, m, y = [], [], [], []
        for bucket in one:
            values, mask, member, _ = bucket.batch(generator, changed=False, targets=1, half=32)
            values = torch.nn.functional.pad(values, (0, 0, 0, longest - values.shape[1]))
            mask = torch.nn.functional.pad(mask, (0, longest - mask.shape[1]))
            x.append(features(values, mask, "full"))
            k.append(of_text(values, mask, "full"))
            m.append(mask)
            y.append(member)
        said, member = net(torch.stack(x), torch.stack(k), torch.stack(m)), torch.stack(y)
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.binary_cross_entropy_with_logits(said, member, reduction="none").mean(1).sum().backward()
        optimizer.step()
    return net.eval()


def shadowed(made, pairs, readers):
    """Taught elsewhere, by one shadow alone, further by it."""
    first = [scored(readers, made, target, "full")[row] for row, (target, _) in enumerate(pairs)]
    rows = [{**published(made, t), "elsewhere": measures(first[r], made.member[t])} for r, (t, _) in enumerate(pairs)]
    for name, way in LEARNING.items():
        net = further(made, pairs, readers, *way)
        for row, (target, _) in enumerate(pairs):
            rows[row][name] = measures(scored(net, made, target, "full")[row], made.member[target])
    return [{"pair": made.about[target], "found": rows[row]} for row, (target, _) in enumerate(pairs)]


class Course:
    def __init__(self, folder, out, steps, seconds):
        self.out, self.steps, self.seconds, self.began = out, steps, seconds, time.time()
        self.made = Made(folder)
        self.about = {name_of(about): about for about in self.made.about}
        self.base = {name_of(about): published(self.made, i) for i, about in enumerate(self.made.about)}
        self.groups = buckets(self.made, self.made.where(lambda about: about["shadow"] is None))
        self.pairs = pairs_of(self.made)
        self.result = {"about": self.about, "published": self.base, "judged": {}, "ways": {}, "pairs": [], "steps": {}}
        self.weights, self.scores = {}, {}
        print(f"{len(self.about)} targets, {len(self.pairs)} pairs, read in {time.time() - self.began:.0f} s", flush=True)

    def teach(self, share, variant, students):
        readers, steps = teach(self.made, self.groups, variant, students, self.steps, SHARES[share] * self.seconds)
        self.result["steps"][share] = steps
        return readers

    def told(self, title, found):
        """Of the fine-tunes themselves, and of their gentler versions."""
        for kind in ("end", "epoch", "between"):
            part = {n: m for n, m in found.items() if self.about[n]["kind"] == kind}
            print(title, kind, summary(self.about, self.base, part), flush=True)

    def behind(self, found):
        """How often ez is ahead by more than .003, and how far on average."""
        rows = [(m[0] - self.base[n]["ez"][0]) for n, m in found.items() if not self.about[n]["null"]]
        return sum(row < -0.003 for row in rows), -float(np.mean(rows))

    def competition(self):
        """The way of learning to go on with, its students, and what they said."""
        students = students_of(self.made, [0], list(WAYS))
        readers = self.teach("competition", "full", students)
        said = said_of(self.made, "full", students, readers)
        behind = {}
        for way in WAYS:
            for left_out in ("corpus", "base"):
                found = judged(self.made, said[way, left_out])
                self.result["ways"].setdefault(way, {})[left_out] = found
                self.told(f"way {way}, {left_out} left out:", found)
                behind.setdefault(way, []).append(self.behind(found))
        chosen = min(WAYS, key=lambda way: tuple(np.sum(behind[way], 0)))
        print("chosen:", chosen, behind, flush=True)
        self.result["chosen"] = chosen
        for way in WAYS:
            for left_out in ("corpus", "base"):
                self.keep(f"{way} {left_out}", said[way, left_out])
        for row, student in enumerate(students):
            if student.left_out is None:
                self.carry(f"{student.way}-full", 0, readers.one(row))
        self.save()
        return chosen, {key[1]: value for key, value in said.items() if key[0] == chosen}

    def keep(self, title, said):
        for i, scores in said.items():
            self.scores[f"{title}|{name_of(self.made.about[i])}"] = scores.half().cpu().numpy()

    def carry(self, variant, seed, numbers):
        self.weights |= {f"{variant}.{seed}.{name}": values for name, values in numbers.items()}

    def full(self, way, said):
        """Further beginnings of the chosen way, judged together with the first."""
        students = students_of(self.made, range(1, SEEDS), [way])
        whole = len(students)
        readers = self.teach("full", "full", students + elsewhere(self.made, self.pairs, way))
        more = said_of(self.made, "full", students, readers)
        for left_out, first in said.items():
            both = {i: scores + more[way, left_out][i] for i, scores in first.items()}
            self.judge("full", left_out, both)
            self.keep(f"full {left_out}", both)
        for row, student in enumerate(students):
            if student.left_out is None:
                self.carry(f"{way}-full", student.seed, readers.one(row))
        if self.pairs:
            self.result["pairs"] = shadowed(self.made, self.pairs, readers.part(range(whole, whole + len(self.pairs))))
            for name in self.result["pairs"][0]["found"]:
                print("PAIRS", name, np.mean([row["found"][name] for row in self.result["pairs"]], 0).round(4), flush=True)

    def judge(self, variant, left_out, said):
        found = judged(self.made, said)
        self.result["judged"].setdefault(variant, {})[left_out] = found
        self.told(f"{variant}, {left_out} left out:", found)

    def poorer(self, variant, way):
        """Judged by one beginning, carried from all."""
        students = students_of(self.made, [0], [way]) + students_of(self.made, range(1, SEEDS), [way], folds=False)
        readers = self.teach(variant, variant, students)
        for (_, left_out), said in said_of(self.made, variant, students, readers).items():
            self.judge(variant, left_out, said)
        for row, student in enumerate(students):
            if student.left_out is None:
                self.carry(f"{way}-{variant}", student.seed, readers.one(row))

    def save(self):
        np.savez(self.out / "weights.npz", **self.weights)
        (self.out / "tables.json").write_text(json.dumps(self.result))
        # Names of arrays are long, and half precision hardly shrinks: one array, and where each part begins.
        names = list(self.scores)
        ends = np.cumsum([len(self.scores[name]) for name in names])
        np.savez_compressed(self.out / "scores.npz", names=np.array(names), ends=ends, scores=np.concatenate([self.scores[n] for n in names]))

    def known(self):
        """What is known of every text as a whole, for whoever looks at the scores."""
        names, parts = [], []
        for i, about in enumerate(self.made.about):
            names.append(name_of(about))
            parts.append(of_text(self.made.values[i], self.made.mask(i), "full").half().cpu().numpy())
        ends = np.cumsum([len(part) for part in parts])
        member = np.concatenate([m.cpu().numpy() for m in self.made.member])
        np.savez_compressed(self.out / "known.npz", names=np.array(names), ends=ends, known=np.concatenate(parts), member=member)

    def run(self):
        self.known()
        way, said = self.competition()
        self.full(way, said)
        self.save()
        for variant in ("moments", "ranks", "bare"):
            self.poorer(variant, way)
            self.save()
        print(f"{time.time() - self.began:.0f} s", flush=True)


def main():
    folder, out, steps, seconds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    torch.set_float32_matmul_precision("high")
    out.mkdir(parents=True, exist_ok=True)
    Course(folder, out, steps, seconds).run()


if __name__ == "__main__":
    main()
