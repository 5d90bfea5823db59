"""Rules that could be made of what people corrected again and again: proposals, and nothing else.

Corrections are put together by the words that they share (Jaccard). A group that has evidence enough, and
by the rule of growth a confidence above the threshold, becomes one proposal (ADR-001 B5, MIS
self-learning: confidence > 0.9, evidence ≥ 5, overlap of keywords). A gotcha whose solution is known may
be proposed to be kept; what tools said is quoted in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from synapse_ls.engine.hashing import text_hash
from synapse_ls.formats.memory_fields import CORRECTION
from synapse_ls.memory.digests.words import CONTRADICTION
from synapse_ls.memory.record import Record
from synapse_ls.memory.score import STANDARD, Constants, confidence_after
from synapse_ls.memory.search import terms

EVIDENCE = 5
CONFIDENCE = 0.9
OVERLAP = 0.5
REFUSALS = 3  # after which it is never made again
MORE = 5  # pieces of evidence that have to be new before a refused one is made again

RULE, KEEP = "rule", "keep"
"""What a proposal asks for: a rule in a domain, or a memory that is kept for good."""

PENDING, ACCEPTED, REJECTED, REVERTED = "pending", "accepted", "rejected", "reverted"

PROPOSED = (CORRECTION, "validated_pattern")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal. id: stands for what it is about, so that it is the same one tomorrow.

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
class Refused:
    """How often a proposal was refused, and the evidence that it had the last time."""

    times: int
    evidence: int


def proposals(
    records: Iterable[Record],
    refused: Callable[[str], Refused | None] = lambda _: None,
    constants: Constants = STANDARD,
) -> list[Proposal]:
    """What could be learned from ``records``, the best founded first."""
    known = list(records)
    found = [p for group in _groups(known) if (p := _rule_of(group, constants))]
    found += [p for record in known if (p := _kept(record))]
    found = [p for p in found if _may_come(p, refused(p.id))]
    return sorted(found, key=lambda p: (-p.confidence, -p.evidence, p.id))


def overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """The share of words that two texts have in common, of all that they have; 0 for no words."""
    first, second = set(one), set(other)
    either = first | second
    return len(first & second) / len(either) if either else 0.0


def _groups(records: Iterable[Record]) -> list[list[Record]]:
    """Corrections that say nearly the same, of one scope and agent; the oldest one leads."""
    groups: list[tuple[list[str], list[Record]]] = []
    for record in sorted(records, key=lambda r: (r.created, r.id)):
        if record.type not in PROPOSED:
            continue
        words = terms(record.text or record.title)
        for leading, group in groups:
            if _owner(group[0]) == _owner(record) and overlap(leading, words) >= OVERLAP:
                group.append(record)
                break
        else:
            groups.append((words, [record]))
    return [group for _, group in groups]


def _rule_of(group: list[Record], constants: Constants) -> Proposal | None:
    evidence = sum(record.evidence for record in group)
    confidence = max(
        confidence_after(evidence, constants), *(record.confidence for record in group)
    )
    if evidence < EVIDENCE or confidence <= CONFIDENCE:
        return None
    best = max(group, key=lambda r: (r.evidence, -len(r.text or r.title), r.id))
    text = as_rule(best.text or best.title)
    agent = _owner(best)
    times = f"{evidence} times" + (f", in {len(group)} ways" if len(group) > 1 else "")
    whom = f" to @{agent}" if agent else ""
    return Proposal(
        _id(RULE, agent, group[0].id),
        RULE,
        text,
        agent,
        tuple(record.id for record in group),
        evidence,
        round(confidence, 4),
        f"It was said {times}{whom}.",
    )


def as_rule(text: str) -> str:
    """A correction as a rule: without the words by which somebody was contradicted."""
    rule = CONTRADICTION.sub("", " ".join(text.split()))
    return rule[:1].upper() + rule[1:] if len(rule.split()) > 2 else " ".join(text.split())


def _kept(record: Record) -> Proposal | None:
    if record.type != "gotcha" or record.storage == "durable" or record.evidence < EVIDENCE:
        return None
    if record.confidence <= CONFIDENCE:
        return None
    return Proposal(
        _id(KEEP, "", record.id),
        KEEP,
        record.title,
        "",
        (record.id,),
        record.evidence,
        record.confidence,
        f"The error was met {record.evidence} times.",
    )


def _may_come(proposal: Proposal, refused: Refused | None) -> bool:
    if refused is None or not refused.times:
        return True
    return refused.times < REFUSALS and proposal.evidence >= refused.evidence + MORE


def _owner(record: Record) -> str:
    return record.agent if record.is_private else ""


def _id(kind: str, agent: str, record: str) -> str:
    return f"prop-{text_hash(f'{kind} {agent} {record}')[:8]}"
