"""Tools and a prompt that ask the client something before they answer, as 2026-07-28 has it: in the answer itself."""

from collections.abc import Callable
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.mcpserver import Context

Answer = str | types.InputRequiredResult
Given = TypeVar("Given", bound=types.InputResponse)


def _form(message: str, **properties: str) -> types.ElicitRequest:
    """A form whose fields are all required; name and JSON type of each."""
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(question: str, tokens: int = 100) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=question))
    params = types.CreateMessageRequestParams(messages=[message], max_tokens=tokens)
    return types.CreateMessageRequest(params=params)


def _ask(state: str | None = None, **requests: types.InputRequest) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def _answered(ctx: Context, name: str, kind: type[Given]) -> Given | None:
    """What the client answered to one request, if it is of the kind asked for."""
    found = (ctx.input_responses or {}).get(name)
    return found if isinstance(found, kind) else None


def _field(ctx: Context, request: str, name: str) -> str | None:
    """A field of a form that was filled in and accepted."""
    form = _answered(ctx, request, types.ElicitResult)
    value = (form.content or {}).get(name) if form and form.action == "accept" else None
    return None if value is None else str(value)


def test_input_required_result_elicitation(ctx: Context) -> Answer:
    """Asks for a name."""
    name = _field(ctx, "user_name", "name")
    return f"Hello, {name}!" if name else _ask(user_name=_form("What is your name?", name="string"))


def test_streaming_elicitation(ctx: Context) -> Answer:
    """Asks for a name, as part of its answer and never beside it."""
    return test_input_required_result_elicitation(ctx)


def test_input_required_result_sampling(ctx: Context) -> Answer:
    """Asks the client's model."""
    said = _answered(ctx, "capital_question", types.CreateMessageResult)
    if said is None or not isinstance(said.content, types.TextContent):
        return _ask(capital_question=_sample("What is the capital of France?"))
    return said.content.text


def test_input_required_result_list_roots(ctx: Context) -> Answer:
    """Asks for the client's roots."""
    found = _answered(ctx, "client_roots", types.ListRootsResult)
    if found is None:
        return _ask(client_roots=types.ListRootsRequest(params=types.RequestParams()))
    return "Roots: " + ", ".join(str(root.uri) for root in found.roots)


def test_input_required_result_request_state(ctx: Context) -> Answer:
    """Has the client carry its state."""
    if _field(ctx, "confirm", "ok") and ctx.request_state == "asked":
        return "state-ok"
    return _ask("asked", confirm=_form("Please confirm", ok="boolean"))


def test_input_required_result_tampered_state(ctx: Context) -> Answer:
    """Has the client carry a state that the SDK seals."""
    return test_input_required_result_request_state(ctx)


def test_input_required_result_multiple_inputs(ctx: Context) -> Answer:
    """Asks for three things at once."""
    said = _answered(ctx, "greeting", types.CreateMessageResult)
    name = _field(ctx, "user_name", "name")
    roots = _answered(ctx, "client_roots", types.ListRootsResult)
    if said and name and roots and ctx.request_state == "asked":
        return f"{name} has {len(roots.roots)} roots."
    return _ask(
        "asked",
        user_name=_form("What is your name?", name="string"),
        greeting=_sample("Generate a greeting", 50),
        client_roots=types.ListRootsRequest(params=types.RequestParams()),
    )


def test_input_required_result_multi_round(ctx: Context) -> Answer:
    """Asks twice, one question after the other; its state is the first answer."""
    if name := _field(ctx, "step1", "name"):
        return _ask(f"name:{name}", step2=_form("Step 2: What is your favorite color?", color="string"))
    if (color := _field(ctx, "step2", "color")) and (ctx.request_state or "").startswith("name:"):
        return f"{(ctx.request_state or '').removeprefix('name:')} likes {color}."
    return _ask("name", step1=_form("Step 1: What is your name?", name="string"))


def test_input_required_result_capabilities(ctx: Context) -> Answer:
    """Asks only for what the client says it can give."""
    able = ctx.client_capabilities or types.ClientCapabilities()
    requests: dict[str, types.InputRequest] = {}
    if able.elicitation is not None:
        requests["user_name"] = _form("What is your name?", name="string")
    if able.sampling is not None:
        requests["greeting"] = _sample("Generate a greeting", 50)
    return _ask(**requests) if requests else "The client can give nothing."


def test_input_required_result_prompt(ctx: Context) -> Answer:
    """A prompt that asks the client something first."""
    context = _field(ctx, "user_context", "context")
    question = _form("What context should the prompt use?", context="string")
    return f"Context: {context}" if context else _ask(user_context=question)


TOOLS: list[Callable[..., Any]] = [
    test_input_required_result_elicitation,
    test_streaming_elicitation,
    test_input_required_result_sampling,
    test_input_required_result_list_roots,
    test_input_required_result_request_state,
    test_input_required_result_tampered_state,
    test_input_required_result_multiple_inputs,
    test_input_required_result_multi_round,
    test_input_required_result_capabilities,
]
PROMPTS: list[Callable[..., Any]] = [test_input_required_result_prompt]
