"""This module counts a prompt that was answered without its session, because others held it."""

from __future__ import annotations

from synapse_ls.storage import session_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.hooks.hook_call import HookCall

LATE_SECONDS: Final = 10.0  # the agent has its reply, and clients give their hooks longer


def count_prompt(call: HookCall) -> None:
    """Counts the prompt once the session is free. Raises LockTimeoutError where it still is not."""
    event = call.event
    if not event.is_counted:
        return
    with call.store.transaction(
        event.session_id, cwd=event.cwd or call.root, now=call.now, timeout=LATE_SECONDS
    ) as transaction:
        if event.window:
            transaction.session.open_window(call.window_key).prompts += 1
        else:
            session_changes.record_prompt(transaction.session, event.prompt, call.now)
        transaction.commit()
