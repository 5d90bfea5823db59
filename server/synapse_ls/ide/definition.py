"""From what a file mentions to where that is defined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.formats.commands import Command
from synapse_ls.formats.config_schema import BY_PATH
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.squad import SquadDocument
from synapse_ls.formats.toml_places import places
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.ide.links import link_at
from synapse_ls.ide.lookup import declared_label, domains_of, mention_at, rule_at, squad_at
from synapse_ls.ide.subjects import subject_at
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.mentions import mentions

WHOLE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Target:
    """A definition.

    ``origin`` is what mentions it, in the file that was asked about; ``span`` is the whole of the
    definition in the file ``path``, ``selection`` the name in it; both are empty where the file, or
    the folder, as a whole is meant. What is no file of the tree (a template of a squad, a folder of
    the configuration) need not exist.
    """

    origin: Span
    path: str
    span: Span
    selection: Span


def definitions(view: View, path: str, offset: int) -> tuple[Target, ...]:
    """Where that which stands at ``offset`` is defined, the likeliest place first."""
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.read:
        return ()
    special = _BY_KIND.get(facts.kind)
    found = tuple(special(view, facts, offset)) if special else ()
    found = found or tuple(_defined(view, facts, offset))
    return tuple(dict.fromkeys(found or _linked(view, path, offset)))


def _defined(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """The definitions of what the place is about; of itself where it is one."""
    subject = subject_at(view, facts.path, offset)
    if subject is None or subject.family == "keyword":
        return
    for mention in mentions(view.tree, subject.family, subject.name):
        if mention.defines:
            place = _line(view, mention.path, mention.span)
            yield Target(subject.span, mention.path, place, mention.span)


def _linked(view: View, path: str, offset: int) -> Iterator[Target]:
    """The file that the place names."""
    link = link_at(view, path, offset)
    if link:
        yield Target(link.span, link.path, WHOLE, WHOLE)


def _line(view: View, path: str, span: Span) -> Span:
    """The whole of the line that a definition stands on."""
    facts = view.tree.snapshot.facts(path)
    if facts is None or not span.length:
        return span
    document = facts.document
    entry = document.entry_at(span.start) if isinstance(document, Manifest) else None
    return entry.span if entry else span


def _manifest(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """From a key to the first rule of its domain."""
    document = facts.document
    entry = document.entry_at(offset) if isinstance(document, Manifest) else None
    if entry is None or not entry.domain or not entry.key.span.touches(offset):
        return
    squad = squad_at(view.tree, facts.path)
    if entry.setting == "EXTENDS":
        if squad and squad.yaml_path:
            yield Target(entry.key.span, squad.yaml_path, WHOLE, WHOLE)
        return
    domain = view.tree.labels.get(declared_label(view.tree, facts.path, entry.domain))
    if domain and domain.file:
        yield _first_rule(view, domain, domain.file, entry.key.span)


def _first_rule(view: View, domain: Domain, path: str, origin: Span) -> Target:
    rules = view.tree.rules_of(domain)
    if not rules:
        return Target(origin, path, WHOLE, WHOLE)
    first = rules[0]
    return Target(origin, path, first.span, first.key_span if first.key_span.length else first.span)


def _rules(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """From a key to where its domain is declared, from a mention to the star-command."""
    mention = mention_at(facts, view.tree, offset)
    if mention:
        yield from _command(view, *mention)
        return
    rule = rule_at(facts, offset)
    if rule is None or not rule.key_span.touches(offset):
        return
    for domain in domains_of(view.tree, facts.path, rule):
        if domain.declaration:
            span = domain.declaration.span
            place = _line(view, domain.manifest_path, span)
            yield Target(rule.key_span, domain.manifest_path, place, span)


def _command(view: View, origin: Span, command: Command) -> Iterator[Target]:
    path = view.plan.commands.get(command.name, ("",))[0]
    if path:
        last = max((rule.span.end for rule in command.rules), default=0)
        whole = Span(command.span.start, max(last, command.span.end))
        yield Target(origin, path, whole, command.span)


def _state(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """From the workflow's id to its definition, then to the domains that wait for it."""
    state = facts.document
    if not isinstance(state, WorkflowState) or state.root is None:
        return
    field = state.root.text("workflow_id")
    if field is None or not field.span.touches(offset):
        return
    path = view.tree.workflows.get(field.value)
    if path:
        yield Target(field.span, path, WHOLE, _identity(view, path))
    plan = view.plan
    for position in plan.by_workflow.get(plan.workflow_id(field.value), ()):
        domain = view.tree.labels.get(plan.domain(position).label)
        entry = (
            domain.declaration.entries.get("WORKFLOW_TRIGGER")
            if domain and domain.declaration
            else None
        )
        if domain and entry:
            yield Target(field.span, domain.manifest_path, entry.span, entry.value.span)


def _identity(view: View, path: str) -> Span:
    """Where a file says how it calls itself."""
    facts = view.tree.snapshot.facts(path)
    own = (d.span for d in facts.definitions if d.key[0] == "workflow") if facts else iter(())
    return next(own, WHOLE)


def _squad(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:
    """From a component to its file."""
    document, squad = facts.document, squad_at(view.tree, facts.path)
    if not isinstance(document, SquadDocument) or squad is None:
        return
    for kind, items in document.components.items():
        for item in items:
            if item.span.touches(offset) and item.value and ".." not in item.value.split("/"):
                name = item.value.removeprefix("./").removeprefix(f"{kind}/")
                yield Target(item.span, f"{squad.path}/{kind}/{name}", WHOLE, WHOLE)


def _config(view: View, facts: FileFacts, offset: int) -> Iterator[Target]:  # noqa: ARG001
    """From a path to the folder or file."""
    for path, place in places(facts.text).items():
        names = [part for part in path if isinstance(part, str)]
        option = BY_PATH.get(".".join(names))
        if option is None or option.kind != "paths" or not isinstance(path[-1], int):
            continue
        if place.value.touches(offset):
            name = place.value.cut(facts.text).strip("\"'").strip("/")
            if name and ".." not in name.split("/"):
                yield Target(place.value, name, WHOLE, WHOLE)


_BY_KIND: Mapping[FileKind, Callable[[View, FileFacts, int], Iterator[Target]]] = {
    FileKind.MANIFEST: _manifest,
    **dict.fromkeys(RULE_KINDS, _rules),
    FileKind.WORKFLOW_STATE: _state,
    FileKind.SQUAD: _squad,
    FileKind.CONFIG: _config,
}
