"""Handle an event without a session: nothing is recorded, and each prompt gets the full block."""

from synapse_ls.engine import situation, text_escaping
from synapse_ls.hooks.events import tool_after, tool_before
from synapse_ls.hooks.hook_call import HookCall, event_files
from synapse_ls.hooks.window_reply import compose_block
from synapse_ls.integrations.hook_event import PROMPT, SUBAGENT_START, TOOL, TOOL_BEFORE
from synapse_ls.integrations.model_windows import measure_window_usage
from synapse_ls.storage.session_changes import record_prompt

LATE_SECONDS = 0.3  # the reply is written by then, but a client waits for the end of its hook
FULL_REASON = "nothing can be remembered"
OBSTACLE_EFFECT = (
    "So nothing of this prompt is kept: an agent, a task or a switch that it names holds for this "
    "prompt alone."
)


def handle(call: HookCall) -> None:
    """Handle an event without a session: replies to a prompt with the full block, to a tool event
    with findings or a verdict.
    """
    event = call.event
    if event.kind == TOOL:
        call.reply_text(tool_after.lint_edited(call))
        return
    if event.kind == TOOL_BEFORE:
        tool_before.handle(call)
        return
    if event.kind not in (PROMPT, SUBAGENT_START):
        return
    plan = call.current_plan.plan
    request = situation.Request(
        event.prompt if event.is_counted else "",
        agent=plan.find_agent(event.agent),
        files=event_files(call.root, event),
        reader=call.reader(event.agent),
    )
    obstacle = text_escaping.neutralise_text(call.obstacle)
    obstacle = f"\n\nSynapse LS: {obstacle} {OBSTACLE_EFFECT}" if obstacle else ""
    figures = event.figures or (None if event.subagent else call.host.read_usage(event))
    assembly = compose_block(
        call.current_plan,
        request,
        measure_window_usage(plan, None, figures),
        limit=call.host.limit_of(event.kind) - len(obstacle),
        whole=event.kind == SUBAGENT_START,
    ).assembly
    text = f"{assembly.text}{obstacle}".strip()
    if call.reply_text(text):
        call.log_reply(plan, assembly, text, FULL_REASON, request.files)
    call.follow_up()


def count_prompt(call: HookCall) -> None:
    """Count a prompt that was answered without its session, because others held it. Raises
    LockTimeoutError where they still do after ``LATE_SECONDS``.
    """
    event = call.event
    if not event.is_counted:
        return
    with call.session_transaction(LATE_SECONDS) as transaction:
        if event.subagent:
            transaction.session.open_window(call.window_key).prompts += 1
        else:
            record_prompt(transaction.session, event.prompt, call.now)
        transaction.commit()
