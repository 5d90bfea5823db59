"""Acts that no agent of a fleet may do: how they are spelled, and what is ordinary beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.formats.act_commands import ACTS, TAG, commands_for_act
from synapse_ls.guard.action_verdict import judge_action, protection_clauses
from synapse_ls.guard.agent_action import AgentAction
from synapse_ls.guard.boundary_patterns import DENY, Policy, parse_clause

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "guard.md"
EVASIONS, ORDINARY = (
    [row.partition(": ")[::2] for row in part.splitlines() if row and not row.startswith("#")]
    for part in (HERE / "fleet.txt")
    .read_text("utf-8")
    .partition("[evasions]\n")[2]
    .split("[ordinary]\n")
)
FORBIDDEN = [
    clause
    for act in ACTS
    if act != TAG
    for command in commands_for_act(act)
    if (clause := parse_clause(DENY, command, is_pattern=True))
]
POLICY = Policy("dev", [*FORBIDDEN, *protection_clauses()])


@pytest.mark.parametrize("table", [EVASIONS, ORDINARY], ids=["evasions", "ordinary"])
def test_verdict_in_a_fleet(table: list[tuple[str, str]]) -> None:
    wrong: list[str] = []
    for verdict, command in table:
        use = AgentAction(command=command.replace("\\n", "\n"))
        judgement = judge_action(POLICY, use, root="/home/me/project", home="/home/me")
        if judgement.decision != ("allow" if verdict.startswith("unseen") else verdict):
            wrong.append(f"{command}: {judgement.decision}, not {verdict}; {judgement.reason}")
    assert wrong == []


def test_the_page_owns_up_to_what_passes_and_has_the_figures() -> None:
    page = " ".join(PAGE.read_text("utf-8").split())
    unseen = page.partition("## What is not seen")[2]
    passed = [verdict for verdict, _ in EVASIONS if verdict.startswith("unseen")]
    for verdict in passed:
        assert verdict.removeprefix("unseen (").removesuffix(")") in unseen
    stopped = [command for verdict, command in ORDINARY if verdict != "allow"]
    assert len(EVASIONS) >= 250 and len(ORDINARY) >= 250 and len(stopped) <= 1
    assert f"{len(EVASIONS)} spellings of these acts, of which {len(passed)} pass" in page
    assert f"{len(ORDINARY)} ordinary commands, of which {len(stopped)} is asked about" in page
