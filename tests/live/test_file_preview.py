"""An open file has its own findings while its tree is still being read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.live.file_preview import preview_file
from synapse_ls.live.live_tree import LiveTree
from tests.lint.test_incremental import VERSIONS
from tests.support import corpus
from tests.trees import TEAM, write_tree

MANIFEST = ".synapse/manifest"


def codes(root: Path, path: str, text: str) -> list[str]:
    return [one.code for one in preview_file(str(root), path, text)]


def test_what_is_wrong_with_the_text_itself_is_found(tmp_path: Path) -> None:
    root = write_tree(tmp_path, TEAM)
    assert codes(root, MANIFEST, "nonsense\n") == ["SYN103"]


def test_the_configuration_decides(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {**TEAM, ".synapse/config.toml": '[lint]\nignore = ["SYN103"]\n'})
    assert codes(root, MANIFEST, "nonsense\n") == []


def test_nothing_is_said_of_what_is_no_part_of_the_tree(tmp_path: Path) -> None:
    both = {**TEAM, "notes.md": "nonsense\n", ".carl/manifest": "nonsense\n"}
    root = write_tree(tmp_path, both)
    assert codes(root, "notes.md", "nonsense\n") == []
    assert codes(root, ".carl/manifest", "nonsense\n") == []
    assert codes(root, ".synapse/gone", "nonsense\n") == []


def test_the_rules_of_families_for_other_files_are_not_imported(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from synapse_ls.live.file_preview import preview_file\n"
        "text = 'nonsense\\nDEV_STATE=on\\n'\n"
        f"print(*(one.code for one in preview_file(sys.argv[1], {MANIFEST!r}, text)))\n"
        "print(*sys.modules)\n"
    )
    root = write_tree(tmp_path, TEAM)
    command = [sys.executable, "-c", code, str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found, loaded = done.stdout.splitlines()
    assert found.split() == codes(root, MANIFEST, "nonsense\nDEV_STATE=on\n")
    families = {name.split(".")[3] for name in loaded.split() if ".lint.rules." in name}
    assert families == {"syntax", "keywords_and_triggers", "safety"}
    assert "synapse_ls.live.live_tree" not in loaded.split()


def check_all(root: Path) -> None:
    """Whatever is said of a file early is said of it in the end, too."""
    tree = LiveTree(str(root))
    tree.load()
    snapshot = tree.view().tree.snapshot
    for path in snapshot.paths():
        facts = snapshot.facts(path)
        if facts and facts.is_read:
            early = preview_file(str(root), path, facts.text)
            assert set(early) <= set(tree.diagnostics(path)), path


@pytest.mark.parametrize("version", [0, 1, -1])
def test_what_is_said_early_holds(tmp_path: Path, version: int) -> None:
    files = {path: texts[min(version, len(texts) - 1)] for path, texts in VERSIONS.items()}
    check_all(write_tree(tmp_path, files))


@pytest.mark.parametrize("name", ["aiox", "many-domains", "carl", "chati"])
def test_what_is_said_early_of_a_real_tree_holds(name: str) -> None:
    check_all(corpus() / name)
