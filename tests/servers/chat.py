"""A scripted language model: what a chat service answers, in OpenAI's and in Ollama's form.

with ScriptedServer(answers("Paris.")) as server:
    server.script(replies("```json\\n{}\\n```"), ok())
"""

import json
from collections.abc import Callable
from typing import Any

from tests.servers.scripted import Answer, Behaviour, Request


def answers(text: str | Callable[[Request], str] = "Yes.") -> Answer:
    """What makes the good answers: `text`, or what it makes of the request."""

    def answer(request: Request) -> Any:
        said = text if isinstance(text, str) else text(request)
        if request.path.endswith("/api/chat"):
            return {
                "model": request.json["model"],
                "message": {"role": "assistant", "content": said},
                "done": True,
                "done_reason": "stop",
                "prompt_eval_count": 11,
                "eval_count": 3,
            }
        return {
            "id": "c1",
            "object": "chat.completion",
            "model": request.json["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
        }

    return answer


def replies(content: Any, *, cut: bool = False, **more: Any) -> Behaviour:
    """The good answer with this content; `cut` at the limit of tokens; `more` goes into the message."""

    def change(said: dict[str, Any]) -> dict[str, Any]:
        inner = said if "message" in said else said["choices"][0]
        inner["message"] |= {"content": content, **more}
        inner["done_reason" if inner is said else "finish_reason"] = "length" if cut else "stop"
        return said

    return Behaviour("replies", mangle=change)


def replies_json(value: Any, **more: Any) -> Behaviour:
    """The good answer with `value` as JSON."""
    return replies(json.dumps(value), **more)


def prompt_of(request: Request) -> str:
    """All that the messages of a request say."""
    return "\n".join(message["content"] for message in request.json["messages"])
