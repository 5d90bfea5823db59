"""Handle a tool that is about to be used: the guard decides by the boundaries of the agent.

For a tool that no boundary applies to, neither the plan nor the shell parser is loaded. If anything
fails, `failed_reply` answers.
"""

from __future__ import annotations

from synapse_ls.formats.session_file import SessionState
from synapse_ls.guard.agent_action import ENFORCE, OFF, AgentAction
from synapse_ls.hooks import hook_call
from synapse_ls.hooks.hook_timeout import LATE_REASON, prepare_late_reply
from synapse_ls.integrations.hook_client import ASK
from synapse_ls.integrations.tool_uses import announced_use
from synapse_ls.storage import injection_log, plan_cache
from synapse_ls.text.phrases import escape_invisible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


PROTECTED_VERBS: Final = ("command", "delete", "tool", "write")  # what enforce mode itself is about


def handle(call: hook_call.HookCall, *, is_trusted: bool = True) -> None:
    """Handle the event before a tool: deny, warn or allow, and log the verdict. is_trusted: whether
    the boundaries of the tree count.
    """
    use = announced_use(call.event, call.root, call.host.folder_field)
    stamped = plan_cache.read_stamps(call.root)
    current = stamped is not None and stamped.is_current() and stamped.is_current_for_guard()
    if stamped is not None and current and not _is_concerned(use, *stamped.guards):
        return
    if stamped is not None and current and stamped.guards[0] == ENFORCE:
        # What finds out of the mode by itself may take longer than there is time then.
        prepare_late_reply(
            lambda: call.host.decision_reply(call.event, ASK, LATE_REASON),
            lambda: record_question(call, LATE_REASON),
        )
    call.current_stamps = stamped if current else None
    plan_in_use = call.current_plan if current else call.current_plan.with_all_files()
    if plan_in_use.incomplete and plan_in_use.plan.settings["guard"] == ENFORCE:
        plan_in_use.finish_later()  # for the next event, should the watchdog end this one
        plan_in_use = plan_in_use.recompile(is_whole=True)
    plan = plan_in_use.plan
    mode: str = plan.settings["guard"]
    if not _is_concerned(use, mode, *plan.guarded_actions):
        return
    session = call.load_session() or SessionState()
    from synapse_ls.hooks.boundary_verdict import judge_event, warn_agent

    without = () if is_trusted else [row[6] for row in plan.boundaries]
    verdict, agent = judge_event(call, plan, session, use, without)
    if verdict.decision == "allow":
        return
    # A verdict as the agent and the person read it.
    clause = verdict.clause
    text = f"Synapse LS: {verdict.reason[:1].upper()}{verdict.reason[1:]}."
    if clause is not None and clause.delegate and f"@{clause.delegate}" not in text:
        text += f" Ask @{clause.delegate}."
    reason = escape_invisible(text)
    if mode == ENFORCE:
        call.write_reply(call.host.decision_reply(call.event, verdict.decision, reason))
    elif not warn_agent(call, session, verdict, reason):
        return
    injection_log.log_verdict(call.root, call.host.name, call.event, verdict, agent, mode, call.now)
    if plan.settings["audit"]:
        from synapse_ls.storage import audit_log

        audit_log.record_verdict(
            call.root, plan.settings, call.host, call.event, verdict, agent, use, call.now
        )


def record_question(call: hook_call.HookCall, reason: str) -> None:
    """Add a question for which there was no verdict to the audit log, where one is kept."""
    from synapse_ls.hooks.failed_reply import record_failure

    record_failure(call.root, call.host, call.event, reason)


def _is_concerned(use: AgentAction, mode: str, *verbs: str) -> bool:
    if mode == OFF:
        return False
    return use.concerns((*verbs, *PROTECTED_VERBS) if mode == ENFORCE else verbs)
