"""Which object of the tree a place in a file speaks of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from synapse_ls.formats.manifest import Manifest
from synapse_ls.ide.lookup import command_at, declared_label, domains_of, rule_at, squad_at
from synapse_ls.ide.view import View
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.span import Span, trim
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.mentions import (
    command_of,
    domain_span,
    name_in,
    qualifier_span,
    said_at,
    titled,
)
from synapse_ls.workspace.naming import same_id, stem
from synapse_ls.workspace.tree import Tree

_FAMILIES = ("agent", "workflow", "squad", "task", "story", "domain")


class Subject(NamedTuple):
    """An object, by the name that `mentions` knows it by, and the place that speaks of it.

    ``span`` is the name, or the key that holds it where the pointer is elsewhere in the key.
    """

    family: str
    name: str
    span: Span


def subject_at(view: View, path: str, offset: int) -> Subject | None:
    """The object that ``offset`` in the file ``path`` is about; None where it is about none."""
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.read:
        return None
    special = _BY_KIND.get(facts.kind)
    return (special(view, facts, offset) if special else None) or _indexed(view, facts, offset)


def _indexed(view: View, facts: FileFacts, offset: int) -> Subject | None:
    """What the file defines or refers to there, as the index knows it: the shortest such place."""
    found = [
        (one.span.length, one.key, one.span)
        for one in _around(facts, offset)
        if one.key[0] in _FAMILIES
    ]
    for _, (family, name), span in sorted(found):
        return _resolved(view, facts, family, name, name_in(facts.text, span, name) or span)
    return None


class _Place(NamedTuple):
    key: tuple[str, str]
    span: Span


def _around(facts: FileFacts, offset: int) -> Iterator[_Place]:
    for reference in facts.references:
        if reference.span.length and reference.span.touches(offset):
            yield _Place(reference.key, reference.span)
    for definition in facts.definitions:
        if definition.span.length and definition.span.touches(offset):
            yield _Place(definition.key, definition.span)


def _resolved(view: View, facts: FileFacts, family: str, name: str, span: Span) -> Subject:
    """The subject by its own name: an agent is often referred to by that of its file."""
    tree = view.tree
    if family == "agent" and name not in tree.agents:
        squad = squad_at(tree, facts.path)
        own = tree.snapshot.facts(f"{squad.path}/agents/{name}.md") if squad else None
        path = own.path if own else tree.agent_files.get(name, "")
        known = tree.snapshot.facts(path)
        name = known.id if known else name
    elif family == "workflow" and name not in tree.workflows:
        for path in tree.snapshot.paths(FileKind.WORKFLOW):
            known = tree.snapshot.facts(path)
            if known and same_id(stem(path), name):
                name = known.id
    return Subject(family, name, span)


def _manifest(view: View, facts: FileFacts, offset: int) -> Subject | None:
    document = facts.document
    entry = document.entry_at(offset) if isinstance(document, Manifest) else None
    if entry is None:
        return None
    start = entry.key.span.start
    span = _nearer(Span(start, start + len(entry.domain)), entry.key.span, offset)
    if entry.key.span.touches(offset) and entry.domain:
        squad = squad_at(view.tree, facts.path)
        if entry.setting == "EXTENDS":
            return Subject("squad", squad.folder, span) if squad else None
        return Subject("domain", declared_label(view.tree, facts.path, entry.domain), span)
    if entry.setting == "RECALL":
        item = next((item for item in entry.items if item.span.touches(offset)), None)
        return Subject("keyword", key("keyword", item.value)[1], item.span) if item else None
    return None


def _rules(view: View, facts: FileFacts, offset: int) -> Subject | None:
    """A rule file speaks of its domain in keys, and in text of star-commands and agents."""
    for family in ("agent", "command"):
        said = said_at(facts, family, offset)
        if said and is_known(view.tree, family, said[0]):
            return Subject(family, said[0].lower(), said[1])
    command = command_at(facts, offset)
    rule = rule_at(facts, offset)
    if command:
        own = next((r for r in command[1].rules if r.key and r.span.touches(offset)), None)
        span = _nearer(qualifier_span(own), own.key_span, offset) if own else command[0]
        return Subject("command", command[1].name, span)
    if rule is None or not rule.key_span.length or not rule.key_span.touches(offset):
        return None
    span = _nearer(domain_span(rule), rule.key_span, offset)
    for domain in domains_of(view.tree, facts.path, rule):
        return Subject("domain", domain.label, span)
    return None


def _nearer(part: Span, whole: Span, offset: int) -> Span:
    """The name in a key or a heading where the pointer is on it, else the whole of that."""
    return part if part.length and part.touches(offset) else whole


def _headed(view: View, facts: FileFacts, offset: int) -> Subject | None:
    """An agent, a task or a story, in the first line of its file that says something.

    A task also speaks of the agents that it hands over to.
    """
    if _indexed(view, facts, offset):
        return None
    said = said_at(facts, "agent", offset) if facts.kind is FileKind.TASK else None
    if said and is_known(view.tree, "agent", said[0]):
        return Subject("agent", said[0].lower(), said[1])
    family = {FileKind.TASK: "task", FileKind.STORY: "story"}.get(facts.kind, "agent")
    span = header(facts.text)
    if span.length and span.touches(offset):
        title = titled(facts)
        place = _nearer(title, span, offset) if title else span
        return Subject(family, facts.id or stem(facts.path), place)
    return None


def is_known(tree: Tree, family: str, name: str) -> bool:
    """Whether an agent or a star-command of that name is more than a word in a text."""
    if family == "command":
        return command_of(tree, name)[1] is not None
    wanted = key(family, name)
    return bool(tree.snapshot.definers(wanted) or tree.snapshot.referrers(wanted))


def header(text: str) -> Span:
    """The first heading, else the first line that is not blank; empty where there is none."""
    at = 0 if text.startswith("# ") else text.find("\n# ") + 1
    if text.startswith("# ", at):
        end = text.find("\n", at)
        return trim(text, at, len(text) if end < 0 else end)
    lines = (trim(text, start, end) for start, end in iter_lines(text))
    return next((span for span in lines if span.length), Span(0, 0))


_BY_KIND: Mapping[FileKind, Callable[[View, FileFacts, int], Subject | None]] = {
    FileKind.MANIFEST: _manifest,
    **dict.fromkeys(RULE_KINDS, _rules),
    **dict.fromkeys((FileKind.AGENT, FileKind.TASK, FileKind.STORY), _headed),
}
