"""This module yields the semantic tokens of a manifest: domains, settings, values, and lines
without effect.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.word_matching import contains_word, fold_text
from synapse_ls.formats.manifest import (
    GLOBAL_KEYS,
    SETTINGS,
    DomainDeclaration,
    Manifest,
    ManifestEntry,
)
from synapse_ls.ide.tokens.token_legend import DEPRECATED, NO_MODIFIERS, Token
from synapse_ls.ide.tree_view import View
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span, trim_span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import BUILT_IN
from synapse_ls.workspace.tree_folders import is_in_rule_folder

_TYPE_OF_SETTING = {
    "AGENT_TRIGGER": "class",
    "WORKFLOW_TRIGGER": "interface",
    "EXTENDS": "enumMember",
    "RECALL": "string",
    "EXCLUDE": "string",
    "GLOBAL_EXCLUDE": "string",
    "PATHS": "regexp",
}
_TYPE_OF_KIND = {"state": "enumMember", "bool": "enumMember", "int": "number"}


def manifest_tokens(_: View, facts: FileFacts) -> Iterator[Token]:
    """Yields the tokens of a manifest's domains, settings and values, in no order."""
    manifest = facts.document
    if not isinstance(manifest, Manifest):
        return
    yield from comment_tokens(facts.text)
    excluded = tuple(fold_text(word) for word in manifest.global_exclude)
    dead = {name: _useless_keywords(one, excluded) for name, one in manifest.domains.items()}
    built_in = BUILT_IN if is_in_rule_folder(facts.path) else {}
    for entry in manifest.entries:
        one = manifest.domains.get(entry.domain)
        fate = DEPRECATED if _is_without_effect(entry, one) else NO_MODIFIERS
        yield from _key_tokens(entry, one, fate, built_in=entry.domain.lower() in built_in)
        yield from _value_tokens(entry, fate, dead.get(entry.domain, frozenset()))


def comment_tokens(text: str) -> Iterator[Token]:
    """Yields the tokens of a manifest's comments, the lines that begin with ``#``."""
    for start, end in iter_lines(text):
        body = trim_span(text, start, end)
        if body.length and text[body.start] == "#":
            yield Token(body, "comment")


def _useless_keywords(one: DomainDeclaration, excluded: tuple[str, ...]) -> frozenset[str]:
    """Returns the keywords of a domain that its own exclusions make useless."""
    if not one.exclude and not excluded:
        return frozenset()
    needles = (*map(fold_text, one.exclude), *excluded)
    return frozenset(
        word
        for word in one.recall
        if any(contains_word(fold_text(word), needle) for needle in needles)
    )


def _is_without_effect(entry: ManifestEntry, one: DomainDeclaration | None) -> bool:
    """Returns whether a line has no effect: unknown, set again below, or of a domain that is off."""
    if not entry.setting:
        return True
    if one is None:
        return False
    counts = one.entries.get(entry.setting)
    return (counts is not None and counts is not entry) or not one.is_active


def _key_tokens(
    entry: ManifestEntry, one: DomainDeclaration | None, fate: frozenset[str], *, built_in: bool
) -> Iterator[Token]:
    span = entry.key.span
    if not entry.setting:
        yield Token(span, "property", fate)
    elif not entry.domain:
        yield Token(span, "property", fate | {"defaultLibrary"})
    else:
        cut = span.start + len(entry.domain)
        modifiers = fate
        if one is not None and span.start == one.span.start:
            modifiers |= {"declaration"}
        if one is not None and one.non_negotiable:
            modifiers |= {"readonly"}
        if built_in:
            modifiers |= {"defaultLibrary"}
        yield Token(Span(span.start, cut), "namespace", modifiers)
        yield Token(Span(cut + 1, span.end), "property", fate)


def _value_tokens(
    entry: ManifestEntry, fate: frozenset[str], dead: frozenset[str]
) -> Iterator[Token]:
    setting = SETTINGS.get(entry.setting) or GLOBAL_KEYS.get(entry.setting)
    if setting is None:
        return
    if setting.kind == "list":
        for item in entry.items:
            is_dead = entry.setting == "RECALL" and item.value in dead
            yield Token(item.span, _TYPE_OF_SETTING[entry.setting], DEPRECATED if is_dead else fate)
    else:
        kind = _TYPE_OF_SETTING.get(entry.setting) or _TYPE_OF_KIND.get(setting.kind, "string")
        yield Token(entry.value.span, kind, fate)
