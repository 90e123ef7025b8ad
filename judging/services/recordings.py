"""Recorded judges: verdicts given elsewhere, brought in from a file as versions of a judge."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import batched
from typing import Any, BinaryIO, Literal

from django.contrib.auth.models import User
from django.db import transaction

from judging.domain.fingerprint import judge_fingerprint
from judging.domain.judges import InvalidJudge
from judging.domain.recordings import LONGEST_SLUG, check_family, names_in_words, recording_identity, slug_for
from judging.domain.verdicts import Outcome
from judging.models import Judge, JudgeVersion, RecordedVerdict, Recording
from judging.services.judges import newest_or_added, refusals_recorded
from judging.services.promoting import promote_version
from judging.services.recorded_files import UNNAMED, VerdictRow, read_verdicts
from judging.services.recorded_intake import Gathered, Intake
from labeling.access import AnyUser
from labeling.formats.rows import FileProblem, Refused
from labeling.models import CriteriaSet
from labeling.services.audit import record
from labeling.services.imports import ImportProblem, shown_name
from labeling.services.imports.report import MOST_REFUSED
from labeling.services.promotions import ClosesGates, NotPromoted

_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What to take of a file. `name`: of the one judge in the file; `every`: all of them, by their names.

    `judge`: the slug for the one judge; where it is "", the name in the file gives it. `family`: None keeps
    what is known of the judge.
    """

    name: str = ""
    judge: str = ""
    every: bool = False
    family: str | None = None
    promote: bool = False
    keep_good: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class LoadedRecording:
    """What became of one judge of a file. `without`: candidates on which it gave no usable verdict."""

    name: str
    slug: str
    outcome: Literal["created", "new_version", "unchanged"]
    version: int
    live_version: int | None
    passes: int
    fails: int
    without: int


@dataclass
class RecordingReport:
    """The outcome of one file. `kept` is false for a check only, and where refused rows held it back."""

    file_name: str
    criteria: str
    dry_run: bool
    keep_good: bool
    kept: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    refused: list[Refused] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    judges: list[LoadedRecording] = field(default_factory=list)

    def refuse(self, refused: Refused) -> None:
        """Take down a refused row. Raises ImportProblem where there are too many to be worth naming."""
        self.refused.append(refused)
        if len(self.refused) >= MOST_REFUSED:
            raise ImportProblem(
                f"More than {MOST_REFUSED} rows are refused, the last because: {refused.reason} "
                "Nothing was kept."
            )

    @property
    def acceptable(self) -> bool:
        """Whether what was read may be kept: no row is refused, or the good ones shall be kept."""
        return bool(self.judges) and (self.keep_good or not self.refused)

    @property
    def headline(self) -> str:
        """The outcome in one sentence."""
        if not self.acceptable:
            return (
                f"Nothing of {self.file_name} was kept: it has refused rows. Correct them and load it again."
            )
        if self.dry_run:
            return f"{self.file_name} can be loaded for {self.criteria}. This was a check: nothing was kept."
        return f"Loaded {self.file_name} for {self.criteria}."

    def as_json(self) -> dict[str, Any]:
        """The whole report, for `--json`."""
        return {
            "file": self.file_name,
            "criteria": self.criteria,
            "dry_run": self.dry_run,
            "kept": self.kept,
            "rows": self.counts["rows"],
            "judges": [
                {name: getattr(each, name) for name in LoadedRecording.__dataclass_fields__}
                for each in self.judges
            ],
            "refused": [refused.as_json() for refused in self.refused],
            "notes": self.notes,
        }


def load_recordings(
    *, stream: BinaryIO, file_name: str, criteria_set: str, order: Order, actor: AnyUser | None = None
) -> RecordingReport:
    """Bring verdicts of a seekable file in, as versions of recorded judges of the criteria set (a slug).

    Each row's candidate must be in the set already. A file with a refused row is not kept at all unless
    `keep_good`; `dry_run` reports and keeps nothing. A judge's first version is live, a later one is a draft
    unless `promote`; where it says nothing new, there is none. Raises `FileProblem`, `ImportProblem` or
    `InvalidJudge` with a sentence; then nothing is kept.
    """
    check_family(order.family or "")
    report = RecordingReport(shown_name(file_name), criteria_set, order.dry_run, order.keep_good)
    with refusals_recorded(f"a file of verdicts, {report.file_name}"[:200], actor), transaction.atomic():
        target = _target(criteria_set)
        intake = Intake(target, order.name, order.every, report.refuse)
        for rows in batched(_rows(stream, report), _AT_ONCE):
            intake.take(rows)
        report.refused.sort(key=lambda refused: (refused.line, refused.element or 0))
        heard = [] if report.refused and intake.misses else intake.gathered()
        sha256 = _sha256(stream)
        for gathered, slug in zip(heard, _slugs(heard, target, order), strict=True):
            made = Recording(
                criteria_set=target, file_name=report.file_name, sha256=sha256, source=gathered.name
            )
            report.judges.append(_write(gathered, slug, made, order, actor))
            report.notes += gathered.notes
        report.kept = report.acceptable and not order.dry_run
        if not report.kept:
            transaction.set_rollback(True)
    return report


def _target(slug: str) -> CriteriaSet:
    """The set, locked: two loads into it take turns."""
    found = CriteriaSet.objects.select_for_update(no_key=True).filter(slug=slug).first()
    if found is None:
        raise ImportProblem(f"There is no criteria set {slug!r}. Import its rows first, with import_golden.")
    return found


