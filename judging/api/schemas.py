"""The shapes that the API answers with, as its documentation shows them."""

from datetime import datetime
from typing import Literal

from ninja import Schema


class ReasonOut(Schema):
    """A reason: the code for programs, the sentence for people."""

    code: str
    message: str


class CertificationOut(Schema):
    """How a judge version stands on a criteria version now. A number that does not exist is null.

    `interval` is two-sided, 95 %. Its upper end is that of judges with these pass rates: where people and
    judge pass different shares, kappa can be no larger, but further rows may have other rates, and the true
    kappa lies above that end more often than 2.5 % of the time. `lower_bound`, one-sided, 95 %, is safe.
    `n`, `n_pass`, `n_fail` and the coverages count rows. Where `weighted`, rows were not equally likely to be
    chosen: `kappa` and `agreement` count each as often as it stands for others, and the rows count like
    `n_effective` rows drawn evenly (null where all weigh alike); the policy's rows and looks go by that.
    `escalated`: rows that a split panel left to people; they are outside `n` and the coverages.
    `design_effect`: how much larger kappa's variance is with requests as the unit than with rows.
    `labels_needed`: rows in all that would bring the lower bound to the bar, no fewer than the policy asks
    for; null where it is there already, and where no number would help.
    """

    judge: str
    judge_version: int
    fingerprint: str
    recorded: bool  # verdicts of it were brought in from a file, and no model was asked for them
    criteria: str
    criteria_version: int
    certified: bool
    status: Literal["certified", "uncertified"]
    reasons: list[ReasonOut]
    warnings: list[ReasonOut]
    rule: str
    bar: float
    kappa: float | None
    interval: tuple[float, float] | None
    lower_bound: float | None
    n: int
    n_pass: int
    n_fail: int
    n_effective: int | None
    escalated: int
    agreement: float | None
    coverage: float | None
    kappa_worst_case: float | None
    coverage_pass: float | None
    coverage_fail: float | None
    standard_error: float | None
    design_effect: float | None
    weighted: bool
    human_kappa: float | None
    human_method: str | None
    labels_needed: int | None
    look: int | None
    next_look: int | None
    z: float | None
    boundary: float | None
    attempt: int
    opened_rows: int
    calibrated_at: datetime | None
    expires_at: datetime | None


class OrderedOut(Schema):
    """Reference sets that could be told, and how many of them are in the wrong order. Shares are 0 to 1.

    `left_out`: sets without a verdict on some output. `upper_bound`: one-sided, 95 %, of the violated share.
    `auc`: how often a good output is scored above a deficient one, ties counted half, over `pairs`.
    """

    sets: int
    violated: int
    left_out: int
    share: float | None
    upper_bound: float | None
    auc: float | None
    pairs: int


class JurorOrderedOut(OrderedOut):
    """The same of one juror, named as slug@version."""

    judge: str


class OrderingOut(OrderedOut):
    """How a judge version orders reference sets. `deciding_sets`: those that count for certificates."""

    judge: str
    judge_version: int
    criteria: str
    criteria_version: int
    deciding_sets: int
    deciding_violated: int
    jurors: list[JurorOrderedOut]
    as_of: datetime | None


class CertificationPage(Schema):
    """Some certificates in force, newest first; `next_cursor` asks for those after them."""

    items: list[CertificationOut]
    next_cursor: int | None


class AllowOut(Schema):
    """The judge may gate."""

    allow: Literal[True]


class RefuseOut(Schema):
    """The judge may not gate, and why."""

    allow: Literal[False]
    reasons: list[ReasonOut]


class ErrorDetail(Schema):
    """What went wrong; `fields` says it per field of what was sent."""

    code: str
    message: str
    fields: dict[str, str] | None = None


class ErrorOut(Schema):
    """The shape of every error."""

    error: ErrorDetail


class PeoplePairOut(Schema):
    """Two people on the rows that both labelled blind: Cohen's kappa, null where one gave one verdict
    throughout; its interval is null for fewer than 20 rows.
    """

    one: str
    other: str
    n: int
    agreement: float
    kappa: float | None
    interval: tuple[float, float] | None


class CriterionPeopleOut(Schema):
    """People's marks on one criterion. `kappa`: of two people Cohen's, on a scale of more than two steps
    weighted by squares; of more people Krippendorff's alpha, as `method` says. Null where it is not known.

    `without_marks`: rows that several people labelled and fewer than two marked.
    """

    criterion: str
    n: int
    without_marks: int
    kappa: float | None
    interval: tuple[float, float] | None
    method: str | None


class SelfPeopleOut(Schema):
    """People with themselves, by `n` rows that came up again: an upper limit of what they are with others."""

    n: int
    agreement: float | None
    kappa: float | None
    interval: tuple[float, float] | None


class PeopleOut(Schema):
    """How far people agree with each other over `n` rows that several labelled. `kappa` is null for fewer
    than five of them and where they say (almost) all the same; every interval is null for fewer than 20 rows.
    """

    criteria: str
    criteria_version: int
    kappa: float | None
    interval: tuple[float, float] | None
    method: str | None
    n: int
    pairs: list[PeoplePairOut]
    per_criterion: list[CriterionPeopleOut]
    self_agreement: SelfPeopleOut
    ceiling_method: str | None
