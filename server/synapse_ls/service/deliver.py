"""A hook event → a reply: what the agent of this window still has to be told.

Each kind of event is a module of ``events/``, loaded when such an event comes.
"""

from __future__ import annotations

import os

from synapse_ls.hosts import event as events
from synapse_ls.service.call import Call
from synapse_ls.sessions.files import SessionError
from synapse_ls.text.lazy import load
from synapse_ls.workspace.discover import find_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Final

    from synapse_ls.hosts.event import Event
    from synapse_ls.service.call import Write

# kind of event -> module of ``events/``; the client gets an empty reply to any other
HANDLERS: Final = {
    events.PROMPT: "prompt",
    events.SESSION_START: "session_start",
    events.SUBAGENT_START: "subagent_start",
    events.COMPACTING: "compacting",
    events.COMPACTED: "compacted",
    events.TOOL_BEFORE: "guarding",
    events.TOOL: "tool",
    events.STOP: "stop",
    events.SESSION_END: "session_end",
}
USER: Final = "user"  # the scope of a hook that is installed for a person, not for a project


def deliver(
    event: Event,
    host: ModuleType,
    write: Write,
    *,
    root: str = "",
    scope: str = "",
    now: Callable[[], float],
) -> None:
    """Write the reply to ``event``, then record what it told.

    A crash between the two repeats rules and loses none. Without a session id, or where the
    session cannot be kept, a prompt gets the full block and nothing is recorded; then SessionError
    is raised once the reply is written. scope: for whom the hook is installed; one for the "user"
    serves only trees that this person trusts.
    """
    name = HANDLERS.get(event.kind, "")
    found = (root or _root_of(event)) if name else ""
    if not found:
        write({})
        if name:
            _note_missing(event)
        return
    call = Call(event, host, found, write, now())
    if scope == USER and not _is_trusted(found):
        name = "untrusted"
    elif not event.session_id:
        name = "stateless"
    try:
        _handle(name, call)
    except SessionError:
        # Without a place to remember, every prompt is the first one.
        if not call.replied:
            _handle("stateless", call)
        raise
    call.answer({})


def _handle(name: str, call: Call) -> None:
    handle: Callable[[Call], None] = load(f"synapse_ls.service.events.{name}").handle
    handle(call)


def _is_trusted(root: str) -> bool:
    from synapse_ls.service import trust

    trusted: bool = trust.is_trusted(root)
    return trusted


def _note_missing(event: Event) -> None:
    """Log that folders do not exist from which a client wanted to have a tree looked for."""
    missing = [f for f in (*event.projects, event.cwd) if f and not os.path.isdir(f)]
    if missing:
        from synapse_ls.service import log

        where = ", ".join(dict.fromkeys(missing))
        log.line(f"{event.name}: there is no folder {where}, so no tree was found")


def _root_of(event: Event) -> str | None:
    """The tree of the project folder that the client names, else of the working directory.

    An agent that changes its directory works on the same project all the time.
    """
    for start in (*event.projects, event.cwd or os.getcwd()):
        if start and (found := find_root(start)):
            return found
    return None
