# ruff: noqa: E501 - a case a line
"""Failed runs that the text alone proves. Each row: name, candidate, request, criteria, check, why."""

import pytest

from judging.domain.precheck import Case, Layer1, run_precheck

ANSWERS = "answers_request: The output answers the request."
JSON = "valid_json: The output must be one valid JSON document."
NGINX = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
    "<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n"
)
CLOUDFLARE = (
    "<!DOCTYPE html><html lang='en-US'><head><title>Just a moment...</title></head>"
    "<body><script src='/cdn-cgi/challenge-platform/x'></script></body></html>"
)
Row = tuple[str, str, str, str, str, str]

# fmt: off
EMPTY: list[Row] = [
    ("empty", "", "Write a poem.", ANSWERS, "empty_output", "nothing came back"),
    ("nul-only", "\x00\x00", "Write a poem.", ANSWERS, "empty_output", "no visible character"),
    ("hangul-filler", "\u3164\u3164 ", "Write a poem.", ANSWERS, "empty_output", "fillers look like nothing"),
    ("colour-codes-only", "\x1b[0m\x1b[K\n", "Run it.", ANSWERS, "empty_output", "codes draw nothing"),
    ("html-blanks", "&nbsp; <br/>&nbsp;", "Write a poem.", ANSWERS, "empty_output", "all of it renders blank"),
    ("empty-denied", "", "", "summarise the call; it must not be empty", "empty_output", "empty is forbidden"),
    ("empty-subject", "", "", "describe the empty state of the page", "empty_output", "empty is the topic only"),
    ("fence", "```json\n```", "Return the list.", ANSWERS, "empty_output", "a fence around nothing"),
    ("fence-open", "```", "Draft the reply.", ANSWERS, "empty_output", "a fence mark alone"),
    ("think-closed", "<think>They want a capital.</think>\n", "Capital of Peru?", ANSWERS, "empty_output", "no answer"),
    ("null-for-prose", "null", "Draft a reply to the customer.", ANSWERS, "empty_output", "no letter says null"),
    ("undefined", "undefined", "Draft the invitation.", ANSWERS, "empty_output", "a variable leaked"),
    ("none-for-prose", "None", "Write a haiku about rain.", ANSWERS, "empty_output", "Python's None"),
    ("quotes", '""', "Write a haiku about rain.", ANSWERS, "empty_output", "an empty JSON string"),
    ("n/a-no-request", "n/a", "", "return a value", "empty_output", "the founding case in lower case"),
    ("null-count", "null", "How many orders are open?", ANSWERS, "empty_output", "a count is a number"),
    ("undefined-who", "undefined", "Who signed the contract?", ANSWERS, "empty_output", "no such person"),
]
FLAGS: list[Row] = [
    ("fenced", '```json\n{"success": false}\n```', "Book it.", ANSWERS, "unmarked_failure", "fence is no shield"),
    ("slack", '{"ok": false, "error": "no_such_channel"}', "Post it.", ANSWERS, "unmarked_failure", "ok=false"),
    ("python", "{'success': False, 'result': None}", "Book it.", ANSWERS, "unmarked_failure", "Python quotes"),
    ("bom", '\ufeff{"success": false}', "Book it.", ANSWERS, "unmarked_failure", "byte order mark before it"),
    ("zero-width", '\u200b{"success": false}\u200b', "Book it.", ANSWERS, "unmarked_failure", "invisible wrapping"),
    ("status", '{"status": "error", "message": "db down"}', "Book it.", ANSWERS, "unmarked_failure", "status only"),
    ("complaint", '{"success": false, "error": "expected str, got null"}', "Book it.", ANSWERS, "unmarked_failure",
     "'expected' inside a type complaint frames nothing"),
    ("unexpected", '{"success": false, "error": "unexpected end"}', "Book it.", ANSWERS, "unmarked_failure",
     "unexpected is the opposite of expected"),
    ("not-acceptable", '{"success": false}', "", "a failure is not acceptable", "unmarked_failure", "denied framing"),
    ("no-errors", '{"success": false}', "", "complete the action without errors", "unmarked_failure",
     "errors are named as unwanted"),
    ("list-of-one", '[{"isError": true, "content": []}]', "Read it.", ANSWERS, "unmarked_failure", "list of one"),
    ("nested-also", '{"success": false, "items": [{"success": true}]}', "Import.", ANSWERS, "unmarked_failure",
     "the top level decides"),
    ("rubric-question", '{"success": false}', "Book it.", "Does the output confirm the booking?", "unmarked_failure",
     "the rubric asks about the output, the user asked for a booking"),
]
TRACES: list[Row] = [
    ("chained", "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nKeyError: 'a'\n\n"
     "During handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n"
     "  File \"a.py\", line 3, in <module>\n    f()\nRuntimeError: no a\n", "Sum the rows.", ANSWERS, "error_leak",
     "two exceptions, one output"),
    ("cut-off", "Traceback (most recent call last):\n  File \"a.py\", line 1, in f", "Sum the rows.", ANSWERS,
     "error_leak", "a trace without its last line"),
    ("custom-error", "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\napp.errors.NoRoute: x",
     "Sum the rows.", ANSWERS, "error_leak", "an exception not named Error"),
    ("fenced", "```\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nKeyError: 'a'\n```",
     "Sum the rows.", ANSWERS, "error_leak", "a fence is no explanation"),
    ("prefixed", "Tool error: Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nKeyError: 'a'",
     "Sum the rows.", ANSWERS, "error_leak", "with the tool's prefix"),
    ("logged", "2024-05-01 10:00:00,123 ERROR agent failed\nTraceback (most recent call last):\n"
     "  File \"a.py\", line 1, in f\n    g()\nKeyError: 'a'", "Sum the rows.", ANSWERS, "error_leak", "a log line first"),
    ("escaped", "\"Traceback (most recent call last):\\n  File \\\"a.py\\\", line 1, in f\\nKeyError: 'a'\\n\"",
     "Sum the rows.", ANSWERS, "error_leak", "the trace as one JSON string"),
    ("lost-escape", "[31mTraceback[0m (most recent call last):\n  File \"a.py\", line 1, in f\n[1;31mKeyError[0m: 'a'",
     "Sum the rows.", ANSWERS, "error_leak", "colour codes that lost their escape character"),
    ("cr-only", "Traceback (most recent call last):\r  File \"a.py\", line 1, in f\r    g()\rKeyError: 'a'\r",
     "Sum the rows.", ANSWERS, "error_leak", "carriage returns as line ends"),
    ("pydantic", "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\npydantic_core.ValidationError: "
     "1 validation error for Plan\nstart\n  Field required [type=missing, input_value={}]\n    For further information visit x",
     "Plan a trip.", ANSWERS, "error_leak", "a message of several lines"),
    ("syntax", "File \"a.py\", line 3\n    x = = 1\n        ^\nSyntaxError: invalid syntax", "Sum the rows.", ANSWERS,
     "error_leak", "no traceback line, still Python's"),
    ("node", "TypeError: Cannot read properties of undefined (reading 'id')\n    at run (/srv/app.js:4:11)\n"
     "    at async main (/srv/app.js:9:3)\n\nNode.js v20.11.0\n", "List the orders.", ANSWERS, "error_leak", "JavaScript"),
    ("node-source", "/srv/app.js:4\n  return o.id\n           ^\n\nTypeError: o is undefined\n    at run (/srv/app.js:4:11)",
     "List the orders.", ANSWERS, "error_leak", "JavaScript with the line shown"),
    ("java-package", "java.lang.NullPointerException\n\tat a.B.c(B.java:1)\n\t... 3 more\nCaused by: a.Lost: x",
     "List the orders.", ANSWERS, "error_leak", "JVM without a thread line"),
    ("csharp", "Unhandled exception. System.InvalidOperationException: empty\n   at A.B.C() in /x/B.cs:line 12\n"
     "   at A.Main()", "List the orders.", ANSWERS, "error_leak", ".NET"),
    ("go", "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n"
     "\t/srv/main.go:8 +0x1d\nexit status 2\n", "List the orders.", ANSWERS, "error_leak", "Go"),
    ("rust", "thread 'main' panicked at src/main.rs:4:5:\nno config\nnote: run with `RUST_BACKTRACE=1` environment variable "
     "to display a backtrace\n", "List the orders.", ANSWERS, "error_leak", "Rust"),
    ("ruby", "app.rb:3:in 'total': undefined method 'sum' for nil (NoMethodError)\n\tfrom app.rb:7:in '<main>'\n",
     "Sum the rows.", ANSWERS, "error_leak", "Ruby"),
    ("php", "PHP Fatal error:  Uncaught Exception: no row in /srv/a.php:3\nStack trace:\n#0 {main}\n  thrown in /srv/a.php "
     "on line 3", "Sum the rows.", ANSWERS, "error_leak", "PHP"),
    ("cpp", "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector\nAborted (core dumped)",
     "Sum the rows.", ANSWERS, "error_leak", "C++"),
    ("postgres", 'ERROR:  relation "orders" does not exist\nLINE 1: SELECT * FROM orders\n                      ^',
     "How many orders are open?", ANSWERS, "error_leak", "the database's own words"),
    ("npm", "npm ERR! code ENOENT\nnpm ERR! path /srv/package.json", "Build the site.", ANSWERS, "error_leak", "npm"),
    ("bare", "KeyError: 'channel'", "", "route the item", "error_leak", "an exception and nothing else"),
    ("fix-request", "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nKeyError: 'a'",
     "Fix the error in a.py.", ANSWERS, "error_leak", "a fix was asked for, not a trace"),
    ("unwanted", "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nKeyError: 'a'", "Sum the rows.",
     "The output must not be an error message or a traceback.", "error_leak", "criteria forbid what it is"),
]
LINES: list[Row] = [
    ("401", "Error code: 401 - {'error': {'message': 'bad key'}}", "Draft a reply.", ANSWERS, "error_leak", "key"),
    ("litellm", "litellm.RateLimitError: RateLimitError: OpenAIException - slow down", "Draft a reply.", ANSWERS,
     "error_leak", "the client library's words"),
    ("anthropic", '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "Draft a reply.",
     ANSWERS, "error_leak", "provider's object"),
    ("api-error", 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
     "Draft a reply.", ANSWERS, "error_leak", "object after a prefix"),
    ("gemini", '[{"error": {"code": 503, "message": "try later", "status": "UNAVAILABLE"}}]', "Draft a reply.",
     ANSWERS, "error_leak", "object in a list"),
    ("rpc", '{"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "bad params"}}', "Read the file.",
     ANSWERS, "error_leak", "JSON-RPC"),
    ("graphql", '{"data": null, "errors": [{"message": "no such field"}]}', "List the users.", ANSWERS, "error_leak",
     "errors and no data"),
    ("string", '{"error": "connection refused"}', "List the users.", ANSWERS, "error_leak", "error and nothing else"),
    ("true", '{"error": true, "message": "db down", "data": null}', "List the users.", ANSWERS, "error_leak", "flag"),
    ("gateway", '{"message": "Internal server error"}', "List the users.", ANSWERS, "error_leak", "API gateway"),
    ("detail", '{"detail": "Not authenticated"}', "List the users.", ANSWERS, "error_leak", "web framework"),
    ("500", "Internal Server Error", "List the users.", ANSWERS, "error_leak", "status line"),
    ("502", "502 Bad Gateway", "What is the capital of Peru?", ANSWERS, "error_leak", "status line to a question"),
    ("envoy", "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
     "List the users.", ANSWERS, "error_leak", "proxy"),
    ("axios", "AxiosError: Request failed with status code 500", "List the users.", ANSWERS, "error_leak", "client"),
    ("context", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
     "Summarise the book.", ANSWERS, "error_leak", "input too long"),
    ("quota", "You exceeded your current quota, please check your plan and billing details.", "Draft a reply.",
     ANSWERS, "error_leak", "no credit"),
    ("aws", "An error occurred (ThrottlingException) when calling the InvokeModel operation: Too many requests",
     "Draft a reply.", ANSWERS, "error_leak", "cloud client"),
    ("pool", "HTTPSConnectionPool(host='api.example.com', port=443): Max retries exceeded with url: /v1",
     "Draft a reply.", ANSWERS, "error_leak", "client"),
    ("tool", "Error executing tool search_orders: missing argument 'status'", "Count the open orders.", ANSWERS,
     "error_leak", "the framework's tool message"),
    ("shell", "bash: jq: command not found", "Count the open orders.", ANSWERS, "error_leak", "shell"),
    ("cat", "cat: config.toml: No such file or directory", "Tell me the port.", ANSWERS, "error_leak", "shell"),
    ("windows", "'jq' is not recognized as an internal or external command,\r\noperable program or batch file.",
     "Count the open orders.", ANSWERS, "error_leak", "shell"),
    ("llm-prefix", "LLM call failed: Error code: 500 - {'error': 'x'}", "Plan a trip.", ANSWERS, "error_leak", "prefix and provider error"),
    ("call-prefix", "Failed to call LLM: 503 Service Unavailable", "Plan a trip.", ANSWERS, "error_leak", "prefix and status"),
    ("403-number", "403 Forbidden", "Plan a trip.", ANSWERS, "error_leak", "a number makes it a status"),
    ("cuda", "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB", "Plan a trip.", ANSWERS, "error_leak", "the runtime speaks"),
    ("mcp", "MCP error -32602: Invalid arguments", "Plan a trip.", ANSWERS, "error_leak", "protocol error"),
    ("model", "{\"error\": {\"message\": \"The model `x` does not exist\", \"type\": \"invalid_request_error\"}}", "Plan a trip.", ANSWERS, "error_leak", "provider object"),
    ("enoent", "Error: ENOENT: no such file or directory, open '/srv/a.json'", "Tell me the port.", ANSWERS, "error_leak", "runtime"),
    ("bold", "**Error:** Error code: 429 - {'error': {'message': 'slow down'}}", "Draft it.", ANSWERS, "error_leak", "bold marks"),
    ("sign", "⚠️ Error code: 429 - {'error': {'message': 'slow down'}}", "Draft it.", ANSWERS, "error_leak", "warning sign"),
]
SCHEMA: list[Row] = [
    ("prose", "Here you go: name Ada.", "Return it as JSON.", JSON, "schema_violation", "no JSON in it"),
    ("cut", '{"a": 1, "b": [1, 2', "Return it.", JSON, "schema_violation", "cut off"),
    ("html", "<!doctype html><html><body>Sign in</body></html>", "Return it.", JSON, "schema_violation", "a login page"),
    ("trailing-comma", '{"a": 1,}', "Return it.", JSON, "schema_violation", "RFC 8259 has no trailing comma"),
    ("single-quotes", "{'a': 1}", "Return it.", JSON, "schema_violation", "Python's way of printing"),
    ("comment", '{"a": 1 // one\n}', "Return it.", JSON, "schema_violation", "RFC 8259 has no comments"),
    ("infinity", "[-Infinity]", "Return it.", JSON, "schema_violation", "RFC 8259 has no Infinity"),
    ("python-true", '{"a": True}', "Return it.", JSON, "schema_violation", "Python's True"),
    ("two", '{"a": 1}\n{"a": 2}', "Return it.", JSON, "schema_violation", "two documents where one is due"),
    ("then-prose", '{"a": 1}\n\nLet me know!', "Return it.", JSON, "schema_violation", "prose after the document"),
    ("raw-newline", '{"a": "x\ny"}', "Return it.", JSON, "schema_violation", "a raw line break in a string"),
    ("repeated", '{"a": 1, "a": 2}', "", "return strict JSON", "schema_violation", "strict: names once"),
    ("fenced-cut", "```json\n[1, 2,", "Return it.", JSON, "schema_violation", "a fence that never closes, cut"),
    ("only", "yes", "", "Respond with JSON only", "schema_violation", "JSON only"),
    ("as-object", "yes", "", "Return the totals as a JSON object with keys sum and count", "schema_violation", "as JSON"),
    ("parses", "yes", "", "The response must parse as JSON.", "schema_violation", "must parse"),
    ("not-fenced", "yes", "", "Output: valid JSON, no markdown", "schema_violation", "'no' is about markdown"),
]
OTHER: list[Row] = [
    ("nginx", NGINX, "Summarise the quarterly report.", ANSWERS, "error_page", "a proxy's error page"),
    ("nginx-page", NGINX, "Summarise the page at https://example.com/a.", ANSWERS, "error_page", "never the summary"),
    ("cloudflare", CLOUDFLARE, "Summarise the quarterly report.", ANSWERS, "error_page", "a bot check"),
    ("s3", '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><Message>x</Message></Error>', "Sum it.", ANSWERS,
     "error_page", "a storage error"),
    ("express", "<!DOCTYPE html>\n<html><head><title>Error</title></head><body><pre>Cannot GET /a</pre></body></html>",
     "Sum it.", ANSWERS, "error_page", "a web framework's page"),
    ("max-iterations", "Agent stopped due to max iterations.", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("max-steps", "Maximum number of steps reached.", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("reached", "Reached maximum number of iterations (15).", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("turns", "Error: Reached max turns (5)", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("recursion", "Recursion limit of 25 reached without hitting a stop condition. You can increase the limit by setting "
     "the `recursion_limit` config key.", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("more-steps", "Sorry, need more steps to process this request.", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("timed-out", "Task timed out after 300 seconds", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("interrupted", "[Request interrupted by user]", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("think-alone", "<think>\n", "Capital of Peru?", ANSWERS, "unfinished_reasoning", "a tag and nothing"),
    ("thinking-cut", "<thinking>First I compare the two fares, then the", "Which fare is cheaper?", ANSWERS,
     "unfinished_reasoning", "cut after an article"),
    ("second-cut", "<think>ok</think><think>Now the hotel, which", "Plan a trip.", ANSWERS, "unfinished_reasoning",
     "the second block is cut"),
    ("js-object", "[object Object]", "Draft the invitation.", ANSWERS, "raw_object", "never made into text"),
    ("coroutine", "<coroutine object Agent.run at 0x7f3a2c1d5e40>", "Draft the invitation.", ANSWERS, "raw_object",
     "never awaited"),
    ("terminated", "Agent terminated: maximum number of iterations (10) reached.", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("could-not", "The agent has reached the maximum number of iterations and could not complete the task.", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("underscore", "Agent execution terminated due to max_iterations limit", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("no-final", "Agent reached max iterations without producing a final answer.", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("haproxy", "<html><body><h1>503 Service Unavailable</h1>\nNo server is available.\n</body></html>",
     "Summarise the page at https://example.com/a.", ANSWERS, "error_page", "never the summary"),
    ("graph", "langgraph.errors.GraphRecursionError: Recursion limit of 25 reached without hitting a stop condition.\n"
     "For troubleshooting, visit: https://example.com/errors", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
    ("sorry", "Sorry, I've reached the maximum number of steps.", "Plan a trip.", ANSWERS, "stop_notice", "framework"),
]
# fmt: on
ROWS = [
    pytest.param(*row, id=f"{row[4]}-{row[0]}") for row in EMPTY + FLAGS + TRACES + LINES + SCHEMA + OTHER
]


@pytest.mark.parametrize(("name", "candidate", "request_text", "criteria", "check", "why"), ROWS)
def test_a_proven_failure_is_killed_by_its_check(
    name: str, candidate: str, request_text: str, criteria: str, check: str, why: str
) -> None:
    outcome = run_precheck(Case(candidate, criteria=criteria, request=request_text))

    assert (outcome.verdict, outcome.check) == (Layer1.KILL, check), f"{name}: {why}"
