"""What a release publishes: built and tried before, in an order that can be taken up again, by actions that nobody can swap."""

import http.server
import importlib.util
import json
import re
import sys
import threading
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / ".github/workflows"
WORKFLOWS = {path.name: yaml.safe_load(path.read_text()) for path in FOLDER.glob("*.yml")}


def test_actions_are_pinned_to_commits():
    files = [ROOT / "action.yml", *FOLDER.glob("*.yml")]
    used = [line for path in files for line in re.findall(r"uses: (.+)", path.read_text())]
    others = [one for one in used if not one.startswith("./")]
    assert len(others) > 20
    assert [one for one in others if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", one)] == []
    named = {one.split("@")[0]: set() for one in others}
    for one in others:
        named[one.split("@")[0]].add(one)
    assert all(len(pins) == 1 for pins in named.values()), "one version of each"


def before(job):
    """Everything that a job of a release waits for."""
    needs = WORKFLOWS["release.yml"]["jobs"][job].get("needs", [])
    needs = [needs] if isinstance(needs, str) else needs
    return set(needs).union(*(before(one) for one in needs))


def test_nothing_is_published_before_all_of_it_was_built_and_tested():
    jobs = WORKFLOWS["release.yml"]["jobs"]
    assert {"version", "ready", "page"} <= before("publish-crates") < before("publish-wheels") < before("announce")
    assert jobs["ready"]["uses"] == "./.github/workflows/ci.yml"
    checked = WORKFLOWS["ci.yml"]["jobs"]
    assert {"test", "elsewhere"} <= checked.keys() and checked["build"]["uses"] == "./.github/workflows/build.yml"
    built = WORKFLOWS["build.yml"]["jobs"]
    assert built.keys() == {"wheels", "sources", "programs", "crates", "image", "action"}
    for name in ("ci.yml", "build.yml"):
        # PyYAML takes the word for a truth value.
        assert "workflow_call" in WORKFLOWS[name][True]


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """crates.io on loopback, and a cargo that publishes to it: two crates at once, and no more."""
    there = tmp_path / "there"
    there.mkdir()
    packages = [{"name": f"guestlist-{name}", "version": "0.2.0", "publish": None} for name in "abc"]
    packages.append({"name": "guestlist-bench", "version": "0.2.0", "publish": []})
    cargo = tmp_path / "programs/cargo"
    cargo.parent.mkdir()
    cargo.write_text(
        f"#!{sys.executable}\n"
        "import json, pathlib, sys\n"
        f"there = pathlib.Path({str(there)!r})\n"
        "if sys.argv[1] == 'metadata':\n"
        f"    sys.exit(print(json.dumps({{'packages': json.loads({json.dumps(packages)!r})}})))\n"
        "with open(there.parent / 'said', 'a') as said:\n"
        "    print(*sys.argv[1:], file=said)\n"
        "if '--dry-run' in sys.argv:\n"
        "    sys.exit(0)\n"
        "if (there.parent / 'broken').exists():\n"
        "    sys.exit('error: no token found')\n"
        "wanted = [word for word in sys.argv if word.startswith('guestlist-')]\n"
        "for name in wanted[:2]:\n"
        "    (there / name).write_text(json.dumps({'name': name, 'vers': '0.2.0'}))\n"
        "if len(wanted) > 2:\n"
        "    sys.exit('the remote server responded with an error (status 429 Too Many Requests): You have …')\n"
    )
    cargo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{cargo.parent}:/usr/bin:/bin")

    class Index(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            *folders, name = self.path.strip("/").split("/")
            file = there / name
            found = folders == ["gu", "es"] and file.exists()
            self.send_response(200 if found else 404)
            self.end_headers()
            if found:
                self.wfile.write(file.read_bytes())

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    described = importlib.util.spec_from_file_location("publish_crates", ROOT / "scripts/publish_crates.py")
    script = importlib.util.module_from_spec(described)
    described.loader.exec_module(script)
    script.INDEX, script.PAUSE = f"http://127.0.0.1:{server.server_port}", 0
    yield script, tmp_path
    server.shutdown()
    server.server_close()


def test_crates_are_published_until_all_are_there_and_none_twice(registry):
    script, folder = registry
    (folder / "there/guestlist-b").write_text(json.dumps({"name": "guestlist-b", "vers": "0.1.0"}) + "\n")
    assert script.main([]) == 0
    assert (folder / "said").read_text().splitlines() == [
        "publish --locked --no-verify --package guestlist-a --package guestlist-b --package guestlist-c",
        "publish --locked --no-verify --package guestlist-c",
    ]
    assert script.main([]) == 0
    assert len((folder / "said").read_text().splitlines()) == 2, "nothing is left to publish"


def test_crates_that_cannot_be_published_fail_the_job(registry):
    script, folder = registry
    (folder / "broken").touch()
    assert script.main([]) == 1
    assert script.main(["--help"]) == 2


def test_a_dry_run_builds_every_crate_and_asks_nobody(registry):
    script, folder = registry
    script.INDEX = "http://127.0.0.1:9"
    assert script.main(["--dry-run"]) == 0
    (line,) = (folder / "said").read_text().splitlines()
    assert line.startswith("publish --locked --dry-run") and "guestlist-bench" not in line


def test_the_page_on_pypi_shows_its_pictures_and_leads_somewhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    repository = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["repository"]
    assert project["urls"]["Repository"] == repository
    page = (ROOT / project["readme"]).read_text()
    addresses = [*re.findall(r"\]\(([^)]*)\)", page), *project["urls"].values()]
    assert len(addresses) > 10 and "<img" not in page
    raw = repository.replace("github.com", "raw.githubusercontent.com")
    for address in addresses:
        assert address.startswith((repository, f"{raw}/")), f"{address}: nothing lies beside a page of PyPI"
        place = re.fullmatch(rf"(?:{repository}/(?:blob|tree)|{raw})/main/(.*)", address)
        assert place is None or (ROOT / place[1]).exists(), address


def test_the_crates_are_those_of_the_workspace():
    manifests = [tomllib.loads(path.read_text()) for path in ROOT.glob("crates/*/Cargo.toml")]
    published = [one["package"]["name"] for one in manifests if one["package"].get("publish") is not False]
    assert len(published) == 17 and "guestlist-python" not in published
