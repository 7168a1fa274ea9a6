"""The taught networks as guestlist carries them, and texts with the scores that it must give them.

    python export.py WEIGHTS.npz tables.json CRATE/src/lm/understudy/weights.bin CRATE/tests/data/understudy_lm.json

Half precision, one network after another, the poorest access first; weights input by input.
"""

import json
import sys

import numpy as np
import torch

from anchor import joined
from network import KNOWN, VARIANTS, Readers, features, knows, of_text

ORDER = ("bare", "ranks", "moments", "full")
SEEDS = 3


def numbers(state):
    """The parts in the order of the layout in `network.rs`."""
    parts = [state[name] for name in ("centre", "spread", "known_centre", "known_spread")]
    for name in ("first", "second", "across", "gate", "joined", "last"):
        parts += [state[name], state[f"{name}_bias"]]
    return np.concatenate([np.ascontiguousarray(part).ravel() for part in parts]).astype(np.float16)


def network(stored, way, variant, seed):
    prefix = f"{way}-{variant}.{seed}."
    state = {name.removeprefix(prefix): value for name, value in stored.items() if name.startswith(prefix)}
    rounded = {name: torch.from_numpy(value.astype(np.float16).astype(np.float32))[None] for name, value in state.items()}
    readers = Readers(len(VARIANTS[variant]), len(knows(variant)), [0])
    # What a network does not look at has no weight here.
    readers.load_state_dict(rounded | {"seen": readers.seen, "known_seen": readers.known_seen})
    return state, readers.eval()


def example(rng, positions):
    """A made text: signals of its predicted positions."""
    ref, rank = -rng.gamma(1.5, 1.5, positions), rng.geometric(0.4, positions)
    own = np.minimum(ref + rng.normal(0.3, 0.6, positions), -1e-3)
    ref_rank = rng.geometric(0.3, positions)
    mean, variance = -rng.gamma(2, 1.5, positions), rng.gamma(2, 1.5, positions)
    ref_mean, ref_variance = mean - 0.2, variance + 0.1
    return {
        "logprob": own, "mean": mean, "variance": variance, "rank": rank, "max_logprob": -rng.gamma(1, 0.8, positions),
        "ref_logprob": ref, "ref_mean": ref_mean, "ref_variance": ref_variance, "ref_rank": ref_rank,
        "ref_max_logprob": -rng.gamma(1, 0.9, positions),
    }


def score(nets, variant, values, mask, anchor):
    known = of_text(values, mask, variant)
    said = float(np.mean([net(features(values, mask, variant), known, mask).item() for net in nets]))
    if variant == "bare":
        return said
    ez = known[0, KNOWN.index("ez")].item()
    return anchor["offset"] + anchor["slope"] * float(joined(said, ez, anchor["bound"], anchor["weight"]))


def main():
    stored, tables = dict(np.load(sys.argv[1])), json.load(open(sys.argv[2]))
    nets, out = {}, []
    for variant in ORDER:
        for seed in range(SEEDS):
            state, reader = network(stored, tables["chosen"], variant, seed)
            out.append(numbers(state))
            nets.setdefault(variant, []).append(reader)
    with open(sys.argv[3], "wb") as file:
        file.write(np.concatenate(out).astype("<f2").tobytes())
    rng, texts = np.random.default_rng(3), []
    for positions in (2, 3, 7, 40, 150, 400):
        made = {name: np.round(values, 4) for name, values in example(rng, positions).items()}
        columns = [made["logprob"], made["mean"], np.sqrt(made["variance"]), np.log(made["rank"]), made["max_logprob"],
                   made["ref_logprob"], made["ref_mean"], np.sqrt(made["ref_variance"]), np.log(made["ref_rank"]), made["ref_max_logprob"]]
        values = torch.from_numpy(np.stack(columns, -1)[None, 1:].astype(np.float32))
        mask = torch.ones(values.shape[:2], dtype=torch.bool)
        scores = {}
        with torch.no_grad():
            for variant in ORDER:
                scores[variant] = score(nets[variant], variant, values, mask, tables["anchored"])
        texts.append({**{name: values.tolist() for name, values in made.items()}, "scores": scores})
    with open(sys.argv[4], "w") as file:
        json.dump({"texts": texts}, file)
        file.write("\n")


if __name__ == "__main__":
    main()
