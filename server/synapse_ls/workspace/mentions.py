"""Find every place of a tree that defines an object, refers to it, or mentions it in text.

The index knows fields. ``@dev`` and ``*brief`` in rule text and comments, agents of hand-overs in
tasks, and headings are searched on demand, so that no edit pays for them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from synapse_ls.formats.commands_file import StarCommand, StarCommands
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.workspace.fact_extraction import WHOLE, make_key
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.naming_conventions import file_stem, is_same_id, kebab_case
from synapse_ls.workspace.rule_tree import Tree, overridden_domain, overriding_domains

_NAME = lazy_pattern(r"[^\W_][\w-]*(?<!-)")
# Neither an address (me@dev.io) nor a package (@dev/tools); neither *emphasis* nor a glob (*.py).
_MENTION_PATTERNS = {
    "agent": lazy_pattern(r"(?<![\w@.-])@([A-Za-z](?:[\w-]*\w)?)(?![\w-]|[/.]\w)"),
    "command": lazy_pattern(r"(?<![\w*])\*([A-Za-z](?:[\w-]*\w)?)(?![\w*-])"),
}
# How a task hands over (AIOX tasks, "Handoff"): "next_agent: @qa", "- agent: @dev, command: ...".
_HANDOFF_PATTERN = lazy_pattern(
    r"^[ \t]*(?:-[ \t]+)?(?:next_)?agent:[ \t]*[\"']?@([A-Za-z](?:[\w-]*\w)?)", re.MULTILINE
)
_HEADING = lazy_pattern(r"^#[ \t]+@?(.*?)[ \t\r]*$", re.MULTILINE)


class Mention(NamedTuple):
    """A place that speaks of an object; ``span`` covers the name alone and is empty where the file
    as a whole is meant.
    """

    path: str
    span: Span
    defines: bool = False


def find_mentions(tree: Tree, family: str, name: str) -> tuple[Mention, ...]:
    """Return the mentions of an object, the places that speak of it, by path and then in text
    order.

    ``family`` is domain (``name`` is its label), agent, workflow, squad (the name of its
    folder), command, task, story or keyword. A name that nothing defines has places too.
    """
    find = _BY_FAMILY.get(family, _indexed_mentions)
    mentions: dict[tuple[str, Span], Mention] = {}
    for mention in find(tree, family, name):
        former = mentions.get(mention[:2])
        if former is None or (mention.defines and not former.defines):
            mentions[mention[:2]] = mention
    return tuple(sorted(mentions.values()))


def mention_at(facts: FileFacts, family: str, offset: int) -> tuple[str, Span] | None:
    """Return the agent or star-command that a file mentions at ``offset``, and the place of its
    name; None for none.

    Rule files speak in their text, tasks where they hand over to an agent.
    """
    start = facts.text.rfind("\n", 0, offset) + 1
    end = facts.text.find("\n", offset)
    pattern = _HANDOFF_PATTERN if facts.kind is FileKind.TASK else _MENTION_PATTERNS[family]
    for match in pattern.finditer(facts.text, start, end if end >= 0 else len(facts.text)):
        if match.start(1) - 1 <= offset <= match.end():
            return match[1], Span(*match.span(1))
    return None


def find_name_span(text: str, span: Span, name: str) -> Span | None:
    """Return the part of a field that mentions ``name``: without quotes, ``@``, a file's ending and
    the like.
    """
    matches = (match for match in _NAME.finditer(text, *span) if is_same_id(match.group(), name))
    return next((Span(*match.span()) for match in matches), None)


def title_id_span(facts: FileFacts) -> Span | None:
    """Return the span of the id that a file's first heading mentions, where that heading is nothing
    but the id.
    """
    match = _HEADING.search(facts.text)
    is_id = match is not None and match[1].replace("_", "-") == kebab_case(facts.id)
    return Span(*match.span(1)) if match and is_id else None


def qualifier_span(rule: Rule) -> Span:
    """Return the part of a star-command's key that mentions the command; empty in plain text."""
    start = rule.key_span.start
    if not rule.key:
        return Span(start, start)
    if rule.domain != rule.qualifier:  # COMMANDS_RULE_BRIEF_0; CARL has BRIEF_RULE_0
        start += rule.key.index("_", len(rule.domain) + 1) + 1
    return Span(start, start + len(rule.qualifier))


def domain_span(rule: Rule) -> Span:
    """Return the part of a rule's key that mentions a domain; empty in plain text."""
    start = rule.key_span.start
    return Span(start, start + len(rule.domain))


def _indexed_mentions(tree: Tree, family: str, name: str) -> Iterator[Mention]:
    """Yield the mentions that the index knows."""
    snapshot = tree.snapshot
    wanted = make_key(family, name)
    for path, definition in snapshot.definitions(wanted):
        yield _name_mention(tree, path, definition.span, name, defines=True)
    for path, reference in snapshot.references(wanted):
        yield _name_mention(tree, path, reference.span, name)


def _name_mention(
    tree: Tree, path: str, span: Span, name: str, *, defines: bool = False
) -> Mention:
    """Return a mention that covers only the name within ``span``, where the name is found there."""
    facts = tree.snapshot.facts(path)
    inner = find_name_span(facts.text, span, name) if facts and span.length else None
    return Mention(path, inner or span, defines)


