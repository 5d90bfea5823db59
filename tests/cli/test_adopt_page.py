"""The example of "adopt.md", run: the file of the page gives the block of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.cli.page_examples import REPOSITORY, blocks, compare_with_page, posix
from tests.trees import write_tree

PAGE = REPOSITORY / "docs" / "adopt.md"


@posix
def test_the_file_of_the_page_gives_the_block_of_the_page(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source,) = re.findall(r"```markdown\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    root = write_tree(
        tmp_path / "tillway",
        {
            "CLAUDE.md": source,
            ".synapse/manifest": "GLOBAL_STATE=active\n",
            ".synapse/config.toml": '[[adopted]]\npath = "CLAUDE.md"\n',
        },
    )
    monkeypatch.chdir(root)
    (block,) = blocks(PAGE)
    command = block.partition("\n")[0]
    out = synapse(*command.split()[2:]).out
    compare_with_page(PAGE, block, f"{command}\n{out}\n")
