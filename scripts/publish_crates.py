"""Publishes the crates of this workspace that crates.io does not have in this version. What was published stays, so that
a release that was stopped goes on.

    python3 scripts/publish_crates.py              # as CARGO_REGISTRY_TOKEN allows
    python3 scripts/publish_crates.py --dry-run    # every crate is packed, and built from its package

crates.io takes five new crates at once, and then one in ten minutes (https://crates.io/docs/rate-limits): waited for.
"""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

INDEX = "https://index.crates.io"
PAUSE = 610
"""Seconds until crates.io takes the next new crate."""
TOO_MANY = "429 Too Many Requests"
ROOT = Path(__file__).parents[1]


def crates():
    """Versions by name, of all that is ever published."""
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    packages = json.loads(found.stdout)["packages"]
    return {one["name"]: one["version"] for one in packages if one["publish"] != []}


def published(name, version):
    """Whether crates.io has it."""
    address = f"{INDEX}/{name[:2]}/{name[2:4]}/{name}"
    request = urllib.request.Request(address, headers={"User-Agent": "guestlist's release"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return any(json.loads(line)["vers"] == version for line in answer)
    except urllib.error.HTTPError as error:
        if error.code in (404, 410, 451):
            return False
        raise


def cargo_publish(names, *how):
    """Whether all of them were, and whether they were too many at once."""
    command = ["cargo", "publish", "--locked", *how]
    for name in names:
        command += ["--package", name]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        said = ""
        for line in process.stderr:
            print(line, end="", file=sys.stderr, flush=True)
            said += line
    return process.returncode == 0, TOO_MANY in said


def main(arguments):
    wanted = crates()
    if arguments == ["--dry-run"]:
        done, _ = cargo_publish(wanted, "--dry-run")
        return 0 if done else 1
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    while missing := [name for name, version in wanted.items() if not published(name, version)]:
        print(f"{len(missing)} of {len(wanted)} crates are to be published", flush=True)
        # They were built from their packages before anything was published.
        done, too_many = cargo_publish(missing, "--no-verify")
        if done:
            break
        if not too_many:
            return 1
        print(f"crates.io takes no more new crates for {PAUSE} seconds", flush=True)
        time.sleep(PAUSE)
    print("crates.io has all crates")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
