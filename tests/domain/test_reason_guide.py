"""What each reason asks of people."""

import pytest

from judging.domain.certificate_states import SUSPENDING
from judging.domain.reason_guide import REASON_GUIDE
from judging.domain.reasons import CertificateReason


@pytest.mark.parametrize("code", sorted(SUSPENDING))
def test_whatever_lifts_a_suspension_is_named(code: CertificateReason) -> None:
    remedy = REASON_GUIDE[code].remedy

    assert remedy.startswith("A lead")
    for way in ("calibrates again", "Two passed golden replays in a row", "a lead with a reason"):
        assert way in remedy
