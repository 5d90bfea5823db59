"""Propose rules from repeated corrections (self-learning), and record the decisions.

Corrections are grouped by shared words (Jaccard); a group above the thresholds becomes a proposal
(ADR-001 B5, MIS self-learning: confidence > 0.9, evidence ≥ 5, overlap of keywords). A gotcha with
a known solution may be proposed, too, as a quote. ``.synapse/memory/proposals/{id}.json`` records
an accepted or rejected proposal, ``{id}/`` the files as they were before, so that it can be
reverted. An undecided proposal has no file.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from synapse_ls.edits.rule_edits import add_rule, remove_rule
from synapse_ls.engine.compiled_plan import Plan as Compiled
from synapse_ls.formats.memory_file import CORRECTION_TYPE
from synapse_ls.memory import attention_score, memory_index, memory_paths, remark_patterns
from synapse_ls.memory.memory_record import Record
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage import atomic_files, edit_application, session_store
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text import digest, fast_json
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import EditPlan
from synapse_ls.workspace.outside_links import is_behind_link, list_names
from synapse_ls.workspace.rule_tree import Tree

LEAST_EVIDENCE = 5
LEAST_CONFIDENCE = 0.9
LEAST_OVERLAP = 0.5
MOST_REFUSALS = 3  # after which it is never made again
NEW_EVIDENCE = 5  # pieces of evidence that have to be new before a refused one is made again

# What a proposal asks for: a rule in a domain, or a memory that is kept for good.
RULE, KEEP = "rule", "keep"

PROPOSALS = f"{memory_paths.MEMORY}/proposals"
GLOBAL = "GLOBAL"
FILE_LIMIT = 4_000_000  # bytes

PENDING, ACCEPTED, REJECTED, REVERTED = "pending", "accepted", "rejected", "reverted"

PROPOSED_TYPES = (CORRECTION_TYPE, "validated_pattern")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rule, or a memory to be kept, that is proposed, with what became of it. id: stands for what
    it is about, so that it is the same one tomorrow.

    state: one of `PENDING` and the like. text: the rule, or the title of the memory. target: the
    domain that a rule goes to, "" for a memory. agent: whose rule it would be, "" for everybody's.
    records: ids of the memories it is made of. reason: why, in a sentence. file, key: where the
    rule stands now. decided: when, ISO 8601, "" while it is pending. refusals: how often it was
    refused.
    """

    id: str
    kind: str
    state: str
    text: str
    target: str
    agent: str
    records: tuple[str, ...]
    evidence: int
    confidence: float
    reason: str
    file: str = ""
    key: str = ""
    decided: str = ""
    refusals: int = 0


def find_proposals(
    records: Iterable[Record], decided: Mapping[str, Proposal] = MappingProxyType({})
) -> list[Proposal]:
    """Return the rules that can be proposed from ``records``, the best founded first; ``decided``:
    what was decided about, by id.
    """
    known_records = list(records)
    # Corrections that say nearly the same, of one scope and agent.
    groups: list[tuple[list[str], list[Record]]] = []
    for record in sorted(known_records, key=lambda r: (r.created, r.id)):
        if record.type not in PROPOSED_TYPES:
            continue
        words = memory_index.search_terms(record.text or record.title)
        for leading, group in groups:
            if (
                _record_owner(group[0]) == _record_owner(record)
                and word_overlap(leading, words) >= LEAST_OVERLAP
            ):
                group.append(record)
                break
        else:
            groups.append((words, [record]))
    proposals = [p for _, group in groups if (p := _rule_proposal(group))]
    proposals += [
        Proposal(
            _proposal_id(KEEP, "", record.id),
            KEEP,
            PENDING,
            record.title,
            "",
            "",
            (record.id,),
            record.evidence,
            record.confidence,
            f"The error was met {record.evidence} times.",
        )
        for record in known_records
        if record.type == "gotcha"
        and record.storage != "durable"
        and record.evidence >= LEAST_EVIDENCE
        and record.confidence > LEAST_CONFIDENCE
    ]
    fresh = []
    for proposal in proposals:
        if (before := decided.get(proposal.id)) is None:
            fresh.append(proposal)
        elif (
            before.state != ACCEPTED  # it is a rule already
            and before.refusals < MOST_REFUSALS
            and proposal.evidence >= before.evidence + NEW_EVIDENCE
        ):
            fresh.append(replace(proposal, refusals=before.refusals))
    return sorted(fresh, key=lambda p: (-p.confidence, -p.evidence, p.id))


