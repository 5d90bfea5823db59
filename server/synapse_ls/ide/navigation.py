"""Find definitions, references and highlights of what a place in a file mentions, and its calls:
workflow to step, step to agent and task, agent to task, and back.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from synapse_ls.formats import toml_document, yaml_tree
from synapse_ls.formats.config_settings import BY_PATH
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.workflow_definition import StepDefinition, WorkflowDefinition
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.ide import position_lookup
from synapse_ls.ide.document_link import document_links
from synapse_ls.ide.tree_view import View
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.span import Span
from synapse_ls.workspace import fact_extraction
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.mentions import Mention, find_mentions
from synapse_ls.workspace.naming_conventions import file_stem, kebab_case, snake_case
from synapse_ls.workspace.rule_tree import Tree

_WHOLE_FILE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Target:
    """The place of a definition that an editor goes to.

    ``origin`` is what mentions it, in the file that was asked about; ``span`` is the whole of the
    definition in the file ``path``, ``selection`` the name in it; both are empty where the file, or
    the folder, as a whole is meant. What is no file of the tree (a template of a squad, a folder of
    the configuration) need not exist.
    """

    origin: Span
    path: str
    span: Span = _WHOLE_FILE
    selection: Span = _WHOLE_FILE


def find_definitions(
    view: View, path: str, offset: int, *, is_declaration: bool = False
) -> tuple[Target, ...]:
    """Return the definitions of the thing at ``offset``, where it is defined, the likeliest place
    first. ``is_declaration``: where its name is declared, which is the manifest for the domain
    of a key there, whose definition is its first rule.
    """
    if (facts := view.readable_facts(path)) is None:
        return ()
    targets = [] if is_declaration else list(_special_targets(view, facts, offset))
    subject = position_lookup.subject_at(view, path, offset)
    if not targets and subject and subject.family != "keyword":
        # The definitions of the subject at the place; the place itself where it is one.
        for mention in find_mentions(view.tree, subject.family, subject.name):
            if mention.defines:
                line = _defining_line(view, mention.path, mention.span)
                targets.append(Target(subject.span, mention.path, line, mention.span))
    if not targets:
        links = (link for link in document_links(view, path) if link.span.touches(offset))
        targets += (Target(link.span, link.path) for link in islice(links, 1))
    return tuple(dict.fromkeys(targets))


def _special_targets(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """Yield where a place leads to that is not simply the definition of its subject."""
    match facts.document:
        case Manifest() as manifest:
            return _manifest_targets(view, facts.path, manifest, offset)
        case WorkflowState(root=yaml_tree.YamlNode() as root):
            return _state_targets(view, root, offset)
        case SquadDocument() as document if facts.kind is FileKind.SQUAD:
            return _squad_targets(view, facts.path, document, offset)
    if facts.kind is FileKind.CONFIG:
        return _config_targets(facts.text, offset)
    return _rule_targets(view, facts, offset) if facts.kind in RULE_KINDS else iter(())


def _defining_line(view: View, path: str, span: Span) -> Span:
    """Return the whole of the line that a definition stands on."""
    manifest = view.tree.snapshot.document(path, Manifest) if span.length else None
    entry = manifest.entry_at(span.start) if manifest else None
    return entry.span if entry else span


def _manifest_targets(view: View, path: str, manifest: Manifest, offset: int) -> Iterator[Target]:
    """Yield, for a key of the manifest, the first rule of its domain."""
    entry = manifest.entry_at(offset)
    if entry is None or not entry.domain or not entry.key.span.touches(offset):
        return
    origin = entry.key.span
    if entry.setting == "EXTENDS":
        if (squad := position_lookup.owning_squad(view.tree, path)) and squad.yaml_path:
            yield Target(origin, squad.yaml_path)
        return
    domain = view.tree.domains_by_label.get(
        position_lookup.domain_label(view.tree, path, entry.domain)
    )
    if domain and domain.file:
        if (first := next(iter(view.tree.rules_of(domain)), None)) is None:
            yield Target(origin, domain.file)
        else:
            selection = first.key_span if first.key_span.length else first.span
            yield Target(origin, domain.file, first.span, selection)


def _rule_targets(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """Yield, for a rule key, where its domain is declared; for a mention, the star-command."""
    if mention := position_lookup.mentioned_command_at(facts, view.tree, offset):
        origin, command = mention
        path = view.plan.commands.get(command.name, ("",))[0]
        end = max((command.span.end, *(rule.span.end for rule in command.rules)))
        if path:
            yield Target(origin, path, Span(command.span.start, end), command.span)
        return
    rule = position_lookup.rule_at(facts, offset)
    if rule is None or not rule.key_span.touches(offset):
        return
    for domain in position_lookup.rule_domains(view.tree, facts.path, rule):
        if domain.declaration:
            span = domain.declaration.span
            place = _defining_line(view, domain.manifest_path, span)
            yield Target(rule.key_span, domain.manifest_path, place, span)


def _state_targets(view: View, root: yaml_tree.YamlNode, offset: int) -> Iterator[Target]:
    """Yield, for the workflow id of a state file, its definition, then the domains that wait for
    it.
    """
    if (field := root.text("workflow_id")) is None or not field.span.touches(offset):
        return
    if path := view.tree.workflows.get(field.value):
        # The place where a workflow file states its own id.
        facts = view.tree.snapshot.facts(path)
        definitions = facts.definitions if facts else ()
        spans = (d.span for d in definitions if d.key[0] == "workflow")
        yield Target(field.span, path, selection=next(spans, _WHOLE_FILE))
    plan = view.plan
    for position in plan.by_workflow.get(plan.workflow_id(field.value), ()):
        domain = view.tree.domains_by_label.get(plan.domain(position).label)
        entries = domain.declaration.entries if domain and domain.declaration else {}
        entry = entries.get("WORKFLOW_TRIGGER")
        if domain and entry:
            yield Target(field.span, domain.manifest_path, entry.span, entry.value.span)


def _squad_targets(view: View, path: str, document: SquadDocument, offset: int) -> Iterator[Target]:
    """Yield, for a component of a squad, its file."""
    if (squad := position_lookup.owning_squad(view.tree, path)) is None:
        return
    for kind, items in document.components.items():
        for item in items:
            if item.span.touches(offset) and item.value and ".." not in item.value.split("/"):
                name = item.value.removeprefix("./").removeprefix(f"{kind}/")
                yield Target(item.span, f"{squad.path}/{kind}/{name}")


def _config_targets(text: str, offset: int) -> Iterator[Target]:
    """Yield, for a path of the configuration, the folder or file."""
    for path, place in toml_document.key_positions(text).items():
        option = BY_PATH.get(".".join(part for part in path if isinstance(part, str)))
        if option is None or option.kind != "paths" or not isinstance(path[-1], int):
            continue
        if place.value.touches(offset):
            name = place.value.cut(text).strip("\"'").strip("/")
            if name and ".." not in name.split("/"):
                yield Target(place.value, name)


def find_references(
    view: View, path: str, offset: int, *, include_declaration: bool = True
) -> tuple[Mention, ...]:
    """Return the references to what stands at ``offset``, the places that speak of it, by path and
    then in text order; those of a workflow under each of its names.

    An empty span means a file as a whole, such as one of plain text that serves a domain.
    """
    if (subject := position_lookup.subject_at(view, path, offset)) is None:
        return ()
    names = [subject.name]
    if subject.family == "workflow":
        plan = view.plan
        id = plan.workflow_id(subject.name)
        names += (id, *(name for name, target in plan.aliases.items() if target == id))
    spellings = {kebab_case(snake_case(name)): name for name in sorted(set(names))}
    mentions = {
        mention
        for name in (spellings.values() if subject.family == "workflow" else names)
        for mention in find_mentions(view.tree, subject.family, name)
        if include_declaration or not mention.defines
    }
    return tuple(sorted(mentions))


def find_highlights(view: View, path: str, offset: int) -> tuple[Mention, ...]:
    """Return the references in the file itself to what stands at ``offset``, in text order."""
    return tuple(
        mention
        for mention in find_references(view, path, offset)
        if mention.path == path and mention.span.length
    )


# The families of things that a file of their own defines and may be called after.
FAMILIES = {FileKind.WORKFLOW: "workflow", FileKind.AGENT: "agent", FileKind.TASK: "task"}


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


def item_at(view: View, path: str, offset: int) -> WorkItem | None:
    """Return the item that a place names or lies in; None for none."""
    facts = view.tree.snapshot.facts(path)
    subject = position_lookup.subject_at(view, path, offset)
    item = find_item(view.tree, subject.family, subject.name) if subject else None
    if item or facts is None:
        return item
    step = _step_around(facts, Span(offset, offset))
    family = FAMILIES.get(facts.kind)
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
    definition_spans = (place.span for place in facts.definitions if place.key[0] == family)
    selection = next(definition_spans, fact_extraction.WHOLE)
    title = f"@{facts.id}" if family == "agent" else facts.id
    return WorkItem(family, facts.id, path, title, Span(0, len(facts.text)), selection)


def outgoing_calls(view: View, item: WorkItem) -> tuple[Call, ...]:
    """Return what an item calls, in text order."""
    if (facts := view.tree.snapshot.facts(item.path)) is None:
        return ()
    if item.family == "workflow":
        steps = (_step_item(facts, step) for step in _steps(facts))
        return tuple(Call(step, (step.span,)) for step in steps)
    families = {"step": ("agent", "task"), "agent": ("task",)}.get(item.family, ())
    calls = (
        (find_item(view.tree, *reference.key), reference.span)
        for reference in facts.references
        if reference.key[0] in families
        and item.span.start <= reference.span.start <= reference.span.end <= item.span.end
    )
    return _grouped((called, span) for called, span in calls if called)


def incoming_calls(view: View, item: WorkItem) -> tuple[Call, ...]:
    """Return what calls an item, by path and then in text order."""
    tree = view.tree
    if item.family == "step":
        workflow = find_item(tree, "workflow", item.name)
        return (Call(workflow, (item.span,)),) if workflow else ()
    if item.family == "workflow":
        return ()
    names = dict.fromkeys((item.name, file_stem(item.path)))
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
    return tuple(
        Call(item, tuple(dict.fromkeys(spans))) for item, spans in group_pairs(calls).items()
    )


def _steps(facts: FileFacts | None) -> tuple[StepDefinition, ...]:
    document = facts.document if facts else None
    return document.steps if isinstance(document, WorkflowDefinition) else ()


def _step_around(facts: FileFacts, span: Span) -> WorkItem | None:
    """Return the step of a workflow's definition that holds a place."""
    for step in _steps(facts):
        if step.span.start <= span.start and span.end <= step.span.end:
            return _step_item(facts, step)
    return None


def _step_item(facts: FileFacts, step: StepDefinition) -> WorkItem:
    title = step.name or step.id or step.phase or f"step {step.index + 1}"
    return WorkItem("step", facts.id, facts.path, title, step.span, step.span, step.index)
