"""Teaches `understudy-lm` on fine-tunes whose members are known, and judges it on what it was not taught on.

    python teach.py FINETUNES OUT STEPS WORKERS

OUT receives ``weights.npz`` (taught on all: what guestlist carries) and ``tables.json``: each corpus left out, each base
model left out, and pairs of a fine-tune and a shadow of it.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.multiprocessing as processes

from network import VARIANTS, Reader, ez_smoothed, features, of_text, wbc

BATCH, SEEDS = 256, 2


class Made:
    """All fine-tunes, on the device, by length of their texts."""

    def __init__(self, folder):
        self.about, self.values, self.lengths, self.member = [], [], [], []
        self.whole = {}
        for file in sorted(Path(folder).glob("*.json"), key=lambda file: int(file.stem)):
            stored = np.load(file.with_suffix(".npz"))
            self.about.append(json.loads(file.read_text()))
            # The first predicted position is left out.
            self.values.append(torch.from_numpy(stored["values"][:, 1:]).cuda())
            self.lengths.append(torch.from_numpy(stored["lengths"] - 2).cuda().clamp_min(1))
            self.member.append(torch.from_numpy(stored["member"]).cuda())

    def where(self, keep):
        return [i for i, about in enumerate(self.about) if keep(about)]

    def known(self, i, variant):
        if i not in self.whole:
            self.whole[i] = of_text(self.values[i], self.mask(i), "full")
        return self.whole[i][:, :4] if variant == "bare" else self.whole[i]

    def mask(self, i):
        return torch.arange(self.values[i].shape[1], device="cuda")[None] < self.lengths[i][:, None]


def statistics(made, jobs, variant):
    rows, known = [], []
    for i in jobs:
        mask = made.mask(i)
        sample = features(made.values[i][:200], variant)[mask[:200]]
        rows.append(sample[:: max(1, len(sample) // 2000)])
        known.append(made.known(i, variant)[:200])
    rows, known = torch.cat(rows), torch.cat(known)
    return rows.mean(0), rows.std(0), known.mean(0), known.std(0)


def buckets(made, jobs, variant):
    """Texts of fine-tunes of about the same length, one after another, and what is known of each as a whole."""
    by_length = {}
    for i in jobs:
        by_length.setdefault(-(-made.values[i].shape[1] // 64), []).append(i)
    for group in by_length.values():
        longest = max(made.values[i].shape[1] for i in group)
        pad = lambda v: torch.nn.functional.pad(v, (0, 0, 0, longest - v.shape[1]))
        yield (
            torch.cat([pad(made.values[i]) for i in group]),
            torch.cat([made.lengths[i] for i in group]),
            torch.cat([made.member[i] for i in group]).float(),
            torch.cat([made.known(i, variant) for i in group]),
        )


class Step:
    """One step on texts of one bucket, recorded once and replayed: it is hundreds of small kernels."""

    def __init__(self, net, optimizer, group, variant, batch):
        self.values, self.lengths, self.member, self.known = group
        self.rows = torch.zeros(min(batch, len(self.member)), dtype=torch.long, device="cuda")
        self.net, self.optimizer, self.variant = net, optimizer, variant
        self.graph = None

    def run(self):
        self.optimizer.zero_grad(set_to_none=True)
        values, lengths = self.values[self.rows], self.lengths[self.rows]
        mask = torch.arange(values.shape[1], device="cuda")[None] < lengths[:, None]
        said = self.net(features(values, self.variant), self.known[self.rows], mask)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(said, self.member[self.rows])
        loss.backward()
        self.optimizer.step()

    def take(self, generator):
        self.rows.copy_(torch.randint(len(self.member), self.rows.shape, generator=generator, device="cuda"))
        if self.graph is None:
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                self.run()
            torch.cuda.current_stream().wait_stream(side)
            self.graph = torch.cuda.CUDAGraph()
            self.optimizer.zero_grad(set_to_none=True)
            with torch.cuda.graph(self.graph):
                self.run()
            return
        self.graph.replay()


def teach(made, jobs, variant, seed, steps=2000, rate=2e-3, start=None, batch=BATCH, **shape):
    torch.manual_seed(seed)
    known = 4 if variant == "bare" else 5
    net = Reader(len(VARIANTS[variant]), known, **shape).cuda()
    if start is None:
        net.centre, net.spread, net.known_centre, net.known_spread = statistics(made, jobs, variant)
    else:
        net.load_state_dict(start.state_dict())
    speed = torch.tensor(rate, device="cuda")
    optimizer = torch.optim.AdamW(net.parameters(), lr=speed, weight_decay=0.01, fused=True, capturable=True)
    net.train()
    groups = [Step(net, optimizer, group, variant, batch) for group in buckets(made, jobs, variant)]
    weight = np.array([float(len(group.member)) for group in groups])
    generator = torch.Generator(device="cuda").manual_seed(seed)
    order = np.random.default_rng(seed).choice(len(groups), steps, p=weight / weight.sum())
    for step, which in enumerate(order):
        speed.fill_(rate * min(1.0, (step + 1) / 100) * (1 - step / steps))
        groups[which].take(generator)
    return net.eval()


@torch.no_grad()
def scored(nets, made, i, variant):
    out = []
    for begin in range(0, len(made.member[i]), 500):
        rows = slice(begin, begin + 500)
        values, mask = made.values[i][rows], made.mask(i)[rows]
        x, known = features(values, variant), made.known(i, variant)[rows]
        out.append(torch.stack([net(x, known, mask) for net in nets]).mean(0))
    return torch.cat(out)


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
    z = ((values[..., 0] - values[..., 1]) / values[..., 2].clamp_min(1e-2)).float().masked_fill(~mask, torch.inf)
    low = z.sort(1).values
    take = (mask.sum(1) * 0.2).long().clamp_min(1)
    place = torch.arange(z.shape[1], device="cuda")[None] < take[:, None]
    min_k = low.masked_fill(~place, 0).sum(1) / take
    found = {"ez": ez, "ez-smoothed": ez_smoothed(gain, rank, mask), "wbc": wbc(gain, mask), "ratio": ratio, "min-k-plus-plus": min_k}
    return {name: measures(score, member) for name, score in found.items()}


def fold(folder, name, value, variant, shape, steps):
    """Taught on all fine-tunes but those of one corpus or of one base model, judged on those."""
    made = made_of(folder)
    left = made.where(lambda about: about[name] == value and about["shadow"] is None)
    teaching = made.where(lambda about: about[name] != value and about["shadow"] is None)
    nets = [teach(made, teaching, variant, seed, steps=steps, **shape) for seed in range(SEEDS)]
    found = {made.about[i]["number"]: measures(scored(nets, made, i, variant), made.member[i]) for i in left}
    return {"left out": name, "value": value, "variant": variant, "shape": shape, "found": found}


def pair(folder, target, shadow, steps):
    """Taught elsewhere (no text of the corpus, no model of the base), by one shadow, both, and further by the shadow."""
    made = made_of(folder)
    a = made.about[target]
    elsewhere = made.where(lambda o: o["shadow"] is None and o["corpus"] != a["corpus"] and o["base"] != a["base"])
    taught = teach(made, elsewhere, "full", 0, steps=steps)
    member = made.member[target]
    first = scored([taught], made, target, "full")
    row = {**{name: found for name, found in published(made, target).items()}, "elsewhere": measures(first, member)}
    ways = {
        "shadow": {"steps": 200},
        "further": {"steps": 60, "rate": 5e-4, "start": taught},
        "further longer": {"steps": 200, "rate": 5e-4, "start": taught},
        "further slower": {"steps": 200, "rate": 2e-4, "start": taught},
    }
    for name, options in ways.items():
        nets = [teach(made, [shadow], "full", seed, **options) for seed in range(SEEDS)]
        score = scored(nets, made, target, "full")
        row[name] = measures(score, member)
        row[name + " + elsewhere"] = measures(score + first, member)
    return {"pair": a, "found": row}


def shipped(folder, variant, seed, shape, steps):
    made = made_of(folder)
    teaching = made.where(lambda about: about["shadow"] is None)
    net = teach(made, teaching, variant, seed, steps=steps, **shape)
    return {"shipped": f"{variant}.{seed}", "weights": {name: value.cpu().numpy() for name, value in net.state_dict().items()}}


MADE = {}


def made_of(folder):
    if folder not in MADE:
        torch.set_float32_matmul_precision("high")
        MADE[folder] = Made(folder)
    return MADE[folder]


def call(task):
    return task[0](*task[1:])


def summary(about, base, found):
    """Means where ez lies between .6 and .95, and the worst difference to it anywhere."""
    rows = [(base[n]["ez"], found[n]) for n in found if not about[n]["null"]]
    middle = [row for row in rows if 0.6 <= row[0][0] <= 0.95]
    if not middle:
        return None
    ez, ours = np.array([m[0] for m in middle]), np.array([m[1] for m in middle])
    nulls = [found[n][0] for n in found if about[n]["null"]]
    return {
        "n": len(middle), "ez": ez.mean(0).round(4).tolist(), "ours": ours.mean(0).round(4).tolist(),
        "worst": round(min(o[0] - e[0] for e, o in rows), 4), "below": int(sum(o[0] < e[0] - 0.003 for e, o in rows)),
        "of": len(rows), "nulls": [round(float(n), 3) for n in nulls],
    }


def tasks_of(folder, made, steps):
    corpora, models = sorted({a["corpus"] for a in made.about}), sorted({a["base"] for a in made.about})
    tasks = [(shipped, folder, variant, seed, {}, steps * 2) for variant in VARIANTS for seed in range(SEEDS)]
    tasks += [(fold, folder, "base", b, variant, {}, steps) for variant in VARIANTS for b in models]
    tasks += [(fold, folder, "corpus", c, "full", {}, steps) for c in corpora]
    tasks += [(fold, folder, "corpus", c, "moments", {}, steps) for c in corpora]
    pairs = {}
    for i, a in enumerate(made.about):
        if a["shadow"] is not None:
            pairs.setdefault(a["number"] // 2, {})[a["shadow"]] = i
    whole = [found for found in pairs.values() if len(found) == 2][:10]
    tasks += [(pair, folder, found[False], found[True], steps) for found in whole]
    tasks += [(fold, folder, "base", b, "full", {"convolutions": 2}, steps) for b in models]
    return tasks


def main():
    folder, out, steps, workers = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    made = made_of(folder)
    about = {a["number"]: a for a in made.about}
    base = {a["number"]: published(made, i) for i, a in enumerate(made.about)}
    result = {"about": about, "published": base, "folds": [], "pairs": []}
    tasks = tasks_of(folder, made, steps)
    weights, joined, began = {}, {}, time.time()
    print(len(about), "fine-tunes,", len(tasks), "tasks", flush=True)
    with processes.get_context("spawn").Pool(workers) as pool:
        for done in pool.imap_unordered(call, tasks):
            if "shipped" in done:
                weights |= {f"{done['shipped']}.{name}": value for name, value in done["weights"].items()}
                np.savez(out / "weights.npz", **weights)
            elif "pair" in done:
                result["pairs"].append(done)
                kept = {k: done["pair"][k] for k in ("base", "corpus", "length", "epochs", "lora", "used")}
                print("PAIR", kept, {k: [round(x, 3) for x in v] for k, v in done["found"].items()}, flush=True)
            else:
                result["folds"].append(done)
                key = (done["left out"], done["variant"], json.dumps(done["shape"]))
                joined.setdefault(key, {}).update(done["found"])
                print(*key, done["value"], summary(about, base, done["found"]), flush=True)
            (out / "tables.json").write_text(json.dumps(result))
    for key, found in joined.items():
        print("ALL", key, summary(about, base, found), flush=True)
    for name in result["pairs"][0]["found"] if result["pairs"] else ():
        print("PAIRS", name, np.mean([row["found"][name] for row in result["pairs"]], 0).round(4), flush=True)
    print(f"{time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
