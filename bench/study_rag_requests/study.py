"""Requests per document and AUC, with every question asked and with documents left alone that are settled.

    cargo xtask study rag-requests --documents corpus.jsonl.gz [--each 100] [--seed 1] [--defences a,b;c]

Documents are JSON Lines with an id (`id` or `_id`), `text` and, where there is one, `title`. So many are drawn by
the seed to be members, and as many to be non-members; a store of all members and of as many further documents is
served by `guestlist rag-server` on this machine, once without defences and once with each set of them, and once
with a store that holds no member. Every audit runs twice, with `probes.adaptive` off and on, each in its own folder,
so that each pays for its own answers. What comes out is a table in Markdown on standard output, and the reports in
`target/study-rag-requests`.
"""

import argparse
import gzip
import json
import pathlib
import random
import shutil
import subprocess
import sys

ATTACKS = "citation,facts,indirect,yes-no,yes-no-paired,mba-single,ia,ia-paired"


def documents(path):
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as rows:
        for row in rows:
            row = json.loads(row)
            text = row["text"] if isinstance(row["text"], str) else " ".join(row["text"])
            yield {"id": str(row.get("id", row.get("_id"))), "title": row.get("title"), "text": text}


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def audit(program, folder, url, adaptive, attacks):
    config = folder / f"{'adaptive' if adaptive else 'all'}.toml"
    run = folder / ("run-adaptive" if adaptive else "run-all")
    shutil.rmtree(run, ignore_errors=True)
    config.write_text(
        f"""kind = "rag"
[documents]
members = "members.jsonl"
nonmembers = "nonmembers.jsonl"
[target]
preset = "guestlist"
url = "{url}"
[probes]
without_retrieval = false
repeats = 0
adaptive = {str(adaptive).lower()}
[run]
folder = "{run.name}"
[audit]
attacks = "{attacks}"
bootstrap = 0
""",
        encoding="utf-8",
    )
    done = subprocess.run([program, "run", config.name], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(done.stdout + done.stderr)
    report = json.loads((run / "report.json").read_text(encoding="utf-8"))
    asked = {}
    for line in (run / "transcript.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "strategy" in row:
            asked[row["strategy"]] = asked.get(row["strategy"], 0) + 1
    return report, asked


def measured(program, folder, store, defences, count, attacks):
    serve = [program, "rag-server", str(store), "--port", "0", "--json"]
    if defences:
        serve += ["--defence", defences]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
    try:
        url = json.loads(server.stdout.readline())["address"]
        reports = [audit(program, folder, url, adaptive, attacks) for adaptive in (False, True)]
    finally:
        server.terminate()
        server.wait()
    rows = []
    for attack in attacks.split(","):
        row = [attack]
        for report, asked in reports:
            auc = next((a["auc"] for a in report["attacks"] if a["id"] == attack), None)
            said = f"{auc['value']:.3f} ({auc['low']:.3f}–{auc['high']:.3f})" if auc else "–"
            row += [f"{asked.get(attack, 0) / count:.2f}", said]
        rows.append(row)
    totals = [sum(asked.values()) / count for _, asked in reports]
    rows.append(["all", f"{totals[0]:.2f}", "", f"{totals[1]:.2f}", ""])
    return rows


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", required=True, help="the guestlist program")
    arguments.add_argument("--work", type=pathlib.Path, required=True, help="a folder for stores and runs")
    arguments.add_argument("--documents", type=pathlib.Path, required=True)
    arguments.add_argument("--each", type=int, default=100, help="members, and as many non-members")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--attacks", default=ATTACKS)
    arguments.add_argument(
        "--defences",
        default=";hide-citations;refuse-verbatim;detect-probing",
        help="sets of defences, divided by semicolons; an empty one is none",
    )
    options = arguments.parse_args()
    every = sorted(documents(options.documents), key=lambda row: row["id"])
    random.Random(options.seed).shuffle(every)
    each = options.each
    if len(every) < 4 * each:
        sys.exit(f"{options.documents}: {len(every)} documents, and {4 * each} are needed")
    members, others = every[:each], every[each : 2 * each]
    further, foreign = every[2 * each : 3 * each], every[3 * each : 4 * each]
    shutil.rmtree(options.work, ignore_errors=True)
    for place, defences in enumerate([*options.defences.split(";"), None]):
        folder = options.work / (f"{place}-{defences or 'none'}" if defences is not None else f"{place}-null")
        folder.mkdir(parents=True)
        write(folder / "members.jsonl", members)
        write(folder / "nonmembers.jsonl", others)
        held = foreign if defences is None else members
        write(folder / "store.jsonl", held + further)
        title = "a store without any member" if defences is None else (defences or "no defence")
        print(f"\n**{title}**\n\n| attack | all: requests | AUC | adaptive: requests | AUC |\n|---|---:|---:|---:|---:|")
        rows = measured(options.program, folder, folder / "store.jsonl", defences, 2 * each, options.attacks)
        for row in rows:
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
