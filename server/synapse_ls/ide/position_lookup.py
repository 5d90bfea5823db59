"""Look up the rule, star-command, squad or domain at a position, an offset of a file, for all
editor features.

Find the subject of a place in a file: the domain, agent, workflow, squad, task,
story, command or keyword that it speaks of.

List the languages of files: which kinds of files are written in YAML, TOML and
Markdown.

Find what the plan has for a place in a file: the row at a line of a Chati file, and
the accounts that say why a rule or domain is in the block or left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.compiled_plan import PlanDomain
from synapse_ls.engine.rule_account import Accountant, DomainAccount, RuleAccount
from synapse_ls.formats.commands_file import StarCommand, StarCommands
from synapse_ls.formats.constitution_file import ConstitutionDocument
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.ide.tree_view import View
from synapse_ls.text.line_index import LineIndex, iter_lines
from synapse_ls.text.span import Span, trim_span
from synapse_ls.workspace import brainiac_places, chati_places
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind, squad_folder_of
from synapse_ls.workspace.index_keys import make_key
from synapse_ls.workspace.mentions import (
    domain_span,
    find_command,
    find_name_span,
    mention_at,
    qualifier_span,
    title_id_span,
)
from synapse_ls.workspace.naming_conventions import file_stem, is_same_id, namespaced_domain
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain, Squad, rules_in

if TYPE_CHECKING:
    AccountPair = tuple[DomainAccount, RuleAccount | None]

_MENTION = re.compile(r"(?<![\w*])\*([A-Za-z](?:[\w-]*\w)?)")
_MENTION_REACH = 120  # code points


def owning_squad(tree: Tree, path: str) -> Squad | None:
    """Look up the squad that a file, and so each position in it, belongs to, or None."""
    return tree.home_of(path).squad


def domain_label(tree: Tree, manifest: str, domain: str) -> str:
    """Look up the label, unique in the whole tree, of a domain that a manifest declares."""
    folder = squad_folder_of(manifest, tree.snapshot.config.paths)
    return namespaced_domain(folder.rpartition("/")[2], domain) if folder else domain


def rule_at(facts: FileFacts, offset: int) -> Rule | None:
    """Look up the rule on whose lines a position of a file is, as the kind of its file reads it."""
    rule_here = next((rule for rule in rules_in(facts.document) if rule.span.touches(offset)), None)
    if rule_here and isinstance(facts.document, ContextDocument):
        among = (rule for rules in facts.document.brackets.values() for rule in rules)
        return next((rule for rule in among if rule.span == rule_here.span), rule_here)
    return rule_here


def command_at(facts: FileFacts, offset: int) -> tuple[Span, StarCommand] | None:
    """Look up the star-command whose name, or one of whose keys, is at a position of a file."""
    if not isinstance(facts.document, StarCommands):
        return None
    for command in facts.document.commands:
        if command.span.touches(offset):
            return command.span, command
        for rule in command.rules:
            if rule.key_span.length and rule.key_span.touches(offset):
                return rule.key_span, command
    return None


def mentioned_command_at(
    facts: FileFacts, tree: Tree, offset: int
) -> tuple[Span, StarCommand] | None:
    """Look up the star-command of the tree that a text mentions at a position, as in ``*brief``."""
    # A name is short: a window is enough, however long the line is.
    begin = max(offset - _MENTION_REACH, 0)
    for match in _MENTION.finditer(facts.text, begin, offset + _MENTION_REACH):
        span = Span(*match.span())
        if span.touches(offset):
            name = match[1].lower()
            command = next((command for command in tree.commands if command.name == name), None)
            return (span, command) if command else None
    return None


def rule_domains(tree: Tree, path: str, rule: Rule) -> tuple[Domain, ...]:
    """Look up the domains that a rule at a position of a file belongs to."""
    serving = tree.home_of(path).domains_by_file.get(path, ())
    if len(serving) == 1 and not serving[0].shared:
        return serving
    return tuple(domain for domain in serving if domain.owns(rule))


def article_title(facts: FileFacts, rule: Rule) -> str:
    """Look up the title of the constitution article that the rule at a position belongs to, "" for
    none.
    """
    if not isinstance(facts.document, ConstitutionDocument):
        return ""
    for article in facts.document.articles:
        own = (*article.rules, *([article.title_rule] if article.title_rule else []))
        if any(other.span == rule.span for other in own):
            severity = f" ({article.severity})" if article.severity else ""
            return f"Art. {article.roman} {article.title}{severity}"
    return ""


_FAMILIES = ("agent", "workflow", "squad", "task", "story", "domain")


class Subject(NamedTuple):
    """An object of the tree, by the name that `mentions` knows it by, and the place that speaks of
    it.

    ``span`` is the name, or the key that holds it where the pointer is elsewhere in the key.
    """

    family: str
    name: str
    span: Span


def subject_at(view: View, path: str, offset: int) -> Subject | None:
    """Return the subject that ``offset`` in the file ``path`` names; None where it names none."""
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.is_read:
        return None
    special = _BY_KIND.get(facts.kind)
    return (special(view, facts, offset) if special else None) or _indexed_subject(
        view, facts, offset
    )


def _indexed_subject(view: View, facts: FileFacts, offset: int) -> Subject | None:
    """Return what the file defines or refers to there, as the index knows it: the shortest such
    place.
    """
    places = [
        (key.span.length, key.key, key.span)
        for key in _keys_around(facts, offset)
        if key.key[0] in _FAMILIES
    ]
    for _, (family, name), span in sorted(places):
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
    """Return the subject by its own name: an agent is often referred to by the name of its file."""
    tree = view.tree
    if family == "agent" and name not in tree.agents:
        squad = owning_squad(tree, facts.path)
        own = tree.snapshot.facts(f"{squad.path}/agents/{name}.md") if squad else None
        path = own.path if own else tree.agent_files.get(name, "")
        agent_facts = tree.snapshot.facts(path)
        name = agent_facts.id if agent_facts else name
    elif family == "workflow" and name not in tree.workflows:
        for path in tree.snapshot.paths(FileKind.WORKFLOW):
            agent_facts = tree.snapshot.facts(path)
            if agent_facts and is_same_id(file_stem(path), name):
                name = agent_facts.id
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
    """Return the subject in a rule file: its domain in keys, a star-command or an agent in text."""
    for family in ("agent", "command"):
        mention = mention_at(facts, family, offset)
        if mention and is_known_name(view.tree, family, mention[0]):
            return Subject(family, mention[0].lower(), mention[1])
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
    """Return the name in a key or a heading where the pointer is on it, else the whole key or
    heading.
    """
    return part if part.length and part.touches(offset) else whole


def _heading_subject(view: View, facts: FileFacts, offset: int) -> Subject | None:
    """Return the agent, task or story that the first line of its file names.

    A task also speaks of the agents that it hands over to.
    """
    if _indexed_subject(view, facts, offset):
        return None
    mention = mention_at(facts, "agent", offset) if facts.kind is FileKind.TASK else None
    if mention and is_known_name(view.tree, "agent", mention[0]):
        return Subject("agent", mention[0].lower(), mention[1])
    family = {FileKind.TASK: "task", FileKind.STORY: "story"}.get(facts.kind, "agent")
    span = heading_span(facts.text)
    if span.length and span.touches(offset):
        title = title_id_span(facts)
        place = _closest_span(title, span, offset) if title else span
        return Subject(family, facts.id or file_stem(facts.path), place)
    return None


def is_known_name(tree: Tree, family: str, name: str) -> bool:
    """Return whether a name in a text is a subject, that of an agent or a star-command of the tree,
    and not just a word.
    """
    if family == "command":
        return find_command(tree, name)[1] is not None
    wanted = make_key(family, name)
    return bool(tree.snapshot.defining_paths(wanted) or tree.snapshot.referring_paths(wanted))


def heading_span(text: str) -> Span:
    """Return where a file names its subject: the first heading, else the first line that is not
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


