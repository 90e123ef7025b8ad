"""How far people agree with each other on a criteria version: no judge can be expected to agree better.

Where one person labels alone, how far they agree with themselves is the most that can be known of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from labeling.domain.agreement import Interval, Table, Undefined
from labeling.domain.agreement.alpha import alpha_of
from labeling.domain.agreement.people import kappa_of_people, no_interval, of_enough
from labeling.models import Candidate, CriteriaVersion, Label
from labeling.models.labels import LabelQuerySet
from labeling.services.heard import heard_blind
from labeling.services.self_agreement import self_agreement

_MET = ("labeler", "rows", "disputed")
# Shares of somebody's rows on which others disagree: of those who settle disputes, and of those who do not.
_ALMOST_ALL, _HALF = 0.8, 0.5
FEWEST_SHARED = 5  # rows that people must have in common before their agreement is worth a word
COHEN, ALPHA = "Cohen's kappa", "Krippendorff's alpha"
ALONE = "self-agreement, Cohen's kappa"


@dataclass(frozen=True, slots=True)
class HumanAgreement:
    """People's kappa with people over the `rows` that several of `labelers` labelled blind.

    `left_out`: labelers who saw almost only rows that others disagreed on. `interval` is None for fewer than
    20 rows, or where they are too alike. `shared`: rows that several labelled, where these are people with
    themselves: too few, or too alike to tell.
    """

    value: float
    interval: Interval | None
    rows: int
    labelers: int
    left_out: int
    method: str
    shared: int = 0

    @property
    def no_interval(self) -> str:
        """Why there is none."""
        return no_interval(self.rows)

    @property
    def alone(self) -> bool:
        """Whether these are people with themselves: an upper limit of what they would be with others."""
        return self.method == ALONE


def human_agreement(version: CriteriaVersion) -> HumanAgreement | None:
    """People with each other; where that is not known, with themselves, if that is."""
    return people_with_people(version) or _with_themselves(version)


def shared_rows(version: CriteriaVersion, left_out: Sequence[int] | None = None) -> int:
    """Rows that several of those who are heard labelled blind; fewer than five are too few to tell."""
    if left_out is None:
        _, left_out = labelers_heard(version)
    labels = heard_blind(version).exclude(labeler__in=left_out).values("candidate").annotate(n=Count("pk"))
    return labels.filter(n__gt=1).count()


def _with_themselves(version: CriteriaVersion) -> HumanAgreement | None:
    """The ceiling of a one-person team: second answers beside first ones, all labelers together."""
    again = self_agreement(version)
    kappa = again.pooled.kappa
    if kappa is None:
        return None
    shared = shared_rows(version)
    return HumanAgreement(kappa.value, kappa.interval, kappa.n, again.telling, 0, ALONE, shared)


def people_with_people(version: CriteriaVersion) -> HumanAgreement | None:
    """Cohen's kappa where two people labelled, Krippendorff's alpha for more; None where it is not known:
    for fewer than five rows, and where it would be 0 or undefined because of one verdict (almost) throughout.

    SQL counts the rows of each kind. Whoever met disagreement on more than 80 % of the rows that they share
    is left out: they were asked where others disagreed, so their pairs meet on little but hard rows, and
    would make people seem to disagree throughout. A few rows that they were given besides change nothing
    about that. It takes two others who met it on at most half of theirs: where everybody meets it, people
    do disagree throughout, and that must be seen.
    """
    labelers, left_out = labelers_heard(version)
    if len(labelers) < 2:
        return None
    try:
        of_two = len(labelers) == 2
        found = _of_two(version, labelers, len(left_out)) if of_two else _of_many(version, labelers, left_out)
    except Undefined:
        return None
    return found if found.rows >= FEWEST_SHARED else None


def labelers_heard(version: CriteriaVersion) -> tuple[list[int], list[int]]:
    """Ids of those who share rows with others, apart from those who were asked where others disagreed."""
    heard = heard_blind(version)
    others = heard.filter(candidate=OuterRef("candidate")).exclude(labeler=OuterRef("labeler"))
    passes, fails = Exists(others.filter(verdict="pass")), Exists(others.filter(verdict="fail"))
    shared = heard.annotate(passes=passes, fails=fails).filter(Q(passes=True) | Q(fails=True))
    disputed = Count("pk", filter=Q(passes=True, fails=True))
    counted = shared.values("labeler").annotate(rows=Count("pk"), disputed=disputed)
    met = {labeler: of_those / rows for labeler, rows, of_those in counted.values_list(*_MET)}
    if sum(share <= _HALF for share in met.values()) < 2:
        return list(met), []
    asked_late = [labeler for labeler, share in met.items() if share > _ALMOST_ALL]
    return [labeler for labeler in met if labeler not in asked_late], asked_late


def _of_two(version: CriteriaVersion, labelers: list[int], left_out: int) -> HumanAgreement:
    # A further condition on the other's labels would join them once more, and count each row twice.
    people = Label.objects.filter(version=version, labeler__in=labelers).order_by()
    named = set(people.values_list("labeler__username", flat=True).distinct())
    cells = {
        (row["verdict"], row["other_verdict"]): row["n"]
        for row in heard_blind(version).pair_counts(version).filter(labeler__in=labelers)
        if row["other"] in named
    }
    a, b, c, d = (cells.get((x, y), 0) for x in ("pass", "fail") for y in ("pass", "fail"))
    found = kappa_of_people(Table(a, b, c, d))
    return HumanAgreement(found.value, found.interval, found.n, 2, left_out, COHEN)


def _of_many(version: CriteriaVersion, labelers: list[int], left_out: list[int]) -> HumanAgreement:
    heard = heard_blind(version).exclude(labeler__in=left_out)
    rows = Candidate.objects.filter(criteria_set=version.criteria_set_id).annotate(
        passes=_labels_of(heard, "pass"), fails=_labels_of(heard, "fail")
    )
    kinds = rows.order_by().values("passes", "fails").annotate(rows=Count("pk"))
    counted = kinds.values_list("passes", "fails", "rows")
    found = alpha_of({(("pass", p), ("fail", f)): n for p, f, n in counted if p + f > 1}, seed=version.pk)
    if not found.is_telling:
        raise Undefined("Hardly a row has another verdict than all the rest.")
    interval = of_enough(found.interval, found.n)
    return HumanAgreement(found.value, interval, found.n, len(labelers), len(left_out), ALPHA)


def _labels_of(heard: LabelQuerySet, verdict: str) -> Coalesce:
    mine = heard.filter(candidate=OuterRef("pk"), verdict=verdict).values("candidate")
    return Coalesce(Subquery(mine.annotate(n=Count("pk")).values("n")), 0)
