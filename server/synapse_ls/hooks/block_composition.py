"""This module composes the block for a request: plan, situation, task, memories and assembly, on
files that are as they are now.
"""

from __future__ import annotations

import os

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.situation import add_task_facts, resolve_situation
from synapse_ls.engine.user_prompt import EXECUTED_COMMAND, is_executed_command
from synapse_ls.memory import situation_memories
from synapse_ls.text.lazy_import import load_module, registered_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.block_sections import Entry
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.context_usage import Usage
    from synapse_ls.engine.situation import Request, Situation
    from synapse_ls.storage.current_plan import CurrentPlan
    from synapse_ls.storage.session_state import ProposedEdit
    from synapse_ls.storage.window_content import WindowContent

# The role of the module that answers ``*synapse …``: an entry point registers it, since it asks
# packages above this one.
CONVERSATION = "conversation"
ASKED = (EXECUTED_COMMAND, "carl")  # star-commands that it looks at, whoever they are for


class TypedPrompt:
    """A TypedPrompt is a prompt that a person wrote in the main window of a session: what is asked
    in it may propose a change of the tree, and confirm one.

    window: the key of the window. waiting: the change that waits for a yes. proposal: the one that
    this prompt leaves waiting. outcome: what came of a yes; it is carried out once, however often
    the block is composed.
    """

    __slots__ = ("outcome", "proposal", "waiting", "window")

    def __init__(self, window: str, waiting: ProposedEdit | None) -> None:
        self.window = window
        self.waiting = waiting
        self.proposal: ProposedEdit | None = None
        self.outcome: list[str] | None = None


class ComposedBlock:
    """A ComposedBlock is a block that was composed: an assembly with the plan it was made by."""

    __slots__ = ("assembly", "notes", "plan")

    def __init__(self, plan: Plan, assembly: Assembly, notes: tuple[str, ...]) -> None:
        self.plan = plan
        self.assembly = assembly
        self.notes = notes


def compose_block(
    plan: CurrentPlan,
    request: Request,
    usage: Usage,
    *,
    window: Callable[[Plan, Situation], WindowContent] | None = None,
    limit: int = 0,
    whole: bool = False,
    typed: TypedPrompt | None = None,
) -> ComposedBlock:
    """Returns the block for ``request``.

    Only the files of domains that take part are looked at; where one has changed since the plan
    was made, the plan is made again. What the prompt asks with ``*synapse …`` is answered in the
    block. window: what the agent's window holds, asked once the situation is known. limit, whole:
    as in `assemble_block`. typed: what the person may confirm.
    """
    if plan.plan.profile.source == "carl" and request.session:
        seen = load_module("synapse_ls.storage.carl_overrides").with_carl_overrides
        request = request.with_values(session=seen(plan.plan.root, request.session))
    if "*" in request.prompt and _may_recognise_workflow(plan.plan, request):
        recognition = load_module("synapse_ls.hooks.workflow_recognition")
        request = recognition.with_recognised_workflow(plan.plan, request)
    while True:
        situation = resolve_situation(plan.plan, request, usage)
        if situation.task or situation.story:
            from synapse_ls.storage.task_cache import load_task_facts

            facts = load_task_facts(plan.plan, situation.task, situation.story)
            add_task_facts(situation, facts)
        held = window(plan.plan, situation) if window else None
        can_withdraw = situation_memories.fill_memories(
            plan.plan,
            request,
            situation,
            held=held.memory_identities if held else (),
            files=held.files if held else {},
            begins=held is not None and held.needs_first_memories,
            enters=held is not None and held.is_new_agent,
            hurry=plan.is_for_prompt,
        )
        notes = (*plan.plan.notices, *plan.notes)
        if any(is_executed_command(command.name, ASKED) for command in situation.prompt.commands):
            commands, called = registered_module(CONVERSATION), plan.plan.profile.called
            if commands and plan.cached and commands.wants_reload(situation.prompt, called):
                plan = plan.recompile()
                continue
            if commands:
                commands.apply_switches(plan.plan, situation)
                first = _assemble(plan, situation, held, can_withdraw, limit, whole)
                is_done = typed is not None and typed.outcome is not None
                commands.answer_commands(
                    ComposedBlock(plan.plan, first, notes), request.session, typed
                )
                if typed and typed.outcome is not None and not is_done:
                    plan = plan.recompile()  # what was confirmed holds for this prompt
                    continue
        assembly = _assemble(plan, situation, held, can_withdraw, limit, whole)
        if plan.is_current_for(assembly.rule_files()):
            if typed and any(entry.domain == "SYNAPSE" for entry in _left_out(assembly)):
                typed.proposal = None  # nobody confirms what was not shown
            return ComposedBlock(plan.plan, assembly, notes)
        plan = plan.follow_files(assembly.rule_files())


def _may_recognise_workflow(plan: Plan, request: Request) -> bool:
    """Returns whether commands can say which workflow is under way: nobody else does, and the tree
    has patterns.
    """
    named = request.workflow or (request.session and request.session.workflow) or plan.states
    patterns = plan.settings.get("places", {}).get("patterns", ())
    return not named and any(os.path.exists(f"{plan.root}/{path}") for path in patterns)


def _left_out(assembly: Assembly) -> tuple[Entry, ...]:
    return (*assembly.cut_entries, *assembly.limited_entries)


def _assemble(
    plan: CurrentPlan,
    situation: Situation,
    held: WindowContent | None,
    can_withdraw_memories: bool,
    limit: int,
    whole: bool,
) -> Assembly:
    """Returns the block for a window that holds ``held``, None where no window is asked about."""
    stands, maybe = (held.stands, held.uncertain) if held else (None, None)
    if held and not can_withdraw_memories:
        # What nobody has looked at stands on: only who has looked can take it back.
        stands, maybe = held.without_memories()
    return assemble_block(
        plan.plan,
        situation,
        standing=stands,
        doubtful=maybe,
        repeat=held.repeat if held else "",
        told_bracket=held.bracket if held else "",
        limit=limit,
        ignore_budget=whole or bool(held and held.is_compacted),
        is_partial=plan.incomplete,
        follows=held is not None
        and held.keeps
        and not whole
        and plan.plan.settings["injection"] != "always",
    )