YAML_KINDS = chati_places.YAML_KINDS | {
    FileKind.SQUAD,
    FileKind.OLD_SQUAD,
    FileKind.WORKFLOW_STATE,
    FileKind.WORKFLOW,
    FileKind.PATTERNS,
    FileKind.CHAINS,
}
TOML_KINDS = frozenset({FileKind.CONFIG, FileKind.TESTS})
MARKDOWN_KINDS = (
    chati_places.MARKDOWN_KINDS
    | brainiac_places.MARKDOWN_KINDS
    | {
        FileKind.TASK,
        FileKind.STORY,
        FileKind.MEMORY,
        FileKind.AGENT,
        FileKind.CONSTITUTION_SOURCE,
    }
)


_ITEM_GROUPS = ("rule", "item", "handoff", "summary", "article")
"""Groups of rules of which each item of a list is one; those of the others take in the whole
list.
"""


def file_domains(view: View, facts: FileFacts) -> tuple[PlanDomain, ...]:
    """Look up the domains of the plan that have a file as their source."""
    return tuple(domain for domain in view.plan.domains() if domain.file == facts.path)


def plan_rule_at(view: View, facts: FileFacts, offset: int) -> tuple[PlanDomain, Rule] | None:
    """Look up the rule of the plan that the line of ``offset`` belongs to, with its
    domain, or None.
    """
    line = facts.lines.line_of(offset)
    for domain in file_domains(view, facts):
        rule = _plan_rule_on_line(facts, domain, line)
        if rule is not None:
            return domain, rule
    return None


