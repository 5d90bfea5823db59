"""Answer call hierarchies: workflow to step, step to agent and task, agent to task, and back."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from synapse_ls.formats.workflow_definition import StepDefinition, WorkflowDefinition
from synapse_ls.ide import position_lookup, tree_view
from synapse_ls.text.span import Span
from synapse_ls.workspace import fact_extraction, naming_conventions
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.rule_tree import Tree

_FAMILIES = {FileKind.WORKFLOW: "workflow", FileKind.AGENT: "agent", FileKind.TASK: "task"}


@dataclass(frozen=True, slots=True)
class WorkItem:
    """An item of the hierarchy: a ``family`` of "workflow", "step", "agent" or "task".

    ``name`` is the id, of a step that of its workflow; ``step`` the index of a step, -1 for the
    others. ``span`` is all of it in the file ``path``, ``selection`` its name; both are empty where
    the whole file is meant.
    """

    family: str
    name: str
    path: str
    title: str
    span: Span = fact_extraction.WHOLE
    selection: Span = fact_extraction.WHOLE
    step: int = -1


@dataclass(frozen=True, slots=True)
class Call:
    """An item at the other end of a call, and the places of the calls in the caller's file."""

    item: WorkItem
    places: tuple[Span, ...]


def item_at(view: tree_view.View, path: str, offset: int) -> WorkItem | None:
    """Return the item that a place names or lies in; None for none."""
    facts = view.tree.snapshot.facts(path)
    subject = position_lookup.subject_at(view, path, offset)
    item = find_item(view.tree, subject.family, subject.name) if subject else None
    if item or facts is None:
        return item
    step = _step_around(facts, Span(offset, offset))
    family = _FAMILIES.get(facts.kind)
    return step if step or family is None else find_item(view.tree, family, facts.id)


def find_item(tree: Tree, family: str, name: str, step: int = -1) -> WorkItem | None:
    """Return an item by its name; None where no file of the tree defines it."""
    if family == "step":
        facts = tree.snapshot.facts(tree.workflows.get(name, ""))
        steps = _steps(facts)
        return _step_item(facts, steps[step]) if facts and 0 <= step < len(steps) else None
    paths = {"workflow": tree.workflows, "agent": tree.agents, "task": tree.tasks}.get(family)
    path = paths.get(name, "") if paths else ""
    if not path and family == "agent":
        path = tree.agent_files.get(name, "")
    if (facts := tree.snapshot.facts(path)) is None:
        return None
    own = (place.span for place in facts.definitions if place.key[0] == family)
    selection = next(own, fact_extraction.WHOLE)
    title = f"@{facts.id}" if family == "agent" else facts.id
    return WorkItem(family, facts.id, path, title, Span(0, len(facts.text)), selection)


def outgoing_calls(view: tree_view.View, item: WorkItem) -> tuple[Call, ...]:
    """Return what an item calls, in text order."""
    if (facts := view.tree.snapshot.facts(item.path)) is None:
        return ()
    if item.family == "workflow":
        steps = (_step_item(facts, step) for step in _steps(facts))
        return tuple(Call(step, (step.span,)) for step in steps)
    wanted = {"step": ("agent", "task"), "agent": ("task",)}.get(item.family, ())
    calls = (
        (find_item(view.tree, *reference.key), reference.span)
        for reference in facts.references
        if reference.key[0] in wanted
        and item.span.start <= reference.span.start <= reference.span.end <= item.span.end
    )
    return _grouped((called, span) for called, span in calls if called)


def incoming_calls(view: tree_view.View, item: WorkItem) -> tuple[Call, ...]:
    """Return what calls an item, by path and then in text order."""
    tree = view.tree
    if item.family == "step":
        workflow = find_item(tree, "workflow", item.name)
        return (Call(workflow, (item.span,)),) if workflow else ()
    if item.family == "workflow":
        return ()
    names = dict.fromkeys((item.name, naming_conventions.file_stem(item.path)))
    keys = dict.fromkeys(fact_extraction.make_key(item.family, name) for name in names)
    callers: list[tuple[WorkItem, Span]] = []
    for key in keys:
        for path, reference in tree.snapshot.references(key):
            if (facts := tree.snapshot.facts(path)) and facts.kind is FileKind.AGENT:
                caller = find_item(tree, "agent", facts.id)
            else:
                caller = _step_around(facts, reference.span) if facts else None
            if caller:
                callers.append((caller, reference.span))
    return _grouped(sorted(callers, key=lambda caller: (caller[0].path, caller[1])))


def _grouped(calls: Iterable[tuple[WorkItem, Span]]) -> tuple[Call, ...]:
    """Return a call for each item, with all places of it."""
    places: dict[WorkItem, list[Span]] = {}
    for item, span in calls:
        places.setdefault(item, []).append(span)
    return tuple(Call(item, tuple(dict.fromkeys(spans))) for item, spans in places.items())


def _steps(facts: FileFacts | None) -> tuple[StepDefinition, ...]:
    document = facts.document if facts else None
    return document.steps if isinstance(document, WorkflowDefinition) else ()


def _step_around(facts: FileFacts, span: Span) -> WorkItem | None:
    """Return the step of a workflow's definition that holds a place."""
    around: Iterator[StepDefinition] = (
        step
        for step in _steps(facts)
        if step.span.start <= span.start and span.end <= step.span.end
    )
    step = next(around, None)
    return _step_item(facts, step) if step else None


def _step_item(facts: FileFacts, step: StepDefinition) -> WorkItem:
    title = step.name or step.id or step.phase or f"step {step.index + 1}"
    return WorkItem("step", facts.id, facts.path, title, step.span, step.span, step.index)
