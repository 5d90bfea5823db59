"""This module defines a code lens, before and after it is resolved, and finds the places where
lenses stand: domains, brackets, star-commands, squads, definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.ide.position_lookup import domain_label
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS
from synapse_ls.workspace.tree_domains import rules_in


@dataclass(frozen=True, slots=True)
class Lens:
    """A Lens is a code lens, a place with something to say about it; ``provider`` computes the text
    when the lens is shown.

    ``subject`` is what it is about, in the provider's own words, such as a domain's label.
    """

    span: Span
    provider: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class LensTitle:
    """A LensTitle is the text of a resolved code lens. ``command`` is the command that a click
    runs, "" for none.

    ``arguments`` go with the command: names and strings as the command's own parameters.
    """

    title: str
    command: str = ""
    arguments: dict[str, str] = field(default_factory=dict)


class LensProvider(NamedTuple):
    """A LensProvider is one kind of code lens: ``find`` yields the subjects of a file with their
    places, cheaply; ``resolve`` returns the text.
    """

    find: Callable[[View, FileFacts], Iterator[tuple[Span, str]]]
    resolve: Callable[[View, FileFacts, str], LensTitle | None]


DEFINED_FAMILIES = ("agent", "workflow", "task", "story")
"""Families of what a file defines by itself."""


def domain_places(view: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yields the labels of domains that a code lens stands at: where a manifest declares them, else
    at a rule file's first rule.
    """
    if isinstance(facts.document, Manifest):
        for name, declaration in facts.document.domains.items():
            yield declaration.span, domain_label(view.tree, facts.path, name)
    elif facts.kind in RULE_KINDS:
        rules = rules_in(facts.document)
        for domain in view.tree.home_of(facts.path).domains_by_file.get(facts.path, ()):
            own = filter(domain.owns, rules)
            first = next(own, None)
            if first:
                start = first.span.start
                yield Span(start, max(first.key_span.end, start)), domain.label


def bracket_places(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yields the brackets of a context file that a code lens stands at, at the first rule of each."""
    if isinstance(facts.document, ContextDocument):
        for bracket, rules in facts.document.brackets.items():
            if rules:
                yield rules[0].span, bracket


def command_places(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yields the star-commands of a commands file that a code lens stands at."""
    if isinstance(facts.document, StarCommands):
        for command in facts.document.commands:
            yield command.span, command.name


def squad_places(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yields the squad of a ``squad.yaml`` that a code lens stands at, at its name."""
    if isinstance(facts.document, SquadDocument) and facts.document.name:
        yield facts.document.name.span, facts.path.rpartition("/")[0]


def definition_places(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yields what a file defines for others to mention, with a code lens at each, as ``family
    name``.
    """
    for definition in facts.definitions:
        if definition.key[0] in DEFINED_FAMILIES:
            yield definition.span, " ".join(definition.key)
