"""What ``*synapse …`` and the command line say of a session is what its agent has in its window."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from synapse_ls.cli.main import main
from tests.conversation.answers import told
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree

CROWD = "".join(f"GLOBAL_RULE_{i}=Rule {i} {'x' * 200}\n" for i in range(24))


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache and a home of their own."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))


@pytest.fixture
def client(tmp_path: Path) -> Claude:
    return Claude(write_tree(tmp_path / "tree", TEAM))


@pytest.fixture
def crowded(tmp_path: Path) -> Claude:
    """A session in a tree whose rules do not fit into one budget."""
    return Claude(write_tree(tmp_path / "crowd", {**TEAM, ".synapse/global": CROWD}))


def lines_of(client: Claude, prompt: str) -> list[str]:
    return [line.strip() for line in told(client.prompt(prompt))]


def test_status_tells_what_stands_and_what_is_new(client: Claude) -> None:
    client.prompt("@dev hello there")
    lines = lines_of(client, "*synapse status")
    assert "new now: 0 of 800 tokens" in lines
    assert "tree: 11 domains with 25 rules; 11 rules of 5 domains in the window" in lines
    assert not any("cut" in line for line in lines)


def test_what_does_not_fit_is_said_to_follow(crowded: Claude) -> None:
    lines = lines_of(crowded, "*synapse status")
    (cost,) = [line for line in lines if line.startswith("block:")]
    assert re.search(r"\d+ lines to follow", cost)
    assert "cut" not in cost


def test_what_stands_is_never_said_to_be_cut(crowded: Claude) -> None:
    for _ in range(8):
        crowded.prompt("go on")
    lines = lines_of(crowded, "*synapse explain")
    assert "in: GLOBAL, 24 rules: it holds for every prompt" in lines
    assert not any("cut" in line or "follow" in line for line in lines)


def test_a_rule_of_an_untouched_tree_is_never_counted_as_cut(client: Claude) -> None:
    assert not any("cut" in line for line in lines_of(client, "*synapse status"))


def test_explain_with_a_name_is_about_that_alone(client: Claude) -> None:
    client.prompt("@dev hello there")
    lines = lines_of(client, "*synapse explain GLOBAL_RULE_0")
    assert lines[2:4] == [
        "*synapse explain:",
        "GLOBAL_RULE_0 is in: it was injected with prompt 1",
    ]
    assert len(lines) == 5


def test_why_says_what_a_rule_waits_for(client: Claude) -> None:
    lines = lines_of(client, "@dev *synapse why @qa")
    assert "AGENT_QA (0 of 2 rules) is out: @dev is active, not @qa" in lines
    assert "remedy: activate @qa" in lines


def test_why_names_what_is_near_a_name_that_is_not_known(client: Claude) -> None:
    lines = lines_of(client, "*synapse why GLOBAL_RULE_77")
    assert lines[3] == 'The tree has no rule, domain, memory or text "GLOBAL_RULE_77".'


def test_debug_tells_the_time_of_each_layer_and_its_numbers_agree(client: Claude) -> None:
    client.prompt("@dev hello there")
    lines = lines_of(client, "*synapse debug")
    assert any(re.match(r"L1 global \(\d+\.\d\d ms\): \d+ lines in the window", li) for li in lines)
    assert any(line.startswith("Activation: no agent was activated") for line in lines)
    assert "new now: 0 of 800 tokens, the debug view outside of it" in lines
    lines = lines_of(client, "*synapse debug")
    assert "new now: 0 of 800 tokens" in lines
    assert "debug view (DEVMODE): off for this session" in lines


def test_the_command_line_says_of_a_session_what_stands(
    crowded: Claude, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(8):
        crowded.prompt("go on")
    where = ["--root", str(crowded.root), "--session", crowded.session]
    assert main(["why", "GLOBAL_RULE_20", *where]) == 0
    assert "GLOBAL_RULE_20 is in: it was injected" in capsys.readouterr().out
    assert main(["status", *where, "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["cuts"] == 0
    assert report["rules"]["in_block"] > 24


def test_carls_command_is_told_its_name_here(client: Claude) -> None:
    assert lines_of(client, "*carl status")[2:] == [
        "*carl:",
        "This is a tree of SYNAPSE's: write `*synapse status`.",
    ]


def test_a_command_of_the_tree_that_is_called_carl_is_left_alone(tmp_path: Path) -> None:
    own = "COMMANDS_RULE_CARL_0=Ask Carl\n"
    client = Claude(write_tree(tmp_path / "tree", {**TEAM, ".synapse/commands": own}))
    block = client.prompt("*carl please")
    assert "Ask Carl" in block
    assert told(block) == []
