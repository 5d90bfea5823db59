"""Find definitions: it goes from what a place in a file mentions to where that is defined ("go to
definition").

Find references and highlights: every place that speaks of the object at the
caret, in the whole tree or in one file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.formats.commands_file import StarCommand
from synapse_ls.formats.config_settings import BY_PATH
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.toml_document import key_positions
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.ide.document_link import link_at
from synapse_ls.ide.position_lookup import (
    Subject,
    domain_label,
    mentioned_command_at,
    owning_squad,
    rule_at,
    rule_domains,
    subject_at,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.mentions import Mention, find_mentions
from synapse_ls.workspace.naming_conventions import kebab_case, snake_case
from synapse_ls.workspace.tree_domains import Domain

WHOLE_FILE = Span(0, 0)


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
    span: Span
    selection: Span


def find_definitions(view: View, path: str, offset: int) -> tuple[Target, ...]:
    """Return the definitions of the thing at ``offset``, where it is defined, the likeliest place
    first.
    """
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.is_read:
        return ()
    special = _BY_KIND.get(facts.kind)
    targets = tuple(special(view, facts, offset)) if special else ()
    targets = targets or tuple(_subject_targets(view, facts, offset))
    return tuple(dict.fromkeys(targets or _link_targets(view, path, offset)))


def _subject_targets(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """Yield the definitions of the subject at the place; the place itself where it is one."""
    subject = subject_at(view, facts.path, offset)
    if subject is None or subject.family == "keyword":
        return
    for mention in find_mentions(view.tree, subject.family, subject.name):
        if mention.defines:
            place = _defining_line(view, mention.path, mention.span)
            yield Target(subject.span, mention.path, place, mention.span)


def _link_targets(view: View, path: str, offset: int) -> Iterator[Target]:
    """Yield the file that the place names."""
    link = link_at(view, path, offset)
    if link:
        yield Target(link.span, link.path, WHOLE_FILE, WHOLE_FILE)


def _defining_line(view: View, path: str, span: Span) -> Span:
    """Return the whole of the line that a definition stands on."""
    facts = view.tree.snapshot.facts(path)
    if facts is None or not span.length:
        return span
    document = facts.document
    entry = document.entry_at(span.start) if isinstance(document, Manifest) else None
    return entry.span if entry else span


def _manifest_targets(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """Yield, for a key of the manifest, the first rule of its domain."""
    document = facts.document
    entry = document.entry_at(offset) if isinstance(document, Manifest) else None
    if entry is None or not entry.domain or not entry.key.span.touches(offset):
        return
    squad = owning_squad(view.tree, facts.path)
    if entry.setting == "EXTENDS":
        if squad and squad.yaml_path:
            yield Target(entry.key.span, squad.yaml_path, WHOLE_FILE, WHOLE_FILE)
        return
    domain = view.tree.domains_by_label.get(domain_label(view.tree, facts.path, entry.domain))
    if domain and domain.file:
        yield _first_rule_target(view, domain, domain.file, entry.key.span)


def _first_rule_target(view: View, domain: Domain, path: str, origin: Span) -> Target:
    rules = view.tree.rules_of(domain)
    if not rules:
        return Target(origin, path, WHOLE_FILE, WHOLE_FILE)
    first = rules[0]
    return Target(origin, path, first.span, first.key_span if first.key_span.length else first.span)


def _rule_targets(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """Yield, for a rule key, where its domain is declared; for a mention, the star-command."""
    mention = mentioned_command_at(facts, view.tree, offset)
    if mention:
        yield from _command_targets(view, *mention)
        return
    rule = rule_at(facts, offset)
    if rule is None or not rule.key_span.touches(offset):
        return
    for domain in rule_domains(view.tree, facts.path, rule):
        if domain.declaration:
            span = domain.declaration.span
            place = _defining_line(view, domain.manifest_path, span)
            yield Target(rule.key_span, domain.manifest_path, place, span)


def _command_targets(view: View, origin: Span, command: StarCommand) -> Iterator[Target]:
    path = view.plan.commands.get(command.name, ("",))[0]
    if path:
        last = max((rule.span.end for rule in command.rules), default=0)
        whole = Span(command.span.start, max(last, command.span.end))
        yield Target(origin, path, whole, command.span)


def _state_targets(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """Yield, for the workflow id of a state file, its definition, then the domains that wait for
    it.
    """
    state = facts.document
    if not isinstance(state, WorkflowState) or state.root is None:
        return
    field = state.root.text("workflow_id")
    if field is None or not field.span.touches(offset):
        return
    path = view.tree.workflows.get(field.value)
    if path:
        # The place where a workflow file states its own id.
        workflow_facts = view.tree.snapshot.facts(path)
        own = (
            (d.span for d in workflow_facts.definitions if d.key[0] == "workflow")
            if workflow_facts
            else iter(())
        )
        yield Target(field.span, path, WHOLE_FILE, next(own, WHOLE_FILE))
    plan = view.plan
    for position in plan.by_workflow.get(plan.workflow_id(field.value), ()):
        domain = view.tree.domains_by_label.get(plan.domain(position).label)
        entry = (
            domain.declaration.entries.get("WORKFLOW_TRIGGER")
            if domain and domain.declaration
            else None
        )
        if domain and entry:
            yield Target(field.span, domain.manifest_path, entry.span, entry.value.span)


def _squad_targets(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """Yield, for a component of a squad, its file."""
    document, squad = facts.document, owning_squad(view.tree, facts.path)
    if not isinstance(document, SquadDocument) or squad is None:
        return
    for kind, items in document.components.items():
        for item in items:
            if item.span.touches(offset) and item.value and ".." not in item.value.split("/"):
                name = item.value.removeprefix("./").removeprefix(f"{kind}/")
                yield Target(item.span, f"{squad.path}/{kind}/{name}", WHOLE_FILE, WHOLE_FILE)


def _config_targets(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:  # noqa: ARG001
    """Yield, for a path of the configuration, the folder or file."""
    for path, place in key_positions(facts.text).items():
        names = [part for part in path if isinstance(part, str)]
        option = BY_PATH.get(".".join(names))
        if option is None or option.kind != "paths" or not isinstance(path[-1], int):
            continue
        if place.value.touches(offset):
            name = place.value.cut(facts.text).strip("\"'").strip("/")
            if name and ".." not in name.split("/"):
                yield Target(place.value, name, WHOLE_FILE, WHOLE_FILE)


_BY_KIND: Mapping[FileKind, Callable[[View, FileFacts, int], Iterator[Target]]] = {
    FileKind.MANIFEST: _manifest_targets,
    **dict.fromkeys(RULE_KINDS, _rule_targets),
    FileKind.WORKFLOW_STATE: _state_targets,
    FileKind.SQUAD: _squad_targets,
    FileKind.CONFIG: _config_targets,
}


@dataclass(frozen=True, slots=True)
class Highlight:
    """A reference to an object in the file that was asked about; ``defines`` tells definitions from
    uses.
    """

    span: Span
    defines: bool


def find_references(
    view: View, path: str, offset: int, *, include_declaration: bool = True
) -> tuple[Mention, ...]:
    """Return the references to what stands at ``offset``, the places that speak of it, by path and
    then in text order.

    An empty span means a file as a whole, such as one of plain text that serves a domain.
    """
    subject = subject_at(view, path, offset)
    subject_mentions = _subject_mentions(view, subject) if subject else ()
    return tuple(
        subject_mention
        for subject_mention in subject_mentions
        if include_declaration or not subject_mention.defines
    )


def find_highlights(view: View, path: str, offset: int) -> tuple[Highlight, ...]:
    """Return the references in the file itself to what stands at ``offset``, in text order."""
    subject = subject_at(view, path, offset)
    subject_mentions = _subject_mentions(view, subject) if subject else ()
    return tuple(
        Highlight(subject_mention.span, subject_mention.defines)
        for subject_mention in subject_mentions
        if subject_mention.path == path and subject_mention.span.length
    )


def _subject_mentions(view: View, subject: Subject) -> tuple[Mention, ...]:
    """Return the mentions of a subject; those of a workflow under each of its names."""
    family, name, _ = subject
    if family != "workflow":
        return find_mentions(view.tree, family, name)
    plan = view.plan
    workflow_id = plan.workflow_id(name)
    names = {name, workflow_id, *(other for other, id in plan.aliases.items() if id == workflow_id)}
    spellings = {kebab_case(snake_case(name)): name for name in sorted(names)}
    mentions = {
        m for spelling in spellings.values() for m in find_mentions(view.tree, family, spelling)
    }
    return tuple(sorted(mentions))
