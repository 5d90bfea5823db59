"""In which of the common languages each kind of file is written."""

from __future__ import annotations

from synapse_ls.workspace.kinds import FileKind

YAML = frozenset({FileKind.SQUAD, FileKind.WORKFLOW_STATE, FileKind.WORKFLOW, FileKind.PATTERNS})
TOML = frozenset({FileKind.CONFIG, FileKind.TESTS})
MARKDOWN = frozenset({FileKind.TASK, FileKind.STORY, FileKind.AGENT, FileKind.CONSTITUTION_SOURCE})
