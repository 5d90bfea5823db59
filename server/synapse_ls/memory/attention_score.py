"""Score how much attention a memory deserves (HOT, WARM, COLD), and when it expires.

    score = evidence × recency × access × confidence, at most 1            (MIS, "attention score")

* evidence = min(times seen / 10, 1)
* recency = e^(−decay × days since it was last used), decay 0.5, 0.1 or 0.01 a day by storage
* access = min(1 + 0.1 × times used, 2)
* confidence begins at 0.3 and grows with each evidence: c' = c + 0.3 × (1 − c). The documents name
  only the start; with this rule HOT (above 0.7) needs four pieces of evidence, 0.9 seven.

HOT is above 0.7 with confidence above 0.7 and five pieces of evidence, or a person's word. WARM is
0.3 and above, or used three times or seen twice while recency is at least a half. The rest is COLD.
What a person said outright has a floor of 0.75, since the formula alone gives at most 0.06, below
the archive's limit. A tier from another tool is a floor until it has faded by half. All numbers are
settings (``[memory]``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from synapse_ls.formats.memory_file import START_CONFIDENCE, parse_day
from synapse_ls.memory.memory_record import Record

HOT = "hot"
WARM = "warm"
COLD = "cold"

_E = 2.718281828459045
_HALF = 0.5

HOT_CONFIDENCE = 0.7
HOT_EVIDENCE = 5
WARM_ACCESSES = 3
WARM_EVIDENCE = 2


@dataclass(frozen=True, slots=True, eq=False)
class ScoreConstants:
    """The numbers by which attention is scored, as a tree's ``[memory]`` sets them.

    decay: by storage, a day. expiry: days by storage, sector_days: days by sector; 0 is for ever.
    """

    hot: float = 0.7
    warm: float = 0.3
    archive: float = 0.1
    archive_days: int = 90
    explicit_floor: float = 0.75
    growth: float = 0.3
    full_evidence: int = 10
    access_step: float = 0.1
    access_most: float = 2.0
    decay: dict[str, float] = field(
        default_factory=lambda: {"session": 0.5, "daily": 0.1, "durable": 0.01}
    )
    expiry: dict[str, int] = field(
        default_factory=lambda: {"session": 1, "daily": 30, "durable": 0}
    )
    sector_days: dict[str, int] = field(
        default_factory=lambda: {"episodic": 7, "semantic": 365, "procedural": 30, "reflective": 0}
    )

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> ScoreConstants:
        """Return the constants with those that the table ``[memory]`` of a tree sets."""
        standard = cls()
        changes: dict[str, Any] = {
            name: {**getattr(standard, name), **value} if isinstance(value, dict) else value
            for name, value in settings.items()
            if name in cls.__slots__
        }
        return replace(standard, **changes)


STANDARD_CONSTANTS = ScoreConstants()


@dataclass(frozen=True, slots=True)
class AttentionScore:
    """How much attention a memory deserves, with the factors of the score, each a number by which
    the ones before are multiplied.

    uses_floor: whether a floor counts instead of the product.
    """

    evidence: float
    recency: float
    access: float
    confidence: float
    value: float
    tier: str
    uses_floor: bool

    @property
    def factors(self) -> tuple[tuple[str, float], ...]:
        """The factors by name; their product, or the floor, is the score."""
        return (
            ("evidence", self.evidence),
            ("recency", self.recency),
            ("access", self.access),
            ("confidence", self.confidence),
        )


def score_attention(
    record: Record, today: int, constants: ScoreConstants = STANDARD_CONSTANTS
) -> AttentionScore:
    """Score the attention that a record deserves on a day since 1970-01-01; days, not hours, so
    that blocks hold still.
    """
    evidence = min(record.evidence / constants.full_evidence, 1.0)
    recency = _E ** (-constants.decay[record.storage] * idle_days(record, today))
    access = min(1 + constants.access_step * record.access_count, constants.access_most)
    confidence = record.confidence
    product = min(evidence * recency * access * confidence, 1.0)
    # The least that a record is worth, whatever its factors.
    is_fresh, floor = recency >= _HALF, 0.0
    if record.explicit or (record.tier == HOT and is_fresh):
        floor = constants.explicit_floor
    elif record.tier == WARM and is_fresh:
        floor = constants.warm
    lifted = product < floor
    value = floor if lifted else product
    promoted = record.access_count >= WARM_ACCESSES or record.evidence >= WARM_EVIDENCE
    tier = COLD
    if value > constants.hot and may_be_hot(record):
        tier = HOT
    elif value >= constants.warm or (promoted and is_fresh):
        tier = WARM
    return AttentionScore(evidence, recency, access, confidence, value, tier, uses_floor=lifted)


def may_be_hot(record: Record) -> bool:
    """Return whether a record is HOT where its score is, whatever its age and use."""
    proven = record.confidence > HOT_CONFIDENCE and record.evidence >= HOT_EVIDENCE
    return proven or record.explicit or record.tier == HOT


def grow_confidence(confidence: float, constants: ScoreConstants = STANDARD_CONSTANTS) -> float:
    """Return the confidence, a factor of the attention score, after one more piece of evidence."""
    return confidence + constants.growth * (1 - confidence)


def confidence_after(evidence: int, start: float = START_CONFIDENCE) -> float:
    """Return the confidence, a factor of the attention score, of what was seen so often, from the
    first time on.
    """
    return 1 - (1 - start) * (1 - STANDARD_CONSTANTS.growth) ** max(evidence - 1, 0)


def last_use_day(record: Record) -> int | None:
    """Return, for its attention score, the last day on which somebody used, changed or made the
    record; None where nobody knows.
    """
    times = filter(None, (record.accessed, record.updated, record.created))
    return max((day for text in times if (day := parse_day(text)) is not None), default=None)


def idle_days(record: Record, today: int) -> int:
    """Return, for its attention score, the days since a record was last used; 0 where that is not
    known, or lies ahead.
    """
    last = last_use_day(record)
    return max(today - last, 0) if last is not None else 0


def expiry_day(record: Record, constants: ScoreConstants = STANDARD_CONSTANTS) -> int | None:
    """Return the first day on which a memory has expired, None for never.

    It is the one that its record names, else follows from its last use: the days of its storage,
    and for what is not durable also those of its sector (MIS), whichever are fewer; 0 days are for
    ever.
    """
    if record.expires:
        return parse_day(record.expires)
    if record.explicit:
        return None
    days = constants.expiry.get(record.storage, 0)
    if record.storage != "durable":
        sector = constants.sector_days.get(record.sector, 0)
        days = min(days for days in (days, sector) if days) if days or sector else 0
    last = last_use_day(record) if days else None
    return None if last is None else last + days


def is_expired(record: Record, today: int, constants: ScoreConstants = STANDARD_CONSTANTS) -> bool:
    """Return whether a memory has expired."""
    day = expiry_day(record, constants)
    return day is not None and today >= day


def is_stale(record: Record, today: int, constants: ScoreConstants = STANDARD_CONSTANTS) -> bool:
    """Return whether a memory is stale, and belongs in the archive though it has not expired: its
    score is below the line of the archive, and it has been idle for long.
    """
    is_idle = not record.explicit and idle_days(record, today) >= constants.archive_days
    return is_idle and score_attention(record, today, constants).value < constants.archive


def archive_reason(record: Record, today: int, constants: ScoreConstants) -> str:
    """Return why a memory belongs in the archive: it has expired, or nobody needs it any more; ""
    where it does not.
    """
    if is_expired(record, today, constants):
        if record.expires:
            return f"it expired on {record.expires[:10]}"
        return f"a {record.storage} {record.sector} memory is kept for as long as it is used"
    if is_stale(record, today, constants):
        score = score_attention(record, today, constants).value
        return (
            f"its score of {score:.2f} is below {constants.archive:g}, and nobody has used it for "
            f"{constants.archive_days} days"
        )
    return ""
