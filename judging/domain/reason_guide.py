"""What each certificate reason means and what to do about it, told without the numbers of a case."""

from dataclasses import dataclass
from types import MappingProxyType

from judging.domain.reasons import CertificateReason as Code


@dataclass(frozen=True, slots=True)
class Explained:
    """`meaning`: why the judge may not gate. `remedy`: who clears it, and how."""

    meaning: str
    remedy: str


REASON_GUIDE = MappingProxyType(
    {
        Code.NEVER_CALIBRATED: Explained(
            "This version of the judge was never compared with people on this version of the criteria.",
            "A lead calibrates it: a run over the rows that people have labelled.",
        ),
        Code.RUN_INCOMPLETE: Explained(
            "The calibration ended before every row was judged.",
            "A lead resumes the run or calibrates again.",
        ),
        Code.TOO_FEW_ROWS: Explained(
            "Too few labelled rows were scored to tell agreement from luck.",
            "People label more rows, then a lead calibrates again.",
        ),
        Code.TOO_FEW_OF_ONE_CLASS: Explained(
            "Too few of the scored rows are good, or too few are bad, by the people's verdict.",
            "People label more rows of the rarer kind, then a lead calibrates again.",
        ),
        Code.UNDEFINED_KAPPA: Explained(
            "Kappa does not exist: people and judge gave all rows one and the same verdict.",
            "People label rows of the other kind as well, then a lead calibrates again.",
        ),
        Code.LOW_COVERAGE: Explained(
            "The judge gave no verdict on too many rows.",
            "A lead looks at the skips by reason, mends what caused them, and calibrates again.",
        ),
        Code.BELOW_BAR: Explained(
            "Judge and people agree less than the policy asks for.",
            "A lead improves the judge or the criteria; more labels will not help.",
        ),
        Code.BOUND_BELOW_BAR: Explained(
            "Agreement may be above the bar, but the labelled rows do not show it yet.",
            "People label more rows, up to the next planned look; then a lead calibrates again.",
        ),
        Code.SKIPS_WORST_CASE: Explained(
            "If every row without a verdict were judged wrongly, agreement would be below the bar.",
            "A lead mends what made the judge skip rows, and calibrates again.",
        ),
        Code.ORDERING_VIOLATED: Explained(
            "The judge put a clearly deficient output before a good one, or the policy asks for that test "
            "and nobody made it.",
            "A lead runs the reference sets, looks at those that went wrong, and improves the judge.",
        ),
        Code.HUMAN_CEILING_LOW: Explained(
            "People do not agree with each other well enough, or their agreement was not measured.",
            "A lead has rows labelled by two people, and sharpens the criteria until they agree.",
        ),
        Code.UNRESOLVED_LABELS: Explained(
            "Some rows are left out because people disagree about them.",
            "A lead rules on them.",
        ),
        Code.JUDGE_CHANGED: Explained(
            "An earlier version of the judge was measured, this one was not.",
            "A lead calibrates this version, or rolls back to the earlier one.",
        ),
        Code.CRITERIA_CHANGED: Explained(
            "The judge was measured on an earlier version of the criteria, not on this one.",
            "A lead calibrates it on this version, or rolls the criteria back.",
        ),
        Code.PROVIDER_MODEL_CHANGED: Explained(
            "The provider answers with another model than the one that was certified.",
            "A lead calibrates again. Two passed golden replays in a row, or a lead with a reason, lift the "
            "suspension, too.",
        ),
        Code.GOLDEN_SET_CHANGED: Explained(
            "People corrected labels since the judge was measured.",
            "A lead calibrates again.",
        ),
        Code.DRIFT_ALARM: Explained(
            "The judge agrees with people less than when it was certified.",
            "A lead looks at the drift page, and calibrates again or improves the judge. Two passed golden "
            "replays in a row, or a lead with a reason, lift the suspension, too.",
        ),
        Code.EXPIRED: Explained(
            "The certificate ran out.",
            "A lead calibrates again.",
        ),
    }
)
