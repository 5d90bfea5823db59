"""This module computes document symbols, the outline of a file: domains, settings, rules, articles,
commands, steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.constitution_file import ConstitutionDocument
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.domain_rules import Rule
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.formats.yaml_tree import YamlNode
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.tree_domains import rules_in

_LONGEST = 80  # characters of a rule in the outline


@dataclass(frozen=True, slots=True)
class Symbol:
    """A Symbol is one row of a document's outline ("DocumentSymbol").

    ``kind`` is "domain", "setting", "group", "rule", "article", "bracket", "command", "squad",
    "component", "field" or "step". ``selection`` is the name, inside ``span``; children lie inside
    ``span`` too.
    """

    name: str
    detail: str
    kind: str
    span: Span
    selection: Span
    children: tuple[Symbol, ...] = ()


def document_symbols(facts: FileFacts) -> tuple[Symbol, ...]:
    """Returns the document symbols of a file, its outline, in text order; empty for files that have
    none.
    """
    make = _BY_KIND.get(facts.kind)
    made = make(facts.document) if make and facts.is_read else ()
    return tuple(sorted(made, key=lambda symbol: symbol.span))


def _parent_symbol(
    name: str, detail: str, kind: str, selection: Span, inner: Iterable[Symbol]
) -> Symbol:
    """Returns a symbol that reaches over its children."""
    children = tuple(sorted(inner, key=lambda symbol: symbol.span))
    start = min((child.span.start for child in children), default=selection.start)
    end = max((child.span.end for child in children), default=selection.end)
    span = Span(min(start, selection.start), max(end, selection.end))
    return Symbol(name, detail, kind, span, selection, children)


def _manifest_symbols(manifest: Any) -> Iterator[Symbol]:
    if not isinstance(manifest, Manifest):
        return
    settings: dict[str, list[Symbol]] = {}
    for entry in manifest.entries:
        if not entry.setting:
            continue
        selection = entry.key.span
        row = Symbol(entry.setting, entry.value.value, "setting", entry.span, selection)
        if entry.domain in manifest.domains:
            settings.setdefault(entry.domain, []).append(row)
        else:
            yield replace(row, name=entry.key.value)
    for name, declaration in manifest.domains.items():
        detail = "" if declaration.is_active else "inactive"
        yield _parent_symbol(name, detail, "domain", declaration.span, settings.get(name, ()))


def _rule_symbols(document: Any) -> Iterator[Symbol]:
    if isinstance(document, StarCommands):
        for command in document.commands:
            rows = map(_rule_symbol, command.rules)
            yield _parent_symbol(f"*{command.name}", "", "command", command.span, rows)
        return
    grouped: list[tuple[str, str, str, list[Rule]]] = []
    if isinstance(document, ConstitutionDocument):
        for article in document.articles:
            own = [*([article.title_rule] if article.title_rule else []), *article.rules]
            title = f"Art. {article.roman} {article.title}".rstrip()
            grouped.append((title, article.severity, "article", own))
    elif isinstance(document, ContextDocument):
        for bracket, found in document.brackets.items():
            grouped.append((bracket, "", "bracket", list(found)))
    else:
        groups: dict[str, list[Rule]] = {}
        for rule in rules_in(document):
            if rule.group:
                groups.setdefault(rule.group, []).append(rule)
        grouped += [(name, "", "group", own) for name, own in groups.items()]
    within: set[Span] = set()
    for name, detail, kind, rules in grouped:
        if rules:
            within |= {rule.span for rule in rules}
            selection = min(_selection_span(rule) for rule in rules)
            yield _parent_symbol(name, detail, kind, selection, map(_rule_symbol, rules))
    yield from (_rule_symbol(rule) for rule in rules_in(document) if rule.span not in within)


def _selection_span(rule: Rule) -> Span:
    return rule.key_span if rule.key_span.length else rule.text_span


def _rule_symbol(rule: Rule) -> Symbol:
    selection = _selection_span(rule)
    text = rule.text if len(rule.text) <= _LONGEST else f"{rule.text[: _LONGEST - 1]}…"
    name, detail = (rule.key, text) if rule.key else (text or "(empty)", "")
    span = Span(min(rule.span.start, selection.start), max(rule.span.end, selection.end))
    return Symbol(name, detail, "rule", span, selection)


def _squad_symbols(document: Any) -> Iterator[Symbol]:
    root = document.root if isinstance(document, SquadDocument) else None
    if root is None:
        return
    for key, value in root.pairs:
        if not key.value:
            continue
        kind = "squad" if key.value == "name" else "field"
        yield _field_symbol(key, value, kind, document if key.value == "components" else None)


def _field_symbol(
    key: YamlNode, value: YamlNode, kind: str, listing: SquadDocument | None
) -> Symbol:
    shown = value.value if value.kind == "scalar" else ""
    span = Span(key.span.start, max(key.span.end, value.span.end))
    rows: list[Symbol] = []
    for inner, items in value.pairs if listing else ():
        files = (
            Symbol(item.value, "", "component", item.span, item.span)
            for item in items.items
            if item.kind == "scalar" and item.value and item.span.length
        )
        if inner.value:
            rows.append(_parent_symbol(inner.value, "", "component", inner.span, files))
    whole = _parent_symbol(key.value, shown, kind, key.span, rows)
    end = max(whole.span.end, span.end)
    return replace(whole, span=Span(min(whole.span.start, span.start), end))


def _state_symbols(document: Any) -> Iterator[Symbol]:
    if not isinstance(document, WorkflowState) or document.shape != "instance":
        return
    for step in document.steps:
        name = step.phase or step.step_id or f"step {step.index + 1}"
        detail = " · ".join(
            part for part in (f"@{step.agent}" if step.agent else "", step.status) if part
        )
        yield Symbol(name, detail, "step", step.span, step.span)


_BY_KIND: Mapping[FileKind, Callable[[Any], Iterable[Symbol]]] = {
    FileKind.MANIFEST: _manifest_symbols,
    **dict.fromkeys(RULE_KINDS, _rule_symbols),
    FileKind.SQUAD: _squad_symbols,
    FileKind.WORKFLOW_STATE: _state_symbols,
}
