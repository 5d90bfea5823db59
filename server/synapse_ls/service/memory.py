"""The memories of a prompt: found, chosen and put into its situation, for every front end alike.

A tree without memories costs one stat, and only where any are wanted. On the way of a prompt there
are 15 ms; what is not up to date by then counts as it was, the report says so, and the rest is done
by a process that nobody waits for.
"""

from __future__ import annotations

import os
import time

from synapse_ls.engine.disclosure import disclosed
from synapse_ls.engine.hints import Memories
from synapse_ls.service.windows import FILES
from synapse_ls.sessions.changes import prompts_since_compaction
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, Final

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.situation import Request, Situation

FOLDER: Final = ".synapse/memory"
DAY: Final = 86400
PATIENCE_MS: Final = 15
MOST: Final = 64  # memories of a window whose files are known
_NOTHING: Final[Mapping[str, Sequence[Any]]] = {}


def fill(
    plan: Plan,
    request: Request,
    situation: Situation,
    *,
    told: Collection[str] = (),
    files: Mapping[str, Sequence[Any]] = _NOTHING,
    due: bool = False,
    hurry: bool = False,
) -> bool:
    """Put the hints into ``situation``, unless the request brings its own.

    told: identities of memories that the agent's window holds; files: their files and times then.
    due: nothing stands there, or HOT ones were cut from the reply before. hurry: somebody waits for
    a prompt. False where nobody has looked whether what was told is still so. Never raises: without
    its memories a prompt is still answered.
    """
    if request.hints:
        situation.hints = request.hints
        return True
    if not any("memory" in part for part in plan.profile.parts):
        situation.memories = Memories(why=f"the profile {plan.profile.name} tells none")
        return True
    begun = due or _begun(request.session)
    how = disclosed(plan, situation, begun=begun)
    memories = situation.memories = Memories(how.level, how.tokens, how.why)
    if how.level == "none" and (not told or _is_as_it_was(plan.root, told, files)):
        return not told
    settings = plan.settings.get("memory", {})
    names: tuple[str, ...] = tuple(settings.get("providers", ()))
    has_store = os.path.isdir(f"{plan.root}/{FOLDER}")
    if not has_store and not names and plan.profile.source != "chati":
        memories.why = memories.why or "there are no memories"
        return True
    try:
        chosen = load("synapse_ls.service.recalling").recall(
            plan, request, situation, how, memories, told=_with_files(told, files), hurry=hurry
        )
    except Exception as error:
        memories.notes.append(f"memories could not be looked at: {type(error).__name__}: {error}")
        return False
    situation.hints, memories.left = chosen.hints, chosen.left
    return True


def _with_files(told: Collection[str], files: Mapping[str, Sequence[Any]]) -> dict[str, str | None]:
    """Identity of a memory that was told -> its file, None where that is not known."""
    return {identity: files[identity][0] if identity in files else None for identity in told}


def _is_as_it_was(root: str, told: Collection[str], files: Mapping[str, Sequence[Any]]) -> bool:
    """Whether the file of each memory that was told is still the one it was told from."""
    for identity in told:
        if identity not in files:
            return False
        path, written = files[identity]
        if path and _time_of(root, path) != written:
            return False
    return True


def _time_of(root: str, path: str) -> int:
    try:
        return os.stat(f"{root}/{path}").st_mtime_ns
    except (OSError, ValueError):
        return 0


def _begun(session: Any) -> bool:
    """Whether a window has just begun: a new session, or one whose history was just compacted."""
    return not session or prompts_since_compaction(session) == 0


def after(root: str, window: dict[str, Any], assembly: Assembly, now: float) -> None:
    """When the reply is out: note and count what was told, and see to what has to be asked anew."""
    memories = assembly.situation.memories
    sent = [
        entry for section in assembly.sent for entry in section.entries if entry.domain == "MEMORY"
    ]
    told = [entry.key for entry in sent if entry.key]
    if sent:
        kept = window.get(FILES)
        files = kept if isinstance(kept, dict) else {}
        for entry in sent:
            files[entry.hash] = [entry.file, _time_of(root, entry.file) if entry.file else 0]
        window[FILES] = dict(list(files.items())[-MOST:])
    if told:
        from synapse_ls.memory import uses
        from synapse_ls.sessions.files import SessionError

        try:
            uses.count(root, told, now=now)
        except SessionError as error:
            from synapse_ls.service import log

            log.line(f"{root}: uses of memories were not counted: {error}")
    if memories is not None and memories.pending is not None:
        question, names = memories.pending
        load("synapse_ls.memory.asking").start(root, question, names)


def today() -> int:
    """Days since 1970-01-01, in UTC: memories fade by the day, so that blocks hold still."""
    return int(time.time() // DAY)
