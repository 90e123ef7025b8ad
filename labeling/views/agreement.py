"""How far people agree: with each other, per criterion and with themselves; and each labeler. For leads."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.views.decorators.http import require_safe

from labeling.access import get_led_set
from labeling.domain.agreement import band
from labeling.domain.labelers import FEWEST_TIMED, Change
from labeling.models import CriteriaVersion, Draw
from labeling.services.criterion_agreement import by_criterion
from labeling.services.human_agreement import (
    FEWEST_SHARED,
    HumanAgreement,
    human_agreement,
    shared_rows,
)
from labeling.services.human_pairs import pairs_of
from labeling.services.labelers import Labeler, labelers_of, silent_members
from labeling.services.self_agreement import self_agreement
from labeling.views.scope import chosen_version, head
from vera_site.http import Request

WARNS, BLOCKS = 0.60, 0.42  # as in the reason `human_ceiling_low`
ENOUGH = 30  # rows under which it is said how rough the figure is, as in that reason
_BAR, _STEP, _HEIGHT = 6, 8, 26  # pixels


@dataclass(frozen=True, slots=True)
class Bar:
    """The labels of one day, in pixels."""

    x: int
    y: int
    height: int


@require_safe
@login_required
def agreement(request: Request, slug: str) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    version = chosen_version(criteria_set, request)
    labelers = labelers_of(version, timezone.now())
    human = human_agreement(version)
    context = head(request.user, criteria_set, "agreement") | {"version": version}
    context |= {"versions": criteria_set.versions.order_by("-number")}
    context |= {"human": human, "words": list(words_of(human)), "criteria": by_criterion(version)}
    context |= {"unknown": unknown(shared_rows(version)), "of_draws": list(of_draws(version))}
    context |= {"pairs": pairs_of(version), "again": self_agreement(version)}
    context |= {
        "labelers": drawn(labelers),
        "silent": silent_members(version),
        "looks": list(hints(labelers)),
    }
    return render(request, "labeling/agreement.html", context)


def words_of(human: HumanAgreement | None) -> Iterator[str]:
    """What the figure means for the criteria and for judges, a sentence each."""
    if human is None:
        return
    word = band(human.value)
    yield _of_band(human, word)
    if human.value < BLOCKS:
        yield (
            f"Below {BLOCKS:.2f} no judge can be believed: where the policy demands that people agree, it "
            "certifies none. Sharpen the criteria, and write down in the guidelines what to do with the rows "
            f"in dispute.{_rough(human)}"
        )
    elif human.value < WARNS:
        yield (
            f"Below {WARNS:.2f} every certificate warns of it. Read the rows in dispute: where people read "
            f"the criteria differently, say there what is meant.{_rough(human)}"
        )
    reach = math.sqrt(max(0.0, human.value))
    yield f"A perfect judge reaches a kappa of about {reach:.2f} against single labels, the root of this one."
    if human.left_out:
        one = human.left_out == 1
        who = "1 person is" if one else f"{human.left_out} people are"
        yield (
            f"{who} left out: almost all of their rows are rows on which others disagree. They were asked to "
            "settle disputes, and pairs with them would make people seem to disagree throughout."
        )


def unknown(shared: int) -> str:
    """Why people with each other are not told, where they are not, and what to do."""
    if shared < FEWEST_SHARED:
        rows = {0: "no row has labels of two people", 1: "1 row that two people labelled is too few to tell"}
        few = f"{shared} rows that two people labelled are too few to tell"
        return (
            f"{rows.get(shared, few)}. Under Settings you say which share of the rows two people label; "
            "until then rows that come up again show how far one person agrees with themselves."
        )
    return (
        f"{shared} rows have labels of two people or more, but (almost) all of them say the same, or one of "
        "two people always does. How far people agree beyond what chance does cannot be told of those, "
        "however alike they are: it takes rows that people pass and rows that they fail."
    )


def of_draws(version: CriteriaVersion) -> Iterator[str]:
    """What the way in which rows were drawn does to people's figures."""
    draws = Draw.objects.filter(version__criteria_set=version.criteria_set_id)
    if draws.filter(strategy=Draw.Strategy.STRATIFIED).exists():
        yield (
            "Some rows were drawn by a judge's verdict. People's figures count each row once and are not "
            "weighed by that, as the judge's are: of all rows they may be higher or lower."
        )
    if draws.filter(strategy=Draw.Strategy.DISAGREEMENT).exists():
        yield "Rows that were drawn because jurors disagree are in no figure of people with people here."


