"""Every place of a tree that speaks of an object: what defines it, what refers to it, what says it.

The index knows what stands in fields. The rest is only said: ``@dev`` and ``*brief`` in the text of
rule files, comments included, agents that tasks hand over to, and headings. They are looked for when somebody asks, so that no edit has to pay for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from synapse_ls.formats.commands import Command, Commands
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.rules import Rule
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.naming import kebab, same_id, stem
from synapse_ls.workspace.tree import Tree

WHOLE = Span(0, 0)

_NAME = re.compile(r"[^\W_][\w-]*(?<!-)")
# Neither an address (me@dev.io) nor a package (@dev/tools); neither *emphasis* nor a glob (*.py).
_SAID = {
    "agent": re.compile(r"(?<![\w@.-])@([A-Za-z](?:[\w-]*\w)?)(?![\w-]|[/.]\w)"),
    "command": re.compile(r"(?<![\w*])\*([A-Za-z](?:[\w-]*\w)?)(?![\w*-])"),
}
# How a task hands over (AIOX tasks, "Handoff"): "next_agent: @qa", "- agent: @dev, command: ...".
_HANDED = re.compile(
    r"^[ \t]*(?:-[ \t]+)?(?:next_)?agent:[ \t]*[\"']?@([A-Za-z](?:[\w-]*\w)?)", re.MULTILINE
)
_HEADING = re.compile(r"^#[ \t]+@?(.*?)[ \t\r]*$", re.MULTILINE)


class Mention(NamedTuple):
    """A place; ``span`` covers the name alone and is empty where the file as a whole is meant."""

    path: str
    span: Span
    defines: bool = False


def mentions(tree: Tree, family: str, name: str) -> tuple[Mention, ...]:
    """The places that speak of an object, by path and then in text order.

    ``family`` is domain (``name`` is its label), agent, workflow, squad (the name of its folder),
    command, task, story or keyword. A name that nothing defines has places too.
    """
    find = _BY_FAMILY.get(family, _indexed)
    found: dict[tuple[str, Span], Mention] = {}
    for mention in find(tree, family, name):
        known = found.get(mention[:2])
        if known is None or (mention.defines and not known.defines):
            found[mention[:2]] = mention
    return tuple(sorted(found.values()))


def said_at(facts: FileFacts, family: str, offset: int) -> tuple[str, Span] | None:
    """The agent or star-command that a file speaks of at ``offset``, and the place of its name.

    Rule files speak in their text, tasks where they hand over to an agent.
    """
    start = facts.text.rfind("\n", 0, offset) + 1
    end = facts.text.find("\n", offset)
    pattern = _HANDED if facts.kind is FileKind.TASK else _SAID[family]
    for found in pattern.finditer(facts.text, start, end if end >= 0 else len(facts.text)):
        if found.start(1) - 1 <= offset <= found.end():
            return found[1], Span(*found.span(1))
    return None


def name_in(text: str, span: Span, name: str) -> Span | None:
    """The part of a field that is ``name``: without quotes, ``@``, a file's ending and the like."""
    for found in _NAME.finditer(text, *span):
        if same_id(found.group(), name):
            return Span(*found.span())
    return None


def titled(facts: FileFacts) -> Span | None:
    """The id of what a file defines, where the first heading is nothing but the id."""
    found = _HEADING.search(facts.text)
    is_id = found is not None and found[1].replace("_", "-") == kebab(facts.id)
    return Span(*found.span(1)) if found and is_id else None


def qualifier_span(rule: Rule) -> Span:
    """The part of a star-command's key that names the command; empty in plain text."""
    start = rule.key_span.start
    if not rule.key:
        return Span(start, start)
    if rule.domain != rule.qualifier:  # COMMANDS_RULE_BRIEF_0; CARL has BRIEF_RULE_0
        start += rule.key.index("_", len(rule.domain) + 1) + 1
    return Span(start, start + len(rule.qualifier))


def domain_span(rule: Rule) -> Span:
    """The part of a rule's key that names a domain; empty in plain text."""
    start = rule.key_span.start
    return Span(start, start + len(rule.domain))


def followers(tree: Tree, domain: Domain) -> tuple[Domain, ...]:
    """The squads' domains that take the place of a root's domain because they have its name."""
    if domain.squad:
        return ()
    found = (
        tree.labels.get(f"{squad.namespace}_{domain.name}")
        for squad in tree.squads
        if squad.extends == "override"
    )
    return tuple(one for one in found if one and one.squad)


def overridden(tree: Tree, domain: Domain) -> Domain | None:
    """The root's domain whose place a squad's domain takes; None where it takes none's."""
    if not domain.squad:
        return None
    squad = next((one for one in tree.squads if one.folder == domain.squad), None)
    name = domain.label.removeprefix(f"{squad.namespace}_") if squad else ""
    root = tree.labels.get(name)
    is_meant = root is not None and domain in followers(tree, root)
    return root if is_meant else None


def _indexed(tree: Tree, family: str, name: str) -> Iterator[Mention]:
    """What the index knows."""
    snapshot = tree.snapshot
    wanted = key(family, name)
    for path, definition in snapshot.definitions(wanted):
        yield _narrowed(tree, path, definition.span, name, defines=True)
    for path, reference in snapshot.references(wanted):
        yield _narrowed(tree, path, reference.span, name)


