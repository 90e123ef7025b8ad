"""What is known of model families: jurors that share one, and rows that a juror's own family wrote."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet, Value
from django.db.models.functions import Lower, Replace

from judging.domain.families import family_key, own_family_words, shared_family_words
from judging.models import JudgeVersion
from labeling.models import Candidate, Submission


@dataclass(frozen=True, slots=True)
class Written:
    """How many of the `rows` each model family, by its key, wrote."""

    by_family: Mapping[str, int]
    rows: int


def panel_warnings(jurors: Sequence[JudgeVersion]) -> list[str]:
    """What to know about these jurors as one panel, in sentences."""
    return shared_family_words((juror.judge.slug, juror.family) for juror in jurors)


def written(candidates: QuerySet[Candidate]) -> Written:
    """Who wrote the candidates, as far as their submissions say."""
    known = _with_key(Submission.objects.filter(candidate__in=candidates)).values_list("key")
    by_family = _summed(known.annotate(rows=Count("candidate", distinct=True)))
    return Written(by_family, candidates.count() if by_family else 0)


def written_in_sets(criteria_set_ids: Collection[int]) -> dict[int, Written]:
    """The same of all rows of criteria sets, by set; a set whose generators are unknown is left out."""
    known = _with_key(Submission.objects.filter(candidate__criteria_set__in=criteria_set_ids))
    grouped = known.values_list("candidate__criteria_set", "key")
    found: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for pk, key, rows in grouped.annotate(rows=Count("candidate", distinct=True)):
        found[pk].append((key, rows))
    rows_of = Candidate.objects.filter(criteria_set__in=found).for_people().order_by()
    totals = rows_of.values_list("criteria_set").annotate(rows=Count("pk"))
    return {pk: Written(_summed(found[pk]), rows) for pk, rows in totals}


def own_family_warnings(jurors: Sequence[JudgeVersion], rows: Written) -> list[str]:
    """A sentence for each juror whose own family wrote some of the rows."""
    own = [(juror, rows.by_family.get(family_key(juror.family), 0)) for juror in jurors]
    return [own_family_words(juror.judge.slug, count, rows.rows) for juror, count in own if count]


def _with_key(submissions: QuerySet[Submission]) -> QuerySet[Any]:
    """Those with a known family, by its key: grouped in SQL, so that few rows come of any number."""
    unspaced = Replace("generator_family", Value(" "), Value(""))
    return submissions.order_by().exclude(generator_family="").annotate(key=Lower(unspaced))


def _summed(known: Iterable[tuple[str, int]]) -> dict[str, int]:
    """By `family_key`, which knows more of letters than the database does."""
    found: dict[str, int] = defaultdict(int)
    for key, rows in known:
        found[family_key(key)] += rows
    return found
