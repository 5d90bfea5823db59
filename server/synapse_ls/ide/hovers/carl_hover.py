"""This module answers hovers in ``carl.json``, CARL v2's one file: rules, star-commands and
settings in it.
"""

from __future__ import annotations

from dataclasses import replace

from synapse_ls.formats.carl.carl_json import CarlDocument
from synapse_ls.ide.hovers import manifest_hover, rules_hover
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Returns the hover for the rule, star-command or setting under the pointer in CARL's one file,
    as in the files that CARL v1 has for them.
    """
    document = facts.document
    if not isinstance(document, CarlDocument):
        return None
    for about, part in (
        (rules_hover.hover, document.commands),
        (rules_hover.hover, document.context),
        (rules_hover.hover, document.rules),
        (manifest_hover.hover, document.manifest),
    ):
        told = about(view, replace(facts, document=part), offset)
        if told is not None:
            return told
    return None
