"""What scores are worth, what published attacks score, and sums of it."""

import numpy as np
import torch

from network import ez_smoothed, wbc


def measures(score, member):
    return ranked(score.double().cpu().numpy(), member.cpu().numpy())


def ranked(score, member):
    """AUC, TPR at 1% and at 0.1%."""
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
    place = torch.arange(z.shape[1], device=z.device)[None] < take[:, None]
    min_k = low.masked_fill(~place, 0).sum(1) / take
    found = {"ez": ez, "ez-smoothed": ez_smoothed(gain, rank, mask), "wbc": wbc(gain, mask), "ratio": ratio, "min-k-plus-plus": min_k}
    return {name: measures(score, member) for name, score in found.items()}


def summary(about, base, found):
    """Means where ez lies between .6 and .95, how often and how far it is ahead anywhere, and nulls."""
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
