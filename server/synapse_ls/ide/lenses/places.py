"""Where lenses stand: domains, brackets, star-commands, and what a file defines."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.commands import Commands
from synapse_ls.formats.context import ContextDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.squad import SquadDocument
from synapse_ls.ide.lookup import declared_label
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import rules_in
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import RULE_KINDS

DEFINED = ("agent", "workflow", "task", "story")
"""Families of what a file defines by itself."""


def domains(view: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """The labels of domains: where a manifest declares them, else at a rule file's first rule."""
    if isinstance(facts.document, Manifest):
        for name, declaration in facts.document.domains.items():
            yield declaration.span, declared_label(view.tree, facts.path, name)
    elif facts.kind in RULE_KINDS:
        rules = rules_in(facts.document)
        for domain in view.tree.home_of(facts.path).served.get(facts.path, ()):
            own = filter(domain.owns, rules)
            first = next(own, None)
            if first:
                start = first.span.start
                yield Span(start, max(first.key_span.end, start)), domain.label


def brackets(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """The brackets of a context file, at the first rule of each."""
    if isinstance(facts.document, ContextDocument):
        for bracket, rules in facts.document.brackets.items():
            if rules:
                yield rules[0].span, bracket


def commands(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """The star-commands of a commands file."""
    if isinstance(facts.document, Commands):
        for command in facts.document.commands:
            yield command.span, command.name


def squads(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """The squad of a ``squad.yaml``, at its name."""
    if isinstance(facts.document, SquadDocument) and facts.document.name:
        yield facts.document.name.span, facts.path.rpartition("/")[0]


def defined(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """What a file defines for others to mention, as ``family name``."""
    for definition in facts.definitions:
        if definition.key[0] in DEFINED:
            yield definition.span, " ".join(definition.key)
