"""Compute document symbols, the outline of a file, and find workspace symbols by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from synapse_ls.formats import commands_file, constitution_file, context_file, squad_manifest
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.formats.yaml_tree import YamlNode
from synapse_ls.ide.position_lookup import heading_span
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.phrases import shorten_text
from synapse_ls.text.span import Span
from synapse_ls.workspace.fact_extraction import make_key
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import rules_in

_LONGEST = 80  # characters of a rule in the outline


class Symbol(NamedTuple):
    """One row of a document's outline ("DocumentSymbol").

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
    """Return the document symbols of a file, its outline, in text order; empty for files that have
    none.
    """
    if not facts.is_read:
        return ()
    symbols: Iterable[Symbol] = ()
    match facts.document:
        case Manifest() as manifest:
            symbols = _manifest_symbols(manifest)
        case squad_manifest.SquadDocument(root=YamlNode() as root) if facts.kind is FileKind.SQUAD:
            symbols = _squad_symbols(root)
        case WorkflowState(shape="instance", steps=steps):
            symbols = (
                Symbol(
                    step.phase or step.step_id or f"step {step.index + 1}",
                    " · ".join(filter(None, (step.agent and f"@{step.agent}", step.status))),
                    "step",
                    step.span,
                    step.span,
                )
                for step in steps
            )
        case document if facts.kind in RULE_KINDS:
            symbols = _rule_symbols(document)
    return tuple(sorted(symbols, key=lambda symbol: symbol.span))


def _parent_symbol(
    name: str, detail: str, kind: str, selection: Span, inner: Iterable[Symbol]
) -> Symbol:
    """Return a symbol that reaches over its children."""
    children = tuple(sorted(inner, key=lambda symbol: symbol.span))
    start = min((child.span.start for child in children), default=selection.start)
    end = max((child.span.end for child in children), default=selection.end)
    span = Span(min(start, selection.start), max(end, selection.end))
    return Symbol(name, detail, kind, span, selection, children)


def _manifest_symbols(manifest: Manifest) -> Iterator[Symbol]:
    settings: dict[str, list[Symbol]] = {}
    for entry in manifest.entries:
        if not entry.setting:
            continue
        key, detail = entry.key, entry.value.value
        if entry.domain in manifest.domains:
            row = Symbol(entry.setting, detail, "setting", entry.span, key.span)
            settings.setdefault(entry.domain, []).append(row)
        else:
            yield Symbol(key.value, detail, "setting", entry.span, key.span)
    for name, declaration in manifest.domains.items():
        detail = "" if declaration.is_active else "inactive"
        yield _parent_symbol(name, detail, "domain", declaration.span, settings.get(name, ()))


def _rule_symbols(document: object) -> Iterator[Symbol]:
    if isinstance(document, commands_file.StarCommands):
        for command in document.commands:
            rows = map(_rule_symbol, command.rules)
            yield _parent_symbol(f"*{command.name}", "", "command", command.span, rows)
        return
    all_rules = rules_in(document)
    # (name, detail, kind, rules) of what has rules of its own.
    groups: list[tuple[str, str, str, list[Rule]]] = []
    if isinstance(document, constitution_file.ConstitutionDocument):
        for article in document.articles:
            rules = [rule for rule in (article.title_rule, *article.rules) if rule]
            title = f"Art. {article.roman} {article.title}".rstrip()
            groups.append((title, article.severity, "article", rules))
    elif isinstance(document, context_file.ContextDocument):
        groups += [(name, "", "bracket", list(rows)) for name, rows in document.brackets.items()]
    else:
        rules_by_group = group_pairs((rule.group, rule) for rule in all_rules if rule.group)
        groups += [(name, "", "group", rows) for name, rows in rules_by_group.items()]
    spans: set[Span] = set()
    for name, detail, kind, rules in groups:
        if rules:
            spans |= {rule.span for rule in rules}
            selection = min(_selection_span(rule) for rule in rules)
            yield _parent_symbol(name, detail, kind, selection, map(_rule_symbol, rules))
    yield from (_rule_symbol(rule) for rule in all_rules if rule.span not in spans)


def _selection_span(rule: Rule) -> Span:
    return rule.key_span if rule.key_span.length else rule.text_span


def _rule_symbol(rule: Rule) -> Symbol:
    selection = _selection_span(rule)
    text = shorten_text(rule.text, _LONGEST)
    name, detail = (rule.key, text) if rule.key else (text or "(empty)", "")
    span = Span(min(rule.span.start, selection.start), max(rule.span.end, selection.end))
    return Symbol(name, detail, "rule", span, selection)


