"""What the tools answer, by the official client."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from synapse_ls.mcp.server import TOOLS
from tests.mcp.clients import begin_session, here, refused, said, text_in
from tests.support import corpus

ADDING = {"memory_add", "short_term_update"}
CHANGING = {"activate_agent", "handoff", "memory_forget", "set_task", "set_workflow", *ADDING}


async def test_every_tool_says_what_it_takes_and_whether_it_changes_anything(
    team: Path, mode: str
) -> None:
    async with here(team, mode) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == list(TOOLS)
    for tool in tools:
        assert tool.description and tool.annotations and tool.title
        assert tool.annotations.read_only_hint is (tool.name not in CHANGING)
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.idempotent_hint is (tool.name not in ADDING)
        for field in tool.input_schema["properties"].values():
            assert field["description"]


async def test_the_block_of_a_prompt(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        block = await said(client, "get_context", prompt="*brief", agent="@dev", remaining=50)
    assert block.startswith("<synapse-rules>")
    assert "[ACTIVE AGENT: @dev]" in block
    assert "[*brief] COMMAND:" in block


async def test_the_account_says_what_is_left_out_and_why(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        result = await client.call_tool("explain", {"prompt": "hello", "remaining": 50})
        one = await said(client, "explain", domain="testing", prompt="a unit test", remaining=50)
    assert result.structured_content is not None
    labels = {domain["label"] for domain in result.structured_content["domains"]}
    assert {"GLOBAL", "TESTING", "SLEEPY"} <= labels
    assert "in L6: TESTING" in one
    assert '"unit test"' in one


async def test_a_limit_says_what_it_leaves_out(team: Path) -> None:
    async with here(team, "auto") as client:
        text = await said(client, "explain", limit=2)
    assert "domains more; ask again with offset 2 or a larger limit" in text


def with_many_domains(team: Path) -> list[str]:
    """The labels of a hundred domains that the tree is given, besides its own."""
    labels = [f"SUBJECT_{number}" for number in range(100)]
    with (team / ".synapse/manifest").open("a") as manifest:
        for label in labels:
            manifest.write(f"{label}_STATE=active\n{label}_RECALL=“word {label}”, other {label}\n")
            (team / ".synapse" / label.lower().replace("_", "-")).write_text(f"{label}_RULE_0=a\n")
    return labels


async def test_an_account_without_arguments_has_8_kb_at_most(team: Path) -> None:
    with_many_domains(team)
    async with here(team, "auto") as client:
        result = await client.call_tool("explain", {})
    assert 6_000 < len(result.model_dump_json(by_alias=True, exclude_none=True).encode()) <= 8_000
    assert result.structured_content is not None
    assert f"offset {result.structured_content['next']}" in text_in(result)


async def test_the_parts_of_an_account_have_each_domain_once(team: Path) -> None:
    labels = with_many_domains(team)
    found: list[str] = []
    offset: int | None = 0
    async with here(team, "auto") as client:
        while offset is not None:
            result = await client.call_tool("explain", {"offset": offset})
            assert result.structured_content is not None
            found += [domain["label"] for domain in result.structured_content["domains"]]
            offset = result.structured_content["next"]
        whole = await client.call_tool("explain", {"limit": 1_000})
    assert whole.structured_content is not None
    assert found == [domain["label"] for domain in whole.structured_content["domains"]]
    assert len(found) == len(set(found)) == whole.structured_content["total"]
    assert set(labels) < set(found)


@pytest.mark.parametrize("name", ["aiox", "many-domains", "carl", "chati"])
async def test_an_account_of_a_real_tree_has_8_kb_at_most(name: str, tmp_path: Path) -> None:
    root = tmp_path / name
    shutil.copytree(corpus() / name, root, copy_function=shutil.copyfile)
    async with here(root, "auto") as client:
        result = await client.call_tool("explain", {})
    assert len(result.model_dump_json(by_alias=True, exclude_none=True).encode()) <= 8_000


async def test_one_rule_comes_with_its_remedy(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        text = await said(client, "why", rule="SLEEPY")
    assert text.startswith("SLEEPY is out: SLEEPY_STATE is not active; ")
    assert "remedy:" in text


async def test_findings_have_a_place_and_a_remedy(team: Path, mode: str) -> None:
    rules = team / ".synapse/global"
    rules.write_text(rules.read_text() + "GLOBAL_RULE_1=Again\n")
    async with here(team, mode) as client:
        result = await client.call_tool("check", {"paths": [".synapse/global"]})
        elsewhere = await said(client, "check", paths=[".synapse/context"], severity="warning")
    assert result.structured_content is not None
    (finding,) = [
        one for one in result.structured_content["findings"] if one["name"] == "duplicate-index"
    ]
    assert finding["path"] == ".synapse/global"
    assert finding["line"] == 4
    assert ".synapse/global:4:1: " in result.content[0].text  # type: ignore[union-attr]
    assert ".synapse/global" not in elsewhere


@pytest.mark.parametrize(
    ("path", "sentence"),
    [("../elsewhere", "is not in the tree"), ("nothing", "no file or folder nothing")],
)
async def test_only_what_is_in_the_tree_is_checked(team: Path, path: str, sentence: str) -> None:
    async with here(team, "auto") as client:
        assert sentence in await refused(client, "check", paths=[path])


async def test_the_guard_judges_a_command(team: Path, mode: str) -> None:
    rules = team / ".synapse/agent-dev"
    rules.write_text(rules.read_text() + "DEV_DENY_0=git push -> devops\n")
    async with here(team, mode) as client:
        told = await client.call_tool("guard", {"command": "cd x && git push", "agent": "dev"})
        allowed = await said(client, "guard", command="git status", agent="dev")
        nothing = await refused(client, "guard", agent="dev")
        mistyped = await said(client, "guard", command="git status", agent="dve")
    assert mistyped.endswith("note: no domain or definition is known for agent @dve")
    assert told.structured_content is not None
    assert told.structured_content["decision"] == "deny"
    assert allowed.startswith("allow for @dev")
    assert nothing.startswith("There is nothing to judge.")


async def test_domains_say_what_wakes_them(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        text = await said(client, "list_domains")
    assert "TESTING: L6, keywords (unit test, coverage), " in text
    assert ", inactive" in text


async def test_the_state_and_what_was_told_can_be_asked_for(team: Path, mode: str) -> None:
    begin_session(team)
    async with here(team, mode) as client:
        status = await said(client, "status")
        assert (await said(client, "log")).startswith("Nothing of that kind")
        assert (await said(client, "log", limit=10**30)).startswith("Nothing of that kind")
        assert "of the rules were injected at least once" in await said(client, "coverage")
    assert "session: session-one, 1 prompts" in status


async def test_the_current_session_is_asked_about_unless_another_is_named(
    team: Path, mode: str
) -> None:
    begin_session(team)
    async with here(team, mode) as client:
        await said(client, "activate_agent", agent="dev")
        assert "@dev" in await said(client, "get_context")
        assert "@dev" in await said(client, "get_context", session="session")
        assert "@dev" not in await said(client, "get_context", session="new")
        assert "no session" in await refused(client, "get_context", session="other")
