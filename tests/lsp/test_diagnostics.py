"""Diagnostics reach the client once, for the right text, and without flicker."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event

import pytest

from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.lsp.features import diagnostics
from tests.lsp.wire import PATIENCE, WATCHES, Message, Wire, codes, connected, edit
from tests.trees import TEAM, write_tree

PULLS: Message = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}, **WATCHES},
}
MANIFEST = ".synapse/manifest"
PUBLISHED = "textDocument/publishDiagnostics"
REFRESH = "workspace/diagnostic/refresh"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    config = "[lint]\nignore = ['SYN404']\n"  # what it says is true of the whole tree
    return write_tree(tmp_path / "team", {**TEAM, ".synapse/config.toml": config})


def opened(wire: Wire, tree: Path, path: str = MANIFEST) -> str:
    uri = path_to_uri(str(tree / path))
    wire.open(uri, (tree / path).read_text(encoding="utf-8"))
    return uri


def changed_on_disk(wire: Wire, path: Path) -> None:
    change = {"uri": path_to_uri(str(path)), "type": 2}
    wire.notify("workspace/didChangeWatchedFiles", {"changes": [change]})


async def pulled(wire: Wire, uri: str, before: str | None = None) -> Message:
    params: Message = {"textDocument": {"uri": uri}}
    if before is not None:
        params["previousResultId"] = before
    report: Message = await wire.request("textDocument/diagnostic", params)
    return report


@pytest.mark.parametrize(
    "capabilities",
    [
        {"workspace": WATCHES},
        # It could pull, but nobody could tell it that another file's findings changed.
        {"textDocument": {"diagnostic": {}}, "workspace": WATCHES},
    ],
)
async def test_who_cannot_be_told_to_pull_again_gets_them_pushed(
    capabilities: Message, tree: Path
) -> None:
    wire = Wire()
    offered = await wire.initialize(tree, capabilities=capabilities)
    assert "diagnosticProvider" not in offered
    uri = opened(wire, tree)
    wire.change(uri, 2, edit((0, 0), (0, 0), "broken\n"))
    await wire.until(lambda: bool(wire.diagnostics(uri)))
    error = await wire.refusal("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert error["code"] == -32601


async def test_who_pulls_gets_nothing_pushed(tree: Path) -> None:
    wire = Wire()
    offered = await wire.initialize(tree, capabilities=PULLS)
    assert offered["diagnosticProvider"]["interFileDependencies"]
    assert offered["diagnosticProvider"]["workspaceDiagnostics"]
    uri = opened(wire, tree)
    wire.change(uri, 2, edit((0, 0), (0, 0), "broken\n"))
    assert codes((await pulled(wire, uri))["items"]) == ["SYN103"]
    assert not wire.notifications(PUBLISHED)


async def test_what_the_client_has_already_is_not_sent_again(tree: Path) -> None:
    async with connected(tree, capabilities=PULLS) as wire:
        uri = opened(wire, tree)
        first = await pulled(wire, uri)
        again = await pulled(wire, uri, first["resultId"])
        assert again == {"kind": "unchanged", "resultId": first["resultId"]}
        wire.change(uri, 2, edit((0, 0), (0, 0), "broken\n"))
        assert (await pulled(wire, uri, first["resultId"]))["kind"] == "full"


async def test_a_pull_waits_for_the_edit_before_it(tree: Path) -> None:
    async with connected(tree, capabilities=PULLS) as wire:
        uri = opened(wire, tree)
        for version in range(2, 30):
            text = "broken\n" if version % 2 == 0 else ""
            wire.change(uri, version, edit((0, 0), (0, 0) if version == 2 else (1, 0), text))
            if version % 2:
                wire.change(uri, version, edit((0, 0), (0, 0), "#\n"))
            found = (await pulled(wire, uri))["items"]
            assert codes(found) == (["SYN103"] if version % 2 == 0 else [])


async def test_a_file_of_no_tree_has_no_diagnostics(tmp_path: Path) -> None:
    async with connected(capabilities=PULLS) as wire:
        report = await pulled(wire, path_to_uri(str(tmp_path / "x")))
        assert report == {"kind": "full", "items": []}


async def test_a_change_elsewhere_has_the_client_pull_again(tree: Path) -> None:
    async with connected(tree, capabilities=PULLS) as wire:
        await wire.settled()
        before = len(wire.said)
        (tree / ".synapse" / "docs").write_text("broken\nDOCS_RULE_0=x\n", encoding="utf-8")
        changed_on_disk(wire, tree / ".synapse" / "docs")
        await wire.first(lambda message: message.get("method") == REFRESH, before)


async def test_a_key_stroke_alone_has_nothing_pulled_again(tree: Path) -> None:
    async with connected(tree, capabilities=PULLS) as wire:
        uri = opened(wire, tree, ".synapse/docs")
        await wire.settled()
        before = len(wire.said)
        wire.change(uri, 2, edit((1, 0), (1, 0), "DOCS_RULE_0\n"))
        assert codes((await pulled(wire, uri))["items"])
        assert REFRESH not in [message.get("method") for message in wire.said[before:]]


async def test_a_workspace_pull_with_nothing_new_stays_open_until_there_is(tree: Path) -> None:
    """Some clients ask again every two seconds for as long as they run."""
    async with connected(tree, capabilities=PULLS) as wire:
        number = wire.ask("workspace/diagnostic", {"previousResultIds": []})
        await wire.settled()
        assert not [m for m in wire.said if m.get("id") == number]
        path = tree / ".synapse" / "docs"
        path.write_text("broken\nDOCS_RULE_0=x\n", encoding="utf-8")
        changed_on_disk(wire, path)
        (report,) = (await wire.answer(number))["result"]["items"]
        assert report["uri"] == path_to_uri(str(path))
        # The same again stays open; mended, the file is reported as empty.
        known = [{"uri": report["uri"], "value": report["resultId"]}]
        number = wire.ask("workspace/diagnostic", {"previousResultIds": known})
        await wire.settled()
        assert not [m for m in wire.said if m.get("id") == number and "method" not in m]
        path.write_text("DOCS_RULE_0=x\n", encoding="utf-8")
        changed_on_disk(wire, path)
        (report,) = (await wire.answer(number))["result"]["items"]
        assert report["items"] == []
        # What was reported as empty is not reported as empty again.
        known = [{"uri": report["uri"], "value": report["resultId"]}]
        number = wire.ask("workspace/diagnostic", {"previousResultIds": known})
        await wire.settled()
        assert not [m for m in wire.said if m.get("id") == number and "method" not in m]
        wire.notify("$/cancelRequest", {"id": number})
        assert (await wire.answer(number))["error"]["code"] == -32800


async def test_nothing_is_said_about_a_text_that_has_changed_meanwhile(tree: Path) -> None:
    async with connected(tree) as wire:
        uri = opened(wire, tree)
        await wire.settled()
        done = Event()
        for version in range(2, 50):
            wire.change(uri, version, edit((0, 0), (0, 0), "broken\n"))
            if version == 10:
                await asyncio.sleep(0)
                busy = wire.server.worker.run(done.wait, PATIENCE)
        await wire.until(lambda: not wire.server.protocol.is_busy)
        done.set()
        await busy
        await wire.until(lambda: len(wire.diagnostics(uri)) == 48)
        versions = [params["version"] for params in wire.notifications(PUBLISHED)]
        assert versions == sorted(set(versions))
        assert versions[-1] == 49
        # The strokes that came while the worker was busy were taken in at once.
        assert len(versions) < 20


def published(wire: Wire, uri: str, after: int = 0) -> list[list[str]]:
    """The codes of each publication about a document."""
    said = [message for message in wire.said[after:] if message.get("method") == PUBLISHED]
    return [codes(m["params"]["diagnostics"]) for m in said if m["params"]["uri"] == uri]


async def test_what_a_file_itself_shows_is_published_before_what_the_tree_makes_of_it(
    tree: Path,
) -> None:
    async with connected(tree) as wire:
        uri = opened(wire, tree)
        await wire.settled()
        before = len(wire.said)
        wire.change(uri, 2, edit((0, 0), (0, 0), "broken\nLONELY_STATE=active\n"))
        await wire.until(lambda: "SYN201" in codes(wire.diagnostics(uri)))
        first, last = published(wire, uri, before)
        assert "SYN103" in first
        assert "SYN201" not in first
        assert "SYN103" in last


async def test_a_finding_of_the_tree_does_not_flicker_while_one_types(tree: Path) -> None:
    async with connected(tree) as wire:
        uri = opened(wire, tree)
        wire.change(uri, 2, edit((0, 0), (0, 0), "LONELY_STATE=active\n"))
        await wire.until(lambda: "SYN201" in codes(wire.diagnostics(uri)))
        await wire.settled()
        before = len(wire.said)
        for column in range(30):
            letter = "#" if column == 0 else "x"
            text = f"{letter}\n" if column == 0 else letter
            wire.change(uri, 3 + column, edit((0, column), (0, column), text))
            if column % 3 == 0:
                await wire.settled()
        await wire.settled()
        assert all("SYN201" in found for found in published(wire, uri, before))
        (lonely,) = [one for one in wire.diagnostics(uri) if one["code"] == "SYN201"]
        assert lonely["range"]["start"] == {"line": 1, "character": 0}


async def test_a_pull_after_a_burst_has_what_the_tree_makes_of_it(tree: Path) -> None:
    async with connected(tree, capabilities=PULLS) as wire:
        uri = opened(wire, tree)
        await wire.settled()
        for version in range(2, 30):
            wire.change(uri, version, edit((0, 0), (0, 0), f"LONELY{version}_STATE=active\n"))
        found = (await pulled(wire, uri))["items"]
        await wire.settled()
        assert codes(found) == codes((await pulled(wire, uri))["items"])
        (lonely,) = [one for one in found if one["code"] == "SYN201"]
        assert lonely["message"].startswith("28 domains have no file")


async def test_who_pulls_is_told_to_pull_again_when_the_tree_says_more(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnostics, "_PATIENCE", 0.0)
    async with connected(tree, capabilities=PULLS) as wire:
        uri = opened(wire, tree)
        await wire.settled()
        before = len(wire.said)
        wire.change(uri, 2, edit((0, 0), (0, 0), "broken\nLONELY_STATE=active\n"))
        assert "SYN103" in codes((await pulled(wire, uri))["items"])
        await wire.first(lambda message: message.get("method") == REFRESH, before)
        assert {"SYN103", "SYN201"} <= set(codes((await pulled(wire, uri))["items"]))


async def test_rules_that_need_other_files_come_to_their_turn_while_one_types_on(
    tree: Path,
) -> None:
    async with connected(tree) as wire:
        uri = opened(wire, tree)
        await wire.settled()
        wire.change(uri, 2, edit((0, 0), (0, 0), "LONELY_STATE=active\n#\n"))
        version = 2

        def typed() -> bool:
            nonlocal version
            version += 1
            wire.change(uri, version, edit((1, 1), (1, 1), "x"))
            return "SYN201" in codes(wire.diagnostics(uri))

        await wire.until(typed)


async def test_a_change_on_disk_that_changes_no_finding_publishes_nothing(tree: Path) -> None:
    async with connected(tree) as wire:
        await wire.settled()
        before = len(wire.said)
        path = tree / ".synapse" / "global"
        path.write_text("GLOBAL_RULE_0=Another\n", encoding="utf-8")
        changed_on_disk(wire, path)
        told = await wire.first(lambda m: "Another" in str(m.get("params")), before)
        assert told["method"] == "synapse/didChangeContext"
        assert PUBLISHED not in [message.get("method") for message in wire.said[before:]]


async def test_a_closed_file_keeps_the_findings_of_the_file_on_disk(tree: Path) -> None:
    path = tree / ".synapse" / "docs"
    path.write_text("broken\nDOCS_RULE_0=x\n", encoding="utf-8")
    async with connected(tree) as wire:
        uri = opened(wire, tree, ".synapse/docs")
        await wire.until(lambda: bool(wire.diagnostics(uri)))
        wire.change(uri, 2, {"text": "DOCS_RULE_0=x\n"})
        await wire.until(lambda: not wire.diagnostics(uri))
        wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        await wire.until(lambda: bool(wire.diagnostics(uri)))


async def test_the_findings_of_a_folder_that_leaves_are_taken_back(tree: Path) -> None:
    (tree / ".synapse" / "docs").write_text("broken\nDOCS_RULE_0=x\n", encoding="utf-8")
    uri = path_to_uri(str(tree / ".synapse" / "docs"))
    async with connected(tree) as wire:
        await wire.until(lambda: bool(wire.diagnostics(uri)))
        folder = {"uri": path_to_uri(str(tree)), "name": "team"}
        event = {"event": {"added": [], "removed": [folder]}}
        wire.notify("workspace/didChangeWorkspaceFolders", event)
        await wire.until(lambda: not wire.diagnostics(uri))


async def test_related_places_are_told_to_who_shows_them(tree: Path) -> None:
    shows: Message = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}
    uri = path_to_uri(str(tree / MANIFEST))
    for capabilities, expected in (({**shows, "workspace": WATCHES}, [uri]), (None, [])):
        async with connected(tree, capabilities=capabilities) as wire:
            opened(wire, tree)
            wire.change(uri, 2, edit((0, 0), (0, 0), "DOCS_STATE=active\n"))
            said = await wire.first(lambda m: bool((m.get("params") or {}).get("diagnostics")))
            related = said["params"]["diagnostics"][0].get("relatedInformation", ())
            assert [one["location"]["uri"] for one in related] == expected
