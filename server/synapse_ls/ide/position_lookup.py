"""Look up what is at an offset of a file: rule, star-command, domain, agent, squad, or plan row."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.compiled_plan import PlanDomain
from synapse_ls.engine.rule_account import Accountant, DomainAccount, RuleAccount
from synapse_ls.formats import commands_file, context_file
from synapse_ls.formats.constitution_file import ConstitutionDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.ide.tree_view import View
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span, trim_span
from synapse_ls.workspace import chati_places, path_classification
from synapse_ls.workspace.fact_extraction import Definition, Reference, make_key
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind, squad_folder_of
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

AccountPair = tuple[DomainAccount, RuleAccount | None]

_MENTION = lazy_pattern(r"(?<![\w*])\*([A-Za-z](?:[\w-]*\w)?)")
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
    rule = next((rule for rule in rules_in(facts.document) if rule.span.touches(offset)), None)
    if rule and isinstance(facts.document, context_file.ContextDocument):
        bracket_rules = chain.from_iterable(facts.document.brackets.values())
        return next((other for other in bracket_rules if other.span == rule.span), rule)
    return rule


def command_at(facts: FileFacts, offset: int) -> tuple[Span, commands_file.StarCommand] | None:
    """Look up the star-command whose name, or one of whose keys, is at a position of a file."""
    if not isinstance(facts.document, commands_file.StarCommands):
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
) -> tuple[Span, commands_file.StarCommand] | None:
    """Look up the star-command of the tree that a text mentions at a position, as in ``*brief``."""
    # A name is short: a window is enough, however long the line is.
    begin = max(offset - _MENTION_REACH, 0)
    for match in _MENTION.finditer(facts.text, begin, offset + _MENTION_REACH):
        if (span := Span(*match.span())).touches(offset):
            name = match[1].lower()
            command = next((command for command in tree.commands if command.name == name), None)
            return (span, command) if command else None
    return None


def rule_domains(tree: Tree, path: str, rule: Rule) -> tuple[Domain, ...]:
    """Look up the domains that a rule at a position of a file belongs to."""
    serving = tree.domains_of_file(path)
    if len(serving) == 1 and not serving[0].shared:
        return serving
    return tuple(domain for domain in serving if domain.owns(rule))


def article_title(facts: FileFacts, rule: Rule) -> str:
    """Return the title of the constitution article that a rule belongs to, "" for none."""
    document = facts.document
    for article in document.articles if isinstance(document, ConstitutionDocument) else ():
        rules = (article.title_rule, *article.rules)
        if any(other.span == rule.span for other in rules if other):
            severity = f" ({article.severity})" if article.severity else ""
            return f"Art. {article.roman} {article.title}{severity}"
    return ""


def rule_account(view: View, label: str, line: int) -> RuleAccount | None:
    """Look up the account of the rule of a domain on a line, counted from 1."""
    return rule_on_line(view.accounts.get(label), line)


def rule_on_line(account: DomainAccount | None, line: int) -> RuleAccount | None:
    """Look up a rule of a domain by its line, counted from 1; of a rule for several brackets the
    copy that is in the block.
    """
    rules = [rule for rule in account.rules if rule.line == line] if account else []
    return next((rule for rule in rules if rule.is_rendered), rules[0] if rules else None)


def closest_span(offset: int, whole: Span, *parts: Span) -> Span:
    """Return the part, such as the name in a key, that the pointer is on, else the whole."""
    return next((part for part in parts if part.length and part.touches(offset)), whole)


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
    if (facts := view.readable_facts(path)) is None:
        return None
    special = _BY_KIND.get(facts.kind)
    return (special(view, facts, offset) if special else None) or _indexed_subject(
        view, facts, offset
    )


def _indexed_subject(view: View, facts: FileFacts, offset: int) -> Subject | None:
    """Return what the file defines or refers to there, as the index knows it: the shortest such
    place.
    """
    mentions: Iterator[Reference | Definition] = chain(facts.references, facts.definitions)
    places = [
        (place.span.length, place.key, place.span)
        for place in mentions
        if place.key[0] in _FAMILIES and place.span.length and place.span.touches(offset)
    ]
    if not places:
        return None
    _, (family, name), span = min(places)
    span = find_name_span(facts.text, span, name) or span
    tree = view.tree
    # An agent or a workflow is often referred to by the name of its file.
    if family == "agent" and name not in tree.agents:
        squad = owning_squad(tree, facts.path)
        squad_path = f"{squad.path}/agents/{name}.md" if squad else ""
        agent = tree.snapshot.facts(squad_path) or tree.snapshot.facts(
            tree.agent_files.get(name, "")
        )
        name = agent.id if agent else name
    elif family == "workflow" and name not in tree.workflows:
        for workflow in tree.snapshot.files(FileKind.WORKFLOW):
            if is_same_id(file_stem(workflow.path), name):
                name = workflow.id
    return Subject(family, name, span)


def _manifest_subject(view: View, facts: FileFacts, offset: int) -> Subject | None:
    document = facts.document
    entry = document.entry_at(offset) if isinstance(document, Manifest) else None
    if entry is None:
        return None
    if (key := entry.key.span).touches(offset) and entry.domain:
        span = closest_span(offset, key, Span(key.start, key.start + len(entry.domain)))
        squad = owning_squad(view.tree, facts.path)
        if entry.setting == "EXTENDS":
            return Subject("squad", squad.folder, span) if squad else None
        return Subject("domain", domain_label(view.tree, facts.path, entry.domain), span)
    for item in entry.items if entry.setting == "RECALL" else ():
        if item.span.touches(offset):
            return Subject("keyword", make_key("keyword", item.value)[1], item.span)
    return None


def _rules_subject(view: View, facts: FileFacts, offset: int) -> Subject | None:
    """Return the subject in a rule file: its domain in keys, a star-command or an agent in text."""
    for family in ("agent", "command"):
        mention = mention_at(facts, family, offset)
        if mention and is_known_name(view.tree, family, mention[0]):
            return Subject(family, mention[0].lower(), mention[1])
    if command_place := command_at(facts, offset):
        span, command = command_place
        for rule in command.rules:
            if rule.key and rule.span.touches(offset):
                span = closest_span(offset, rule.key_span, qualifier_span(rule))
                break
        return Subject("command", command.name, span)
    key_rule = rule_at(facts, offset)
    if key_rule and key_rule.key_span.length and key_rule.key_span.touches(offset):
        span = closest_span(offset, key_rule.key_span, domain_span(key_rule))
        for domain in rule_domains(view.tree, facts.path, key_rule):
            return Subject("domain", domain.label, span)
    return None


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
    if (span := heading_span(facts.text)).length and span.touches(offset):
        title = title_id_span(facts)
        place = closest_span(offset, span, title) if title else span
        return Subject(family, facts.id or file_stem(facts.path), place)
    return None


def is_known_name(tree: Tree, family: str, name: str) -> bool:
    """Return whether a name in a text is a subject, that of an agent or a star-command of the tree,
    and not just a word.
    """
    if family == "command":
        return find_command(tree, name)[1] is not None
    key = make_key(family, name)
    return bool(tree.snapshot.defining_paths(key) or tree.snapshot.referring_paths(key))


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
    FileKind.SQUAD, FileKind.OLD_SQUAD, FileKind.WORKFLOW_STATE, FileKind.WORKFLOW,
    FileKind.PATTERNS, FileKind.CHAINS,
}  # fmt: skip
TOML_KINDS = frozenset({FileKind.CONFIG, FileKind.TESTS})
MARKDOWN_KINDS = (
    chati_places.MARKDOWN_KINDS
    | path_classification.BRAINIAC_KINDS
    | {FileKind.TASK, FileKind.STORY, FileKind.MEMORY, FileKind.AGENT, FileKind.CONSTITUTION_SOURCE}
)


# Groups of rules of which each item of a list is one; those of the others take in the whole list.
_ITEM_GROUPS = ("rule", "item", "handoff", "summary", "article")


def file_domains(view: View, facts: FileFacts) -> tuple[PlanDomain, ...]:
    """Look up the domains of the plan that have a file as their source."""
    return tuple(domain for domain in view.plan.domains() if domain.file == facts.path)


def plan_rule_at(view: View, facts: FileFacts, offset: int) -> tuple[PlanDomain, Rule] | None:
    """Look up the rule of the plan that the line of ``offset`` belongs to, with its
    domain, or None.
    """
    line = facts.lines.line_of(offset)
    find = _markdown_rule if facts.kind in MARKDOWN_KINDS else _yaml_rule
    for domain in file_domains(view, facts):
        rule = find(facts, sorted(domain.rules, key=lambda rule: rule.line), line)
        if rule is not None:
            return domain, rule
    return None


def _markdown_rule(facts: FileFacts, rules: list[Rule], line: int) -> Rule | None:
    """Return the rule of a line in Markdown, where a rule reaches from the heading above it to the
    next one.
    """

    def has_heading(first: int, end: int) -> bool:
        return any(_line_text(facts, number).startswith("#") for number in range(first, end))

    if _line_text(facts, line).startswith("#"):
        below = next((rule for rule in rules if rule.line >= line), None)
        return None if below is None or has_heading(line + 1, below.line) else below
    above = [rule for rule in rules if rule.line <= line]
    return None if not above or has_heading(above[-1].line + 1, line + 1) else above[-1]


def _yaml_rule(facts: FileFacts, rules: list[Rule], line: int) -> Rule | None:
    """Return the rule to whose first line of YAML a line belongs."""
    if (rule := next((rule for rule in reversed(rules) if rule.line <= line), None)) is None:
        return None
    first = _line_text(facts, rule.line)
    depth = _indent_width(first)
    is_list = rule.group not in _ITEM_GROUPS and first.lstrip().startswith("- ")
    for number in range(rule.line + 1, line + 1):
        text = _line_text(facts, number)
        continues = is_list and text.lstrip().startswith("- ")
        least = depth if continues else depth + 1
        if text.strip() and _indent_width(text) < least:
            return None
    return rule


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
    domains = list(map(accountant.account_of, file_domains(view, facts)))
    whole: list[AccountPair] = [(domain, None) for domain in domains]
    if facts.kind in chati_places.PLAN_KINDS:
        place = plan_rule_at(view, facts, offset)
        key = place[1].key if place else ""
        return [(d, rule) for d in domains for rule in d.rules if rule.key == key] or whole
    if (file_rule := rule_at(facts, offset)) is None:
        return whole
    line = facts.lines.line_of(file_rule.span.start) + 1
    return [(domain, rule) for domain in domains for rule in domain.rules if rule.line == line]
