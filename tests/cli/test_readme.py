"""The README is what a stranger sees first: its example is run, and every page of docs/ is in its list."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.cli.conftest import Synapse
from tests.cli.page_examples import (
    REPOSITORY,
    blocks,
    commands_of,
    compare_with_page,
    posix,
    shell_transcript,
)

PAGE = REPOSITORY / "README.md"
BOOKSHOP = REPOSITORY / "tests" / "workspaces" / "bookshop"


@posix
def test_the_example_says_what_the_page_says(tmp_path: Path, synapse: Synapse) -> None:
    root = tmp_path / "bookshop"
    shutil.copytree(BOOKSHOP, root)
    subprocess.run(("git", "init", "-q"), cwd=root, check=True)
    synapse("--root", str(root), "init", "--keywords")
    (block,) = blocks(PAGE)
    compare_with_page(PAGE, block, shell_transcript(commands_of(block), root))


def test_a_stranger_sees_one_short_example_and_one_picture() -> None:
    text = PAGE.read_text(encoding="utf-8")
    (block,) = blocks(PAGE)
    assert len(block.splitlines()) < 25
    assert text.count("![") == 1


def test_every_page_for_users_is_in_the_list() -> None:
    text = PAGE.read_text(encoding="utf-8")
    linked = set(re.findall(r"\(docs/([a-z-]+\.md)", text))
    # The page that begins the site says what this page says.
    pages = {page.name for page in (REPOSITORY / "docs").glob("*.md")} - {"index.md"}
    assert linked == pages
