"""A ``.carl/`` tree in front of everybody who asks: hook, command line, editor, hover, MCP."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import Usage
from synapse_ls.engine.situation import Request
from synapse_ls.ide.hover import hover
from synapse_ls.ide.tree_view import CompiledTree, View
from synapse_ls.integrations.model_windows import measure_window_usage
from synapse_ls.live.disk_queries import query_context
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.queries.context_question import Question, answer_question, build_request
from tests.carl_trees import BAND, BAND_V2
from tests.hooks.hook_clients import Claude
from tests.ide.views import block_in
from tests.queries.test_same_bytes import (
    Case,
    command_line,
    editor_panel,
    hook_of_claude,
    mcp_tool,
)
from tests.trees import TEAM, Files, write_tree

MakeClient = Callable[[Files], Claude]


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeClient:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return lambda files: Claude(write_tree(tmp_path / "tree", files))


@pytest.mark.parametrize(
    "case",
    [
        Case("hello there"),
        Case("*encore at the sound desk of the venue", used=130_000),
        Case("off the record", used=190_000),
        Case("*carl status", executed=True),
    ],
    ids=lambda case: case.prompt,
)
@pytest.mark.parametrize("files", [BAND, BAND_V2], ids=["v1", "v2"])
def test_everybody_gives_the_same_bytes(
    case: Case, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "tree", files)
    answers = {ask(root, case) for ask in (command_line, hook_of_claude, editor_panel, mcp_tool)}
    (text,) = answers
    assert text.startswith("<carl-rules>")
    if files is BAND and not case.executed:
        hovered = _hovered(root, case).splitlines()
        shown = [line for line in hovered if not line.startswith("… ")]
        assert shown and {*shown} <= {*text.splitlines()}


def _hovered(root: Path, case: Case) -> str:
    """What a hover on the manifest shows of the block."""
    tree = LiveTree(str(root))
    tree.load()
    question = Question(str(root), case.prompt)
    remaining = 100 - case.used / 2000 if case.used else None

    def now(plan: Plan) -> tuple[Request, Usage]:
        return build_request(plan, question, None), measure_window_usage(
            plan, None, remaining=remaining
        )

    view = View(CompiledTree(tree.view().tree, str(root)), now)
    manifest = tree.text(".carl/manifest") or ""
    found = hover(view, ".carl/manifest", manifest.index("GLOBAL_STATE"))
    assert found is not None
    return block_in(found.markdown)


# What a session of prompts is told


def test_what_stands_is_not_told_again(client: MakeClient) -> None:
    claude = client(BAND)
    assert "[GLOBAL] RULES:" in claude.prompt("hello")
    assert claude.prompt("hello again") == ""
    more = claude.prompt("mix it")
    assert "[MIX] RULES:\n  0. Cut before you boost" in more
    assert "[GLOBAL]" not in more
    assert "LOADED DOMAINS" not in more


def test_a_new_bracket_takes_the_rules_of_the_last_one_back(client: MakeClient) -> None:
    claude = client(BAND)
    claude.uses(70_000)
    claude.prompt("hello")
    claude.uses(82_000)
    text = claude.prompt("go on")
    assert "[WITHDRAWN]" in text
    assert "FRESH: what was given before no longer applies" in text
    assert "no longer applies: “CONTEXT BRACKET: [FRESH] (60–100% remaining)”" in text
    assert "CONTEXT BRACKET: [MODERATE] (40–60% remaining)" in text


def test_switching_global_off_takes_its_rules_back(client: MakeClient) -> None:
    claude = client(BAND)
    claude.prompt("hello")
    write_tree(claude.root, {".carl/manifest": "GLOBAL_STATE=inactive\n"})
    text = claude.prompt("go on")
    assert "GLOBAL: what was given before no longer applies" in text
    assert "⛔ GLOBAL RULES DISABLED ⛔" in text


def test_rules_of_synapse_replace_the_whole_block(client: MakeClient) -> None:
    claude = client(BAND)
    claude.prompt("hello")
    write_tree(claude.root, TEAM)
    text = claude.prompt("go on")
    assert text.startswith("<synapse-rules>")
    assert "STAGE: what was given before no longer applies" in text
    assert "Leave no dead code" in text


@pytest.mark.parametrize("command", ["*carl status", "*carl-status", "*synapse status"])
def test_carl_is_asked_as_synapse_is(client: MakeClient, command: str) -> None:
    text = client(BAND).prompt(command)
    assert "*synapse status:" in text
    assert "profile: carl" in text


def test_what_is_said_to_carl_beyond_that_is_for_its_help_mode(client: MakeClient) -> None:
    text = client(BAND).prompt("*carl how do I add a domain?")
    assert "[*carl] COMMAND:\n    0. Explain how the rules work" in text
    assert "There is no" not in text


def test_elsewhere_carl_is_told_what_it_is_called(client: MakeClient) -> None:
    text = client(TEAM).prompt("*carl status")
    assert "profile:" not in text
    assert "write `*synapse status`" in text


# CARL's own sessions


def _session(root: Path, name: str, overrides: object) -> Path:
    path = root / f".carl/sessions/{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"uuid": name, "prompt_count": 3, "overrides": overrides}))
    return path


def test_what_a_session_of_carl_overrides_counts_and_the_file_stays(client: MakeClient) -> None:
    claude = client(BAND)
    path = _session(
        claude.root,
        claude.session,
        {"GLOBAL_STATE": False, "STAGE_STATE": "inactive", "MIX_STATE": None, "DEVMODE": True},
    )
    before = path.read_bytes()
    text = claude.prompt("mix it")
    assert "[GLOBAL] RULES" not in text and "[STAGE]" not in text
    assert "[MIX] RULES:" in text and "DEVMODE=true" in text
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_an_override_of_ours_counts_before_one_of_carl(client: MakeClient) -> None:
    claude = client(BAND)
    claude.prompt("*synapse debug off")
    _session(claude.root, claude.session, {"DEVMODE": True})
    asked = Question(str(claude.root), "hello", session=claude.session)
    assert "DEVMODE=false" in answer_question(asked).assembly.text


@pytest.mark.parametrize("content", ["", "{", "[]", '{"overrides": 1}', "\x00"])
def test_a_session_of_carl_that_cannot_be_read_overrides_nothing(
    client: MakeClient, content: str
) -> None:
    claude = client(BAND)
    path = _session(claude.root, claude.session, {})
    path.write_text(content)
    assert "[GLOBAL] RULES:" in claude.prompt("hello")


def test_sessions_of_ours_are_where_they_always_are(client: MakeClient) -> None:
    claude = client(BAND)
    claude.prompt("hello")
    assert (claude.root / f".synapse/sessions/{claude.session}.json").is_file()
    assert "[GLOBAL] RULES:" in answer_question(Question(str(claude.root), "x")).assembly.text


# The editor


def test_findings_follow_a_buffer(tmp_path: Path) -> None:
    tree = LiveTree(str(write_tree(tmp_path, BAND)))
    tree.load()
    assert "dormant-domain" in {d.name for d in tree.diagnostics(".carl/manifest")}
    tree.edit(".carl/manifest", "DOMAIN_ORDER=MIX\n")
    assert [d.name for d in tree.diagnostics(".carl/manifest")] == ["unknown-key"]


def test_a_tree_that_becomes_one_of_synapse_is_served_anew(tmp_path: Path) -> None:
    root = write_tree(tmp_path, BAND)
    tree = LiveTree(str(root))
    tree.load()
    assert query_context(tree, {}).block.startswith("<carl-rules>")
    write_tree(root, TEAM)
    tree.update_from_disk([".synapse"])
    assert query_context(tree, {}).block.startswith("<synapse-rules>")
    assert tree.paths_with_diagnostics() == tuple(
        path for path in tree.paths_with_diagnostics() if not path.startswith(".carl/")
    )
