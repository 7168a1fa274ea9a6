"""Python goes on while an audit runs, and can stop it."""

import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import guestlist

LONG = """
import sys, time, numpy as np, guestlist
keep = guestlist.shadow_splits(records=20_000, models=65)
phi = np.random.default_rng(0).normal(size=keep.shape).astype("float32")
def listener(stretch, done, total):
    print("running", flush=True)
try:
    guestlist.audit(phi, keep, replicates=64, progress=listener)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(42)
"""


def test_other_threads_run_during_an_audit(leaky):
    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            over.wait(0.001)

    seen = []
    thread = threading.Thread(target=count)
    thread.start()
    keep = guestlist.shadow_splits(records=5000, models=33)
    phi = np.random.default_rng(0).normal(size=keep.shape)
    guestlist.audit(phi, keep, replicates=8, progress=lambda *told: seen.append(counted[0]))
    over.set()
    thread.join()
    # Told several times, and the other thread got further each time.
    assert len(seen) > 2 and seen[-1] > seen[0]


def test_control_c_stops_a_long_audit():
    program = subprocess.Popen(
        [sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert program.stdout.readline() == "running\n"
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    finally:
        program.kill()
    assert program.returncode == 42, err
    assert out.endswith("interrupted\n")


def test_an_exception_of_the_listener_stops_the_audit():
    keep = guestlist.shadow_splits(records=5000, models=33)
    phi = np.random.default_rng(0).normal(size=keep.shape)

    def refuse(stretch, done, total):
        raise LookupError(stretch)

    with pytest.raises(LookupError):
        guestlist.audit(phi, keep, replicates=32, progress=refuse)


def test_audits_run_side_by_side(leaky):
    reports = [None] * 4

    def audit(place):
        reports[place] = guestlist.audit(*leaky, attacks="lira,rmia", progress=False).to_json()

    threads = [threading.Thread(target=audit, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(reports)) == 1 and reports[0]


def test_bars_are_drawn_when_asked_for(capsys):
    keep = guestlist.shadow_splits(records=5000, models=33)
    phi = np.random.default_rng(0).normal(size=keep.shape)
    guestlist.audit(phi, keep, replicates=4, progress=True)
    assert "attacking" in capsys.readouterr().err
    guestlist.audit(phi, keep, replicates=4)
    assert capsys.readouterr().err == ""
