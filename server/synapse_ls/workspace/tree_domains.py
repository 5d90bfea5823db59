"""This module finds the domains of one tree folder (the root or a squad) and the file that
serves each of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.constitution_file import ConstitutionDocument
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.domain_rules import Rule, RulesDocument, rule_prefixes
from synapse_ls.formats.manifest import DomainDeclaration, Manifest
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import BUILT_IN
from synapse_ls.workspace.naming_conventions import (
    EXTENSIONS,
    SQUAD_RULES,
    namespaced_domain,
    rule_file_names,
)

SHARED_FILES = tuple(f"{SQUAD_RULES}{extension}" for extension in EXTENSIONS)
"""In a squad, the file of the domains that have none of their own."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A Domain is a named rule set and the file that serves it.

    ``name`` is as declared, ``label`` the name in the whole tree (in a squad with its
    namespace). ``squad`` is the squad's folder name, empty for the root. ``declaration`` and
    ``manifest_path`` are None and empty for a built-in file that no manifest mentions. ``file``
    is a path, None where the domain has no file. ``position`` counts within the manifest;
    undeclared built-ins follow. ``builtin``: a root domain with a meaning of its own
    (constitution, global, context, commands). ``shared``: the file serves other domains too, so
    only rules under this one's prefix are its own. ``exact``: no other name of the domain may
    stand before ``_RULE_`` in its keys, as in CARL.
    """

    name: str
    label: str
    squad: str
    declaration: DomainDeclaration | None
    manifest_path: str
    file: str | None
    position: int
    builtin: bool
    shared: bool = False
    exact: bool = False

    @property
    def is_active(self) -> bool:
        """Tells whether the domain is switched on; an undeclared built-in is."""
        return self.declaration is None or self.declaration.is_active

    @property
    def prefixes(self) -> frozenset[str]:
        """Returns what the keys of the domain's rules may begin with."""
        if self.exact:
            return frozenset({self.name})
        found = {self.label, *rule_prefixes(self.name, "")}
        if self.declaration:
            found |= rule_prefixes(self.name, self.declaration.agent_trigger)
            found |= rule_prefixes(self.name, self.declaration.workflow_trigger)
        return frozenset(found)

    def owns(self, rule: Rule) -> bool:
        """Checks whether a rule of the file that serves the domain is its own."""
        if not self.shared:
            return True
        if self.exact and rule.kind in _CARL_KEY_OWNERS:
            return self.builtin and self.name == _CARL_KEY_OWNERS[rule.kind]
        return rule.domain in self.prefixes


_CARL_KEY_OWNERS = {"bracket": "CONTEXT", "command": "COMMANDS"}
"""Rules whose keys have in CARL something else where a domain would be, and whose they are."""


def root_domains(manifest: FileFacts | None, files: Mapping[str, str]) -> tuple[Domain, ...]:
    """Returns the domains of a root: those of the manifest, then built-in files that it does not
    mention.

    ``files`` are the rule files in the tree's folder: name -> path.
    """
    found = [
        Domain(
            name,
            name,
            "",
            declaration,
            manifest.path if manifest else "",
            _find_own_file(name, files),
            position,
            name.lower() in BUILT_IN,
        )
        for position, (name, declaration) in enumerate(_declarations_in(manifest))
    ]
    present = {domain.name.upper() for domain in found}
    for stem in BUILT_IN:
        name = stem.upper()
        file = _find_own_file(name, files)
        if name not in present and file:
            found.append(Domain(name, name, "", None, "", file, len(found), builtin=True))
    return tuple(found)


def squad_domains(
    folder: str, manifest: FileFacts | None, files: Mapping[str, str], shared: FileFacts | None
) -> tuple[Domain, ...]:
    """Returns the domains that a squad's manifest declares.

    A domain without a file of its own is served by ``shared``, the squad's file ``rules``: the
    only such domain by all of it, each of several by the rules whose keys carry its prefix. In
    plain text nothing tells several domains apart, so there it serves none of them.
    """
    own = [
        Domain(
            name,
            namespaced_domain(folder, name),
            folder,
            declaration,
            manifest.path if manifest else "",
            _find_own_file(name, files),
            position,
            builtin=False,
        )
        for position, (name, declaration) in enumerate(_declarations_in(manifest))
    ]
    homeless = [domain for domain in own if domain.file is None]
    if shared is None or any(domain.file == shared.path for domain in own):
        return tuple(own)
    several = len(homeless) > 1
    carried = {rule.domain for rule in rules_in(shared.document)}
    return tuple(
        replace(domain, file=shared.path, shared=several)
        if domain.file is None and (not several or domain.prefixes & carried)
        else domain
        for domain in own
    )


def manifest_in(document: object) -> Manifest | None:
    """Returns the manifest in a document: all of it, or a part of CARL's one file; None for none."""
    if document is None or isinstance(document, Manifest):
        return document
    from synapse_ls.formats.carl.carl_json import CarlDocument

    return document.manifest if isinstance(document, CarlDocument) else None


def commands_in(document: object) -> StarCommands | None:
    """Returns the star-commands in a document that serves a tree's domains: all of it, or a part of
    CARL's one file; None for none.
    """
    if document is None or isinstance(document, StarCommands):
        return document
    from synapse_ls.formats.carl.carl_json import CarlDocument

    return document.commands if isinstance(document, CarlDocument) else None


def rules_in(document: object) -> tuple[Rule, ...]:
    """Returns every rule of a rule file's document, of whatever kind it is, in the order of the
    file.
    """
    if isinstance(document, RulesDocument):
        return document.rules
    if isinstance(document, (ContextDocument, ConstitutionDocument)):
        return document.rules.rules
    if isinstance(document, StarCommands):
        rules = (rule for command in document.commands for rule in command.rules)
        return tuple(sorted(rules, key=lambda rule: rule.span))
    if document is None:
        return ()
    from synapse_ls.formats.carl.carl_json import CarlDocument

    if isinstance(document, CarlDocument):
        parts = (document.rules, document.context, document.commands)
        return tuple(sorted((r for part in parts for r in rules_in(part)), key=lambda r: r.span))
    return ()


def rules_of(domain: Domain, facts: FileFacts | None) -> tuple[Rule, ...]:
    """Returns the rules of a domain in the order of its file; ``facts`` are those of that file."""
    rules = rules_in(facts.document) if facts else ()
    return tuple(filter(domain.owns, rules)) if domain.shared else rules


def _declarations_in(manifest: FileFacts | None) -> Collection[tuple[str, DomainDeclaration]]:
    document = manifest_in(manifest.document) if manifest else None
    return document.domains.items() if document else ()


def _find_own_file(domain: str, files: Mapping[str, str]) -> str | None:
    return next((files[name] for name in rule_file_names(domain) if name in files), None)
