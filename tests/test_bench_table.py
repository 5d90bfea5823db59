"""The table of all benchmarks has every one of them, and says of each bar whether it holds."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tests.bench import __main__ as table
from tests.bench.bench_findings import VERDICTS, DrawnFinding, judged_figures, upper_limit
from tests.bench.bench_growth import SIZES, draw, label_places
from tests.bench.bench_window import read_figures
from tests.bench.measure import Figure


def test_every_benchmark_is_a_part_of_the_table() -> None:
    modules = (Path(__file__).parent / "bench").glob("bench_*.py")
    assert {path.stem.removeprefix("bench_") for path in modules} == set(table.PARTS)
    assert all(callable(import_module(f"tests.bench.bench_{part}").figures) for part in table.PARTS)


@pytest.mark.parametrize("part", ["activation", "assembly", "hook", "hook_server", "tokens"])
def test_nothing_is_measured_where_there_is_no_tree(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [part, "--tree", str(tmp_path / "none")])
    with pytest.raises(SystemExit) as ended:
        import_module(f"tests.bench.bench_{part}").main()
    assert "none has no rule tree" in f"{ended.value}{capsys.readouterr().err}"


def test_a_figure_above_its_bar_is_told_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = [
        Figure("quick", 2, "ms", 5),
        Figure("slow", 9, "ms", 5),
        Figure("told", 7, "ms"),
        Figure("  times that", 3, "×", 2),
    ]
    monkeypatch.setattr(table, "read_part", lambda _: iter(figures))
    monkeypatch.setattr(table, "TREES", {})
    assert table.main(["--only", "index"]) == 1
    quick, slow, told, times, seconds, *_, summary = capsys.readouterr().out.splitlines()[2:]
    assert quick.endswith("held") and not quick.endswith("NOT HELD")
    assert slow.endswith("NOT HELD")
    assert told.endswith("ms") and "bar" not in told
    assert times.endswith("NOT HELD")
    assert seconds == "  0 s"
    assert summary == "1 of 3 bars held; not held: index: slow; index: told – times that"


def test_rows_that_are_left_out_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(table, "read_part", lambda _: iter([]))
    monkeypatch.delenv("SYNAPSE_LS_CORPUS", raising=False)
    monkeypatch.setenv("SYNAPSE_LS_TREES", "/trees")
    table.main(["--only", "index"])
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "SYNAPSE_LS_CORPUS is not set: the rows of real trees are left out."
    assert second == ""


def test_where_all_bars_hold_nothing_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(table, "read_part", lambda _: iter([Figure("quick", 2, "ms", 5)]))
    assert table.main(["--only", "index"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 of 1 bars held"


def test_of_several_runs_each_row_says_in_how_many_it_was_held(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    values = iter((2, 9, 2))

    def read_part(_: str) -> Iterator[Figure]:
        yield Figure("steady", 1, "ms", 5)
        yield Figure("shaky", next(values), "ms", 5)

    monkeypatch.setattr(table, "read_part", read_part)
    assert table.main(["--only", "index", "--runs", "3"]) == 1
    *_, steady, shaky, _, last = capsys.readouterr().out.splitlines()
    assert steady.split() == ["index:", "steady", "held", "in", "3", "of", "3"]
    assert shaky.split() == ["index:", "shaky", "held", "in", "2", "of", "3"]
    assert last == "in all 3 runs: 1 of 2 bars held; not held: index: shaky"


def test_the_picture_of_growth_has_each_name_at_a_place_of_its_own() -> None:
    places = label_places({"a": 50, "b": 52, "c": 51, "d": 200})
    ordered = sorted(places.values())
    assert all(after - before >= 15 for before, after in itertools.pairwise(ordered))
    assert places["d"] == 200
    picture = draw({name: dict.fromkeys(SIZES, 1.5) for name in "abcdef"})
    assert picture.count("<polyline") == 6
    assert "prefers-color-scheme:dark" in picture


def test_the_upper_limit_of_a_share_is_that_of_clopper_and_pearson() -> None:
    assert upper_limit(0, 400) == pytest.approx(100 * (1 - 0.05 ** (1 / 400)), abs=1e-9)
    assert upper_limit(3, 400) == pytest.approx(1.926, abs=0.01)
    assert upper_limit(5, 5) == 100


def test_a_finding_is_false_where_one_judge_says_so_and_counts_only_if_it_was_judged() -> None:
    def drawn(number: int) -> DrawnFinding:
        said = {"path": f"{number}", "message": "m", "remedy": "r", "severity": "warning"}
        return DrawnFinding("tree", said, "line")

    verdicts = {
        drawn(0).key: ("good", "false"),
        drawn(1).key: ("good", "true"),
        drawn(2).key: ("good", "good"),
        drawn(3).key: ("good",),
    }
    told = {
        figure.name.strip(): figure
        for figure in judged_figures([drawn(number) for number in range(6)], 1, verdicts)
    }
    assert told["of them judged"].value == 4
    assert told["fewer than 400 judged, by"].value == 396
    assert told["of the judged ones false"].value == 25
    assert not told["of the judged ones false"].is_held
    assert told["of the judged warnings and errors nothing to act on"].value == 25


def test_every_kept_verdict_is_one_of_three_and_has_no_text_of_others() -> None:
    for line in VERDICTS.read_text(encoding="utf-8").splitlines():
        kept = json.loads(line)
        assert kept.keys() == {"rule", "tree", "finding", "verdicts"}
        assert set(kept["verdicts"]) <= {"good", "true", "false"}
        assert len(kept["finding"]) == 16


def test_the_rows_of_cold_windows_are_read_from_what_the_script_says() -> None:
    said = "".join(
        f"first finding, from the manifest's text on the screen: {text} ms\n"
        f"first finding, from opening the window: {opening} ms\n"
        for text, opening in ((3100, 9999), (2312, 9000), (2200, 8000), (2900, 9500))
    )
    screen, screen_installed, opening, opening_installed = read_figures(said)
    assert (screen.value, screen.bar) == (2.312, 2.5)
    assert (screen_installed.value, screen_installed.bar) == (3.1, None)
    assert (opening.value, opening.bar) == (9, None)
    assert opening_installed.value == 9.999