def _narrowed(tree: Tree, path: str, span: Span, name: str, *, defines: bool = False) -> Mention:
    facts = tree.snapshot.facts(path)
    inner = name_in(facts.text, span, name) if facts and span.length else None
    return Mention(path, inner or span, defines)


def _domain(tree: Tree, family: str, label: str) -> Iterator[Mention]:
    """The keys of a domain in its manifest and its file, of those that override it, and tests."""
    domain = tree.labels.get(label)
    head = (overridden(tree, domain) or domain) if domain else None
    for one in (head, *followers(tree, head)) if head else ():
        yield from _keys(tree, one)
        yield from _own_rules(tree, one)
    for path, reference in tree.snapshot.references(key(family, label)):
        facts = tree.snapshot.facts(path)
        if facts and facts.kind is FileKind.TESTS:
            yield _narrowed(tree, path, reference.span, label)


def _keys(tree: Tree, domain: Domain) -> Iterator[Mention]:
    facts = tree.snapshot.facts(domain.manifest_path)
    if facts is None or domain.declaration is None or not isinstance(facts.document, Manifest):
        return
    for entry in facts.document.entries:
        if entry.domain == domain.name and entry.setting != "EXTENDS":
            span = Span(entry.key.span.start, entry.key.span.start + len(entry.domain))
            yield Mention(facts.path, span, span == domain.declaration.span)


def _own_rules(tree: Tree, domain: Domain) -> Iterator[Mention]:
    spans = [domain_span(rule) for rule in tree.rules_of(domain) if rule.domain]
    if domain.file:
        yield from (Mention(domain.file, span) for span in spans or (WHOLE,))


def _command(tree: Tree, family: str, name: str) -> Iterator[Mention]:
    """Where a star-command is defined, its keys, and the rules that speak of it."""
    path, command = command_of(tree, name)
    if command:
        if command.span not in [rule.key_span for rule in command.rules]:
            yield Mention(path, command.span, defines=True)
        for rule in command.rules:
            if rule.key:
                span = qualifier_span(rule)
                yield Mention(path, span, rule.key_span == command.span)
    yield from _said(tree, family, [name])


def command_of(tree: Tree, name: str) -> tuple[str, Command | None]:
    """The file that defines a star-command, and the command; ("", None) where there is none."""
    for path in tree.snapshot.under(tree.folder, FileKind.COMMANDS):
        facts = tree.snapshot.facts(path)
        if facts and isinstance(facts.document, Commands):
            for command in facts.document.commands:
                if same_id(command.name, name):
                    return path, command
    return "", None


def _agent(tree: Tree, family: str, name: str) -> Iterator[Mention]:
    """What names an agent by its id, lists its file, or speaks of it in rules."""
    path = tree.agents.get(name, "")
    names = [name, *([stem(path)] if path and not same_id(stem(path), name) else ())]
    for one in names:
        for mention in _indexed(tree, family, one):
            if not _is_of_another(tree, mention.path, one, names):
                yield mention
    yield from _titles(tree, family, name)
    yield from _said(tree, family, [name])


def _task(tree: Tree, family: str, name: str) -> Iterator[Mention]:
    yield from _indexed(tree, family, name)
    yield from _titles(tree, family, name)


def _titles(tree: Tree, family: str, name: str) -> Iterator[Mention]:
    """The headings of the files that define an object, where they are its id."""
    for path in tree.snapshot.definers(key(family, name)):
        facts = tree.snapshot.facts(path)
        span = titled(facts) if facts else None
        if span:
            yield Mention(path, span)


def _is_of_another(tree: Tree, path: str, name: str, names: Iterable[str]) -> bool:
    """Whether a squad means a file of its own by a name, and that file another agent."""
    squad = tree.home_of(path).squad
    if squad is None or path != squad.yaml_path:
        return False
    own = tree.snapshot.facts(f"{squad.path}/agents/{name}.md")
    return own is not None and not any(same_id(own.id, other) for other in names)


def _workflow(tree: Tree, family: str, name: str) -> Iterator[Mention]:
    path = tree.workflows.get(name, "")
    yield from _indexed(tree, family, name)
    if path and not same_id(stem(path), name):
        yield from _indexed(tree, family, stem(path))


def _said(tree: Tree, family: str, names: Iterable[str]) -> Iterator[Mention]:
    """The places in rules, in a constitution's source and in tasks that say a name with its mark."""
    sign = "@" if family == "agent" else "*"
    marks = [sign + kebab(name).partition("-")[0] for name in names]
    patterns = dict.fromkeys((*RULE_KINDS, FileKind.CONSTITUTION_SOURCE), _SAID[family])
    if family == "agent":
        patterns[FileKind.TASK] = _HANDED
    for kind, pattern in patterns.items():
        for path in tree.snapshot.paths(kind):
            facts = tree.snapshot.facts(path)
            text = facts.text if facts else ""
            folded = text.casefold()
            if any(mark in folded for mark in marks):
                for found in pattern.finditer(text):
                    if any(same_id(found[1], name) for name in names):
                        yield Mention(path, Span(*found.span(1)))


_BY_FAMILY: Mapping[str, Callable[[Tree, str, str], Iterator[Mention]]] = {
    "domain": _domain,
    "command": _command,
    "agent": _agent,
    "task": _task,
    "workflow": _workflow,
}
