"""This module makes the usage lens, ``used by 3``: how many places mention what a file defines."""

from __future__ import annotations

from synapse_ls.ide.lenses.code_lens import DEFINED_FAMILIES, LensTitle
from synapse_ls.ide.references import find_references
from synapse_ls.ide.tree_view import View
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.mentions import Mention, find_mentions


def usage_title(view: View, facts: FileFacts, subject: str) -> LensTitle | None:
    """Returns the text of a usage lens, the count of uses; a click lists the places."""
    family, _, name = subject.partition(" ")
    span = next((d.span for d in facts.definitions if d.key == (family, name)), None)
    if span is None:
        return None
    places = find_uses(view, facts, span.start)
    if not places:
        return LensTitle("not used")
    return LensTitle(f"used by {len(places)}", "synapse.references", {"offset": str(span.start)})


def find_uses(view: View, facts: FileFacts, offset: int) -> tuple[Mention, ...]:
    """Returns the places that a usage lens counts: those that mention what is defined at
    ``offset``, or by the file as a whole.
    """
    found = find_references(view, facts.path, offset, include_declaration=False)
    if found:
        return found
    keys = [
        d.key for d in facts.definitions if d.key[0] in DEFINED_FAMILIES and d.span.touches(offset)
    ]
    return tuple(one for key in keys for one in find_mentions(view.tree, *key) if not one.defines)
