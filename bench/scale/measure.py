"""Audits of growing size: seconds, processor seconds and peak memory of whole commands, files written.

Usage: measure.py GUESTLIST FOLDER OUT.json [--texts N,N] [--scores N,N] [--before PROGRAM]

Makes each input beside FOLDER with make.py, runs the audit once, and removes input and output again. An earlier
build that does not read folders (--before) is given the same rows in one file. Writes what it measured for
bench/figures.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ALL = 10**9


def cpu():
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def audited(program, source, kind, out):
    """One audit: what it took, what it said, and the most memory that it had."""
    shutil.rmtree(out, ignore_errors=True)
    command = [program, "audit", source, "--kind", kind, "--out", out, "--quiet"]
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 3):
        raise SystemExit(f"{command} ended with {child.returncode}: {said.decode()}")
    report = json.loads((Path(out) / "report.json").read_text())
    return {
        "seconds": seconds,
        "processor_seconds": usage.ru_utime + usage.ru_stime,
        "peak_bytes": usage.ru_maxrss * 1024,
        # What others did meanwhile: elapsed times of a busy machine say little, processor times more.
        "load": os.getloadavg()[1],
        "attacks": len(report["attacks"]),
        "outcome": report["verdict"]["outcome"],
    }


def made(kind, rows, source, per_file):
    """The input, unless a run that was interrupted has left it whole: ten gigabytes take minutes to make."""
    if not (source / "_SUCCESS").exists():
        shutil.rmtree(source, ignore_errors=True)
        making = [sys.executable, HERE / "make.py", kind, source, str(rows), *per_file]
        subprocess.run(making, check=True)


def measured(kind, rows, folder, programs):
    found = {}
    for name, program in programs.items():
        source, out = folder / f"{kind}-{rows}-{name}", folder / "out"
        made(kind, rows, source, [str(ALL)] if name == "before" else [])
        size = sum(path.stat().st_size for path in source.glob("*.parquet"))
        given = source / "part-00000.parquet" if name == "before" else source
        audit_kind = {"tokens": "lm", "scores": "scores"}[kind]
        found[name] = {"bytes": size, **audited(program, given, audit_kind, out)}
        print(kind, rows, name, json.dumps(found[name]), file=sys.stderr, flush=True)
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(source, ignore_errors=True)
    return found


def table(results, word):
    columns = [word, "attacks", "input", "processor time", "for each, µs", "elapsed", "load", "peak memory"]
    compared = any("before" in found for found in results.values())
    columns += ["peak memory before"] if compared else []
    rows = []
    for count, found in results.items():
        now, before = found["now"], found.get("before")
        row = [
            f"{int(count):,}",
            [now["attacks"], "count"],
            [now["bytes"], "bytes"],
            [now["processor_seconds"], "seconds"],
            [now["processor_seconds"] / int(count) * 1e6, ".1"],
            [now["seconds"], "seconds"],
            [now["load"], ".0"],
            [now["peak_bytes"], "bytes"],
        ]
        if compared:
            row.append([before["peak_bytes"], "bytes"] if before else "–")
        rows.append(row)
    return {"columns": columns, "rows": rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("guestlist")
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--texts", default="10000,100000,1000000")
    parser.add_argument("--scores", default="100000,1000000,10000000")
    parser.add_argument("--before")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    programs = {"before": given.before} if given.before else {}
    programs["now"] = given.guestlist
    conditions = {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "system": platform.system().lower(),
    }
    # What was measured before stays: sizes can be measured one at a time.
    figures = json.loads(given.out.read_text()) if given.out.exists() else {}
    kinds = [("tokens", "texts", given.texts), ("scores", "records", given.scores)]
    for kind, word, counts in kinds:
        results = figures.setdefault(kind, {}).get("measured", {})
        for count in filter(None, counts.split(",")):
            results[count] = {**results.get(count, {}), **measured(kind, int(count), given.folder, programs)}
        results = dict(sorted(results.items(), key=lambda item: int(item[0])))
        figures[kind] = {"measured": results, "table": table(results, word)}
    figures["command"] = "cargo xtask bench scale"
    figures["made"] = conditions
    given.out.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
