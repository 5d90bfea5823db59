"""Code actions as real editors ask for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.lint.fixes import plan_fixes
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.lsp.declared import CLIENTS, capabilities
from tests.lsp.test_formatting import applied
from tests.lsp.wire import Message, Wire, connected
from tests.trees import TEAM, write_tree

BROKEN = "DOCS_RULE_0 = Every feature has an example\nDOCS_RULE_1 = Every example runs\n"


def asking(
    uri: str, line: int, *found: Message, only: tuple[str, ...] = (), kind: int = 1
) -> Message:
    """The parameters of a request for the beginning of a line."""
    place = {"line": line, "character": 0}
    context: dict[str, Any] = {"diagnostics": list(found), "triggerKind": kind}
    if only:
        context["only"] = list(only)
    return {
        "textDocument": {"uri": uri},
        "range": {"start": place, "end": place},
        "context": context,
    }


def has_later(declared: Message) -> bool:
    """Whether a client has an action's edit worked out when it is chosen."""
    given = declared["textDocument"]["codeAction"]
    later = "edit" in given.get("resolveSupport", {}).get("properties", [])
    return later and bool(given.get("dataSupport"))


async def chosen(wire: Wire, found: list[Message], title: str) -> Message:
    """The action whose title begins so, with its edit."""
    action = next(action for action in found if action["title"].startswith(title))
    if "edit" in action:
        return action
    resolved: Message = await wire.request("codeAction/resolve", action)
    return resolved


def edits_in(edit: Message, uri: str) -> list[Message]:
    """The edits of one document, however the client wants them."""
    if "changes" in edit:
        return list(edit["changes"][uri])
    changes = [one for one in edit["documentChanges"] if "textDocument" in one]
    return [e for one in changes if one["textDocument"]["uri"] == uri for e in one["edits"]]


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_finding_is_mended_and_so_are_all_of_its_kind(client: str, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", TEAM)
    uri = path_to_uri(str(root / ".synapse" / "docs"))
    declared = capabilities(client)
    async with connected(root, capabilities=declared) as wire:
        wire.open(uri, BROKEN, version=7)
        first = (await findings(wire, uri))[0]
        found = await wire.request("textDocument/codeAction", asking(uri, 0, first))
        action = await chosen(wire, found, "Delete the white space")
        assert action["kind"] == "quickfix"
        assert action["diagnostics"] == [first]
        assert action["isPreferred"] is True
        assert ("data" in found[0]) is has_later(declared)
        assert applied(BROKEN, edits_in(action["edit"], uri)).startswith("DOCS_RULE_0= Every")
        if "documentChanges" in action["edit"]:
            (change,) = action["edit"]["documentChanges"]
            assert change["textDocument"] == {"uri": uri, "version": 7}
        every = await chosen(wire, found, "Fix all SYN113")
        assert "DOCS_RULE_1= Every" in applied(BROKEN, edits_in(every["edit"], uri))


async def findings(wire: Wire, uri: str) -> list[Message]:
    """The diagnostics of a document, pulled or pushed."""
    await wire.settled()
    if wire.server.client.pull:
        report = await wire.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        return list(report["items"])
    told = await wire.first(
        lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
    )
    return list(told["params"]["diagnostics"])


@pytest.mark.parametrize("client", CLIENTS)
async def test_fixing_all_on_save_is_what_the_command_line_does(
    client: str, tmp_path: Path
) -> None:
    text = "  GLOBAL_STATE=Active\nDOCS_STATE=active\nDOCS_RECALL=readme,,manual\n"
    root = write_tree(tmp_path / "team", {**TEAM, ".synapse/manifest": text})
    path = root / ".synapse" / "manifest"
    uri = path_to_uri(str(path))
    tree = Tree(load_tree(str(root), LoadScope.ALL).index.snapshot())
    mended = plan_fixes(tree, lint_tree, accepts=lambda one: one.path == ".synapse/manifest")
    expected = mended.tree.snapshot.facts(".synapse/manifest")
    assert expected is not None
    async with connected(root, capabilities=capabilities(client)) as wire:
        before = path.read_text(encoding="utf-8")
        wire.open(uri, before)
        params = asking(uri, 0, only=("source.fixAll",))
        (found,) = await wire.request("textDocument/codeAction", params)
        assert found["kind"] == "source.fixAll.synapse"
        action = await chosen(wire, [found], "Fix all")
        assert applied(before, edits_in(action["edit"], uri)) == expected.text != before


@pytest.mark.parametrize("client", CLIENTS)
async def test_files_are_created_where_the_client_can(client: str, tmp_path: Path) -> None:
    text = "NEW_AREA_STATE=active\nNEW_AREA_ALWAYS_ON=true\n"
    root = write_tree(tmp_path / "team", {**TEAM, ".synapse/manifest": text})
    uri = path_to_uri(str(root / ".synapse" / "manifest"))
    declared = capabilities(client)
    can = "create" in declared["workspace"]["workspaceEdit"].get("resourceOperations", [])
    async with connected(root, capabilities=declared) as wire:
        found = await wire.request("textDocument/codeAction", asking(uri, 0))
        titles = [action["title"] for action in found]
        assert ("Create `.synapse/new-area`" in titles) is can
        if can:
            action = await chosen(wire, found, "Create `.synapse/new-area`")
            create, fill = action["edit"]["documentChanges"]
            assert create == {
                "kind": "create",
                "uri": path_to_uri(str(root / ".synapse" / "new-area")),
            }
            assert fill["edits"][0]["newText"].startswith("# Domain NEW_AREA")


async def test_what_changes_a_whole_file_is_not_offered_unasked(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", TEAM)
    uri = path_to_uri(str(root / ".synapse" / "docs"))
    async with connected(root, capabilities=capabilities("vscode")) as wire:
        wire.open(uri, BROKEN)
        unasked = await wire.request("textDocument/codeAction", asking(uri, 0, kind=2))
        asked = await wire.request("textDocument/codeAction", asking(uri, 0, kind=1))
        kinds = {action["kind"] for action in asked} - {action["kind"] for action in unasked}
        assert kinds == {"source.fixAll.synapse"}


async def test_an_action_for_another_version_of_the_text_is_refused(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", TEAM)
    uri = path_to_uri(str(root / ".synapse" / "docs"))
    async with connected(root, capabilities=capabilities("vscode")) as wire:
        wire.open(uri, BROKEN)
        found = await wire.request("textDocument/codeAction", asking(uri, 0))
        wire.change(uri, 2, {"text": f"# new\n{BROKEN}"})
        error = await wire.refusal("codeAction/resolve", found[0])
        assert error["code"] == -32801


async def test_a_client_without_actions_as_literals_gets_none(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", TEAM)
    uri = path_to_uri(str(root / ".synapse" / "docs"))
    async with connected(root) as wire:
        wire.open(uri, BROKEN)
        assert await wire.request("textDocument/codeAction", asking(uri, 0)) is None
