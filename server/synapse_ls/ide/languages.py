"""In which of the common languages each kind of file is written."""

from __future__ import annotations

from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.systems import brainiac, chati

YAML = chati.YAML_KINDS | {
    FileKind.SQUAD,
    FileKind.WORKFLOW_STATE,
    FileKind.WORKFLOW,
    FileKind.PATTERNS,
    FileKind.CHAINS,
}
TOML = frozenset({FileKind.CONFIG, FileKind.TESTS})
MARKDOWN = (
    chati.MARKDOWN_KINDS
    | brainiac.MARKDOWN_KINDS
    | {
        FileKind.TASK,
        FileKind.STORY,
        FileKind.MEMORY,
        FileKind.AGENT,
        FileKind.CONSTITUTION_SOURCE,
    }
)
