"""Find the domains of a CARL tree (``.carl/``), in v1 and v2, and the file of each.

In v1 a file has its domain's name in lower case, with ``.env`` or no extension: CUSTOM_DOMAIN is
``custom_domain``, never ``custom-domain``. Only rules under the domain's own name count. In v2
everything is in ``carl.json``, merged with those of the folders above.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from synapse_ls.formats.carl.carl_json import CarlDocument
from synapse_ls.formats.commands_file import StarCommand
from synapse_ls.formats.manifest import DomainDeclaration, Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.workspace import file_kinds, tree_folders
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.naming_conventions import carl_file_names
from synapse_ls.workspace.tree_domains import Domain, manifest_in

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
        return next(iter(documents)).manifest._replace(
            devmode=next(devmodes, False), global_exclude=next(filter(None, words), ())
        )

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """The domains; CONTEXT and COMMANDS once for each file that something of them is from."""
        parts = {
            COMMANDS: tuple(dict.fromkeys(self._command_files.values())),
            CONTEXT: tuple(dict.fromkeys(self._bracket_files.values())),
        }
        parts = {name: files for name, files in parts.items() if files}
        names = dict.fromkeys((*self._declarations, *parts))
        domains: list[Domain] = []
        for name in names:
            where, declaration = self._declarations.get(name, ("", None))
            for number, path in enumerate(parts.get(name, (where,))):
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
            # (what it is called, its domain, its rules, the file that counts for it)
            definitions: list[tuple[str, str, Iterable[Rule], str]] = [
                (
                    name,
                    name,
                    [rule for rule in document.rules.rules if rule.domain == name],
                    self._declarations[name][0],
                )
                for name in document.manifest.domains
            ]
            definitions += [
                (
                    f"bracket {bracket}",
                    CONTEXT,
                    document.context.brackets.get(bracket, ()),
                    self._bracket_files[bracket],
                )
                for bracket in document.named_brackets
            ]
            definitions += [
                (f"*{command.name}", COMMANDS, command.rules, self._command_files[command.name])
                for command in document.commands.commands
            ]
            for name, of, rules, by in definitions:
                if by != path:
                    declaration = document.manifest.domains.get(of)
                    domain = _merged_domain(name, f"{of} ({path})", declaration, path, path, 0)
                    yield ReplacedDomain(domain, tuple(rules), by)

    @cached_property
    def _declarations(self) -> Mapping[str, tuple[str, DomainDeclaration]]:
        """Name → (path, declaration) of the domains, each from the nearest file."""
        return {
            name: (path, declaration)
            for path, document in reversed(tuple(self.files.items()))
            for name, declaration in document.manifest.domains.items()
        }

    @cached_property
    def _bracket_files(self) -> Mapping[str, str]:
        """Bracket → the file that counts for it."""
        return self._nearest_files(lambda document: document.named_brackets)

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


def _merged_domain(
    name: str, label: str, said: DomainDeclaration | None, manifest: str, file: str, position: int
) -> Domain:
    is_built_in = name.lower() in file_kinds.BUILT_IN_CARL
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
    document = manifest_in(manifest.document) if manifest else None
    declared = document.domains if document else {}
    domains: list[Domain] = []
    for name in dict.fromkeys((*declared, *(stem.upper() for stem in file_kinds.BUILT_IN_CARL))):
        candidates = (f"{tree_folders.CARL}/{file_name}" for file_name in carl_file_names(name))
        file = next((path for path in candidates if path in paths), None)
        declaration = declared.get(name)
        if declaration is None and file is None:
            continue
        is_built_in = name.lower() in file_kinds.BUILT_IN_CARL and name.isupper()
        domains.append(
            Domain(
                name,
                name,
                "",
                declaration,
                manifest.path if manifest and declaration else "",
                file,
                len(domains),
                is_built_in,
                # CONTEXT's and COMMANDS' keys begin with brackets and commands.
                shared=not is_built_in or name == "GLOBAL",
                exact=True,
            )
        )
    return tuple(domains)
