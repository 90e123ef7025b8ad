"""A judge that is certified, and a token to ask about it: `python -m tests.benchmarks.certify_one`.

Prints the token's secret as JSON; the judge is `strict`, the criteria set `replies`.
"""

import django

django.setup()

from django.utils import timezone  # noqa: E402

from judging.services.certification import certify_run  # noqa: E402
from judging.services.tokens import create_token  # noqa: E402
from tests.benchmarks.programs import answer  # noqa: E402
from tests.factories import make_criteria_set, make_judge  # noqa: E402
from tests.judging.golden import make_run  # noqa: E402


def certify() -> str:
    """Certify the judge as of now; the secret of a token that may read it."""
    run = make_run(make_judge("strict"), make_criteria_set("replies"), a=28, b=2, c=2, d=28)
    run.finished_at = timezone.now()
    run.save()
    certificate = certify_run(run=run)
    assert certificate is not None
    assert certificate.status == "certified"
    return create_token(name="bench", scopes=["gate"])[1]


def main() -> None:
    answer(certify())


if __name__ == "__main__":
    main()
