"""Fixtures of the workspace's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workspace.trees import CORE, state, workflow, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with a bit of everything."""
    return write(
        tmp_path,
        {
            ".synapse/manifest": "GLOBAL_STATE=active\nDEV_AGENT_TRIGGER=dev\n",
            ".synapse/global": "GLOBAL_RULE_0=a\n",
            ".synapse/dev": "DEV_RULE_0=b\n",
            ".synapse/README.md": "about",
            ".synapse/sessions/s1.json": '{"uuid": "s1", "schema_version": "2.0"}',
            "squads/etl/squad.yaml": "name: etl\nversion: 1.0.0\n",
            "squads/etl/.synapse/manifest": "LOAD_RECALL=load\n",
            "squads/etl/.synapse/load": "LOAD_RULE_0=c\n",
            "squads/etl/agents/loader.md": "# Loader\n",
            "squads/_template/.synapse/manifest": "T_STATE=active\n",
            "squads/plain/agents/x.md": "no squad",
            f"{CORE}/agents/dev.md": "```yaml\nagent:\n  id: dev\n```\n",
            f"{CORE}/tasks/build.md": "# Build\n",
            f"{CORE}/workflows/qa-loop.yaml": workflow("qa-loop"),
            f"{CORE}/workflows/other.yaml": workflow("other"),
            ".aiox/deep/a-state.yaml": state("qa_loop"),
            ".aiox-core/data/workflow-patterns.yaml": "workflows:\n  x:\n    description: x\n",
            ".aiox-core/constitution.md": "# Constitution\n",
            "docs/stories/epic/s1.md": "# Story\n",
        },
    )
