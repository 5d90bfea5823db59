"""The places of Chati.dev's files: installed in ``chati.dev/``, written in ``.chati/``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from synapse_ls.workspace.file_kinds import FileKind, Place
from synapse_ls.workspace.tree_folders import CHATI, CHATI_MEMORIES, CHATI_STATE

if TYPE_CHECKING:
    from synapse_ls.workspace.snapshot import Snapshot

# The folder of what changes while one works.
STATE = CHATI_STATE

SESSION = f"{STATE}/session.yaml"
CONFIG = f"{CHATI}/config.yaml"
CONSTITUTION = f"{CHATI}/constitution.md"
BRACKETS = f"{CHATI}/intelligence/context-engine.md"
DOMAINS = f"{CHATI}/domains"
ARTICLES = f"{DOMAINS}/constitution.yaml"
GLOBAL = f"{DOMAINS}/global.yaml"
AGENT_DOMAINS = f"{DOMAINS}/agents"
WORKFLOW_DOMAINS = f"{DOMAINS}/workflows"
AGENTS = f"{CHATI}/agents"
WORKFLOWS = f"{CHATI}/workflows"
# Where hand-offs are: as the constitution says, and as some of the task files do.
HANDOFFS = (f"{CHATI}/artifacts/handoffs", f"{STATE}/artifacts/handoffs")
MEMORIES = CHATI_MEMORIES

_MARKDOWN = (".md",)
_YAML = (".yaml", ".yml")

PLACES = (
    Place(SESSION, FileKind.CHATI_SESSION, essential=True),
    Place(ARTICLES, FileKind.CHATI_DOMAIN, essential=True),
    Place(GLOBAL, FileKind.CHATI_DOMAIN, essential=True),
    Place(CONSTITUTION, FileKind.CHATI_CONSTITUTION, essential=True),
    Place(CONFIG, FileKind.CHATI_CONFIG),
    Place(AGENT_DOMAINS, FileKind.CHATI_DOMAIN, _YAML),
    Place(WORKFLOW_DOMAINS, FileKind.CHATI_DOMAIN, _YAML),
    Place(WORKFLOWS, FileKind.CHATI_WORKFLOW, _YAML),
    Place(AGENTS, FileKind.CHATI_AGENT, _MARKDOWN, deep=True),
    *(Place(folder, FileKind.CHATI_HANDOFF, _MARKDOWN) for folder in HANDOFFS),
    Place(f"{CHATI}/tasks", FileKind.CHATI_TASK, _MARKDOWN),
    Place(f"{CHATI}/artifacts/6-Tasks", FileKind.CHATI_TASKS, _YAML),
    Place(f"{CHATI}/artifacts/tasks", FileKind.CHATI_TASKS, _YAML),
    Place(MEMORIES, FileKind.CHATI_MEMORY, _MARKDOWN, deep=True),
    Place(BRACKETS, FileKind.CHATI_BRACKETS),
    Place(f"{CHATI}/intelligence/gotchas.yaml", FileKind.CHATI_GOTCHAS),
    Place(f"{STATE}/gotchas.json", FileKind.CHATI_TRACKED),
    Place(f"{MEMORIES}/shared/gotchas.json", FileKind.CHATI_TRACKED),
)

# Characters of a name that a session gives to a file, which takes at most 255 bytes.
_MAX_NAME = 60

# Where an installation has its agents, below `AGENTS`.
_FOLDERS = ("planning", "build", "quality", "deploy")


def urgent_paths(snapshot: Snapshot) -> Iterator[str]:
    """Yield the files about the agent at work and its workflow, of which the next prompt tells
    most: they are the first to be read. One that does not exist costs a look.
    """
    if (facts := snapshot.facts(SESSION)) is None:
        return
    from synapse_ls.formats.chati.session_file import SessionView

    session = facts.document
    if not isinstance(session, SessionView):
        return
    agent, kind = session.agent.value, session.project_type
    workflow = session.workflow.value or (f"{kind}-fullstack" if kind else "")
    if _is_file_name(agent):
        yield from (f"{AGENTS}/{folder}/{agent}.md" for folder in _FOLDERS)
        yield f"{AGENT_DOMAINS}/{agent}.yaml"
    if _is_file_name(workflow):
        yield f"{WORKFLOWS}/{workflow}.yaml"
    folder, _, name = session.handoff.value.strip().removeprefix("./").rpartition("/")
    if folder in HANDOFFS and _is_file_name(name):
        yield f"{folder}/{name}"


def _is_file_name(name: str) -> bool:
    """Check whether a name that a session gives can be that of a file."""
    return 0 < len(name) <= _MAX_NAME and name.isprintable() and "/" not in name


def _kinds(names: str) -> frozenset[FileKind]:
    return frozenset(FileKind(f"chati_{name}") for name in names.split())


YAML_KINDS = _kinds("session config domain workflow tasks gotchas")
MARKDOWN_KINDS = _kinds("constitution agent handoff task memory brackets")
# Kinds of the files whose text a plan is made of.
PLAN_KINDS = (YAML_KINDS | MARKDOWN_KINDS) - _kinds("gotchas task memory brackets")
