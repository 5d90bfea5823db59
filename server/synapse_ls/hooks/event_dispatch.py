"""Dispatch a hook event to its handler, a module of ``events/``, which is imported on demand."""

from __future__ import annotations

import os

from synapse_ls.integrations import hook_event
from synapse_ls.storage.program_start import forget_foreign_folders
from synapse_ls.text.lazy_import import load_module
from synapse_ls.workspace.linked_work_trees import find_git_folders, main_work_tree, project_roots
from synapse_ls.workspace.tree_search_upward import find_root, holds_tree
from synapse_ls.workspace.user_folders import has_pins_or_policies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from synapse_ls.hooks.hook_call import HookCall, Write
    from synapse_ls.integrations.hook_client import HookClient

# Kind of event -> module of ``events/`` and function; the client gets an empty reply to any other.
HANDLERS: Final = {
    hook_event.PROMPT: ("prompt", "handle"),
    hook_event.SESSION_START: ("session_start", "handle"),
    hook_event.SUBAGENT_START: ("session_start", "handle_subagent"),
    hook_event.COMPACTING: ("compaction", "handle_start"),
    hook_event.COMPACTED: ("compaction", "handle_end"),
    hook_event.TOOL_BEFORE: ("tool_before", "handle"),
    hook_event.TOOL: ("tool_after", "handle"),
    hook_event.STOP: ("session_end", "handle_stop"),
    hook_event.SESSION_END: ("session_end", "handle"),
}
_WITHOUT_SESSION: Final = ("sessionless", "handle")
USER_SCOPE: Final = "user"  # the scope of a hook that is installed for a person, not for a project


def dispatch_event(
    event: hook_event.Event,
    host: HookClient,
    write: Write,
    *,
    root: str = "",
    scope: str = "",
    clock: Callable[[], float],
) -> None:
    """Write the reply to ``event``, then record what it delivered.

    A crash between the two repeats rules and loses none. Without a session id, or where the
    session cannot be kept, a prompt gets the full block and nothing is recorded; then StorageError
    is raised once the reply is written. scope: for whom the hook is installed; one for the "user"
    serves only trees that this person trusts. A tree that is not as its person pinned it is served
    by no hook. clock: gives seconds since 1970.
    """
    forget_foreign_folders(*{event.cwd, root} - {""}, named=[*filter(None, event.projects)])
    handler = HANDLERS.get(event.kind)
    may_refuse = has_pins_or_policies()
    tree = (root or find_tree(event, may_refuse)) if handler else ""
    if not tree or handler is None:
        write({})
        if handler:
            # Log the folders that do not exist, of those where the client wanted a tree looked for.
            missing = [f for f in (*event.projects, event.cwd) if f and not os.path.isdir(f)]
            if missing:
                from synapse_ls.storage import hook_log

                where = ", ".join(dict.fromkeys(missing))
                hook_log.log_line(f"{event.name}: there is no folder {where}, so no tree was found")
        return
    # Where there is no tree, this half of the program is not needed.
    from synapse_ls.hooks.hook_call import HookCall
    from synapse_ls.storage import atomic_files, plan_cache

    call = HookCall(event, host, tree, write, clock())
    if not event.session_id:
        handler = _WITHOUT_SESSION
    if scope == USER_SCOPE or may_refuse:
        from synapse_ls.storage import policy_gate, trusted_trees

        if scope == USER_SCOPE and not trusted_trees.is_trusted(tree):
            handler = ("refused_tree", "handle_untrusted")
        elif may_refuse:
            trusted_trees.follow_writes()
            if trusted_trees.find_changes(tree):
                handler = ("refused_tree", "handle_changed")
            elif not policy_gate.read_gate().serves(host.name):
                handler = ("refused_tree", "handle_forbidden_client")
    try:
        try:
            load_handler(handler)(call)
        except plan_cache.DamagedPlanError:  # it is gone by now
            if not call.replied:
                call = HookCall(event, host, tree, write, clock())
                load_handler(handler)(call)
    except atomic_files.StorageError as error:
        # Without a place to remember, every prompt is the first one.
        if not call.replied:
            call.obstacle = error.sentence
            load_handler(_WITHOUT_SESSION)(call)
        if not (
            event.kind == hook_event.PROMPT and isinstance(error, atomic_files.LockTimeoutError)
        ):
            raise
        load_handler(("sessionless", "count_prompt"))(call)
    call.write_reply({})


def load_handler(handler: tuple[str, str]) -> Callable[[HookCall], None]:
    """Return the function of ``events/`` that handles an event."""
    module, name = handler
    handle: Callable[[HookCall], None] = getattr(
        load_module(f"synapse_ls.hooks.events.{module}"), name
    )
    return handle


def find_tree(event: hook_event.Event, may_refuse: bool) -> str | None:
    """Return the tree of the project folder that the client names, else of the working directory:
    an agent that changes its directory works on the same project all the time. may_refuse: whether
    there are pins or policies.
    """
    find = find_tree_above if may_refuse else find_root
    starts = (start for start in (*event.projects, event.cwd or os.getcwd()) if start)
    return next(filter(None, map(find, starts)), None)


def find_tree_above(start: str) -> str | None:
    """Return the tree of a folder; None where there is none.

    A tree in a sub-folder of a pinned project, or in another work tree of it, is nothing that its
    person has seen: the pinned one counts, also where only what links lead to shows the project. So
    it does where its tree is gone as a whole, before any tree above it.
    """
    root = find_root(start)
    if not has_pins_or_policies():
        return root
    from synapse_ls.storage.trusted_trees import is_pinned, is_trusted, pins_by_place

    pins = pins_by_place()
    for place in dict.fromkeys((os.path.abspath(start), os.path.realpath(root or start))):
        folder = place
        top = find_git_folders(folder)[0]
        tops = project_roots(top, pins) if top else ()
        while not is_pinned(folder, pins):
            if folder == root and is_trusted(root):
                return root
            twins = (os.path.join(other, os.path.relpath(folder, top)) for other in tops)
            if twin := next((twin for twin in twins if is_pinned(twin, pins)), ""):
                return os.path.normpath(twin)
            if folder == top:
                tops = ()
                folder = main_work_tree(top, pins) or folder
                if folder != top:
                    continue
            above = os.path.dirname(folder)
            if folder == above or os.path.isdir(os.path.join(folder, ".git")):
                break
            folder = above
        else:
            return None if root is None and holds_tree(folder) else folder
    return root
