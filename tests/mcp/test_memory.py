"""What agents remember and forget by themselves, by the official client."""

from __future__ import annotations

from pathlib import Path

from synapse_ls.memory.memory_store import MemoryStore
from tests.mcp.clients import here, read, refused, said


async def test_what_an_agent_adds_is_found_and_forgotten(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        added = await said(
            client, "memory_add", text="Deploys wait for QA.", type="decision", tags=["deploy"]
        )
        found = await said(client, "memory_search", query="when do we deploy")
        resource = await read(client, f"synapse://memory/{added.split()[0]}")
        gone = await said(client, "memory_forget", id=added.split()[0])
        after = await said(client, "memory_search", query="deploy")
    assert added.endswith("remembered: Deploys wait for QA (COLD)")
    assert "[semantic, 30%, cold] Deploys wait for QA #deploy" in found
    assert "tags: deploy" in resource
    assert "is forgotten" in gone
    assert after == "Nothing is remembered about it."
    assert [record.title for record in MemoryStore(str(team)).archived_records()] == [
        "Deploys wait for QA"
    ]


async def test_nothing_is_added_where_memory_is_off(team: Path, mode: str) -> None:
    (team / ".synapse/config.toml").write_text("[memory]\nenabled = false\n")
    async with here(team, mode) as client:
        refusal = await refused(client, "memory_add", text="Deploys wait for QA.")
    assert "`memory.enabled` is false" in refusal
    assert not MemoryStore(str(team)).exists()


async def test_the_same_again_is_evidence(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        await said(client, "memory_add", text="Tests are slow.")
        again = await said(client, "memory_add", text="tests are SLOW")
    assert "confirmed for the 2. time" in again


async def test_an_agent_sees_what_is_shared_and_its_own(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        added = await said(client, "memory_add", text="Kept by dev.", agent="@dev", scope="private")
        id = added.split()[0]
        own = await said(client, "memory_search", query="kept", agent="dev")
        others = [
            await said(client, "memory_search", query="kept", agent="qa"),
            await said(client, "memory_search"),
        ]
        refusal = await refused(client, "memory_forget", id=id, agent="qa")
        resources = [str(one.uri) for one in (await client.list_resources()).resources]
    assert "Kept by dev" in own
    assert others == ["Nothing is remembered about it."] * 2
    assert "no memory" in refusal
    assert f"synapse://memory/{id}" not in resources


async def test_why_a_memory_is_in_or_out_is_said_to_who_may_see_it(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        shared = (await said(client, "memory_add", text="Deploys wait for QA.")).split()[0]
        added = await said(client, "memory_add", text="Kept by dev.", agent="@dev", scope="private")
        own = added.split()[0]
        why = await said(client, "why", rule=shared)
        to_dev = await said(client, "why", rule=own, agent="dev")
        refusals = [
            await refused(client, "why", rule=rule, agent="qa") for rule in (own, "Kept by dev")
        ]
    assert why.startswith(f"{shared} is out: this bracket wants no memories")
    assert to_dev.startswith(f"{own} is out: ")
    assert all("no rule, domain, memory or text" in refusal for refusal in refusals)


async def test_what_cannot_be_is_said_in_a_sentence(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        assert "agent" in await refused(client, "memory_add", text="Mine.", scope="private")
        assert "says nothing" in await refused(client, "memory_add", text="  ")
        assert "sector" in await refused(client, "memory_search", sector="other")


async def test_a_secret_that_is_to_be_remembered_is_pointed_out(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        added = await said(client, "memory_add", text="The password is " + "R7kQ2mZx9LwT")
    assert "A password seems to be in it" in added
