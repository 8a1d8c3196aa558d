"""Any endpoint that speaks OpenAI's `/chat/completions`: OpenAI, vLLM, llama.cpp, LiteLLM, Mistral, … and Gemini's.

Services differ in what they take. A request that is refused with words about one of its fields is sent again without
it, and the client remembers: `max_tokens` becomes `max_completion_tokens`, `temperature` is left out, a JSON schema
becomes JSON mode and then words alone.
"""

import re
from typing import Any

from memory.engine.language_model import Message
from memory.stores.llm.service import Ask, Said, ServiceModel, count

_VERSION = re.compile(r"/v\d+[a-z0-9]*(/|$)")
_ABOUT_FORM = re.compile(r"response_?format|json_schema|json_object|json mode")
_FORMS = ("schema", "object", "words")


class OpenAI(ServiceModel):
    """`POST {base}/chat/completions`. The key is optional, as local servers need none."""

    default_url = "https://api.openai.com/v1"
    path = "/chat/completions"
    _form = 0
    _limit = "max_tokens"
    _warm = True

    def base_url(self, url: str) -> str:
        """`url` up to what comes before `/chat/completions`; `/v1` is added when the path names no version."""
        url = url.removesuffix("/chat/completions").rstrip("/")
        return url if _VERSION.search(url) else url + "/v1"

    def body(self, ask: Ask) -> dict[str, Any]:
        """The request."""
        form = _FORMS[self._form]
        messages = ask.messages if ask.schema is None or form == "schema" else ask.spelled_out()
        body: dict[str, Any] = {"model": self.model, "messages": written(messages), self._limit: ask.max_tokens}
        if self._warm:
            body["temperature"] = ask.temperature
        if ask.schema is not None and form == "schema":
            named = {"name": "reply", "strict": True, "schema": dict(ask.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif ask.schema is not None and form == "object":
            body["response_format"] = {"type": "json_object"}
        return body

    def learn(self, complaint: str) -> bool:
        """Leave out what the service complains about."""
        if "max_tokens" in complaint and self._limit == "max_tokens":
            self._limit = "max_completion_tokens"
        elif "temperature" in complaint and self._warm:
            self._warm = False
        elif _ABOUT_FORM.search(complaint) and _FORMS[self._form] != "words":
            self._form += 1
        else:
            return False
        return True

    def read(self, answer: Any) -> Said:
        """The first choice."""
        choice = answer["choices"][0]
        message, usage = choice["message"], answer.get("usage") or {}
        why = choice.get("finish_reason")
        return Said(
            text_of(message.get("content")),
            cut=why == "length",
            refused=why == "content_filter" or bool(message.get("refusal")),
            tokens_in=count(usage.get("prompt_tokens")),
            tokens_out=count(usage.get("completion_tokens")),
            model=str(answer.get("model") or "")[:100],
        )


class Gemini(OpenAI):
    """Gemini through its OpenAI-compatible endpoint, thinking off where the model can do without."""

    default_url = "https://generativelanguage.googleapis.com/v1beta/openai"
    _quick = True

    def body(self, ask: Ask) -> dict[str, Any]:
        """The request."""
        return super().body(ask) | ({"reasoning_effort": "none"} if self._quick else {})

    def learn(self, complaint: str) -> bool:
        """Leave out what the service complains about."""
        if self._quick and re.search(r"reasoning|thinking|budget", complaint):
            self._quick = False
            return True
        return super().learn(complaint)


def written(messages: Any) -> list[dict[str, str]]:
    """Messages as both OpenAI and Ollama take them; what no encoder takes (half a surrogate, NUL) becomes a space."""
    return [{"role": message.role, "content": _fit(message)} for message in messages]


def _fit(message: Message) -> str:
    return re.sub("[\x00\ud800-\udfff]", " ", message.text)


def text_of(content: Any) -> str:
    """A message's text: a string, or a list of parts. Raises TypeError for anything else but None."""
    if content is None:
        return ""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type", "text") == "text")
    if not isinstance(content, str):
        raise TypeError("content is neither text nor parts")
    return content
