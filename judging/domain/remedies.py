"""Why a single question to a judge brought no verdict, and what somebody who tries the judge can do."""

from judging.domain.reasons import PAUSE_SENTENCES, SKIP_SENTENCES, PauseReason, SkipReason


def remedy(code: str, *, model: str, key_env: str, address_env: str, answered: str = "") -> str:
    """A sentence or two for a reason code, naming the judge's own model and variables, and who `answered`."""
    key = f"the key in {key_env}" if key_env else "the key that the workers' environment has for it"
    key_name = key_env or "the provider's usual variable"
    place = f"the address in {address_env}" if address_env else "the provider's own address"
    known: dict[str, str] = {
        PauseReason.AUTHENTICATION: (
            f"The provider does not accept {key}. Put a valid one into {key_name} for the workers, "
            "restart them and try again."
        ),
        PauseReason.PERMISSION_DENIED: (
            f"The provider knows {key}, which may not use “{model}”. Allow it there, or use another key."
        ),
        PauseReason.UNKNOWN_MODEL: (
            f"The provider does not know “{model}”. Correct the model's name in a new version of this judge: "
            "PROVIDER/NAME as litellm spells it, or openai/NAME for a server of your own, with its address "
            "ending in /v1."
        ),
        PauseReason.NO_CREDIT: f"The account of {key} has no credit left. Add some, then try again.",
        PauseReason.UNSUPPORTED_PARAMETER: (
            f"“{model}” does not take one of the judge's parameters. Take it out in a new version."
        ),
        SkipReason.UNAVAILABLE: (
            f"The workers cannot reach {place}, or it failed each time it was asked. See that the server "
            "runs and that the workers' machine reaches it; inside a container, 127.0.0.1 is the container "
            "itself."
        ),
        SkipReason.TIMEOUT: (
            f"Nothing answered in time at {place}. See that the server runs and is not overloaded, or raise "
            "VERA_CALL_TIMEOUT for the workers."
        ),
        SkipReason.RATE_LIMITED: (
            f"The provider kept refusing because of too many calls with {key}. Wait a while, raise the limit "
            "there, or have an administrator set on the page Providers what it allows."
        ),
        SkipReason.WRONG_MODEL: (
            f"{f'“{answered}”' if answered else 'Another model'} answered where “{model}” was asked. Where "
            "that is the model that is meant, pin it in a new version: the parameter “expect_model” with "
            f"{f'the value “{answered}”' if answered else 'the name that answers'}. “answers_as” takes "
            "dated variants of a name, too."
        ),
        SkipReason.CONTEXT_TOO_LONG: (
            f"The question and its longest reply do not fit into the context of “{model}”. Where the model "
            "takes more than its parameter “context_tokens” says, correct that in a new version; a server of "
            "your own may be started with a larger context. Else take a model that takes in more."
        ),
    }
    return known.get(code) or _SENTENCES[code]


_SENTENCES = {str(code): sentence for code, sentence in [*PAUSE_SENTENCES.items(), *SKIP_SENTENCES.items()]}
