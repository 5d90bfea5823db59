"""Where clients look for files of instructions such as ``CLAUDE.md``.

Sources: the documentation of Claude Code, Codex, Gemini CLI, Copilot, Cursor, Windsurf, Cline,
Kiro, Junie, Amazon Q and Zed.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.workspace.repository_place import find_top_folder

_INSTRUCTION_FILES = lazy_pattern(
    r"(?:.*/)?(?:AGENTS(?:\.override)?|CLAUDE(?:\.local)?|GEMINI|CONVENTIONS)\.md"
    r"|(?:.*/)?\.(?:cursorrules|windsurfrules|clinerules|rules)"
    r"|(?:.*/)?\.github/copilot-instructions\.md"
    r"|(?:.*/)?\.github/instructions/(?:.*/)?[^/]+\.instructions\.md"
    r"|(?:.*/)?\.cursor/rules/(?:.*/)?[^/]+\.mdc?"
    r"|(?:.*/)?\.claude/rules/(?:.*/)?[^/]+\.md"
    r"|(?:.*/)?\.(?:windsurf/rules|clinerules|kiro/steering|junie|amazonq/rules)/(?:.*/)?[^/]+\.md"
)


def is_instruction_path(path: str) -> bool:
    """Check whether a client takes instructions from a file with this path, as its documentation
    says.
    """
    return _INSTRUCTION_FILES.fullmatch(path) is not None


def instruction_paths(root: str) -> Iterator[str]:
    """Yield the files of instructions that hold for the whole of a project, relative to it."""
    for folder in _FOLDERS:
        for at, _, names in os.walk(os.path.join(root, folder)):
            inside = os.path.relpath(at, root).replace(os.sep, "/")
            for name in sorted(names):
                path = name if inside == "." else f"{inside}/{name}"
                if is_instruction_path(path):
                    yield path
            if not folder:
                break


def project_of_instructions(path: Path) -> str:
    """Return the repository that a file of instructions lies in, else the nearest folder that it
    holds for.
    """
    inner = ((folder, path.relative_to(folder).as_posix()) for folder in path.parents)
    return find_top_folder(str(path.parent)) or str(
        next(f for f, name in inner if is_instruction_path(name))
    )


_FOLDERS = (
    "",
    *[".github", ".cursor", ".claude", ".windsurf", ".clinerules", ".kiro", ".junie", ".amazonq"],
)
