"""Whether guestlist can work here, said with remedies and without secrets."""

import json
import os
import subprocess
import sys

import guestlist

SECRET = "hunter2"


def doctor(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "guestlist", "doctor", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | more,
    )


def test_it_looks_at_this_python(tmp_path):
    found = guestlist.doctor(tmp_path)
    by_id = {one["id"]: one for one in found.findings}
    assert found.works and str(found).rstrip().endswith("guestlist can work here.")
    assert by_id["python"]["status"] == "ok" and guestlist.__version__ in by_id["python"]["detail"]
    assert str(tmp_path) in by_id["folder"]["detail"] and not list(tmp_path.iterdir())
    assert all("remedy" in one for one in found.findings if one["status"] != "ok")


def test_programs_are_told_the_same(tmp_path):
    ended = doctor("--json", "--out", str(tmp_path))
    *findings, last = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0 and last == {"event": "doctor", "works": True}
    assert {one["id"] for one in findings} == {one["id"] for one in guestlist.doctor().findings}
    python = next(one for one in findings if one["id"] == "python")
    assert sys.executable in python["detail"]


def test_secrets_stay_where_they_are():
    address = f"http://user:{SECRET}@127.0.0.1:9"
    ended = doctor("--json", HTTPS_PROXY=address, RAY_ADDRESS=address, GUESTLIST_TOKEN=SECRET)
    told = ended.stdout + ended.stderr
    assert SECRET not in told and "HTTPS_PROXY" in told and "GUESTLIST_TOKEN" in told


def test_a_folder_that_cannot_be_written_is_trouble(tmp_path):
    (tmp_path / "file").write_text("")
    ended = doctor("--out", str(tmp_path / "file" / "out"))
    assert ended.returncode == 2 and "✘ folder" in ended.stdout and "cannot work here" in ended.stdout


def test_a_python_that_is_none_stops_nobody(tmp_path):
    ended = doctor("--python", "/nowhere/python3", SSL_CERT_FILE=str(tmp_path / "none.pem"))
    assert ended.returncode == 0 and "/nowhere/python3 is not found" in ended.stdout
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho hello\n")
    broken.chmod(0o755)
    assert "does not answer as Python does" in doctor("--python", str(broken)).stdout
