"""The example notebook, executed as it is."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[3] / "examples/notebook/audit_pytorch.ipynb"


def test_the_example_notebook_runs_and_shows_its_report(tmp_path):
    for package in ("torch", "sklearn", "ipykernel"):
        pytest.importorskip(package)
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are left out of git"
    nbclient.NotebookClient(
        notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pages = [output.data["text/html"] for output in shown if "text/html" in output.get("data", {})]
    assert any(page.startswith("<iframe") for page in pages)
    assert (tmp_path / "signals.npz").exists() and (tmp_path / "report.html").exists()
