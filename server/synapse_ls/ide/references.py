"""This module finds references and highlights: every place that speaks of the object at the
caret, in the whole tree or in one file.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.ide.named_subject import Subject, subject_at
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.mentions import Mention, find_mentions
from synapse_ls.workspace.naming_conventions import kebab_case, snake_case


@dataclass(frozen=True, slots=True)
class Highlight:
    """A Highlight is a reference to an object in the file that was asked about; ``defines`` tells
    definitions from uses.
    """

    span: Span
    defines: bool


def find_references(
    view: View, path: str, offset: int, *, include_declaration: bool = True
) -> tuple[Mention, ...]:
    """Returns the references to what stands at ``offset``, the places that speak of it, by path and
    then in text order.

    An empty span means a file as a whole, such as one of plain text that serves a domain.
    """
    subject = subject_at(view, path, offset)
    found = _subject_mentions(view, subject) if subject else ()
    return tuple(one for one in found if include_declaration or not one.defines)


def find_highlights(view: View, path: str, offset: int) -> tuple[Highlight, ...]:
    """Returns the references in the file itself to what stands at ``offset``, in text order."""
    subject = subject_at(view, path, offset)
    found = _subject_mentions(view, subject) if subject else ()
    return tuple(
        Highlight(one.span, one.defines) for one in found if one.path == path and one.span.length
    )


def _subject_mentions(view: View, subject: Subject) -> tuple[Mention, ...]:
    """Returns the mentions of a subject; those of a workflow under each of its names."""
    family, name, _ = subject
    if family != "workflow":
        return find_mentions(view.tree, family, name)
    plan = view.plan
    meant = plan.workflow_id(name)
    names = {name, meant, *(other for other, id in plan.aliases.items() if id == meant)}
    spellings = {kebab_case(snake_case(one)): one for one in sorted(names)}
    found = {m for one in spellings.values() for m in find_mentions(view.tree, family, one)}
    return tuple(sorted(found))
