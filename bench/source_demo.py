"""The sources of `guestlist demo source` told apart with all 24 texts of each, for docs/guide-source.md.

    python3 bench/source_demo.py target/release/guestlist

Writes bench/figures/source-demo.json. The demonstration's own service answers, on loopback; the same is then judged by
the paper's constants.
"""

import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OUT = Path(__file__).parent / "figures" / "source-demo.json"
LIMIT = re.compile(r"# Of each.*\nlimit = \d+\n")


def guestlist(program, folder, *arguments):
    said = subprocess.run([program, *arguments, "--quiet"], cwd=folder, capture_output=True, text=True)
    if said.returncode not in (0, 1, 3):
        raise SystemExit(said.stderr)


def answers(port):
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def audited(program, folder):
    guestlist(program, folder, "run")
    return json.loads((folder / "report.json").read_text())


def measured(program, folder):
    guestlist(program, folder, "demo", "source", "--out", ".")
    config = folder / "guestlist.toml"
    text, taken_out = LIMIT.subn("", config.read_text())
    if taken_out != 1:
        raise SystemExit("the demonstration's configuration has no limit to take out")
    config.write_text(text)
    port = int(re.search(r"127\.0\.0\.1:(\d+)", text)[1])
    service = subprocess.Popen(
        [program, "rag-server", "store.jsonl.gz", "--model", "model", "--port", str(port)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while service.poll() is None and not answers(port):
            time.sleep(0.1)
        calibrated = audited(program, folder)
        config.write_text(text + '\n[source]\nmode = "paper"\n')
        return calibrated, audited(program, folder)
    finally:
        service.terminate()
        service.wait()


def figures(calibrated, paper):
    detail = calibrated["detail"]
    evaluation, stopping = detail["evaluation"], detail["stopping"]
    names = ["pretrained (A)", "retrieved (B)", "non-member (C)"]
    rows = [[name, *([called, "count"] for called in row)] for name, row in zip(names, evaluation["confusion"])]
    return {
        "command": "python3 bench/source_demo.py target/release/guestlist",
        "made": {"date": time.strftime("%Y-%m-%d", time.gmtime())},
        "table": {"columns": ["source", "called pretrained", "called retrieved", "called non-member"], "rows": rows},
        "accuracy": evaluation["accuracy"],
        "shuffled": detail["shuffled"],
        "stopping": {**stopping, "share": stopping["saved"] / stopping["planned"]},
        "attacks": {"least_auc": min(attack["auc"]["value"] for attack in calibrated["attacks"])},
        "paper": paper["detail"]["evaluation"]["accuracy"],
    }


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        found = figures(*measured(str(Path(program).resolve()), Path(folder)))
    OUT.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
