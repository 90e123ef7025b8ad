"""Reason codes: why a verdict was skipped, a run paused, a certificate refused. Each code has a sentence."""

from dataclasses import dataclass
from enum import StrEnum


class SkipReason(StrEnum):
    """Why there is no verdict. The codes are part of the API: their meaning never changes."""

    NOT_JSON = "not_json"
    TRUNCATED = "truncated"
    MISSING_CRITERION = "missing_criterion"
    UNKNOWN_CRITERION = "unknown_criterion"
    OUT_OF_SCALE = "out_of_scale"
    DUPLICATE_KEY = "duplicate_key"
    REFUSED = "refused"
    EMPTY_REPLY = "empty_reply"
    TOO_LONG = "too_long"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    BAD_REQUEST = "bad_request"
    CONTENT_FILTER = "content_filter"
    CONTEXT_TOO_LONG = "context_too_long"
    INPUT_TRUNCATED = "input_truncated"
    NO_MAJORITY = "no_majority"
    CANCELLED = "cancelled"
    BUDGET_SPENT = "budget_spent"
    WRONG_MODEL = "wrong_model"
    UNENCODABLE = "unencodable"
    NO_VERDICT = "no_verdict"
    WORKER_LOST = "worker_lost"
    INTERNAL_ERROR = "internal_error"


# Reasons that pass: nothing that the judge said was read, so the same question may find an answer later. All
# other reasons stand on a reply or on the question itself, and asking those again in the same way would be
# fishing for a verdict. Cancelled rows and spent budgets were somebody's decision.
PASSING = frozenset(
    {
        SkipReason.TIMEOUT,
        SkipReason.RATE_LIMITED,
        SkipReason.UNAVAILABLE,
        SkipReason.WORKER_LOST,
        SkipReason.INTERNAL_ERROR,
    }
)

# Skips that a juror's own settings may bring upon every row: where they are all that it ever says, the run
# pauses with the same code.
PER_JUROR = frozenset({SkipReason.BAD_REQUEST, SkipReason.WRONG_MODEL})

# Why nobody was asked about a row: Layer 1 had killed it. No skip, which is a judge that gave no verdict.
KILLED = "killed"

# Why a juror was not asked about a row: those asked before had decided what the panel says. No skip either.
DECIDED = "decided"
DECIDED_SENTENCE = "The jurors asked before had settled what the panel says, so this one was not asked."


class PauseReason(StrEnum):
    """Why a run pauses: a failure that would hit every further call as well."""

    AUTHENTICATION = "authentication"
    UNKNOWN_MODEL = "unknown_model"
    NO_CREDIT = "no_credit"
    PERMISSION_DENIED = "permission_denied"
    UNSUPPORTED_PARAMETER = "unsupported_parameter"
    NOT_CONFIGURED = "not_configured"
    BUDGET_SPENT = "budget_spent"
    PRICE_UNKNOWN = "price_unknown"
    UNKNOWN_TEMPLATE = "unknown_template"
    BAD_REQUEST = "bad_request"
    WRONG_MODEL = "wrong_model"
    INTERNAL_ERROR = "internal_error"


class CertificateReason(StrEnum):
    """Why a judge is not certified, or what a reader of its certificate should know."""

    NEVER_CALIBRATED = "never_calibrated"
    RUN_INCOMPLETE = "run_incomplete"
    TOO_FEW_ROWS = "too_few_rows"
    TOO_FEW_OF_ONE_CLASS = "too_few_of_one_class"
    UNDEFINED_KAPPA = "undefined_kappa"
    LOW_COVERAGE = "low_coverage"
    BELOW_BAR = "below_bar"
    BOUND_BELOW_BAR = "bound_below_bar"
    SKIPS_WORST_CASE = "skips_worst_case"
    ORDERING_VIOLATED = "ordering_violated"
    HUMAN_CEILING_LOW = "human_ceiling_low"
    UNRESOLVED_LABELS = "unresolved_labels"
    JUDGE_CHANGED = "judge_changed"
    CRITERIA_CHANGED = "criteria_changed"
    PROVIDER_MODEL_CHANGED = "provider_model_changed"
    GOLDEN_SET_CHANGED = "golden_set_changed"
    DRIFT_ALARM = "drift_alarm"
    EXPIRED = "expired"


