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
from labeling.domain.labelers import FEWEST_TIMED
from labeling.services.criterion_agreement import by_criterion
from labeling.services.human_agreement import FEWEST_SHARED, HumanAgreement, human_agreement
from labeling.services.human_pairs import pairs_of
from labeling.services.labelers import Labeler, labelers_of, silent_members
from labeling.services.self_agreement import self_agreement
from labeling.views.scope import chosen_version, head
from vera_site.http import Request

WARNS, BLOCKS = 0.60, 0.42  # as in the reason `human_ceiling_low`
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
    context |= {"pairs": pairs_of(version), "again": self_agreement(version)}
    context |= {
        "labelers": drawn(labelers),
        "silent": silent_members(version),
        "looks": list(hints(labelers)),
    }
    return render(request, "labeling/agreement.html", context)


def words_of(human: HumanAgreement | None) -> Iterator[str]:
    """What the figure means for the criteria and for judges, a sentence each."""
    if human is None or human.rows < FEWEST_SHARED:
        return
    word = band(human.value)
    yield _of_band(human, word)
    if human.value < BLOCKS:
        yield (
            f"Below {BLOCKS:.2f} no judge can be believed: where the policy demands that people agree, it "
            "certifies none. Sharpen the criteria, and write down in the guidelines what to do with the rows "
            "in dispute."
        )
    elif human.value < WARNS:
        yield (
            f"Below {WARNS:.2f} every certificate warns of it. Read the rows in dispute: where people read "
            "the criteria differently, say there what is meant."
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
    return (
        f"That is {word}, but it is not people with each other: hardly a row was labelled by two. {who} was "
        "asked again about rows that they had labelled, and this compares both answers. It is an upper limit "
        "of how far they would agree with anybody else."
    )


def hints(labelers: Sequence[Labeler]) -> Iterator[str]:
    """What a lead may want to look at, each with its numbers; no hint is a judgement."""
    timed = [each for each in labelers if each.pace and each.pace.n >= FEWEST_TIMED]
    compared = sum(each.change is not None for each in labelers)
    for each in labelers:
        if each.changed and each.change:
            yield _changed(each, compared)
        if each.hurried and each.pace:
            others = sorted(other.pace.median for other in timed if other.pace and other.pk != each.pk)
            usual = (others[(len(others) - 1) // 2] + others[len(others) // 2]) / 2
            yield (
                f"{each.name} takes {each.pace.median:.0f} seconds for a row, others {usual:.0f} (the middle "
                "of their medians). That may be practice, easy rows or haste: see how far they agree with "
                "rulings and with themselves before you speak of it."
            )


def _changed(labeler: Labeler, compared: int) -> str:
    change = labeler.change
    assert change is not None
    way = "fell" if change.worse else "rose"
    among = "one labeler" if compared == 1 else f"{compared} labelers"
    return (
        f"{labeler.name}: agreement with rulings, or with most of the others, {way} from {change.before[0]} "
        f"of {change.before[1]} rows to {change.after[0]} of {change.after[1]} since "
        f"{date_format(change.since, 'j M Y')}. Chance alone shows that much among {among} less than once in "
        f"20 times (Fisher's exact test, p = {change.p:.2g}). The rows may have become harder too: read some."
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
