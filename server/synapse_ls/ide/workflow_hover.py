"""Answer hovers in workflow definitions, chains and states, tasks and stories."""

from synapse_ls.engine import active_task, word_matching, workflow_detection
from synapse_ls.engine.workflow_route import (
    Route,
    RoutePosition,
    describe_next,
    describe_position,
    describe_step,
    locate_step,
    workflow_route,
)
from synapse_ls.formats.workflow_definition import WorkflowChain, WorkflowDefinition
from synapse_ls.formats.workflow_state import WorkflowState, WorkflowStep
from synapse_ls.ide.hover_markdown import (
    block_preview,
    code_span,
    domain_account,
    entries_of_domains,
    entries_of_section,
    escape_markdown,
    inclusion_sentence,
    line_reference,
)
from synapse_ls.ide.position_lookup import heading_span
from synapse_ls.ide.tree_view import View
from synapse_ls.text.phrases import join_paragraphs
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.naming_conventions import file_stem


def hover_definition(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for the step of a workflow definition, and where instances of the workflow
    are.
    """
    definition, plan = facts.document, view.plan
    steps = definition.steps if isinstance(definition, WorkflowDefinition) else ()
    step = next((step for step in steps if step.span.touches(offset)), None)
    if step is None or not isinstance(definition, WorkflowDefinition):
        return None
    # A sentence for each active instance of the workflow: whether it is here, or where it is.
    id = plan.workflow_id(definition.id.value) if definition.id else ""
    sentences = []
    for path, state in view.tree.workflow_states:
        if state.status != "active" or plan.workflow_id(state.workflow_id) != id:
            continue
        position = locate_step(instance_route(view, state))
        if position.step is not None and position.step.index == step.index:
            now = "**The work is here now**"
        else:
            now = f"The work is elsewhere: {escape_markdown(describe_position(position))}"
        sentences.append(f"{now} ({code_span(path)}).")
    position = locate_step(workflow_route(None, definition), step.index)
    return step.span, join_paragraphs(_step_title(position), next_step_text(position), *sentences)


def hover_chain(_: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for the step of a workflow chain under the pointer."""
    for chain in facts.document if isinstance(facts.document, tuple) else ():
        for step in chain.steps if isinstance(chain, WorkflowChain) else ():
            if step.span.touches(offset):
                position = locate_step(workflow_detection.chain_route(chain), step.index)
                commands = (code_span(f"*{other.command}") for other in step.alternatives)
                alternatives = ", ".join(commands)
                return step.span, join_paragraphs(
                    _step_title(position),
                    f"Gives: {escape_markdown(step.output)}." if step.output else "",
                    next_step_text(position),
                    f"Or {alternatives}." if alternatives else "",
                )
    return None


def instance_route(view: View, state: WorkflowState) -> Route:
    """Return what a hover over work shows of a workflow instance: its route, with its definition
    where the tree has one.
    """
    path = view.tree.workflows.get(state.workflow_id, "")
    return workflow_route(state, view.tree.snapshot.document(path, WorkflowDefinition))


def next_step_text(position: RoutePosition) -> str:
    """Return, for a hover over work, what a step waits for and what comes after it, as
    sentences.
    """
    if (stop := position.step) is None:
        return ""
    parts = []
    if position.missing_steps:
        steps = escape_markdown(" and ".join(map(describe_step, position.missing_steps)))
        parts.append(f"Waits for {steps}.")
    elif stop.requires and position.route.at < 0:
        parts.append(f"Needs {', '.join(map(code_span, stop.requires))}.")
    if stop.condition:
        parts.append(f"Only if {code_span(stop.condition)}.")
    if following := describe_next(position):
        parts.append(f"**Next**: {escape_markdown(following)}.")
    elif stop.number:
        parts.append("**The last step.**")
    return " ".join(parts)


def _step_title(position: RoutePosition) -> str:
    stop = position.step
    assert stop is not None
    title = "**A heading, nobody's step**"
    if stop.number:
        title = f"**Step {stop.number} of {position.total}**"
    task = f"task {code_span(stop.task)}" if stop.task else ""
    who = escape_markdown(stop.owner_mention or stop.raw_agent)
    parts = (title, code_span(stop.label), who, task, "optional" if stop.optional else "")
    return " · ".join(filter(None, parts))


def hover_state(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for the step of a workflow state under the pointer; elsewhere in an
    instance, for its workflow id and squad.
    """
    state = facts.document
    if not isinstance(state, WorkflowState) or state.shape != "instance":
        return None
    if step := next((step for step in state.steps if step.span.touches(offset)), None):
        return step.span, _state_step_markdown(view, state, step)
    field = state.root.text("workflow_id") if state.root else None
    if field and field.span.touches(offset):
        return field.span, _workflow_markdown(view, state)
    return None


def _state_step_markdown(view: View, state: WorkflowState, step: WorkflowStep) -> str:
    """Return Markdown about a step: who does what in it, whether the work is there, and the places
    of the rules that begin with its phase.
    """
    plan, situation = view.plan, view.assembly.situation
    is_current = state.current_step is not None and state.current_step.index == step.index
    parts = (
        f"**Step {step.index + 1} of {len(state.steps)}**",
        f"phase {code_span(step.phase)}" if step.phase else "",
        f"@{escape_markdown(step.agent)}" if step.agent else "",
        f"task {code_span(step.task)}" if step.task else "",
        escape_markdown(step.status),
    )
    id = plan.workflow_id(state.workflow_id)
    table = plan.phases.get(id, {})
    slugs = {word_matching.slug_of(name) for name in (step.phase, step.step_id) if name}
    slugs |= {table[slug] for slug in slugs if slug in table}
    places = ", ".join(
        line_reference(domain.file, rule.line + 1)
        for domain in map(plan.domain, plan.by_workflow.get(id, ()))
        for rule in domain.rules
        if rule.phase and word_matching.slug_of(rule.phase) in slugs
    )
    route = instance_route(view, state)
    where: tuple[str, ...] = ("**The current step.**",)
    if not is_current:
        position = escape_markdown(describe_position(locate_step(route)))
        where = ("Not the current step.", f"The work is at {position}.")
    preview = ""
    if is_current and situation.workflow == id:
        preview = block_preview(view.assembly, {}, entries_of_section("WORKFLOW"))
    return join_paragraphs(
        " · ".join(filter(None, parts)),
        *where,
        next_step_text(locate_step(route, step.index)),
        f"Rules for its phase: {places}." if places else "No rule is for its phase alone.",
        preview,
    )


def _workflow_markdown(view: View, state: WorkflowState) -> str:
    """Return Markdown about the workflow of a state, the domains it brings in, and the block with
    it.
    """
    plan = view.plan
    id = plan.workflow_id(state.workflow_id)
    situation = view.assembly.situation
    definition = view.tree.workflows.get(state.workflow_id)
    title, status = escape_markdown(state.workflow_id), escape_markdown(state.status)
    parts = [f"**{title}** · {status}"]
    if definition:
        parts = [f"**{title}** · {status}, defined in {code_span(definition)}"]
    if situation.workflow == id:
        parts.append(f"**Active now** (known from the {situation.workflow_source}).")
    else:
        now = "no workflow is active"
        if situation.workflow:
            now = f"workflow {situation.workflow_written} is active"
        parts.append(inclusion_sentence(False, now, f"start workflow {state.workflow_id}"))
    assembly = view.block(workflow=state.workflow_id)
    labels = [plan.domain(position).label for position in plan.by_workflow.get(id, ())]
    accounts = [domain_account(view, assembly, label) for label in labels]
    if not labels:
        parts.append("No domain waits for this workflow.")
    for account in filter(None, accounts):
        label, reason = escape_markdown(account.label), escape_markdown(account.reason)
        parts.append(f"{label}: {reason}, {line_reference(account.manifest, account.line)}")
    if any(account and account.rendered_count for account in accounts):
        situation_then = {"workflow": state.workflow_id}
        entries, phrase = entries_of_domains(*labels), f"in the workflow {title}"
        parts.append(block_preview(assembly, situation_then, entries, phrase=phrase))
    return join_paragraphs(*parts)


def hover_task(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for a task or a story, at the first line that has text."""
    if not (span := heading_span(facts.text)).length or not span.touches(offset):
        return None
    is_task = facts.kind is FileKind.TASK
    what, paths = ("task", view.plan.tasks) if is_task else ("story", view.plan.stories)
    task_facts = view.task_facts(facts.path, "") if is_task else view.task_facts("", facts.path)
    waking = view.plan.profile.waking_bracket("L4")
    awake = "L4" in view.assembly.selection.awake
    active = view.assembly.situation.task_facts
    situation, phrases = {}, []
    if waking and not awake:
        situation["bracket"] = waking.name
        phrases.append(f"in {waking.name}")
    if active is not None and facts.path in (active.path, active.story_path):
        why = f"it is the active {what}"
        if not awake:
            why = f"{why}, and L4 is inactive in {view.assembly.situation.bracket.name}"
        sentence = inclusion_sentence(awake, why)
    else:
        # Where another file goes by the same name, the path is the one that nothing else can have.
        name = file_stem(facts.path)
        name = name if active_task.find_named_path(paths, name) == facts.path else facts.path
        situation[what] = name
        phrases.insert(0, f"with this {what}")
        remedy = f"activate it with --{what} {name}"
        sentence = inclusion_sentence(False, f"another {what}, or none, is active", remedy)
    counts = (
        f"{len(task_facts.preconditions) + len(task_facts.postconditions)} conditions, "
        f"{len(task_facts.all_criteria)} criteria, "
        f"{len(task_facts.files) + len(task_facts.own_files)} files"
    )
    title = file_stem(facts.path) if is_task else task_facts.story or file_stem(facts.path)
    block, entries = view.block(**situation), entries_of_section("TASK")
    return span, join_paragraphs(
        f"**{escape_markdown(title)}** · {what} · {counts}",
        sentence,
        block_preview(block, situation, entries, phrase=" ".join(phrases)),
    )
