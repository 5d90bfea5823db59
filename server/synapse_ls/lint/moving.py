"""Findings of an earlier text, at their places in the next one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from synapse_ls.lint.diagnostic import Diagnostic, Fix, Related
from synapse_ls.text.edit import TextEdit, carried


def moved(found: Iterable[Diagnostic], path: str, edit: TextEdit) -> tuple[Diagnostic, ...] | None:
    """Findings in the file ``path`` after an edit of it; those whose place was deleted are gone.

    None where a place was written anew: then nothing but a new look can tell.
    """
    kept: list[Diagnostic] = []
    for diagnostic in found:
        span = carried(diagnostic.span, edit)
        if span is not None:
            kept.append(
                replace(
                    diagnostic,
                    span=span,
                    fix=_fix(diagnostic.fix, path, edit),
                    related=tuple(_related(diagnostic.related, path, edit)),
                )
            )
        elif edit.new_text:
            return None
    return tuple(kept)


def _fix(fix: Fix | None, path: str, edit: TextEdit) -> Fix | None:
    """The fix, unless the edit was where it would have changed something."""
    if fix is None:
        return None
    edits: list[tuple[str, TextEdit]] = []
    for target, change in fix.edits:
        span = change.span
        if target == path and span.start <= edit.span.end:
            if edit.span.start <= span.end:
                return None
        elif target == path:
            span = span.shift(len(edit.new_text) - edit.span.length)
        edits.append((target, TextEdit(span, change.new_text)))
    return replace(fix, edits=tuple(edits))


def _related(related: Iterable[Related], path: str, edit: TextEdit) -> Iterator[Related]:
    for one in related:
        span = carried(one.span, edit) if one.path == path else one.span
        if span is not None:
            yield replace(one, span=span)
