"""Ollama: `POST /api/chat`, not streamed, thinking off."""

from typing import Any

from memory.stores.llm.openai import text_of, written
from memory.stores.llm.service import Ask, Said, ServiceModel, count


class Ollama(ServiceModel):
    """Ollama's own API; the key is for a proxy in front of it."""

    default_url = "http://127.0.0.1:11434"
    path = "/api/chat"
    _thinks = True  # takes the field `think`, which releases before 0.9 do not know
    _schemas = True  # takes a schema, which releases before 0.5 do not

    def base_url(self, url: str) -> str:
        """The server's address, without `/api` or `/v1`."""
        return url.removesuffix("/v1").removesuffix("/api").rstrip("/")

    def body(self, ask: Ask) -> dict[str, Any]:
        """The request."""
        spelled = ask.schema is not None and not self._schemas
        body: dict[str, Any] = {
            "model": self.model,
            "messages": written(ask.spelled_out() if spelled else ask.messages),
            "stream": False,
            "options": {"num_predict": ask.max_tokens, "temperature": ask.temperature},
        }
        if self._thinks:
            body["think"] = False
        if ask.schema is not None:
            body["format"] = dict(ask.schema) if self._schemas else "json"
        return body

    def learn(self, complaint: str) -> bool:
        """Leave out what the server complains about."""
        if "think" in complaint and self._thinks:
            self._thinks = False
        elif "format" in complaint and self._schemas:
            self._schemas = False
        else:
            return False
        return True

    def read(self, answer: Any) -> Said:
        """The message."""
        return Said(
            text_of(answer["message"].get("content")),
            cut=answer.get("done_reason") == "length",
            tokens_in=count(answer.get("prompt_eval_count")),
            tokens_out=count(answer.get("eval_count")),
            model=str(answer.get("model") or "")[:100],
        )
