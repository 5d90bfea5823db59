"""Tokens of rule files: keys part by part, severities, authority, mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from synapse_ls.formats import markdown
from synapse_ls.formats.commands import Commands
from synapse_ls.formats.constitution import SEVERITIES
from synapse_ls.formats.rules import Rule, RulesDocument
from synapse_ls.ide.lookup import domains_of
from synapse_ls.ide.tokens.manifest import comments
from synapse_ls.ide.tokens.paint import DEAD, NONE, Token
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import rules_in
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import BUILT_IN
from synapse_ls.workspace.tree import Tree

_INDEX = re.compile(r"_([0-9]{1,9})$")
_WORD = re.compile(r"[A-Z0-9]+")
_FIXED = frozenset({"RULE", "CMD", "AUTH", "DENY", "ALLOW"})
_QUALIFIERS = {"article": "enum", "bracket": "enumMember", "command": "function"}
_SAID = re.compile(
    rf"(?P<severity>\b(?:{'|'.join(SEVERITIES)}|MAY)\b(?: NOT\b)?)"
    r"|(?P<authority>\b(?:NEVER|ALWAYS|ONLY|DENY|ALLOW|DENIED|ALLOWED|BLOCK|BLOCKED|FORBIDDEN"
    r"|EXCLUSIVE|REQUIRED|DELEGATE)\b)"
    r"|(?<![\w*])\*(?P<command>[A-Za-z](?:[\w-]*\w)?)"
    r"|(?<![\w@.])@(?P<agent>[A-Za-z](?:[\w-]*\w)?)"
)
_PHASE = re.compile(r"[Pp]hase\s+([\w-]+)\s*:")
_HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def tokens(view: View, facts: FileFacts) -> Iterator[Token]:
    """Keys and what the texts say, in no order."""
    tree, document = view.tree, facts.document
    inner = document if isinstance(document, RulesDocument) else getattr(document, "rules", None)
    is_plain = isinstance(inner, RulesDocument) and inner.mode == "plain"
    if is_plain:
        yield from _headings(facts.text)
    else:
        yield from comments(facts.text)
    yield from (Token(Span(*m.span()), "comment") for m in _HTML_COMMENT.finditer(facts.text))
    if isinstance(document, Commands):
        for command in document.commands:
            yield Token(command.span, "function", frozenset({"definition"}))
    commands = {command.name for command in tree.commands}
    for rule in rules_in(document):
        fate = _fate(tree, facts, rule)
        yield from _key(rule, fate)
        yield from _text(facts.text, rule, tree, commands)


def _fate(tree: Tree, facts: FileFacts, rule: Rule) -> frozenset[str]:
    """Deprecated where no domain that is on has the rule."""
    return NONE if any(domain.active for domain in domains_of(tree, facts.path, rule)) else DEAD


def _headings(text: str) -> Iterator[Token]:
    for section in markdown.outline(text).sections:
        if section.level:
            yield Token(section.title.span, "struct")


def _key(rule: Rule, fate: frozenset[str]) -> Iterator[Token]:
    """``AGENT_DEV``, ``RULE``, ``ART1`` and ``0`` of a key."""
    if not rule.key_span.length:
        return
    start, key = rule.key_span.start, rule.key
    index = _INDEX.search(key)
    end = index.start() if index else len(key)
    if index:
        yield Token(Span(*index.span(1)).shift(start), "number", fate)
    qualifier = f"ART{rule.qualifier}" if rule.kind == "article" else rule.qualifier
    kind = _QUALIFIERS.get(rule.kind, "")
    at = 0
    if rule.domain and key.startswith(rule.domain):
        at = len(rule.domain)
        owner = kind if kind and rule.domain == qualifier else "namespace"
        built_in = {"defaultLibrary"} if rule.domain.lower() in BUILT_IN else NONE
        yield Token(Span(start, start + at), owner, fate | built_in)
    place = key.find(qualifier, at, end) if kind and qualifier else -1
    if place >= 0:
        yield Token(Span(start + place, start + place + len(qualifier)), kind, fate)
    for word in _WORD.finditer(key, at, end):
        if word.group() in _FIXED and not place <= word.start() < place + len(qualifier):
            yield Token(Span(*word.span()).shift(start), "keyword", fate)


def _text(text: str, rule: Rule, tree: Tree, commands: set[str]) -> Iterator[Token]:
    phase = _PHASE.match(text, *rule.text_span)
    if phase:
        yield Token(Span(*phase.span(1)), "event")
    for found in _SAID.finditer(text, *rule.text_span):
        span = Span(*found.span())
        if found["severity"]:
            yield Token(span, "macro")
        elif found["authority"]:
            yield Token(span, "keyword")
        elif found["command"] and found["command"].lower() in commands:
            yield Token(span, "function")
        elif found["agent"] and found["agent"] in tree.agents:
            yield Token(span, "class")
