"""The README is what a stranger sees first: its example is run; docs/index.md lists every page."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.cli.page_examples import (
    REPOSITORY,
    blocks,
    commands_of,
    compare_with_page,
    posix,
    shell_transcript,
)

PAGE = REPOSITORY / "README.md"
WORKSPACE = REPOSITORY / "tests" / "workspaces" / "webhooks"


@posix
def test_the_example_says_what_the_page_says(tmp_path: Path) -> None:
    root = tmp_path / "webhooks"
    shutil.copytree(WORKSPACE, root)
    (block,) = blocks(PAGE)
    compare_with_page(PAGE, block, shell_transcript(commands_of(block), root))


def test_a_stranger_sees_one_short_example_and_one_picture() -> None:
    text = PAGE.read_text(encoding="utf-8")
    (block,) = blocks(PAGE)
    assert len(block.splitlines()) < 25
    assert text.count("![") == 1


def test_every_page_for_users_is_in_the_list_of_pages() -> None:
    pages = REPOSITORY / "docs"
    text = (pages / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\(([a-z-]+\.md)", text))
    assert linked == {page.name for page in pages.glob("*.md")} - {"index.md"}


def test_the_page_fits_on_a_screen_and_a_half() -> None:
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= 90
