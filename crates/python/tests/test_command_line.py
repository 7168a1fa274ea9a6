"""The command ``guestlist`` as the package brings it: the program itself, in a process of Python."""

import fcntl
import json
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path

import numpy as np
import pytest

import guestlist

COMMAND = [sys.executable, "-m", "guestlist"]
PATIENCE = 300


def command(*arguments, **how):
    how = {"capture_output": True, "text": True, "check": False, "timeout": PATIENCE} | how
    return subprocess.run([*COMMAND, *map(str, arguments)], **how)


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """Files of scores: a leak, none, and too few records to tell."""
    folder, rng = tmp_path_factory.mktemp("scores"), np.random.default_rng(4)
    for name, records, shift in (("leak", 2000, 1.5), ("none", 6000, 0.0), ("few", 12, 0.0)):
        member = np.arange(records) % 2
        rows = zip(member, rng.normal(size=records) + shift * member)
        text = "".join(f"{flag},{value}\n" for flag, value in rows)
        (folder / f"{name}.csv").write_text("member,mine\n" + text)
    return folder


def test_it_is_the_program_under_its_own_name(command_line):
    assert command("--version").stdout == f"guestlist {guestlist.__version__}\n"
    for arguments in (["--help"], ["audit", "--help"], ["explain", "lira"]):
        own = subprocess.run([command_line.program, *arguments], capture_output=True, text=True, check=True)
        assert command(*arguments).stdout == own.stdout
    assert "Usage: guestlist " in command("--help").stdout


def test_it_starts_without_numpy():
    without = "import sys; sys.modules['numpy'] = None; sys.argv[1:] = ['--version']; import guestlist.__main__ as m; "
    ended = subprocess.run([sys.executable, "-c", without + "sys.exit(m.main())"], check=False, capture_output=True)
    assert ended.returncode == 0, ended.stderr
    plugin = "import sys; sys.modules['numpy'] = None; import guestlist.pytest_plugin"
    assert subprocess.run([sys.executable, "-c", plugin], check=False).returncode == 0


def test_exit_codes_are_those_of_the_program(scores):
    codes = {
        name: command("audit", scores / f"{name}.csv", "--kind", "scores", "--quiet").returncode
        for name in ("leak", "none", "few", "nowhere")
    }
    assert codes == {"leak": 1, "none": 0, "few": 3, "nowhere": 2}
    refused = command("audit")
    assert refused.returncode == 2 and "Usage: guestlist audit" in refused.stderr and not refused.stdout


def test_reports_are_those_of_the_program(scores, tmp_path, command_line):
    arguments = ["audit", str(scores / "leak.csv"), "--kind", "scores", "--date", "2026-01-31", "--out"]
    for name, program in (("package", COMMAND), ("program", [command_line.program])):
        subprocess.run([*program, *arguments, name], cwd=tmp_path, capture_output=True, check=False)
    one, other = (json.loads((tmp_path / name / "report.json").read_text()) for name in ("package", "program"))
    assert one["provenance"].pop("command").replace("package", "program") == other["provenance"].pop("command")
    assert one == other


def test_a_package_without_its_extension_is_no_leak(tmp_path):
    sources = Path(guestlist.__file__).parent
    (tmp_path / "guestlist").mkdir()
    for name in ("__init__.py", "__main__.py", "_program.py"):
        shutil.copy(sources / name, tmp_path / "guestlist" / name)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = command("--version", env=environment, cwd=tmp_path)
    assert ended.returncode == 2 and "cannot be loaded" in ended.stderr and "Traceback" not in ended.stderr


def test_words_that_are_no_unicode_arrive(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff.csv"
    ended = subprocess.run([*COMMAND, "audit", name], capture_output=True, check=False)
    assert ended.returncode == 2 and b"Traceback" not in ended.stderr


def test_a_reader_that_has_seen_enough_is_no_error():
    ended = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$0" -m guestlist attacks | head -1', sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0 and len(ended.stdout.splitlines()) == 1 and not ended.stderr


def test_standard_output_that_is_full_is_an_error():
    with open("/dev/full", "w", encoding="utf-8") as full:
        ended = command("attacks", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert ended.returncode == 2 and "standard output cannot be written" in ended.stderr


def shown(arguments, columns, **more):
    """What a terminal of so many columns gets."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    child = subprocess.Popen([*COMMAND, *arguments], stdout=theirs, stderr=theirs, env=environment | more)
    os.close(theirs)
    text = b""
    while True:
        try:
            some = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not some:
            break
        text += some
    os.close(ours)
    return text.decode(), child.wait()


def test_terminals_have_colours_and_their_width(scores):
    arguments = ["audit", str(scores / "leak.csv"), "--kind", "scores"]
    wide, code = shown(arguments, 120)
    narrow, _ = shown(arguments, 60)
    assert code == 1 and "\x1b[" in wide and "FAIL" in wide
    assert len(narrow.splitlines()) > len(wide.splitlines())
    plain, _ = shown([*arguments, "--quiet"], 120, NO_COLOR="1")
    assert "\x1b[3" not in plain and "FAIL" in plain


@pytest.fixture
def training(tmp_path):
    """A run of programs: the first two models are quick, the others wait until a file is there."""
    (tmp_path / "train.py").write_text(
        "import json, os, sys, time\n"
        "import numpy as np\n"
        "job = json.load(open(sys.argv[1]))\n"
        "while job['model'] > 1 and not os.path.exists('go'):\n"
        "    time.sleep(0.02)\n"
        "rng = np.random.default_rng(job['model'])\n"
        "np.save(job['output'], rng.normal(size=job['records']).astype('float32'))\n"
    )
    (tmp_path / "guestlist.toml").write_text(
        'kind = "classifier"\n[data]\nrecords = 200\n[models]\nshadows = 4\n'
        f"[command]\nrun = [{json.dumps(sys.executable)}, \"train.py\", \"{{job}}\"]\noutput = \"phi\"\n"
    )
    return tmp_path


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_exits_with_130_and_goes_on(training, stop):
    started = [*COMMAND, "run", "--json", "--workers", "1"]
    child = subprocess.Popen(started, cwd=training, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    done = 0
    for line in child.stdout:
        event = json.loads(line)
        done += event["event"] == "model" and event.get("state") == "done"
        if done == 2:
            break
    assert done == 2, child.stderr.read()
    child.send_signal(stop)
    rest, complaints = child.communicate(timeout=PATIENCE)
    assert child.returncode == 130, complaints
    assert json.loads(rest.splitlines()[-1])["exit_code"] == 130 and "Traceback" not in complaints
    (training / "go").touch()
    before = {path: path.stat().st_mtime_ns for path in training.glob("guestlist-run/models/*/*")}
    again = command("run", "--quiet", cwd=training)
    assert again.returncode in (0, 1, 3), again.stderr
    assert before and all(path.stat().st_mtime_ns == time for path, time in before.items())


def test_what_starts_it_again_is_the_command_and_not_python(tmp_path, monkeypatch):
    from guestlist._program import program

    script = tmp_path / "guestlist"
    script.write_text("#!/bin/sh\n")
    monkeypatch.setattr(sys, "argv", [str(script)])
    assert program() != str(script), "it cannot be started"
    script.chmod(0o755)
    assert program() == str(script)
    monkeypatch.setattr(sys, "argv", ["/somewhere/guestlist/__main__.py"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Path(program()).name == "guestlist"
