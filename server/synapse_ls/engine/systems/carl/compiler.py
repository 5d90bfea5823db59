"""Compile a ``.carl/`` tree into the fields of a plan.

Rules are numbered from 0 in the order of their file, whatever their keys say, as CARL shows them.
What only SYNAPSE has (agents, workflows, tasks, squads) has no effect.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from synapse_ls.engine import plan_compiler
from synapse_ls.engine.compiled_plan import pack_domain
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.engine.word_matching import EXCLUDE, GLOBAL_EXCLUDE, RECALL, compile_keywords
from synapse_ls.formats import commands_file, context_file
from synapse_ls.formats.carl.carl_json import CarlDocument
from synapse_ls.formats.rule import Rule
from synapse_ls.text import digest, prohibition_words
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain, commands_in, manifest_in, rules_of
from synapse_ls.workspace.tree_folders import CARL

ROLES = {"GLOBAL": "global", "CONTEXT": "context", "COMMANDS": "commands"}

_MAX_KEYWORDS_LENGTH = 120  # code points of keywords that the list of other domains has for each

Values = tuple[Any, ...]


def plan_fields(tree: Tree, table: dict[str, Any], *, standing: bool = False) -> dict[str, Any]:
    """Return the plan fields of a CARL tree; see `compile_plan` for ``standing``."""
    config = tree.snapshot.config
    domains = (
        (tree.carl_scopes.domains if tree.carl_scopes else tree.root.domains)
        if tree.folder == CARL
        else ()
    )
    if standing:
        domains = tuple(domain for domain in domains if _is_always_there(domain))
    manifest = None
    if domains and tree.carl_scopes:
        manifest = tree.carl_scopes.manifest
    elif domains and tree.manifest:
        manifest = manifest_in(tree.manifest.document)
    keywords = [(word, -1, GLOBAL_EXCLUDE) for word in manifest.global_exclude] if manifest else []
    for position, domain in enumerate(domains):
        if domain.declaration and not _is_always_there(domain):
            keywords += [(word, position, RECALL) for word in domain.declaration.recall]
            keywords += [(word, position, EXCLUDE) for word in domain.declaration.exclude]
    scopes = tree.carl_scopes if domains and not standing else None
    return {
        "settings": {
            **plan_compiler.engine_settings(config),
            "matching": config.matching or table.get("matching", "substring"),
            "match_everything": True,  # CARL knows of neither code nor pastes
        },
        "packed": tuple(
            pack_domain(_domain_values(tree, position, domain), _domain_rules(tree, domain))
            for position, domain in enumerate(domains)
        ),
        "labels": {domain.label: position for position, domain in enumerate(domains)},
        "always": tuple(i for i, domain in enumerate(domains) if _is_always_there(domain)),
        "keywords": compile_keywords(keywords),
        "commands": dict(_command_table(tree, domains)),
        "devmode": plan_compiler.is_devmode_on(config, manifest),
        "extra": {
            "available": tuple(_available_domains(domains)),
            # What a nearer `carl.json` replaces, packed as a domain, and that file: nothing a
            # prompt needs.
            "replaced": tuple(
                (
                    pack_domain(
                        _domain_values(tree, -1, domain), _numbered_rules(rules, "replaced", "")
                    ),
                    by,
                )
                for domain, rules, by in (scopes.replaced_domains() if scopes else ())
            ),
        },
    }


def _is_always_there(domain: Domain) -> bool:
    """Check whether a domain is there without a keyword."""
    return domain.builtin or (domain.declaration is not None and domain.declaration.always_on)


def _domain_values(tree: Tree, position: int, domain: Domain) -> Values:
    declaration = domain.declaration
    facts = tree.snapshot.facts(domain.manifest_path) if declaration else None
    return plan_compiler.make_domain_fields(
        position,
        domain.label,
        name=domain.name,
        role=ROLES.get(domain.name, "") if domain.builtin else "",
        active=domain.is_active,
        always_on=declaration is not None and declaration.always_on,
        recall=tuple(declaration.recall) if declaration else (),
        exclude=tuple(declaration.exclude) if declaration else (),
        file=domain.file or "",
        manifest=domain.manifest_path,
        line=facts.lines.line_of(declaration.span.start) if facts and declaration else 0,
    )


def _domain_rules(tree: Tree, domain: Domain) -> Iterator[Rule]:
    """Yield the rules of a domain in the order of its file."""
    facts = tree.snapshot.facts(domain.file) if domain.file else None
    document = facts.document if facts else None
    if domain.builtin and domain.name == "CONTEXT":
        brackets: Mapping[str, Iterable[Rule]] = {}
        if tree.carl_scopes:
            brackets = tree.carl_scopes.bracket_rules(domain)
        elif isinstance(document, context_file.ContextDocument):
            yield from _numbered_rules(document.general, "rule", "")
            brackets = {
                bracket: rules
                for bracket, rules in document.brackets.items()
                if document.switches.get(bracket, True)
            }
        for bracket, rules in brackets.items():
            yield from _numbered_rules(rules, "bracket", bracket)
    elif domain.builtin and domain.name == "COMMANDS":
        for command in _find_commands(tree, domain):
            yield from _numbered_rules(command.rules, "command", command.name)
    else:
        yield from _numbered_rules(rules_of(domain, facts), "rule", "")
        # What was decided for a domain and still holds stands with its rules (CARL v2).
        for decision in document.decisions if isinstance(document, CarlDocument) else ():
            if decision.domain != domain.name or not decision.agent_text:
                continue
            text = neutralise_text(decision.agent_text)
            key = decision.id or "decision"
            place = ("DECIDED", "", "", decision.line, digest.hash_text(text))
            yield Rule(key, "plain", None, text, *place, prohibition_words.forbids(text))


def _find_commands(tree: Tree, domain: Domain) -> Iterable[commands_file.StarCommand]:
    """Return the star-commands of COMMANDS, or of the part of it that is from one file."""
    if tree.carl_scopes:
        return tree.carl_scopes.commands(domain)
    facts = tree.snapshot.facts(domain.file) if domain.file else None
    commands = commands_in(facts.document) if facts else None
    return commands.commands if commands else ()


def _numbered_rules(rules: Iterable[Rule], kind: str, qualifier: str) -> Iterator[Rule]:
    # What holds nothing but control characters says nothing.
    telling = (
        rule for rule in sorted(rules, key=lambda rule: rule.span) if neutralise_text(rule.text)
    )
    for number, rule in enumerate(telling):
        text = neutralise_text(rule.text)
        place = ("", "", qualifier, rule.line, digest.hash_text(text))
        yield Rule(rule.key, kind, number, text, *place, prohibition_words.forbids(text))


def _command_table(
    tree: Tree, domains: Iterable[Domain]
) -> Iterator[tuple[str, tuple[str, tuple[Values, ...]]]]:
    for domain in domains:
        if not (domain.builtin and domain.name == "COMMANDS"):
            continue
        for command in _find_commands(tree, domain):
            rules = _numbered_rules(command.rules, "command", command.name)
            if values := tuple(rule.values for rule in rules):
                yield command.name, (domain.file or "", values)


def _available_domains(domains: Iterable[Domain]) -> Iterator[tuple[int, str, bool, str, str]]:
    """Yield (position, label, whether it is on, keywords, file) of what waits for keywords."""
    for position, domain in enumerate(domains):
        declaration = domain.declaration
        if declaration is None or _is_always_there(domain) or not domain.file:
            continue
        words = ", ".join(declaration.recall)
        names = (
            words
            if len(words) <= _MAX_KEYWORDS_LENGTH
            else f"{words[:_MAX_KEYWORDS_LENGTH].rpartition(',')[0]}, …"
        )
        yield position, domain.label, domain.is_active, names, neutralise_text(domain.file)
