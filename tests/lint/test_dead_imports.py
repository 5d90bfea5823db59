"""Imports in CLAUDE.md and files like it that lead to no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree, refresh_tree
from tests.lint.clean import write

TREE = {
    ".synapse/manifest": "GLOBAL_STATE=active\n",
    ".synapse/global": "GLOBAL_RULE_0=Write small functions\n",
    "docs/style.md": "- Name things after what they are\n",
}


def dead_imports(root: Path, text: str, path: str = "CLAUDE.md") -> list[str]:
    loaded = load_tree(str(write(root, {**TREE, path: text})), LoadScope.ALL)
    found = lint_tree(Tree(loaded.index.snapshot()), notes=loaded.notes, select=["SYN214"])
    return [one.span.cut(text) for one in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@docs/style.md\n", []),
        ("@docs/gone.md\n", ["docs/gone.md"]),
        ("- @docs/gone.json\n", ["docs/gone.json"]),
        ("@import docs/gone.md\n", []),
        ("The style is in @docs/gone.md, and @./more is there.\n", ["docs/gone.md"]),
        ("Read @../elsewhere.md and @~/.claude/own.md first.\n", []),
        ("Decorate with @app.route and @pytest.fixture, or write to me@dev.md.\n", []),
        ("Write `@docs/gone.md` to import a file.\n\n```\n@docs/gone.md\n```\n", []),
        ("See @docs/style.md for it, **@docs/style.md** or @docs/style.md#a.\n", []),
        ("Read @docs/style.md.\n", ["docs/style.md"]),
        ("The steps of @docs/style.md: follow them (@docs/style.md)\n", ["docs/style.md"] * 2),
        ("@docs/gone.md\n\nSee @docs/gone.md.\n", ["docs/gone.md", "docs/gone.md"]),
    ],
)
def test_an_import_that_leads_nowhere_is_found(tmp_path: Path, text: str, found: list[str]) -> None:
    assert dead_imports(tmp_path, text) == found


def test_many_imports_that_lead_nowhere_are_one_finding(tmp_path: Path) -> None:
    text = "".join(f"@docs/gone-{n}.md\n" for n in range(6))
    loaded = load_tree(str(write(tmp_path, {**TREE, "CLAUDE.md": text})), LoadScope.ALL)
    (found,) = lint_tree(Tree(loaded.index.snapshot()), notes=loaded.notes, select=["SYN214"])
    assert found.message == (
        "6 files that are imported here are not there, so a client that follows imports gets nothing for "
        "them: `docs/gone-0.md`, `docs/gone-1.md` and 4 more."
    )


@pytest.mark.parametrize("target", ["style.md", "docs/style.md", "./style.md"])
def test_a_path_counts_from_the_folder_or_from_the_root(tmp_path: Path, target: str) -> None:
    write(tmp_path, {".claude/rules/style.md": "- Be brief\n"})
    assert dead_imports(tmp_path, f"@{target}\n", ".claude/rules/all.md") == []


def test_what_is_created_later_is_no_dead_import_any_more(tmp_path: Path) -> None:
    write(tmp_path, {**TREE, "CLAUDE.md": "@docs/late.md\n"})
    loaded = load_tree(str(tmp_path), LoadScope.ALL)
    for files, expected in (({}, 1), ({"docs/late.md": "- Be late\n"}, 0)):
        write(tmp_path, files)
        refresh_tree(loaded, files)
        found = lint_tree(Tree(loaded.index.snapshot()), select=["SYN214"])
        assert len(found) == expected
