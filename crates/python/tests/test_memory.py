"""Large arrays are read where they lie."""

import subprocess
import sys

import pytest

MEASURE = """
import sys, threading, numpy as np, guestlist

def resident(key):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(key))

layout = sys.argv[1]
keep = guestlist.shadow_splits(records=50_000, models=256)
rng = np.random.default_rng(0)
phi = rng.standard_normal(size=(256, 50_000), dtype=np.float32)
if layout == "fortran":
    phi = rng.standard_normal(size=(50_000, 256), dtype=np.float32).T
small = guestlist.shadow_splits(records=64, models=9)
guestlist.audit(rng.normal(size=small.shape), small, attacks="lira", progress=False)
open("/proc/self/clear_refs", "w").write("5")
before = resident("VmRSS")
report = guestlist.audit(phi, keep, attacks="lira", bootstrap=0, progress=False)
print(resident("VmHWM") - before, phi.nbytes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("layout", ["c", "fortran"])
def test_fifty_thousand_records_under_256_models_are_not_copied(layout):
    ended = subprocess.run(
        [sys.executable, "-c", MEASURE, layout], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    growth, size = map(int, ended.stdout.split())
    assert size == 51_200_000
    assert growth < size / 2, f"{growth} bytes more for an array of {size}"


def test_scores_are_the_audits_own_memory(leaky):
    pytest.importorskip("pyarrow")
    import guestlist

    report = guestlist.audit(*leaky, attacks="lira", progress=False)
    address = lambda: report.scores.column("lira").chunk(0).buffers()[1].address
    assert address() == address()
    table = report.scores
    column = table.column("lira").to_pylist()
    del report
    assert table.column("lira").to_pylist() == column
