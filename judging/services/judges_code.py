"""Judges as code: bring the database to what a file says, and say what the database holds."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from django.db import transaction
from django.db.models import QuerySet

from judging.domain.examples import read_stored
from judging.domain.judges import InvalidJudge, ModelEntry, PanelEntry, Price, context_words
from judging.domain.judges_toml import Entry
from judging.domain.prompt import NEWEST
from judging.models import Judge, JudgeVersion
from judging.services.examples import named
from judging.services.families import panel_warnings
from judging.services.following import follow_member
from judging.services.judges import refusals_recorded, write_model, write_panel
from judging.services.plans import price_of
from judging.services.promoting import promote_version
from judging.services.standing import UnknownName, named_version
from labeling.access import AnyUser

type Outcome = Literal["created", "new_version", "unchanged"]


@dataclass(frozen=True, slots=True)
class LoadedJudge:
    """What became of one judge of a file."""

    slug: str
    outcome: Outcome
    version: int
    live_version: int | None
    warnings: list[str]


def load_judges(
    *,
    entries: Sequence[Entry],
    actor: AnyUser | None = None,
    promote: bool = False,
    confirmed: Collection[int] | None = (),
) -> list[LoadedJudge]:
    """Make or update every judge of a file, or none of them; in the file's order.

    A judge's first version is live; a later one is a draft unless `promote`, where `confirmed` is as in
    `promote_version`. A panel pins its members at the versions that the file describes, members outside the
    file at their live ones; a panel outside the file gets a draft with its member's new version.

    Raises `InvalidJudge` with a sentence that names the judge, logged and recorded, and `ClosesGates`.
    """
    with refusals_recorded("a file of judges", actor):
        return _load_all(entries, actor, promote, confirmed)


@transaction.atomic
def _load_all(
    entries: Sequence[Entry], actor: AnyUser | None, promote: bool, confirmed: Collection[int] | None
) -> list[LoadedJudge]:
    loaded: dict[str, LoadedJudge] = {}
    pinned: dict[str, JudgeVersion] = {}
    panels_last = sorted(entries, key=lambda entry: isinstance(entry, PanelEntry))
    for entry in panels_last:
        try:
            loaded[entry.slug], pinned[entry.slug] = _load(entry, pinned, actor)
        except InvalidJudge as refusal:
            raise InvalidJudge(f"judge “{entry.slug}”: {refusal}") from refusal
    for slug, version in pinned.items():
        if loaded[slug].outcome == "new_version" and version.kind == JudgeVersion.Kind.MODEL:
            follow_member(version=version, actor=actor, besides=frozenset(pinned))
    if promote:
        return [_promoted(loaded[entry.slug], pinned[entry.slug], actor, confirmed) for entry in entries]
    return [loaded[entry.slug] for entry in entries]


def _load(
    entry: Entry, pinned: dict[str, JudgeVersion], actor: AnyUser | None
) -> tuple[LoadedJudge, JudgeVersion]:
    before = JudgeVersion.objects.filter(judge__slug=entry.slug).count()
    if isinstance(entry, PanelEntry):
        members = [_member(name, pinned) for name in entry.members]
        version = write_panel(entry.slug, members, entry.on_split, actor)
    else:
        version = write_model(entry, actor, keep_examples=True)
    outcome: Outcome = "created" if not before else "unchanged" if version.number <= before else "new_version"
    live = version.judge.live_version
    warnings = panel_warnings(version.jurors())
    warnings += context_words(version.family, version.base_url_env, version.params)
    return LoadedJudge(entry.slug, outcome, version.number, live.number if live else None, warnings), version


def _promoted(
    loaded: LoadedJudge, version: JudgeVersion, actor: AnyUser | None, confirmed: Collection[int] | None
) -> LoadedJudge:
    promote_version(version=version, actor=actor, confirmed=confirmed)
    return replace(loaded, live_version=version.number)


def _member(name: str, pinned: dict[str, JudgeVersion]) -> JudgeVersion:
    """The version that a panel's member means: the named one, the file's, or the live one."""
    try:
        slug, number = named_version(name)
    except UnknownName as problem:
        raise InvalidJudge(str(problem)) from None
    if number is None and slug in pinned:
        return pinned[slug]
    judge = Judge.objects.select_related("live_version__judge").filter(slug=slug).first()
    if judge is None:
        raise InvalidJudge(f"its member “{slug}” is no judge. Add it to the file, or correct the name.")
    found = judge.live_version if number is None else judge.versions.filter(number=number).first()
    if found is None:
        raise InvalidJudge(f"its member “{name}” does not exist: “{slug}” has no such version.")
    return found


def export_judges(judges: QuerySet[Judge]) -> list[Entry]:
    """The judges as file entries, each at its newest version: what loading compares a file with."""
    return [_exported(judge) for judge in judges]


def _exported(judge: Judge) -> Entry:
    newest = judge.versions.order_by("-number")[0]
    if newest.kind == JudgeVersion.Kind.PANEL:
        seats = newest.seats.select_related("juror__judge").order_by("position")
        return PanelEntry(judge.slug, tuple(_member_name(seat.juror) for seat in seats), newest.on_split)
    return ModelEntry(
        slug=judge.slug,
        model=newest.model,
        family=newest.family,
        base_url_env=newest.base_url_env,
        api_key_env=newest.api_key_env,
        params=newest.params,
        price=_price(newest),
        template="" if newest.template == NEWEST else newest.template,
        examples=named(read_stored(newest.examples)),
    )


def _member_name(juror: JudgeVersion) -> str:
    """The slug, which stands for the newest version in an export; with its number where another is pinned."""
    newer = JudgeVersion.objects.filter(judge=juror.judge_id, number__gt=juror.number).exists()
    return f"{juror.judge.slug}@{juror.number}" if newer else juror.judge.slug


def _price(version: JudgeVersion) -> Price | None:
    price: tuple[Decimal, Decimal] | None = price_of(version)
    return None if price is None else Price(*price)
