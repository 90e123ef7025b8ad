"""Set phrases that say no more than that something failed, before or after an error text."""

import re

APOLOGY_LIMIT = 300
"""Longest line taken for a set phrase."""

OOPS = r"(?:(?:oops|whoops|uh-oh|oh no|unfortunately)[,.! ]{1,3})?"
SORRY = (
    r"(?:(?:(?:i['’]m|i am|we['’]re|we are) )?(?:so |very |really |terribly )?sorry(?: about (?:that|this))?"
    r"|(?:my |our )?(?:sincere )?apologies|(?:i|we) apologi[sz]e)"
    r"(?: for (?:the|this|any) (?:inconvenience|trouble|error|problem|delay))?[,.!:;]?(?: but)? ?"
)
ERROR = (
    r"(?:an?|the following|this) (?:unexpected |internal |unknown |technical )?"
    r"(?:error|exception|problem|issue)"
)
CORE = (
    rf"(?:something went wrong|{ERROR} (?:has )?(?:occurred|happened)|there (?:was|has been) {ERROR}"
    rf"|(?:i|we)(?: have|['’]ve)? (?:ran into|run into|encountered|hit) {ERROR}"
    r"|(?:i|we) (?:could not|couldn['’]t|cannot|can['’]t|was unable to|were unable to|am unable to)"
    r" (?:complete|finish|process|fulfil+|answer|handle) (?:your|the|this|that) \w{1,20})"
    r"(?: (?:while|when|during|as|with|in) [^.!?\n]{1,100})?[.!:]? ?"
)
AFTERWARDS = (
    r"(?:please )?(?:try again|retry|contact support)"
    r"(?: (?:later|again|soon|in an? (?:moment|minute|while)|in a few (?:moments|minutes)))?[.!]? ?"
)
SET_PHRASES = re.compile(rf"(?:{OOPS}(?:{SORRY}(?:{CORE})?|{CORE})|{AFTERWARDS})++\Z", re.IGNORECASE)


def without_apologies(text: str) -> str:
    """The text without up to two lines of set phrases at either end; something is always left of it."""
    for _ in range(2):
        first, gap, rest = text.partition("\n")
        if gap and _is_apology(first):
            text = rest.strip()
        rest, gap, last = text.rpartition("\n")
        if gap and _is_apology(last):
            text = rest.strip()
    return text


def _is_apology(line: str) -> bool:
    return len(line) <= APOLOGY_LIMIT and SET_PHRASES.match(line.strip()) is not None
