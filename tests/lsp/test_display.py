"""What editors show around a text: folds, selections, colours, hints, lenses and their commands."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synapse_ls.lsp.convert import path_to_uri, uri_to_path
from tests.lsp.declared import CLIENTS, capabilities
from tests.lsp.wire import Wire, connected, edit
from tests.support import examples
from tests.trees import TEAM, write_tree

TEXT = """\
# The team's rules.
# Read from above.
GLOBAL_STATE=active
GLOBAL_ALWAYS_ON=true
TESTING_RECALL=unit test,coverage
"""
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
ALL = pytest.mark.parametrize("client", CLIENTS)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    large = TEAM[".synapse/global"] + f"GLOBAL_RULE_9={'Say why. ' * 99}\n"
    files = {**TEAM, ".synapse/manifest": TEXT, ".synapse/global": large}
    return write_tree(tmp_path / "team", files)


def opened(wire: Wire, root: Path, path: str = ".synapse/manifest") -> dict[str, Any]:
    """Open a file; the parameters of a request about it."""
    uri = path_to_uri(str(root / path))
    wire.open(uri, (root / path).read_text(encoding="utf-8"))
    return {"textDocument": {"uri": uri}}


@ALL
async def test_folds_are_of_whole_lines(client: str, root: Path) -> None:
    async with connected(root, capabilities=capabilities(client)) as wire:
        found = await wire.request("textDocument/foldingRange", opened(wire, root))
        assert found == [
            {"startLine": 0, "endLine": 1, "kind": "comment"},
            {"startLine": 2, "endLine": 3},
        ]


async def test_no_more_folds_are_told_than_a_client_wants(root: Path) -> None:
    declared = capabilities("vscode")
    declared["textDocument"]["foldingRange"]["rangeLimit"] = 1
    async with connected(root, capabilities=declared) as wire:
        assert len(await wire.request("textDocument/foldingRange", opened(wire, root))) == 1


@ALL
async def test_a_selection_grows(client: str, root: Path) -> None:
    async with connected(root, capabilities=capabilities(client)) as wire:
        params = {**opened(wire, root), "positions": [{"line": 4, "character": 21}]}
        (found,) = await wire.request("textDocument/selectionRange", params)
        ends = []
        while found:
            start, end = found["range"]["start"], found["range"]["end"]
            ends.append((start["line"], start["character"], end["line"], end["character"]))
            found = found.get("parent")
        assert ends == [(4, 20, 4, 24), (4, 15, 4, 24), (4, 15, 4, 33), (4, 0, 4, 33), (0, 0, 5, 0)]


@ALL
async def test_tokens_are_told_whole_by_part_and_by_what_differs(client: str, root: Path) -> None:
    async with connected(root, capabilities=capabilities(client)) as wire:
        asked = opened(wire, root)
        full = await wire.request("textDocument/semanticTokens/full", asked)
        assert full["data"][:5] == [0, 0, 19, 14, 0]  # the first comment
        part = await wire.request(
            "textDocument/semanticTokens/range",
            {**asked, "range": {"start": {"line": 4, "character": 0}, "end": WHOLE["end"]}},
        )
        assert part["data"][:5] == [4, 0, 7, 0, 1]
        before = {**asked, "previousResultId": full["resultId"]}
        same = await wire.request("textDocument/semanticTokens/full/delta", before)
        assert same == {"resultId": full["resultId"], "edits": []}
        wire.change(asked["textDocument"]["uri"], 2, edit((2, 13), (2, 19), "inactive"))
        changed = await wire.request("textDocument/semanticTokens/full/delta", before)
        now = await wire.request("textDocument/semanticTokens/full", asked)
        assert applied(full["data"], changed["edits"]) == now["data"] != full["data"]
        unknown = {**asked, "previousResultId": "nothing"}
        whole = await wire.request("textDocument/semanticTokens/full/delta", unknown)
        assert whole["data"] == now["data"]


def applied(data: list[int], edits: list[dict[str, Any]]) -> list[int]:
    """What a client makes of a delta (LSP 3.18, "Semantic Tokens")."""
    for one in edits:
        end = one["start"] + one["deleteCount"]
        data = [*data[: one["start"]], *one.get("data", ()), *data[end:]]
    return data


PIECES = st.sampled_from(
    [
        "\n",
        "\r\n",
        "\r",
        "=",
        "_",
        ",",
        "#",
        "A_RECALL=x",
        "_STATE=inactive",
        "GLOBAL",
        "\u2028",
        "👩‍💻",
    ]
)
EDITS = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 30), st.integers(0, 8), PIECES), max_size=6
)


@settings(
    deadline=None,
    max_examples=examples(30),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(EDITS, st.sampled_from(CLIENTS))
def test_a_delta_makes_what_a_full_request_gives(
    root: Path, edits: list[tuple[int, int, int, str]], client: str
) -> None:
    async def play() -> None:
        async with connected(root, capabilities=capabilities(client)) as wire:
            asked = opened(wire, root)
            told = await wire.request("textDocument/semanticTokens/full", asked)
            data, result = told["data"], told["resultId"]
            for version, (line, start, length, text) in enumerate(edits, 2):
                change = edit((line, start), (line, start + length), text)
                wire.change(asked["textDocument"]["uri"], version, change)
                delta = await wire.request(
                    "textDocument/semanticTokens/full/delta",
                    {**asked, "previousResultId": result},
                )
                data, result = applied(data, delta["edits"]), delta["resultId"]
                full = await wire.request("textDocument/semanticTokens/full", asked)
                assert (data, result) == (full["data"], full["resultId"])

    asyncio.run(play())


@ALL
async def test_hints_have_a_tooltip_once_they_are_pointed_at(client: str, root: Path) -> None:
    async with connected(root, capabilities=capabilities(client)) as wire:
        params = {**opened(wire, root), "range": WHOLE}
        found = await wire.request("textDocument/inlayHint", params)
        labels = [(hint["position"]["line"], hint["label"]) for hint in found]
        assert labels == [(2, "30% of the FRESH budget"), (4, "TESTING_STATE=active")]
        assert ("tooltip" in found[0]) is (client == "emacs")  # which cannot ask for it
        resolved = await wire.request("inlayHint/resolve", found[0])
        assert "| MODERATE | yes | 4 of 4 | " in resolved["tooltip"]["value"]
        assert resolved["label"] == found[0]["label"]


async def test_hints_and_lenses_can_be_switched_off(root: Path) -> None:
    async with connected(root, capabilities=capabilities("vscode")) as wire:
        asked = opened(wire, root)
        wire.answers["workspace/configuration"] = [
            {"inlayHints": {"share": False, "tokens": "no"}, "codeLens": {"enabled": False}}
        ]
        wire.notify("workspace/didChangeConfiguration", {"settings": None})
        await wire.first(lambda message: message.get("method") == "workspace/inlayHint/refresh")
        found = await wire.request("textDocument/inlayHint", {**asked, "range": WHOLE})
        assert [hint["label"] for hint in found] == ["TESTING_STATE=active"]
        assert await wire.request("textDocument/codeLens", asked) == []


@ALL
async def test_a_lens_says_what_it_says_when_it_is_seen(client: str, root: Path) -> None:
    async with connected(root, capabilities=capabilities(client)) as wire:
        lens = (await lenses(wire, opened(wire, root, ".synapse/global")))[0]
        assert "command" not in lens
        command = (await wire.request("codeLens/resolve", lens))["command"]
        assert command["title"] == "4 rules · 244 tokens · active in every bracket"
        assert command["command"] == "synapse.open"
        assert command["arguments"] == [{"uri": path_to_uri(str(root / ".synapse/manifest"))}]


async def lenses(wire: Wire, asked: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await wire.request("textDocument/codeLens", asked)
    return found


async def run(wire: Wire, command: dict[str, Any]) -> Any:
    """What a click does."""
    params = {"command": command["command"], "arguments": command["arguments"]}
    return await wire.request("workspace/executeCommand", params)


@ALL
async def test_a_preview_is_shown_or_told_of(client: str, root: Path) -> None:
    async with connected(root, capabilities=capabilities(client)) as wire:
        wire.answers["window/showDocument"] = {"success": True}
        found = await lenses(wire, opened(wire, root, ".synapse/testing"))
        resolved = [await wire.request("codeLens/resolve", lens) for lens in found]
        command = resolved[-1]["command"]
        assert command["command"] == "synapse.preview"
        assert command["arguments"][0]["prompt"] == "unit test"
        answer = await run(wire, command)
        assert "TESTING (matched" in answer["block"]
        assert answer["bracket"] == "MODERATE"
        path = uri_to_path(answer["uri"]) or ""
        if "textDocumentContent" in capabilities(client)["workspace"]:
            content = await wire.request("workspace/textDocumentContent", {"uri": answer["uri"]})
            assert content["text"] == answer["block"]
        else:
            assert Path(path).read_text(encoding="utf-8") == f"{answer['block']}\n"
        shown = [m["params"] for m in wire.said if m.get("method") == "window/showDocument"]
        messages = wire.notifications("window/showMessage")
        if client == "emacs":
            assert not shown
            assert path in messages[0]["message"]
        else:
            assert shown[0]["uri"] == answer["uri"]
            assert not messages


async def test_a_preview_follows_the_buffer(root: Path) -> None:
    async with connected(root, capabilities=capabilities("vscode")) as wire:
        asked = opened(wire, root, ".synapse/global")
        wire.change(asked["textDocument"]["uri"], 2, {"text": "GLOBAL_RULE_0=Something new\n"})
        argument = {"uri": asked["textDocument"]["uri"]}
        answer = await run(wire, {"command": "synapse.preview", "arguments": [argument]})
        assert "Something new" in answer["block"]
        await wire.request("workspace/textDocumentContent", {"uri": answer["uri"]})
        wire.change(asked["textDocument"]["uri"], 3, {"text": "GLOBAL_RULE_0=Something newer\n"})
        request = "workspace/textDocumentContent/refresh"
        refresh = await wire.first(lambda message: message.get("method") == request)
        content = await wire.request("workspace/textDocumentContent", refresh["params"])
        assert "Something newer" in content["text"]


async def test_references_are_listed_where_the_client_has_no_list(root: Path) -> None:
    write_tree(root, {".synapse/manifest": "A_AGENT_TRIGGER=dev\nB_AGENT_TRIGGER=dev\n"})
    write_tree(root, {".claude/agents/dev.md": "---\nname: dev\n---\n"})
    async with connected(root, capabilities=capabilities("neovim")) as wire:
        (lens, *_) = await lenses(wire, opened(wire, root, ".claude/agents/dev.md"))
        command = (await wire.request("codeLens/resolve", lens))["command"]
        assert command["title"] == "used by 2"
        found = await run(wire, command)
        assert [place["range"]["start"]["line"] for place in found] == [0, 1]
        (message,) = wire.notifications("window/showMessage")
        assert message["message"] == "Used in manifest:1, manifest:2."


@pytest.mark.parametrize("number", [1, "1"])
async def test_a_case_is_run_by_its_number(number: int | str, root: Path) -> None:
    cases = '[[case]]\nname = "one"\n\n[[case]]\nname = "two"\nprompt = "coverage"\n'
    write_tree(root, {".synapse/tests/a.toml": cases})
    argument = {"uri": path_to_uri(str(root / ".synapse/tests/a.toml")), "case": number}
    async with connected(root, capabilities=capabilities("neovim")) as wire:
        answer = await run(wire, {"command": "synapse.runTest", "arguments": [argument]})
        assert (answer["name"], answer["passed"]) == ("two", True)


async def test_a_command_that_is_called_wrongly_says_what_it_needs(root: Path) -> None:
    async with connected(root) as wire:
        for command, arguments in (
            ("synapse.preview", None),
            ("synapse.open", ["x"]),
            ("synapse.references", [{"uri": "file:///x"}]),
            ("synapse.runTest", [{"uri": "file:///x", "case": True}]),
            ("synapse.unknown", []),
        ):
            params = {"command": command, "arguments": arguments}
            error = await wire.refusal("workspace/executeCommand", params)
            assert error["code"] == -32602, command


@ALL
async def test_what_is_shown_is_asked_for_again_once_a_file_changed(
    client: str, root: Path
) -> None:
    declared = capabilities(client)
    async with connected(root, capabilities=declared) as wire:
        opened(wire, root)
        await wire.settled()
        (root / ".synapse/global").write_text("GLOBAL_RULE_0=New\n", encoding="utf-8")
        changed = {"uri": path_to_uri(str(root / ".synapse/global")), "type": 2}
        for _ in range(5):
            wire.notify("workspace/didChangeWatchedFiles", {"changes": [changed]})
        supported = {
            f"workspace/{name}/refresh"
            for name in ("codeLens", "inlayHint", "semanticTokens")
            if declared["workspace"].get(name, {}).get("refreshSupport")
        }
        await wire.until(lambda: supported <= set(refreshes(wire)))
        assert sorted(refreshes(wire)) == sorted(
            supported
        )  # once each, and nothing that is not understood


def refreshes(wire: Wire) -> list[str]:
    """The refreshes of what is shown that were asked for so far."""
    names = ("codeLens", "inlayHint", "semanticTokens")
    wanted = {f"workspace/{name}/refresh" for name in names}
    return [m["method"] for m in wire.said if m.get("method") in wanted]


async def test_typing_in_the_only_open_file_asks_for_nothing_again(root: Path) -> None:
    async with connected(root, capabilities=capabilities("vscode")) as wire:
        asked = opened(wire, root)
        uri = asked["textDocument"]["uri"]
        wire.change(uri, 2, edit((4, 0), (4, 0), "DOCS_RECALL=readme\n"))
        await wire.settled()
        assert not refreshes(wire)
        opened(wire, root, ".synapse/global")
        wire.change(uri, 3, edit((4, 0), (4, 0), "# more\n"))
        await wire.until(lambda: bool(refreshes(wire)))
