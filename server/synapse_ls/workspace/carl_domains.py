"""Find the domains of a CARL tree (``.carl/``) and the file that serves each of them, in v1 and v2.

As CARL v1 looks for it, a domain's file has its name in lower case, without an extension or
with ``.env``: CUSTOM_DOMAIN is served by ``custom_domain`` and never by ``custom-domain``.
Rules count under the domain's own name only. In v2 everything is in ``carl.json``, merged
with those of the folders above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from synapse_ls.formats.carl.carl_json import CarlDocument
from synapse_ls.formats.commands_file import StarCommand
from synapse_ls.formats.manifest import DomainDeclaration, Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import BUILT_IN_CARL
from synapse_ls.workspace.naming_conventions import carl_file_names
from synapse_ls.workspace.tree_domains import Domain, manifest_in
from synapse_ls.workspace.tree_folders import CARL

COMMANDS, CONTEXT = "COMMANDS", "CONTEXT"


class ReplacedDomain(NamedTuple):
    """What a file says of a domain, bracket or star-command that the nearer file ``by`` has as
    well.

    ``domain`` goes by the name of what is replaced: "GLOBAL", "bracket FRESH" or "*brief".
    """

    domain: Domain
    rules: tuple[Rule, ...]
    by: str


@dataclass(frozen=True)
class CarlScopes:
    """A CarlScopes merges the ``carl.json`` files of a tree by path, the tree's own first, then
    the nearest above.

    As CARL v2 merges them: of each domain, bracket and star-command the nearest file that has
    it counts, with all that it says of it; so does the nearest that says anything of
    ``devmode``, and the nearest list of ``global_exclude`` that is not empty. Domains come in
    the order of the outermost file, then those that the next one adds.
    """

    files: Mapping[str, CarlDocument]

    @cached_property
    def manifest(self) -> Manifest:
        """The tree's own manifest with what the files above add to its switches."""
        documents = self.files.values()
        devmodes = (d.manifest.devmode for d in documents if d.config_value("devmode") is not None)
        words = (d.manifest.global_exclude for d in documents)
        return replace(
            next(iter(documents)).manifest,
            devmode=next(devmodes, False),
            global_exclude=next(filter(None, words), ()),
        )

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """The domains; CONTEXT and COMMANDS once for each file that something of them is from."""
        parts = {
            COMMANDS: _distinct_files(self._command_files),
            CONTEXT: _distinct_files(self._bracket_files),
        }
        names = dict.fromkeys(
            (*self._declarations, *(name for name, files in parts.items() if files))
        )
        domains: list[Domain] = []
        for name in names:
            where, declaration = self._declarations.get(name, ("", None))
            for number, path in enumerate(parts.get(name) or (where,)):
                label = f"{name} ({path})" if number else name
                domains.append(
                    _merged_domain(name, label, declaration, where or path, path, len(domains))
                )
        return tuple(domains)

    def bracket_rules(self, domain: Domain) -> Mapping[str, Sequence[Rule]]:
        """Return the rules by bracket that a part of CONTEXT contributes; none of a bracket that is
        off.
        """
        context = self.files[domain.file or ""].context
        return {
            bracket: rules
            for bracket, rules in context.brackets.items()
            if self._bracket_files.get(bracket) == domain.file
            and context.switches.get(bracket, True)
        }

    def commands(self, domain: Domain) -> Iterator[StarCommand]:
        """Yield the star-commands of a part of COMMANDS."""
        for command in self.files[domain.file or ""].commands.commands:
            if self._command_files.get(command.name) == domain.file:
                yield command

    def replaced_domains(self) -> Iterator[ReplacedDomain]:
        """Yield what never takes effect because a nearer file says it, the nearest file first."""
        for path, document in self.files.items():
            for named, of, rules, by in self._definitions_in(document):
                if by != path:
                    declaration = document.manifest.domains.get(of)
                    domain = _merged_domain(named, f"{of} ({path})", declaration, path, path, 0)
                    yield ReplacedDomain(domain, tuple(rules), by)

    def _definitions_in(
        self, document: CarlDocument
    ) -> Iterator[tuple[str, str, Iterable[Rule], str]]:
        """Yield (what it is called, its domain, its rules, the file that counts for it), for all
        that a document defines.
        """
        for name in document.manifest.domains:
            own = (rule for rule in document.rules.rules if rule.domain == name)
            yield name, name, own, self._declarations[name][0]
        for bracket in document.config_members("context_brackets"):
            rules = document.context.brackets.get(bracket, ())
            yield f"bracket {bracket}", CONTEXT, rules, self._bracket_files[bracket]
        for command in document.commands.commands:
            yield f"*{command.name}", COMMANDS, command.rules, self._command_files[command.name]

    @cached_property
    def _declarations(self) -> Mapping[str, tuple[str, DomainDeclaration]]:
        """Name → (path, declaration) of the domains, each from the nearest file."""
        declarations: dict[str, tuple[str, DomainDeclaration]] = {}
        for path, document in reversed(tuple(self.files.items())):
            declarations.update(
                (name, (path, declaration))
                for name, declaration in document.manifest.domains.items()
            )
        return declarations

    @cached_property
    def _bracket_files(self) -> Mapping[str, str]:
        """Bracket → the file that counts for it."""
        return self._nearest_files(lambda document: document.config_members("context_brackets"))

    @cached_property
    def _command_files(self) -> Mapping[str, str]:
        """Star-command → the file that counts for it."""
        return self._nearest_files(lambda document: (c.name for c in document.commands.commands))

    def _nearest_files(self, names: Callable[[CarlDocument], Iterable[str]]) -> Mapping[str, str]:
        """Return name → the first file that has it, in the order of the files."""
        files: dict[str, str] = {}
        for path, document in self.files.items():
            for name in names(document):
                files.setdefault(name, path)
        return files


