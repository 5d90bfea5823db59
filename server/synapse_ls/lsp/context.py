"""``synapse/didChangeContext``: telling the client what the next prompt would get now."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from synapse_ls.engine.render import section_text
from synapse_ls.lsp.answers import ContextChange, LayerText
from synapse_ls.lsp.roots import Root
from synapse_ls.service.reports import situation_report, usage_report

if TYPE_CHECKING:
    from synapse_ls.ide.view import View


class State(NamedTuple):
    """The block of a tree's current session, and what a status line shows of it.

    layers: layer -> its text in the block. active: when the session was last active, as it says.
    """

    block: str
    layers: Mapping[str, str]
    status: Mapping[str, Any]
    active: object


def state_of(view: View) -> State:
    """The state that a view shows."""
    assembly = view.assembly
    layers: dict[str, list[str]] = {}
    for section in assembly.sent:
        layers.setdefault(section.layer, []).append(section_text(section))
    session = view.request.session
    status = {
        "bracket": assembly.situation.bracket.name,
        "usage": usage_report(assembly.situation.usage),
        "tokens": assembly.tokens,
        "budget": assembly.budget,
        "cuts": len(assembly.cut),
        "session": session.get("uuid") if session else None,
        **situation_report(assembly.situation),
    }
    return State(
        assembly.text,
        {layer: "\n\n".join(texts) for layer, texts in layers.items()},
        status,
        session.get("last_activity") if session else None,
    )


def change(root: Root, before: State | None, now: State, reason: str) -> ContextChange | None:
    """What to tell; None where an edit has changed nothing that is told.

    All else is told in any case: what was told of a buffer reaches agents when it is saved, and clients
    ask about what agents get; and a session that has gone on is news for views of sessions.
    """
    same_block = before is not None and before.block == now.block
    if before is not None and same_block and before.status == now.status and reason == "buffer":
        return None
    old = before.layers if before else {}
    ids = [*now.layers, *(layer for layer in old if layer not in now.layers)]
    changed = [
        LayerText(id=layer, text=now.layers.get(layer, ""))
        for layer in ids
        if now.layers.get(layer) != old.get(layer)
    ]
    usage, agent = now.status["usage"], now.status["agent"]
    return ContextChange(
        root=root.uri,
        hash=blake2b(now.block.encode(), digest_size=16).hexdigest(),
        bracket=now.status["bracket"],
        remaining=usage["remaining"],
        source=usage["source"],
        tokens=now.status["tokens"],
        budget=now.status["budget"],
        agent=agent["id"] if agent else None,
        session=now.status["session"],
        layers=None if same_block else changed,
        reason=reason,
    )