def _rough(human: HumanAgreement) -> str:
    if human.rows >= ENOUGH:
        return ""
    return (
        f" It is the figure of {human.rows} rows only, so it may be another of all: have more of them "
        f"labelled {'again' if human.alone else 'by two'}."
    )


def _of_band(human: HumanAgreement, word: str) -> str:
    meaning = {
        "strong": "people read the criteria alike",
        "substantial": "people mostly read the criteria alike",
        "watch": "the criteria leave room, so look at the rows in dispute",
        "weak": "people read the criteria differently",
    }[word]
    if not human.alone:
        return f"That is {word}: {meaning}."
    who = "One person" if human.labelers == 1 else f"Each of {human.labelers} people"
    few = human.shared < FEWEST_SHARED
    why = (
        "hardly a row was labelled by two"
        if few
        else f"{human.shared} rows were labelled by two, but say too much the same to tell"
    )
    return (
        f"That is {word}, but it is not people with each other: {why}. {who} was asked again about rows that "
        "they had labelled, and this compares both answers. It is an upper limit of how far they would agree "
        "with anybody else."
    )


def hints(labelers: Sequence[Labeler]) -> Iterator[str]:
    """What a lead may want to look at, each with its numbers; no hint is a judgement."""
    timed = [each for each in labelers if each.pace and each.pace.n >= FEWEST_TIMED]
    compared = len({each.change for each in labelers if each.change})
    met = [each.name for each in labelers if each.others and each.others.rows]
    changed = [(each.change, each.name) for each in labelers if each.changed and each.change]
    if len(met) == 2:
        # Each is all the others of the other: it is one finding, of both.
        changed = [(change, " and ".join(met)) for change, _ in sorted(changed, key=lambda one: one[0].p)[:1]]
    yield from (_changed(change, who, compared, of_pair=len(met) == 2) for change, who in changed)
    for each in labelers:
        if each.hurried and each.pace:
            others = sorted(other.pace.median for other in timed if other.pace and other.pk != each.pk)
            usual = (others[(len(others) - 1) // 2] + others[len(others) // 2]) / 2
            yield (
                f"{each.name} takes {each.pace.median:.0f} seconds for a row, others {usual:.0f} (the middle "
                "of their medians). That may be practice, easy rows or haste: see how far they agree with "
                "rulings and with themselves before you speak of it."
            )


def _changed(change: Change, who: str, compared: int, *, of_pair: bool) -> str:
    way = "fell" if change.worse else "rose"
    among = "" if compared == 1 else f", among {compared} comparisons,"
    whom = "each other" if of_pair else "most of the others"
    other = "It does not say which of the two changed" if of_pair else "It may be the others who changed"
    return (
        f"{who}: agreement with {whom} {way} from {change.before[0]} of {change.before[1]} rows to "
        f"{change.after[0]} of {change.after[1]} since {date_format(change.since, 'j M Y')}. Chance alone "
        f"shows that much{among} less than once in 20 times at one look (Fisher's exact test, "
        f"p = {change.p:.2g}); who looks every day meets it more often. {other}, and the rows may "
        "have become harder: read some."
    )


def drawn(labelers: Sequence[Labeler]) -> list[tuple[Labeler, list[Bar], str]]:
    """Each labeler with the bars of their days, all on one scale, and the same in words."""
    most = max((n for each in labelers for _, n in each.days), default=0) or 1
    return [(each, _bars(each, most), ", ".join(str(n) for _, n in each.days)) for each in labelers]


def _bars(labeler: Labeler, most: int) -> list[Bar]:
    heights: list[Any] = [-(-n * _HEIGHT // most) for _, n in labeler.days]
    return [
        Bar(number * _STEP, _HEIGHT - height, height) for number, height in enumerate(heights) if height > 0
    ]
