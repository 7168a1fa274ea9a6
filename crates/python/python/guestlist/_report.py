"""What an audit found, in every form."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _guestlist
from ._errors import about_files, no_truth
from ._files import whole_file

if TYPE_CHECKING:
    import pandas
    import pyarrow

LARGEST_PAGE = 2_000_000
"""A page with more characters than this would weigh a notebook down; a summary stands in."""

FRAME_HEIGHT = 640


class Report:
    """An audit's verdict, measures and scores.

    >>> import numpy as np, guestlist
    >>> keep = guestlist.shadow_splits(records=200, models=9)
    >>> phi = np.random.default_rng(0).normal(size=keep.shape)
    >>> report = guestlist.audit(phi, keep, attacks="lira")
    >>> report.outcome
    'pass'
    >>> sorted(report.attacks["lira"]["auc"])[:3]
    ['confidence', 'high', 'low']
    """

    def __init__(
        self,
        audit: _guestlist.Audit,
        files: Iterable[str | os.PathLike[str]] = (),
        read_from: str | os.PathLike[str] | None = None,
    ) -> None:
        self._audit = audit
        self._files = [Path(file) for file in files]
        self._read_from = None if read_from is None else Path(read_from)

    @property
    def files(self) -> list[Path]:
        """What :func:`guestlist.run` wrote; nothing for audits that write nothing by themselves."""
        return list(self._files)

    @cached_property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    @property
    def outcome(self) -> str:
        """``"pass"``, ``"fail"`` or ``"inconclusive"``."""
        return str(self._document["verdict"]["outcome"])

    @property
    def verdict(self) -> dict[str, Any]:
        """The outcome with the reasons that decided it."""
        return dict(self._document["verdict"])

    @property
    def attacks(self) -> dict[str, dict[str, Any]]:
        """The measures of every attack by its id: ``auc``, ``tpr_at_fpr``, ``log_mia``, …"""
        return {attack["id"]: attack for attack in self._document["attacks"]}

    @property
    def guardrails(self) -> list[dict[str, Any]]:
        """What was looked at to see whether the audit means anything."""
        return list(self._document["guardrails"])

    def to_dict(self) -> dict[str, Any]:
        """Everything in ``report.json``."""
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    def to_json(self) -> str:
        """``report.json`` as the command line writes it."""
        return self._audit.render("json", 0)

    def to_markdown(self) -> str:
        """For a pull request or a wiki."""
        return self._audit.render("markdown", 0)

    def to_junit(self) -> str:
        """``junit.xml``, for continuous integration."""
        return self._audit.render("junit", 0)

    def to_sarif(self) -> str:
        """``results.sarif``, for code scanning."""
        return self._audit.render("sarif", 0)

    def to_annex(self, *, html: bool = False) -> str:
        """What a data protection officer or an assessor needs, as Markdown or as a page set for A4."""
        return self._audit.render("annex-html" if html else "annex", 0)

    def to_model_card(self) -> str:
        """A section of a Hugging Face model card, with the metadata of its evaluation results."""
        return self._audit.render("model-card", 0)

    def to_cyclonedx(self) -> str:
        """A CycloneDX bill of materials with the audited model in it, as JSON."""
        return self._audit.render("cyclonedx", 0)

    def to_text(self, width: int = 80, *, verbose: bool = False) -> str:
        """As the command line prints it: one screen, or everything."""
        return self._audit.render("verbose" if verbose else "terminal", width)

    def to_html(self) -> str:
        """The whole page: one file that needs no network."""
        return self._audit.render("html", 0)

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page; what was there is replaced in one step."""
        path = Path(path)
        page = self.to_html()
        with whole_file(path) as name:
            name.write_text(page, encoding="utf-8")
        return path

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        junit: bool = False,
        markdown: bool = False,
        sarif: bool = False,
        figures: bool = False,
    ) -> list[Path]:
        """Writes what ``guestlist audit --out`` writes, all files or none, and names them."""
        with about_files("cannot be written"):
            written = self._audit.save(os.fspath(folder), junit, markdown, sarif, figures)
        return [Path(file) for file in written]

    def save_figures(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes the figures for papers, ``figures/*.svg`` and ``*.png``, and names them."""
        with about_files("cannot be made"):
            return [Path(file) for file in self._audit.save_figures(os.fspath(folder))]

    def log_to(
        self,
        tracker: str,
        *,
        folder: str | os.PathLike[str] | None = None,
        step: int | None = None,
        name: str = "guestlist",
    ) -> None:
        """Logs measures, verdict and report to ``"mlflow"``, ``"wandb"`` or ``"tensorboard"``.

        The run that is active gets them; where there is none, one is begun and ended. ``folder`` is TensorBoard's, by
        default ``runs/guestlist``. Metrics are named ``{name}/{attack}/auc`` and so on; ``{name}/auc`` is the largest, and
        ``{name}/exit_code`` what the command line would exit with: 0 pass, 1 fail, 3 inconclusive. Files are
        ``report.html``, ``report.json`` and ``report.md`` without ids, texts or who was a member, even of a report that
        shows them, and without the folders that inputs lie in; TensorBoard's are in the folder ``{name}-report``.
        """
        from ._trackers import log

        log(self, tracker, folder=folder, step=step, name=name)

    @property
    def scores(self) -> pyarrow.Table:
        """One row per record: ``id``, ``member``, and a column per attack, null where it abstained.

        The columns of scores are the audit's own memory, not copies. A report that was read back with
        :func:`guestlist.load` has none: its ``scores.parquet`` lies beside it.
        """
        try:
            import pyarrow
        except ImportError as error:
            message = "scores are a table of PyArrow, which is not installed; pip install pyarrow"
            raise ImportError(message) from error
        return pyarrow.table(self)

    def scores_dataframe(self) -> pandas.DataFrame:
        """The scores as a data frame of pandas."""
        return self.scores.to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The scores for any library that reads Arrow, such as ``polars.DataFrame(report)``."""
        return self._audit.__arrow_c_stream__(requested_schema)

    def __bool__(self) -> bool:
        no_truth("a report", 'report.outcome == "pass"')

    def __repr__(self) -> str:
        lines = [f"guestlist.Report: {self.outcome.upper()}"]
        lines += [f"  {reason}" for reason in self._document["verdict"]["reasons"]]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The page in a frame of its own: its styles and scripts cannot reach the notebook."""
        page = self.to_html()
        if len(page) > LARGEST_PAGE:
            return self._summary()
        return (
            f'<iframe title="guestlist: {html.escape(self.outcome)}" sandbox="allow-scripts" '
            f'style="width:100%;height:{FRAME_HEIGHT}px;border:0" '
            f'srcdoc="{html.escape(page, quote=True)}"></iframe>'
        )

    def _summary(self) -> str:
        reasons = "".join(f"<li>{html.escape(str(r))}</li>" for r in self.verdict["reasons"])
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{measures['auc']['value']:.3f}</td>"
            f"<td>{measures['auc']['low']:.3f} to {measures['auc']['high']:.3f}</td></tr>"
            for name, measures in self.attacks.items()
        )
        return (
            f"<p><b>guestlist: {html.escape(self.outcome)}</b></p><ul>{reasons}</ul>"
            f"<table><tr><th>attack</th><th>AUC</th><th>interval</th></tr>{rows}</table>"
            "<p>The page is large: write it with <code>report.save_html(path)</code>.</p>"
        )
