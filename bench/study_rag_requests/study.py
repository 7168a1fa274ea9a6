"""Requests per document and AUC, with every question asked and with documents left alone that are settled.

    cargo xtask study rag-requests --documents corpus.jsonl.gz --about "abstracts of SciFact" [--each 100]
        [--seeds 1,2,3] [--defences a,b;c] [--write]

Documents are JSON Lines with an id (`id` or `_id`), `text` and, where there is one, `title`. So many are drawn by
each seed to be members, and as many to be non-members; a store of all members and of as many further documents is
served by `guestlist rag-server` on this machine, once without defences and once with each set of them, and once
with a store that holds no member. Every audit runs twice, with `probes.adaptive` off and on, each in its own folder,
so that each pays for its own answers. What comes out is a table on standard output, the means over the draws, and
the reports in `target/study-rag-requests`; `--write` keeps it in `bench/figures/rag-requests.json`.
"""

import argparse
import datetime
import gzip
import json
import pathlib
import platform
import random
import shutil
import statistics
import subprocess
import sys

ATTACKS = "citation,facts,indirect,yes-no,yes-no-paired,mba-single,ia,ia-paired"
NULL = "no member in the store"
FIGURES = pathlib.Path(__file__).parent.parent / "figures" / "rag-requests.json"


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


def measured(program, folder, defences, count, attacks):
    """By attack: requests per document and AUC, of both audits."""
    serve = [program, "rag-server", str(folder / "store.jsonl"), "--port", "0", "--json"]
    if defences:
        serve += ["--defence", defences]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
    try:
        url = json.loads(server.stdout.readline())["address"]
        reports = [audit(program, folder, url, adaptive, attacks) for adaptive in (False, True)]
    finally:
        server.terminate()
        server.wait()
    found = {}
    for attack in attacks.split(","):
        aucs = [{one["id"]: one["auc"]["value"] for one in report["attacks"]}.get(attack) for report, _ in reports]
        found[attack] = ([asked.get(attack, 0) / count for _, asked in reports], aucs)
    return found


def draw(options, every, seed):
    """By condition, what was measured on the documents of one draw."""
    each = options.each
    shuffled = list(every)
    random.Random(seed).shuffle(shuffled)
    members, others, further, foreign = (shuffled[part * each : (part + 1) * each] for part in range(4))
    found = {}
    for condition in [*options.defences.split(";"), NULL]:
        name = condition or "no defence"
        folder = options.work / f"{seed}-{name.replace(' ', '-').replace(',', '-')}"
        folder.mkdir(parents=True)
        write(folder / "members.jsonl", members)
        write(folder / "nonmembers.jsonl", others)
        write(folder / "store.jsonl", (foreign if condition == NULL else members) + further)
        defences = None if condition == NULL else condition
        found[name] = measured(options.program, folder, defences, 2 * each, options.attacks)
        print(f"seed {seed}, {name}: {json.dumps(found[name])}", file=sys.stderr, flush=True)
    return found


def table(draws, attacks):
    """Means over the draws: everything asked, and only what was needed."""
    conditions = list(draws[0])
    rows = []
    for attack in attacks:
        row = [f"`{attack}`"]
        for condition in conditions:
            of = [found[condition][attack] for found in draws]
            requests = [statistics.mean(one[0][arm] for one in of) for arm in (0, 1)]
            aucs = [[one[1][arm] for one in of] for arm in (0, 1)]
            judged = all(value is not None for values in aucs for value in values)
            said = "{:.3f} → {:.3f}".format(*map(statistics.mean, aucs)) if judged else "–"
            row += ["{:.1f} → {:.1f}".format(*requests), said]
        rows.append(row)
    total = ["together"]
    for condition in conditions:
        both = [statistics.mean(sum(one[0][arm] for one in found[condition].values()) for found in draws) for arm in (0, 1)]
        total += ["{:.1f} → {:.1f}".format(*both), ""]
    columns = ["attack"]
    for condition in conditions:
        columns += [f"{condition}: requests", "AUC"]
    return {"columns": columns, "rows": [*rows, total]}


def falls(draws):
    """Of every attack in every audit of a store with members: the AUC with everything asked less the other."""
    pairs = (
        aucs
        for found in draws
        for condition, attacks in found.items()
        if condition != NULL
        for _, aucs in attacks.values()
        if None not in aucs
    )
    return [everything - needed for everything, needed in pairs]


def keep(options, draws, values):
    made = {"date": datetime.date.today().isoformat(), "system": platform.system().lower()}
    command = "cargo xtask study rag-requests --documents FILE --about TEXT --write"
    figures = {"command": command, "made": made, "about": options.about, "each": options.each, "draws": len(draws), **values}
    FIGURES.write_text(json.dumps(figures, indent=2, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", required=True, help="the guestlist program")
    arguments.add_argument("--work", type=pathlib.Path, required=True, help="a folder for stores and runs")
    arguments.add_argument("--documents", type=pathlib.Path, required=True)
    arguments.add_argument("--about", default="", help="what the documents are, for the page")
    arguments.add_argument("--each", type=int, default=100, help="members, and as many non-members")
    arguments.add_argument("--seeds", default="1,2,3", help="one draw of documents each")
    arguments.add_argument("--attacks", default=ATTACKS)
    arguments.add_argument(
        "--defences",
        default=";refuse-verbatim;detect-probing",
        help="sets of defences, divided by semicolons; an empty one is none",
    )
    arguments.add_argument("--write", action="store_true", help="keep what was measured for the page")
    options = arguments.parse_args()
    if options.write and not options.about:
        sys.exit("--write wants --about TEXT, which says what the documents are")
    every = sorted(documents(options.documents), key=lambda row: row["id"])
    if len(every) < 4 * options.each:
        sys.exit(f"{options.documents}: {len(every)} documents, and {4 * options.each} are needed")
    shutil.rmtree(options.work, ignore_errors=True)
    draws = [draw(options, every, int(seed)) for seed in options.seeds.split(",")]
    shown = table(draws, options.attacks.split(","))
    print("| " + " | ".join(shown["columns"]) + " |\n|" + "---|" * len(shown["columns"]))
    for row in shown["rows"]:
        print("| " + " | ".join(row) + " |")
    lost = falls(draws)
    values = {"table": shown, "compared": len(lost), "largest_fall": max(lost), "mean_fall": statistics.mean(lost)}
    print(f"AUC with everything asked less AUC with what was needed: {values['mean_fall']:.4f} on average, {max(lost):.4f} at most")
    if options.write:
        keep(options, draws, values)


if __name__ == "__main__":
    main()
