"""A ``.carl/`` tree → the fields of a plan.

Rules are counted from 0 in the order of their file, whatever numbers their keys have, as CARL shows
them. What only SYNAPSE has (agents, workflows, tasks, squads) takes no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from marshal import dumps
from typing import Any

from synapse_ls.engine import settings
from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.matching import EXCLUDE, GLOBAL_EXCLUDE, RECALL, compile_table
from synapse_ls.engine.plan import DOMAIN_FIELDS
from synapse_ls.formats.carl.document import CarlDocument, Decision
from synapse_ls.formats.commands import Command
from synapse_ls.formats.context import ContextDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.rules import Rule
from synapse_ls.workspace.domains import Domain, commands_in, manifest_in, rules_of
from synapse_ls.workspace.folders import CARL
from synapse_ls.workspace.tree import Tree

ROLES = {"GLOBAL": "global", "CONTEXT": "context", "COMMANDS": "commands"}

_SHOWN = 120  # code points of keywords that the list of other domains has for each

RowFields = tuple[Any, ...]


def fields(tree: Tree, table: dict[str, Any], *, standing: bool = False) -> dict[str, Any]:
    """The fields of the plan of ``tree``; see `compile_plan` for ``standing``."""
    config = tree.snapshot.config
    domains = _domains(tree) if tree.folder == CARL else ()
    if standing:
        domains = tuple(domain for domain in domains if _stands(domain))
    manifest = _manifest(tree) if domains else None
    keywords = [(word, -1, GLOBAL_EXCLUDE) for word in manifest.global_exclude] if manifest else []
    for position, domain in enumerate(domains):
        keywords += _keywords(position, domain)
    known = settings.settings(config)
    return {
        "settings": {
            **known,
            "matching": config.matching or table.get("matching", "substring"),
            "match_everything": True,  # CARL knows of neither code nor pastes
        },
        "packed": tuple(
            dumps((*_values(tree, position, domain), tuple(_rows(tree, domain))))
            for position, domain in enumerate(domains)
        ),
        "labels": {domain.label: position for position, domain in enumerate(domains)},
        "always": tuple(i for i, domain in enumerate(domains) if _stands(domain)),
        "keywords": compile_table(keywords),
        "commands": dict(_commands(tree, domains)),
        "devmode": settings.devmode(config, manifest),
        "extra": {
            "available": tuple(_available(domains)),
            "replaced": () if standing or not domains else tuple(_replaced(tree)),
        },
    }


def _domains(tree: Tree) -> tuple[Domain, ...]:
    """The domains of the tree, and in CARL v2 those of the files above it."""
    return tree.scopes.domains if tree.scopes else tree.root.domains


def _manifest(tree: Tree) -> Manifest | None:
    if tree.scopes:
        return tree.scopes.manifest
    return manifest_in(tree.manifest.document) if tree.manifest else None


def _stands(domain: Domain) -> bool:
    """Whether a domain is there without a keyword."""
    return domain.builtin or (domain.declaration is not None and domain.declaration.always_on)


def _keywords(position: int, domain: Domain) -> Iterator[tuple[str, int, int]]:
    """The words of a domain that waits for some."""
    said = domain.declaration
    if said is None or _stands(domain):
        return
    yield from ((word, position, RECALL) for word in said.recall)
    yield from ((word, position, EXCLUDE) for word in said.exclude)


def _values(tree: Tree, position: int, domain: Domain) -> RowFields:
    said = domain.declaration
    facts = tree.snapshot.facts(domain.manifest_path) if said else None
    values: dict[str, Any] = {
        "position": position,
        "name": domain.name,
        "label": domain.label,
        "squad": -1,
        "role": ROLES.get(domain.name, "") if domain.builtin else "",
        "active": domain.active,
        "always_on": said is not None and said.always_on,
        "non_negotiable": False,
        "agent": "",
        "workflow": "",
        "recall": tuple(said.recall) if said else (),
        "exclude": tuple(said.exclude) if said else (),
        "paths": (),
        "every_n_turns": 0,
        "on_tokens": 0,
        "overrides": (),
        "file": domain.file or "",
        "manifest": domain.manifest_path,
        "line": facts.lines.line_of(said.span.start) if facts and said else 0,
    }
    return tuple(values[name] for name in DOMAIN_FIELDS)


def _rows(tree: Tree, domain: Domain) -> Iterator[RowFields]:
    """The rules of a domain in the order of its file."""
    facts = tree.snapshot.facts(domain.file) if domain.file else None
    document = facts.document if facts else None
    one_file = document if isinstance(document, CarlDocument) else None
    if domain.builtin and domain.name == "CONTEXT":
        if tree.scopes:
            yield from _bracket_rows(tree.scopes.bracket_rules(domain))
        elif isinstance(document, ContextDocument):
            yield from _numbered(document.general, "rule", "")
            yield from _bracket_rows(_switched_on(document))
    elif domain.builtin and domain.name == "COMMANDS":
        for command in _commands_of(tree, domain):
            yield from _numbered(command.rules, "command", command.name)
    else:
        yield from _numbered(rules_of(domain, facts), "rule", "")
        yield from _decided(one_file.decisions if one_file else (), domain)


def _replaced(tree: Tree) -> Iterator[tuple[bytes, str]]:
    """What a nearer ``carl.json`` replaces, packed as a domain, and that file: nothing a prompt needs."""
    for domain, rules, by in tree.scopes.replaced() if tree.scopes else ():
        rows = tuple(_numbered(rules, "replaced", ""))
        yield dumps((*_values(tree, -1, domain), rows)), by


def _switched_on(context: ContextDocument) -> dict[str, tuple[Rule, ...]]:
    return {b: rules for b, rules in context.brackets.items() if context.switches.get(b, True)}


def _bracket_rows(brackets: Mapping[str, Iterable[Rule]]) -> Iterator[RowFields]:
    for bracket, rules in brackets.items():
        yield from _numbered(rules, "bracket", bracket)


def _commands_of(tree: Tree, domain: Domain) -> Iterable[Command]:
    """The star-commands of COMMANDS, or of the part of it that is from one file."""
    if tree.scopes:
        return tree.scopes.commands(domain)
    facts = tree.snapshot.facts(domain.file) if domain.file else None
    found = commands_in(facts.document) if facts else None
    return found.commands if found else ()


def _numbered(rules: Iterable[Rule], kind: str, qualifier: str) -> Iterator[RowFields]:
    # What holds nothing but control characters says nothing.
    telling = (rule for rule in sorted(rules, key=lambda rule: rule.span) if neutralise(rule.text))
    for number, rule in enumerate(telling):
        yield _row(replace(rule, index=number), kind, qualifier)


def _row(rule: Rule, kind: str, qualifier: str) -> RowFields:
    told = neutralise(rule.text)
    return (rule.key, kind, rule.index, told, "", "", qualifier, rule.line, text_hash(told))


def _decided(decisions: Iterable[Decision], domain: Domain) -> Iterator[RowFields]:
    """What was decided for a domain and still holds (CARL v2), told with its rules."""
    for one in decisions:
        if one.domain != domain.name or not one.told:
            continue
        told = neutralise(one.told)
        key = one.id or "decision"
        yield (key, "plain", None, told, "DECIDED", "", "", one.line, text_hash(told))


def _commands(
    tree: Tree, domains: Iterable[Domain]
) -> Iterator[tuple[str, tuple[str, tuple[RowFields, ...]]]]:
    for domain in domains:
        if not (domain.builtin and domain.name == "COMMANDS"):
            continue
        for command in _commands_of(tree, domain):
            rows = tuple(_numbered(command.rules, "command", command.name))
            if rows:
                yield command.name, (domain.file or "", rows)


def _available(domains: Iterable[Domain]) -> Iterator[tuple[int, str, bool, str, str]]:
    """(position, label, whether it is on, keywords, file) of what waits for keywords."""
    for position, domain in enumerate(domains):
        said = domain.declaration
        if said is None or _stands(domain) or not domain.file:
            continue
        words = ", ".join(said.recall)
        shown = words if len(words) <= _SHOWN else f"{words[:_SHOWN].rpartition(',')[0]}, …"
        yield position, domain.label, domain.active, shown, neutralise(domain.file)
