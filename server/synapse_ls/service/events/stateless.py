"""An event that nothing can be remembered about: each prompt gets the full block."""

from __future__ import annotations

from synapse_ls.engine.situation import Request
from synapse_ls.hosts.event import PROMPT, SUBAGENT_START, TOOL, TOOL_BEFORE
from synapse_ls.service.acting import known_agent
from synapse_ls.service.compose import compose
from synapse_ls.service.telling import limit_of
from synapse_ls.service.touched import touched
from synapse_ls.service.usage import usage_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.service.call import Call

WHY = "nothing can be remembered"


def handle(call: Call) -> None:
    event = call.event
    if event.kind == TOOL:
        from synapse_ls.service.events import tool

        call.reply(tool.findings(call))
        return
    if event.kind == TOOL_BEFORE:
        from synapse_ls.service.events import guarding

        guarding.handle(call)
        return
    if event.kind not in (PROMPT, SUBAGENT_START):
        return
    plan = call.plan.plan
    request = Request(
        event.prompt if event.counts else "",
        agent=known_agent(plan, event),
        files=touched(call.root, event),
    )
    figures = event.figures or (None if event.window else call.host.usage(event))
    assembly = compose(
        call.plan,
        request,
        usage_of(plan, None, figures),
        limit=limit_of(call.host, event.kind),
        whole=event.kind == SUBAGENT_START,
    ).assembly
    if call.reply(assembly.text):
        call.note(plan, assembly, assembly.text, WHY, request.files)
    call.follow_up(is_new=False)
