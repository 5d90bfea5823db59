"""The agents that other people have published, brought up."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from synapse_ls.activation.agent_activation import TIMEOUT_VARIABLE, activate_agent, list_agents
from tests.activation.crew import repository
from tests.support import PATIENT_ACTIVATION, corpus

COUNTS = {
    "aiox-master": 41, "analyst": 14, "architect": 21, "data-engineer": 28, "dev": 35, "devops": 43,
    "pm": 16, "po": 18, "qa": 25, "sm": 7, "squad-creator": 14, "ux-design-expert": 27,
}  # fmt: skip


@pytest.fixture(autouse=True)
def patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(TIMEOUT_VARIABLE, PATIENT_ACTIVATION)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("real") / "aiox"
    shutil.copytree(corpus() / "aiox", folder)
    return repository(folder, "feat/real")


def test_all_are_listed_with_their_commands(root: Path) -> None:
    assert {one.id: len(one.commands) for one in list_agents(str(root))[0]} == COUNTS


@pytest.mark.parametrize("agent", COUNTS)
def test_each_is_brought_up_whole(agent: str, root: Path) -> None:
    found = activate_agent(str(root), agent, now=time.time(), deadline=60.0)
    assert (found.quality, found.notes) == ("full", ())
    own = found.facts.agent
    assert len(own.commands) == COUNTS[agent]
    assert own.greeting("archetypal") and own.signature and own.role
    assert found.greeting.text.startswith(own.greeting("archetypal"))
    assert all(part.text or part.why for part in found.greeting.parts)
