"""`schema_violation`: the criteria demand JSON and the whole output is none."""

import re

from judging.domain.precheck.case import Case
from judging.domain.precheck.fences import fenced_parts, without_reasoning
from judging.domain.precheck.json_demand import Demand, json_demand
from judging.domain.precheck.reading import read
from judging.domain.precheck.strict_json import starts_document
from judging.domain.precheck.verdict import Kill

UNIQUE_NAMES_DEMANDED = re.compile(r"\bstrict(?:ly)?\b|\b(?:unique|duplicated?|repeated)\b", re.IGNORECASE)


def schema_violation(case: Case) -> Kill | None:
    """Kill what is not JSON where JSON is due; a fence or closed reasoning around it is let through."""
    if not case.text or (demand := json_demand(case)) is None:
        return None
    if case.reading.trouble is not None:
        return (
            None
            if _holds_json(case, demand)
            else Kill(f"JSON is demanded and the output is none: {case.reading.trouble}")
        )
    return _repeated_name(case)


def _repeated_name(case: Case) -> Kill | None:
    """RFC 8259 only advises unique names, so repeating one breaks nothing but a demand for strict JSON."""
    document = case.reading.document
    if document is None or document.repeated_name is None or not UNIQUE_NAMES_DEMANDED.search(case.criteria):
        return None
    return Kill(f"strict JSON is demanded and the name {document.repeated_name!r} is repeated in one object")


def _holds_json(case: Case, demand: Demand) -> bool:
    """Whether readers could still take a document out of the text: one fence with prose around it, or, where
    the demand is lax, a document in prose."""
    answer = without_reasoning(case.text)
    parts = fenced_parts(answer)
    if len(parts) == 1 and parts[0].strip().startswith(("{", "[")):
        return read(parts[0]).trouble is None
    return demand is Demand.LAX and _document_in(answer)


def _document_in(text: str) -> bool:
    """Whether a document starts at the first brace or bracket, whatever follows it."""
    return any(starts_document(text, start) for bracket in "{[" if (start := text.find(bracket)) >= 0)
