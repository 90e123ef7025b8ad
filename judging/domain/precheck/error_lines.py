"""One-line errors of model providers, gateways, clients and shells, handed on as the answer."""

import re

MESSAGE_LIMIT = 3_000
"""Longest text taken for an error line: real ones are short."""

SPEAKS_OF_ITSELF = re.compile(
    r"(?:(?:error|api error|exception|llm error|request failed|provider error|failed|litellm error"
    r"|agent error|an error occurred):? ?[-:]? ?){0,2}(?:"
    r"error code: \d{3} ?- ?[{\[<]"
    r"|(?:error )?\d{3}:? \{[\"'](?:error|type|message|detail)[\"']"
    r"|\{[\"'](?:type|error)[\"']: ?(?:[\"']error[\"']|\{[\"'](?:message|code|type|status)[\"'])"
    r"|(?:litellm|openai|anthropic|google|botocore|httpx|httpcore|requests|aiohttp|urllib3|cohere"
    r"|mistralai|groq|openrouter|grpc|langchain\w*)\.[\w.]{0,80}"
    r"(?:error|exception|timeout|exhausted|denied|unavailable|exceeded)\w{0,20}: ?\S"
    r"|(?:ratelimit|authentication|apiconnection|apistatus|apitimeout|internalserver"
    r"|serviceunavailable|badrequest|contextwindowexceeded"
    r"|contentpolicyviolation|permissiondenied|notfound|overloaded|api|throttling|resourceexhausted"
    r"|validation|quotaexceeded)(?:error|exception): ?"
    r"(?:error code|\w{2,30}exception|litellm|openai|anthropic|\d{3}|request timed out"
    r"|connection error|rate limit|an error occurred \()"
    r"|an error occurred \(\w{1,60}\) when calling the \w{1,60} operation"
    r"|(?:\w{1,40}error: )?httpsconnectionpool\(|(?:\w{1,40}error: )?httpconnectionpool\("
    r"|this model's maximum context length is \d+ tokens\.? (?:however|but)"
    r"|prompt is too long: \d+ tokens"
    r"|incorrect api key provided"
    r"|you exceeded your current quota"
    r"|rate limit (?:reached|exceeded) for \S+"
    r"|your credit balance is too low to access"
    r"|the server had an error (?:while )?processing your request"
    r"|that model is currently overloaded"
    r"|the model `[^`\n]{1,100}` (?:does not exist|has been deprecated)"
    r"|the response was filtered due to the prompt triggering"
    r"|upstream connect error or disconnect"
    r"|no healthy upstream\s*\Z"
    r"|\[?googlegenerativeai error\]?:|\[\d{3} (?:too many requests|service unavailable|bad request"
    r"|forbidden|internal server error)\]"
    r"|mcp error -?\d{3,5}:"
    r"|<tool_use_error>"
    r"|resource_exhausted\b|429 resource_exhausted|\d{3} (?:unavailable|permission_denied"
    r"|invalid_argument)\. \{"
    r")",
    re.IGNORECASE,
)
STATUS_LINES = re.compile(
    r"(?:(?:error|http error|http|api error|request failed"
    r"|upstream error)[: ]{1,2})?(?:http(?:/[\d.]{1,3})? ?)?(?:\(?[45]\d\d\)?:?[ -]{0,3})?"
    r"(?:internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out"
    r"|too many requests|unauthorized|forbidden"
    r"|request entity too large|payload too large|overloaded(?:_error)?|method not allowed"
    r"|request time-?out|proxy authentication required)"
    r"(?: for url: \S{1,500})?[.!]?\Z"
    r"|(?:\w{0,30}error: )?request failed with status code [45]\d\d\.?\Z"
    r"|(?:error: )?(?:request timed out|connection error|fetch failed|network error|socket hang up"
    r"|terminated)[.!]?\Z"
    r"|(?:error: )(?:connection (?:refused|reset by peer|timed out|closed|aborted)|timeout|timed out"
    r"|the operation was aborted|aborted|unknown error"
    r"|(?:connect|read|getaddrinfo|spawn|listen) E[A-Z_]{4,20}\b.{0,200})[.!]?\Z"
    r"|(?:\w{1,30}error: )?\[errno -?\d{1,4}\] .{1,200}\Z"
    r"|curl: \(\d{1,3}\) .{1,300}\Z"
    r"|(?:error: )?(?:tool execution failed|error executing tool|error calling tool|tool call failed"
    r"|tool error|error running tool|unknown tool|tool not found)"
    r"(?: [\w.'\"`-]{1,60})?: .{1,400}\Z"
    r"|(?:bash|sh|zsh|/bin/\w{1,6}|dash|fish"
    r"|\S{1,80}\.sh):(?: line)?(?: ?\d{1,5}:)? .{1,200}(?:not found|no such file or directory"
    r"|permission denied"
    r"|syntax error.{0,100}|unbound variable|command not found: \S{1,100})\Z"
    r"|\S{1,60}: command not found\Z"
    r"|(?:cat|ls|cp|mv|rm|cd|grep|python3?|node|head|tail|open|mkdir|chmod)(?::"
    r"| can't)[^\n]{1,300}(?:no such file or directory|permission denied|not a directory)\Z"
    r"|'[^'\n]{1,100}' is not recognized as an internal or external command,?\s+operable program or "
    r"batch file\.?\Z"
    r"|[^\n]{1,200} : the term '[^'\n]{1,100}' is not recognized as (?:the )?name of a cmdlet"
    r"|(?:segmentation fault|bus error|aborted|illegal instruction)(?: \(core dumped\))\Z"
    r"|(?:java\.lang\.)?outofmemoryerror: java heap space\Z"
    r"|fatal: (?:not a git repository|unable to access|could not read|authentication failed"
    r"|repository ')[^\n]{0,300}\Z",
    re.IGNORECASE,
)
RUNTIME_LINES = re.compile(
    r"(?:Uncaught |Error: )?(?:KeyError: (?:'[^'\n]{0,100}'|\"[^\"\n]{0,100}\"|\d{1,20})"
    r"|(?:TypeError|AttributeError|ReferenceError|NameError|ValueError|IndexError|RuntimeError"
    r"|ImportError|ModuleNotFoundError|FileNotFoundError"
    r"|ZeroDivisionError|UnboundLocalError|JSONDecodeError|json\.decoder\.JSONDecodeError|SyntaxError"
    r"|NullPointerException|java\.lang\.\w{1,60}|RangeError"
    r"|TimeoutError|ConnectionError|ConnectionRefusedError|PermissionError|UnicodeDecodeError"
    r"|RecursionError|AssertionError|OSError|NoMethodError): "
    r"(?:'[\w.]{1,60}' object|cannot read propert|[^\n]{0,80}is not (?:defined|a function|iterable"
    r"|subscriptable|callable|JSON serializable)"
    r"|name '|list index out of|string index out of|no module named|\[errno|division by zero"
    r"|could not convert|invalid literal|not enough values"
    r"|too many values|module '|cannot import name|local variable|cannot access local"
    r"|expecting (?:value|property)|extra data|unexpected (?:token|end)"
    r"|unterminated string|maximum (?:call stack|recursion)|unsupported operand"
    r"|[\w.]{1,60}\(\) (?:missing|takes|got)|cannot invoke|'\w{1,20}' codec"
    r"|nonetype|undefined method|argument of type|can only concatenate))[^\n]{0,300}\Z",
    re.IGNORECASE,
)


def error_line(text: str) -> str | None:
    """What kind of error line the whole text is, or None."""
    if len(text) > MESSAGE_LIMIT:
        return None
    if SPEAKS_OF_ITSELF.match(text) and not _goes_on(text):
        return "a provider's error"
    if STATUS_LINES.match(text):
        return "a bare error line"
    return "a bare exception" if RUNTIME_LINES.match(text) else None


def _goes_on(text: str) -> bool:
    """Whether a paragraph follows the error: it may explain it."""
    _, gap, rest = text.partition("\n\n")
    return bool(gap) and not rest.lstrip().startswith(("{", "[", "Traceback"))
