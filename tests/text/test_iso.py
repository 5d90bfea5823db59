from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text.iso_time import parse_instant

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
zones = st.integers(-23 * 60, 23 * 60).map(lambda m: timezone(timedelta(minutes=m)))


def micros(time: datetime) -> int:
    return (time - EPOCH) // timedelta(microseconds=1)


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)), st.none() | zones | st.just(UTC))
def test_what_python_writes_is_read(time: datetime, zone: timezone | None) -> None:
    time = time.replace(tzinfo=zone)
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    assert parse_instant(time.isoformat()) == micros(aware)
    assert parse_instant(time.isoformat(" ")) == micros(aware)


@given(st.dates())
def test_a_date_is_its_midnight(date: object) -> None:
    assert (
        parse_instant(str(date))
        == parse_instant(f"{date}T00:00Z")
        == parse_instant(str(date).replace("-", ""))
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-03-12T16:40Z", "2026-03-12T16:40:00+00:00"),
        ("20260312T164000Z", "2026-03-12T16:40:00+00:00"),
        ("2026-03-12T18", "2026-03-12T18:00:00+00:00"),
        ("2026-03-12T16:40:00.123456789Z", "2026-03-12T16:40:00.123456+00:00"),
        ("2026-03-12T16:40:00,5-03", "2026-03-12T16:40:00.500000-03:00"),
        ("2024-02-29", "2024-02-29T00:00:00+00:00"),
    ],
)
def test_other_shapes_are_read(text: str, same: str) -> None:
    assert parse_instant(text) == micros(datetime.fromisoformat(same))


@pytest.mark.parametrize(
    "text",
    [
        *("", "yesterday", "2026", "2026-13-01", "2026-02-30", "2025-02-29", "0000-01-01"),
        *("2026-03-12T", "2026-03-12T25:00", "2026-03-12T10:60", "2026-03-12T10:00:00."),
        *("2026-03-12x", "2026-03-12T10:00+", "2026-3-12", "２０２６-03-12", "2026-03-12T1:00"),
        *("9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"),  # no year of UTC
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert parse_instant(text) is None


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    assert parse_instant(text) is None or isinstance(parse_instant(text), int)