def _plan_rule_on_line(facts: FileFacts, domain: PlanDomain, line: int) -> Rule | None:
    """Return the rule whose place in the file includes a line."""
    rules = sorted(domain.rules, key=lambda rule: rule.line)
    above = [rule for rule in rules if rule.line <= line]
    if facts.kind in MARKDOWN_KINDS:
        # The rule of a line in Markdown, where a rule reaches from the heading above it to the next
        # one.
        if _line_text(facts, line).startswith("#"):
            below = next((rule for rule in rules if rule.line >= line), None)
            reached = below is not None and not any(
                _line_text(facts, number).startswith("#") for number in range(line + 1, below.line)
            )
            return below if reached else None
        if not above or any(
            _line_text(facts, number).startswith("#")
            for number in range(above[-1].line + 1, line + 1)
        ):
            return None
        return above[-1]
    if not above:
        return None
    rule = above[-1]
    return rule if _is_below(facts, rule, line) else None


def _is_below(facts: FileFacts, rule: Rule, line: int) -> bool:
    """Return whether a line of YAML belongs to what begins with a rule's first line."""
    first = _line_text(facts, rule.line)
    depth = _indent_width(first)
    for number in range(rule.line + 1, line + 1):
        text = _line_text(facts, number)
        if not text.strip():
            continue
        continues = rule.group not in _ITEM_GROUPS and first.lstrip().startswith("- ")
        continues = continues and text.lstrip().startswith("- ")
        if _indent_width(text) < depth or (_indent_width(text) == depth and not continues):
            return False
    return True


def _line_text(facts: FileFacts, line: int) -> str:
    return facts.lines.line_span(line).cut(facts.text)


def _indent_width(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def accounts_at(view: View, assembly: Assembly, facts: FileFacts, offset: int) -> list[AccountPair]:
    """Look up in the plan the accounts of what stands at ``offset``, in the block of ``assembly``.

    These are the account of a rule, that of a domain of the manifest, or elsewhere in a rule file
    those of the domains that the file serves.
    """
    plan = view.plan
    accountant = Accountant(plan, assembly)
    if isinstance(facts.document, Manifest):
        entry = facts.document.entry_at(offset)
        label = domain_label(view.tree, facts.path, entry.domain) if entry else ""
        position = plan.labels.get(label)
        return [] if position is None else [(accountant.account_of(plan.domain(position)), None)]
    domains = [
        accountant.account_of(domain) for domain in plan.domains() if domain.file == facts.path
    ]
    if facts.kind in chati_places.PLAN_KINDS:
        located = plan_rule_at(view, facts, offset)
        key = located[1].key if located else ""
        accounts = [
            (domain, rule) for domain in domains for rule in domain.rules if rule.key == key
        ]
        return [*accounts] or [(domain, None) for domain in domains]
    rule = rule_at(facts, offset)
    if rule is None:
        return [(domain, None) for domain in domains]
    line = LineIndex(facts.text).line_of(rule.span.start) + 1
    return [(domain, rule) for domain in domains for rule in domain.rules if rule.line == line]
