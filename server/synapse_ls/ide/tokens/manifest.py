"""Tokens of a manifest."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.words import contains, fold
from synapse_ls.formats.manifest import GLOBAL_KEYS, SETTINGS, Declaration, Manifest, ManifestEntry
from synapse_ls.ide.tokens.paint import DEAD, NONE, Token
from synapse_ls.ide.view import View
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.span import Span, trim
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.folders import is_rule_folder
from synapse_ls.workspace.kinds import BUILT_IN

_VALUES = {
    "AGENT_TRIGGER": "class",
    "WORKFLOW_TRIGGER": "interface",
    "EXTENDS": "enumMember",
    "RECALL": "string",
    "EXCLUDE": "string",
    "GLOBAL_EXCLUDE": "string",
    "PATHS": "regexp",
}
_KINDS = {"state": "enumMember", "bool": "enumMember", "int": "number"}


def tokens(_: View, facts: FileFacts) -> Iterator[Token]:
    """Domains, settings and values, in no order."""
    manifest = facts.document
    if not isinstance(manifest, Manifest):
        return
    yield from comments(facts.text)
    excluded = tuple(fold(word) for word in manifest.global_exclude)
    dead = {name: _dead(one, excluded) for name, one in manifest.domains.items()}
    built_in = BUILT_IN if is_rule_folder(facts.path) else {}
    for entry in manifest.entries:
        one = manifest.domains.get(entry.domain)
        fate = DEAD if _is_dead(entry, one) else NONE
        yield from _key(entry, one, fate, built_in=entry.domain.lower() in built_in)
        yield from _value(entry, fate, dead.get(entry.domain, frozenset()))


def comments(text: str) -> Iterator[Token]:
    """The lines that begin with ``#``."""
    for start, end in iter_lines(text):
        body = trim(text, start, end)
        if body.length and text[body.start] == "#":
            yield Token(body, "comment")


def _dead(one: Declaration, excluded: tuple[str, ...]) -> frozenset[str]:
    """The keywords of a domain that its own exclusions make useless."""
    if not one.exclude and not excluded:
        return frozenset()
    needles = (*map(fold, one.exclude), *excluded)
    return frozenset(
        word for word in one.recall if any(contains(fold(word), needle) for needle in needles)
    )


def _is_dead(entry: ManifestEntry, one: Declaration | None) -> bool:
    """Whether a line has no effect: unknown, set again below, or of a domain that is off."""
    if not entry.setting:
        return True
    if one is None:
        return False
    counts = one.entries.get(entry.setting)
    return (counts is not None and counts is not entry) or not one.active


def _key(
    entry: ManifestEntry, one: Declaration | None, fate: frozenset[str], *, built_in: bool
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


def _value(entry: ManifestEntry, fate: frozenset[str], dead: frozenset[str]) -> Iterator[Token]:
    setting = SETTINGS.get(entry.setting) or GLOBAL_KEYS.get(entry.setting)
    if setting is None:
        return
    if setting.kind == "list":
        for item in entry.items:
            is_dead = entry.setting == "RECALL" and item.value in dead
            yield Token(item.span, _VALUES[entry.setting], DEAD if is_dead else fate)
    else:
        kind = _VALUES.get(entry.setting) or _KINDS.get(setting.kind, "string")
        yield Token(entry.value.span, kind, fate)
