"""Hovers in CARL's one file: what its parts say, as in the files that CARL v1 has for them."""

from __future__ import annotations

from dataclasses import replace

from synapse_ls.formats.carl.document import CarlDocument
from synapse_ls.ide.hovers import manifest, rules
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """What the rule, the star-command or the setting under the pointer comes to."""
    document = facts.document
    if not isinstance(document, CarlDocument):
        return None
    for about, part in (
        (rules.hover, document.commands),
        (rules.hover, document.context),
        (rules.hover, document.rules),
        (manifest.hover, document.manifest),
    ):
        told = about(view, replace(facts, document=part), offset)
        if told is not None:
            return told
    return None
