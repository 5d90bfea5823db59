from __future__ import annotations

import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Synapse
from tests.trees import write_tree


def test_every_domain_has_its_line_under_its_layer(
    synapse: Synapse, team: Path, snapshot: SnapshotAssertion
) -> None:
    done = synapse("explain", "--agent", "dev", "--remaining", "50", "more coverage")
    assert (done.code, done.err) == (0, "")
    assert done.out == snapshot


def test_verbose_gives_every_rule_a_line(
    synapse: Synapse, team: Path, snapshot: SnapshotAssertion
) -> None:
    assert synapse("explain", "*brief", "--verbose").out == snapshot


def test_every_rule_of_the_tree_is_accounted_for(synapse: Synapse, team: Path) -> None:
    report = synapse("explain", "--format", "json").json
    keys = [rule["key"] for domain in report["domains"] for rule in domain["rules"]]
    written = [
        line.partition("=")[0]
        for path in team.glob(".synapse/*")
        if path.name != "manifest"
        for line in path.read_text().splitlines()
        if "=" in line
    ]
    assert sorted(keys) == sorted(written)


def test_json_is_stable(synapse: Synapse, team: Path, snapshot: SnapshotAssertion) -> None:
    arguments = ("explain", "--agent", "dev", "--domain", "testing", "--format", "json")
    assert synapse(*arguments).json == snapshot


def test_only_what_is_in(synapse: Synapse, team: Path) -> None:
    report = synapse("explain", "--in", "--format", "json").json
    assert all(rule["rendered"] for domain in report["domains"] for rule in domain["rules"])
    assert [d["label"] for d in report["domains"]] == [
        "CONSTITUTION", "GLOBAL", "CONTEXT", "GUARDRAILS",
    ]  # fmt: skip


def test_only_what_is_out(synapse: Synapse, team: Path) -> None:
    out = synapse("explain", "--out").out
    assert "AGENT_QA" in out and "constitution" not in out


def test_in_and_out_exclude_each_other(synapse: Synapse, team: Path) -> None:
    done = synapse("explain", "--in", "--out")
    assert done.code == 2
    assert "--out and --in exclude each other." in done.err


def test_a_domain_that_does_not_exist_has_near_misses(synapse: Synapse, team: Path) -> None:
    done = synapse("explain", "--domain", "testng")
    assert done.code == 2
    assert "Did you mean TESTING?" in done.err


def test_what_recall_did_not_read_is_said(synapse: Synapse, team: Path) -> None:
    prompt = "ask @qa about this\n```\nunit test\n```\n"
    out = synapse("explain", "-", stdin=prompt).out
    assert "recall    did not read 18 characters in fenced blocks\n" in out
    assert "mentions  @qa (only a prompt that begins so changes the agent)\n" in out


def test_a_crowd_with_one_fate_is_one_line(synapse: Synapse, team: Path) -> None:
    lines = "".join(f"AGENT_X{i}_AGENT_TRIGGER=x{i}\n" for i in range(70))
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write(lines)
    out = synapse("explain").out
    assert "  out  70 domains  " in out
    assert "it has no rule file: AGENT_X0, AGENT_X1, AGENT_X2, AGENT_X3, … 66 more" in out
    assert len(out.splitlines()) < 50


def test_a_crowd_comes_one_by_one_on_demand(synapse: Synapse, team: Path) -> None:
    lines = "".join(f"AGENT_X{i}_AGENT_TRIGGER=x{i}\n" for i in range(70))
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write(lines)
    assert "AGENT_X69" in synapse("explain", "-v").out


def test_a_task_shows_as_what_the_layer_adds(synapse: Synapse, team: Path) -> None:
    write_tree(team, {".aiox-core/development/tasks/pay.md": "# Pay\n\n- [ ] Refund works\n"})
    done = synapse("explain", "--task", "pay", "--remaining", "50")
    assert "\nL4 task · " in done.out
    assert "[TASK CONTEXT]" in done.out


def test_a_task_whose_layer_sleeps_is_not_called_absent(synapse: Synapse, team: Path) -> None:
    write_tree(team, {".aiox-core/development/tasks/pay.md": "# Pay\n\n- [ ] Refund works\n"})
    done = synapse("explain", "--task", "pay")
    assert (
        "\nL4 task · inactive in FRESH until MODERATE (40–60% left): pay is not injected\n"
        in done.out
    )
    said = "note: the block says nothing of task pay: L4 is inactive in FRESH until MODERATE (40–60% left)"
    assert said in done.err
    assert said in synapse("context", "--task", "pay").err
    assert said not in synapse("context", "--task", "pay", "--remaining", "50").err


