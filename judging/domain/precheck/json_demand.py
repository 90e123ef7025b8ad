"""Whether criteria demand that the whole output is JSON, and how strictly.

Criteria are read clause by clause. Whatever forbids JSON, offers it as a choice, or asks for text beside it
ends the demand for all of them: it is better to miss a violation than to invent a demand.
"""

import re
from enum import Enum

from judging.domain.precheck.case import Case


class Demand(Enum):
    """LAX asks for JSON; STRICT says that the output is JSON and nothing else."""

    LAX = "lax"
    STRICT = "strict"


QUALITY = (
    r"(?:strict|strictly|valid|well[- ]formed|parse?able|proper|raw|pure|plain|single|one|only|just"
    r"|bare|compact|minified|correct|syntactically)"
)
ARTICLE = r"(?:(?:an?|one|exactly|the|nothing but)[ \t]+)?"
QUALIFIED = rf"{ARTICLE}(?:{QUALITY},?[ \t]+){{0,4}}json\b"
OUTPUT = r"(?:outputs?|answers?|responses?|repl(?:y|ies)|results?|candidates?|text|whole|it|everything)"
DEMANDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # the output must be valid JSON
        r"^(?:\W|the |your |whole |entire |full |final |complete "
        rf"|model )*{OUTPUT}(?:[ \t]+as a whole)?[ \t]+"
        r"(?:(?:must|should|shall|has to|have to|needs? to|is|are|be|will|consists? of|contains?"
        rf"|always|only|nothing but|itself)[ \t]+){{1,4}}"
        rf"(?:(?:formatted|written|given|returned|in|as|of)[ \t]+){{0,2}}{QUALIFIED}",
        rf"^(?:\W|the |your |whole |entire )*{OUTPUT}[ \t]+(?:must |should |has to |is to )?(?:parses?"
        r"|be parse?able|loads?|validates?)[ \t]+"
        rf"(?:cleanly |successfully |correctly )?(?:as|with|by)[ \t]+(?:{QUALIFIED}|json\.loads)",
        # return strict JSON; return the fields as strict JSON
        r"^\W*(?:please[ \t]+)?(?:(?:always|only|just)[ \t]+)?(?:return|output|respond|reply|answer"
        r"|give|produce|emit|print|provide|deliver|send)s?"
        rf"[ \t]+(?:(?:only|just|back|strictly|with|in|as)[ \t]+){{0,3}}{QUALIFIED}",
        r"^\W*(?:please[ \t]+)?(?:return|output|respond|reply|answer|give|produce|emit|print|provide"
        r"|deliver|send|format|extract|list|present"
        r"|render|express|encode|write|summari[sz]e|classify|convert"
        r"|put)s?[ \t]+(?:(?!json\b)[\w'’,/-]{1,40}[ \t]+){0,15}?"
        rf"(?:as|into|to)[ \t]+{QUALIFIED}",
        r"^\W*(?:return|output|respond|reply|answer|give|provide"
        rf"|format)s?[ \t]+(?:(?!json\b)[\w'’,/-]{{1,40}}[ \t]+){{0,8}}?in[ \t]+"
        rf"(?:{QUALITY}[ \t]+){{0,3}}json(?:[ \t]+(?:format|only|form))?\W*$",
        # valid JSON; JSON only; parses as JSON
        rf"^\W*(?:must be |is |as |in |an? |one )?(?:{QUALITY},?[ \t]+){{1,4}}json(?:[ \t]+(?:objects?"
        r"|arrays?|documents?|output|format|only|with|that|matching"
        r"|containing|of)\b|\W*$)",
        r"^\W*(?:in )?json(?:[ \t]+(?:object|array|document|output|format|only))?(?:[ \t]+only)?\W*$",
        r"^\W*(?:must |should |it )?(?:parses?|parse?able)[ \t]+(?:cleanly |correctly )?(?:as|by"
        rf"|with)[ \t]+(?:{QUALIFIED}|json\.loads)",
    )
)
STRICT_WORDS = re.compile(
    r"\b(?:strict\w*|valid|only|single|one|exactly|nothing (?:else|but)|pars\w+|well[- ]formed|raw"
    r"|pure|bare)\b",
    re.IGNORECASE,
)
NO_DEMAND = re.compile(
    # forbidden
    r"\b(?:not|no|never|without|avoid\w*|non|instead of|rather than|other than|unless|except"
    r"|kein\w{0,2}|ohne|sans|pas de|sin|(?:do|does|must|should|is|need|can)n['’]t)[ \t-]+"
    r"(?:(?:be|use|return|output|give|produce|emit|write|respond|reply|answer|have|need|in|as|with|to"
    r"|any|an?|the|raw|valid|strict|contain|include|format"
    r"|formatted|just|only|of|wrapped|send|print)[ \t]+){0,6}json\b"
    r"|\bjson\b[ \t,]{1,3}(?:(?:is|are|was|output|answers?|objects?|must|may|should|will|format)[ \t]+){0,3}"
    r"(?:not (?:be (?:used|returned|given|output|sent|written|the)|allowed|needed|required|wanted"
    r"|acceptable|ok|necessary)|forbidden|unacceptable|prohibited"
    r"|disallowed|optional|unnecessary|n['’]t|fails\b|counts as)"
    # a choice
    r"|\bjson\b[^.;!?\n]{0,30}?[ \t,/]or[ \t]+(?!an?[ \t]+(?:array|list|object)|array|list|object|null)"
    r"|\bor[ \t]+(?:as |in |an? |valid )*json\b|\bjson\b/|/json\b"
    r"|\b(?:either|may|might|can|could|prefer\w*|ideally|optional\w*|if|when|where|whenever|possibly"
    r"|e\.g\.|for example|such as|like)\b[^.;!?\n]{0,60}\bjson\b"
    r"|\bjson(?:[ \t]+only)?[ \t]+(?:when|if|unless|where|on request)\b"
    # text beside it, or several documents
    r"|\bjson\b[^.;!?\n]{0,60}\b(?:and|plus|then|followed by|after|before|preceded by|together with"
    r"|along with|alongside)[ \t]+(?:an?|one|some|the|your|short|brief)?"
    r"[ \t]*(?:[\w-]{1,20}[ \t]+){0,2}(?:explanation|sentence|summary|paragraph|comment|prose|text"
    r"|note|intro\w*|description|rationale|reason\w*)\b"
    r"|\b(?:explanation|sentence|summary|paragraph|comments?|prose|note|intro\w*|description"
    r"|rationale)[ \t]+(?:and|then|plus|followed by|with|before|above|containing)"
    r"[^.;!?\n]{0,30}\bjson\b"
    r"|\bjsonl\b|\bjson[ -]?lines?\b|\bndjson\b|\bjson5\b|\bjsonc\b|\bjson-?(?:like|ish|style|free)\b"
    r"|\bper line\b|\beach line\b|\bnewline[- ](?:delimited|separated)\b"
    r"|\b(?:several|multiple|two|three|many)[ \t]+(?:\w{1,20}[ \t]+)?json\b|\bjson (?:objects|documents)\b"
    # JSON as the subject of a sentence
    r"|(?<!the )\bjson[ \t]+(?:is|was|were|would|should|used to)\b"
    # JSON as the subject of text or code
    r"|\b(?:explain\w*|describ\w+|defin\w+|discuss\w*|function|script|endpoint|handler|parser|code"
    r"|snippet|program|method|api|command|query|yaml|xml|csv|markdown)\b"
    r"[^.;!?\n]{0,80}\bjson\b",
    re.IGNORECASE,
)
CLAUSE_ENDS = re.compile(
    r"[.;:!?](?:\s|$)|\n|,[ \t]+(?:and|but|no|not|without|with no)[ \t]"
    r"|[ \t]and[ \t](?=return|output|respond|reply|answer|give)|[–—]"
)


def json_demand(case: Case) -> Demand | None:
    """How the criteria demand JSON; None where they do not, or not beyond doubt."""
    criteria = case.criteria[:20_000].replace("_", " ")
    if "json" not in criteria.lower() or NO_DEMAND.search(criteria):
        return None
    clauses = CLAUSE_ENDS.split(criteria)
    demanding = [clause for clause in clauses if any(demand.search(clause) for demand in DEMANDS)]
    if not demanding:
        return None
    strict = any(STRICT_WORDS.search(clause) for clause in demanding) or "nothing else" in criteria.lower()
    return Demand.STRICT if strict else Demand.LAX
