"""This module finds the subject of a place in a file: the domain, agent, workflow, squad, task,
story, command or keyword that it speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from synapse_ls.formats.manifest import Manifest
from synapse_ls.ide.position_lookup import (
    command_at,
    domain_label,
    owning_squad,
    rule_at,
    rule_domains,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span, trim_span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.index_keys import make_key
from synapse_ls.workspace.mentions import (
    domain_span,
    find_command,
    find_name_span,
    mention_at,
    qualifier_span,
    title_id_span,
)
from synapse_ls.workspace.naming_conventions import file_stem, is_same_id
from synapse_ls.workspace.rule_tree import Tree

_FAMILIES = ("agent", "workflow", "squad", "task", "story", "domain")


class Subject(NamedTuple):
    """A Subject is an object of the tree, by the name that `mentions` knows it by, and the place
    that speaks of it.

    ``span`` is the name, or the key that holds it where the pointer is elsewhere in the key.
    """

    family: str
    name: str
    span: Span


def subject_at(view: View, path: str, offset: int) -> Subject | None:
    """Returns the subject that ``offset`` in the file ``path`` names; None where it names none."""
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.is_read:
        return None
    special = _BY_KIND.get(facts.kind)
    return (special(view, facts, offset) if special else None) or _indexed_subject(
        view, facts, offset
    )


def _indexed_subject(view: View, facts: FileFacts, offset: int) -> Subject | None:
    """Returns what the file defines or refers to there, as the index knows it: the shortest such
    place.
    """
    found = [
        (one.span.length, one.key, one.span)
        for one in _keys_around(facts, offset)
        if one.key[0] in _FAMILIES
    ]
    for _, (family, name), span in sorted(found):
        return _resolve_subject(
            view, facts, family, name, find_name_span(facts.text, span, name) or span
        )
    return None


class _KeyPlace(NamedTuple):
    key: tuple[str, str]
    span: Span


def _keys_around(facts: FileFacts, offset: int) -> Iterator[_KeyPlace]:
    for reference in facts.references:
        if reference.span.length and reference.span.touches(offset):
            yield _KeyPlace(reference.key, reference.span)
    for definition in facts.definitions:
        if definition.span.length and definition.span.touches(offset):
            yield _KeyPlace(definition.key, definition.span)


def _resolve_subject(view: View, facts: FileFacts, family: str, name: str, span: Span) -> Subject:
    """Returns the subject by its own name: an agent is often referred to by the name of its file."""
    tree = view.tree
    if family == "agent" and name not in tree.agents:
        squad = owning_squad(tree, facts.path)
        own = tree.snapshot.facts(f"{squad.path}/agents/{name}.md") if squad else None
        path = own.path if own else tree.agent_files.get(name, "")
        known = tree.snapshot.facts(path)
        name = known.id if known else name
    elif family == "workflow" and name not in tree.workflows:
        for path in tree.snapshot.paths(FileKind.WORKFLOW):
            known = tree.snapshot.facts(path)
            if known and is_same_id(file_stem(path), name):
                name = known.id
    return Subject(family, name, span)


def _manifest_subject(view: View, facts: FileFacts, offset: int) -> Subject | None:
    document = facts.document
    entry = document.entry_at(offset) if isinstance(document, Manifest) else None
    if entry is None:
        return None
    start = entry.key.span.start
    span = _closest_span(Span(start, start + len(entry.domain)), entry.key.span, offset)
    if entry.key.span.touches(offset) and entry.domain:
        squad = owning_squad(view.tree, facts.path)
        if entry.setting == "EXTENDS":
            return Subject("squad", squad.folder, span) if squad else None
        return Subject("domain", domain_label(view.tree, facts.path, entry.domain), span)
    if entry.setting == "RECALL":
        item = next((item for item in entry.items if item.span.touches(offset)), None)
        return Subject("keyword", make_key("keyword", item.value)[1], item.span) if item else None
    return None


def _rules_subject(view: View, facts: FileFacts, offset: int) -> Subject | None:
    """Returns the subject in a rule file: its domain in keys, a star-command or an agent in text."""
    for family in ("agent", "command"):
        said = mention_at(facts, family, offset)
        if said and is_known_name(view.tree, family, said[0]):
            return Subject(family, said[0].lower(), said[1])
    command = command_at(facts, offset)
    rule = rule_at(facts, offset)
    if command:
        own = next((r for r in command[1].rules if r.key and r.span.touches(offset)), None)
        span = _closest_span(qualifier_span(own), own.key_span, offset) if own else command[0]
        return Subject("command", command[1].name, span)
    if rule is None or not rule.key_span.length or not rule.key_span.touches(offset):
        return None
    span = _closest_span(domain_span(rule), rule.key_span, offset)
    for domain in rule_domains(view.tree, facts.path, rule):
        return Subject("domain", domain.label, span)
    return None


def _closest_span(part: Span, whole: Span, offset: int) -> Span:
    """Returns the name in a key or a heading where the pointer is on it, else the whole key or
    heading.
    """
    return part if part.length and part.touches(offset) else whole


def _heading_subject(view: View, facts: FileFacts, offset: int) -> Subject | None:
    """Returns the agent, task or story that the first line of its file names.

    A task also speaks of the agents that it hands over to.
    """
    if _indexed_subject(view, facts, offset):
        return None
    said = mention_at(facts, "agent", offset) if facts.kind is FileKind.TASK else None
    if said and is_known_name(view.tree, "agent", said[0]):
        return Subject("agent", said[0].lower(), said[1])
    family = {FileKind.TASK: "task", FileKind.STORY: "story"}.get(facts.kind, "agent")
    span = heading_span(facts.text)
    if span.length and span.touches(offset):
        title = title_id_span(facts)
        place = _closest_span(title, span, offset) if title else span
        return Subject(family, facts.id or file_stem(facts.path), place)
    return None


def is_known_name(tree: Tree, family: str, name: str) -> bool:
    """Returns whether a name in a text is a subject, that of an agent or a star-command of the
    tree, and not just a word.
    """
    if family == "command":
        return find_command(tree, name)[1] is not None
    wanted = make_key(family, name)
    return bool(tree.snapshot.defining_paths(wanted) or tree.snapshot.referring_paths(wanted))


def heading_span(text: str) -> Span:
    """Returns where a file names its subject: the first heading, else the first line that is not
    blank; empty where there is none.
    """
    at = 0 if text.startswith("# ") else text.find("\n# ") + 1
    if text.startswith("# ", at):
        end = text.find("\n", at)
        return trim_span(text, at, len(text) if end < 0 else end)
    lines = (trim_span(text, start, end) for start, end in iter_lines(text))
    return next((span for span in lines if span.length), Span(0, 0))


_BY_KIND: Mapping[FileKind, Callable[[View, FileFacts, int], Subject | None]] = {
    FileKind.MANIFEST: _manifest_subject,
    **dict.fromkeys(RULE_KINDS, _rules_subject),
    **dict.fromkeys((FileKind.AGENT, FileKind.TASK, FileKind.STORY), _heading_subject),
}
