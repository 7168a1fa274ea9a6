"""Location30 by the number of shadows, for docs/guide-shadow-signals.md and docs/understudy.md.

    python3 bench/location.py target/release/guestlist location

`location` has the shadow signals of 257 perceptrons on Location30, in any layout that `guestlist audit` reads: the folder of
a `guestlist run` over these data, or a file. Writes bench/figures/location.json.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OUT = Path(__file__).parent / "figures" / "location.json"
TABLED = ["bavaria-t", "lira", "gamma", "base4", "bavaria-t-offline", "rmia", "loss"]
COMPARED = ["bavaria-t", "lira", "rmia", "loss"]
LEARNT = ["understudy", "understudy-offline", "bavaria-t"]
RATES = [0.01, 0.001]
ALL = "256"


def audited(program, data, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "audit", data, *arguments, "--bootstrap", "0", "--quiet", "--out", "audit"]
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if said.returncode not in (0, 1, 3):
            raise SystemExit(said.stderr)
        return json.loads((Path(folder) / "audit/report.json").read_text())


def by_shadows(program, data, attacks, sizes):
    asked = ["--attacks", ",".join(attacks), "--fpr", "0.1,0.01,0.001", "--shadows", "64", "--replicates", "8"]
    return audited(program, data, *asked, "--scaling", ",".join(map(str, sizes)))


def rate(attack, fpr):
    return next(found["over"] for found in attack["tpr_at_fpr"] if found["fpr"] == fpr)


def short(number):
    return f"{number:.3f}".removeprefix("0")


def spread(over, times, digits, unit=""):
    return f"{times * over['mean']:.{digits[0]}f}{unit} ± {times * over['standard_error']:.{digits[1]}f}"


def named(attacks):
    return {attack["id"]: attack for attack in attacks}


def compared(report):
    found = named(report["replicates"]["attacks"])
    cells = lambda attack: [spread(attack["auc"], 1, (4, 4)), *(spread(rate(attack, fpr), 100, (2, 2), "%") for fpr in RATES)]
    return {
        "columns": ["attack", "AUC", "TPR@1%", "TPR@0.1%"],
        "rows": [[f"`{name}`", *cells(found[name])] for name in COMPARED],
    }


def scaled(report):
    points = report["scaling"]
    rows = [[f"`{name}`", *(short(named(point["attacks"])[name]["auc"]["mean"]) for point in points)] for name in TABLED]
    return {"columns": ["shadows", *(str(point["shadows"]) for point in points)], "rows": rows}


def three(attack):
    return " / ".join([short(attack["auc"]["mean"]), *(short(rate(attack, fpr)["mean"]) for fpr in RATES)])


def learnt(report):
    rows = [[str(point["shadows"]), *(three(named(point["attacks"])[name]) for name in LEARNT)] for point in report["scaling"]]
    return {"columns": ["shadows", *LEARNT], "rows": rows}


def exposed(report):
    """The most exposed record, and the last that is listed."""
    found = report["diagnostics"]["vulnerability"]
    row = lambda record: [
        str(record["row"]),
        [record["catch_rate_low"], "percent"],
        [record["as_exposed"], "count"],
        f"{record['as_exposed_by_chance']:.3f}",
    ]
    listed = found["most_exposed"]
    columns = ["record", "caught at least", "as exposed", "by chance"]
    about = {key: found[key] for key in ["attack", "targets", "catch_rate"]}
    return {**about, "table": {"columns": columns, "rows": [row(listed[0]), row(listed[-1])]}}


def normality(report):
    found, quantiles = report["diagnostics"]["normality"], report["diagnostics"]["qq"]
    last = quantiles["in"]["points"][-1]
    return {
        "shadows": int(ALL),
        "in": found["in"]["rejection_rate"],
        "out": found["out"]["rejection_rate"],
        "level": found["level"],
        "share": last["probability"],
        "observed": last["observed"],
        "normal": last["normal"],
    }


def main(program, data):
    program, path = str(Path(program).resolve()), str(Path(data).resolve())
    tabled = by_shadows(program, path, TABLED, [4, 8, 16, 32, 64, 128, 256])
    figures = {
        "command": "python3 bench/location.py target/release/guestlist location",
        "made": {"date": time.strftime("%Y-%m-%d", time.gmtime())},
        "records": tabled["provenance"]["data"]["records"],
        "scaling": scaled(tabled),
        "attacks": compared(tabled),
        "exposed": exposed(tabled),
        "normality": normality(audited(program, path, "--attacks", "lira", "--shadows", ALL)),
        "understudy": learnt(by_shadows(program, path, LEARNT, [4, 8, 16, 64])),
    }
    OUT.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
