"""The table of offline audits in docs/guide-shadow-signals.md, measured anew.

    python3 scripts/offline_table.py target/release/guestlist FOLDER

Trains offline designs on digits and on three sets of its own making, audits each with its reference
records, without them, and with members named at random. Needs nothing but Python and guestlist.
"""

import csv
import gzip
import json
import math
import random
import struct
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
SHADOWS = [4, 8, 16]
SEEDS = range(3)
OFFLINE = [
    "lira-offline", "rmia-offline", "base1-offline", "base2-offline", "base3-offline",
    "bavaria-n-offline", "bavaria-t-offline", "understudy-offline",
]


def digits(path):
    source = HERE / "crates/rehearsal/data/digits.csv.gz"
    path.write_bytes(gzip.decompress(source.read_bytes()))
    with open(path) as file:
        return next(csv.reader(file))[-1]


def mixture(path, noise, width=30, apart=0.8):
    """Ten clouds of points, a share of the labels drawn anew."""
    draw = random.Random(f"mixture {noise}")
    centres = [[draw.gauss(0, apart) for _ in range(width)] for _ in range(10)]
    with open(path, "w") as file:
        file.write(",".join([f"x{place}" for place in range(width)] + ["class"]) + "\n")
        for _ in range(3000):
            cloud = draw.randrange(10)
            numbers = [f"{centre + draw.gauss(0, 1):.4f}" for centre in centres[cloud]]
            named = draw.randrange(10) if draw.random() < noise else cloud
            file.write(",".join(numbers + [f"c{named}"]) + "\n")
    return "class"


SETS = {
    "digits": digits,
    "mixture, 5% of labels wrong": lambda path: mixture(path, 0.05),
    "mixture, 30% of labels wrong": lambda path: mixture(path, 0.3),
    "mixture of 200 numbers": lambda path: mixture(path, 0.05, 200, 0.15),
}


def numbers(path, letter):
    """The numbers of a .npy of one axis."""
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    size = struct.calcsize(letter)
    return struct.unpack(f"<{(len(data) - start) // size}{letter}", data[start:])


def write(path, rows, letter, element):
    shape = f"({len(rows)}, {len(rows[0])})"
    header = f"{{'descr': '{element}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (64 - (10 + len(header) + 1) % 64) + "\n"
    body = b"".join(struct.pack(f"<{len(row)}{letter}", *row) for row in rows)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body)


def split(run, folder):
    """The run's models as an auditor has them: audited records, and reference records apart."""
    models = sorted((run / "models").glob("[0-9]*"))
    phi = [numbers(model / "scores.npy", "f") for model in models]
    keep = [numbers(model / "keep.npy", "?") for model in models]
    reference = [any(row[record] for row in keep[1:]) for record in range(len(keep[0]))]
    for name, wanted in [("audited", False), ("reference", True)]:
        chosen = [record for record, aside in enumerate(reference) if aside == wanted]
        (folder / name).mkdir(parents=True, exist_ok=True)
        pick = lambda row: [row[record] for record in chosen]
        write(folder / name / "phi.npy", [pick(row) for row in phi], "f", "<f4")
        write(folder / name / "keep.npy", [pick(row) for row in keep], "?", "|b1")
    count = reference.count(False)
    drawn = random.Random(1).sample(range(count), count // 2)
    (folder / "random.txt").write_text("\n".join(map(str, sorted(drawn))) + "\n")


def audit(guestlist, folder, shadows, *further):
    command = [guestlist, "audit", "audited", "--shadows", str(shadows), "--bootstrap", "0", "--quiet"]
    subprocess.run([*command, "--out", "out", *further], cwd=folder, check=False, capture_output=True)
    report = json.loads((folder / "out/report.json").read_text())
    found = {attack["id"]: attack["auc"]["value"] for attack in report["attacks"]}
    return found, report["verdict"]["outcome"]


def without_prior(folder, shadows):
    """bavaria-n-offline whose IN prior is the OUT one: all that it could have without reference records."""
    keep, phi = (matrix(folder / "audited" / f"{name}.npy", letter) for name, letter in [("keep", "?"), ("phi", "f")])
    values = [value for row in phi[1 : shadows + 1] for value in row]
    centre, spread = moments(values)
    scores = []
    for record, value in enumerate(phi[0]):
        mean, variance = moments([row[record] for row in phi[1 : shadows + 1]])
        beta = spread + (shadows * variance + shadows / (1 + shadows) * (mean - centre) ** 2) / 2
        own = beta / (1 + shadows / 2)
        ratio = (value - mean) ** 2 / own + math.log(own) - (value - centre) ** 2 / spread - math.log(spread)
        scores.append((ratio / 2, keep[0][record]))
    scores.sort()
    members = sum(member for _, member in scores)
    ranks = sum(place for place, (_, member) in enumerate(scores, 1) if member)
    return (ranks - members * (members + 1) / 2) / (members * (len(scores) - members))


def matrix(path, letter):
    flat, models = numbers(path, letter), max(SHADOWS) + 1
    records = len(flat) // models
    return [flat[model * records : (model + 1) * records] for model in range(models)]


def moments(values):
    mean = sum(values) / len(values)
    return mean, sum((value - mean) ** 2 for value in values) / len(values)


def measure(guestlist, place, name, prepare, seed):
    folder = place / f"{name.split(',')[0]}{len(name)}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    label = prepare(folder / "data.csv")
    (folder / "guestlist.toml").write_text(
        f'kind = "classifier"\nseed = {seed}\n[data]\npath = "data.csv"\nlabel = "{label}"\n'
        f'[models]\nshadows = {max(SHADOWS)}\ndesign = "offline"\n[training]\nhidden = [64]\nepochs = 40\n'
        '[audit]\nbootstrap = 0\n'
    )
    run = subprocess.run([guestlist, "run", "--quiet"], cwd=folder, capture_output=True, text=True)
    assert run.returncode in (0, 1, 3), run.stderr
    split(folder / "guestlist-run", folder)
    trained = json.loads((folder / "guestlist-run/report.json").read_text())
    found = {}
    for shadows in SHADOWS:
        found["with", shadows], outcome = audit(guestlist, folder, shadows, "--population", "reference")
        found["without", shadows], _ = audit(guestlist, folder, shadows)
        found["without", shadows]["bavaria-n-offline"] = without_prior(folder, shadows)
        arguments = ["--population", "reference", "--members", "random.txt"]
        found["null", shadows], null = audit(guestlist, folder, shadows, *arguments)
        assert null != "fail", (name, seed, shadows)
    # The run itself and an audit of its models are the same audit.
    trained = {attack["id"]: attack["auc"]["value"] for attack in trained["attacks"]}
    for attack in OFFLINE:
        assert math.isclose(trained[attack], found["with", max(SHADOWS)][attack], abs_tol=0.01), attack
    return found, outcome


def main():
    guestlist, place = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    for name, prepare in SETS.items():
        runs = [measure(guestlist, place, name, prepare, seed) for seed in SEEDS]
        print(f"\n{name}: {', '.join(outcome for _, outcome in runs)}\n")
        columns = [(kind, shadows) for kind in ("with", "without", "null") for shadows in SHADOWS]
        print("| attack | " + " | ".join(f"{kind} {shadows}" for kind, shadows in columns) + " |")
        print("|---|" + "---|" * len(columns))
        for attack in OFFLINE:
            cells = []
            for column in columns:
                values = [found[column][attack] for found, _ in runs if attack in found[column]]
                cells.append(f"{sum(values) / len(values):.3f}"[1:] if values else "–")
            print(f"| `{attack}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
