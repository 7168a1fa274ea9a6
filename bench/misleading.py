"""What `guestlist demo misleading` says, case by case, for README.md and docs/how-audits-mislead.md.

    python3 bench/misleading.py target/release/guestlist

Writes bench/figures/misleading.json: the numbers of both ways by name, and the words that pages may quote.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

OUT = Path(__file__).parent / "figures" / "misleading.json"


def side(lines):
    return {line["name"]: line["value"] for line in lines}


def main(program):
    said = subprocess.run([program, "demo", "misleading", "all", "--json"], check=True, capture_output=True, text=True)
    events = [json.loads(line) for line in said.stdout.splitlines() if line.startswith("{")]
    cases = {
        event["id"]: {
            "mistaken": side(event["mistaken"]),
            "guestlist": side(event["guestlist"]),
            "words": [line["words"] for line in event["mistaken"] + event["guestlist"]],
        }
        for event in events
        if event.get("event") == "case"
    }
    if not cases:
        raise SystemExit(f"{program} showed no case")
    figures = {
        "command": "python3 bench/misleading.py target/release/guestlist",
        "made": {"date": time.strftime("%Y-%m-%d", time.gmtime())},
        "cases": cases,
    }
    OUT.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
