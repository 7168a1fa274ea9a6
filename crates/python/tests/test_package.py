"""Types and documentation of the package itself."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import guestlist

FOLDER = Path(guestlist.__file__).parent
SETTINGS = Path(__file__).with_name("mypy.ini")


def modules():
    found = pkgutil.walk_packages([str(FOLDER)], "guestlist.")
    return ["guestlist", *(module.name for module in found)]


@pytest.mark.parametrize("name", modules())
def test_examples_in_documentation_are_true(name):
    if name == "guestlist.collect._callback":
        pytest.importorskip("transformers")
    if name.startswith("guestlist.torch"):
        pytest.importorskip("torch")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_everything_public_is_documented():
    for name in guestlist.__all__:
        if name != "__version__":
            assert getattr(guestlist, name).__doc__, name


def test_everything_public_can_be_had_without_pytorch():
    code = "import sys; sys.modules['torch'] = None; from guestlist import *; audit, load"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def checked(*arguments):
    ended = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_types_are_complete_and_hold(tmp_path):
    pytest.importorskip("mypy")
    how = ["--strict", f"--config-file={SETTINGS}", f"--cache-dir={tmp_path}"]
    checked("mypy", *how, str(FOLDER))


def test_stubs_say_what_the_extension_has():
    pytest.importorskip("mypy")
    how = ["--ignore-missing-stub", f"--mypy-config-file={SETTINGS}"]
    checked("mypy.stubtest", "guestlist._guestlist", *how)