def word_overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of words that the texts of two proposals have in common, of all that they
    have; 0 for no words.
    """
    first, second = set(one), set(other)
    return len(first & second) / (len(first | second) or 1)


def _rule_proposal(group: list[Record]) -> Proposal | None:
    evidence = sum(record.evidence for record in group)
    surest = max(group, key=lambda record: record.confidence)
    # What was said in other words too is further evidence for what is surest.
    confidence = max(
        attention_score.confidence_after(evidence),
        attention_score.confidence_after(evidence - surest.evidence + 1, start=surest.confidence),
    )
    if evidence < LEAST_EVIDENCE or confidence <= LEAST_CONFIDENCE:
        return None
    best = max(group, key=lambda r: (r.evidence, -len(r.text or r.title), r.id))
    text = rule_text(best.text or best.title)
    agent = _record_owner(best)
    times = f"{evidence} times" + (f", in {len(group)} ways" if len(group) > 1 else "")
    whom = f" to @{agent}" if agent else ""
    return Proposal(
        _proposal_id(RULE, agent, group[0].id),
        RULE,
        PENDING,
        text,
        GLOBAL,
        agent,
        tuple(record.id for record in group),
        evidence,
        round(confidence, 4),
        f"It was said {times}{whom}.",
    )


def rule_text(text: str) -> str:
    """Return a correction as the text of the rule that is proposed: without the words by which
    somebody was contradicted.
    """
    rule = remark_patterns.CONTRADICTION.sub("", " ".join(text.split()))
    return rule[:1].upper() + rule[1:] if len(rule.split()) > 2 else " ".join(text.split())


def _record_owner(record: Record) -> str:
    return record.agent if record.is_private else ""


def _proposal_id(kind: str, agent: str, record: str) -> str:
    return f"prop-{digest.hash_text(f'{kind} {agent} {record}')[:8]}"


def pending_proposals(root: str, plan: Compiled) -> list[Proposal]:
    """Return the proposals that wait for a decision."""
    if not (store := MemoryStore(root)).exists():
        return []
    decided = {proposal.id: proposal for proposal in past_decisions(root)}
    proposals = find_proposals(store.records(), decided)
    return [replace(p, target=target_domain(plan, p)) for p in proposals]


def past_decisions(root: str) -> list[Proposal]:
    """Return the proposals that were decided about, the latest first."""
    names = (name for name in list_names(root, PROPOSALS) if name.endswith(".json"))
    proposals = (_read_decision(os.path.join(root, PROPOSALS, name), root) for name in names)
    return sorted(filter(None, proposals), key=lambda p: p.decided, reverse=True)


def target_domain(plan: Compiled, proposal: Proposal) -> str:
    """Return the domain that a proposal's rule belongs in, once that is decided: the agent's own,
    else the global one.
    """
    if proposal.kind == KEEP:
        return ""
    for position in plan.by_agent.get(proposal.agent, ()):
        if (domain := plan.domain(position)).squad < 0:
            return domain.name
    return GLOBAL


def plan_acceptance(tree: Tree, proposal: Proposal) -> EditPlan:
    """Plan the change that accepting a proposal makes; raise UserError."""
    return add_rule(tree, proposal.target, proposal.text)


def accept_proposal(root: str, tree: Tree, proposal: Proposal, *, now: float) -> Proposal:
    """Accept a proposal: make the rule, or keep the memory.

    Memories that say no more than the rule go to the archive: the rule stands in their place.
    Raises UserError and StorageError; then there is no rule.
    """
    store = MemoryStore(root)
    if proposal.kind == KEEP:
        store.update(proposal.records[0], now=now, storage="durable", explicit=True)
        return _write_decision(root, proposal, ACCEPTED, now)
    plan = plan_acceptance(tree, proposal)
    edit_application.apply_plan(Path(root), plan)
    change = plan.edits[0]
    fresh = next((line for line in change.after.splitlines() if proposal.text in line), "")
    key = fresh.partition("=")[0]
    accepted = _write_decision(root, proposal, ACCEPTED, now, file=change.path, key=key)
    for record in _same_memories(store.records(), proposal):
        store.forget(record.id)
    return accepted


def replaced_memories(root: str, proposal: Proposal) -> list[str]:
    """Return the ids of the memories in the archive that the rule of an accepted proposal has
    replaced.
    """
    return [record.id for record in _same_memories(MemoryStore(root).archived_records(), proposal)]


def _same_memories(records: Iterable[Record], proposal: Proposal) -> list[Record]:
    """Return the records that a proposal is made of, as far as they say no more than the rule."""
    return [
        record
        for record in records
        if record.id in proposal.records and rule_text(record.text or record.title) == proposal.text
    ]


def reject_proposal(root: str, proposal: Proposal, *, now: float) -> Proposal:
    """Refuse a proposal: it comes back only with more evidence, and after three times never.

    Raises UserError where that was done already: it counts once.
    """
    if proposal.state == REJECTED:
        raise UserError(
            f"{proposal.id} was rejected already.", "`synapse learn revert` has it proposed again."
        )
    return _write_decision(root, proposal, REJECTED, now, refusals=proposal.refusals + 1)


def revert_decision(root: str, tree: Tree, proposal: Proposal, *, now: float) -> Proposal:
    """Revert a decision: takes back the proposal that was accepted, or have a refused one proposed
    again.

    Raises UserError where the file says something else by now.
    """
    if proposal.state == REJECTED:
        path = os.path.join(root, PROPOSALS, f"{proposal.id}.json")
        atomic_files.remove_quietly(path, within=root)
        return replace(proposal, state=PENDING, decided="", refusals=0)
    if proposal.state != ACCEPTED:
        raise UserError(f"{proposal.id} was not accepted.", "`synapse learn list` shows what was.")
    store = MemoryStore(root)
    if proposal.kind == KEEP:
        store.update(proposal.records[0], now=now, storage="daily", explicit=False)
        return _write_decision(root, proposal, REVERTED, now, refusals=1)
    edit_application.apply_plan(Path(root), _plan_removal(root, tree, proposal))
    for id in replaced_memories(root, proposal):
        store.restore(id)
    return _write_decision(root, proposal, REVERTED, now, refusals=1)


def _plan_removal(root: str, tree: Tree, proposal: Proposal) -> EditPlan:
    """Plan the change that takes the rule out. A repository can bring decisions: only a rule that
    the tree has is taken out, of a file that is where its folder is.
    """
    if not (domains := tree.domains_of_file(proposal.file)) or not proposal.text:
        raise UserError(
            f"{proposal.id} names {proposal.file or 'no file'}, which has no rule of the tree.",
            f"Delete {PROPOSALS}/{proposal.id}.json.",
        )
    rules = tree.rules_of(domains[0])
    same = (r for r in rules if r.text == proposal.text and r.key in ("", proposal.key))
    if (rule := next(same, None)) is None:
        raise UserError(
            f"{proposal.file} has no line {proposal.key or 'of it'} with this text any more.",
            "Change the file by hand.",
        )
    if is_behind_link(root, proposal.file):
        raise UserError(f"{proposal.file} is behind a link.", "Change the file by hand.")
    return remove_rule(tree, domains[0].label, rule.key or str(rule.index))


def _write_decision(
    root: str, proposal: Proposal, state: str, now: float, **changes: Any
) -> Proposal:
    decided = replace(proposal, state=state, decided=format_timestamp(now), **changes)
    folder = os.path.join(root, PROPOSALS)
    session_store.create_folder(folder, root)
    data = (fast_json.dumps(proposal_fields(decided)) + "\n").encode("utf-8", "replace")
    path = os.path.join(folder, f"{proposal.id}.json")
    atomic_files.atomic_write(path, data, within=root, durable=True, mode=atomic_files.PRIVATE_FILE)
    return decided


def proposal_fields(proposal: Proposal) -> dict[str, Any]:
    """Return a proposal as plain values, as it stands in its file."""
    return {**asdict(proposal), "records": list(proposal.records)}


def _read_decision(path: str, root: str) -> Proposal | None:
    try:
        data = atomic_files.read_bytes(path, FILE_LIMIT, within=root)
        value = fast_json.loads(data.decode("utf-8", "replace")) if data else None
        # A repository can bring decisions: one is known by the name of its file, and decides.
        if (
            not isinstance(value, dict)
            or f"{value['id']}.json" != os.path.basename(path)
            or value["state"] not in (ACCEPTED, REJECTED, REVERTED)
        ):
            return None
        texts = [
            "id", "kind", "state", "text", "target", "agent", "reason", "file", "key", "decided",
        ]  # fmt: skip
        return Proposal(
            records=tuple(map(str, value["records"])),
            evidence=int(value["evidence"]),
            confidence=float(value["confidence"]),
            refusals=int(value["refusals"]),
            **{name: str(value[name]) for name in texts},
        )
    except (atomic_files.StorageError, fast_json.JsonError, KeyError, TypeError, ValueError):
        return None
