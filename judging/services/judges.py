"""Judges and their immutable versions: added, promoted, rolled back; never edited."""

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from judging.domain.examples import Examples, read_stored, stored
from judging.domain.fingerprint import judge_fingerprint
from judging.domain.judges import (
    ExampleChoice,
    InvalidJudge,
    ModelEntry,
    Price,
    check_members,
    check_model,
    check_template,
    stored_params,
)
from judging.domain.prompt import NEWEST
from judging.domain.reply import storable
from judging.models import Judge, JudgeVersion, PanelMember
from judging.services.connections import (
    Environments,
    Missing,
    NotConfigured,
    check_address,
    check_variable,
)
from judging.services.examples import named, taken
from labeling.access import AnyUser
from labeling.services.audit import record

log = logging.getLogger(__name__)

_ADDRESS_OF_NEW_JUDGES = "add"  # in judging.urls
_KINDS = {"model": "model", "panel": "panel", "recorded": "recorded judge"}


def add_model_version(
    *,
    slug: str,
    model: str,
    family: str,
    base_url_env: str = "",
    api_key_env: str = "",
    params: Mapping[str, Any] | None = None,
    price: Price | None = None,
    template: str = "",
    examples: ExampleChoice | None = None,
    keep_examples: bool = False,
    actor: AnyUser | None = None,
) -> JudgeVersion:
    """Add the next version of a judge that is one model, or make the judge; its first version is live.

    Where nothing changed since the newest version, that one is returned. A price is no part of what makes a
    judge: it is corrected on the newest version. Without a `template` the newest version keeps its own while
    nothing else changes; a new version gets the newest. `examples` are taken as people have settled them now,
    or with `keep_examples` stay as the newest version holds them, where they are the same rows.
    Raises `InvalidJudge`; the refusal is logged and recorded.
    """
    entry = ModelEntry(
        slug, model, family, base_url_env, api_key_env, params or {}, price, template, examples
    )
    with refusals_recorded(slug, actor):
        return write_model(entry, actor, keep_examples=keep_examples)


def add_panel_version(
    *, slug: str, members: Sequence[JudgeVersion], on_split: str = "majority", actor: AnyUser | None = None
) -> JudgeVersion:
    """Add the next version of a panel of these very versions, in this order; else as `add_model_version`."""
    with refusals_recorded(slug, actor):
        return write_panel(slug, members, on_split, actor)


@transaction.atomic
def promote_judge(*, judge: Judge, version: JudgeVersion, actor: AnyUser | None) -> Judge:
    """Make `version` the one that is answered for by default; an earlier one may be promoted again.

    One update, so there is no moment without a live version. Promoting the live one changes nothing.
    Raises ValueError for a version of another judge.
    """
    if version.judge_id != judge.pk:
        raise ValueError(f"{version} is no version of {judge}.")
    locked = _locked(judge)
    before = locked.live_version
    if before == version:
        return locked
    locked.live_version = version
    locked.save(update_fields=["live_version"])
    record(
        actor=actor,
        action="judge_promoted",
        subject=str(version),
        before=before.number if before else None,
        after=version.number,
    )
    return locked


@contextmanager
def refusals_recorded(subject: str, actor: AnyUser | None) -> Iterator[None]:
    """Log and record an `InvalidJudge` raised inside. Goes around the transaction, which is rolled back."""
    try:
        yield
    except InvalidJudge as refusal:
        log.warning("Judge %r was refused: %s", subject, refusal)
        record(actor=actor, action="judge_refused", subject=subject, reason=storable(str(refusal)))
        raise


@transaction.atomic
def write_model(entry: ModelEntry, actor: AnyUser | None, *, keep_examples: bool = False) -> JudgeVersion:
    """`add_model_version` inside a caller's transaction. Raises `InvalidJudge`.

    `keep_examples`: the same rows as before stay as they were taken, whatever people say of them now.
    """
    check_model(entry)
    _check_connection(entry)
    newest = JudgeVersion.objects.filter(judge__slug=entry.slug).order_by("-number").first()
    examples = _examples(entry.examples, newest, keep=keep_examples)
    fresh = _as_before(entry, examples, newest)
    if fresh is None:
        check_template(entry.template or NEWEST, entry.params, examples is not None)
        fresh = _model_version(entry, examples, entry.template or NEWEST)
    version, _ = newest_or_added(entry.slug, fresh, actor)
    return _with_price(version, fresh.price, actor)


def _examples(choice: ExampleChoice | None, newest: JudgeVersion | None, *, keep: bool) -> Examples | None:
    """The chosen rows as they stand now, or as the newest version holds them where these are to be kept."""
    if choice is None:
        return None
    before = read_stored(newest.examples) if newest else None
    return before if keep and named(before) == choice else taken(choice)


def _as_before(
    entry: ModelEntry, examples: Examples | None, newest: JudgeVersion | None
) -> JudgeVersion | None:
    """The version in the newest one's template, where none is asked for and nothing else changed."""
    if newest is None or newest.kind != JudgeVersion.Kind.MODEL or entry.template:
        return None
    fresh = _model_version(entry, examples, newest.template)
    return fresh if fresh.fingerprint == newest.fingerprint else None


