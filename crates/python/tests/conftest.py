"""What several tests need."""

import json
import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

import guestlist

# Tests speak to nobody outside.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
# Programs that tests interrupt inherit it, and jobs in the background of a script have it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def leaky():
    """phi and keep of 17 models on 600 records; members score higher, some values tie."""
    keep = guestlist.shadow_splits(records=600, models=17, seed=5)
    rng = np.random.default_rng(11)
    phi = (rng.normal(size=keep.shape) + 1.2 * keep).astype(np.float32)
    return np.round(phi, 2), keep


@pytest.fixture(scope="session")
def command_line():
    """Runs the program and gives the report that it wrote."""
    program = os.environ.get("GUESTLIST_BINARY")
    if program is None:
        pytest.skip("GUESTLIST_BINARY does not name the program")

    def run(*arguments, out: Path):
        command = [program, "audit", *map(str, arguments), "--out", str(out), "--quiet"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode in (0, 1, 3), ended.stderr
        return json.loads((out / "report.json").read_text())

    run.program = program
    return run


def without_origin(report: dict) -> dict:
    """A report less what says where its numbers came from: call, day, files and layout."""
    report = json.loads(json.dumps(report))
    for key in ("command", "inputs"):
        del report["provenance"][key]
    report["provenance"].pop("date", None)
    del report["provenance"]["data"]["format"]
    return report
