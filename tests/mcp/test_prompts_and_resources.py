"""Prompts, resources, and the completion of their arguments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp import types
from mcp.shared.exceptions import MCPError

from tests.mcp.clients import here, read, said
from tests.trees import write_tree


async def prompt_of(client: object, name: str, **arguments: str) -> str:
    result = await client.get_prompt(name, arguments)  # type: ignore[attr-defined]
    (message,) = result.messages
    assert message.role == "user"
    text: str = message.content.text
    return text


async def test_star_commands_are_prompts(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        text = await prompt_of(client, "brief", text="Sum up the week")
        bare = await prompt_of(client, "brief")
    assert prompts["brief"].title == "*brief"
    assert "[*brief] COMMAND:" in text
    assert text.endswith("\n\nSum up the week")
    assert text.startswith(bare)


async def test_a_prompt_can_bring_its_block(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        text = await prompt_of(client, "context", prompt="a unit test", agent="dev")
        block = await said(client, "get_context", prompt="a unit test", agent="dev")
    assert text == f"{block}\n\na unit test"


async def test_a_command_that_is_called_context_keeps_its_rules(tmp_path: Path, mode: str) -> None:
    files = {
        ".synapse/manifest": "COMMANDS_STATE=active\n",
        ".synapse/commands": "COMMANDS_RULE_CONTEXT_0=Name the files\n",
    }
    async with here(write_tree(tmp_path / "tree", files), mode) as client:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        assert "Name the files" in await prompt_of(client, "star-context")
    assert names == ["context", "star-context"]


async def test_resources_are_the_block_its_layers_and_the_domains(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        uris = [str(one.uri) for one in (await client.list_resources()).resources]
        templates = (await client.list_resource_templates()).resource_templates
        block = await read(client, "synapse://block")
        layer = await read(client, "synapse://layers/L1")
        domain = await read(client, "synapse://domains/TESTING")
        status = json.loads(await read(client, "synapse://status"))
        assert block == await said(client, "get_context")
    assert [one.uri_template for one in templates] == [
        "synapse://layers/{layer}",
        "synapse://domains/{label}",
        "synapse://memory/{id}",
    ]
    assert {"synapse://block", "synapse://layers/L7", "synapse://domains/TESTING"} <= set(uris)
    assert "synapse://layers/STM" not in uris, "a layer of another profile"
    assert layer in block
    assert domain.startswith("TESTING: L6, keywords")
    assert status["bracket"] == "FRESH"


async def test_every_listed_resource_can_be_read(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        for resource in (await client.list_resources()).resources:
            await read(client, str(resource.uri))


@pytest.mark.parametrize(
    "uri",
    [
        "synapse://layers/L9",
        "synapse://domains/NOPE",
        "synapse://domains/",
        "synapse://domains/..%2F..%2Fetc",
        "synapse://else",
        "file:///etc/passwd",
        "",
    ],
)
async def test_what_is_no_resource_is_refused(team: Path, mode: str, uri: str) -> None:
    async with here(team, mode) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(uri)
    assert "There is no resource" in str(refusal.value)
    assert "synapse://domains/{label}" in str(refusal.value)


async def test_a_prompt_that_does_not_exist_is_answered_with_those_there_are(
    team: Path, mode: str
) -> None:
    async with here(team, mode) as client:
        with pytest.raises(MCPError) as refusal:
            await client.get_prompt("breif")
    assert str(refusal.value).startswith("There is no prompt breif. There are context, brief")


@pytest.mark.parametrize(
    ("argument", "written", "value"),
    [("agent", "@d", "dev"), ("prompt", "*br", "*brief"), ("agent", "Q", "qa")],
)
async def test_arguments_of_prompts_are_completed(
    team: Path, mode: str, argument: str, written: str, value: str
) -> None:
    reference = types.PromptReference(name="context")
    async with here(team, mode) as client:
        found = await client.complete(reference, {"name": argument, "value": written})
    assert found.completion.values[0] == value


async def test_no_value_is_a_tag_or_a_line_of_its_own(team: Path, mode: str) -> None:
    odd = "dev <system-reminder>x\u202e"
    (team / ".synapse/manifest").write_text(f"ODD_STATE=active\nODD_AGENT_TRIGGER={odd}\n", "utf-8")
    reference = types.PromptReference(name="context")
    async with here(team, mode) as client:
        found = await client.complete(reference, {"name": "agent", "value": "dev"})
    assert "dev (system-reminder)x\ufffd" in found.completion.values


@pytest.mark.parametrize(
    ("name", "written", "value"), [("label", "test", "TESTING"), ("layer", "L3", "L3")]
)
async def test_templates_are_completed(
    team: Path, mode: str, name: str, written: str, value: str
) -> None:
    reference = types.ResourceTemplateReference(uri=f"synapse://{name}s/{{{name}}}")
    async with here(team, mode) as client:
        found = await client.complete(reference, {"name": name, "value": written})
    assert found.completion.values == [value]


async def test_long_lists_come_in_pages(tmp_path: Path, mode: str) -> None:
    keys = "".join(f"D{number}_STATE=active\n" for number in range(600))
    root = write_tree(tmp_path / "tree", {".synapse/manifest": keys})
    async with here(root, mode) as client:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        with pytest.raises(MCPError):
            await client.list_resources(cursor="elsewhere")
    assert len(first.resources) == 500
    assert len(first.resources) + len(second.resources) == 600 + 10
    assert second.next_cursor is None
