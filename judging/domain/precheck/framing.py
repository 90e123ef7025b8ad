"""Failures that candidate or criteria call expected, acceptable or handled."""

import re
from collections.abc import Mapping

from judging.domain.precheck.asked import UNWANTED_FAILURE
from judging.domain.precheck.case import Case

FRAMED = (
    r"(?:expected|acceptable|accepted|allowed|intended|permitted|fine|ok|okay|by design|as designed|normal"
    r"|legitimate|anticipated|planned|deliberate|intentional)"
)
SHORTFALL = (
    r"(?:empty|fail(?:s|ed|ing|ures?)?|errors?|false|refus\w*|reject\w*|denied|null|none|nothing"
    r"|missing|unsuccessful"
    r"|no (?:rows?|results?|matches|match|data|output|records?|hits?))"
)
DENIED_FRAMING = re.compile(
    rf"\b(?:not|never|cannot be|no longer|isn['’]t|aren['’]t)[ \t]+(?:be |an? |the )?{FRAMED}\b"
    r"|\b(?:not|never|non)[ \t-]+(?:be )?(?:empty|null|missing|none|false)\b",
    re.IGNORECASE,
)
FRAMED_SHORTFALL = re.compile(
    rf"\b{SHORTFALL}\b[^.;!?\n]{{0,120}}\b{FRAMED}\b|\b{FRAMED}\b[^.;!?\n]{{0,120}}\b{SHORTFALL}\b"
    r"|\b(?:must|should|has to|ought to|may|can|expected? to|expects? it to|supposed to)[ \t]+(?:be[ \t]+)?"
    r"(?:fail|refused?|reject|den(?:y|ied)|empty|null|false)",
    re.IGNORECASE,
)
SAYS_EXPECTED = re.compile(
    r"\b(?:expected|acceptable|intended|anticipated|by design|as designed|working as|not an error"
    r"|harmless)\b",
    re.IGNORECASE,
)
HANDLED = (
    r"\b(?:handled|graceful(?:ly)?|fallback|fell back|retried|skipped|no-?op|known limitation|planned"
    r"|deliberate(?:ly)?|intentional(?:ly)?|on purpose)\b"
)
SAYS_HANDLED = re.compile(HANDLED, re.IGNORECASE)
DENIED_HANDLING = re.compile(
    rf"\b(?:not|never|no|without|cannot be|failed|broken)[ \t]+(?:[\w-]{{1,20}}[ \t]+)?{HANDLED}",
    re.IGNORECASE,
)
TYPE_COMPLAINT = re.compile(
    r"\bexpected\b[^\n]{1,120}?\b(?:got|found|but|received|actual|instead)\b", re.IGNORECASE
)


def failure_is_expected(case: Case) -> bool:
    """Whether candidate or criteria call a failure or an empty result expected or acceptable."""
    return _ask_allows_shortfall(case.ask) or _says_expected(case.text)


def failure_is_handled(record: Mapping[str, object]) -> bool:
    """Whether an object says in words, or by a flag that is true, that its failure was dealt with."""
    said = " ; ".join(
        f"{name} {value}" if isinstance(value, str) else name
        for name, value in record.items()
        if value is True or (isinstance(value, str) and not value.isdigit())
    )
    return SAYS_HANDLED.search(said) is not None and (
        SAYS_HANDLED.search(DENIED_HANDLING.sub(" ", said)) is not None
    )


def _ask_allows_shortfall(ask: str) -> bool:
    plain = UNWANTED_FAILURE.sub(" ", DENIED_FRAMING.sub(" ", ask))
    return FRAMED_SHORTFALL.search(plain) is not None


def _says_expected(text: str) -> bool:
    """`expected string, got null` is a complaint and no framing."""
    if SAYS_EXPECTED.search(text) is None:
        return False
    return SAYS_EXPECTED.search(TYPE_COMPLAINT.sub(" ", DENIED_FRAMING.sub(" ", text))) is not None
