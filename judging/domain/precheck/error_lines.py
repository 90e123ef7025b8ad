"""One-line errors of model providers, gateways, clients and shells, handed on as the answer."""

import re

from judging.domain.precheck.normal import undecorated

MESSAGE_LIMIT = 3_000
"""Longest text taken for an error line: real ones are short."""

LEAD = (
    r"(?:(?:error|api error|exception|llm error|request failed|provider error|failed|litellm error"
    r"|agent error"
    r"|an error occurred|(?:llm|model|api|provider) (?:call|request) failed"
    r"|failed to call (?:the )?(?:llm|model|api)"
    r"|error calling (?:the )?(?:llm|model|api)|error communicating with \w{1,30}):? ?[-:]? ?){0,2}"
)
CLIENTS = (
    r"(?:litellm|openai|anthropic|google|botocore|httpx|httpcore|requests|aiohttp|urllib3|cohere"
    r"|mistralai|groq"
    r"|openrouter|grpc|langchain\w*)"
)
PROVIDER_STARTS = (
    r"error code: \d{3} ?- ?[{\[<]",
    r"(?:error |http )?\d{3}:? \{[\"'](?:error|type|message|detail)[\"']",
    r"\{[\"'](?:type|error)[\"']: ?(?:[\"']error[\"']|\{[\"'](?:message|code|type|status)[\"'])",
    rf"{CLIENTS}\.[\w.]{{0,80}}(?:error|exception|timeout|exhausted|denied|unavailable"
    rf"|exceeded)\w{{0,20}}: ?\S",
    r"an error occurred \(\w{1,60}\) when calling the \w{1,60} operation",
    r"(?:\w{1,40}error: )?https?connectionpool\(",
    r"this model's maximum context length is \d+ tokens\.? (?:however|but)",
    r"prompt is too long: \d+ tokens",
    r"incorrect api key provided:",
    r"you exceeded your current quota",
    r"rate limit (?:reached|exceeded) for \S+ (?:in|on|with|\() ?\S",
    r"your credit balance is too low to access",
    r"the server had an error (?:while )?processing your request",
    r"that model is currently overloaded",
    r"the model `[^`\n]{1,100}` (?:does not exist|has been deprecated)",
    r"the response was filtered due to the prompt triggering",
    r"upstream connect error or disconnect",
    r"no healthy upstream\s*\Z",
    r"\[?googlegenerativeai error\]?:",
    r"\[\d{3} (?:too many requests|service unavailable|bad request|forbidden|internal server error)\]",
    r"(?:\d{3} )?(?:unavailable|permission_denied|invalid_argument|resource_exhausted)\. \{",
    r"mcp error -?\d{3,5}:",
    r"<tool_use_error>",
    r"(?:error )?\d{3}:? ?<(?:!doctype html|html)\b",
)
STATUS_NAME = (
    r"(?:internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out"
    r"|too many requests"
    r"|request entity too large|payload too large|method not allowed|request time-?out|overloaded_error"
    r"|proxy authentication required)"
)
STATUS_LEAD = (
    r"(?:(?:error|http error|http|api error|request failed"
    r"|upstream error)[: ]{1,2})?(?:http(?:/[\d.]{1,3})? ?)?"
)
NO_FILE = r"(?:no such file or directory|permission denied|not a directory|is a directory)"
TOOL_FAILURE = (
    r"(?:tool execution failed|tool call failed|tool error|unknown tool|tool not found"
    r"|error (?:executing|calling|running) tool)"
)
SYSTEM_CODE = (
    r"(?:ENOENT|EACCES|EPERM|EEXIST|ENOTDIR|EISDIR|ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT"
    r"|ENOTFOUND|EPIPE"
    r"|EAI_AGAIN|EADDRINUSE|EHOSTUNREACH)"
)
AGAIN = r"(?: please try again[^.\n]{0,60}[.!]?)?"
WHOLE_LINES = (
    rf"{LEAD}{STATUS_LEAD}(?:\(?[45]\d\d\)?:?[ -]{{0,3}})?{STATUS_NAME}(?: for url: \S{{1,500}})?[.!]?",
    # one word may be an answer ("a synonym for banned"), so these need their number
    rf"{LEAD}{STATUS_LEAD}\(?[45]\d\d\)?:?[ -]{{0,3}}(?:unauthorized|forbidden|overloaded|not found"
    r"|bad request)[.!]?",
    r"(?:\w{0,30}error: )?request failed with status code [45]\d\d\.?",
    rf"{LEAD}(?:request timed out(?: after \d{{1,6}} ?\w{{1,12}})?"
    r"|connection error|fetch failed|socket hang up)[.!]?",
    r"error: (?:connection (?:refused|reset by peer|timed out|closed|aborted)|network error|terminated)[.!]?",
    r"error: (?:timeout|timed out|the operation was aborted|aborted|unknown error)[.!]?",
    rf"(?:error: )?(?:connect|read|getaddrinfo|spawn|listen) {SYSTEM_CODE}\b.{{0,200}}",
    rf"(?:error: )?{SYSTEM_CODE}: .{{1,300}}",
    r"(?:error|exception): http (?:error )?[45]\d\d",
    r"error: (?:could not|cannot|failed to|unable to) connect to [^\n]{1,200}",
    rf"{LEAD}(?:api |model )?rate limit (?:was |has been )?(?:reached|exceeded|hit)[.!]?{AGAIN}",
    r"the (?:ai|model|llm)(?: service| provider| server)? is (?:temporarily |currently )?"
    rf"(?:overloaded|unavailable|at capacity)[.!]?{AGAIN}",
    r"llm request (?:rejected|failed): [^\n]{1,500}",
    r"error \d{4} \(\w{5}\)(?: at line \d+)?: [^\n]{1,300}",
    r"error in [^\n]{1,200} : [^\n]{1,300}(?:\n[^\n]{0,200})?\nexecution halted",
    r"(?:error: )?context (?:deadline exceeded|canceled)",
    r"(?:error|exception): (?:\w{1,40}\.){0,6}\w{1,60}(?:error|exception): [^\n]{1,300}",
    r"(?:could not|failed to) parse (?:llm|model|agent) (?:output|response): (?:[^\n]|\n(?!\n)){1,2900}",
    r"(?:\w{1,30}error: )?\[errno -?\d{1,4}\] .{1,200}",
    r"curl: \(\d{1,3}\) .{1,300}",
    rf"(?:error: )?{TOOL_FAILURE}(?: [\w.'\"`-]{{1,60}})?: .{{1,400}}",
    r"(?:bash|sh|zsh|dash|fish|/bin/\w{1,6}|\S{1,80}\.sh):(?: line)?(?: ?\d{1,5}:)? [^:;\n]{1,200}: "
    rf"(?:(?:command )?not found|{NO_FILE})",
    r"zsh: command not found: \S{1,100}",
    r"\S{1,60}: command not found",
    rf"(?:cat|ls|cp|mv|rm|cd|grep|head|tail|mkdir|chmod): [^;\n]{{1,200}}: {NO_FILE}",
    rf"(?:/\S{{0,100}}/)?python3?: can't open file [^\n]{{1,300}}: (?:\[errno \d+\] )?{NO_FILE}",
    r"'[^'\n]{1,100}' is not recognized as an internal or external command,?\s+operable program or "
    r"batch file\.?",
    r"[^\n]{1,200} : the term '[^'\n]{1,100}' is not recognized as (?:the )?name of a "
    r"cmdlet[^\n]{0,400}(?:\n[^\n]{0,200}){0,9}",
    r"(?:segmentation fault|bus error|aborted|illegal instruction) \(core dumped\)",
    r"fatal: (?:not a git repository|unable to access|could not read|authentication failed"
    r"|repository ')[^\n]{0,300}",
)


