"""The examples of "adopt.md", run on the file of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.cli.page_examples import REPOSITORY, blocks, compare_with_page, posix
from tests.trees import write_tree

PAGE = REPOSITORY / "docs" / "adopt.md"


def project_of_the_page(folder: Path, **more: str) -> Path:
    (source,) = re.findall(r"```markdown\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return write_tree(folder / "tillway", {"CLAUDE.md": source, **more})


@posix
def test_the_page_shows_what_init_says_of_its_file(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project_of_the_page(tmp_path))
    block = blocks(PAGE)[0]
    command = block.partition("\n")[0]
    done = synapse(*command.split()[2:])
    compare_with_page(PAGE, block, f"{command}\n{done.out}{done.err}")


@posix
def test_the_file_of_the_page_gives_the_block_of_the_page(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = '[[adopted]]\npath = "CLAUDE.md"\n'
    manifest = "GLOBAL_STATE=active\n"
    files = {".synapse/manifest": manifest, ".synapse/config.toml": config}
    monkeypatch.chdir(project_of_the_page(tmp_path, **files))
    block = blocks(PAGE)[1]
    command = block.partition("\n")[0]
    out = synapse(*command.split()[2:]).out
    compare_with_page(PAGE, block, f"{command}\n{out}\n")
