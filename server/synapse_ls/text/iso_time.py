"""Parse ISO 8601 dates and times into microseconds since 1970, without ``datetime`` or a clock."""

from typing import Final

_MINUTE: Final = 60_000_000
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def parse_instant(text: str) -> int | None:
    """Parse a time of ISO 8601 to the microseconds from 1970-01-01T00:00Z; None where ``text`` is
    none.

    A date with or without a time of day, in the extended or the basic format, fractions of seconds
    of any length; UTC where no zone is named.
    """
    text = text.strip()
    date, time = text[:10], text[10:]
    if len(date) == 10 and date[4] == date[7] == "-":
        numbers = date[:4], date[5:7], date[8:]
    else:
        date, time = text[:8], text[8:]
        numbers = date[:4], date[4:6], date[6:]
    if len(date) < 8 or not all(map(_is_number, numbers)):
        return None
    days = days_since_epoch(*map(int, numbers))
    of_day: int | None = 0
    if time:
        of_day = _time_of_day(time[1:]) if time[0] in "Tt " else None
    return None if days is None or of_day is None else days * _DAY + of_day


def format_day(day: int) -> str:
    """Return a day since 1970-01-01 as an ISO date (the proleptic Gregorian calendar)."""
    era, of_era = divmod(day + 719468, 146097)
    years = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * years + years // 4 - years // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = years + era * 400 + (month <= 2)
    return f"{year:04}-{month:02}-{of_year - (153 * shifted + 2) // 5 + 1:02}"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _days_in_month(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _DAYS[month - 1] + (month == 2 and leap)


def days_since_epoch(year: int, month: int, day: int) -> int | None:
    """Return the days from 1970-01-01 to a date (the proleptic Gregorian calendar); None for what
    is no date.
    """
    if not year or not 1 <= month <= 12 or not 1 <= day <= _days_in_month(year, month):
        return None
    before = year - 1
    leaps = before // 4 - before // 100 + before // 400
    days = sum(_days_in_month(year, other) for other in range(1, month))
    return before * 365 + leaps + days + day - 719_163


def _time_of_day(text: str) -> int | None:
    """Return the microseconds of a time of day in UTC, its zone taken off; None where ``text`` is
    none.
    """
    at = max(text.find(sign) for sign in "+-Zz\u2212")
    clock, zone = (text, "") if at < 0 else (text[:at], text[at:])
    whole, _, fraction = clock.replace(",", ".").partition(".")
    micros = _clock_time(whole)
    shift = _zone_offset(zone)
    if micros is None or shift is None or (fraction and not _is_number(fraction)):
        return None
    if "." in clock.replace(",", ".") and not fraction:
        return None
    return micros + int(f"{fraction:0<6.6}" or 0) - shift


def _clock_time(text: str) -> int | None:
    """Return the microseconds of ``hh``, ``hh:mm`` or ``hh:mm:ss``, with colons or without; None
    for anything else.
    """
    digits = text.replace(":", "") if text[2:3] == ":" else text
    if text[2:3] == ":" and (len(text) not in (5, 8) or (len(text) == 8 and text[5] != ":")):
        return None
    if len(digits) not in (2, 4, 6) or not _is_number(digits):
        return None
    hour, minute, second = int(digits[:2]), int(digits[2:4] or 0), int(digits[4:] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return hour * _HOUR + minute * _MINUTE + second * 1_000_000


def _zone_offset(text: str) -> int | None:
    """Return the microseconds by which a zone is ahead of UTC; None where ``text`` is no zone."""
    if text in ("", "Z", "z"):
        return 0
    shift = _clock_time(text[1:])
    if shift is None or text[0] not in "+-\u2212":
        return None
    return shift if text[0] == "+" else -shift
