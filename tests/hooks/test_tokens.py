"""What a long session costs, and that nothing is lost by it."""

from __future__ import annotations

from pathlib import Path

from tests.bench.bench_tokens import BAR, TREE, run
from tests.support import corpus
from tests.trees import write_tree


def test_a_session_costs_a_quarter_of_full_blocks_and_every_wanted_entry_stands(
    tmp_path: Path,
) -> None:
    result = run(write_tree(tmp_path, TREE))
    assert result.wrong == []
    assert result.late == 0
    assert result.percent <= BAR


def test_so_it_does_in_a_real_tree(tmp_path: Path) -> None:
    import shutil

    root = tmp_path / "tree"
    shutil.copytree(corpus() / "aiox", root, symlinks=True)
    result = run(root)
    assert result.wrong == []
    assert result.percent <= BAR
