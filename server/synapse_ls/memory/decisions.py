"""What people have decided about proposals, and how each decision can be taken back.

``.synapse/memory/proposals/{id}.json`` holds the decision; beside it, in ``{id}/``, lie the files as they
were before, under their own paths. A proposal that nobody has decided about has no file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synapse_ls.engine.plan import Plan as Compiled
from synapse_ls.manage.apply import apply
from synapse_ls.manage.plan import ManageError, Plan, edit
from synapse_ls.manage.rules import add_rule
from synapse_ls.memory.learning import (
    ACCEPTED,
    KEEP,
    PENDING,
    REJECTED,
    REVERTED,
    Proposal,
    Refused,
    as_rule,
    proposals,
)
from synapse_ls.memory.places import MEMORY
from synapse_ls.memory.record import Record
from synapse_ls.memory.store import MemoryStore
from synapse_ls.sessions.changes import timestamp
from synapse_ls.sessions.files import SessionError, atomic_write, read_bytes
from synapse_ls.sessions.store import create_folder
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.json import JsonError, dumps, loads
from synapse_ls.text.span import Span
from synapse_ls.workspace.tree import Tree

PROPOSALS = f"{MEMORY}/proposals"
GLOBAL = "GLOBAL"
LIMIT = 4_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Decided:
    """A proposal with what became of it. state: "pending", "accepted", "rejected" or "reverted".

    target: the domain that a rule goes to, "" for a memory. file, key: where the rule stands now.
    decided: when, ISO 8601, "" while it is pending.
    """

    proposal: Proposal
    state: str
    target: str
    file: str = ""
    key: str = ""
    decided: str = ""
    refusals: int = 0


def pending(root: str, plan: Compiled) -> list[Decided]:
    """The proposals that wait for a decision."""
    store = MemoryStore(root)
    if not store.exists():
        return []
    known = {one.proposal.id: one for one in decided(root)}

    def refused(id: str) -> Refused | None:
        one = known.get(id)
        if one is None or one.state == PENDING:
            return None
        if one.state == ACCEPTED:
            return Refused(1_000, 0)  # it is a rule already
        return Refused(max(one.refusals, 1), one.proposal.evidence)

    found = proposals(store.records(), refused)
    return [Decided(p, PENDING, target_of(plan, p)) for p in found]


def decided(root: str) -> list[Decided]:
    """What was decided about, the latest first."""
    folder = os.path.join(root, PROPOSALS)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []
    found = [one for name in names if (one := _read(os.path.join(folder, name)))]
    return sorted(found, key=lambda one: one.decided, reverse=True)


def target_of(plan: Compiled, proposal: Proposal) -> str:
    """The domain that a rule belongs in: the agent's own, else the global one."""
    if proposal.kind == KEEP:
        return ""
    for position in plan.by_agent.get(proposal.agent, ()):
        domain = plan.domain(position)
        if domain.squad < 0:
            return domain.name
    return GLOBAL


def planned(tree: Tree, one: Decided) -> Plan:
    """The change that accepting a rule makes; raises ManageError."""
    return add_rule(tree, one.target, one.proposal.text)


def accept(root: str, tree: Tree, one: Decided, *, now: float) -> Decided:
    """Make the rule, or keep the memory; the files as they were lie beside the decision.

    Memories that say no more than the rule go to the archive: it is told in their place. Raises
    ManageError and SessionError; then there is no rule.
    """
    if one.proposal.kind == KEEP:
        store = MemoryStore(root)
        store.update(one.proposal.records[0], now=now, storage="durable", explicit=True)
        return _written(root, one, ACCEPTED, now)
    plan = planned(tree, one)
    for change in plan.edits:
        _back_up(root, one.proposal.id, change.path)
    apply(Path(root), plan)
    change = plan.edits[0]
    after = change.after
    fresh = next((line for line in after.splitlines() if one.proposal.text in line), "")
    _store_after(root, one.proposal.id, after)
    made = _written(root, one, ACCEPTED, now, file=change.path, key=fresh.partition("=")[0])
    store = MemoryStore(root)
    for record in _replaced(store.records(), one.proposal):
        store.forget(record.id)
    return made


def replaced(root: str, one: Decided) -> list[str]:
    """The ids of the memories in the archive that an accepted rule is told in place of."""
    return [record.id for record in _replaced(MemoryStore(root).archived(), one.proposal)]


def _replaced(records: Iterable[Record], proposal: Proposal) -> list[Record]:
    """Those that a proposal is made of, as far as they say no more than the rule."""
    return [
        record
        for record in records
        if record.id in proposal.records and as_rule(record.text or record.title) == proposal.text
    ]


def reject(root: str, one: Decided, *, now: float) -> Decided:
    """Refuse it: it comes back only with more evidence, and after three times never.

    Raises ManageError where that was done already: it counts once.
    """
    if one.state == REJECTED:
        raise ManageError(
            f"{one.proposal.id} was rejected already.",
            "`synapse learn revert` has it proposed again.",
        )
    return _written(root, one, REJECTED, now, refusals=one.refusals + 1)


