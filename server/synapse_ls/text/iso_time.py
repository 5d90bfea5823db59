"""Parse ISO 8601 dates and times into microseconds since 1970."""

from datetime import UTC, date, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()


def parse_instant(text: str) -> int | None:
    """Parse a time of ISO 8601 to the microseconds from 1970-01-01T00:00Z; None where ``text`` is
    none.

    A date with or without a time of day, in the extended or the basic format, fractions of seconds
    of any length; UTC where no zone is named. It lies in the years 1 to 9999 of UTC.
    """
    try:
        time = datetime.fromisoformat(text.strip().upper())
        time = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return (time - _EPOCH) // timedelta(microseconds=1)


def parse_date(text: str) -> int | None:
    """Return a date of ISO 8601 in days since 1970-01-01; None where ``text`` is none."""
    try:
        return date.fromisoformat(text).toordinal() - _EPOCH_DAY
    except ValueError:
        return None


def format_day(day: int) -> str:
    """Return a day since 1970-01-01 as an ISO date."""
    return date.fromordinal(day + _EPOCH_DAY).isoformat()