SKIP_SENTENCES: dict[SkipReason, str] = {
    SkipReason.NOT_JSON: "The reply is not exactly one JSON object of the agreed shape.",
    SkipReason.TRUNCATED: "The reply ends before its JSON does. Give the judge more output tokens.",
    SkipReason.MISSING_CRITERION: "The reply scores fewer criteria than it was asked about.",
    SkipReason.UNKNOWN_CRITERION: "The reply scores a criterion that nobody asked about.",
    SkipReason.OUT_OF_SCALE: "A score in the reply is not a whole number on its criterion's scale.",
    SkipReason.DUPLICATE_KEY: "The reply says the same thing twice: a repeated key or criterion.",
    SkipReason.REFUSED: "The judge declined to answer.",
    SkipReason.EMPTY_REPLY: "The reply is empty.",
    SkipReason.TOO_LONG: "The reply is far longer than a verdict can be.",
    SkipReason.TIMEOUT: "The provider did not answer in time, resends included.",
    SkipReason.RATE_LIMITED: "The provider kept refusing for too many calls. Set limits under Providers.",
    SkipReason.UNAVAILABLE: "The provider could not be reached or failed, resends included.",
    SkipReason.BAD_REQUEST: "The provider refused the question as malformed.",
    SkipReason.CONTENT_FILTER: "The provider's content filter stopped the question or the answer.",
    SkipReason.CONTEXT_TOO_LONG: "The question does not fit into the model's context.",
    SkipReason.INPUT_TRUNCATED: "The candidate is known to be cut off, so judging it would be unfair.",
    SkipReason.NO_MAJORITY: "No strict majority of the panel's configured jurors agreed.",
    SkipReason.CANCELLED: "The run was cancelled before this row was judged.",
    SkipReason.BUDGET_SPENT: "The budget was spent before this row was judged.",
    SkipReason.WRONG_MODEL: "Another model answered than the one that was asked.",
    SkipReason.UNENCODABLE: "The text holds characters that cannot be sent (lone surrogates).",
    SkipReason.NO_VERDICT: "The recording holds no usable verdict on this row.",
    SkipReason.WORKER_LOST: "The worker was lost three times while judging this row, so it was set aside.",
    SkipReason.INTERNAL_ERROR: "Vera itself failed on this row; the worker's log says where.",
}

PAUSE_SENTENCES: dict[PauseReason, str] = {
    PauseReason.AUTHENTICATION: "The provider does not accept the key. Set the right one and resume the run.",
    PauseReason.UNKNOWN_MODEL: "The provider does not know this model. Correct the judge's model name.",
    PauseReason.NO_CREDIT: "The account at the provider has no credit. Add some and resume the run.",
    PauseReason.PERMISSION_DENIED: "The key may not use this model. Use another key and resume the run.",
    PauseReason.UNSUPPORTED_PARAMETER: "The model does not take one of the judge's parameters. Change them.",
    PauseReason.NOT_CONFIGURED: "A juror's key or address is not set up. Set it and resume the run.",
    PauseReason.BUDGET_SPENT: "The run's budget is spent. Resume it with a higher one.",
    PauseReason.PRICE_UNKNOWN: (
        "The run has a budget in money and a juror's price is unknown. Resume it with a budget in calls, or "
        "give the judge a price and start a new run."
    ),
    PauseReason.UNKNOWN_TEMPLATE: (
        "This release of Vera does not have the prompt template that the judge asks by. Upgrade it and "
        "resume the run, or make a new version of the judge."
    ),
    PauseReason.BAD_REQUEST: (
        "The provider refused every question to a juror as malformed. Correct the juror in a new version and "
        "cancel this run; resume it to skip these rows all the same."
    ),
    PauseReason.WRONG_MODEL: (
        "Another model than the one that was asked answered every question to a juror. If it is the right "
        "one, pin “expect_model” to the name that answered in a new version and cancel this run; resume it "
        "to skip these rows all the same."
    ),
    PauseReason.INTERNAL_ERROR: "Vera itself failed on this run; the worker's log says where.",
}

