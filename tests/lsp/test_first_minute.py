"""The first screen of a tree is calm: nothing is there that has nothing to say."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.cli.main import main
from tests.lsp.first_minute import measure
from tests.support import corpus

SHOWCASE = Path(__file__).parent.parent / "workspaces" / "showcase"
HOVER = 12
"""Lines of a hover at most."""


def test_the_first_screen_of_a_sound_tree_has_nothing_but_a_share() -> None:
    found = measure(SHOWCASE)
    assert (found.findings, found.links, found.lenses, found.hints) == (0, 0, 0, 1)
    assert 0 < found.longest_hover <= HOVER


def test_the_first_screen_of_a_new_tree_is_empty_but_for_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "package.json").write_text('{"name": "x", "scripts": {"test": "vitest"}}', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    found = measure(tmp_path)
    assert (found.findings, found.links, found.lenses, found.hints) == (0, 0, 0, 0)
    assert 0 < found.longest_hover <= HOVER


@pytest.mark.parametrize(
    ("tree", "findings", "hints"),
    [("aiox", 1, 3), ("many-domains", 2, 2), ("carl", 0, 0), ("chati", 0, 0)],
)
def test_the_first_screen_of_a_real_tree(tree: str, findings: int, hints: int) -> None:
    found = measure(corpus() / tree)
    assert (found.links, found.lenses) == (0, 0)
    assert found.findings <= findings
    assert found.hints <= hints
    assert found.longest_hover <= HOVER
