"""What a file is, by its path."""

from __future__ import annotations

import pytest

from synapse_ls.workspace.file_kinds import FileKind, squad_folder_of
from synapse_ls.workspace.path_classification import classify_path
from tests.workspace.trees import PATHS


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (".synapse/manifest", FileKind.MANIFEST),
        (".synapse/global", FileKind.RULES),
        (".synapse/agent-dev.md", FileKind.RULES),
        (".synapse/agent_dev.env", FileKind.RULES),
        (".synapse/commands", FileKind.COMMANDS),
        (".synapse/commands.md", FileKind.COMMANDS),
        (".synapse/context", FileKind.CONTEXT),
        (".synapse/constitution", FileKind.CONSTITUTION),
        (".synapse/config.toml", FileKind.CONFIG),
        (".synapse/sessions/abc.json", FileKind.SESSION),
        ("squads/etl/squad.yaml", FileKind.SQUAD),
        ("squads/etl/config.yaml", FileKind.OLD_SQUAD),
        ("squads/etl/.synapse/manifest", FileKind.MANIFEST),
        ("squads/etl/.synapse/rules", FileKind.RULES),
        ("squads/etl/agents/loader.md", FileKind.AGENT),
        ("squads/etl/tasks/load.md", FileKind.TASK),
        ("squads/etl/workflows/daily.yaml", FileKind.WORKFLOW),
        ("squads/etl/checklists/done.md", FileKind.COMPONENT),
        ("squads/etl/scripts/deep/load.py", FileKind.COMPONENT),
        (".aiox/epic-1-state.yaml", FileKind.WORKFLOW_STATE),
        (".aiox/workflow-state/a-state.yaml", FileKind.WORKFLOW_STATE),
        (".aios/a-state.yaml", FileKind.WORKFLOW_STATE),
        (".aiox-core/development/agents/dev.md", FileKind.AGENT),
        (".aiox-core/development/tasks/build.md", FileKind.TASK),
        (".aiox-core/development/workflows/qa-loop.yaml", FileKind.WORKFLOW),
        (".aios-core/development/agents/dev.md", FileKind.AGENT),
        (".aiox-core/data/workflow-patterns.yaml", FileKind.PATTERNS),
        (".aiox-core/data/workflow-chains.yaml", FileKind.CHAINS),
        (".aiox-core/constitution.md", FileKind.CONSTITUTION_SOURCE),
        ("docs/stories/epic-1/story-1.md", FileKind.STORY),
    ],
)
def test_a_file_of_ours_is_known_by_its_place_and_name(path: str, kind: FileKind) -> None:
    assert classify_path(path, PATHS) is kind


@pytest.mark.parametrize(
    "path",
    [
        ".synapse/README",
        ".synapse/readme.md",
        ".synapse/LICENSE",
        ".synapse/.gitignore",
        ".synapse/cache/squad-manifests.json",
        ".synapse/memory/global",
        ".synapse/global.bak",
        ".synapse/global~",
        ".synapse/.global.swp",
        ".synapse",
        "squads/_template/squad.yaml",
        "squads/_template/.synapse/manifest",
        "squads/.hidden/squad.yaml",
        "squads/etl/.synapse/README.md",
        "squads/etl/.synapse/sub/rules",
        "squads/etl/agents/_template.md",
        "squads/etl/tools/node_modules/x.js",
        "squads/etl/readme.md",
        "squads/squad.yaml",
        "src/.synapse/manifest",
        ".aiox/notes.yaml",
        ".aiox-core/development/agents/sub/dev.md",
        "docs/stories/README.md",
        "docs/stories/_archive/s.md",
        ".aiox/node_modules/x/a-state.yaml",
        "main.py",
        "",
    ],
)
def test_another_file_is_none_of_ours(path: str) -> None:
    assert classify_path(path, PATHS) is None


@pytest.mark.parametrize(
    ("path", "squad"),
    [
        ("squads/etl/.synapse/manifest", "squads/etl"),
        ("squads/etl/agents/a.md", "squads/etl"),
        ("squads/etl", ""),
        (".synapse/manifest", ""),
    ],
)
def test_a_file_belongs_to_the_squad_whose_folder_holds_it(path: str, squad: str) -> None:
    assert squad_folder_of(path, PATHS) == squad
