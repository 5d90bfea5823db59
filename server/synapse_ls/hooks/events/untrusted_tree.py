"""Handle an event in a tree that the hook's owner has not said to trust: nothing of it reaches an
agent.

The person is told once per session, unless the project's own hook serves the tree anyway.
"""

from __future__ import annotations

from synapse_ls.hooks.person_notice import tell_once
from synapse_ls.integrations.hook_event import PROMPT, SESSION_START
from synapse_ls.storage.atomic_files import StorageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.hooks.hook_call import HookCall

MEMO_KIND: Final = "untrusted"


def handle(call: HookCall) -> None:
    """Handle an event in an untrusted tree: tell the person that it is not trusted."""
    event = call.event
    if event.kind not in (PROMPT, SESSION_START) or _has_other_hook(call):
        return
    text = (
        f"Synapse LS: the rules in {call.root} are not used, because this folder is not trusted. "
        f"To use them, run `synapse trust` there."
    )
    tell_once(call, MEMO_KIND, text)


def _has_other_hook(call: HookCall) -> bool:
    """Return whether another registration of the hook serves this session."""
    if not call.event.session_id:
        return False
    try:
        session = call.store.load(call.event.session_id)
    except StorageError:
        return False
    return bool(session and session.find_window(call.window_key).standing)