def _domain_mentions(tree: Tree, family: str, label: str) -> Iterator[Mention]:
    """Yield the keys of a domain in its manifest and its file, of those that override it, and in
    tests.
    """
    domain = tree.domains_by_label.get(label)
    head = (overridden_domain(tree, domain) or domain) if domain else None
    for owner in (head, *overriding_domains(tree, head)) if head else ():
        # The keys of its manifest that begin with its name.
        manifest = tree.snapshot.document(owner.manifest_path, Manifest)
        if manifest and owner.declaration:
            for entry in manifest.entries:
                if entry.domain == owner.name and entry.setting != "EXTENDS":
                    start = entry.key.span.start
                    span = Span(start, start + len(entry.domain))
                    yield Mention(owner.manifest_path, span, span == owner.declaration.span)
        # The keys of a domain's rules.
        spans = [domain_span(rule) for rule in tree.rules_of(owner) if rule.domain]
        if owner.file:
            yield from (Mention(owner.file, span) for span in spans or (WHOLE,))
    for path, reference in tree.snapshot.references(make_key(family, label)):
        if (facts := tree.snapshot.facts(path)) and facts.kind is FileKind.TESTS:
            yield _name_mention(tree, path, reference.span, label)


def _command_mentions(tree: Tree, family: str, name: str) -> Iterator[Mention]:
    """Yield where a star-command is defined, its keys, and the rules that speak of it."""
    path, command = find_command(tree, name)
    if command:
        if command.span not in [rule.key_span for rule in command.rules]:
            yield Mention(path, command.span, defines=True)
        for rule in command.rules:
            if rule.key:
                yield Mention(path, qualifier_span(rule), rule.key_span == command.span)
    yield from _text_mentions(tree, family, [name])


def find_command(tree: Tree, name: str) -> tuple[str, StarCommand | None]:
    """Return the file that defines a star-command, and the command; ("", None) where there is
    none.
    """
    for path in tree.snapshot.paths_under(tree.folder, FileKind.COMMANDS):
        document = tree.snapshot.document(path, StarCommands)
        for command in document.commands if document else ():
            if is_same_id(command.name, name):
                return path, command
    return "", None


def _agent_mentions(tree: Tree, family: str, name: str) -> Iterator[Mention]:
    """Yield what names an agent by its id, lists its file, or speaks of it in rules."""
    path = tree.agents.get(name, "")
    names = [name, *([file_stem(path)] if path and not is_same_id(file_stem(path), name) else ())]
    for spelling in names:
        for mention in _indexed_mentions(tree, family, spelling):
            # A squad may mean a file of its own by the name, which is another agent.
            squad, facts = tree.home_of(mention.path).squad, None
            if squad is not None and mention.path == squad.yaml_path:
                facts = tree.snapshot.facts(f"{squad.path}/agents/{spelling}.md")
            if facts is None or any(is_same_id(facts.id, other) for other in names):
                yield mention
    yield from _title_mentions(tree, family, name)
    yield from _text_mentions(tree, family, [name])


def _title_mentions(tree: Tree, family: str, name: str) -> Iterator[Mention]:
    """Yield the headings of the files that define an object, where they are its id."""
    for path in tree.snapshot.defining_paths(make_key(family, name)):
        if (facts := tree.snapshot.facts(path)) and (span := title_id_span(facts)):
            yield Mention(path, span)


def _workflow_mentions(tree: Tree, family: str, name: str) -> Iterator[Mention]:
    path = tree.workflows.get(name, "")
    yield from _indexed_mentions(tree, family, name)
    if path and not is_same_id(file_stem(path), name):
        yield from _indexed_mentions(tree, family, file_stem(path))


def _text_mentions(tree: Tree, family: str, names: Iterable[str]) -> Iterator[Mention]:
    """Yield the places in rules, in a constitution's source and in tasks that say a name with its
    mark (``@`` or ``*``).
    """
    sign = "@" if family == "agent" else "*"
    marks = [sign + kebab_case(name).partition("-")[0] for name in names]
    patterns = dict.fromkeys((*RULE_KINDS, FileKind.CONSTITUTION_SOURCE), _MENTION_PATTERNS[family])
    if family == "agent":
        patterns[FileKind.TASK] = _HANDOFF_PATTERN
    for kind, pattern in patterns.items():
        for facts in tree.snapshot.files(kind):
            folded = facts.text.casefold()
            if any(mark in folded for mark in marks):
                for match in pattern.finditer(facts.text):
                    if any(is_same_id(match[1], name) for name in names):
                        yield Mention(facts.path, Span(*match.span(1)))


_BY_FAMILY: Mapping[str, Callable[[Tree, str, str], Iterator[Mention]]] = {
    "domain": _domain_mentions,
    "command": _command_mentions,
    "agent": _agent_mentions,
    "task": lambda tree, family, name: chain(
        _indexed_mentions(tree, family, name), _title_mentions(tree, family, name)
    ),
    "workflow": _workflow_mentions,
}
