"""This module says when a memory expires, and which memories belong in the archive."""

from __future__ import annotations

from synapse_ls.formats.memory_fields import parse_day
from synapse_ls.memory.attention_score import (
    STANDARD_CONSTANTS,
    ScoreConstants,
    idle_days,
    last_use_day,
    score_attention,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.memory.record import Record


def expiry_day(record: Record, constants: ScoreConstants = STANDARD_CONSTANTS) -> int | None:
    """Returns the first day on which a memory has expired, None for never.

    It is the one that its record names, else follows from its last use: the days of its storage, and for
    what is not durable also those of its sector (MIS), whichever are fewer; 0 days are for ever.
    """
    if record.expires:
        return parse_day(record.expires)
    if record.explicit:
        return None
    kept = constants.expiry.get(record.storage, 0)
    if record.storage != "durable":
        sector = constants.sector_days.get(record.sector, 0)
        kept = min(days for days in (kept, sector) if days) if kept or sector else 0
    last = last_use_day(record) if kept else None
    return None if last is None else last + kept


def is_expired(record: Record, today: int, constants: ScoreConstants = STANDARD_CONSTANTS) -> bool:
    """Tells whether a memory has expired."""
    day = expiry_day(record, constants)
    return day is not None and today >= day


def is_stale(record: Record, today: int, constants: ScoreConstants = STANDARD_CONSTANTS) -> bool:
    """Tells whether a memory is stale, and belongs in the archive though it has not expired: its
    score is below the line of the archive, and it has been idle for long.
    """
    if record.explicit or idle_days(record, today) < constants.archive_days:
        return False
    return score_attention(record, today, constants).value < constants.archive


def archive_reason(record: Record, today: int, constants: ScoreConstants) -> str:
    """Returns why a memory belongs in the archive: it has expired, or nobody needs it any more; ""
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