def _model_version(entry: ModelEntry, examples: Examples | None, template: str) -> JudgeVersion:
    made_of: dict[str, Any] = {
        "kind": JudgeVersion.Kind.MODEL,
        "model": entry.model,
        "family": entry.family,
        "base_url_env": entry.base_url_env,
        "api_key_env": entry.api_key_env,
        "params": stored_params(entry.params),
        "template": template,
    }
    return JudgeVersion(
        fingerprint=judge_fingerprint(**made_of, examples=examples),
        examples=stored(examples),
        price=_stored_price(entry.price),
        **made_of,
    )


@transaction.atomic
def write_panel(
    slug: str, members: Sequence[JudgeVersion], on_split: str, actor: AnyUser | None
) -> JudgeVersion:
    """`add_panel_version` inside a caller's transaction. Raises `InvalidJudge`."""
    check_members([member.judge.slug for member in members])
    for member in members:
        if member.kind == JudgeVersion.Kind.PANEL:
            raise InvalidJudge(f"“{member.judge.slug}” is itself a panel; a panel's jurors are models.")
    check_one_set(members)
    fresh = JudgeVersion(
        kind=JudgeVersion.Kind.PANEL,
        on_split=on_split,
        has_recorded=any(member.has_recorded for member in members),
        fingerprint=judge_fingerprint(
            kind=JudgeVersion.Kind.PANEL,
            members=[member.fingerprint for member in members],
            on_split=on_split,
        ),
    )
    version, added = newest_or_added(slug, fresh, actor)
    if added:
        PanelMember.objects.bulk_create(
            PanelMember(panel=version, juror=member, position=position)
            for position, member in enumerate(members, start=1)
        )
    return version


def check_one_set(members: Iterable[JudgeVersion]) -> None:
    """Raise `InvalidJudge` where verdicts of two members were brought in for different criteria sets."""
    sets = {
        member.recording.criteria_set.slug: member.judge.slug
        for member in members
        if member.recording is not None
    }
    if len(sets) > 1:
        (first, one), (second, other) = list(sets.items())[:2]
        raise InvalidJudge(
            f"The verdicts of “{one}” are of the criteria set “{first}”, those of “{other}” of “{second}”: "
            "no row has both. Make a panel for each set."
        )


def _check_connection(entry: ModelEntry) -> None:
    """The address is looked at where it is set here; the worker, which may have others, looks again."""
    try:
        for name in filter(None, (entry.base_url_env, entry.api_key_env)):
            check_variable(name)
        if address := os.environ.get(entry.base_url_env, "").strip():
            check_address(address, entry.base_url_env)
    except NotConfigured as problem:
        raise InvalidJudge(str(problem)) from None


def newest_or_added(slug: str, fresh: JudgeVersion, actor: AnyUser | None) -> tuple[JudgeVersion, bool]:
    """The newest version where it is the same judge, else `fresh` as the next; and whether it was added."""
    judge = _judge(slug)
    newest = judge.versions.order_by("-number").first()
    if newest is not None and newest.kind != fresh.kind:
        raise InvalidJudge(
            f"“{slug}” is a {_KINDS[newest.kind]}. Give the {_KINDS[fresh.kind]} a slug of its own."
        )
    if newest is not None and newest.fingerprint == fresh.fingerprint:
        return newest, False
    fresh.judge = judge
    fresh.number = newest.number + 1 if newest else 1
    fresh.created_by = actor if actor is not None and actor.is_authenticated else None
    _check_storable(fresh)
    fresh.save()
    if newest is None:
        judge.live_version = fresh
        judge.save(update_fields=["live_version"])
    record(actor=actor, action="judge_version_added", subject=str(fresh), fingerprint=fresh.fingerprint)
    return fresh, True


def _judge(slug: str) -> Judge:
    """The judge by that name, made where there is none; locked, so that each number is given once."""
    if slug == _ADDRESS_OF_NEW_JUDGES:
        raise InvalidJudge(f"No judge can be called “{slug}”: the pages for new judges have that address.")
    _check_storable(Judge(slug=slug), validate_unique=False)
    judge, _ = Judge.objects.get_or_create(slug=slug)
    return _locked(judge)


def _locked(judge: Judge) -> Judge:
    return Judge.objects.select_for_update().get(pk=judge.pk)


def _check_storable(row: Judge | JudgeVersion, *, validate_unique: bool = True) -> None:
    try:
        row.full_clean(validate_unique=validate_unique, validate_constraints=False)
    except ValidationError as error:
        field, problems = next(iter(error.message_dict.items()))
        raise InvalidJudge(f"“{field}”: {problems[0]}") from error


def _stored_price(price: Price | None) -> dict[str, str] | None:
    return None if price is None else {"input": str(price.input), "output": str(price.output)}


def _with_price(version: JudgeVersion, price: dict[str, str] | None, actor: AnyUser | None) -> JudgeVersion:
    if version.price == price:
        return version
    before, version.price = version.price, price
    version.save(update_fields=["price"])
    record(
        actor=actor, action="judge_price_corrected", subject=str(version), before=before, after=version.price
    )
    return version


def with_jurors(versions: QuerySet[JudgeVersion]) -> QuerySet[JudgeVersion]:
    """The versions with what `jurors` needs, so that a list of them costs no query each."""
    told = versions.select_related("judge", "recording__criteria_set")
    return told.prefetch_related("seats__juror__judge")


def missing_variables(version: JudgeVersion, environments: Environments | None = None) -> list[Missing]:
    """The variables that the version's jurors name and that not every worker has.

    A page with many versions hands over the `Environments` it has read.
    """
    return (environments or Environments(timezone.now())).missing(version)
