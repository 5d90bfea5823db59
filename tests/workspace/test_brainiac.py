"""Which files of a Brainiac tree matter, and how an index of them is kept up to date."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from synapse_ls.formats import config_file
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree, refresh_tree

TREE = Path(__file__).parent.parent / "workspaces" / "brainiac"
PATHS = config_file.parse("").document.paths


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("system/core_identity.md", FileKind.IDENTITY),
        ("system/other.md", None),
        ("memory/short_term.md", FileKind.SHORT_TERM),
        ("memory/long_term/a.md", FileKind.LONG_TERM),
        ("memory/long_term/deep/er/a.md", FileKind.LONG_TERM),
        ("memory/long_term/_index.md", FileKind.MEMORY_INDEX),
        ("memory/long_term/deep/_index.md", FileKind.MEMORY_INDEX),
        ("memory/long_term/_draft.md", None),
        ("memory/long_term/README.md", None),
        ("memory/long_term/a.txt", None),
        ("memory/long_term/.hidden/a.md", None),
        ("logs/access.log", FileKind.ACCESS_LOG),
        ("logs/error.log", None),
    ],
)
def test_files_are_known_by_their_places(path: str, kind: FileKind | None) -> None:
    assert classify_path(path, PATHS) is kind


def facts(loaded: LoadedTree) -> dict[str, tuple[FileKind, str, bool]]:
    snapshot = loaded.index.snapshot()
    found = {path: snapshot.facts(path) for path in snapshot.paths()}
    return {path: (one.kind, one.text, one.is_read) for path, one in found.items() if one}


def test_an_index_that_is_kept_up_to_date_is_that_of_a_fresh_look(tmp_path: Path) -> None:
    root = Path(shutil.copytree(TREE, tmp_path / "tree"))
    loaded = load_tree(str(root), LoadScope.ALL)
    memory = root / "memory" / "long_term"
    (tmp_path / "outside.md").write_text("secret")

    def change(*paths: str) -> None:
        refresh_tree(loaded, paths)
        assert facts(loaded) == facts(load_tree(str(root), LoadScope.ALL))

    (memory / "new.md").write_text("---\nuuid: n\n---\nNew.\n")
    change("memory/long_term/new.md")
    shutil.move(memory / "skills", memory / "crafts")
    change("memory/long_term/skills", "memory/long_term/crafts")
    (root / "logs" / "access.log").write_text("127.0.0.1 GET /\n")
    change("logs/access.log")
    (root / "system" / "core_identity.md").unlink()
    change("system/core_identity.md")
    (memory / "link.md").symlink_to(tmp_path / "outside.md")
    change("memory/long_term/link.md")
    assert [note.kind for note in loaded.notes] == ["outside"]
    assert "leads out of memory/long_term" in loaded.notes[0].message
    shutil.rmtree(memory)
    change("memory/long_term")


def test_a_prompt_lists_the_access_log_and_reads_the_rest(tmp_path: Path) -> None:
    found = facts(load_tree(str(TREE), LoadScope.PROMPT))
    unread = [path for path, (_, _, read) in found.items() if not read]
    assert unread == ["logs/access.log"]


def test_the_files_speak_for_the_profile(tmp_path: Path) -> None:
    root = Path(shutil.copytree(TREE, tmp_path / "tree"))
    assert Tree(load_tree(str(root), LoadScope.PROMPT).index.snapshot()).profile == "brainiac"
    (root / ".synapse").mkdir()
    (root / ".synapse" / "config.toml").write_text("[brainiac]\nbudget = 100\n")
    assert Tree(load_tree(str(root), LoadScope.PROMPT).index.snapshot()).profile == "brainiac"
    (root / ".synapse" / "global").write_text("GLOBAL_RULE_0=Answer in English.\n")
    assert Tree(load_tree(str(root), LoadScope.PROMPT).index.snapshot()).profile == "synapse"
