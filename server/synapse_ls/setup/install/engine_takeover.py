"""This module has an installation take over from another engine: what it remembered becomes ours,
sleeping triggers are offered to be woken, and the block that now reaches the model stands beside
what the other engine's files come to. Its files are read and never run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.edits.profile_choice import LIVE_PROFILE, choose_profile
from synapse_ls.engine.token_estimate import estimate_tokens
from synapse_ls.integrations.client_definition import USER, Client, Surroundings
from synapse_ls.integrations.client_registrations import find_registrations
from synapse_ls.integrations.hook_programs import missing_program
from synapse_ls.integrations.other_engines import CARL_HOOK
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.memory.memory_paths import MEMORY
from synapse_ls.setup.doctor import canary_prompt
from synapse_ls.setup.doctor.canary_prompt import CanaryReply
from synapse_ls.setup.doctor.rival_hooks import RivalHook, find_rivals
from synapse_ls.setup.install.hook_installation import SettingsChange, plan_file_change
from synapse_ls.setup.memory_migration import plan_moves, undo_migration, write_moves
from synapse_ls.setup.session_conversion import convert_sessions, plan_conversion
from synapse_ls.text.plural_counts import format_count
from synapse_ls.workspace.file_reader import RefusedError, read_file
from synapse_ls.workspace.load_scope import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CARL, CONFIG, TREE
from synapse_ls.workspace.tree_loader import load_tree

_NO_RULES = ("config.toml", ".gitignore")
_INSTALLATION = "install"  # who has brought memories
_MEMORIES_BACK = (
    f"`synapse uninstall` takes them back. To share them with others, commit {MEMORY}/; git leaves "
    "out what the program keeps there for itself"
)
_SESSIONS_BACK = "`synapse session migrate --rollback` takes them back"


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """EngineFiles are the rule files that an engine reads from which we take over: how many in
    which folder, and their tokens.
    """

    engine: str
    folder: str
    count: int
    tokens: int


def find_engines(clients: Iterable[Client], around: Surroundings) -> list[RivalHook]:
    """Returns the hooks of the engines from which an installation can take over, those that these
    clients run, each once.
    """
    found = {
        (rival.file, rival.line, rival.event): rival
        for client in clients
        for rival in find_rivals(client, around)
        if rival.engine
    }
    return list(found.values())


def plan_import(root: str, *, now: float) -> list[str]:
    """Returns what a takeover from another engine would import of what it remembers, in a few words
    each.
    """
    memories = sum(not move.existing for move in plan_moves(root))
    return _count_imports(memories, len(plan_conversion(root, now=now).steps))


def import_memory(root: str, *, now: float) -> list[str]:
    """Imports, when an installation takes over from another engine, gotchas and sessions of other
    tools, whose files stay as they are, and returns a sentence for each kind. Raises StorageError.
    """
    brought = len(write_moves(root, plan_moves(root), now=now, on_behalf_of=_INSTALLATION))
    converted = len(convert_sessions(root, now=now).done)
    back = (_MEMORIES_BACK,) * bool(brought) + (_SESSIONS_BACK,) * bool(converted)
    told = _count_imports(brought, converted)
    return [f"imported {what}; {how}" for what, how in zip(told, back, strict=True)]


def forget_import(around: Surroundings) -> list[str]:
    """Takes back the memories that an installation has imported, once no client of the project
    calls the hook any more; returns how many have gone, and a sentence for each one that stays.
    Raises StorageError.
    """
    if any(
        found.scope != USER
        for client in CLIENTS.values()
        for found in find_registrations(around, client)
    ):
        return []
    removed, kept = undo_migration(str(around.root), on_behalf_of=_INSTALLATION)
    count = format_count(len(removed), "memory", "memories")
    gone = [f"{count} that the installation had imported went, too"] if removed else []
    return gone + [f"{path} was changed since the installation, so it stays" for path in kept]


def _count_imports(memories: int, sessions: int) -> list[str]:
    gotchas = f"{format_count(memories, 'gotcha')} (pitfalls that another tool noted)"
    found = [f"{gotchas} as memories"] if memories else []
    return found + ([format_count(sessions, "session")] if sessions else [])


def plan_live_profile(around: Surroundings, scope: str) -> SettingsChange | None:
    """Returns the change that has, after a takeover, every trigger heard in every bracket; None
    where there is none. An uninstallation takes it back.
    """
    planned = choose_profile(_read_tree(str(around.root)), LIVE_PROFILE)
    for edit in planned.edits:
        return plan_file_change(around, CONFIG, edit.after, scope)
    return None


def _read_tree(root: str) -> Tree:
    return Tree(load_tree(root, LoadScope.PROMPT).index.snapshot())


def engine_files(root: str, engines: Iterable[str]) -> Iterator[EngineFiles]:
    """Yields what the rule files of the engines come to from which we take over; nothing for one
    that has none here.
    """
    for engine in dict.fromkeys(engines):
        folder = CARL if engine == CARL_HOOK else TREE
        texts = list(_rule_texts(Path(root, folder)))
        if texts:
            tokens = sum(estimate_tokens(text) for text in texts)
            yield EngineFiles(engine, folder, len(texts), tokens)


def _rule_texts(folder: Path) -> Iterator[str]:
    try:
        files = sorted(folder.iterdir())
    except OSError:
        return
    for file in files:
        if file.name in _NO_RULES or not file.is_file():
            continue
        try:
            content = read_file(str(file))
        except RefusedError:
            continue
        if content is not None:
            yield content.decoded.text


def first_reply(clients: Iterable[Client], scope: str, around: Surroundings) -> CanaryReply | None:
    """Returns what the hook tells, after a takeover, the first of these clients for a prompt that
    begins a session; None where none of them is registered.
    """
    for client in clients:
        for found in find_registrations(around, client):
            if (found.scope, found.event) != (scope, client.prompt):
                continue
            if missing := missing_program(found, around):
                return canary_prompt.unsent_reply(client, found, missing.reason)
            return canary_prompt.send_alone(client, found, around)
    return None