def _distinct_files(parts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the files of a name-to-file map, each once."""
    return tuple(dict.fromkeys(parts.values()))


def _merged_domain(
    name: str, label: str, said: DomainDeclaration | None, manifest: str, file: str, position: int
) -> Domain:
    is_built_in = name.lower() in BUILT_IN_CARL
    return Domain(
        name, label, "", said, manifest, file, position, is_built_in, shared=True, exact=True
    )


def carl_domains(manifest: FileFacts | None, paths: Sequence[str]) -> tuple[Domain, ...]:
    """Return the domains of the manifest in its order, then built-in files that it does not
    mention.

    ``paths`` are those of the rule files in the tree's folder.
    """
    if manifest is not None and isinstance(manifest.document, CarlDocument):
        return CarlScopes({manifest.path: manifest.document}).domains
    return tuple(_domains_of_files(manifest, frozenset(paths)))


def _domains_of_files(manifest: FileFacts | None, paths: frozenset[str]) -> Iterator[Domain]:
    """Yield the domains of a CARL v1 tree."""
    document = manifest_in(manifest.document) if manifest else None
    declared = document.domains if document else {}
    names = dict.fromkeys((*declared, *(stem.upper() for stem in BUILT_IN_CARL)))
    position = 0
    for name in names:
        file = next(
            (path for path in map(_carl_path, carl_file_names(name)) if path in paths), None
        )
        declaration = declared.get(name)
        if declaration is None and file is None:
            continue
        is_built_in = name.lower() in BUILT_IN_CARL and name.isupper()
        yield Domain(
            name,
            name,
            "",
            declaration,
            manifest.path if manifest and declaration else "",
            file,
            position,
            is_built_in,
            # CONTEXT's and COMMANDS' keys begin with brackets and commands.
            shared=not is_built_in or name == "GLOBAL",
            exact=True,
        )
        position += 1


def _carl_path(name: str) -> str:
    return f"{CARL}/{name}"
