"""Installs a wheel into a fresh environment, uses it as a newcomer would, and removes it again.

    python3 scripts/try_wheel.py target/wheels/guestlist-0.1.0-….whl

Says how long each step took; ends with an error where something is wrong or left behind.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AUDIT = """
import numpy as np, guestlist
keep = guestlist.shadow_splits(records=2000, models=33)
phi = np.random.default_rng(0).normal(size=keep.shape) + 1.5 * keep
report = guestlist.audit(phi, keep, progress=False)
assert report.outcome == "fail", report.outcome
print(guestlist.__version__, report.outcome, len(report.attacks), "attacks")
"""

LEAK = """
import numpy as np
def test_model(guestlist_audit):
    member = np.arange(2000) % 2 == 0
    guestlist_audit.scores({"mine": np.random.default_rng(0).normal(size=2000) + member}, member)
"""


def timed(what, *command, wanted=0, **how):
    began = time.monotonic()
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, **how)
    took = time.monotonic() - began
    if ended.returncode != wanted:
        sys.exit(f"{what} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    last = ended.stdout.strip().splitlines()[-1:]
    print(f"{took:6.1f} s  {what}  {' '.join(last)[:100]}", flush=True)
    return ended.stdout


def ours(folder):
    """Everything of the package, wherever it lies."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*guestlist*"))


def main():
    sys.stdout.reconfigure(errors="replace")
    wheel = Path(sys.argv[1]).resolve()
    print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory(prefix="guestlist-wheel-") as name:
        folder = Path(name)
        environment = folder / "environment"
        # What the developer's shell has set must not stand in for what is missing; Python's own output is read as UTF-8.
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
        clean["PYTHONIOENCODING"] = "utf-8"
        how = {"cwd": folder, "env": clean}
        began = time.monotonic()
        timed("a fresh environment", sys.executable, "-m", "venv", str(environment), **how)
        before = ours(environment)
        programs = environment / ("Scripts" if os.name == "nt" else "bin")
        python, command = str(programs / "python"), str(programs / "guestlist")
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        timed("pip install", *pip, "install", "--quiet", str(wheel), **how)
        timed("guestlist --version", command, "--version", **how)
        timed("python -m guestlist --version", python, "-m", "guestlist", "--version", **how)
        timed("guestlist demo", command, "demo", "--out", "demo", **how)
        assert json.loads((folder / "demo/report.json").read_text(encoding="utf-8"))["verdict"]["outcome"] == "fail"
        timed("an audit from Python", python, "-c", AUDIT, **how)
        print(f"{time.monotonic() - began:6.1f} s  all of that together")
        timed("guestlist doctor", command, "doctor", **how)
        # 1 is a leak, and 2 a file that is not there.
        timed("guestlist report", command, "report", "demo", "--format", "junit", **how)
        timed("guestlist audit nowhere", command, "audit", "nowhere.npz", wanted=2, **how)
        (folder / "test_model.py").write_text(LEAK, encoding="utf-8")
        timed("pip install pytest", *pip, "install", "--quiet", "pytest", **how)
        # pytest would keep compiled modules of plugins under names that pip does not know.
        how["env"] = clean | {"PYTHONDONTWRITEBYTECODE": "1"}
        timed("pytest", python, "-m", "pytest", "-q", "-p", "no:cacheprovider", wanted=1, **how)
        timed("pip uninstall", *pip, "uninstall", "--quiet", "--yes", "guestlist", **how)
        left = [path for path in ours(environment) if path not in before]
        if left:
            sys.exit(f"pip uninstall left behind: {', '.join(left)}")
        print("          nothing is left behind")


main()
