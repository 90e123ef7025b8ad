"""Which column of a foreign file is which field of a row: what may be chosen, what is likely, how it looks.

A mapping is `{the file's column: Vera's field}`. `KEEP` keeps a column beside the row, as every column is
kept that the mapping leaves out and whose own name is no field's; `IGNORE` leaves it behind.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from labeling.domain.content import text_problem
from labeling.formats.delimited import listed
from labeling.formats.rows import FileProblem
from labeling.formats.strict_json import quote

KEEP, IGNORE = "", "ignore"
MARK = "mark:"  # and the name of a criterion: the column holds the marks on it

# The fields that a column may be mapped to, and how a page calls them.
FIELDS = {
    KEEP: "keep beside the row",
    "candidate": "candidate: the text to judge",
    "request": "request: what was asked for",
    "grounding": "grounding: what the text may lean on",
    "criteria_text": "criteria of this row alone",
    "human": "a person's verdict",
    "note": "a person's comment",
    "annotator": "whose verdict it is",
    "blind": "whether that person had seen no other verdict",
    "scores": "a person's marks, as JSON",
    "id": "id of the row",
    "split": "split: tune or certify",
    "probability": "probability of having been drawn",
    "generator_model": "model that wrote the text",
    "generator_family": "family of that model",
    "truncated": "whether the text was cut off",
    IGNORE: "leave out",
}
_KEEPING = ("meta", "meta:keep", "keep")  # other spellings of KEEP
_OWN_NAMES = {name: name for name in FIELDS if name not in (KEEP, IGNORE)} | {
    "verdict": "human",
    "comment": "note",
}

# Names that other tools use, without case, spaces and signs; the first column of a field is suggested.
_COMMON_NAMES = {
    "candidate": "output response answer completion modeloutput modelanswer generation generated prediction"
    " outputtext responsetext assistant reply text",
    "request": "input prompt question query instruction usermessage user task inputtext",
    "grounding": "context contexts documents document passage passages reference references source"
    " sourcedocuments retrievedcontexts expectedoutput groundtruth referenceanswer evidence transcript",
    "criteria_text": "criteria criterion rubric guideline requirement",
    "human": "verdict label score rating grade judgement judgment humanlabel correct passed pass quality",
    "note": "comment comments feedback reason explanation rationale remark notes critique",
    "annotator": "labeler rater reviewer annotatorid labelledby labeledby completedby author authorusername",
    "id": "rowid itemid exampleid sampleid traceid uuid externalid",
    "split": "subset fold",
    "probability": "samplingprobability weight",
    "generator_model": "model modelname generator llm",
    "generator_family": "family provider vendor",
    "truncated": "iscutoff cutoff istruncated",
}
_SUGGESTED = {name: field for field, names in _COMMON_NAMES.items() for name in names.split()}


def suggested(columns: Iterable[str]) -> dict[str, str]:
    """A likely field for every column by its name alone, KEEP where none is; no field is suggested twice."""
    names = list(columns)
    chosen = {name: _OWN_NAMES[name] for name in names if name in _OWN_NAMES and name != "verdict"}
    taken = set(chosen.values())
    for name in names:
        plain = re.sub(r"[\W_]", "", name.lower())
        field = _OWN_NAMES.get(plain) or _SUGGESTED.get(plain, KEEP)
        if name not in chosen:
            chosen[name] = KEEP if field in taken else field
            taken.add(chosen[name])
    return {name: chosen[name] for name in names}


def fields_of(columns: Sequence[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """The field of each column: the mapping's, else that of its own name where no other column has it.

    Raises FileProblem where the mapping names no column of the file or no field, or a field twice, and where
    no column is the candidate.
    """
    known = set(columns)
    if missing := next((name for name in mapping if name not in known), None):
        raise FileProblem(f"The file has no column {quote(missing)}. Its columns are {listed(columns)}.")
    fields = resolve(columns, mapping)
    if "candidate" not in fields.values():
        raise FileProblem(no_candidate(columns))
    return fields


def resolve(columns: Iterable[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """As `fields_of`, of columns that need not be all that the file has."""
    taken = set(mapping.values())
    fields: dict[str, str] = {}
    for name in columns:
        own = _OWN_NAMES.get(name, KEEP)
        fields[name] = mapping.get(name, KEEP if own in taken else own)
    _check_once(fields)
    return fields


def check_mapping(mapping: Mapping[str, str]) -> dict[str, str]:
    """The mapping in its one spelling. Raises FileProblem where a field is unknown or chosen twice."""
    checked = {column: KEEP if field in _KEEPING else field for column, field in mapping.items()}
    for column, field in checked.items():
        if problem := text_problem(column):
            raise FileProblem(f"The name of the column {quote(column)} cannot be kept. {problem}")
        if field not in FIELDS and not field.startswith(MARK):
            raise FileProblem(f"{quote(field)} is no field. Choose one of {', '.join(filter(None, FIELDS))}.")
    _check_once(checked)
    return checked


def _check_once(fields: Mapping[str, str]) -> None:
    by_field: dict[str, str] = {}
    for column, field in fields.items():
        other = by_field.setdefault(field, column)
        if field not in (KEEP, IGNORE) and other != column:
            raise FileProblem(
                f"The columns {quote(other)} and {quote(column)} would both be the field {field}. Map one of "
                f"them to another field, or to {IGNORE}."
            )


def no_candidate(columns: Sequence[str]) -> str:
    """What to do where no column is the candidate."""
    likely = next((name for name, field in suggested(columns).items() if field == "candidate"), "")
    example = likely or (columns[0] if columns else "output")
    return (
        f"No column of the file is called “candidate”, the text to judge. Its columns are {listed(columns)}. "
        f"Say which of them it is: map a column to the field, as in --map candidate={example}."
    )
