"""Everything that speaks of the object at a place, in the whole tree or in one file."""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.ide.subjects import Subject, subject_at
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.mentions import Mention, mentions
from synapse_ls.workspace.naming import kebab, snake


@dataclass(frozen=True, slots=True)
class Highlight:
    """A place in the file that was asked about; ``defines`` tells definitions from uses."""

    span: Span
    defines: bool


def references(
    view: View, path: str, offset: int, *, include_declaration: bool = True
) -> tuple[Mention, ...]:
    """The places that speak of what stands at ``offset``, by path and then in text order.

    An empty span means a file as a whole, such as one of plain text that serves a domain.
    """
    subject = subject_at(view, path, offset)
    found = _mentions(view, subject) if subject else ()
    return tuple(one for one in found if include_declaration or not one.defines)


def highlights(view: View, path: str, offset: int) -> tuple[Highlight, ...]:
    """The places of the file itself that speak of what stands at ``offset``, in text order."""
    subject = subject_at(view, path, offset)
    found = _mentions(view, subject) if subject else ()
    return tuple(
        Highlight(one.span, one.defines) for one in found if one.path == path and one.span.length
    )


def _mentions(view: View, subject: Subject) -> tuple[Mention, ...]:
    """The mentions of a subject; those of a workflow under each of its names."""
    family, name, _ = subject
    if family != "workflow":
        return mentions(view.tree, family, name)
    plan = view.plan
    meant = plan.workflow_id(name)
    names = {name, meant, *(other for other, id in plan.aliases.items() if id == meant)}
    spellings = {kebab(snake(one)): one for one in sorted(names)}
    found = {m for one in spellings.values() for m in mentions(view.tree, family, one)}
    return tuple(sorted(found))
