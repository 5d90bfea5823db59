"""This module yields the semantic tokens of rule files: keys part by part, severities, authority
words, mentions of commands and agents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from synapse_ls.formats import markdown_outline
from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.constitution_file import SEVERITIES
from synapse_ls.formats.domain_rules import Rule, RulesDocument
from synapse_ls.ide.position_lookup import rule_domains
from synapse_ls.ide.tokens.manifest_tokens import comment_tokens
from synapse_ls.ide.tokens.token_legend import DEPRECATED, NO_MODIFIERS, Token
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import BUILT_IN
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import rules_in

_INDEX = re.compile(r"_([0-9]{1,9})$")
_WORD = re.compile(r"[A-Z0-9]+")
_KEY_WORDS = frozenset({"RULE", "CMD", "AUTH", "DENY", "ALLOW"})
_TYPE_OF_QUALIFIER = {"article": "enum", "bracket": "enumMember", "command": "function"}
_TEXT_WORD = re.compile(
    rf"(?P<severity>\b(?:{'|'.join(SEVERITIES)}|MAY)\b(?: NOT\b)?)"
    r"|(?P<authority>\b(?:NEVER|ALWAYS|ONLY|DENY|ALLOW|DENIED|ALLOWED|BLOCK|BLOCKED|FORBIDDEN"
    r"|EXCLUSIVE|REQUIRED|DELEGATE)\b)"
    r"|(?<![\w*])\*(?P<command>[A-Za-z](?:[\w-]*\w)?)"
    r"|(?<![\w@.])@(?P<agent>[A-Za-z](?:[\w-]*\w)?)"
)
_PHASE = re.compile(r"[Pp]hase\s+([\w-]+)\s*:")
_HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def rule_tokens(view: View, facts: FileFacts) -> Iterator[Token]:
    """Yields the tokens of a rule file's keys and of its rules' texts, in no order."""
    tree, document = view.tree, facts.document
    inner = document if isinstance(document, RulesDocument) else getattr(document, "rules", None)
    is_plain = isinstance(inner, RulesDocument) and inner.mode == "plain"
    if is_plain:
        yield from _heading_tokens(facts.text)
    else:
        yield from comment_tokens(facts.text)
    yield from (Token(Span(*m.span()), "comment") for m in _HTML_COMMENT.finditer(facts.text))
    if isinstance(document, StarCommands):
        for command in document.commands:
            yield Token(command.span, "function", frozenset({"definition"}))
    commands = {command.name for command in tree.commands}
    for rule in rules_in(document):
        fate = _effect_modifiers(tree, facts, rule)
        yield from _key_tokens(rule, fate)
        yield from _text_tokens(facts.text, rule, tree, commands)


def _effect_modifiers(tree: Tree, facts: FileFacts, rule: Rule) -> frozenset[str]:
    """Returns "deprecated" where no domain that is on has the rule."""
    return (
        NO_MODIFIERS
        if any(domain.is_active for domain in rule_domains(tree, facts.path, rule))
        else DEPRECATED
    )


def _heading_tokens(text: str) -> Iterator[Token]:
    for section in markdown_outline.parse_outline(text).sections:
        if section.level:
            yield Token(section.title.span, "struct")


def _key_tokens(rule: Rule, fate: frozenset[str]) -> Iterator[Token]:
    """Yields the parts of a key: ``AGENT_DEV``, ``RULE``, ``ART1`` and ``0``."""
    if not rule.key_span.length:
        return
    start, key = rule.key_span.start, rule.key
    index = _INDEX.search(key)
    end = index.start() if index else len(key)
    if index:
        yield Token(Span(*index.span(1)).shift(start), "number", fate)
    qualifier = f"ART{rule.qualifier}" if rule.kind == "article" else rule.qualifier
    kind = _TYPE_OF_QUALIFIER.get(rule.kind, "")
    at = 0
    if rule.domain and key.startswith(rule.domain):
        at = len(rule.domain)
        owner = kind if kind and rule.domain == qualifier else "namespace"
        built_in = {"defaultLibrary"} if rule.domain.lower() in BUILT_IN else NO_MODIFIERS
        yield Token(Span(start, start + at), owner, fate | built_in)
    place = key.find(qualifier, at, end) if kind and qualifier else -1
    if place >= 0:
        yield Token(Span(start + place, start + place + len(qualifier)), kind, fate)
    for word in _WORD.finditer(key, at, end):
        if word.group() in _KEY_WORDS and not place <= word.start() < place + len(qualifier):
            yield Token(Span(*word.span()).shift(start), "keyword", fate)


def _text_tokens(text: str, rule: Rule, tree: Tree, commands: set[str]) -> Iterator[Token]:
    phase = _PHASE.match(text, *rule.text_span)
    if phase:
        yield Token(Span(*phase.span(1)), "event")
    for found in _TEXT_WORD.finditer(text, *rule.text_span):
        span = Span(*found.span())
        if found["severity"]:
            yield Token(span, "macro")
        elif found["authority"]:
            yield Token(span, "keyword")
        elif found["command"] and found["command"].lower() in commands:
            yield Token(span, "function")
        elif found["agent"] and found["agent"] in tree.agents:
            yield Token(span, "class")
