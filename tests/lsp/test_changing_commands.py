"""Commands that change rules or sessions, as real editors run them."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.lsp.convert import path_to_uri
from tests.hooks.hook_clients import Claude
from tests.lsp.declared import CLIENTS, capabilities
from tests.lsp.test_code_actions import edits_in
from tests.lsp.test_formatting import applied
from tests.lsp.wire import Message, Wire, connected
from tests.trees import TEAM, write_tree

APPLY = "workspace/applyEdit"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "team", TEAM)


@asynccontextmanager
async def editor(root: Path, client: str = "vscode") -> AsyncIterator[Wire]:
    """An editor that makes every change it is asked for, and one window of it on the tree."""
    declared = capabilities(client)
    declared.setdefault("general", {})["positionEncodings"] = ["utf-16"]
    async with connected(root, capabilities=declared) as wire:
        wire.answers[APPLY] = {"applied": True}
        yield wire


def running(command: str, root: Path, /, **given: Any) -> Message:
    """The parameters that run a command on a tree."""
    return {"command": command, "arguments": [{"uri": path_to_uri(str(root)), **given}]}


async def run(wire: Wire, command: str, root: Path, /, **given: Any) -> Any:
    return await wire.request("workspace/executeCommand", running(command, root, **given))


async def refused(wire: Wire, command: str, root: Path, /, **given: Any) -> Message:
    return await wire.refusal("workspace/executeCommand", running(command, root, **given))


def asked(wire: Wire) -> Message:
    """The one change that the editor was asked for."""
    (params,) = wire.notifications(APPLY)
    found: Message = params
    return found


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_rule_is_added_behind_the_last_one_of_a_buffer(client: str, root: Path) -> None:
    uri = path_to_uri(str(root / ".synapse" / "docs"))
    text = "DOCS_RULE_0=Every feature has an example\nDOCS_RULE_4=Not saved yet 😀\n"
    async with editor(root, client) as wire:
        wire.open(uri, text, version=3)
        told = await run(wire, "synapse.newRule", root, domain="docs", text="Examples run")
        params = asked(wire)
        assert applied(text, edits_in(params["edit"], uri)) == f"{text}DOCS_RULE_5=Examples run\n"
        if "documentChanges" in params["edit"]:
            (change,) = params["edit"]["documentChanges"]
            assert change["textDocument"] == {"uri": uri, "version": 3}
        assert params["label"] == "New rule"
        assert params["metadata"] == {"isRefactoring": True}
        place = {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 24}}
        assert told == {"changed": [uri], "location": {"uri": uri, "range": place}}


@pytest.mark.parametrize(
    ("domain", "given", "line"),
    [
        ("context", {"bracket": "fresh"}, "CONTEXT_RULE_FRESH_0=x"),
        ("commands", {"command": "*new-one"}, "COMMANDS_RULE_NEW_ONE_0=x"),
        ("constitution", {"article": 9}, "CONSTITUTION_RULE_ART9_0=Ninth (MUST)"),
    ],
)
async def test_a_rule_can_belong_to_a_bracket_a_command_or_an_article(
    domain: str, given: dict[str, Any], line: str, root: Path
) -> None:
    path = write_tree(root, {f".synapse/{domain}": ""}) / ".synapse" / domain
    async with editor(root) as wire:
        text = line.partition("=")[2]
        await run(wire, "synapse.newRule", root, domain=domain, text=text, **given)
        edited = applied("", edits_in(asked(wire)["edit"], path_to_uri(str(path))))
        assert line in edited.splitlines()


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_domain_is_declared_and_gets_a_file_where_the_editor_can(
    client: str, root: Path
) -> None:
    manifest, new = (
        path_to_uri(str(root / ".synapse" / name)) for name in ("manifest", "api-design")
    )
    given = {"name": "api-design", "keywords": ["endpoint"], "rules": ["Version every endpoint"]}
    async with editor(root, client) as wire:
        if client == "emacs":
            error = await refused(wire, "synapse.newDomain", root, **given)
            assert "cannot create .synapse/api-design" in error["message"]
            assert "`synapse domain new`" in error["message"]
            assert not wire.notifications(APPLY)
            return
        told = await run(wire, "synapse.newDomain", root, **given)
        edit = asked(wire)["edit"]
        assert {"kind": "create", "uri": new} in edit["documentChanges"]
        (declared,) = edits_in(edit, manifest)
        assert declared["newText"].endswith("API_DESIGN_STATE=active\nAPI_DESIGN_RECALL=endpoint\n")
        (rules,) = edits_in(edit, new)
        last = rules["newText"].splitlines()[-1]
        assert last == "API_DESIGN_RULE_0=Version every endpoint"
        assert told["changed"] == [manifest, new]
        assert told["location"]["uri"] == new
        assert told["location"]["range"]["end"]["character"] == len(last)


async def test_a_domain_is_switched_over_and_to_a_state(root: Path) -> None:
    manifest = path_to_uri(str(root / ".synapse" / "manifest"))
    async with editor(root) as wire:
        told = await run(wire, "synapse.toggleDomain", root, domain="TESTING", active=True)
        assert told == {"changed": [], "location": None}
        assert not wire.notifications(APPLY)
        told = await run(wire, "synapse.toggleDomain", root, domain="TESTING")
        (edit,) = edits_in(asked(wire)["edit"], manifest)
        assert edit["newText"] == "inactive"
        assert told["changed"] == [manifest]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, 'profile = "synapse-live"\n'),
        ("# mine\n[usage]\n", 'profile = "synapse-live"\n# mine\n[usage]\n'),
        ('profile = "synapse"  # as published\n', 'profile = "synapse-live"  # as published\n'),
    ],
)
async def test_the_live_profile_is_chosen(before: str | None, after: str, root: Path) -> None:
    config = root / ".synapse" / "config.toml"
    if before is not None:
        config.write_text(before)
    async with editor(root) as wire:
        await run(wire, "synapse.useLive", root)
        edit = asked(wire)["edit"]
        assert applied(before or "", edits_in(edit, path_to_uri(str(config)))) == after
        config.write_text(after)
        wire.server.trees.path_changed(str(config))
        wire.server.trees._look_at_disk.run_now()
        told = await run(wire, "synapse.useLive", root)
        assert told == {"changed": [], "location": None}


@pytest.mark.parametrize(
    ("command", "given", "sentence"),
    [
        ("synapse.newRule", {"domain": "tsting", "text": "x"}, "Did you mean TESTING?"),
        ("synapse.newRule", {"domain": "docs", "text": "a\nb"}, "line"),
        ("synapse.newRule", {"domain": "context", "text": "x"}, "or CRITICAL as `bracket`;"),
        ("synapse.newRule", {"domain": "commands", "text": "x"}, "star-command as `command`"),
        ("synapse.newRule", {"domain": "constitution", "text": "x"}, "an article as `article`"),
        ("synapse.newRule", {"domain": "docs", "text": "x", "bracket": "FRESH"}, "Only CONTEXT"),
        ("synapse.newDomain", {"name": "testing"}, "already declares TESTING"),
        ("synapse.newDomain", {"name": "Not A Name"}, "my-domain"),
        ("synapse.toggleDomain", {"domain": "constitution"}, "cannot be switched off"),
    ],
)
async def test_what_cannot_be_done_is_refused_with_a_remedy(
    command: str, given: dict[str, Any], sentence: str, root: Path
) -> None:
    async with editor(root) as wire:
        error = await refused(wire, command, root, **given)
        assert error["code"] == -32803
        assert sentence in error["message"]
        assert not wire.notifications(APPLY)


@pytest.mark.parametrize(
    ("command", "given", "sentence"),
    [
        ("synapse.newRule", {"domain": "docs"}, "synapse.newRule: text is missing."),
        (
            "synapse.newRule",
            {"domain": "commands", "text": "x", "command": "a", "article": 1},
            "one of bracket, command and article",
        ),
        ("synapse.newDomain", {"name": "x", "keywords": "y"}, "keywords is not a list."),
        ("synapse.toggleDomain", {"domain": "docs", "active": 1}, "active is not a boolean."),
        ("synapse.setSession", {}, "needs one of agent"),
    ],
)
async def test_an_argument_of_another_shape_is_an_error_of_the_client(
    command: str, given: dict[str, Any], sentence: str, root: Path
) -> None:
    async with editor(root) as wire:
        error = await refused(wire, command, root, **given)
        assert error["code"] == -32602
        assert sentence in error["message"]


async def test_a_change_that_the_editor_declines_is_told(root: Path) -> None:
    async with editor(root) as wire:
        wire.answers[APPLY] = {"applied": False, "failureReason": "The file is read-only."}
        error = await refused(wire, "synapse.newRule", root, domain="docs", text="x")
        assert error["message"].endswith("change: The file is read-only.")


async def test_an_editor_that_cannot_be_asked_is_told_of_the_command_line(root: Path) -> None:
    async with connected(root) as wire:
        error = await refused(wire, "synapse.newRule", root, domain="docs", text="x")
        assert error["message"] == (
            "Your editor cannot change .synapse/docs on request, so nothing was changed. "
            "`synapse domain rule add` does it on the command line."
        )


async def test_a_session_is_set_and_the_next_block_follows(root: Path) -> None:
    client = Claude(root)
    client.now = time.time()
    client.prompt("hello")
    async with editor(root) as wire:
        told = await run(wire, "synapse.setSession", root, agent="@qa", workflow="nobody")
        assert told["session"] == "session-1"
        assert told["notes"] == ['no workflow is called "nobody"']
        change = await wire.first(
            lambda m: m.get("method") == "synapse/didChangeContext" and m["params"]["agent"] == "qa"
        )
        assert change["params"]["reason"] == "session"
        await run(wire, "synapse.setSession", root, agent="")
        assert (await wire.request("synapse/status"))["agent"] is None


async def test_without_a_session_there_is_nothing_to_set(root: Path) -> None:
    async with editor(root) as wire:
        error = await refused(wire, "synapse.setSession", root, agent="qa")
        assert error["message"].startswith("There is no current session")
        assert "Send your agent a prompt first" in error["message"]
        for command in ("synapse.setSession", "synapse.pin"):
            error = await refused(wire, command, root, session="gone", agent="qa")
            assert error["message"].startswith('There is no session "gone".')


async def test_a_session_is_pinned_and_let_go(root: Path) -> None:
    first, second = Claude(root, "one"), Claude(root, "two")
    for client in (first, second):
        client.now = time.time()
        client.prompt("@qa hello" if client is first else "hello")
    async with editor(root) as wire:
        assert (await wire.request("synapse/sessions"))["current"] == "two"
        told = await run(wire, "synapse.pin", root, session="one")
        assert told == {"session": "one", "pinned": "one"}
        assert (await wire.request("synapse/status"))["agent"]["id"] == "qa"
        told = await run(wire, "synapse.pin", root, session=None)
        assert told == {"session": "two", "pinned": None}


async def test_all_fixes_of_a_tree_are_one_change(root: Path) -> None:
    manifest, rules = root / ".synapse" / "manifest", root / ".synapse" / "docs"
    manifest.write_text(manifest.read_text("utf-8") + "DOCS_EXCLUDE=a,,b\n", "utf-8")
    rules.write_text(rules.read_text("utf-8") + "DOCS_RULE_9 = Say it\n", "utf-8")
    async with editor(root) as wire:
        told = await run(wire, "synapse.fixAll", root)
        params = asked(wire)
        assert params["label"] == "Fix all that Synapse can fix safely"
        changed = {one["textDocument"]["uri"] for one in params["edit"]["documentChanges"]}
        assert changed == set(told["changed"]) == {path_to_uri(str(p)) for p in (manifest, rules)}
        (said,) = wire.notifications("window/showMessage")
        assert said["message"] == f"{told['fixed']} findings fixed in 2 files."


async def test_fixing_a_tree_without_anything_to_fix_says_so(root: Path) -> None:
    async with editor(root) as wire:
        told = await run(wire, "synapse.fixAll", root)
        assert told == {"changed": [], "location": None, "fixed": 0}
        (said,) = wire.notifications("window/showMessage")
        assert "nothing to fix" in said["message"]
        assert not wire.notifications(APPLY)