def _squad_symbols(root: YamlNode) -> Iterator[Symbol]:
    for key, value in root.pairs:
        if not key.value:
            continue
        rows: list[Symbol] = []
        for inner, items in value.pairs if key.value == "components" else ():
            files = (
                Symbol(item.value, "", "component", item.span, item.span)
                for item in items.items
                if item.kind == "scalar" and item.value and item.span.length
            )
            if inner.value:
                rows.append(_parent_symbol(inner.value, "", "component", inner.span, files))
        detail = value.value if value.kind == "scalar" else ""
        kind = "squad" if key.value == "name" else "field"
        symbol = _parent_symbol(key.value, detail, kind, key.span, rows)
        yield symbol._replace(span=Span(symbol.span.start, max(symbol.span.end, value.span.end)))


# Symbols of one answer; who looks for one of more than these types another letter.
MOST_SYMBOLS = 200

_SEPARATORS = lazy_pattern(r"[^\w]|_")
_FAMILY_OF_FILE: Mapping[FileKind, str] = {
    FileKind.AGENT: "agent",
    FileKind.WORKFLOW: "workflow",
    FileKind.TASK: "task",
    FileKind.STORY: "story",
}


@dataclass(frozen=True, slots=True)
class WorkspaceSymbol:
    """An object of the tree with a name by which an editor finds it in the workspace.

    ``kind`` is "domain", "agent", "workflow", "squad", "command", "task", "story" or "rule";
    ``container`` is where it belongs: a squad, a domain's file. ``span`` is the name in ``path``.
    """

    name: str
    kind: str
    path: str
    span: Span
    container: str


def workspace_symbols(tree: Tree, query_text: str) -> tuple[WorkspaceSymbol, ...]:
    """Return at most `MOST_SYMBOLS` symbols whose names have the letters of the query in this
    order, best first.

    Separators and letter case do not count. Without a query it is everything but rules, which are
    only looked at where fewer other names fit.
    """
    query = fold_name(query_text)
    pattern = re.compile(".*?".join(map(re.escape, query)))
    ranked = [
        ((*rank, symbol.name, symbol.path), symbol)
        for symbol in _object_symbols(tree)
        if (rank := _match_rank(pattern, query, fold_name(symbol.name)))
    ]
    if query and len(ranked) < MOST_SYMBOLS:
        for path in chain.from_iterable(map(tree.snapshot.paths, sorted(RULE_KINDS))):
            facts = tree.snapshot.facts(path)
            for rule in rules_in(facts.document) if facts else ():
                if rule.key and (rank := _match_rank(pattern, query, fold_name(rule.key))):
                    symbol = WorkspaceSymbol(rule.key, "rule", path, rule.key_span, path)
                    ranked.append(((rank[0] + 1, rank[1], rule.key, path), symbol))
    return tuple(symbol for _, symbol in sorted(ranked, key=lambda pair: pair[0])[:MOST_SYMBOLS])


def fold_name(name: str) -> str:
    """Return the name of a workspace symbol as it is searched for, without separators and letter
    case.
    """
    return _SEPARATORS.sub("", name).casefold()


def _match_rank(pattern: re.Pattern[str], query: str, name: str) -> tuple[int, int] | None:
    """Return how well a folded name fits, the smaller the better; None where it does not."""
    if name.startswith(query):
        return 0, len(name) - len(query)
    if query in name:
        return 2, len(name)
    match = pattern.search(name)
    return (4, match.end() - match.start()) if match else None


def _object_symbols(tree: Tree) -> Iterator[WorkspaceSymbol]:
    snapshot = tree.snapshot
    for domain in tree.domains:
        place = domain.declaration.span if domain.declaration else Span(0, 0)
        path = domain.manifest_path if domain.declaration else domain.file
        if path:
            yield WorkspaceSymbol(domain.label, "domain", path, place, domain.squad)
    for squad in tree.squads:
        path = squad.yaml_path or squad.manifest_path
        if facts := snapshot.facts(path):
            definitions = facts.definitions_by_key.get(make_key("squad", squad.folder), ())
            span = next((d.span for d in definitions if d.span.length), Span(0, 0))
            yield WorkspaceSymbol(squad.folder, "squad", path, span, "")
    for path in snapshot.paths_under(tree.folder, FileKind.COMMANDS)[:1]:
        for command in tree.commands:
            yield WorkspaceSymbol(f"*{command.name}", "command", path, command.span, "")
    for facts in snapshot.files(FileKind.PATTERNS, FileKind.CHAINS):
        for definition in facts.definitions:
            if definition.key[0] == "workflow":
                name = definition.span.cut(facts.text).strip("\"'")
                yield WorkspaceSymbol(name, "workflow", facts.path, definition.span, "")
    for kind, family in _FAMILY_OF_FILE.items():
        for facts in snapshot.files(kind):
            # What the file defines, at the name where it says it, else at its first heading.
            spans = (d.span for d in facts.definitions if d.key[0] == family and d.span.length)
            home = tree.home_of(facts.path).squad
            title = facts.document.title if isinstance(facts.document, StoryDocument) else ""
            span = next(spans, None) or heading_span(facts.text)
            name = f"{facts.id} {title}".strip()
            yield WorkspaceSymbol(name, family, facts.path, span, home.folder if home else "")
