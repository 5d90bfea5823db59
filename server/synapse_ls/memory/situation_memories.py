"""Add the memories for a prompt to its situation, and count the delivered ones.

Without memories it costs one stat. A prompt waits 15 ms at most, except for the first changed
files; what is not current by then counts as it was, the report says so, and another process does
the rest.
"""

from __future__ import annotations

import os

from synapse_ls.engine.memory_hints import MemoryOutcome, decide_disclosure
from synapse_ls.storage import hook_log
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, Final

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Request, Situation
    from synapse_ls.formats.window_state import WindowState

MEMORY_FOLDER: Final = ".synapse/memory"
MAX_FILES: Final = 64  # memories of a window whose files are known
_NOTHING: Final[Mapping[str, Sequence[Any]]] = {}


def fill_memories(
    plan: Plan,
    request: Request,
    situation: Situation,
    *,
    held: Collection[str] = (),
    files: Mapping[str, Sequence[Any]] = _NOTHING,
    begins: bool = False,
    enters: bool = False,
    hurry: bool = False,
) -> bool:
    """Put the hints (memories for this prompt) into ``situation``, unless the request brings its
    own.

    held: identities of memories that the agent's window holds; files: their files and times then.
    begins: nothing stands there, or HOT ones were cut from the reply before, or late for it.
    enters: the agent has just come into it. hurry: somebody waits for a prompt. Returns whether
    what was delivered before may be taken back: False where nobody has asked the store whether it
    is still so. Never raises: without its memories a prompt is still answered.
    """
    if request.hints:
        situation.hints = request.hints
        return True
    if not any("memory" in part for part in plan.profile.parts):
        situation.memories = MemoryOutcome(why=f"the profile {plan.profile.name} injects none")
        return True
    # A window has just begun in a new session, or in one whose history was just compacted.
    begun = begins or request.session is None or request.session.prompts_since_compaction == 0
    how = decide_disclosure(plan, situation, is_new_window=begun, is_new_agent=enters)
    memories = situation.memories = MemoryOutcome(how.level, how.tokens, how.why)
    # Whether each memory that the window holds is still in the file that it was read from.
    if how.level == "none" and all(
        place is not None and (not place[0] or _modified_ns(plan.root, place[0]) == place[1])
        for place in map(files.get, held)
    ):
        return not held
    names: tuple[str, ...] = tuple(plan.settings.get("memory", {}).get("providers", ()))
    has_store = os.path.isdir(f"{plan.root}/{MEMORY_FOLDER}")
    if not has_store and not names and plan.profile.source != "chati":
        memories.why = memories.why or "there are no memories"
        return True
    try:
        chosen = load_module("synapse_ls.memory.memory_selection").choose_memories(
            plan,
            request,
            situation,
            how,
            memories,
            held={identity: files[identity][0] if identity in files else None for identity in held},
            noted=files.keys(),
            hurry=hurry,
        )
    except Exception as error:
        memories.notes.append(f"memories could not be looked at: {type(error).__name__}: {error}")
        return False
    situation.hints, memories.omitted = chosen.hints, chosen.left_out
    return True


def _modified_ns(root: str, path: str) -> int:
    try:
        return os.stat(f"{root}/{path}").st_mtime_ns
    except (OSError, ValueError):
        return 0


def note_delivered(root: str, window: WindowState, paths: Mapping[str, str]) -> None:
    """Note the files of memories that came into a window. paths: identity of a hint, or id of the
    memory where it came in other words, -> path from the root, "" for none.
    """
    files = dict(window.memory_files)
    for identity, path in paths.items():
        files[identity] = path, _modified_ns(root, path) if path else 0
    window.memory_files = dict(list(files.items())[-MAX_FILES:])


def record_delivered(root: str, window: WindowState, assembly: Assembly, now: float) -> None:
    """Note and count the memories of a situation that a reply delivered, and start what has to be
    asked anew.

    Called when the reply is out.
    """
    memories = assembly.situation.memories
    entries = [entry for section in assembly.sent_sections for entry in section.entries]
    sent = [entry for entry in entries if entry.domain == "MEMORY"]
    keys = [entry.key for entry in sent if entry.key]
    if sent:
        entries = [member for line in sent for member in line.members or (line,)]
        note_delivered(root, window, {entry.hash: entry.file for entry in entries})
    if keys:
        from synapse_ls.memory import memory_paths

        try:
            memory_paths.count_uses(root, keys, now=now)
        except StorageError as error:
            hook_log.log_line(f"{root}: uses of memories were not counted: {error}")
    if memories is not None and memories.pending is not None:
        question, names = memories.pending
        load_module("synapse_ls.memory.memory_providers").start_worker(root, question, names)
