"""Fine-tunes on the device, and the batches that networks learn from."""

import json
from pathlib import Path

import numpy as np
import torch

from network import features, of_text

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
# A batch: so many targets, and of each so many members and as many others.
TARGETS, HALF = 8, 16
# What is drawn anew for each target of a batch: how much of the fine-tune's effect is left, and for each text how much of it.
LEAST_SHARE, MOST_SHARE, SHRUNK = 0.05, 1.5, 0.5
CROPPED, LEAST_CROP, FEWEST = 0.25, 0.3, 8


class Made:
    """All targets of all fine-tunes, on the device."""

    def __init__(self, folder):
        self.about, self.values, self.lengths, self.member = [], [], [], []
        for file in sorted(Path(folder).glob("*.json"), key=lambda file: int(file.stem)):
            stored = np.load(file.with_suffix(".npz"))
            about = json.loads(file.read_text())
            for kind in ("end", "epoch", "between"):
                if kind not in stored or (kind != "end" and about["shadow"] is not None):
                    continue
                # The first predicted position is left out.
                both = np.concatenate([stored[kind][:, 1:], stored["reference"][:, 1:]], -1)
                self.about.append({**about, "kind": kind})
                self.values.append(torch.from_numpy(both).to(DEVICE))
                self.lengths.append(torch.from_numpy(stored["lengths"] - 2).to(DEVICE).clamp_min(1))
                self.member.append(torch.from_numpy(stored["member"]).to(DEVICE))

    def where(self, keep):
        return [i for i, about in enumerate(self.about) if keep(about)]

    def mask(self, i):
        return torch.arange(self.values[i].shape[1], device=DEVICE)[None] < self.lengths[i][:, None]


class Bucket:
    """Texts of targets of about the same length, one target after another, of each its members first."""

    def __init__(self, made, jobs):
        longest = max(made.values[i].shape[1] for i in jobs)
        pad = lambda v: torch.nn.functional.pad(v, (0, 0, 0, longest - v.shape[1]))
        self.values = torch.cat([pad(made.values[i]) for i in jobs])
        self.lengths = torch.cat([made.lengths[i] for i in jobs])
        counts = [len(made.member[i]) for i in jobs]
        self.half = torch.tensor([count // 2 for count in counts], device=DEVICE)
        self.start = torch.tensor([0, *np.cumsum(counts)[:-1]], device=DEVICE)
        self.jobs = torch.tensor(jobs, device=DEVICE)
        for i in jobs:
            assert bool(made.member[i][: len(made.member[i]) // 2].all()), "members come first"

    def batch(self, generator, changed=True, targets=TARGETS, half=HALF):
        """Values, mask, member and target of texts: [targets · 2 · half, …]"""
        chosen = torch.randint(len(self.jobs), (targets, 1), generator=generator, device=DEVICE)
        member = torch.arange(2 * half, device=DEVICE)[None] < half
        draw = lambda *shape: torch.rand(*shape, generator=generator, device=DEVICE)
        within = (draw(targets, 2 * half) * self.half[chosen]).long() + torch.where(member, 0, self.half[chosen])
        rows = (self.start[chosen] + within).flatten()
        values, lengths = self.values[rows], self.lengths[rows]
        first, count = torch.zeros_like(lengths), lengths
        if changed:
            span = np.log(MOST_SHARE / LEAST_SHARE)
            share = torch.where(draw(targets, 1) < SHRUNK, LEAST_SHARE * torch.exp(span * draw(targets, 1)), 1.0)
            values = shrunk(values, share.expand(targets, 2 * half).reshape(-1, 1, 1))
            part = torch.where(draw(len(rows)) < CROPPED, LEAST_CROP + (1 - LEAST_CROP) * draw(len(rows)), 1.0)
            count = torch.minimum((lengths * part).long().clamp_min(FEWEST), lengths)
            first = (draw(len(rows)) * (lengths - count + 1)).long()
        place = torch.arange(values.shape[1], device=DEVICE)[None]
        mask = (place >= first[:, None]) & (place < (first + count)[:, None])
        member = member.expand(targets, 2 * half).flatten().float()
        return values, mask, member, self.jobs[chosen].expand(targets, 2 * half).flatten()


def shrunk(values, share):
    """The target brought nearer to its reference, or farther from it, to first order."""
    own, reference = values[..., :5], values[..., 5:]
    own = reference + share * (own - reference)
    lp, mean, sd, rank, largest = own.unbind(-1)
    rank = rank.clamp_min(0).exp().round().clamp_min(1).log()
    own = torch.stack([lp.clamp_max(0), mean.clamp_max(0), sd.clamp_min(0), rank, largest.clamp_max(0)], -1)
    return torch.cat([torch.where(share == 1, values[..., :5], own), reference], -1)


def buckets(made, jobs):
    by_length = {}
    for i in jobs:
        by_length.setdefault(-(-made.values[i].shape[1] // 64), []).append(i)
    return [Bucket(made, group) for group in by_length.values()]


def statistics(made, variant, taught):
    """For each list of targets the mean and spread of each feature over them."""
    rows, known = [], []
    for i in range(len(made.about)):
        values, mask = made.values[i][::7], made.mask(i)[::7]
        sample = features(values, mask, variant)[mask]
        rows.append(sample[:: max(1, len(sample) // 1000)])
        known.append(of_text(values, mask, variant))
    centred = []
    for targets in taught:
        x, k = (torch.cat([part[i] for i in targets]) for part in (rows, known))
        centred.append((x.mean(0), x.std(0).clamp_min(1e-3), k.mean(0), k.std(0).clamp_min(1e-3)))
    return [torch.stack(parts) for parts in zip(*centred)]
