"""Whether an answer to the very same question may be taken over instead of asking again."""

from collections.abc import Collection

from judging.domain.reasons import CertificateReason

# Said of a judge's certificate, these mean that it may answer otherwise today than it did yesterday.
IN_DOUBT = frozenset({CertificateReason.DRIFT_ALARM, CertificateReason.PROVIDER_MODEL_CHANGED})
SUSPENDED = "suspended"


def answers_stand(status: str, reasons: Collection[str]) -> bool:
    """Whether what a judge said before still holds, by its certificate on these criteria.

    A judge that merely agrees too little with people, or was measured too long ago, would say the same again;
    one that is suspended, or that has changed behind its name, might not.
    """
    return status != SUSPENDED and IN_DOUBT.isdisjoint(reasons)