_CERTIFICATE_SENTENCES: dict[CertificateReason, str] = {
    CertificateReason.NEVER_CALIBRATED: (
        "This judge version was never compared with people on this criteria version. Calibrate it."
    ),
    CertificateReason.RUN_INCOMPLETE: "The calibration run has not finished. Wait for it or resume it.",
    CertificateReason.TOO_FEW_ROWS: (
        "{have} golden rows are scored and the policy asks for {need}. "
        "Label {missing} more and calibrate again."
    ),
    CertificateReason.TOO_FEW_OF_ONE_CLASS: (
        "Only {have} of the scored rows are a {name} by the people's verdict and the policy asks for {need}. "
        "Label more rows that people {name}."
    ),
    CertificateReason.UNDEFINED_KAPPA: (
        "Kappa does not exist here: people and judge give all scored rows one and the same verdict, so "
        "agreement cannot be told from luck. Label rows of both kinds."
    ),
    CertificateReason.LOW_COVERAGE: (
        "The judge gave a verdict on {have} of the golden rows and the policy asks for {need}. "
        "See the skips by reason."
    ),
    CertificateReason.BELOW_BAR: (
        "Kappa {have} is below the bar of {need}. Look at the rows on which it differs from people, then "
        "sharpen the judge or the criteria."
    ),
    CertificateReason.BOUND_BELOW_BAR: (
        "The 95% lower bound of kappa, {have}, is below the bar of {need}. With few rows luck passes judges: "
        "one whose true kappa is .55 passes a bar of .65 about one time in four at n = 30. {more}"
    ),
    CertificateReason.SKIPS_WORST_CASE: (
        "With every skip counted as a disagreement kappa is {have}, below the bar of {need}. "
        "See the skips by reason."
    ),
    CertificateReason.ORDERING_VIOLATED: (
        "{have} ordered wrongly by this judge. Look at the outputs, then sharpen the judge or the criteria."
    ),
    CertificateReason.HUMAN_CEILING_LOW: (
        "People agree with each other only to kappa {have}: sharpen the criteria before judging by them. "
        "Against the labels of one person even a perfect judge would reach no more than about {reach}."
    ),
    CertificateReason.UNRESOLVED_LABELS: (
        "{have} left out because people disagree. A lead can settle that with a ruling."
    ),
    CertificateReason.JUDGE_CHANGED: "The judge changed since it was calibrated. Calibrate the new version.",
    CertificateReason.CRITERIA_CHANGED: "The criteria changed since the calibration. Calibrate again.",
    CertificateReason.PROVIDER_MODEL_CHANGED: (
        "{juror} was measured when its provider answered as {before}, and now it answers as {now}. Two "
        "passed golden replays in a row lift this, a lead with a reason, or a new calibration."
    ),
    CertificateReason.GOLDEN_SET_CHANGED: "Labels were corrected since the calibration. Calibrate again.",
    CertificateReason.DRIFT_ALARM: "The judge drifted away from the people. Look at the drift chart.",
    CertificateReason.EXPIRED: "The certificate expired on {have}. Calibrate again.",
}

_NOT_MEASURED: dict[CertificateReason, str] = {
    CertificateReason.ORDERING_VIOLATED: "The policy demands an ordering test and none was made.",
    CertificateReason.HUMAN_CEILING_LOW: (
        "The policy demands the agreement between people and it is not known: let a second person label "
        "rows, good ones and bad ones."
    ),
}


@dataclass(frozen=True, slots=True)
class Reason:
    """A certificate reason: `code` for programs, `detail` such as "8 of 30", `message` a full sentence."""

    code: CertificateReason
    detail: str
    message: str

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.detail else str(self.code)


def certificate_reason(code: CertificateReason, detail: str = "", **numbers: object) -> Reason:
    """A reason with its sentence filled in. Raises `KeyError` where the sentence wants a number not given."""
    return Reason(code, detail, _CERTIFICATE_SENTENCES[code].format(**numbers))


def not_measured(code: CertificateReason) -> Reason:
    """The reason for something that the policy demands and nobody computed."""
    return Reason(code, "not measured", _NOT_MEASURED[code])
