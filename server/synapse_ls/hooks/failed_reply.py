"""Answer an event whose verdict or block failed or is late.

Before a tool, an enforcing guard then asks a person; at a prompt, the person is informed. The mode
is read from configuration and pin, since what failed may be the plan.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.hooks.event_dispatch import USER_SCOPE, find_tree
from synapse_ls.hooks.hook_timeout import LATE_REASON
from synapse_ls.integrations import hook_event
from synapse_ls.integrations.hook_client import ASK, HookClient
from synapse_ls.integrations.tool_uses import announced_use
from synapse_ls.storage import program_start
from synapse_ls.storage.hook_log import log_error, log_line
from synapse_ls.text.fast_json import loads
from synapse_ls.workspace import file_reader

with suppress(Exception):  # what failed first may be one of these; an answer can do without
    from synapse_ls.formats import config_file
    from synapse_ls.storage import policy_gate, trusted_trees
    from synapse_ls.workspace import config_layers

if TYPE_CHECKING:
    from synapse_ls.formats.config_settings import Config

_unrecorded: Final[list[Callable[[], None]]] = []
REASON: Final = (
    "Synapse LS: The guard failed, so it could not decide whether the agent may do this. "
    "hook.log in the cache folder says why."
)
LATE_NOTICE: Final = (
    "Synapse LS: The hook did not answer in time, so nothing new was injected with this prompt. "
    "hook.log in the cache folder says more."
)


def find_event_fields(data: bytes) -> dict[str, Any]:
    """Return, for the verdict that fails, the event's name and folder from a payload that cannot be
    read, as far as they are there.
    """
    fields: dict[str, Any] = {}
    if name := re.search(rb'"hook_?event_?name"\s*:\s*"(\w{1,64})"', data, re.IGNORECASE):
        fields["hook_event_name"] = name[1].decode("ascii", "replace")
    folder = re.search(rb'"(?:cwd|workspace_?roots)"\s*:[\s[]*("(?:[^"\\]|\\.){1,4096}")', data)
    if folder:
        with suppress(ValueError):
            fields["cwd"] = loads(folder[1].decode("utf-8", "replace"))
    return fields


def recover_event(raw: dict[str, Any], name: str, host: HookClient) -> hook_event.Event:
    """Return, for the verdict that fails, the event in a payload, with its name alone where no more
    can be read; name: the event that the command was registered for, or "".
    """
    try:
        return host.parse_event(raw, name)
    except Exception:  # what failed first may be this
        event_name = hook_event.text_field(raw, "hook_event_name", "hookEventName") or name
        return hook_event.Event(
            hook_event.KINDS_BY_NAME.get(hook_event.fold_name(event_name), hook_event.OTHER),
            event_name,
            {},
        )


def failure_reply(
    event: hook_event.Event, host: HookClient, root: str, scope: str, *, is_late: bool
) -> dict[str, Any]:
    """Return the reply to an event before a tool whose verdict has failed, or is late: "ask" where
    the guard of its tree enforces, {} where it warns or is off; a notice to a prompt that is late;
    {} to any other event. root, scope: as in `dispatch_event`.
    """
    is_late_prompt = is_late and event.kind == hook_event.PROMPT
    if event.kind != hook_event.TOOL_BEFORE and not is_late_prompt:
        return {}
    try:
        tree = root or find_tree(event, may_refuse=True)
    except Exception:  # what failed first may be what this needs, and what comes next
        tree = find_tree(event, may_refuse=False)
    if not tree:
        return {}
    with suppress(Exception):  # it is trusted, and enforces, where nobody can read it
        is_served = scope != USER_SCOPE or trusted_trees.is_trusted(tree)
        if not is_served and (is_late_prompt or not policy_gate.read_gate().enforces):
            return {}
        enforces = is_late_prompt or trusted_trees.enforced_when_pinned(tree)
        if not enforces and _read_config(tree).guard.mode != ENFORCE:
            return {}
    if is_late_prompt:
        return host.notice_reply(event, LATE_NOTICE)
    what, reason = ("did not answer in time", LATE_REASON) if is_late else ("failed", REASON)
    log_line(f"{__name__} {event.name}: the guard enforces and {what}, so a person is asked")
    _unrecorded.append(lambda: record_failure(tree, host, event, reason))
    return host.decision_reply(event, ASK, reason)


def record_failures() -> None:
    """Add what was answered to the audit log, where one is kept, once the answers are out."""
    while _unrecorded:
        try:
            _unrecorded.pop()()
        except Exception as error:  # what failed first may be what this needs
            log_error(error, "the audit log lacks a verdict that failed")


def record_failure(root: str, host: HookClient, event: hook_event.Event, reason: str) -> None:
    """Add a question for which there was no verdict to the audit log, where one is kept."""
    config = _read_config(root)
    if not config.audit.enabled:
        return
    from synapse_ls.guard.action_verdict import Verdict
    from synapse_ls.storage.audit_log import record_verdict

    settings = {"guard": ENFORCE, "policy": config.policy, "audit": config.audit.megabytes}
    verdict = Verdict(ASK, reason.partition(": ")[2])
    use = announced_use(event, root, host.folder_field)
    record_verdict(root, settings, host, event, verdict, "", use, time.time())


def _read_config(root: str) -> Config:
    program_start.enable_site_packages()
    try:
        content = file_reader.read_configuration_file(root)
        document = config_file.parse(content.decoded.text if content else "").document
    except file_reader.RefusedError:
        document = config_file.unreadable_config()
    return config_layers.effective_config(root, document)
