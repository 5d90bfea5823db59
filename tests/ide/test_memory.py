"""Editor features on memories: hovers and completion."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.ide.completion import complete_at
from synapse_ls.ide.hover import hover
from synapse_ls.live.live_tree import LiveTree
from tests.ide.views import check_hover, view_of
from tests.support import mark
from tests.trees import TEAM, write_tree

PATH = ".synapse/memory/shared/durable/mem-2026-01-02-001.md"
OTHER = ".synapse/memory/shared/durable/mem-2026-01-02-002.md"
TEXT = """\
---
id: mem-2026-01-02-001
explicit: true
tags: [tests]
---

# Tests use the staging database
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LiveTree:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    found = LiveTree(str(write_tree(tmp_path / "tree", {**TEAM, PATH: TEXT})))
    found.load()
    return found


def test_a_field_tells_what_it_means() -> None:
    check_hover(PATH, "---\n«expl|icit»: true\n---\n# A\n".replace("|", ""), "a person said so")


def test_a_memory_tells_whether_it_is_told_and_what_it_is_worth(tree: LiveTree) -> None:
    found = hover(tree.view(), PATH, TEXT.index("Tests"))
    assert found is not None
    for part in (
        "**In the block now**",
        "a person said so",
        "| evidence | 0.10 |",
        "[MEMORY HINTS]",
    ):
        assert part in found.markdown


def test_a_memory_that_is_forgotten_changes_the_block(tree: LiveTree) -> None:
    (Path(tree.root) / PATH).unlink()
    assert tree.update_from_disk([PATH]).context
    assert "[MEMORY HINTS]" not in tree.view().assembly.text


def offered(fixture: str) -> list[str]:
    marked = mark(fixture)
    view = view_of({**TEAM, PATH: marked.text, OTHER: "---\ntags: [deploy, 'e2e']\n---\n# B\n"})
    found = complete_at(view, PATH, marked.spans[0].start)
    return [item.label for item in found.items] if found else []


def test_fields_and_their_words_are_offered() -> None:
    assert offered("---\nsector: «»\n---\n# A\n") == [
        "episodic", "semantic", "procedural", "reflective",
    ]  # fmt: skip
    keys = offered("---\nsector: semantic\n«»\n---\n# A\n")
    assert keys[0] == "id" and "sector" not in keys
    assert "dev" in offered("---\nagent: «»\n---\n# A\n")


def test_tags_that_are_in_use_are_offered() -> None:
    assert offered("---\ntags: [«»]\n---\n# A\n") == ["deploy", "e2e"]


def test_nothing_is_offered_in_the_text() -> None:
    assert offered("---\nid: a\n---\n\n# A «»\n") == []
