"""Servers of one's own that speak OpenAI's language: where each listens, and where its context is set."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LocalServer:
    """`variable`: the suggested name of what holds its address. `names`, `context`: where those stand."""

    key: str
    label: str
    variable: str
    address: str
    names: str
    context: str


SERVERS = {
    server.key: server
    for server in (
        LocalServer(
            "ollama",
            "Ollama",
            "VERA_JUROR_OLLAMA_URL",
            "http://127.0.0.1:11434/v1",
            "“ollama list” shows the models' names, such as qwen3:8b.",
            "Ollama cuts the beginning of what does not fit and says nothing. “ollama ps” shows the context "
            "of a loaded model; OLLAMA_CONTEXT_LENGTH sets it when the server starts.",
        ),
        LocalServer(
            "vllm",
            "vLLM",
            "VERA_JUROR_VLLM_URL",
            "http://127.0.0.1:8000/v1",
            "The name after “vllm serve”, such as Qwen/Qwen3-8B, or its --served-model-name.",
            "vLLM's --max-model-len; its log says it at the start.",
        ),
        LocalServer(
            "llama_cpp",
            "llama.cpp",
            "VERA_JUROR_LLAMACPP_URL",
            "http://127.0.0.1:8080/v1",
            "llama-server answers under any name; its --alias is the one it gives in its answers.",
            "llama-server's --ctx-size, divided by --parallel.",
        ),
        LocalServer(
            "other",
            "Another one",
            "VERA_JUROR_LOCAL_URL",
            "http://127.0.0.1:8080/v1",
            "“curl ADDRESS/models” mostly lists them.",
            "See the server's own settings.",
        ),
    )
}
