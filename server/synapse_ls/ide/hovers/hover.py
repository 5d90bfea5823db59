"""This module answers hover requests: it returns the Markdown that an editor shows about the place
under the pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from synapse_ls.ide.hover_markdown import fit_hover
from synapse_ls.ide.hovers import (
    brainiac_hover,
    carl_hover,
    chati_hover,
    config_hover,
    manifest_hover,
    memory_hover,
    rules_hover,
    squad_hover,
    work_hover,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.systems.brainiac_places import PLAN_KINDS as BRAINIAC
from synapse_ls.workspace.systems.chati_places import PLAN_KINDS

HoverPart = tuple[Span, str] | None


@dataclass(frozen=True, slots=True)
class Hover:
    """A Hover is Markdown about the part of a file that ``span`` covers."""

    span: Span
    markdown: str


_BY_KIND: Mapping[FileKind, Callable[[View, FileFacts, int], HoverPart]] = {
    FileKind.MANIFEST: manifest_hover.hover,
    FileKind.CARL: carl_hover.hover,
    **dict.fromkeys(RULE_KINDS, rules_hover.hover),
    FileKind.SQUAD: squad_hover.hover,
    FileKind.WORKFLOW_STATE: work_hover.hover_state,
    FileKind.WORKFLOW: work_hover.hover_definition,
    FileKind.CHAINS: work_hover.hover_chain,
    FileKind.TASK: work_hover.hover_task,
    FileKind.STORY: work_hover.hover_task,
    FileKind.CONFIG: config_hover.hover,
    FileKind.MEMORY: memory_hover.hover,
    **dict.fromkeys(PLAN_KINDS, chati_hover.hover),
    **dict.fromkeys(
        (FileKind.CHATI_MEMORY, FileKind.CHATI_GOTCHAS, FileKind.CHATI_TRACKED),
        memory_hover.hover_foreign,
    ),
    **dict.fromkeys(BRAINIAC, brainiac_hover.hover),
}


def hover(view: View, path: str, offset: int) -> Hover | None:
    """Returns the hover for ``offset`` in the file ``path``; None where there is nothing to say."""
    facts = view.tree.snapshot.facts(path)
    about = _BY_KIND.get(facts.kind) if facts and facts.is_read else None
    told = about(view, facts, offset) if facts and about else None
    return Hover(told[0], fit_hover(told[1])) if told else None
