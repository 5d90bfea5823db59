"""From a request to a block: plan, situation, task, assembly, on files that are as they are now."""

from __future__ import annotations

from synapse_ls.engine.prompt import is_executed
from synapse_ls.engine.run import assemble
from synapse_ls.engine.situation import resolve
from synapse_ls.service import memory
from synapse_ls.service.tasks import task_facts
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.situation import Request, Situation
    from synapse_ls.engine.usage import Usage
    from synapse_ls.service.plans import Planned
    from synapse_ls.service.windows import Known


class Composed:
    """An assembly with the plan it was made by."""

    __slots__ = ("assembly", "notes", "plan")

    def __init__(self, plan: Plan, assembly: Assembly, notes: tuple[str, ...]) -> None:
        self.plan = plan
        self.assembly = assembly
        self.notes = notes


def compose(
    plan: Planned,
    request: Request,
    usage: Usage,
    *,
    window: Callable[[Plan, Situation], Known] | None = None,
    limit: int = 0,
    whole: bool = False,
) -> Composed:
    """The block for ``request``.

    Only the files of domains that take part are looked at; where one has changed since the plan
    was made, the plan is made again. What the prompt asks with ``*synapse …`` is answered in the
    block. window: what the agent's window holds, asked once the situation is known. limit, whole: as
    in `assemble`.
    """
    if plan.plan.profile.source == "carl" and request.session:
        seen = load("synapse_ls.service.carl_session").with_overrides
        request = request.replaced(session=seen(plan.plan.root, request.session))
    while True:
        situation = resolve(plan.plan, request, usage)
        if situation.task or situation.story:
            situation.task_facts = task_facts(plan.plan, situation.task, situation.story)
        held = window(plan.plan, situation) if window else None
        looked = memory.fill(
            plan.plan,
            request,
            situation,
            told=held.remembered if held else (),
            files=held.files if held else {},
            due=held is not None and held.is_bare,
            hurry=plan.hurried,
        )
        # What nobody has looked at stands on: only who has looked can take it back.
        stands, maybe = (held.stands, held.maybe) if held and looked else (None, None)
        if held and not looked:
            stands, maybe = held.rules()
        notes = (*plan.plan.notices, *plan.notes)
        called = plan.plan.profile.called
        if any(is_executed(command.name, called) for command in situation.prompt.commands):
            from synapse_ls.service.synapse_command import run

            if plan.cached is not None and run.reloads(situation.prompt, called):
                plan = plan.again()
                continue
            made = Composed(plan.plan, assemble(plan.plan, situation), notes)
            run.execute(made, request.session)
        assembly = assemble(
            plan.plan,
            situation,
            stands=stands,
            maybe=maybe,
            repeat=bool(held and held.why),
            limit=limit,
            whole=whole,
        )
        if plan.current_for(assembly.selection.files()):
            return Composed(plan.plan, assembly, notes)
        plan = plan.again()
