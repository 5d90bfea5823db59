"""Handle an event in a tree that is not as its person pinned it: nothing of it reaches an agent,
and the person is told by name which files differ.

Where the guard enforced boundaries when the tree was pinned, a command or a change of a file is
asked about.
"""

from __future__ import annotations

from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.hooks.person_notice import tell_once
from synapse_ls.integrations.hook_event import TOOL_BEFORE
from synapse_ls.integrations.tool_uses import announced_use
from synapse_ls.storage import trusted_trees
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.hooks.hook_call import HookCall

MEMO_KIND: Final = "changed"
ASKED_VERBS: Final = ("command", "delete", "write")  # what is asked about meanwhile
ASKED: Final = (
    "Synapse LS: the rules of this project are not as they were pinned, and the guard enforced "
    "boundaries then, so a person decides."
)


def handle(call: HookCall) -> None:
    """Handle an event in a tree that has changed since it was pinned: tell the person which files
    differ, and ask before a tool.
    """
    changes = trusted_trees.find_changes(call.root)
    if changes is None:
        return  # it was pinned just now
    if call.event.kind == TOOL_BEFORE:
        use = announced_use(call.event, call.root)
        if _is_guarded(call.root) and use.concerns(ASKED_VERBS):
            call.write_reply(call.host.decision_reply(call.event, "ask", ASKED))
        return
    text = (
        f"Synapse LS: the rules in {call.root} are not used, because they are not as they were "
        f"pinned: {changes.describe()}. {trusted_trees.REMEDY}"
    )
    tell_once(call, MEMO_KIND, text, hash_text(repr(list(changes.lines()))))


def _is_guarded(root: str) -> bool:
    try:
        pin = trusted_trees.read_pin(root)
    except ValueError:
        return True  # what the pin said cannot be known
    return pin is not None and pin.guard == ENFORCE
