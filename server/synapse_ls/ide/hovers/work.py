"""Hovers about what is being worked on: workflow states, tasks and stories."""

from __future__ import annotations

from synapse_ls.engine.named import named_path
from synapse_ls.engine.navigation import locate, where
from synapse_ls.engine.plan import slug_of
from synapse_ls.formats.workflow_state import WorkflowState, WorkflowStep
from synapse_ls.ide.hovers.steps import onward, route_in
from synapse_ls.ide.markdown import (
    account_in,
    code,
    fate,
    of_labels,
    of_section,
    paragraphs,
    place,
    plain,
    preview,
)
from synapse_ls.ide.view import View
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.span import Span, trim
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import stem


def hover_state(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """The step under the pointer; elsewhere in an instance, its workflow id and squad."""
    state = facts.document
    if not isinstance(state, WorkflowState) or state.shape != "instance":
        return None
    for step in state.steps:
        if step.span.touches(offset):
            return step.span, _step(view, state, step)
    field = state.root.text("workflow_id") if state.root else None
    if field and field.span.touches(offset):
        return field.span, _workflow(view, state)
    return None


def _step(view: View, state: WorkflowState, step: WorkflowStep) -> str:
    """Who does what in a step, and whether the work is there."""
    current = state.current_step
    is_current = current is not None and current.index == step.index
    number = f"Step {step.index + 1} of {len(state.steps)}"
    who = " · ".join(
        part
        for part in (
            f"phase {code(step.phase)}" if step.phase else "",
            f"@{plain(step.agent)}" if step.agent else "",
            f"task {code(step.task)}" if step.task else "",
            plain(step.status),
        )
        if part
    )
    told = _told_in(view, state, step)
    route = route_in(view, state)
    return paragraphs(
        f"**{number}** · {who}" if who else f"**{number}**",
        "**The current step.**" if is_current else "Not the current step.",
        "" if is_current else f"The work is at {plain(where(locate(route)))}.",
        onward(locate(route, step.index)),
        f"Rules for its phase: {told}." if told else "No rule is for its phase alone.",
        preview(view.assembly, own=of_section("WORKFLOW"))
        if is_current and _is_active(view, state)
        else "",
    )


def _told_in(view: View, state: WorkflowState, step: WorkflowStep) -> str:
    """The rules that begin with the phase of a step, with their places."""
    plan = view.plan
    id = plan.workflow_id(state.workflow_id)
    table = plan.phases.get(id, {})
    slugs = {slug_of(name) for name in (step.phase, step.step_id) if name}
    slugs |= {table[slug] for slug in slugs if slug in table}
    return ", ".join(
        place(domain.file, row.line + 1)
        for domain in map(plan.domain, plan.by_workflow.get(id, ()))
        for row in domain.rows
        if row.phase and slug_of(row.phase) in slugs
    )


def _is_active(view: View, state: WorkflowState) -> bool:
    return view.assembly.situation.workflow == view.plan.workflow_id(state.workflow_id)


def _workflow(view: View, state: WorkflowState) -> str:
    """The workflow of a state, the domains it brings in, and the block with it."""
    plan = view.plan
    id = plan.workflow_id(state.workflow_id)
    situation = view.assembly.situation
    definition = view.tree.workflows.get(state.workflow_id)
    labels = [plan.domain(position).label for position in plan.by_workflow.get(id, ())]
    parts = [
        f"**{plain(state.workflow_id)}** · {plain(state.status)}"
        + (f", defined in {code(definition)}" if definition else "")
    ]
    if situation.workflow == id:
        parts.append(f"**Active now** (known from the {situation.workflow_source}).")
    else:
        now = f"{situation.workflow_written} is" if situation.workflow else "no workflow is"
        parts.append(fate(False, f"{now} active", f"start workflow {state.workflow_id}"))
    assembly = view.block(workflow=state.workflow_id)
    if not labels:
        parts.append("No domain waits for this workflow.")
    inside = False
    for label in labels:
        then = account_in(view, assembly, label)
        if then:
            inside = inside or bool(then.rendered)
            parts.append(f"{plain(label)}: {plain(then.reason)}, {place(then.manifest, then.line)}")
    if inside:
        inputs = f"in the workflow {plain(state.workflow_id)}"
        parts.append(preview(assembly, inputs, of_labels(*labels)))
    return paragraphs(*parts)


def hover_task(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """The task or the story, at the first line that says something."""
    span = _header(facts.text)
    if not span.length or not span.touches(offset):
        return None
    name = stem(facts.path)
    is_task = facts.kind is FileKind.TASK
    waking = view.plan.profile.waking_bracket("L4")
    awake = "L4" in view.assembly.selection.awake
    bracket = "" if awake or waking is None else waking.name
    known = view.plan.tasks if is_task else view.plan.stories
    # Where another file goes by the same name, the path is the one that nothing else can have.
    written = name if named_path(known, name) == facts.path else facts.path
    active = view.assembly.situation.task_facts
    is_active = active is not None and facts.path in (active.path, active.story_path)
    if is_active:
        assembly = view.block(bracket)
    elif is_task:
        assembly = view.block(bracket, task=written)
    else:
        assembly = view.block(bracket, story=written)
    shown = view.task_facts(facts.path, "") if is_task else view.task_facts("", facts.path)
    what = "task" if is_task else "story"
    if is_active and awake:
        why = fate(True, f"it is the active {what}")
    elif is_active:
        bracket_now = view.assembly.situation.bracket.name
        why = fate(False, f"it is the active {what}, and L4 sleeps in {bracket_now}")
    else:
        why = fate(
            False, f"another {what}, or none, is active", f"activate it with --{what} {written}"
        )
    inputs = " ".join(
        part
        for part in ("" if is_active else f"with this {what}", bracket and f"in {bracket}")
        if part
    )
    counts = (
        f"{len(shown.preconditions)} pre-conditions, {len(shown.criteria)} criteria, "
        f"{len(shown.files)} files"
    )
    return span, paragraphs(
        f"**{plain(shown.story if not is_task and shown.story else name)}** · {what} · {counts}",
        why,
        preview(assembly, inputs, of_section("TASK")),
    )


def _header(text: str) -> Span:
    """The first heading, else the first line that is not blank."""
    at = 0 if text.startswith("# ") else text.find("\n# ") + 1
    if text.startswith("# ", at):
        end = text.find("\n", at)
        return trim(text, at, len(text) if end < 0 else end)
    lines = (trim(text, start, end) for start, end in iter_lines(text))
    return next((span for span in lines if span.length), Span(0, 0))
