"""Whether the model that answered is the one that was asked, as far as names can tell."""

import re

_DATE = r"(?:\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{2}-\d{2}|\d{8}|\d{6}|\d{4})"
_VERSION = r"(?:v\d+(?:\.\d+)*|\d{3})"
# `8b`, `8x7b`, `1.5b`; `a3b` are those in use. Who asks a judge means the one that follows instructions.
_SIZE = r"(?:(?:\d+x)?[ae]?\d+(?:\.\d+)?[bm](?:[-_](?:instruct|chat|it))?)"
_QUANTISATION = (
    r"(?:i?q\d(?:_[01248ksmlx]+){0,3}|fp(?:8|16|32)|bf16|f16|f32|int[48]|w\d+a\d+|[48]bit"
    r"|mxfp4|nf4|awq|gptq|gguf|ggml|exl2|mlx)"
)
_PART = rf"[-_.@:](?:{_DATE}|{_VERSION}|{_SIZE}|{_QUANTISATION})(?![a-z0-9])"
# What stands behind a colon or an at sign is a tag of the very model.
_TAG = r"(?::(?:\d+|latest|instruct|chat|it|free)|@(?:latest|default))(?![a-z0-9])"
_VARIANT = re.compile(rf"(?:{_PART}|{_TAG})*+\Z")  # without going back: in linear time
_MOVES = re.compile(r"(?:\A|[-:@])latest\Z")
_MAKER = re.compile(r"[-_.:@]")


def is_same(asked: str, answered: str) -> bool:
    """Whether a model of the name `answered` may answer where `asked` was asked; prefixes do not count.

    Behind the asked name only a date, a version, a size or a quantisation may follow: `gpt-4o-mini` is not
    `gpt-4o`. Of a name that says that it moves (`gemini-flash-latest`) the maker's first word is compared,
    and nothing where anybody may answer (`openrouter/auto`).
    """
    wanted, given = _bare(asked), _bare(answered)
    if wanted == "auto":
        return True
    if _MOVES.search(wanted):
        return _maker(wanted) == _maker(given)
    return given.startswith(wanted) and _VARIANT.match(given[len(wanted) :]) is not None


def _bare(model: str) -> str:
    return model.strip().rsplit("/", 1)[-1].lower()


def _maker(name: str) -> str:
    return _MAKER.split(name, maxsplit=1)[0]
