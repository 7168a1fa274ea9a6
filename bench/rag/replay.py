"""A retrieval service audited from beginning to end, and its answers judged again: what that takes.

Usage: replay.py GUESTLIST FOLDER OUT.json --documents FILE [--each N] [--store FOLDER] [--before PROGRAM]

Draws N members and N non-members (1,000 each) from a JSON Lines file, serves the members with the embedded service
and its reader that needs no model, asks about all of them as `guestlist init` would, with every attack and both arms, and judges
the stored answers again with `guestlist run --replay`. Writes seconds, processor seconds, peak memory and the folder's
size for bench/figures. `--store` takes a run's folder of an earlier time in place of asking, `--before` lets an
earlier build replay the same answers first.
"""

import argparse
import datetime
import gzip
import json
import os
import platform
import random
import shutil
import subprocess
import time
from pathlib import Path

CONFIGURATION = """kind = "rag"
[documents]
members = "members.jsonl"
nonmembers = "nonmembers.jsonl"
[target]
preset = "guestlist"
url = "{address}"
[run]
folder = "run"
[audit.settings]
"ia.questions" = 10
"""


def cpu():
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def drawn(documents, each, folder):
    opened = gzip.open if documents.suffix == ".gz" else open
    with opened(documents, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    random.Random(1).shuffle(rows)
    if len(rows) < 2 * each:
        raise SystemExit(f"{documents} has {len(rows)} documents, and {2 * each} are wanted")
    for name, chosen in (("members", rows[:each]), ("nonmembers", rows[each : 2 * each])):
        with open(folder / f"{name}.jsonl", "w", encoding="utf-8") as out:
            for row in chosen:
                kept = {"id": str(row.get("id", row.get("_id"))), "title": row.get("title"), "text": row["text"]}
                out.write(json.dumps(kept) + "\n")


def took(command, folder):
    """One command: seconds, processor seconds, and the most memory that it had."""
    start = time.perf_counter()
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 3):
        raise SystemExit(f"{command} ended with {child.returncode}: {said.decode()}")
    return {
        "seconds": seconds,
        "processor_seconds": usage.ru_utime + usage.ru_stime,
        "peak_bytes": usage.ru_maxrss * 1024,
    }


def asked(program, folder):
    """The service, and a run that asks it everything."""
    serving = [program, "rag-server", "members.jsonl", "--port", "0", "--json"]
    server = subprocess.Popen(serving, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        events = (json.loads(line) for line in server.stdout)
        address = next(event["address"] for event in events if event.get("event") == "listening")
        (folder / "guestlist.toml").write_text(CONFIGURATION.format(address=address))
        return took([program, "run", "--quiet"], folder)
    finally:
        server.kill()
        server.wait()


def size(folder, pattern="*"):
    return sum(path.stat().st_size for path in folder.glob(pattern))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--each", type=int, default=1000)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--before")
    given = parser.parse_args()
    conditions = {
        "cores": os.cpu_count(),
        "cpu": cpu(),
        "date": datetime.date.today().isoformat(),
        "load_before": os.getloadavg()[0],
        "system": platform.system().lower(),
    }
    figures = {"command": "cargo xtask bench rag --documents FILE", "each": given.each}
    shutil.rmtree(given.folder, ignore_errors=True)
    given.folder.mkdir(parents=True)
    if given.store:
        shutil.copytree(given.store, given.folder, dirs_exist_ok=True)
    else:
        drawn(given.documents, given.each, given.folder)
        figures["run"] = asked(given.program, given.folder)
    replay = ["run", "--replay", "--quiet"]
    run = given.folder / "run"
    if given.before:
        figures["before"] = took([given.before, *replay], given.folder)
    figures["replay"] = took([given.program, *replay], given.folder)
    requests = json.loads((run / "report.json").read_text())["detail"]["requests"]
    figures["answers"] = requests["answered"]
    figures["store_bytes"] = size(run, "audit.sqlite*")
    figures["transcript_bytes"] = size(run, "transcript.jsonl")
    figures["folder_bytes"] = size(run)
    figures["made"] = conditions
    given.out.write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
