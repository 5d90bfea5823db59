"""``used by 3``: how many places mention what a file defines."""

from __future__ import annotations

from synapse_ls.ide.lenses.lens import Told
from synapse_ls.ide.lenses.places import DEFINED
from synapse_ls.ide.references import references
from synapse_ls.ide.view import View
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.mentions import Mention, mentions


def tell(view: View, facts: FileFacts, subject: str) -> Told | None:
    """The count; a click lists the places."""
    family, _, name = subject.partition(" ")
    span = next((d.span for d in facts.definitions if d.key == (family, name)), None)
    if span is None:
        return None
    places = uses(view, facts, span.start)
    if not places:
        return Told("not used")
    return Told(f"used by {len(places)}", "synapse.references", {"offset": str(span.start)})


def uses(view: View, facts: FileFacts, offset: int) -> tuple[Mention, ...]:
    """The places that mention what is defined at ``offset``, or by the file as a whole."""
    found = references(view, facts.path, offset, include_declaration=False)
    if found:
        return found
    keys = [d.key for d in facts.definitions if d.key[0] in DEFINED and d.span.touches(offset)]
    return tuple(one for key in keys for one in mentions(view.tree, *key) if not one.defines)
