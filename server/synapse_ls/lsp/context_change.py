"""Notify clients that the block of the next prompt has changed (``synapse/didChangeContext``)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from synapse_ls.engine.block_renderer import render_section
from synapse_ls.ide.tree_view import View
from synapse_ls.lsp import convert, root_discovery
from synapse_ls.queries.situation_report import (
    SituationReport,
    UsageReport,
    situation_report,
    usage_report,
)
from synapse_ls.text.digest import hex_digest
from synapse_ls.text.grouping import group_pairs


@dataclass(frozen=True, kw_only=True)
class LayerText:
    """What a layer contributes to the block that has changed, byte for byte; "" where it no longer
    does.
    """

    id: str
    text: str


@dataclass(frozen=True, kw_only=True)
class ContextChange:
    """The block of the next prompt has changed, or the state around it.

    `layers` are those whose text differs from before, null where none does. `reason`:
    "loaded", "buffer", "files", "session" or "configuration".
    """

    root: str
    hash: str
    bracket: str
    remaining: float
    source: str
    tokens: int
    budget: int
    agent: str | None
    session: str | None
    layers: list[LayerText] | None
    reason: str


class ContextState(NamedTuple):
    """The block of a tree's current session, and what a status line shows of it and of the prompt
    that meets it.

    layers: layer -> its text in the block. last_activity: when the session was last active, as it
    says.
    """

    block: str
    layers: Mapping[str, str]
    bracket: str
    usage: UsageReport
    tokens: int
    budget: int
    cuts: int
    session: str | None
    situation: SituationReport
    last_activity: object


def context_state(view: View) -> ContextState:
    """Return the state of the context that a view shows, whose change is notified."""
    assembly = view.assembly
    layers = group_pairs((part.layer, render_section(part)) for part in assembly.sent_sections)
    session = view.request.session
    return ContextState(
        assembly.text,
        {layer: "\n\n".join(texts) for layer, texts in layers.items()},
        assembly.situation.bracket.name,
        usage_report(assembly.situation.usage),
        assembly.tokens,
        assembly.budget,
        len(assembly.cut_entries),
        session.id if session else None,
        situation_report(assembly.situation),
        session.last_activity if session else None,
    )


def context_change(
    root: root_discovery.Root, before: ContextState | None, now: ContextState, reason: str
) -> ContextChange | None:
    """Return the notification ``synapse/didChangeContext``; None where an edit has changed nothing
    that an agent gets.

    All else is sent in any case: what was sent about a buffer reaches agents when it is saved, and
    clients ask about what agents get; and a session that has gone on is news for views of sessions.
    """
    if (
        before is not None
        and reason == "buffer"
        and before._replace(layers=now.layers, last_activity=now.last_activity) == now
    ):
        return None
    old = before.layers if before else {}
    changed = [
        LayerText(id=layer, text=now.layers.get(layer, ""))
        for layer in dict.fromkeys((*now.layers, *old))
        if now.layers.get(layer) != old.get(layer)
    ]
    agent = now.situation.agent
    return ContextChange(
        root=convert.path_to_uri(root.path),
        hash=hex_digest(now.block.encode(), 16),
        bracket=now.bracket,
        remaining=now.usage.remaining,
        source=now.usage.source,
        tokens=now.tokens,
        budget=now.budget,
        agent=agent.id if agent else None,
        session=now.session,
        layers=None if before is not None and before.block == now.block else changed,
        reason=reason,
    )
