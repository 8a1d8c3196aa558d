"""Prompts and resources that only have to be there."""

import json
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import AssistantMessage, UserMessage

from tests.mcp.scenery.media import image, pixel, resource


def test_simple_prompt() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt for testing."


def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """A prompt with two."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage | AssistantMessage]:
    """A prompt that brings a resource with it."""
    return [
        UserMessage(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
        UserMessage("Please process the embedded resource above."),
    ]


def test_prompt_with_image() -> list[UserMessage | AssistantMessage]:
    """A prompt that brings a picture with it."""
    return [UserMessage(image()), UserMessage("Please analyze the image above.")]


PROMPTS: list[Callable[..., Any]] = [
    test_simple_prompt,
    test_prompt_with_arguments,
    test_prompt_with_embedded_resource,
    test_prompt_with_image,
]


def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


def static_binary() -> bytes:
    """A picture."""
    return pixel()


def watched() -> str:
    """A resource that can be subscribed to."""
    return "Watched."


def template(id: str) -> str:
    """A resource for each id."""
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


RESOURCES: dict[str, tuple[str, Callable[..., str | bytes]]] = {
    "test://static-text": ("text/plain", static_text),
    "test://static-binary": ("image/png", static_binary),
    "test://watched-resource": ("text/plain", watched),
    "test://template/{id}/data": ("application/json", template),
}