def revert(root: str, one: Decided, *, now: float) -> Decided:
    """Take back what was accepted, or have a refused one proposed again.

    Raises ManageError where the file says something else by now.
    """
    if one.state == REJECTED:
        _forget(root, one.proposal.id)
        return Decided(one.proposal, PENDING, one.target)
    if one.state != ACCEPTED:
        raise ManageError(
            f"{one.proposal.id} was not accepted.", "`synapse learn list` shows what was."
        )
    store = MemoryStore(root)
    if one.proposal.kind == KEEP:
        store.update(one.proposal.records[0], now=now, storage="daily", explicit=False)
        return _written(root, one, REVERTED, now, refusals=1)
    apply(Path(root), _inverse(root, one))
    for id in replaced(root, one):
        store.restore(id)
    return _written(root, one, REVERTED, now, refusals=1)


def _inverse(root: str, one: Decided) -> Plan:
    """The change that takes the rule out: byte for byte where the file is as it was left."""
    before = _bytes(os.path.join(root, PROPOSALS, one.proposal.id, one.file))
    after = _bytes(os.path.join(root, PROPOSALS, one.proposal.id, "after"))
    current = _bytes(os.path.join(root, one.file))
    if current is None:
        raise ManageError(f"{one.file} is gone, and the rule with it.", "Nothing is left to do.")
    text = current.decode("utf-8", "replace").removeprefix("\ufeff")
    if before is not None and after is not None and current == after:
        old = before.decode("utf-8", "replace").removeprefix("\ufeff")
        return Plan((edit(one.file, text, [TextEdit(Span(0, len(text)), old)]),))
    start = text.find(f"{one.key}={one.proposal.text}") if one.key else -1
    if start < 0:
        raise ManageError(
            f"{one.file} has no line {one.key or 'of it'} with this text any more.",
            "Change the file by hand.",
        )
    end = text.find("\n", start)
    span = Span(start, len(text) if end < 0 else end + 1)
    return Plan((edit(one.file, text, [TextEdit(span, "")]),))


def _written(
    root: str,
    one: Decided,
    state: str,
    now: float,
    *,
    file: str = "",
    key: str = "",
    refusals: int | None = None,
) -> Decided:
    made = Decided(
        one.proposal,
        state,
        one.target,
        file or one.file,
        key or one.key,
        timestamp(now),
        one.refusals if refusals is None else refusals,
    )
    folder = os.path.join(root, PROPOSALS)
    create_folder(folder)
    data = (dumps(fields_of(made)) + "\n").encode("utf-8", "replace")
    atomic_write(os.path.join(folder, f"{one.proposal.id}.json"), data, durable=True)
    return made


def fields_of(one: Decided) -> dict[str, Any]:
    """The decision as plain values, as it stands in its file."""
    p = one.proposal
    return {
        "id": p.id,
        "kind": p.kind,
        "state": one.state,
        "text": p.text,
        "target": one.target,
        "agent": p.agent,
        "records": list(p.records),
        "evidence": p.evidence,
        "confidence": p.confidence,
        "reason": p.reason,
        "file": one.file,
        "key": one.key,
        "decided": one.decided,
        "refusals": one.refusals,
    }


def _read(path: str) -> Decided | None:
    """The decision in a file; None for what is none."""
    data = _bytes(path)
    try:
        value = loads(data.decode("utf-8", "replace")) if data else None
        if not isinstance(value, dict):
            return None
        proposal = Proposal(
            str(value["id"]),
            str(value["kind"]),
            str(value["text"]),
            str(value["agent"]),
            tuple(map(str, value["records"])),
            int(value["evidence"]),
            float(value["confidence"]),
            str(value["reason"]),
        )
        state, target, file, key, at = (
            str(value[name]) for name in ("state", "target", "file", "key", "decided")
        )
        return Decided(proposal, state, target, file, key, at, int(value["refusals"]))
    except (JsonError, KeyError, TypeError, ValueError):
        return None


def _bytes(path: str) -> bytes | None:
    try:
        return read_bytes(path, LIMIT)
    except SessionError:
        return None


def _back_up(root: str, id: str, path: str) -> None:
    data = _bytes(os.path.join(root, path))
    if data is not None:
        target = os.path.join(root, PROPOSALS, id, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        atomic_write(target, data, durable=True)


def _store_after(root: str, id: str, text: str) -> None:
    current = os.path.join(root, PROPOSALS, id)
    os.makedirs(current, exist_ok=True)
    atomic_write(os.path.join(current, "after"), text.encode(), durable=True)


def _forget(root: str, id: str) -> None:
    try:
        os.unlink(os.path.join(root, PROPOSALS, f"{id}.json"))
    except OSError:
        return
