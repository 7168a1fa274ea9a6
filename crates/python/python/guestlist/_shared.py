"""Files of an audit as they are handed on: to trackers, and by the action for GitHub. No record, and no path of the machine,
is in them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._report import Report

FORMS = {"report.html": "html", "report.json": "json", "report.md": "markdown"}
AS_THEY_ARE = ("junit.xml", "results.sarif")
"""They name no record, whatever was asked for."""


def files(report: Report) -> dict[str, str]:
    """By their names."""
    return {name: report._audit.render_without_records(form) for name, form in FORMS.items()}


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Files that were there are replaced, each as a whole."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        begun = folder / f"{name}.tmp"
        begun.write_text(text, encoding="utf-8", newline="")
        begun.replace(folder / name)


def of_folder(folder: Path, category: str) -> dict[str, str]:
    """What the action uploads of an audit's folder."""
    import guestlist

    found = files(guestlist.load(folder))
    there = (folder / name for name in AS_THEY_ARE)
    found |= {path.name: path.read_text(encoding="utf-8") for path in there if path.exists()}
    if category and "results.sarif" in found:
        found["results.sarif"] = categorised(found["results.sarif"], category)
    return found


def categorised(sarif: str, category: str) -> str:
    """Servers tell analyses apart by what comes before the last slash of this."""
    log = json.loads(sarif)
    for run in log["runs"]:
        run["automationDetails"]["id"] += f"{category}/"
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write(Path(sys.argv[2]), of_folder(Path(sys.argv[1]), sys.argv[3]))
