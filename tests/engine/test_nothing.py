"""A caller can say that nobody is at work, and on nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.blocks import block
from tests.trees import TEAM, plan_of

SESSION = {
    "active_agent": {"id": "dev"},
    "active_workflow": {"id": "story-development"},
    "active_task": {"id": "review"},
}
SQUAD = {
    "squads/etl-squad/squad.yaml": "name: etl-squad\nversion: 1.0.0\n",
    "squads/etl-squad/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_ALWAYS_ON=true\n",
    "squads/etl-squad/.synapse/pipeline": "PIPELINE_RULE_0=Validate on both sides\n",
}


@pytest.mark.parametrize("part", ["agent", "workflow", "task", "squad"])
def test_none_outdoes_what_the_session_says(part: str) -> None:
    plan = plan_of({**TEAM, **SQUAD})
    session = {**SESSION, "active_squad": {"name": "etl-squad"}}
    assert getattr(block(plan, session=session).situation, part)
    given: Any = {part: "none"}
    without = block(plan, session=session, **given).situation
    assert getattr(without, part) == ""
    assert not [note for note in without.notes if "'none'" in note or "@none" in note]
