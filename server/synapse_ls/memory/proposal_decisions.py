"""This module keeps what people have decided about proposals (accept, reject, revert), and can take
each back.

``.synapse/memory/proposals/{id}.json`` holds the decision; beside it, in ``{id}/``, lie the files
as they were before, under their own paths. A proposal that nobody has decided about has no file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synapse_ls.edits.rule_edits import add_rule
from synapse_ls.engine.compiled_plan import Plan as Compiled
from synapse_ls.memory.memory_paths import MEMORY
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.memory.record import Record
from synapse_ls.memory.rule_proposals import (
    ACCEPTED,
    KEEP,
    PENDING,
    REJECTED,
    REVERTED,
    Proposal,
    Refusal,
    find_proposals,
    rule_text,
)
from synapse_ls.storage.atomic_files import (
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    StorageError,
    atomic_write,
    make_folders,
    read_bytes,
    remove_quietly,
)
from synapse_ls.storage.edit_application import apply_plan
from synapse_ls.storage.session_changes import format_timestamp
from synapse_ls.storage.session_store import create_folder
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.edit_plan import EditError, EditPlan, edit_file
from synapse_ls.workspace.rule_tree import Tree

PROPOSALS = f"{MEMORY}/proposals"
GLOBAL = "GLOBAL"
FILE_LIMIT = 4_000_000  # bytes


@dataclass(frozen=True, slots=True)
class ProposalDecision:
    """A ProposalDecision is a proposal with what became of it. state: "pending", "accepted",
    "rejected" or "reverted".

    target: the domain that a rule goes to, "" for a memory. file, key: where the rule stands now.
    decided_at: when, ISO 8601, "" while it is pending.
    """

    proposal: Proposal
    state: str
    target: str
    file: str = ""
    key: str = ""
    decided_at: str = ""
    refusals: int = 0


def pending_proposals(root: str, plan: Compiled) -> list[ProposalDecision]:
    """Returns the proposals that wait for a decision."""
    store = MemoryStore(root)
    if not store.exists():
        return []
    known = {one.proposal.id: one for one in past_decisions(root)}

    def find_refusal(id: str) -> Refusal | None:
        one = known.get(id)
        if one is None or one.state == PENDING:
            return None
        if one.state == ACCEPTED:
            return Refusal(1_000, 0)  # it is a rule already
        return Refusal(max(one.refusals, 1), one.proposal.evidence)

    found = find_proposals(store.records(), find_refusal)
    return [ProposalDecision(p, PENDING, target_domain(plan, p)) for p in found]


def past_decisions(root: str) -> list[ProposalDecision]:
    """Returns the decisions about proposals in the past, the latest first."""
    folder = os.path.join(root, PROPOSALS)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []
    found = [one for name in names if (one := _read_decision(os.path.join(folder, name), root))]
    return sorted(found, key=lambda one: one.decided_at, reverse=True)


def target_domain(plan: Compiled, proposal: Proposal) -> str:
    """Returns the domain that a proposal's rule belongs in, once that is decided: the agent's own,
    else the global one.
    """
    if proposal.kind == KEEP:
        return ""
    for position in plan.by_agent.get(proposal.agent, ()):
        domain = plan.domain(position)
        if domain.squad < 0:
            return domain.name
    return GLOBAL


def plan_acceptance(tree: Tree, decision: ProposalDecision) -> EditPlan:
    """Plans the change that accepting a proposal makes; raises EditError."""
    return add_rule(tree, decision.target, decision.proposal.text)


def accept_proposal(
    root: str, tree: Tree, decision: ProposalDecision, *, now: float
) -> ProposalDecision:
    """Accepts a proposal: makes the rule, or keeps the memory; the files as they were lie beside
    the decision.

    Memories that say no more than the rule go to the archive: the rule stands in their place.
    Raises EditError and StorageError; then there is no rule.
    """
    if decision.proposal.kind == KEEP:
        store = MemoryStore(root)
        store.update(decision.proposal.records[0], now=now, storage="durable", explicit=True)
        return _write_decision(root, decision, ACCEPTED, now)
    plan = plan_acceptance(tree, decision)
    for change in plan.edits:
        _back_up(root, decision.proposal.id, change.path)
    apply_plan(Path(root), plan)
    change = plan.edits[0]
    after = change.after
    fresh = next((line for line in after.splitlines() if decision.proposal.text in line), "")
    _save_edited_text(root, decision.proposal.id, after)
    made = _write_decision(
        root, decision, ACCEPTED, now, file=change.path, key=fresh.partition("=")[0]
    )
    store = MemoryStore(root)
    for record in _same_memories(store.records(), decision.proposal):
        store.forget(record.id)
    return made


def replaced_memories(root: str, decision: ProposalDecision) -> list[str]:
    """Returns the ids of the memories in the archive that the rule of an accepted proposal has
    replaced.
    """
    return [
        record.id
        for record in _same_memories(MemoryStore(root).archived_records(), decision.proposal)
    ]


def _same_memories(records: Iterable[Record], proposal: Proposal) -> list[Record]:
    """Returns the records that a proposal is made of, as far as they say no more than the rule."""
    return [
        record
        for record in records
        if record.id in proposal.records and rule_text(record.text or record.title) == proposal.text
    ]


def reject_proposal(root: str, decision: ProposalDecision, *, now: float) -> ProposalDecision:
    """Refuses a proposal: it comes back only with more evidence, and after three times never.

    Raises EditError where that was done already: it counts once.
    """
    if decision.state == REJECTED:
        raise EditError(
            f"{decision.proposal.id} was rejected already.",
            "`synapse learn revert` has it proposed again.",
        )
    return _write_decision(root, decision, REJECTED, now, refusals=decision.refusals + 1)


def revert_decision(root: str, decision: ProposalDecision, *, now: float) -> ProposalDecision:
    """Reverts a decision: takes back the proposal that was accepted, or has a refused one proposed
    again.

    Raises EditError where the file says something else by now.
    """
    if decision.state == REJECTED:
        _delete_decision(root, decision.proposal.id)
        return ProposalDecision(decision.proposal, PENDING, decision.target)
    if decision.state != ACCEPTED:
        raise EditError(
            f"{decision.proposal.id} was not accepted.", "`synapse learn list` shows what was."
        )
    store = MemoryStore(root)
    if decision.proposal.kind == KEEP:
        store.update(decision.proposal.records[0], now=now, storage="daily", explicit=False)
        return _write_decision(root, decision, REVERTED, now, refusals=1)
    apply_plan(Path(root), _plan_removal(root, decision))
    for id in replaced_memories(root, decision):
        store.restore(id)
    return _write_decision(root, decision, REVERTED, now, refusals=1)


def _plan_removal(root: str, decision: ProposalDecision) -> EditPlan:
    """Plans the change that takes the rule out: byte for byte where the file is as it was left."""
    before = _bytes_or_none(
        os.path.join(root, PROPOSALS, decision.proposal.id, decision.file), root
    )
    after = _bytes_or_none(os.path.join(root, PROPOSALS, decision.proposal.id, "after"), root)
    current = _bytes_or_none(os.path.join(root, decision.file), root)
    if current is None:
        raise EditError(f"{decision.file} is gone, and the rule with it.", "Nothing is left to do.")
    text = current.decode("utf-8", "replace").removeprefix("\ufeff")
    if before is not None and after is not None and current == after:
        old = before.decode("utf-8", "replace").removeprefix("\ufeff")
        return EditPlan((edit_file(decision.file, text, [TextEdit(Span(0, len(text)), old)]),))
    start = text.find(f"{decision.key}={decision.proposal.text}") if decision.key else -1
    if start < 0:
        raise EditError(
            f"{decision.file} has no line {decision.key or 'of it'} with this text any more.",
            "Change the file by hand.",
        )
    end = text.find("\n", start)
    span = Span(start, len(text) if end < 0 else end + 1)
    return EditPlan((edit_file(decision.file, text, [TextEdit(span, "")]),))


def _write_decision(
    root: str,
    decision: ProposalDecision,
    state: str,
    now: float,
    *,
    file: str = "",
    key: str = "",
    refusals: int | None = None,
) -> ProposalDecision:
    made = ProposalDecision(
        decision.proposal,
        state,
        decision.target,
        file or decision.file,
        key or decision.key,
        format_timestamp(now),
        decision.refusals if refusals is None else refusals,
    )
    folder = os.path.join(root, PROPOSALS)
    create_folder(folder, root)
    data = (dumps(decision_fields(made)) + "\n").encode("utf-8", "replace")
    path = os.path.join(folder, f"{decision.proposal.id}.json")
    atomic_write(path, data, within=root, durable=True, mode=PRIVATE_FILE)
    return made


def decision_fields(decision: ProposalDecision) -> dict[str, Any]:
    """Returns the decision as plain values, as it stands in its file."""
    p = decision.proposal
    return {
        "id": p.id,
        "kind": p.kind,
        "state": decision.state,
        "text": p.text,
        "target": decision.target,
        "agent": p.agent,
        "records": list(p.records),
        "evidence": p.evidence,
        "confidence": p.confidence,
        "reason": p.reason,
        "file": decision.file,
        "key": decision.key,
        "decided": decision.decided_at,
        "refusals": decision.refusals,
    }


def _read_decision(path: str, root: str) -> ProposalDecision | None:
    """Reads the decision in a file; None for a file that has none."""
    data = _bytes_or_none(path, root)
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
        return ProposalDecision(proposal, state, target, file, key, at, int(value["refusals"]))
    except (JsonError, KeyError, TypeError, ValueError):
        return None


def _bytes_or_none(path: str, root: str) -> bytes | None:
    try:
        return read_bytes(path, FILE_LIMIT, within=root)
    except StorageError:
        return None


def _back_up(root: str, id: str, path: str) -> None:
    data = _bytes_or_none(os.path.join(root, path), root)
    if data is not None:
        target = os.path.join(root, PROPOSALS, id, path)
        make_folders(os.path.dirname(target), within=root, mode=PRIVATE_FOLDER)
        atomic_write(target, data, within=root, durable=True, mode=PRIVATE_FILE)


def _save_edited_text(root: str, id: str, text: str) -> None:
    current = os.path.join(root, PROPOSALS, id)
    make_folders(current, within=root, mode=PRIVATE_FOLDER)
    path, data = os.path.join(current, "after"), text.encode()
    atomic_write(path, data, within=root, durable=True, mode=PRIVATE_FILE)


def _delete_decision(root: str, id: str) -> None:
    remove_quietly(os.path.join(root, PROPOSALS, f"{id}.json"), within=root)
