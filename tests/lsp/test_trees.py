"""Which trees are served, who watches them, and what a person may set."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from synapse_ls.formats import config_file
from synapse_ls.lsp import root_discovery
from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.lsp.editor_settings import EditorSettings
from synapse_ls.storage.current_plan import load_plan, prepare_plan
from synapse_ls.storage.plan_cache import read_stamps
from synapse_ls.text.finding import Finding
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_watching import (
    WatchedFolder,
    WatchedRoot,
    folders_to_watch,
    root_patterns,
)
from tests.lsp.wire import WATCHES, Message, Wire, connected
from tests.trees import TEAM, write_tree

PLAIN = {".synapse/manifest": "GLOBAL_STATE=active\n", ".synapse/global": "GLOBAL_RULE_0=x\n"}
SQUAD = {f"squads/etl/{path}": text for path, text in PLAIN.items()}


def served(wire: Wire) -> list[str]:
    return sorted(root.path for root in wire.server.trees.roots.values())


def find(folder: Path, depth: int = 5) -> list[str]:
    found = root_discovery.find_roots([str(folder)], [], depth)
    return [str(Path(path).relative_to(folder)) for path in found.paths]


def test_trees_are_found_upward(tmp_path: Path) -> None:
    write_tree(tmp_path, PLAIN)
    (tmp_path / "src" / "deep").mkdir(parents=True)
    found = root_discovery.find_roots([str(tmp_path / "src" / "deep")], [], 5)
    assert found.paths == (str(tmp_path),)


def test_trees_are_found_downward_as_deep_as_is_wanted(tmp_path: Path) -> None:
    write_tree(tmp_path / "a" / "b", PLAIN)
    assert find(tmp_path) == ["a/b"]
    assert find(tmp_path, 2) == ["a/b"]
    assert find(tmp_path, 1) == []
    assert find(tmp_path, -1) == []


@pytest.mark.parametrize("folder", ["node_modules/x", ".cache/x", "build", "env3"])
def test_installed_hidden_and_built_folders_are_not_searched(folder: str, tmp_path: Path) -> None:
    write_tree(tmp_path / folder, PLAIN)
    (tmp_path / "env3").mkdir(exist_ok=True)
    (tmp_path / "env3" / "pyvenv.cfg").touch()
    assert find(tmp_path) == []


def test_a_squad_is_no_tree_of_its_own(tmp_path: Path) -> None:
    write_tree(tmp_path, {**PLAIN, **SQUAD})
    assert find(tmp_path) == ["."]
    squad = tmp_path / "squads" / "etl"
    assert root_discovery.find_roots([str(squad)], [], 5).paths == (str(tmp_path),)
    found = root_discovery.find_roots([], [f"{squad}/.synapse/manifest"], 5)
    assert found.paths == (str(tmp_path),)


def test_squads_without_a_tree_above_make_their_project_one(tmp_path: Path) -> None:
    write_tree(tmp_path, {**SQUAD, "squads/etl/squad.yaml": "name: etl\nversion: 1.0.0\n"})
    squad = tmp_path / "squads" / "etl"
    assert find(tmp_path) == ["."]
    found = root_discovery.find_roots([], [f"{squad}/.synapse/manifest"], 5)
    assert found.paths == (str(tmp_path),)
    assert root_discovery.find_roots([str(squad)], [], 5).paths == (str(tmp_path),)


def test_trees_that_only_files_ask_for_are_told_apart(tmp_path: Path) -> None:
    write_tree(tmp_path / "in", PLAIN)
    write_tree(tmp_path / "out", PLAIN)
    files = [f"{tmp_path}/{name}/.synapse/manifest" for name in ("in", "out")]
    found = root_discovery.find_roots([f"{tmp_path}/in"], files, 5)
    roots = (f"{tmp_path}/in", f"{tmp_path}/out")
    assert found == root_discovery.FoundRoots(roots, file_only={roots[1]})


def test_a_tree_in_a_tree_is_one_of_its_own(tmp_path: Path) -> None:
    write_tree(tmp_path, PLAIN)
    write_tree(tmp_path / "packages" / "one", PLAIN)
    assert find(tmp_path) == [".", "packages/one"]


async def test_a_file_belongs_to_the_innermost_tree(tmp_path: Path) -> None:
    write_tree(tmp_path, PLAIN)
    inner = write_tree(tmp_path / "packages" / "one", PLAIN)
    async with connected(tmp_path) as wire:
        params = {"uri": path_to_uri(str(inner / ".synapse" / "global"))}
        assert (await wire.request("synapse/status", params))["root"] == path_to_uri(str(inner))
        params = {"uri": path_to_uri(str(tmp_path / ".synapse" / "global"))}
        assert (await wire.request("synapse/status", params))["root"] == path_to_uri(str(tmp_path))


async def test_a_file_outside_of_every_folder_brings_its_tree(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "team", TEAM)
    async with connected() as wire:
        uri = path_to_uri(str(tree / ".synapse" / "manifest"))
        wire.open(uri, "broken\n")
        await wire.until(lambda: bool(wire.diagnostics(uri)))
        assert served(wire) == [str(tree)]


def close(wire: Wire, uri: str) -> None:
    wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


async def test_a_tree_outside_of_every_folder_goes_with_its_last_file(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "team", {**PLAIN, ".synapse/docs": "broken\nDOCS_RULE_0=x\n"})
    manifest, docs = (path_to_uri(str(tree / ".synapse" / name)) for name in ("manifest", "docs"))
    async with connected() as wire:
        wire.open(manifest, "broken\n")
        wire.open(docs, "broken\nDOCS_RULE_0=x\n")
        await wire.until(lambda: bool(wire.diagnostics(docs)))
        close(wire, manifest)
        await wire.settled()
        assert served(wire) == [str(tree)]
        close(wire, docs)
        await wire.until(lambda: served(wire) == [])
        assert not wire.diagnostics(docs)


async def test_a_tree_whose_file_is_reopened_at_once_stays(tmp_path: Path) -> None:
    uri = path_to_uri(str(write_tree(tmp_path / "team", TEAM) / ".synapse" / "manifest"))
    async with connected() as wire:
        wire.open(uri, "broken\n")
        await wire.until(lambda: bool(wire.diagnostics(uri)))
        close(wire, uri)
        wire.open(uri, "broken\n")
        await wire.settled()
        await wire.until(lambda: served(wire) == [str(tmp_path / "team")])
        await wire.until(lambda: bool(wire.diagnostics(uri)))


async def test_a_folder_that_was_removed_goes_with_its_last_open_file(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "team", {**PLAIN, ".synapse/docs": "broken\nDOCS_RULE_0=x\n"})
    manifest, docs = (path_to_uri(str(tree / ".synapse" / name)) for name in ("manifest", "docs"))
    async with connected(tree) as wire:
        wire.open(manifest, PLAIN[".synapse/manifest"])
        await wire.until(lambda: bool(wire.diagnostics(docs)))
        removed = [{"uri": path_to_uri(str(tree)), "name": "team"}]
        event = {"event": {"added": [], "removed": removed}}
        wire.notify("workspace/didChangeWorkspaceFolders", event)
        await wire.settled()
        assert served(wire) == [str(tree)]
        close(wire, manifest)
        await wire.until(lambda: served(wire) == [])
        assert not wire.diagnostics(docs)


async def test_a_tree_in_a_folder_stays_when_its_files_are_closed(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "team", TEAM)
    uri = path_to_uri(str(tree / ".synapse" / "manifest"))
    async with connected(tree) as wire:
        wire.open(uri, PLAIN[".synapse/manifest"])
        await wire.settled()
        close(wire, uri)
        await wire.settled()
        assert served(wire) == [str(tree)]


async def test_without_a_uri_the_tree_of_the_first_folder_is_meant(tmp_path: Path) -> None:
    second, first = (write_tree(tmp_path / name, PLAIN) for name in ("a", "b"))
    async with connected(first, second) as wire:
        assert (await wire.request("synapse/status", {}))["root"] == path_to_uri(str(first))


async def test_without_a_tree_there_is_one_clear_sentence(tmp_path: Path) -> None:
    async with connected(tmp_path) as wire:
        error = await wire.refusal("synapse/context")
        sentence = "There is no tree in the workspace. `synapse init` creates one."
        assert error == {"code": -32803, "message": sentence}


async def test_a_look_for_trees_that_fails_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk is on fire")

    monkeypatch.setattr(root_discovery, "find_roots", fail)
    wire = Wire()
    await wire.initialize(write_tree(tmp_path, TEAM))
    assert "no tree" in (await wire.refusal("synapse/status", {}))["message"]


async def test_a_tree_that_appears_while_the_client_watches_is_served(tmp_path: Path) -> None:
    async with connected(tmp_path) as wire:
        assert served(wire) == []
        write_tree(tmp_path / "new", PLAIN)
        event = {"uri": path_to_uri(str(tmp_path / "new" / ".synapse" / "manifest")), "type": 1}
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
        await wire.until(lambda: served(wire) == [str(tmp_path / "new")])


async def test_a_file_that_changes_has_the_plan_of_the_next_prompt_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    tree = write_tree(tmp_path / "team", PLAIN)
    for path in tree.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    load_plan(str(tree))
    assert not prepare_plan(str(tree))
    async with connected(tree) as wire:
        await wire.until(lambda: served(wire) == [str(tree)])
        (tree / ".synapse" / "manifest").write_text("GLOBAL_STATE=active\nA_STATE=active\n")
        os.utime(tree / ".synapse" / "manifest", (1_700_000_100, 1_700_000_100))
        event = {"uri": path_to_uri(str(tree / ".synapse" / "manifest")), "type": 2}
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [event]})

        def is_prepared() -> bool:
            stamped = read_stamps(str(tree))
            return stamped is not None and stamped.is_current()

        await wire.until(is_prepared)


@pytest.mark.parametrize("tell", ["folder", "files"])
async def test_a_tree_that_goes_is_served_no_longer(tell: str, tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "team", PLAIN)
    async with connected(tree) as wire:
        await wire.until(lambda: served(wire) == [str(tree)])
        shutil.rmtree(tree / ".synapse")
        names = [""] if tell == "folder" else ["/manifest", "/global"]
        changes = [{"uri": f"{path_to_uri(str(tree))}/.synapse{name}", "type": 3} for name in names]
        wire.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        await wire.until(lambda: served(wire) == [])


async def test_the_client_is_asked_to_watch_each_root_and_each_linked_squad(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "team", PLAIN)
    pack = write_tree(tree / "packs" / "pack", PLAIN)
    foreign = write_tree(tmp_path / "foreign", PLAIN)
    (tree / "squads").mkdir()
    for folder in (pack, foreign):
        (tree / "squads" / folder.name).symlink_to(folder, target_is_directory=True)
    async with connected(tree) as wire:

        def watched() -> set[tuple[str, str]]:
            asked = wire.notifications("client/registerCapability")
            registration = asked[-1]["registrations"][0] if asked else {"registerOptions": {}}
            watchers = registration["registerOptions"].get("watchers", [])
            return {(w["globPattern"]["baseUri"], w["globPattern"]["pattern"]) for w in watchers}

        await wire.until(lambda: (path_to_uri(str(pack)), ".synapse/*") in watched())
        for pattern in (".synapse", ".synapse/**", "squads/*/squad.yaml", ".aiox/**"):
            assert (path_to_uri(str(tree)), pattern) in watched()
        # What a link leads to outside of the project is not read, so it is not watched either.
        assert path_to_uri(str(foreign)) not in {folder for folder, _ in watched()}
        assert len(wire.notifications("client/unregisterCapability")) <= 1


async def test_a_client_without_relative_patterns_gets_plain_ones(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "team", PLAIN)
    watches = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
    async with connected(tree, capabilities={"workspace": watches}) as wire:
        await wire.until(lambda: bool(wire.notifications("client/registerCapability")))
        (asked, *_) = wire.notifications("client/registerCapability")
        watchers = asked["registrations"][0]["registerOptions"]["watchers"]
        assert {"globPattern": "**/.synapse/**"} in watchers


def test_what_we_watch_ourselves_is_specific(tmp_path: Path) -> None:
    files = {**PLAIN, **SQUAD, "docs/stories/one.md": "x", "src/main.py": "x"}
    root = str(write_tree(tmp_path / "team", files))
    link = str(write_tree(tmp_path / "pack", PLAIN))
    found = folders_to_watch(
        [WatchedRoot(root, config_file.parse("").document.paths, (link,))], [root]
    )
    assert found == {
        WatchedFolder(root, False),
        WatchedFolder(f"{root}/.synapse", True),
        WatchedFolder(f"{root}/squads", True),
        WatchedFolder(f"{root}/docs/stories", True),
        WatchedFolder(link, True),
    }


def test_folders_whose_loss_takes_a_place_with_it_are_watched() -> None:
    patterns = root_patterns(config_file.parse("").document.paths)
    assert {"docs", "docs/stories", ".aiox-core", ".aiox-core/development"} <= set(patterns)


@pytest.mark.parametrize("given", [None, 5, "x", [], {"watch": 5, "trees": 7, "session": None}])
def test_settings_of_any_shape_are_read(given: object) -> None:
    assert EditorSettings.from_section(given) == EditorSettings()


def test_settings_may_be_nested_or_dotted() -> None:
    expected = EditorSettings(diagnostics=False, session="s", depth=0, watch="server")
    rest: Message = {"session": "s", "watch": "server"}
    assert (
        EditorSettings.from_section(
            {"diagnostics": {"enabled": False}, "trees": {"depth": 0}, **rest}
        )
        == expected
    )
    assert (
        EditorSettings.from_section({"diagnostics.enabled": False, "trees.depth": 0, **rest})
        == expected
    )


def finding(code: str, name: str) -> Finding:
    return Finding(Span(0, 1), "It is so.", path="docs", code=code, name=name)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({}, ["SYN201 warning", "SYN203 warning"]),
        ({"select": ["SYN203"]}, ["SYN203 warning"]),
        ({"ignore": ["SYN2"], "select": ["SYN201"]}, ["SYN201 warning"]),
        ({"ignore": ["second-rule"]}, ["SYN201 warning"]),
        ({"ignore": ["ALL"]}, []),
        ({"severity": {"SYN2": "hint", "SYN203": "off"}}, ["SYN201 hint"]),
        ({"severity": {"SYN2": "loud"}, "select": 5}, ["SYN201 warning", "SYN203 warning"]),
    ],
)
def test_an_editor_shows_the_findings_that_its_settings_select(
    given: Message, shown: list[str]
) -> None:
    findings = [finding("SYN201", "first-rule"), finding("SYN203", "second-rule")]
    selection = EditorSettings.from_section({"lint": given}).findings
    told = [f"{one.code} {one.severity.value}" for one in selection.shown(findings)]
    assert told == shown


async def test_settings_are_asked_for_and_followed(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "team", {**PLAIN, ".synapse/docs": "broken\nDOCS_RULE_0=x\n"})
    uri = path_to_uri(str(tree / ".synapse" / "docs"))
    dynamic = {"didChangeConfiguration": {"dynamicRegistration": True}}
    capabilities = {"workspace": {"configuration": True, **dynamic, **WATCHES}}
    async with connected(tree, capabilities=capabilities) as wire:
        await wire.until(lambda: bool(wire.diagnostics(uri)))
        registered = [
            one["registrations"][0]["method"]
            for one in wire.notifications("client/registerCapability")
        ]
        assert "workspace/didChangeConfiguration" in registered
        wire.answers["workspace/configuration"] = [{"diagnostics": {"enabled": False}}]
        wire.notify("workspace/didChangeConfiguration", {"settings": None})
        await wire.until(lambda: not wire.diagnostics(uri))
        wire.answers["workspace/configuration"] = [{}]
        wire.notify("workspace/didChangeConfiguration", {"settings": None})
        await wire.until(lambda: bool(wire.diagnostics(uri)))


async def test_settings_that_come_with_initialize_are_not_asked_for(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "team" / "below", PLAIN)
    capabilities = {"workspace": {"configuration": True, **WATCHES}}
    for depth, roots in ((0, []), (1, [str(tree)])):
        options = {"settings": {"trees": {"depth": depth}}}
        async with connected(tree.parent, capabilities=capabilities, options=options) as wire:
            await wire.settled()
            assert served(wire) == roots
            assert not wire.notifications("workspace/configuration")
            wire.answers["workspace/configuration"] = [{"trees": {"depth": 1}}]
            wire.notify("workspace/didChangeConfiguration", {"settings": None})
            await wire.until(lambda: served(wire) == [str(tree)])


async def test_a_client_that_only_pushes_settings_is_heard(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "team" / "below", PLAIN)
    async with connected(tmp_path) as wire:
        await wire.until(lambda: served(wire) == [str(tree)])
        settings = {"synapse": {"trees": {"depth": 0}}}
        wire.notify("workspace/didChangeConfiguration", {"settings": settings})
        await wire.until(lambda: served(wire) == [])
