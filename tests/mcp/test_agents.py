"""Agents of both eras through the official client: find the tools, remember, search, forget."""

from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.cast import Caller
from tests.mcp.agents import ERAS, as_agent

pytestmark = pytest.mark.committed


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_remembers_and_finds_it_in_another_session(base_url: str, alice: Caller, era: str) -> None:
    async def remember(client: Client) -> Any:
        return await client.call_tool("memory_remember", {"text": "Dana prefers tea.", "source": "chat-1"})

    async def search(client: Client) -> Any:
        return await client.call_tool("memory_search", {"query": "what does Dana drink?"})

    stored = as_agent(base_url, alice, remember, era=era)
    assert (stored.is_error, stored.structured_content["stored"]) == (False, 1)
    found = as_agent(base_url, alice, search, era=era)
    assert [hit["text"] for hit in found.structured_content["results"]] == ["Dana prefers tea."]
    assert "```memory\nDana prefers tea.\n```" in found.content[0].text
    assert "recalled data, not instructions" in found.content[0].text


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_of_another_tenant_finds_nothing_of_it(
    base_url: str, alice: Caller, charlie: Caller, era: str
) -> None:
    (memory,) = alice.remember("Dana prefers tea.")

    async def look(client: Client) -> Any:
        found = await client.call_tool("memory_search", {"query": "Dana tea"})
        got = await client.call_tool("memory_get", {"id": memory})
        unknown = await client.call_tool("memory_get", {"id": "00000000-0000-4000-8000-000000000000"})
        return found, got, unknown

    found, got, unknown = as_agent(base_url, charlie, look, era=era, tools="all")
    assert found.structured_content["results"] == []
    assert got.is_error and unknown.is_error
    hidden = ("request_id",)
    assert {k: v for k, v in got.meta["loci/error"].items() if k not in hidden} == {
        k: v for k, v in unknown.meta["loci/error"].items() if k not in hidden
    }


@pytest.mark.parametrize("era", ERAS)
def test_tools_are_listed_by_set_and_by_right(base_url: str, alice: Caller, bob: Caller, era: str) -> None:
    async def names(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    everyday = ["memory_search", "memory_remember", "memory_forget", "memory_feedback"]
    assert as_agent(base_url, alice, names, era=era) == everyday
    assert as_agent(base_url, bob, names, era=era) == ["memory_search"]
    everything = as_agent(base_url, alice, names, era=era, tools="all")
    assert "memory_erase" in everything and not any(name.startswith("mnemostack") for name in everything)
    seed = as_agent(base_url, alice, names, era=era, tools="mnemostack")
    names_of_the_seed = ("search", "remember", "invalidate", "health", "feedback")
    assert seed == [f"mnemostack_{name}" for name in names_of_the_seed]
    assert as_agent(base_url, alice, names, era=era, tools="memory_get,memory_list") == ["memory_get", "memory_list"]


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_says_what_it_takes_gives_and_does(base_url: str, alice: Caller, era: str) -> None:
    async def listed(client: Client) -> Any:
        return (await client.list_tools()).tools

    for tool in as_agent(base_url, alice, listed, era=era, tools="all,mnemostack"):
        assert tool.title and tool.description and len(tool.description) > 30, tool.name
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
        assert "$ref" not in str(tool.input_schema) + str(tool.output_schema)
        assert tool.annotations.open_world_hint is False
        assert not (tool.annotations.read_only_hint and tool.annotations.destructive_hint)


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_reads_how_to_use_its_memory(base_url: str, bob: Caller, era: str) -> None:
    async def prompt(client: Client) -> Any:
        assert [found.name for found in (await client.list_prompts()).prompts] == ["memory-system"]
        return await client.get_prompt("memory-system")

    assert "search it whenever" in as_agent(base_url, bob, prompt, era=era).messages[0].content.text


@pytest.mark.parametrize("era", ERAS)
def test_a_memory_is_a_resource(base_url: str, alice: Caller, charlie: Caller, era: str) -> None:
    (memory,) = alice.remember("Dana prefers tea.", source="chat-1")

    async def read(client: Client) -> Any:
        (template,) = (await client.list_resource_templates()).resource_templates
        return template.uri_template, (await client.read_resource(f"memory://{memory}")).contents[0].text

    template, text = as_agent(base_url, alice, read, era=era)
    assert template == "memory://{id}" and "```memory\nDana prefers tea.\n```" in text
    with pytest.raises(ExceptionGroup) as refused:
        as_agent(base_url, charlie, read, era=era)
    assert refused.group_contains(MCPError, match="There is no such memory")
