"""Whole commands, from files to files: seconds, processor seconds and peak memory of each.

Usage: commands.py [--once] GUESTLIST FOLDER [ANOTHER ...]

FOLDER holds phi.npy and keep.npy of 50,000 records and 256 shadows, as the Rust side leaves them; signals of a
million records are made beside it. Further programs (an earlier build) take their turns in the same run, and so
does LiRA in numpy, alone and as a command that loads the same files. Prints one JSON object: for every program and command the best of a few turns, or of one (--once).
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from numpy_baseline import best_of, lira, lira_where

CLOSED_FORM = (
    "loss,population,reference,lira,lira-offline,rmia,rmia-offline,base1,base1-offline,base2,base3,base4,"
    "bavaria-n,bavaria-t,bavaria-n-offline,bavaria-t-offline"
)
SEVEN = "loss,lira,lira-offline,rmia,base1,bavaria-n,bavaria-t"


def million(folder, records=1_000_000, shadows=256):
    """Signals that gain on what they trained on; written once, row by row."""
    if (folder / "keep.npy").exists():
        return
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(1)
    difficulty = (2 + 3 * rng.standard_normal(records)).astype(np.float32)
    shape = (shadows + 1, records)
    phi = np.lib.format.open_memmap(folder / "phi.npy", "w+", np.float32, shape)
    keep = np.lib.format.open_memmap(folder / "making.npy", "w+", np.bool_, shape)
    for model in range(shadows + 1):
        keep[model] = rng.random(records, np.float32) < 0.5
        phi[model] = difficulty + 2 * keep[model] + rng.standard_normal(records, np.float32)
    phi.flush()
    keep.flush()
    (folder / "making.npy").rename(folder / "keep.npy")


def timed(command, out):
    """Wall and processor seconds and peak resident bytes of one command; the last includes mapped files."""
    shutil.rmtree(out, ignore_errors=True)
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while True:
        done, status, usage = os.wait4(child.pid, os.WNOHANG)
        if done:
            break
        peak = max(peak, anonymous(child.pid))
        time.sleep(0.002)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 3):
        raise SystemExit(f"{command} ended with {child.returncode}")
    processor = usage.ru_utime + usage.ru_stime
    return {"seconds": seconds, "processor_seconds": processor, "peak_bytes": peak}


def anonymous(pid):
    """Memory that is the program's own: mapped files are the page cache's."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


def best(turns):
    return min(turns, key=lambda turn: turn["seconds"])


def numpy_lira(folder, turns):
    """LiRA alone, arrays in memory: the better of two ways to write it."""
    phi, keep = np.load(folder / "phi.npy"), np.load(folder / "keep.npy")
    ways = [lambda way=way: way(phi[0], phi[1:], keep[1:]) for way in (lira, lira_where)]
    return min(best_of(turns, way) for way in ways)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--once"]
    once = len(arguments) < len(sys.argv) - 1
    program, folder, *others = arguments
    folder = Path(folder)
    large = folder / "million"
    million(large)
    out = folder / "out"
    audit = lambda signals, attacks, *more: ["audit", str(signals), "--attacks", attacks, *more, "--out", str(out)]
    commands = {
        "closed_form": (7, audit(folder, CLOSED_FORM)),
        "closed_form_bootstrap": (3, audit(folder, CLOSED_FORM, "--bootstrap", "1000")),
        "million_loss": (3, audit(large, "loss")),
        "million_seven": (3, audit(large, SEVEN)),
        "understudy": (2, audit(folder, "understudy", "--shadows", "64")),
        "understudy_offline": (2, audit(folder, "understudy-offline", "--shadows", "64")),
        "version": (15, ["--version"]),
        "explain": (15, ["explain", "lira"]),
    }
    programs = [program, *others]
    found = {each: {} for each in programs}
    found["numpy_lira"] = numpy_lira(folder, 1 if once else 10)
    for name, (turns, arguments) in commands.items():
        took = {each: [] for each in programs}
        for _ in range(1 if once else turns):
            for each in programs:
                took[each].append(timed([each, *arguments], out))
        for each in programs:
            found[each][name] = best(took[each])
    found["numpy_lira"] = min(found["numpy_lira"], numpy_lira(folder, 1 if once else 10))
    script = [sys.executable, str(Path(__file__).with_name("numpy_lira.py")), str(folder)]
    found["numpy_lira_command"] = best([timed(script, out) for _ in range(1 if once else 7)])
    print(json.dumps(found))


main()
