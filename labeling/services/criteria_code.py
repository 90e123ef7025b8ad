"""Criteria as code: bring the database to what a file says, and say what the database holds."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal, cast

from django.db import transaction
from django.db.models import QuerySet

from labeling.access import AnyUser
from labeling.domain.criteria import InvalidCriteria
from labeling.formats.criteria_toml import SetEntry
from labeling.models import CriteriaSet
from labeling.services.criteria import add_version, create_criteria_set, promote_version, spec_of
from labeling.services.criteria_settings import SetChanges, SetSettings, changed_settings, update_set

type Outcome = Literal["created", "new_version", "unchanged"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of one criteria set of a file. `changed` names the settings that it changed."""

    slug: str
    outcome: Outcome
    version: int
    live_version: int | None
    changed: tuple[str, ...] = ()


@transaction.atomic
def load_criteria(
    *,
    entries: Iterable[SetEntry],
    actor: AnyUser | None = None,
    promote: bool = False,
    confirmed: Collection[int] | None = (),
) -> list[Loaded]:
    """Make or update every criteria set of a file, or none of them.

    A set's first version is live; a later one is a draft unless `promote`, where `confirmed` is as in
    `promote_version`. Settings that the file does not name stay as they are. Raises `InvalidCriteria` with a
    sentence that names the set, and `ClosesGates`.
    """
    loaded = [_load(entry, actor) for entry in entries]
    return [_promoted(each, actor, confirmed) for each in loaded] if promote else loaded


def export_criteria(criteria_sets: QuerySet[CriteriaSet]) -> list[SetEntry]:
    """The sets as file entries, each with its newest version that is not archived.

    That is the one which loading compares a file with.
    """
    return [_entry(criteria_set) for criteria_set in criteria_sets]


def _promoted(loaded: Loaded, actor: AnyUser | None, confirmed: Collection[int] | None) -> Loaded:
    criteria_set = CriteriaSet.objects.get(slug=loaded.slug)
    version = criteria_set.versions.get(number=loaded.version)
    promote_version(criteria_set=criteria_set, version=version, actor=actor, confirmed=confirmed)
    return replace(loaded, live_version=loaded.version)


def _load(entry: SetEntry, actor: AnyUser | None) -> Loaded:
    criteria_set = CriteriaSet.objects.filter(slug=entry.slug).first()
    try:
        if criteria_set is None:
            return _create(entry, actor)
        return _update(criteria_set, entry, actor)
    except InvalidCriteria as error:
        raise InvalidCriteria(f"criteria_set “{entry.slug}”: {error}") from error


def _create(entry: SetEntry, actor: AnyUser | None) -> Loaded:
    create_criteria_set(
        slug=entry.slug,
        name=entry.name,
        description=entry.description,
        spec=entry.spec,
        actor=actor,
        **cast(SetSettings, entry.settings),
    )
    return Loaded(entry.slug, "created", 1, 1)


def _update(criteria_set: CriteriaSet, entry: SetEntry, actor: AnyUser | None) -> Loaded:
    changes = cast(SetChanges, {"name": entry.name, "description": entry.description, **entry.settings})
    changed = tuple(changed_settings(criteria_set, changes))
    update_set(criteria_set=criteria_set, actor=actor, **changes)
    before = criteria_set.versions.count()
    version = add_version(criteria_set=criteria_set, spec=entry.spec, actor=actor)
    live = criteria_set.live_version
    outcome: Outcome = "unchanged" if version.number <= before else "new_version"
    return Loaded(entry.slug, outcome, version.number, live.number if live else None, changed)


def _entry(criteria_set: CriteriaSet) -> SetEntry:
    newest = criteria_set.versions.filter(archived_at=None).order_by("-number")[0]
    return SetEntry(
        slug=criteria_set.slug,
        name=criteria_set.name,
        description=criteria_set.description,
        spec=spec_of(newest),
        settings={name: getattr(criteria_set, name) for name in SetSettings.__annotations__},
    )
