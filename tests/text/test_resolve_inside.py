"""Paths that files name: where they lead, and that none leaves the root."""

from __future__ import annotations

import pytest

from synapse_ls.text.path_globs import resolve_inside


@pytest.mark.parametrize(
    ("folder", "target", "path"),
    [
        ("memory/long_term/skills", "../events/a.md", "memory/long_term/events/a.md"),
        ("docs/stories", "./a.md", "docs/stories/a.md"),
        ("docs", "src//a/", "docs/src/a"),
        ("", "docs\\a.md", "docs/a.md"),
        ("docs", "..", ""),
        ("memory", "../../etc/passwd", None),
        ("memory", "/etc/passwd", None),
        ("memory", "~/a", None),
        ("memory", "C:\\x", None),
        ("memory", "a\0b", None),
    ],
)
def test_paths_of_files_are_resolved_and_never_leave_the_root(
    folder: str, target: str, path: str | None
) -> None:
    assert resolve_inside(folder, target) == path
