"""What the last audit said of a rule, beside the rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.ide.code_lens import code_lenses, resolve_lens
from synapse_ls.ide.hover import hover
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.storage.editor_cache import RuleHistory, read_histories, write_histories
from tests.trees import TEAM, write_tree

PATH = ".synapse/agent-dev"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LiveTree:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    found = LiveTree(str(write_tree(tmp_path / "team", TEAM)))
    found.load()
    return found


def lens_titles(tree: LiveTree) -> list[str]:
    view = tree.view()
    titles = (
        resolve_lens(view, PATH, lens.provider, lens.subject)
        for lens in code_lenses(view, PATH)
        if lens.provider == "history"
    )
    return [title.title for title in titles if title]


def test_a_rule_without_a_history_has_no_lens(tree: LiveTree) -> None:
    assert lens_titles(tree) == []


def test_hover_and_lens_tell_what_the_last_audit_said(tree: LiveTree) -> None:
    key = next(line.partition("=")[0] for line in TEAM[PATH].splitlines() if "=" in line).strip()
    history = RuleHistory(14, 2, "2026-03-02T10:00:00Z")
    write_histories(tree.root, [(PATH, key, history)])
    tree.refresh_histories()
    said = "applied 14 times, broken twice, last on 2026-03-02"
    assert lens_titles(tree) == [said]
    text = tree.text(PATH)
    assert text is not None
    shown = hover(tree.view(), PATH, text.index(key))
    assert shown and f"In past sessions: {said}." in shown.markdown


def test_a_rule_that_never_applied_has_no_history(tree: LiveTree) -> None:
    write_histories(tree.root, [(PATH, "X_RULE_0", RuleHistory(0, 0))])
    assert read_histories(tree.root) == {}