def _any_of(*patterns: str) -> str:
    return f"(?:{'|'.join(patterns)})"


PROVIDER_ERROR = re.compile(f"{LEAD}{_any_of(*PROVIDER_STARTS)}", re.IGNORECASE)
ERROR_LINE = re.compile(rf"{_any_of(*WHOLE_LINES)}\Z", re.IGNORECASE)
EXCEPTION_NAME = (
    r"(?:(?:[A-Za-z_$][\w$]{0,60}\.){0,8}[A-Z]\w{1,60}(?:Error|Exception)"
    r"|(?:[a-z_]\w{0,60}\.){1,4}(?:errors|exceptions)\.[A-Z]\w{1,60})"
)
NO_MESSAGE = r"(?:(?:is|are|means|occurs|happens|raised|thrown|when|should|must|now)\b|[\d.,% ]+\Z)"
"""How a definition, a review or a measure goes on after a word that ends in Error."""
EXCEPTION_LINE = re.compile(
    rf"(?:Uncaught )?(?:KeyError: \d{{1,20}}|{EXCEPTION_NAME}: (?!{NO_MESSAGE})"
    r"(?=['\"\[(<]|\S+ +\S|(?<=Exception: ))[^\n]{1,500}"
    r"(?:\nLINE \d+: [^\n]{0,500}(?:\n[ ^]{0,500})?)?)\Z"
)


def error_line(text: str) -> str | None:
    """What kind of error line the whole text is, or None."""
    if len(text) > MESSAGE_LIMIT:
        return None
    text = undecorated(text)
    if PROVIDER_ERROR.match(text) and not _goes_on(text):
        return "a provider's error"
    if ERROR_LINE.match(text):
        return "a bare error line"
    return None


def exception_line(text: str) -> str | None:
    """Whether the whole text is the name and message of one exception; a title may have that form too."""
    return "a bare exception" if EXCEPTION_LINE.match(undecorated(text[:MESSAGE_LIMIT])) else None


def _goes_on(text: str) -> bool:
    """Whether a paragraph follows the error: it may explain it."""
    _, gap, rest = text.partition("\n\n")
    return bool(gap) and not rest.lstrip().startswith(("{", "[", "Traceback"))
