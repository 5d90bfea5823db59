"""Find workspace symbols: domains, agents, squads, rules and other objects of the tree by a few
letters of their names.

Compute document symbols, the outline of a file: domains, settings, rules, articles,
commands, steps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.constitution_file import ConstitutionDocument
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.ide.position_lookup import heading_span
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.index_keys import make_key
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import rules_in

_LONGEST = 80  # characters of a rule in the outline


@dataclass(frozen=True, slots=True)
class Symbol:
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
    make = _BY_KIND.get(facts.kind)
    symbols = make(facts.document) if make and facts.is_read else ()
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
        for bracket, own_rules in document.brackets.items():
            grouped.append((bracket, "", "bracket", list(own_rules)))
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
        listing = document if key.value == "components" else None
        detail = value.value if value.kind == "scalar" else ""
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
        whole = _parent_symbol(key.value, detail, kind, key.span, rows)
        end = max(whole.span.end, span.end)
        yield replace(whole, span=Span(min(whole.span.start, span.start), end))


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


MOST_SYMBOLS = 200
"""Symbols of one answer; who looks for one of more than these types another letter."""

_SEPARATORS = re.compile(r"[^\w]|_")
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


class _RuleKeys(NamedTuple):
    """The rule keys of a file: the folded keys, one a line, and how each is written."""

    folded: str
    rows: tuple[tuple[str, Span], ...]


_KEYS_BY_FILE: WeakKeyDictionary[FileFacts, _RuleKeys] = WeakKeyDictionary()


def workspace_symbols(tree: Tree, query_text: str) -> tuple[WorkspaceSymbol, ...]:
    """Return at most `MOST_SYMBOLS` symbols whose names have the letters of the query in this
    order, best first.

    Separators and letter case do not count. Without a query it is everything but rules, which are
    only looked at where fewer other names fit.
    """
    wanted = fold_name(query_text)
    ranked: list[tuple[tuple[int, int, str, str], WorkspaceSymbol]] = []
    pattern = re.compile(".*?".join(map(re.escape, wanted)))
    for symbol in _object_symbols(tree):
        rank = _match_rank(pattern, wanted, fold_name(symbol.name))
        if rank:
            ranked.append(((*rank, symbol.name, symbol.path), symbol))
    if wanted and len(ranked) < MOST_SYMBOLS:
        for symbol, name in _rule_matches(tree, wanted, pattern):
            rank = _match_rank(pattern, wanted, name)
            if rank:
                ranked.append(((rank[0] + 1, rank[1], symbol.name, symbol.path), symbol))
    return tuple(symbol for _, symbol in sorted(ranked, key=lambda pair: pair[0])[:MOST_SYMBOLS])


def fold_name(name: str) -> str:
    """Return the name of a workspace symbol as it is searched for, without separators and letter
    case.
    """
    return _SEPARATORS.sub("", name).casefold()


def _match_rank(pattern: re.Pattern[str], wanted: str, name: str) -> tuple[int, int] | None:
    """Return how well a folded name fits, the smaller the better; None where it does not."""
    if name.startswith(wanted):
        return 0, len(name) - len(wanted)
    if wanted in name:
        return 2, len(name)
    match = pattern.search(name)
    return (4, match.end() - match.start()) if match else None


def _object_symbols(tree: Tree) -> Iterator[WorkspaceSymbol]:
    snapshot = tree.snapshot
    for domain in tree.domains:
        if domain.declaration:
            place = domain.declaration.span
            yield WorkspaceSymbol(domain.label, "domain", domain.manifest_path, place, domain.squad)
        elif domain.file:
            yield WorkspaceSymbol(domain.label, "domain", domain.file, Span(0, 0), domain.squad)
    for squad in tree.squads:
        path = squad.yaml_path or squad.manifest_path
        facts = snapshot.facts(path)
        if facts:
            named = facts.definitions_by_key.get(make_key("squad", squad.folder), ())
            span = next(
                (definition.span for definition in named if definition.span.length), Span(0, 0)
            )
            yield WorkspaceSymbol(squad.folder, "squad", path, span, "")
    for path in snapshot.paths_under(tree.folder, FileKind.COMMANDS)[:1]:
        for command in tree.commands:
            yield WorkspaceSymbol(f"*{command.name}", "command", path, command.span, "")
    for several in (*snapshot.paths(FileKind.PATTERNS), *snapshot.paths(FileKind.CHAINS)):
        facts = snapshot.facts(several)
        for definition in facts.definitions if facts else ():
            if definition.key[0] == "workflow" and facts:
                name = definition.span.cut(facts.text).strip("\"'")
                yield WorkspaceSymbol(name, "workflow", several, definition.span, "")
    for kind, family in _FAMILY_OF_FILE.items():
        yield from _file_symbols(tree, snapshot.paths(kind), family)


def _file_symbols(tree: Tree, paths: Iterable[str], family: str) -> Iterator[WorkspaceSymbol]:
    """Yield what files define, at the name where the file says it, else at its first heading."""
    for path in paths:
        facts = tree.snapshot.facts(path)
        if facts is None:
            continue
        own = (
            definition.span
            for definition in facts.definitions
            if definition.key[0] == family and definition.span.length
        )
        squad = tree.home_of(path).squad
        title = getattr(facts.document, "title", "") if family == "story" else ""
        name = f"{facts.id} {title}".strip()
        span = next(own, None) or heading_span(facts.text)
        yield WorkspaceSymbol(name, family, path, span, squad.folder if squad else "")


def _rule_matches(
    tree: Tree, wanted: str, pattern: re.Pattern[str]
) -> Iterator[tuple[WorkspaceSymbol, str]]:
    """Yield the rules whose folded keys have the letters side by side; where none has, in this
    order.
    """
    files = []
    for kind in sorted(RULE_KINDS):
        for path in tree.snapshot.paths(kind):
            facts = tree.snapshot.facts(path)
            keys = _rule_keys(facts) if facts else None
            if keys is not None:
                files.append((path, keys))
    exact = [(path, keys) for path, keys in files if wanted in keys.folded]
    literal = re.compile(re.escape(wanted))
    for path, keys in exact or files:
        key_pattern = literal if exact else pattern
        line = at = 0
        last = -1
        for match in key_pattern.finditer(keys.folded):
            line += keys.folded.count("\n", at, match.start())
            at = match.start()
            if line != last:
                last = line
                start = keys.folded.rfind("\n", 0, at) + 1
                end = keys.folded.find("\n", at)
                written, span = keys.rows[line]
                name = keys.folded[start:] if end < 0 else keys.folded[start:end]
                yield WorkspaceSymbol(written, "rule", path, span, path), name


def _rule_keys(facts: FileFacts) -> _RuleKeys | None:
    rules = _KEYS_BY_FILE.get(facts)
    if rules is None:
        rows = tuple((r.key, r.key_span) for r in rules_in(facts.document) if r.key)
        rules = _KEYS_BY_FILE[facts] = _RuleKeys("\n".join(fold_name(key) for key, _ in rows), rows)
    return rules if rules.rows else None
