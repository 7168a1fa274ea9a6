"""The network behind `understudy-lm`, and what it sees.

Per predicted position (the first left out) up to sixteen numbers of target and reference; a variant per kind of access.
"""

import torch
from torch import nn

WIDTH = 64
VARIANTS = {
    "full": ("lp", "ref", "gain", "clipped", "mean", "ref_mean", "sd", "ref_sd", "rank", "ref_rank", "errs", "ref_errs",
             "max", "ref_max", "z", "ref_z"),
    "moments": ("lp", "ref", "gain", "clipped", "mean", "sd", "rank", "errs", "z"),
    "ranks": ("lp", "ref", "gain", "clipped", "capped", "errs"),
    "bare": ("lp", "ref", "gain", "clipped"),
}
WIDTHS = (2, 3, 4, 6, 9, 13, 18, 25, 32, 40)
CAP = 5.0


def features(values, variant):
    """[texts, positions, 10] as fine-tunes are stored → [texts, positions, features]."""
    v = values.float()
    lp, mean, sd, rank, largest, ref, ref_mean, ref_sd, ref_rank, ref_largest = v.unbind(-1)
    gain = lp - ref
    named = {
        "lp": lp, "ref": ref, "gain": gain, "clipped": gain.clamp(-3, 3), "mean": mean, "ref_mean": ref_mean,
        "sd": sd, "ref_sd": ref_sd, "rank": rank, "ref_rank": ref_rank, "errs": (rank > 0).float(),
        "ref_errs": (ref_rank > 0).float(), "max": largest, "ref_max": ref_largest,
        "z": (lp - mean) / sd.clamp_min(1e-2), "ref_z": (ref - ref_mean) / ref_sd.clamp_min(1e-2),
        "capped": rank.clamp_max(torch.log(torch.tensor(CAP)).item()),
    }
    return torch.stack([named[name] for name in VARIANTS[variant]], -1)


def of_text(values, mask, variant):
    """What is known of a text as a whole: [texts, 4 or 5]."""
    lp, ref, rank = values[..., 0].float(), values[..., 5].float(), values[..., 3]
    gain = (lp - ref) * mask
    count = mask.sum(1).clamp_min(1)
    known = [gain.sum(1) / count, ((gain > 0) * mask).sum(1) / count, wbc(gain, mask), count.log()]
    if variant != "bare":
        known.append(ez_smoothed(gain, rank, mask))
    return torch.stack(known, -1)


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


class Reader(nn.Module):
    def __init__(self, inputs, known, width=WIDTH, convolutions=1, extra=True):
        super().__init__()
        self.register_buffer("centre", torch.zeros(inputs))
        self.register_buffer("spread", torch.ones(inputs))
        self.register_buffer("known_centre", torch.zeros(known))
        self.register_buffer("known_spread", torch.ones(known))
        self.extra = extra
        self.first = nn.Linear(inputs, width)
        self.second = nn.Linear(width, width)
        self.across = nn.ModuleList(nn.Conv1d(width, width, 5, padding=2) for _ in range(convolutions))
        self.gate = nn.Linear(width, 1)
        self.joined = nn.Linear(3 * width + (known if extra else 0), width)
        self.dropout = nn.Dropout(0.1)
        self.last = nn.Linear(width, 1)

    def forward(self, x, known, mask):
        x = ((x - self.centre) / self.spread).clamp(-6, 6)
        known = ((known - self.known_centre) / self.known_spread).clamp(-6, 6)
        h = torch.relu(self.first(x))
        h = torch.relu(self.second(h))
        m = mask[..., None].to(h.dtype)
        for convolution in self.across:
            h = h + torch.relu(convolution((h * m).transpose(1, 2)).transpose(1, 2))
        mean = (h * m).sum(1) / m.sum(1).clamp_min(1)
        weight = torch.softmax(self.gate(h)[..., 0].masked_fill(~mask, -1e4), 1)
        gated = (h * weight[..., None]).sum(1)
        largest = h.masked_fill(~mask[..., None], -1e4).amax(1)
        pooled = [mean, gated, largest] + ([known] if self.extra else [])
        return self.last(self.dropout(torch.relu(self.joined(torch.cat(pooled, -1)))))[:, 0]
