"""Handle events in a tree that is not trusted, or differs from its pin: nothing of it is injected.

The user is informed once per session, unless the project's own hook serves the tree. If the guard
enforced boundaries when the tree was pinned, commands and changes of files need confirmation.
"""

from typing import Final

from synapse_ls.hooks.events import tool_before
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.integrations.hook_event import PROMPT, SESSION_START, TOOL_BEFORE
from synapse_ls.integrations.tool_uses import announced_use
from synapse_ls.storage import hook_log, plan_cache, policy_gate, trusted_trees
from synapse_ls.text import digest, phrases

MAX_SESSIONS: Final = 20  # sessions of a tree of which it is known that they were told


def tell_once(call: HookCall, kind: str, text: str, occasion: str = "") -> None:
    """Tell the person ``text`` when a session or a prompt begins, once for each ``occasion``; kind:
    the name of the memory of who was told.
    """
    event = call.event
    if event.kind not in (PROMPT, SESSION_START):
        return
    reply = call.host.notice_reply(event, phrases.escape_invisible(text))
    if not reply and event.kind != PROMPT:
        return  # the first prompt may be able to show it
    session = f"{call.host.name}:{event.session_id}:{occasion}"
    if not plan_cache.add_names(call.root, kind, (session,), MAX_SESSIONS):
        return
    if reply:
        call.write_reply(reply)
    else:
        hook_log.log_line(text)


UNTRUSTED_KIND: Final = "untrusted"


def handle_untrusted(call: HookCall) -> None:
    """Handle an event in an untrusted tree: tell the person that it is not trusted. Where a policy
    has the guard enforce, it does, without the boundaries of this tree.
    """
    event = call.event
    if event.kind == TOOL_BEFORE and policy_gate.read_gate().enforces:
        tool_before.handle(call, is_trusted=False)
    if event.kind not in (PROMPT, SESSION_START):
        return
    session = call.load_session()
    if session and session.find_window(call.window_key).standing:
        return  # another registration of the hook serves this session
    text = (
        f"Synapse LS: the rules in {call.root} are not used, because this folder is not trusted. "
        f"To use them, run `synapse trust` there."
    )
    tell_once(call, UNTRUSTED_KIND, text)


CHANGED_KIND: Final = "changed"
ASKED_VERBS: Final = ("command", "delete", "write")  # what is asked about meanwhile
ASKED: Final = (
    "Synapse LS: the rules of this project are not as they were pinned, and its guard enforces "
    "boundaries, so a person decides."
)


def handle_changed(call: HookCall) -> None:
    """Handle an event in a tree that has changed since it was pinned: tell the person which files
    differ, and ask before a tool.
    """
    if (changes := trusted_trees.find_changes(call.root)) is None:
        return  # it was pinned just now
    if call.event.kind == TOOL_BEFORE:
        use = announced_use(call.event, call.root, call.host.folder_field)
        if trusted_trees.enforced_when_pinned(call.root) and use.concerns(ASKED_VERBS):
            call.write_reply(call.host.decision_reply(call.event, "ask", ASKED))
            tool_before.record_question(call, ASKED)
        return
    text = (
        f"Synapse LS: the rules in {call.root} are not used, because the tree {changes.reason}. "
        f"{trusted_trees.REMEDY}"
    )
    tell_once(call, CHANGED_KIND, text, digest.hash_text(repr(list(changes.lines()))))


FORBIDDEN_KIND: Final = "forbidden-client"


def handle_forbidden_client(call: HookCall) -> None:
    """Handle an event of a client that a policy does not allow: tell the person; what the guard
    says still holds.
    """
    if call.event.kind == TOOL_BEFORE:
        tool_before.handle(call)
        return
    text = (
        f"Synapse LS: no rules are used in {call.host.name}, because the policy "
        f"{policy_gate.read_gate().title} does not allow this client."
    )
    tell_once(call, FORBIDDEN_KIND, text)
