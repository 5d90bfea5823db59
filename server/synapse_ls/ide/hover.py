"""What an editor shows about the place under the pointer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from synapse_ls.ide.hovers import (
    brainiac,
    carl,
    chati,
    config,
    manifest,
    memory,
    rules,
    squad,
    steps,
    work,
)
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.systems.brainiac import PLANNED as BRAINIAC
from synapse_ls.workspace.systems.chati import PLANNED

Told = tuple[Span, str] | None


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about the part of a file that ``span`` covers."""

    span: Span
    markdown: str


_BY_KIND: Mapping[FileKind, Callable[[View, FileFacts, int], Told]] = {
    FileKind.MANIFEST: manifest.hover,
    FileKind.CARL: carl.hover,
    **dict.fromkeys(RULE_KINDS, rules.hover),
    FileKind.SQUAD: squad.hover,
    FileKind.WORKFLOW_STATE: work.hover_state,
    FileKind.WORKFLOW: steps.hover_definition,
    FileKind.CHAINS: steps.hover_chain,
    FileKind.TASK: work.hover_task,
    FileKind.STORY: work.hover_task,
    FileKind.CONFIG: config.hover,
    FileKind.MEMORY: memory.hover,
    **dict.fromkeys(PLANNED, chati.hover),
    **dict.fromkeys(BRAINIAC, brainiac.hover),
}


def hover(view: View, path: str, offset: int) -> Hover | None:
    """What is to be said about ``offset`` in the file ``path``; None where there is nothing."""
    facts = view.tree.snapshot.facts(path)
    about = _BY_KIND.get(facts.kind) if facts and facts.read else None
    told = about(view, facts, offset) if facts and about else None
    return Hover(*told) if told else None
