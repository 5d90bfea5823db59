"""This module proposes rules from what people corrected again and again (self-learning): proposals,
and nothing else.

Corrections are put together by the words that they share (Jaccard). A group that has evidence
enough, and by the rule of growth a confidence above the threshold, becomes one proposal (ADR-001
B5, MIS self-learning: confidence > 0.9, evidence ≥ 5, overlap of keywords). A gotcha whose solution
is known may be proposed to be kept; what tools said is quoted in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from synapse_ls.engine.text_identity import hash_text
from synapse_ls.formats.memory_fields import CORRECTION_TYPE
from synapse_ls.memory.attention_score import STANDARD_CONSTANTS, ScoreConstants, confidence_after
from synapse_ls.memory.digests.remark_patterns import CONTRADICTION
from synapse_ls.memory.memory_search import search_terms
from synapse_ls.memory.record import Record

LEAST_EVIDENCE = 5
LEAST_CONFIDENCE = 0.9
LEAST_OVERLAP = 0.5
MOST_REFUSALS = 3  # after which it is never made again
NEW_EVIDENCE = 5  # pieces of evidence that have to be new before a refused one is made again

RULE, KEEP = "rule", "keep"
"""What a proposal asks for: a rule in a domain, or a memory that is kept for good."""

PENDING, ACCEPTED, REJECTED, REVERTED = "pending", "accepted", "rejected", "reverted"

PROPOSED_TYPES = (CORRECTION_TYPE, "validated_pattern")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A Proposal asks for a rule or for a memory to be kept. id: stands for what it is about, so
    that it is the same one tomorrow.

    text: the rule, or the title of the memory. agent: whose rule it would be, "" for everybody's.
    records: ids of the memories it is made of. reason: why, in a sentence.
    """

    id: str
    kind: str
    text: str
    agent: str
    records: tuple[str, ...]
    evidence: int
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A Refusal says how often a proposal was refused, and the evidence that it had the last time."""

    times: int
    evidence: int


def find_proposals(
    records: Iterable[Record],
    find_refusal: Callable[[str], Refusal | None] = lambda _: None,
    constants: ScoreConstants = STANDARD_CONSTANTS,
) -> list[Proposal]:
    """Returns the rules that can be proposed from ``records``, the best founded first."""
    known = list(records)
    found = [p for group in _group_corrections(known) if (p := _rule_proposal(group, constants))]
    found += [p for record in known if (p := _keep_proposal(record))]
    found = [p for p in found if _may_propose(p, find_refusal(p.id))]
    return sorted(found, key=lambda p: (-p.confidence, -p.evidence, p.id))


def word_overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """Returns the share of words that the texts of two proposals have in common, of all that they
    have; 0 for no words.
    """
    first, second = set(one), set(other)
    either = first | second
    return len(first & second) / len(either) if either else 0.0


def _group_corrections(records: Iterable[Record]) -> list[list[Record]]:
    """Returns corrections that say nearly the same, of one scope and agent; the oldest one leads."""
    groups: list[tuple[list[str], list[Record]]] = []
    for record in sorted(records, key=lambda r: (r.created, r.id)):
        if record.type not in PROPOSED_TYPES:
            continue
        words = search_terms(record.text or record.title)
        for leading, group in groups:
            if (
                _record_owner(group[0]) == _record_owner(record)
                and word_overlap(leading, words) >= LEAST_OVERLAP
            ):
                group.append(record)
                break
        else:
            groups.append((words, [record]))
    return [group for _, group in groups]


def _rule_proposal(group: list[Record], constants: ScoreConstants) -> Proposal | None:
    evidence = sum(record.evidence for record in group)
    surest = max(group, key=lambda record: record.confidence)
    # What was said in other words too is further evidence for what is surest.
    further = evidence - surest.evidence + 1
    confidence = max(
        confidence_after(evidence, constants),
        confidence_after(further, constants, start=surest.confidence),
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
        text,
        agent,
        tuple(record.id for record in group),
        evidence,
        round(confidence, 4),
        f"It was said {times}{whom}.",
    )


def rule_text(text: str) -> str:
    """Returns a correction as the text of the rule that is proposed: without the words by which
    somebody was contradicted.
    """
    rule = CONTRADICTION.sub("", " ".join(text.split()))
    return rule[:1].upper() + rule[1:] if len(rule.split()) > 2 else " ".join(text.split())


def _keep_proposal(record: Record) -> Proposal | None:
    if record.type != "gotcha" or record.storage == "durable" or record.evidence < LEAST_EVIDENCE:
        return None
    if record.confidence <= LEAST_CONFIDENCE:
        return None
    return Proposal(
        _proposal_id(KEEP, "", record.id),
        KEEP,
        record.title,
        "",
        (record.id,),
        record.evidence,
        record.confidence,
        f"The error was met {record.evidence} times.",
    )


def _may_propose(proposal: Proposal, refusal: Refusal | None) -> bool:
    if refusal is None or not refusal.times:
        return True
    return refusal.times < MOST_REFUSALS and proposal.evidence >= refusal.evidence + NEW_EVIDENCE


def _record_owner(record: Record) -> str:
    return record.agent if record.is_private else ""


def _proposal_id(kind: str, agent: str, record: str) -> str:
    return f"prop-{hash_text(f'{kind} {agent} {record}')[:8]}"
