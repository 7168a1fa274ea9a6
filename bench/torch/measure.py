"""Training shadow models on one GPU: how fast, beside a plain loop, and whether the leak is the same.

    python3 bench/torch/measure.py [resnet] [perceptrons] [audit] [leak] [--fashion FOLDER] [--out results.json]

Without a GPU everything is made small, to see that it runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import models
import numpy as np
import torch
from torch.nn import functional

GPU = torch.cuda.is_available()
DEVICE = torch.device("cuda", 0) if GPU else torch.device("cpu")
RECORDS, BATCH, EPOCHS = (20_000, 250, 24) if GPU else (120, 10, 1)
BEGAN = time.perf_counter()


def say(*words: object) -> None:
    print(f"[{time.perf_counter() - BEGAN:6.1f}]", *words, flush=True)


def waited() -> float:
    if GPU:
        torch.cuda.synchronize()
    return time.perf_counter()


def plain_loop(make, optimizer, data, batch: int, steps: int, half: bool) -> float:
    """Seconds of a training as everybody writes it: records on the device, a batch, a step."""
    torch.manual_seed(0)
    inputs, labels = (tensor.to(DEVICE) for tensor in data)
    model = make().to(DEVICE)
    step = optimizer(model.parameters())
    rows = torch.arange(len(inputs) // 2, device=DEVICE)
    began = waited()
    done = 0
    while done < steps:
        for chosen in rows[torch.randperm(len(rows), device=DEVICE)].split(batch):
            with torch.autocast(DEVICE.type, dtype=torch.bfloat16, enabled=half):
                loss = functional.cross_entropy(model(inputs[chosen]), labels[chosen])
            step.zero_grad()
            loss.backward()
            step.step()
            done += 1
            if done == steps:
                break
    return waited() - began


def peak() -> float:
    """FLOP a second of a large product of matrices."""
    size = 8192 if GPU else 256
    one, other = (torch.randn(size, size, device=DEVICE, dtype=torch.bfloat16) for _ in range(2))
    for _ in range(3):
        one @ other
    began = waited()
    for _ in range(10):
        one @ other
    return 10 * 2 * size**3 / (waited() - began)


def ready(make, data, epochs, batch, optimizer=None, precision=None):
    from guestlist.torch._recipe import recipe
    from guestlist.torch._records import read
    from guestlist.torch._worker import setup

    records = read(data)
    nothing = dict.fromkeys(["schedule", "augment", "loss", "train"])
    plan = recipe(
        make, records, epochs=epochs, batch_size=batch, optimizer=optimizer, queries=1,
        precision=precision, bf16=False, **nothing,
    )  # fmt: skip
    return setup(plan, records, DEVICE, say)


def jobs(records: int, count: int):
    from guestlist.torch._ways import Job

    rng = np.random.default_rng(0)
    return [Job(m, np.sort(rng.permutation(records)[: records // 2]), 1000 + m) for m in range(count)]


def trained(here, way: str, count: int) -> dict:
    """Seconds per model of a way, its making apart."""
    from guestlist.torch._choose import choose
    from guestlist.torch._worker import tuned

    wanted = jobs(len(here.records), count)
    with tuned():
        began = waited()
        choice = choose(here, wanted, way)
        made = waited() - began
        taken = count - count % choice.way.capacity or count
        began = waited()
        for first in range(0, taken, choice.way.capacity):
            for batch in choice.way.train(wanted[first : first + choice.way.capacity]):
                pass
        seconds = (waited() - began) / taken
    say(way, choice.told(), "at once:", choice.way.capacity)
    return {"seconds": seconds, "made": made, "at_once": choice.way.capacity, "told": choice.told()}


def resnet(_: argparse.Namespace) -> dict:
    from torch.utils.flop_counter import FlopCounterMode

    data, epochs = models.noise(RECORDS), 8 if GPU else 1
    steps = epochs * (RECORDS // 2) // BATCH
    limit = peak()
    model = models.resnet9()
    with FlopCounterMode(display=False) as counted:
        functional.cross_entropy(model(data[0][:2]), data[1][:2]).backward()
    flop = counted.get_total_flops() / 2 * BATCH * steps
    plain_loop(models.resnet9, models.sgd, data, BATCH, 5 if GPU else 1, True)
    rows = {"plain loop": plain_loop(models.resnet9, models.sgd, data, BATCH, steps, True)}
    program = [sys.executable, __file__, "--one-model"]
    alone = []
    for _ in range(2):
        began = time.perf_counter()
        subprocess.run(program, check=True)
        alone.append(time.perf_counter() - began)
    rows["a process per model"] = statistics.mean(alone)
    here = ready(models.resnet9, data, epochs, BATCH, models.sgd, "bf16")
    ways = ["plain", "graph", "compiled"] if GPU else ["plain"]
    found = {way: trained(here, way, 12 if GPU else 2) for way in ways}
    rows |= {f"guestlist: {way}": made["seconds"] for way, made in found.items()}
    table = {}
    for name, seconds in rows.items():
        faster = rows["plain loop"] / seconds
        share = flop / seconds / limit
        say(f"{name:24} {seconds:7.3f} s a model, {3600 / seconds:8.0f} an hour, {faster:5.2f} × plain, {share:.1%} of the limit")
        table[name] = {"seconds": seconds, "models_per_hour": 3600 / seconds, "times_plain": faster, "share": share}
    return {"limit": limit, "flop_per_model": flop, "steps": steps, "rows": table, "ways": found}


def perceptrons(_: argparse.Namespace) -> dict:
    data = models.table(5_010 if GPU else 200)
    here = ready(models.perceptron, data, 50 if GPU else 1, 64)
    steps = here.recipe.steps
    plain_loop(models.perceptron, torch.optim.Adam, data, 64, 5, False)
    plain = plain_loop(models.perceptron, torch.optim.Adam, data, 64, steps, False)
    count = 257 if GPU else 5
    together = trained(here, "ensemble", count)
    say(f"plain {plain:.3f} s a model; {count} at once {count * together['seconds']:.2f} s: {plain / together['seconds']:.0f} ×")
    return {"plain": plain, "together": together, "models": count, "times_plain": plain / together["seconds"]}


def audit(asked: argparse.Namespace) -> dict:
    import guestlist

    data, told = models.fashion(RECORDS, asked.fashion), [("", 0.0)]
    began = waited()

    def follow(stretch: str, done: int, total: int) -> None:
        if stretch != told[-1][0]:
            told.append((stretch, time.perf_counter() - began))

    with tempfile.TemporaryDirectory() as folder:
        report = guestlist.torch.audit(
            models.resnet9, data, shadows=64 if GPU else 4, epochs=EPOCHS, batch_size=BATCH,
            optimizer=models.sgd, schedule="triangle", queries=2, folder=folder, progress=follow,
        )  # fmt: skip
        seconds = time.perf_counter() - began
    say(f"from data to report: {seconds:.1f} s; {told[1:]}")
    say(report.to_text())
    return {"seconds": seconds, "stretches": told[1:], "outcome": report.outcome}


def leak(asked: argparse.Namespace) -> dict:
    """The same audit by every way: 8 targets each, with the standard error over them."""
    ways = ["plain", "graph", "compiled"] if GPU else ["plain"]
    found = {f"resnet9 {way}": leaked(asked, way, models.resnet9, 16 if GPU else 1) for way in ways}
    for way in ("plain", "ensemble"):
        found[f"perceptron {way}"] = leaked(asked, way, models.pixels_perceptron, 16 if GPU else 1)
    return found


def leaked(asked: argparse.Namespace, way: str, make, epochs: int) -> dict:
    import guestlist

    began, targets = waited(), 8 if GPU else 2
    with tempfile.TemporaryDirectory() as folder:
        report = guestlist.torch.audit(
            make, models.fashion(RECORDS, asked.fashion), shadows=16 if GPU else 4, epochs=epochs,
            batch_size=BATCH, optimizer=models.calm_sgd, schedule="triangle", way=way, devices=str(DEVICE),
            precision="bf16" if make is models.resnet9 and GPU else "float32", replicates=targets,
            attacks="lira,rmia,base3", folder=folder, progress=False,
        )  # fmt: skip
        right = [
            json.loads((Path(folder) / f"models/{model:05}/training.json").read_text())["right"]["test"]
            for model in range(targets)
        ]
    replicates = report.to_dict()["replicates"]
    say(make.__name__, way, f"{waited() - began:.1f} s, accuracy {spread(right)}", json.dumps(replicates)[:600])
    return {"accuracy": spread(right), "replicates": replicates, "seconds": waited() - began}


def spread(values: list[float]) -> dict:
    return {"mean": statistics.mean(values), "se": statistics.stdev(values) / len(values) ** 0.5}


PARTS = {"resnet": resnet, "perceptrons": perceptrons, "audit": audit, "leak": leak}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--fashion", type=Path, default=models.FASHION)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one-model", action="store_true")
    asked = parser.parse_args()
    if asked.one_model:
        plain_loop(models.resnet9, models.sgd, models.noise(RECORDS), BATCH, (8 if GPU else 1) * RECORDS // 2 // BATCH, True)
        return
    results = {"torch": torch.__version__, "device": torch.cuda.get_device_name(0) if GPU else "cpu"}
    for name in asked.parts or PARTS:
        say("=====", name)
        try:
            results[name] = PARTS[name](asked)
        except Exception as error:
            say(f"{name} failed: {type(error).__name__}: {error}")
            results[name] = {"error": str(error)}
        if asked.out:
            asked.out.write_text(json.dumps(results, indent=1))


main()