def test_a_story_without_a_task_whose_layer_sleeps_has_a_name(synapse: Synapse, team: Path) -> None:
    done = synapse("explain", "--story", "pay-1")
    assert "note: the block says nothing of story pay-1: L4 is inactive in FRESH" in done.err
    assert (
        "\nL4 task · inactive in FRESH until MODERATE (40–60% left): pay-1 is not injected\n"
        in done.out
    )


def test_what_is_wholly_cut_is_out(synapse: Synapse, team: Path) -> None:
    files = {
        ".synapse/config.toml": '[profiles.own]\nextends = "synapse-live"\n'
        "whole_first_block = false\n",
        ".aiox-core/development/tasks/pay.md": "# Pay\n\n- [ ] Refund works\n",
        ".synapse/agent-dev": "".join(
            f"AGENT_DEV_AUTH_{i}=BLOCKED: `rm {i}`\n" for i in range(200)
        ),
    }
    write_tree(team, files)
    done = synapse("explain", "--profile", "own", "--agent", "dev", "--task", "pay")
    assert re.search(
        r"\n  out +\[TASK CONTEXT\] .* it does not fit into the budget of FRESH \(800 tokens\)",
        done.out,
    )
    assert " 0 lines " not in done.out


def test_rule_text_cannot_steer_the_terminal(synapse: Synapse, team: Path) -> None:
    (team / ".synapse/global").write_text("GLOBAL_RULE_0=red \x1b[31m\u202etext\n")
    out = synapse("explain", "-v").out + synapse("why", "GLOBAL").out
    assert "\x1b" not in out and "\u202e" not in out


def test_layers_without_anything_say_so(synapse: Synapse, team: Path) -> None:
    out = synapse("explain").out
    assert "\nL4 task · no task is active\n" in out
    assert "\nL5 squad · no squads in this tree\n" in out
    assert [line[:2] for line in out.splitlines() if line[:1] == "L"] == [
        f"L{number}" for number in range(8)
    ]


def test_the_sums_are_those_of_the_lines_below_them(synapse: Synapse, team: Path) -> None:
    out = synapse("explain", "--agent", "dev", "--remaining", "50", "coverage").out
    block = int(re.search(r"block +(\d+) of", out)[1])  # type: ignore[index]
    layers = re.split(r"\n\n", out)[1:]
    total = 0
    for layer in layers:
        heading, *lines = layer.splitlines()
        told = re.search(r" · (\d+) tokens", heading)
        rows = [re.match(r"  \S+ +\S+ +(?:\d+ of )?\d+ \w+ +(\d+)  ", line) for line in lines]
        if told and lines:
            assert int(told[1]) == sum(int(row[1]) for row in rows if row), heading
        total += int(told[1]) if told else 0
    assert total == block


def test_a_domain_that_is_partly_cut_is_no_reason_of_what_is_out(
    synapse: Synapse, team: Path
) -> None:
    rules = "".join(f"AGENT_DEV_RULE_{n}=Rule {n} {'x' * 90}\n" for n in range(60))
    boundary = "AGENT_DEV_AUTH_0=BLOCKED: git push\n"
    (team / ".synapse/agent-dev").write_text(boundary + rules)
    options = ("--agent", "dev", "--profile", "synapse", "--domain", "AGENT_DEV", "--out", "-v")
    out = synapse("explain", *options).out
    assert re.search(
        r"^  partly +AGENT_DEV +\d+ of 61 rules .* agent @dev is active$", out, re.MULTILINE
    )
    assert out.count("it does not fit into the budget") == out.count("remedy: ") == 1
    assert re.search(r"^  out +AGENT_DEV_RULE_59 .* Rule 59 x+$", out, re.MULTILINE)


@pytest.mark.parametrize("rule", ["Never {} {}", "Rule {} {}"])
def test_a_block_without_room_for_the_names_of_what_is_cut_says_so(
    synapse: Synapse, team: Path, rule: str
) -> None:
    rules = "".join(f"GLOBAL_RULE_{n}={rule.format(n, 'x' * 90)}\n" for n in range(60))
    (team / ".synapse/global").write_text(rules)
    options = ("--agent", "dev", "--profile", "synapse")
    is_named = "more: GLOBAL_RULE" in synapse("context", *options).out
    assert is_named is rule.startswith("Rule")
    account = synapse("explain", *options).out
    assert (" lines cut, which the block has no room to name\n" in account) is not is_named
