"""CARL v2's scopes: the ``carl.json`` of a tree and those of the folders above it, as one.

As CARL v2 merges them: of each domain, bracket and star-command the nearest file that has it counts, with
all that it says of it; so does the nearest that says anything of ``devmode``, and the nearest list of
``global_exclude`` that is not empty. Domains come in the order of the outermost file, then those that the
next one adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from synapse_ls.formats.carl.document import CarlDocument
from synapse_ls.formats.commands import Command
from synapse_ls.formats.manifest import Declaration, Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.kinds import BUILT_IN_CARL

COMMANDS, CONTEXT = "COMMANDS", "CONTEXT"


class Replaced(NamedTuple):
    """What a file says of a domain, bracket or star-command that the nearer file ``by`` has as well.

    ``domain`` goes by the name of what is replaced: "GLOBAL", "bracket FRESH" or "*brief".
    """

    domain: Domain
    rules: tuple[Rule, ...]
    by: str


@dataclass(frozen=True)
class Scopes:
    """The files by path, the tree's own first, then the nearest above."""

    files: Mapping[str, CarlDocument]

    @cached_property
    def manifest(self) -> Manifest:
        """The tree's own manifest with what the files above add to its switches."""
        documents = self.files.values()
        said = (d.manifest.devmode for d in documents if d.configured("devmode") is not None)
        words = (d.manifest.global_exclude for d in documents)
        return replace(
            next(iter(documents)).manifest,
            devmode=next(said, False),
            global_exclude=next(filter(None, words), ()),
        )

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """The domains; CONTEXT and COMMANDS once for each file that something of them is from."""
        parts = {COMMANDS: _once(self._commands), CONTEXT: _once(self._brackets)}
        names = dict.fromkeys((*self._declared, *(name for name, files in parts.items() if files)))
        found: list[Domain] = []
        for name in names:
            where, said = self._declared.get(name, ("", None))
            for number, path in enumerate(parts.get(name) or (where,)):
                label = f"{name} ({path})" if number else name
                found.append(_domain(name, label, said, where or path, path, len(found)))
        return tuple(found)

    def bracket_rules(self, domain: Domain) -> Mapping[str, Sequence[Rule]]:
        """The rules by bracket that are told of a part of CONTEXT; none of a bracket that is off."""
        context = self.files[domain.file or ""].context
        return {
            bracket: rules
            for bracket, rules in context.brackets.items()
            if self._brackets.get(bracket) == domain.file and context.switches.get(bracket, True)
        }

    def commands(self, domain: Domain) -> Iterator[Command]:
        """The star-commands of a part of COMMANDS."""
        for command in self.files[domain.file or ""].commands.commands:
            if self._commands.get(command.name) == domain.file:
                yield command

    def replaced(self) -> Iterator[Replaced]:
        """What is told nowhere because a nearer file says it, the nearest file first."""
        for path, document in self.files.items():
            for named, of, rules, by in self._said_in(document):
                if by != path:
                    said = document.manifest.domains.get(of)
                    domain = _domain(named, f"{of} ({path})", said, path, path, 0)
                    yield Replaced(domain, tuple(rules), by)

    def _said_in(self, document: CarlDocument) -> Iterator[tuple[str, str, Iterable[Rule], str]]:
        """(what it is called, its domain, its rules, the file that counts for it), for all there is."""
        for name in document.manifest.domains:
            own = (rule for rule in document.rules.rules if rule.domain == name)
            yield name, name, own, self._declared[name][0]
        for bracket in document.members("context_brackets"):
            rules = document.context.brackets.get(bracket, ())
            yield f"bracket {bracket}", CONTEXT, rules, self._brackets[bracket]
        for command in document.commands.commands:
            yield f"*{command.name}", COMMANDS, command.rules, self._commands[command.name]

    @cached_property
    def _declared(self) -> Mapping[str, tuple[str, Declaration]]:
        """Name → (path, what that file says of the domain)."""
        found: dict[str, tuple[str, Declaration]] = {}
        for path, document in reversed(tuple(self.files.items())):
            found.update((name, (path, said)) for name, said in document.manifest.domains.items())
        return found

    @cached_property
    def _brackets(self) -> Mapping[str, str]:
        """Bracket → the file that counts for it."""
        return self._nearest(lambda document: document.members("context_brackets"))

    @cached_property
    def _commands(self) -> Mapping[str, str]:
        """Star-command → the file that counts for it."""
        return self._nearest(lambda document: (c.name for c in document.commands.commands))

    def _nearest(self, names: Callable[[CarlDocument], Iterable[str]]) -> Mapping[str, str]:
        """Name → the first file that has it, in the order of the files."""
        found: dict[str, str] = {}
        for path, document in self.files.items():
            for name in names(document):
                found.setdefault(name, path)
        return found


def _once(parts: Mapping[str, str]) -> tuple[str, ...]:
    """The files that something is from."""
    return tuple(dict.fromkeys(parts.values()))


def _domain(
    name: str, label: str, said: Declaration | None, manifest: str, file: str, position: int
) -> Domain:
    is_built_in = name.lower() in BUILT_IN_CARL
    return Domain(
        name, label, "", said, manifest, file, position, is_built_in, shared=True, exact=True
    )
