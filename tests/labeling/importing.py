"""Importing rows in tests: from plain dicts, in one call."""

import io
import json
from typing import Any

from labeling.models import Candidate, CriteriaSet
from labeling.services.exports import export_golden
from labeling.services.imports import Report, import_golden
from tests.factories import live

type Fields = dict[str, Any]


def import_rows(slug: str, *rows: Fields, **options: Any) -> Report:
    """Import the rows, one on each line of `rows.jsonl`, into the criteria set `slug`."""
    content = "\n".join(map(json.dumps, rows)).encode()
    return import_golden(stream=io.BytesIO(content), file_name="rows.jsonl", slug=slug, **options)


def said(output: str, human: Any = None, **more: Any) -> Fields:
    """A row of either form."""
    return {"candidate": output} | ({} if human is None else {"human": human}) | more


def by(annotator: str, verdict: str, **more: Any) -> Fields:
    """One entry of a jsonl row's `human`."""
    return {"annotator": annotator, "verdict": verdict} | more


def counted(report: Report) -> dict[str, int]:
    """The counts that are not zero."""
    return {name: number for name, number in report.counts.items() if number}


def truths(criteria_set: CriteriaSet) -> dict[str, str | None]:
    """Truth of every candidate under the live version, by output."""
    rows = Candidate.objects.filter(criteria_set=criteria_set).with_truth(live(criteria_set))
    return {row.output: row.truth for row in rows}


def export_text(criteria_set: CriteriaSet, format: str = "jsonl") -> str:
    """The whole export of the live version."""
    lines: list[str] = []
    export_golden(version=live(criteria_set), format=format, write=lines.append)
    return "".join(lines)
