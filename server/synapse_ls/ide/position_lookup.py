"""This module looks up the rule, star-command, squad or domain at a position, an offset of a file,
for all editor features.
"""

from __future__ import annotations

import re

from synapse_ls.formats.commands_file import StarCommand, StarCommands
from synapse_ls.formats.constitution_file import ConstitutionDocument
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.domain_rules import Rule
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import squad_folder_of
from synapse_ls.workspace.naming_conventions import namespaced_domain
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain, rules_in
from synapse_ls.workspace.tree_squads import Squad

_MENTION = re.compile(r"(?<![\w*])\*([A-Za-z](?:[\w-]*\w)?)")
_MENTION_REACH = 120  # code points


def owning_squad(tree: Tree, path: str) -> Squad | None:
    """Looks up the squad that a file, and so each position in it, belongs to, or None."""
    return tree.home_of(path).squad


def domain_label(tree: Tree, manifest: str, domain: str) -> str:
    """Looks up the label, unique in the whole tree, of a domain that a manifest declares."""
    folder = squad_folder_of(manifest, tree.snapshot.config.paths)
    return namespaced_domain(folder.rpartition("/")[2], domain) if folder else domain


def rule_at(facts: FileFacts, offset: int) -> Rule | None:
    """Looks up the rule on whose lines a position of a file is, as the kind of its file reads it."""
    found = next((rule for rule in rules_in(facts.document) if rule.span.touches(offset)), None)
    if found and isinstance(facts.document, ContextDocument):
        among = (rule for rules in facts.document.brackets.values() for rule in rules)
        return next((rule for rule in among if rule.span == found.span), found)
    return found


def command_at(facts: FileFacts, offset: int) -> tuple[Span, StarCommand] | None:
    """Looks up the star-command whose name, or one of whose keys, is at a position of a file."""
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
    """Looks up the star-command of the tree that a text mentions at a position, as in ``*brief``."""
    # A name is short: a window is enough, however long the line is.
    begin = max(offset - _MENTION_REACH, 0)
    for found in _MENTION.finditer(facts.text, begin, offset + _MENTION_REACH):
        span = Span(*found.span())
        if span.touches(offset):
            name = found[1].lower()
            command = next((command for command in tree.commands if command.name == name), None)
            return (span, command) if command else None
    return None


def rule_domains(tree: Tree, path: str, rule: Rule) -> tuple[Domain, ...]:
    """Looks up the domains that a rule at a position of a file belongs to."""
    serving = tree.home_of(path).domains_by_file.get(path, ())
    if len(serving) == 1 and not serving[0].shared:
        return serving
    return tuple(domain for domain in serving if domain.owns(rule))


def article_title(facts: FileFacts, rule: Rule) -> str:
    """Looks up the title of the constitution article that the rule at a position belongs to, "" for
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
