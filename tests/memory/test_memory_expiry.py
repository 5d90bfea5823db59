"""When memories expire, and which belong in the archive."""

from __future__ import annotations

from typing import Any

from synapse_ls.formats.memory_file import parse_day
from synapse_ls.memory.attention_score import expiry_day, is_expired, is_stale
from synapse_ls.memory.memory_record import Record
from synapse_ls.text.iso_time import format_day

TODAY = 20_779  # 2026-11-22


def record(**fields: Any) -> Record:
    return Record(**{"title": "A", "created": format_day(TODAY), **fields})


def test_what_is_kept_for_how_long() -> None:
    assert expiry_day(record(storage="durable")) is None
    assert expiry_day(record(storage="session")) == TODAY + 1
    assert expiry_day(record(storage="daily", sector="episodic")) == TODAY + 7
    assert expiry_day(record(storage="daily", sector="reflective")) == TODAY + 30
    assert expiry_day(record(storage="session", explicit=True)) is None
    assert expiry_day(record(expires="2027-01-01", explicit=True)) == parse_day("2027-01-01")
    assert is_expired(record(expires=format_day(TODAY)), TODAY)


def test_only_what_is_cold_and_idle_for_long_is_stale() -> None:
    idle = record(created=format_day(TODAY - 90))
    assert is_stale(idle, TODAY)
    assert not is_stale(idle, TODAY - 1)
    assert not is_stale(idle.with_fields(explicit=True), TODAY)
    assert not is_stale(idle.with_fields(evidence=10, confidence=0.9), TODAY)
