"""Which files matter, where they are, and what each of them is.

One table of places says it all: the loader walks them, and a path is classified by them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from synapse_ls.formats.config import Paths
from synapse_ls.workspace.folders import CONFIG, SESSIONS, TESTS, TREE
from synapse_ls.workspace.naming import rule_file_stem


class FileKind(StrEnum):
    """What a file is, and so which parser reads it."""

    MANIFEST = "manifest"
    RULES = "rules"
    COMMANDS = "commands"
    CONTEXT = "context"
    CONSTITUTION = "constitution"
    SQUAD = "squad"
    WORKFLOW_STATE = "workflow_state"
    WORKFLOW = "workflow"
    TASK = "task"
    STORY = "story"
    AGENT = "agent"
    CONFIG = "config"
    SESSION = "session"
    PATTERNS = "patterns"
    TESTS = "tests"
    CONSTITUTION_SOURCE = "constitution_source"
    """The Markdown that a constitution is made from."""
    SYNCED = "synced"
    """A file for agents with a part that ``synapse sync`` keeps; one without it is nobody's."""
    COMPONENT = "component"
    """Something else that a squad brings along; only its name counts."""


RULE_KINDS = frozenset({FileKind.RULES, FileKind.COMMANDS, FileKind.CONTEXT, FileKind.CONSTITUTION})
"""Kinds of the files that can serve a domain."""

BUILT_IN = {
    "constitution": FileKind.CONSTITUTION,
    "global": FileKind.RULES,
    "context": FileKind.CONTEXT,
    "commands": FileKind.COMMANDS,
}
"""Rule files that need no manifest, in the order in which they are read and shown."""

SQUAD_FILE = "squad.yaml"

_SKIPPED = ("_", ".")  # how the names of templates and of hidden files begin
_ABOUT = frozenset({"readme", "license", "licence", "notice", "changelog", "contributing"})


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, or a single file, that is known to matter.

    ``path`` is relative to the root or, in a squad, to the squad's folder. ``kind`` is what the
    files in it are; None in a tree's own folder, where the name decides. ``suffixes`` are the
    endings that count, ``prefix`` what names begin with. ``deep`` places are walked with their sub-folders.
    """

    path: str
    kind: FileKind | None
    suffixes: tuple[str, ...] = ()
    deep: bool = False
    prefix: str = ""

    @property
    def is_file(self) -> bool:
        """Whether the place is one file rather than a folder."""
        return not self.suffixes and self.kind is not None

    def classify(self, path: str) -> FileKind | None:
        """What ``path`` is if it lies in this place, else None."""
        if self.is_file:
            return self.kind if path == self.path else None
        if not path.startswith(f"{self.path}/"):
            return None
        rest = path[len(self.path) + 1 :]
        folder, _, name = rest.rpartition("/")
        if (folder and not self.deep) or not (_counts(name) and name.startswith(self.prefix)):
            return None
        if not all(map(is_walked, folder.split("/"))):
            return None
        if self.kind is None:
            return _in_tree(name)
        return self.kind if name.endswith(self.suffixes) else None


_MARKDOWN = (".md",)
_YAML = (".yaml", ".yml")
SQUAD_PLACES = (
    Place(SQUAD_FILE, FileKind.SQUAD),
    Place(TREE, None),
    Place("agents", FileKind.AGENT, _MARKDOWN),
    Place("tasks", FileKind.TASK, _MARKDOWN),
    Place("workflows", FileKind.WORKFLOW, _YAML),
    *(
        Place(folder, FileKind.COMPONENT, ("",), deep=True)
        for folder in ("checklists", "templates", "tools", "scripts")
    ),
)
"""The places of every squad, relative to its folder."""

SYNCED_MARK = "<!-- synapse:"
"""What a file for agents has in it where a part of it is ours."""

_SYNCED = (
    *(
        Place(path, FileKind.SYNCED)
        for path in ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")
    ),
    Place(".cursor/rules", FileKind.SYNCED, (".mdc",), prefix="synapse"),
    Place(".github/instructions", FileKind.SYNCED, (".instructions.md",), prefix="synapse-"),
    Place(".claude/rules", FileKind.SYNCED, (".md",), prefix="synapse-"),
)


@lru_cache(maxsize=64)
def places(paths: Paths) -> tuple[Place, ...]:
    """The places of a root, those that every prompt needs first."""
    from synapse_ls.workspace.systems.registry import PLACES

    return (
        Place(CONFIG, FileKind.CONFIG),
        Place(TREE, None),
        *(Place(p, FileKind.WORKFLOW_STATE, ("-state.yaml",), deep=True) for p in paths.states),
        *(Place(p, FileKind.AGENT, _MARKDOWN) for p in paths.agents),
        *(Place(p, FileKind.WORKFLOW, _YAML) for p in paths.workflows),
        *(Place(p, FileKind.TASK, _MARKDOWN) for p in paths.tasks),
        *(Place(p, FileKind.STORY, _MARKDOWN, deep=True) for p in paths.stories),
        *(Place(p, FileKind.PATTERNS) for p in paths.patterns),
        *(Place(p, FileKind.CONSTITUTION_SOURCE) for p in paths.constitution),
        Place(TESTS, FileKind.TESTS, (".toml",)),
        *_SYNCED,
        Place(SESSIONS, FileKind.SESSION, (".json",)),
        *PLACES,
    )


def classify(path: str, paths: Paths) -> FileKind | None:
    """What a file is, by its path relative to the root; None where it is not ours.

    Templates (``_*``), dot files and files about a folder (README, LICENSE) are not ours, nor
    is anything below a tree's own folder but its tests and sessions.
    """
    squad, inner = squad_of(path, paths), path
    if squad:
        inner = path[len(squad) + 1 :]
        if not is_walked(squad.rpartition("/")[2]):
            return None
    found = (place.classify(inner) for place in (SQUAD_PLACES if squad else places(paths)))
    return next((kind for kind in found if kind is not None), None)


def is_ours(kind: FileKind, text: str) -> bool:
    """Whether a file counts: one for agents only does where a part of it is ours."""
    return kind is not FileKind.SYNCED or SYNCED_MARK in text


def may_be_synced(path: str) -> bool:
    """Whether ``path`` is where files for agents are, which are ours only if they say so."""
    return any(path == place.path or place.classify(path) for place in _SYNCED)


def squad_of(path: str, paths: Paths) -> str:
    """The squad folder that holds ``path``, relative to the root; empty outside squads."""
    for home in paths.squads:
        if path.startswith(f"{home}/"):
            folder, slash, _ = path[len(home) + 1 :].partition("/")
            return f"{home}/{folder}" if slash else ""
    return ""


def is_walked(folder: str) -> bool:
    """Whether folders of this name are looked into; not templates, hidden or installed ones."""
    return not folder.startswith(_SKIPPED) and folder != "node_modules"


def _counts(name: str) -> bool:
    """Whether a file of this name may be one of ours at all."""
    return not name.startswith(_SKIPPED) and name.partition(".")[0].casefold() not in _ABOUT


def _in_tree(name: str) -> FileKind | None:
    """What a file directly in a tree's folder is."""
    if name == "manifest":
        return FileKind.MANIFEST
    stem = rule_file_stem(name)
    if "." in stem or stem.endswith("~"):
        return None
    return BUILT_IN.get(stem, FileKind.RULES)
