"""This module lists the languages of files: which kinds of files are written in YAML, TOML and
Markdown.
"""

from __future__ import annotations

from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.systems import brainiac_places, chati_places

YAML_KINDS = chati_places.YAML_KINDS | {
    FileKind.SQUAD,
    FileKind.OLD_SQUAD,
    FileKind.WORKFLOW_STATE,
    FileKind.WORKFLOW,
    FileKind.PATTERNS,
    FileKind.CHAINS,
}
TOML_KINDS = frozenset({FileKind.CONFIG, FileKind.TESTS})
MARKDOWN_KINDS = (
    chati_places.MARKDOWN_KINDS
    | brainiac_places.MARKDOWN_KINDS
    | {
        FileKind.TASK,
        FileKind.STORY,
        FileKind.MEMORY,
        FileKind.AGENT,
        FileKind.CONSTITUTION_SOURCE,
    }
)