def _rows(stream: BinaryIO, report: RecordingReport) -> Iterator[VerdictRow]:
    for row in read_verdicts(stream):
        report.counts["rows"] += 1
        if isinstance(row, Refused):
            report.refuse(row)
        else:
            yield row


def _sha256(stream: BinaryIO) -> str:
    stream.seek(0)
    return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]


def _slugs(heard: Sequence[Gathered], target: CriteriaSet, order: Order) -> list[str]:
    """The slug of each judge. Raises `FileProblem` where the names in the file give no usable ones."""
    if order.judge and len(heard) > 1:
        raise FileProblem(
            "One short name cannot be given to several judges. Choose one of them, or leave it out."
        )
    slugs = [order.judge or _own_slug(each.name, target) for each in heard]
    taken: dict[str, str] = {}
    for each, slug in zip(heard, slugs, strict=True):
        if (first := taken.setdefault(slug, each.name)) != each.name:
            names = names_in_words([first, each.name])
            raise FileProblem(f"{names} would both be called “{slug}” here. Load them one by one, by name.")
    return slugs


def _own_slug(name: str, target: CriteriaSet) -> str:
    """The name as a slug; with the criteria set's where another kind of judge, or of another set, has it."""
    if name == UNNAMED:
        raise FileProblem("The file does not say whose verdicts these are. Give the judge a short name.")
    slug = slug_for(name)
    newest = _newest(slug)
    if newest is None or (newest.recording is not None and newest.recording.criteria_set_id == target.pk):
        return slug
    return f"{slug[: LONGEST_SLUG // 2]}-{target.slug}"[:LONGEST_SLUG]


def _newest(slug: str) -> JudgeVersion | None:
    versions = JudgeVersion.objects.select_related("recording__criteria_set", "judge__live_version")
    return versions.filter(judge__slug=slug).order_by("-number").first()


def _write(
    gathered: Gathered, slug: str, recording: Recording, order: Order, actor: AnyUser | None
) -> LoadedRecording:
    newest = _newest(slug)
    _check_same_judge(slug, newest, recording)
    recording.family = (order.family if order.family is not None else newest.family if newest else "").strip()
    fingerprint = judge_fingerprint(
        kind=JudgeVersion.Kind.RECORDED,
        family=recording.family,
        recording=recording_identity(recording.criteria_set.slug, gathered.name, gathered.said),
    )
    if newest is not None and newest.fingerprint == fingerprint:
        version = newest
    else:
        version = _add_version(gathered, slug, recording, fingerprint, actor)
    judge = version.judge
    if order.promote:
        judge = _promoted(version, actor)
    live = judge.live_version
    return LoadedRecording(
        name=gathered.name,
        slug=slug,
        outcome="created" if newest is None else "unchanged" if version == newest else "new_version",
        version=version.number,
        live_version=live.number if live else None,
        passes=gathered.count(Outcome.PASS),
        fails=gathered.count(Outcome.FAIL),
        without=gathered.count(Outcome.SKIPPED),
    )


def _promoted(version: JudgeVersion, actor: AnyUser | None) -> Judge:
    """Its judge with `version` live. Raises `InvalidJudge` where that would close an open gate."""
    try:
        return promote_version(version=version, actor=actor)
    except ClosesGates as refusal:
        raise InvalidJudge(f"{refusal} It can be made live on its judge's page.") from refusal
    except NotPromoted as refusal:
        raise InvalidJudge(str(refusal)) from refusal


def _check_same_judge(slug: str, newest: JudgeVersion | None, recording: Recording) -> None:
    """Raise `InvalidJudge` where the judge of this slug holds the verdicts of another one."""
    if newest is None or newest.recording is None:
        return  # another kind of judge is refused with it
    before = newest.recording
    if before.criteria_set_id != recording.criteria_set_id:
        raise InvalidJudge(f"“{slug}” holds verdicts on another criteria set. Give these another short name.")
    if before.source and recording.source and before.source != recording.source:
        raise InvalidJudge(
            f"“{slug}” holds the verdicts of “{before.source}”. Give those of “{recording.source}” another "
            "short name."
        )


def _add_version(
    gathered: Gathered, slug: str, recording: Recording, fingerprint: str, actor: AnyUser | None
) -> JudgeVersion:
    recording.created_by = actor if isinstance(actor, User) else None
    recording.save()
    RecordedVerdict.objects.bulk_create(
        (
            RecordedVerdict(
                recording=recording,
                candidate_id=gathered.candidates[content],
                outcome=said.outcome,
                score=said.score,
                scores=dict(said.scores),
                explanation=said.explanation,
            )
            for content, said in gathered.said.items()
        ),
        batch_size=_AT_ONCE,
    )
    fresh = JudgeVersion(
        kind=JudgeVersion.Kind.RECORDED,
        recording=recording,
        has_recorded=True,
        family=recording.family,
        fingerprint=fingerprint,
    )
    version, _ = newest_or_added(slug, fresh, actor)
    record(
        actor=actor,
        action="recording_loaded",
        subject=str(version),
        criteria_set=recording.criteria_set,
        file=recording.file_name,
        sha256=recording.sha256,
        rows=len(gathered.said),
    )
    return version
