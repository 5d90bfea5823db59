"""The requests behind an editor's views: why, compare, squads, tests, and what agents were told."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage import injection_log, trusted_trees
from synapse_ls.workspace.pinned_content import scan_content
from tests.hooks.hook_clients import Claude
from tests.lsp.wire import Message, connected, edit
from tests.policies import place_user_policy
from tests.trees import TEAM, write_tree

CASES = """\
[[case]]
name = "tests are remembered"
prompt = "Add a unit test"
bracket = "MODERATE"
domains = ["TESTING"]

[[case]]
name = "and so are documents"
prompt = "Add a unit test"
bracket = "MODERATE"
domains = ["DOCS"]
"""
SQUAD = {
    "squads/etl/squad.yaml": "name: etl-squad\nversion: 1.0.0\n",
    "squads/etl/.synapse/manifest": "LOADS_STATE=active\nLOADS_RECALL=load\n",
    "squads/etl/.synapse/loads": "LOADS_RULE_0=Load in batches\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    files = {**TEAM, **SQUAD, ".synapse/tests/prompts.toml": CASES}
    return write_tree(tmp_path / "team", files)


def uri(root: Path, path: str) -> str:
    return path_to_uri(str(root / path))


def reason_of(message: Message) -> str | None:
    """Why the client is told that the context has changed; None for any other message."""
    is_change = message.get("method") == "synapse/didChangeContext"
    return message["params"]["reason"] if is_change else None


def here(root: Path, path: str, line: int, character: int = 0) -> Message:
    return {"uri": uri(root, path), "position": {"line": line, "character": character}}


@pytest.mark.parametrize(
    ("method", "params"),
    [("context", {}), ("explain", {}), ("status", {}), ("why", {"rule": "DOCS_RULE_0"})],
)
async def test_a_model_is_given_nothing_of_a_tree_that_is_not_as_it_was_pinned(
    root: Path, method: str, params: Message, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    trusted_trees.trust_tree(str(root))
    trusted_trees.write_pin(str(root), scan_content(str(root))[0], "warn")
    method, asked = f"synapse/{method}", {"uri": uri(root, ""), **params, "forModel": True}
    async with connected(root) as wire:
        assert await wire.request(method, asked)
        (root / ".synapse/docs").write_text("DOCS_RULE_0=EVIL\n")
        refusal = await wire.refusal(method, asked)
        assert "Nothing is served from this tree" in refusal["message"]
        assert "EVIL" not in refusal["message"] and "docs" not in refusal["message"]
        assert await wire.request(method, {**asked, "forModel": False})  # a person may see it


async def test_nor_of_a_tree_without_a_pin_where_a_policy_wants_them(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place_user_policy(monkeypatch, tmp_path / "config", "[policy]\npins = true\n")
    async with connected(root) as wire:
        refusal = await wire.refusal("synapse/context", {"uri": uri(root, ""), "forModel": True})
    assert "is not pinned" in refusal["message"]


async def test_nor_of_one_in_a_sub_folder_of_a_pinned_project(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    write_tree(root / "pkg", TEAM)
    asked = {"uri": uri(root, "pkg/src/a.py"), "forModel": True}
    async with connected(root) as wire:
        assert await wire.request("synapse/context", asked)
        trusted_trees.write_pin(str(root), scan_content(str(root))[0], "warn")
        refusal = await wire.refusal("synapse/context", asked)
        assert "its project is pinned, and it is not" in refusal["message"]
        assert await wire.request("synapse/context", {**asked, "uri": uri(root, "")})
        assert await wire.request("synapse/context", {**asked, "forModel": False})
        trusted_trees.trust_tree(str(root / "pkg"))
        assert await wire.request("synapse/context", asked)


async def test_a_rule_under_the_caret_is_accounted_for_as_the_buffer_has_it(root: Path) -> None:
    docs = uri(root, ".synapse/docs")
    async with connected(root) as wire:
        wire.open(docs, "DOCS_RULE_0=Every feature has an example\n\nDOCS_RULE_1=New here\n")
        told = await wire.request("synapse/why", here(root, ".synapse/docs", 2, 14))
        (account,) = told["accounts"]
        assert (account["key"], account["text"]) == ("DOCS_RULE_1", "New here")
        assert account["rendered"] is False
        assert 'none of its keywords ("readme")' in account["reason"]
        assert account["location"]["range"]["start"] == {"line": 2, "character": 0}
        given = {**here(root, ".synapse/docs", 2), "prompt": "Mend the readme"}
        given["uri"] = docs
        (account,) = (await wire.request("synapse/why", given))["accounts"]
        assert "readme" in account["reason"]


@pytest.mark.parametrize(
    ("path", "line", "domain", "key"),
    [
        (".synapse/manifest", 11, "TESTING", None),
        (".synapse/testing", 0, "TESTING", "TESTING_RULE_0"),
        (".synapse/commands", 0, "COMMANDS", None),
        ("squads/etl/.synapse/manifest", 1, "ETL_LOADS", None),
        ("squads/etl/.synapse/loads", 0, "ETL_LOADS", "LOADS_RULE_0"),
    ],
)
async def test_a_place_is_about_a_rule_or_a_domain(
    path: str, line: int, domain: str, key: str | None, root: Path
) -> None:
    async with connected(root) as wire:
        told = await wire.request("synapse/why", here(root, path, line))
        assert [(one["domain"], one["key"]) for one in told["accounts"]] == [(domain, key)]


async def test_a_memory_is_accounted_for_by_its_id_and_in_its_file(root: Path) -> None:
    record = MemoryStore(str(root)).remember("Use tabs.", now=time.time(), type="user_correction")
    async with connected(root) as wire:
        for given in ({"rule": record.id}, here(root, record.path, 1)):
            (account,) = (await wire.request("synapse/why", given))["accounts"]
            assert (account["key"], account["domain"], account["rendered"]) == (
                record.id,
                "MEMORY",
                True,
            )
            assert account["because"][0]["code"] == "remembered"
            assert account["location"]["uri"].endswith(f"/{record.id}.md")


async def test_a_place_or_a_name_without_a_rule_is_refused(root: Path) -> None:
    async with connected(root) as wire:
        error = await wire.refusal("synapse/why", here(root, ".synapse/tests/prompts.toml", 0))
        assert error["message"].startswith("There is no rule, domain or memory at this place.")
        error = await wire.refusal("synapse/why", {"rule": "TESTNG"})
        assert "Did you mean TESTING" in error["message"]
        error = await wire.refusal("synapse/why", {})
        assert error["code"] == -32602


async def test_two_situations_are_compared_line_by_line(root: Path) -> None:
    async with connected(root) as wire:
        given = {"before": {"agent": "dev"}, "after": {"agent": "qa", "remaining": 50}}
        told = await wire.request("synapse/compare", given)
        assert [told[side]["bracket"] for side in ("before", "after")] == ["FRESH", "MODERATE"]
        added, removed = ({entry["key"] for entry in told[side]} for side in ("added", "removed"))
        assert {"AGENT_QA_RULE_0", "CONTEXT_RULE_MODERATE_0"} <= added
        assert {"AGENT_DEV_RULE_0", "CONTEXT_RULE_FRESH_0"} <= removed
        shown = await wire.request("synapse/context", {"agent": "qa", "remaining": 50})
        assert told["after"]["block"] == shown["block"]
        same = await wire.request("synapse/compare", {})
        assert [same[name] for name in ("added", "removed", "changed")] == [[], [], []]


async def test_questions_to_compare_are_checked(root: Path) -> None:
    async with connected(root) as wire:
        error = await wire.refusal("synapse/compare", {"before": {"remaining": "much"}})
        assert error["code"] == -32602
        assert "remaining is not a number" in error["message"]
        error = await wire.refusal("synapse/context", {"remaining": 400})
        assert "remaining is a percentage from 0 to 100, not 400." in error["message"]
        error = await wire.refusal("synapse/compare", {"after": {"bracket": "STALE"}})
        assert 'has no bracket "STALE"' in error["message"]


async def test_squads_are_told_with_the_one_at_work(root: Path) -> None:
    client = Claude(root)
    client.now = time.time()
    client.prompt("hello")
    async with connected(root) as wire:
        (squad,) = (await wire.request("synapse/squads"))["squads"]
        assert squad == {
            "folder": "etl",
            "name": "etl-squad",
            "mode": "extend",
            "active": False,
            "source": None,
            "domains": ["ETL_LOADS"],
            "rules": 1,
            "tokens": squad["tokens"],
            "location": squad["location"],
        }
        assert squad["location"]["uri"] == uri(root, "squads/etl/squad.yaml")
        arguments = [{"uri": path_to_uri(str(root)), "squad": "etl"}]
        given = {"command": "synapse.setSession", "arguments": arguments}
        await wire.request("workspace/executeCommand", given)
        await wire.first(
            lambda m: (
                m.get("method") == "synapse/didChangeContext" and m["params"]["reason"] == "session"
            )
        )
        (squad,) = (await wire.request("synapse/squads"))["squads"]
        assert (squad["active"], squad["source"]) == (True, "session")


async def test_the_agent_that_a_prompt_names_goes_before_the_one_tried(root: Path) -> None:
    async with connected(root) as wire:
        asked = {"agent": "dev", "prompt": "@qa look at it"}
        agent = (await wire.request("synapse/explain", asked))["agent"]
        assert (agent["id"], agent["source"]) == ("qa", "prompt")


async def test_tests_are_listed_and_run_as_the_buffers_have_them(root: Path) -> None:
    path = uri(root, ".synapse/tests/prompts.toml")
    async with connected(root) as wire:
        wire.open(path, f"# one more line\n{CASES}")
        (file,) = (await wire.request("synapse/tests"))["files"]
        assert file["uri"] == path
        assert [(case["number"], case["name"]) for case in file["cases"]] == [
            (0, "tests are remembered"),
            (1, "and so are documents"),
        ]
        assert [case["range"]["start"]["line"] for case in file["cases"]] == [1, 7]
        found = (await wire.request("synapse/runTests"))["outcomes"]
        assert [outcome["passed"] for outcome in found] == [True, False]
        (failure,) = found[1]["failures"]
        assert "DOCS is not in the block" in failure["message"]
        assert failure["range"]["start"] == {"line": 11, "character": 12}
        wire.open(uri(root, ".synapse/manifest"), "DOCS_STATE=active\nDOCS_ALWAYS_ON=true\n")
        given = {"uri": path, "cases": [1]}
        (outcome,) = (await wire.request("synapse/runTests", given))["outcomes"]
        assert (outcome["number"], outcome["passed"]) == (1, True)


async def test_what_is_no_case_is_refused(root: Path) -> None:
    path = uri(root, ".synapse/tests/prompts.toml")
    async with connected(root) as wire:
        error = await wire.refusal("synapse/runTests", {"uri": path, "cases": [7]})
        assert "has no case 7" in error["message"]
        error = await wire.refusal("synapse/runTests", {"cases": [0]})
        assert error["code"] == -32602


async def test_a_file_of_tests_that_cannot_be_read_says_why(root: Path) -> None:
    path = uri(root, ".synapse/tests/prompts.toml")
    async with connected(root) as wire:
        wire.open(path, "[[case]\n")
        (file,) = (await wire.request("synapse/tests"))["files"]
        assert file["cases"] == []
        assert file["problem"]
        assert (await wire.request("synapse/runTests"))["outcomes"] == []


async def test_what_agents_were_told_is_told_with_the_rules_as_they_are(root: Path) -> None:
    client = Claude(root)
    client.now = time.time() - 300
    client.uses(50_000)
    client.prompt("Add a unit test, please")
    client.uses(90_000)
    client.prompt("@dev go on")
    (root / ".synapse" / "global").write_text(
        "GLOBAL_RULE_0=Write tiny functions\nGLOBAL_RULE_1=Name things well\n"
    )
    async with connected(root) as wire:
        found = (await wire.request("synapse/injections"))["injections"]
        assert [one["bracket"] for one in found] == ["MODERATE", "FRESH"]
        last, first = found
        assert (last["client"], last["event"]) == ("claude", "UserPromptSubmit")
        assert (last["used"], last["source"]) == (90_000, "measured")
        assert {e["name"] for s in last["sections"] for e in s["entries"]} >= {"AGENT_DEV_RULE_0"}
        told = {e["name"]: e for section in first["sections"] for e in section["entries"]}
        assert told["GLOBAL_RULE_0"]["text"] is None  # it said something else
        assert told["GLOBAL_RULE_0"]["location"] is None
        assert told["GLOBAL_RULE_1"]["text"] == "Name things well"
        assert told["GLOBAL_RULE_1"]["location"]["uri"] == uri(root, ".synapse/global")
        given: dict[str, Any] = {"limit": 1, "session": "session-1"}
        assert (await wire.request("synapse/injections", given))["injections"] == [last]
        assert (await wire.request("synapse/injections", {"session": "x"}))["injections"] == []


async def test_the_exact_block_is_told_to_who_asks_for_it(root: Path) -> None:
    client = Claude(root)
    client.now = time.time() - 300
    first = client.prompt("hello")
    client.prompt("@dev go on")
    async with connected(root) as wire:
        last, before = (await wire.request("synapse/injections"))["injections"]
        assert (before["text"], before["block"]) == (None, "kept")
        assert (before["why"], last["why"]) == ("nothing is in context", None)
        assert [d["reason"] for d in last["domains"] if d["label"] == "AGENT_DEV"] == [
            "agent @dev is active"
        ]
        given: dict[str, Any] = {"hash": before["hash"], "texts": True}
        (found,) = (await wire.request("synapse/injections", given))["injections"]
        assert found["text"] == first
        (tmp,) = Path(injection_log.log_path(str(root), "blocks")).parent.glob("*.blocks")
        tmp.unlink()
        (found,) = (await wire.request("synapse/injections", given))["injections"]
        assert (found["text"], found["block"]) == (None, "gone")


async def test_a_session_has_its_usage_over_time(root: Path) -> None:
    client = Claude(root)
    client.now = time.time() - 300
    for used in (50_000, 90_000, 120_000):
        client.uses(used)
        client.prompt("go on")
    async with connected(root) as wire:
        (session,) = (await wire.request("synapse/sessions"))["sessions"]
        assert [point["used"] for point in session["history"]] == [50_000, 90_000, 120_000]
        remaining = [point["remaining"] for point in session["history"]]
        assert remaining == sorted(remaining, reverse=True)


async def test_a_session_that_goes_on_is_told_even_where_the_block_stays(root: Path) -> None:
    first = Claude(root, "one")
    first.now = time.time() - 300
    first.prompt("hello")
    async with connected(root) as wire:
        given = {
            "command": "synapse.pin",
            "arguments": [{"uri": path_to_uri(str(root)), "session": "one"}],
        }
        await wire.request("workspace/executeCommand", given)
        await wire.settled()
        said = len(wire.said)
        other = Claude(root, "two")
        other.now = time.time()
        other.prompt("hello")
        event = {"uri": uri(root, ".synapse/sessions/two.json"), "type": 1}
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
        change = await wire.first(
            lambda m: (
                m.get("method") == "synapse/didChangeContext" and m["params"]["reason"] == "session"
            ),
            after=said,
        )
        assert change["params"]["layers"] is None


async def test_a_file_that_changes_only_why_a_rule_is_left_out_is_news_for_views(
    root: Path,
) -> None:
    manifest = root / ".synapse" / "manifest"
    async with connected(root) as wire:
        await wire.settled()
        said = len(wire.said)
        text = manifest.read_text(encoding="utf-8")
        manifest.write_text(text.replace("readme", "handbook"), encoding="utf-8")
        event = {"uri": path_to_uri(str(manifest)), "type": 2}
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
        change = await wire.first(lambda m: reason_of(m) == "files", after=said)
        assert change["params"]["layers"] is None
        why = await wire.request("synapse/why", here(root, ".synapse/docs", 0))
        assert '"handbook"' in why["accounts"][0]["reason"]


async def test_what_was_told_of_a_buffer_is_told_again_when_agents_get_it(root: Path) -> None:
    path = root / ".synapse" / "global"
    added = "GLOBAL_RULE_77=Say it twice\n"
    text = path.read_text(encoding="utf-8")
    async with connected(root) as wire:
        await wire.settled()
        before = await wire.request("synapse/status")
        place, said = path_to_uri(str(path)), len(wire.said)
        wire.open(place, text)
        wire.change(place, 2, edit((0, 0), (0, 0), added))
        await wire.first(lambda m: reason_of(m) == "buffer", after=said)
        assert await wire.request("synapse/status") == before

        path.write_text(added + text, encoding="utf-8")
        wire.notify("textDocument/didSave", {"textDocument": {"uri": place}})
        change = await wire.first(lambda m: reason_of(m) == "files", after=said)
        assert change["params"]["layers"] is None
        assert (await wire.request("synapse/status"))["tokens"] > before["tokens"]
