"""The kinds of files that matter, and the table of their places.

The loader walks these places, and a path is classified by them.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from synapse_ls.formats.config_settings import PathSettings
from synapse_ls.workspace.naming_conventions import carl_file_names, rule_file_stem
from synapse_ls.workspace.tree_folders import CARL, TREE


class FileKind(StrEnum):
    """What a file is, and so which parser reads it."""

    MANIFEST = "manifest"
    RULES = "rules"
    COMMANDS = "commands"
    CONTEXT = "context"
    CONSTITUTION = "constitution"
    SQUAD = "squad"
    # The former manifest of a squad, which counts where there is no other.
    OLD_SQUAD = "old_squad"
    WORKFLOW_STATE = "workflow_state"
    WORKFLOW = "workflow"
    TASK = "task"
    STORY = "story"
    AGENT = "agent"
    CONFIG = "config"
    SESSION = "session"
    PATTERNS = "patterns"
    # Which agent follows which with which command.
    CHAINS = "chains"
    TESTS = "tests"
    # What agents remember; what was forgotten is nobody's.
    MEMORY = "memory"
    # The Markdown that a constitution is made from.
    CONSTITUTION_SOURCE = "constitution_source"
    # A file for agents with a part that ``synapse sync`` keeps; one without it is nobody's.
    SYNCED = "synced"
    # A file of instructions, such as ``CLAUDE.md``: of the tree where that refers to it
    # (``[[adopted]]``), else looked at where somebody names it.
    INSTRUCTIONS = "instructions"
    # The one file of CARL v2: manifest, rules, star-commands and brackets together.
    CARL = "carl"
    # Something else that a squad brings along; only its name counts.
    COMPONENT = "component"
    CHATI_SESSION = "chati_session"
    CHATI_CONFIG = "chati_config"
    CHATI_CONSTITUTION = "chati_constitution"
    CHATI_DOMAIN = "chati_domain"
    CHATI_AGENT = "chati_agent"
    CHATI_WORKFLOW = "chati_workflow"
    CHATI_HANDOFF = "chati_handoff"
    CHATI_TASK = "chati_task"
    # Task definitions in YAML.
    CHATI_TASKS = "chati_tasks"
    CHATI_MEMORY = "chati_memory"
    CHATI_GOTCHAS = "chati_gotchas"
    # Pitfalls that a program keeps, in JSON.
    CHATI_TRACKED = "chati_tracked"
    # The document that has the bracket table.
    CHATI_BRACKETS = "chati_brackets"
    # The text of a section that the configuration names.
    SECTION = "section"
    # Brainiac's core identity.
    IDENTITY = "identity"
    # Brainiac's short-term memory.
    SHORT_TERM = "short_term"
    # One memory of Brainiac's long-term memory.
    LONG_TERM = "long_term"
    # What a folder of the long-term memory is about.
    MEMORY_INDEX = "memory_index"
    # Which memories were read and written; a log of something else is nobody's.
    ACCESS_LOG = "access_log"


# Kinds of the files of Chati.dev.
CHATI_KINDS = frozenset(kind for kind in FileKind if kind.value.startswith("chati_"))

# Kinds of the files that can serve a domain.
RULE_KINDS = frozenset({FileKind.RULES, FileKind.COMMANDS, FileKind.CONTEXT, FileKind.CONSTITUTION})

# Kinds of the files whose rules an agent reads.
RULE_TEXT_KINDS = RULE_KINDS | {FileKind.INSTRUCTIONS}

# Rule files that need no manifest, in the order in which they are read and shown.
BUILT_IN = {
    "constitution": FileKind.CONSTITUTION,
    "global": FileKind.RULES,
    "context": FileKind.CONTEXT,
    "commands": FileKind.COMMANDS,
}

# The same in ``.carl/``: to CARL, CONSTITUTION is a domain like any other.
BUILT_IN_CARL = {stem: kind for stem, kind in BUILT_IN.items() if stem != "constitution"}

# What CARL's installer leaves in every tree to be copied; it is nobody's domain.
_CARL_SAMPLE = "example-custom-domain"

SQUAD_FILE = "squad.yaml"
OLD_SQUAD_FILE = "config.yaml"
# What a squad's manifest may be called, in the order in which the framework looks for it.
SQUAD_FILES = (SQUAD_FILE, OLD_SQUAD_FILE)

_SKIPPED_PREFIXES = ("_", ".")  # how the names of templates and of hidden files begin
_FOLDER_DOCUMENTS = frozenset(
    {"readme", "license", "licence", "notice", "changelog", "contributing"}
)


class Place(NamedTuple):
    """A folder, or a single file, that is known to matter.

    ``path`` is relative to the root or, in a squad, to the squad's folder. ``kind`` is what the
    files in it are; None in a tree's own folder, where the name decides. ``suffixes`` are the
    endings that count, ``prefix`` what names begin with, ``named`` what files of certain names
    are. ``deep`` places are walked with their sub-folders; no link leads out of a ``confined``
    one. An ``essential`` file stands in every prompt: it is read whatever the time. ``or_file``:
    the path may be that of one file, too.
    """

    path: str
    kind: FileKind | None
    suffixes: tuple[str, ...] = ()
    deep: bool = False
    prefix: str = ""
    special_names: tuple[tuple[str, FileKind], ...] = ()
    confined: bool = False
    essential: bool = False
    or_file: bool = False

    @property
    def is_file(self) -> bool:
        """Whether the place is one file rather than a folder."""
        return not self.suffixes and self.kind is not None

    def classify(self, path: str) -> FileKind | None:
        """Return what kind of file ``path`` is if it lies in this place, else None."""
        if not path.startswith(self.path):  # most paths: each is asked of each place
            return None
        if self.is_file or (self.or_file and path == self.path):
            return self.kind if path == self.path else None
        if not path.startswith(f"{self.path}/"):
            return None
        folder, _, name = path[len(self.path) + 1 :].rpartition("/")
        if (folder and not self.deep) or not all(map(is_walkable, folder.split("/"))):
            return None
        if special := dict(self.special_names).get(name):
            return special
        is_document = name.partition(".")[0].casefold() in _FOLDER_DOCUMENTS
        if (
            (is_document and not self.or_file)
            or name.startswith(_SKIPPED_PREFIXES)
            or not name.startswith(self.prefix)
        ):
            return None
        if self.kind is not None:
            return self.kind if name.endswith(self.suffixes) else None
        # Directly in a tree's folder the name decides.
        if name == "manifest":
            return FileKind.MANIFEST
        stem = rule_file_stem(name)
        if "." in stem or stem.endswith("~") or stem == _CARL_SAMPLE:
            return None
        return (BUILT_IN_CARL if self.path == CARL else BUILT_IN).get(stem, FileKind.RULES)


MARKDOWN_ENDINGS = (".md",)
YAML_ENDINGS = (".yaml", ".yml")
# The places of every squad, relative to its folder.
SQUAD_PLACES = (
    Place(SQUAD_FILE, FileKind.SQUAD),
    Place(OLD_SQUAD_FILE, FileKind.OLD_SQUAD),
    Place(TREE, None),
    Place("agents", FileKind.AGENT, MARKDOWN_ENDINGS),
    Place("tasks", FileKind.TASK, MARKDOWN_ENDINGS),
    Place("workflows", FileKind.WORKFLOW, YAML_ENDINGS),
    Place("tasks", FileKind.COMPONENT, YAML_ENDINGS),
    Place("agents", FileKind.COMPONENT, YAML_ENDINGS),
    Place("workflows", FileKind.COMPONENT, MARKDOWN_ENDINGS),
    *(
        Place(folder, FileKind.COMPONENT, ("",), deep=True)
        for folder in ("checklists", "templates", "tools", "scripts")
    ),
)

ACCESS_FILE = "logs/access.log"
# What an access log of Brainiac has in it, and that of a web server has not.
ACCESS_MARKS = ("] | READ | ", "] | WRITE | ", "] | MODIFY | ", '"action"')

_SYNCED_FILES = """
AGENTS.md CLAUDE.md .claude/CLAUDE.md GEMINI.md .github/copilot-instructions.md .cursorrules
"""
# The files that clients read by themselves; `synapse sync` writes some of them, or a part of one.
SYNCED_PLACES = (
    *(Place(path, FileKind.SYNCED) for path in _SYNCED_FILES.split()),
    Place(".cursor/rules", FileKind.SYNCED, (".mdc", ".md"), deep=True),
    Place(".github/instructions", FileKind.SYNCED, (".md",), deep=True),
    Place(".claude/rules", FileKind.SYNCED, (".md",), deep=True),
)


def manifest_named_files(domains: Iterable[str]) -> tuple[str, ...]:
    """Return the files of CARL's domains that would be nobody's if the manifest did not name them.

    CARL reads whatever file has the name of a domain, but for hidden ones.
    """
    usual = Place(CARL, None)
    paths = (f"{CARL}/{name}" for d in domains if "/" not in d for name in carl_file_names(d))
    return tuple(p for p in paths if p[len(CARL) + 1] != "." and usual.classify(p) is None)


def adopted_places(paths: PathSettings) -> Iterator[Place]:
    """Yield the places of the files of instructions that a tree refers to."""
    endings = (*MARKDOWN_ENDINGS, ".mdc")
    for path in paths.adopted:
        yield Place(path, FileKind.INSTRUCTIONS, endings, deep=True, essential=True, or_file=True)


def may_be_foreign(path: str) -> bool:
    """Check whether ``path`` is a place of files that are of a kind of ours only if they say so."""
    places = (Place(ACCESS_FILE, FileKind.ACCESS_LOG), *SYNCED_PLACES)
    return any(path == place.path or place.classify(path) for place in places)


def squad_folder_of(path: str, paths: PathSettings) -> str:
    """Return the squad folder that holds ``path``, relative to the root; "" outside squads."""
    for home in paths.squads:
        if path.startswith(f"{home}/"):
            folder, slash, _ = path[len(home) + 1 :].partition("/")
            return f"{home}/{folder}" if slash else ""
    return ""


def is_walkable(folder: str) -> bool:
    """Check by its name whether a folder can have files of these kinds; templates, hidden and
    installed ones are not looked into.
    """
    return not folder.startswith(_SKIPPED_PREFIXES) and folder != "node_modules"


class LoadScope(StrEnum):
    """How much of a tree is read: what a prompt needs, or everything."""

    # What a prompt needs; agents, tasks, stories and workflows are listed by name only.
    PROMPT = "prompt"
    ALL = "all"


LISTED_KINDS = {
    LoadScope.PROMPT: frozenset(
        map(FileKind, ("agent", "task", "story", "workflow", "access_log", "chati_task"))
    ),
    LoadScope.ALL: frozenset({FileKind.COMPONENT}),
}
_NOT_IN_PROMPTS = """
session patterns chains tests memory constitution_source component synced chati_memory chati_gotchas
chati_tracked chati_brackets
"""
SKIPPED_KINDS = {
    LoadScope.PROMPT: frozenset(map(FileKind, _NOT_IN_PROMPTS.split())),
    # Sessions change with every prompt and belong to the session store.
    LoadScope.ALL: frozenset({FileKind.SESSION}),
}
