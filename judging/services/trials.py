"""Trials of a judge as a lead asks for them: which rows may be tried, a new one, and how many are kept."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Substr

from judging.models import JudgeVersion, Trial
from judging.services.examples import own_examples, without_examples
from labeling.domain.content import content_hash
from labeling.domain.criteria import InvalidCriteria, check_criteria
from labeling.models import Candidate, CriteriaVersion, Exposure, Label, Ruling
from labeling.services.audit import record
from labeling.services.criteria import spec_of
from labeling.services.exposures import record_exposure

KEPT = 20  # the newest trials of each judge; older ones are deleted
_OFFERED = 25  # rows of each kind
_EXCERPT = 90  # characters
_TEXTS = ("request", "output", "grounding", "criteria_text")


class CannotTry(ValueError):
    """This cannot be tried; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A row to choose, by the beginning of its output."""

    pk: int
    excerpt: str
    tune: bool


def offered_rows(version: CriteriaVersion, judge_version: JudgeVersion) -> list[Offer]:
    """Tune rows, then rows that nobody has labelled: trying these harms no certificate.

    Without the judge's own examples: what it says of those it was told.
    """
    every = Candidate.objects.filter(criteria_set=version.criteria_set_id)
    rows = without_examples(every, judge_version, version)
    tune = _excerpts(rows.filter(split="tune"))
    new = _excerpts(_new(rows.filter(split="certify")))
    return [Offer(pk, text, True) for pk, text in tune] + [Offer(pk, text, False) for pk, text in new]


def _excerpts(rows: QuerySet[Candidate]) -> list[tuple[int, str]]:
    found = rows.order_by("pk").annotate(beginning=Substr("output", 1, _EXCERPT))
    return [(pk, " ".join(text.split())) for pk, text in found.values_list("pk", F("beginning"))[:_OFFERED]]


@transaction.atomic
def start_trial(
    *,
    judge_version: JudgeVersion,
    criteria_version: CriteriaVersion,
    row: int | None = None,
    texts: Mapping[str, str] | None = None,
    actor: User,
) -> Trial:
    """A trial on a row, or on texts of one's own: request, output, grounding, criteria_text.

    Trying a row shows the judge's verdict on it, so that is logged as for any opened verdict. The caller
    wakes a worker, on commit, with `judging.tasks.send_trial`. Raises `CannotTry`.
    """
    _check_judgeable(judge_version, criteria_version)
    candidate = _row(criteria_version, row, texts or {})
    _check_no_example(judge_version, criteria_version, candidate)
    trial = Trial.objects.create(
        judge_version=judge_version,
        criteria_version=criteria_version,
        candidate=candidate,
        texts={} if candidate else dict(texts or {}),
        asked_by=actor,
    )
    log_reader(trial, actor)
    record(
        actor=actor,
        action="judge_tried",
        subject=str(judge_version),
        criteria_set=criteria_version.criteria_set,
        candidate=candidate.pk if candidate else None,
    )
    _forget_old(judge_version)
    return trial


def log_reader(trial: Trial, reader: User) -> None:
    """Note that `reader` is shown a judge's verdict on the trial's row, where it is one."""
    if trial.candidate_id is not None:
        record_exposure(
            user=reader,
            version=trial.criteria_version,
            candidate_ids=[trial.candidate_id],
            what=Exposure.What.VERDICTS,
        )


def _check_judgeable(judge_version: JudgeVersion, criteria_version: CriteriaVersion) -> None:
    if not judge_version.jurors():
        raise CannotTry(f"The panel {judge_version} has no jurors. Add some, as a new version.")
    try:
        check_criteria(spec_of(criteria_version))
    except InvalidCriteria as invalid:
        raise CannotTry(f"{criteria_version} cannot be judged by: {invalid}") from None


def _row(version: CriteriaVersion, row: int | None, texts: Mapping[str, str]) -> Candidate | None:
    """The row to try; None for texts that are no row's."""
    rows = Candidate.objects.filter(criteria_set=version.criteria_set_id)
    if row is None:
        candidate = rows.filter(content_hash__in=_hashes(texts)).first()
    else:
        candidate = rows.filter(pk=row).first()
        if candidate is None:
            raise CannotTry(f"There is no row {row} in this criteria set.")
    if candidate and candidate.split == Candidate.Split.CERTIFY and not _is_new(candidate):
        raise CannotTry(
            f"Row {candidate.pk} is labelled and certifies judges, so no judge is tried on it: who tunes a "
            "judge by the rows that certify it measures nothing any more. Take a tune row, one that nobody "
            "has labelled, or a text of your own."
        )
    return candidate


def _check_no_example(
    judge_version: JudgeVersion, version: CriteriaVersion, candidate: Candidate | None
) -> None:
    if candidate and candidate.content_hash in own_examples(judge_version, version.criteria_set):
        raise CannotTry(
            f"Row {candidate.pk} is an example in this judge's prompt: it was told what people say of it, so "
            "its answer would show nothing. Take another row."
        )


def _hashes(texts: Mapping[str, str]) -> list[str]:
    """The contents that these texts may be: what is pasted into a form comes with other ends of lines."""
    plain = [texts.get(name, "").replace("\r\n", "\n") for name in _TEXTS]
    typed = [texts.get(name, "") for name in _TEXTS]
    return [content_hash(*spelled) for spelled in (typed, plain, [t.replace("\n", "\r\n") for t in plain])]


def _new(rows: QuerySet[Candidate]) -> QuerySet[Candidate]:
    """Those that nobody has labelled or ruled on, under any version: under an earlier one than is tried by,
    they may well certify.
    """
    own = {"candidate": OuterRef("pk")}
    labels, rulings = Label.objects.current(), Ruling.objects.current()
    return rows.filter(~Exists(labels.filter(**own)), ~Exists(rulings.filter(**own)))


def _is_new(candidate: Candidate) -> bool:
    return _new(Candidate.objects.filter(pk=candidate.pk)).exists()


def _forget_old(judge_version: JudgeVersion) -> None:
    newest = Trial.objects.filter(judge_version__judge=judge_version.judge_id).order_by("-pk")
    Trial.objects.filter(pk__in=list(newest.values_list("pk", flat=True)[KEPT:])).delete()
