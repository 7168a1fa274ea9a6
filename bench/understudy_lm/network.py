"""The network behind `understudy-lm`, and what it sees.

Per predicted position (the first left out) up to twenty numbers of target and reference; a variant per kind of access.
How much a fine-tune changed differs from one to the next by orders of magnitude, and says little: so changes are given
as they are and in units of the text's own mean change (`size`), and of the text as a whole what does not depend on it.
"""

import math

import torch
from torch import nn

WIDTH = 64
VARIANTS = {
    "full": ("lp", "ref", "gain", "clipped", "mean", "ref_mean", "sd", "ref_sd", "rank", "ref_rank", "errs", "ref_errs",
             "max", "ref_max", "z", "ref_z", "relative", "d_mean", "d_sd", "d_max"),
    "moments": ("lp", "ref", "gain", "clipped", "mean", "sd", "rank", "errs", "z", "relative"),
    "ranks": ("lp", "ref", "gain", "clipped", "capped", "errs", "relative"),
    "bare": ("lp", "ref", "gain", "clipped", "relative"),
}
# Of the text as a whole; the last three need ranks.
KNOWN = ("mean gain", "rises", "wbc", "ln count", "ln size", "relative mean", "balance", "balance at errors", "ez", "errors")
# What depends on how much a fine-tune changed, by name.
SIZED = ("gain", "clipped", "mean gain", "ln size")
WIDTHS = (2, 3, 4, 6, 9, 13, 18, 25, 32, 40)
CAP = 5.0
TAPS = 5
LEAST_SIZE = 1e-4
FARTHEST_EZ = 4.0


def knows(variant):
    return KNOWN[:7] if variant == "bare" else KNOWN


def size_of(values, mask):
    """The text's mean change of ln p: [..., texts]"""
    gain = (values[..., 0] - values[..., 5]).abs() * mask
    return (gain.sum(-1) / mask.sum(-1).clamp_min(1)).clamp_min(LEAST_SIZE)


def features(values, mask, variant):
    """[texts, positions, 10] as fine-tunes are stored → [texts, positions, features]."""
    v = values.float()
    lp, mean, sd, rank, largest, ref, ref_mean, ref_sd, ref_rank, ref_largest = v.unbind(-1)
    gain, size = lp - ref, size_of(v, mask)[..., None]
    named = {
        "lp": lp, "ref": ref, "gain": gain, "clipped": gain.clamp(-3, 3), "mean": mean, "ref_mean": ref_mean,
        "sd": sd, "ref_sd": ref_sd, "rank": rank, "ref_rank": ref_rank, "errs": (rank > 0).float(),
        "ref_errs": (ref_rank > 0).float(), "max": largest, "ref_max": ref_largest,
        "z": (lp - mean) / sd.clamp_min(1e-2), "ref_z": (ref - ref_mean) / ref_sd.clamp_min(1e-2),
        "capped": rank.clamp_max(math.log(CAP)), "relative": gain / size, "d_mean": (mean - ref_mean) / size,
        "d_sd": (sd - ref_sd) / size, "d_max": (largest - ref_largest) / size,
    }
    return torch.stack([named[name] for name in VARIANTS[variant]], -1)


def of_text(values, mask, variant):
    """What is known of a text as a whole: [texts, 7 or 10]."""
    lp, ref, rank = values[..., 0].float(), values[..., 5].float(), values[..., 3]
    gain, size = (lp - ref) * mask, size_of(values.float(), mask)
    count = mask.sum(-1).clamp_min(1)
    rises, falls = (gain.clamp_min(0)).sum(-1), ((-gain).clamp_min(0)).sum(-1)
    mean, balance = gain.sum(-1) / count, ((rises + size) / (falls + size)).log()
    known = [mean, ((gain > 0) * mask).sum(-1) / count, wbc(gain, mask), count.log(), size.log(), mean / size, balance]
    if variant != "bare":
        wrong = (rank > 0) * mask
        rises, falls = (gain.clamp_min(0) * wrong).sum(-1), ((-gain).clamp_min(0) * wrong).sum(-1)
        errors = wrong.sum(-1)
        at_errors = torch.where(errors > 0, ((rises + size) / (falls + size)).log(), balance)
        known += [at_errors, ez_bounded(rises, falls, errors), errors / count]
    return torch.stack(known, -1)


def ez_bounded(rises, falls, errors):
    """ln of `ez`, its infinite edges brought near."""
    ratio = torch.where((rises == 0) & (falls == 0), torch.zeros_like(rises), rises.log() - falls.log())
    ratio = torch.where(errors == 0, torch.full_like(rises, torch.inf), ratio)
    return ratio.clamp(-FARTHEST_EZ, FARTHEST_EZ)


