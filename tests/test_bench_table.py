"""The table of all benchmarks has every one of them, and says of each bar whether it holds."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.bench import __main__ as table
from tests.bench.measure import Figure


def test_every_benchmark_is_a_part_of_the_table() -> None:
    modules = (Path(__file__).parent / "bench").glob("bench_*.py")
    assert {path.stem.removeprefix("bench_") for path in modules} == set(table.PARTS)
    assert all(callable(import_module(f"tests.bench.bench_{part}").figures) for part in table.PARTS)


def test_a_figure_above_its_bar_is_told_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = [Figure("quick", 2, "ms", 5), Figure("slow", 9, "ms", 5), Figure("told", 7, "ms")]
    monkeypatch.setattr(table, "read_part", lambda _: iter(figures))
    assert table.main(["--only", "index"]) == 1
    quick, slow, told, *_, summary = capsys.readouterr().out.splitlines()[2:]
    assert quick.endswith("held") and not quick.endswith("NOT HELD")
    assert slow.endswith("NOT HELD")
    assert told.endswith("ms") and "bar" not in told
    assert summary == "1 of 2 bars held"


def test_where_all_bars_hold_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "read_part", lambda _: iter([Figure("quick", 2, "ms", 5)]))
    assert table.main(["--only", "index"]) == 0