def ez_smoothed(gain, rank, mask):
    wrong = (rank > 0) * mask
    rises = (gain.clamp_min(0) * wrong).sum(1)
    falls = ((-gain).clamp_min(0) * wrong).sum(1)
    return ((rises + 2) / (falls + 2)).log()


def wbc(gain, mask):
    """Share of windows won, over the widths that fit."""
    total = torch.nn.functional.pad(gain.double().cumsum(1), (1, 0))
    seen = torch.nn.functional.pad(mask.double().cumsum(1), (1, 0))
    share, widths = torch.zeros(len(gain), device=gain.device), torch.zeros(len(gain), device=gain.device)
    for width in WIDTHS:
        if width > gain.shape[1]:
            continue
        won = (total[:, width:] - total[:, :-width]) > 1e-9
        whole = (seen[:, width:] - seen[:, :-width]) == width
        count = whole.sum(1)
        fits = count > 0
        share += torch.where(fits, (won * whole).sum(1) / count.clamp_min(1), torch.zeros(())).float()
        widths += fits
    return share / widths.clamp_min(1)


class Readers(nn.Module):
    """Networks side by side, each with its own weights; they read the same texts, or each its own."""

    def __init__(self, inputs, known, seeds, width=WIDTH):
        super().__init__()
        count = len(seeds)
        for name, size in (("centre", inputs), ("spread", inputs), ("seen", inputs), ("known_centre", known), ("known_spread", known), ("known_seen", known)):
            self.register_buffer(name, torch.ones(count, size) * ("centre" not in name))
        shapes = {
            "first": (inputs, width), "second": (width, width), "across": (TAPS * width, width), "gate": (width, 1),
            "joined": (3 * width + known, width), "last": (width, 1),
        }
        self.shapes = shapes
        for name, (fan, _) in shapes.items():
            setattr(self, name, nn.Parameter(torch.empty(count, *shapes[name])))
            setattr(self, name + "_bias", nn.Parameter(torch.empty(count, 1, shapes[name][1])))
        for row, seed in enumerate(seeds):  # A network's beginning is its seed's, whoever stands beside it.
            generator = torch.Generator().manual_seed(seed)
            for name, (fan, _) in shapes.items():
                for values in (getattr(self, name), getattr(self, name + "_bias")):
                    nn.init.uniform_(values.data[row], -(fan**-0.5), fan**-0.5, generator=generator)
        self.dropout = nn.Dropout(0.1)

    def dense(self, name, x):
        return torch.baddbmm(getattr(self, name + "_bias"), x, getattr(self, name))

    def forward(self, x, known, mask):
        """[texts, positions, features], [texts, known], [texts, positions], or with the networks in front → [networks, texts]"""
        count, (texts, positions) = len(self.first), x.shape[-3:-1]
        x = ((x - self.centre[:, None, None]) / self.spread[:, None, None]).clamp(-6, 6) * self.seen[:, None, None]
        known = ((known - self.known_centre[:, None]) / self.known_spread[:, None]).clamp(-6, 6) * self.known_seen[:, None]
        h = torch.relu(self.dense("first", x.flatten(1, 2)))
        h = torch.relu(self.dense("second", h)).view(count, texts, positions, -1)
        inside = mask.expand(count, texts, positions)[..., None]
        padded = nn.functional.pad(h * inside, (0, 0, TAPS // 2, TAPS // 2))
        around = torch.cat([padded[:, :, tap : tap + positions] for tap in range(TAPS)], -1)
        h = h + torch.relu(self.dense("across", around.flatten(1, 2)).view_as(h))
        mean = (h * inside).sum(2) / inside.sum(2)
        gate = self.dense("gate", h.flatten(1, 2)).view(count, texts, positions, 1)
        weight = torch.softmax(gate.masked_fill(~inside, -1e4), 2)
        gated = (h * weight).sum(2)
        largest = h.masked_fill(~inside, -1e4).amax(2)
        joined = torch.relu(self.dense("joined", torch.cat([mean, gated, largest, known], -1)))
        return self.dense("last", self.dropout(joined))[..., 0]

    def part(self, rows):
        """Some of the networks, as networks of their own."""
        rows = list(rows)
        taken = {name: values.detach()[rows].clone() for name, values in self.state_dict().items()}
        other = Readers(self.centre.shape[1], self.known_centre.shape[1], [0] * len(rows)).to(self.first.device)
        other.load_state_dict(taken)
        return other.eval()

    def one(self, row):
        """The numbers of one network, by name; what it does not look at has no weight."""
        stored = {name: values[row].detach().clone() for name, values in self.state_dict().items()}
        stored["first"] *= stored.pop("seen")[:, None]
        known = stored.pop("known_seen")
        stored["joined"][-len(known) :] *= known[:, None]
        return {name: values.cpu().numpy() for name, values in stored.items()}
