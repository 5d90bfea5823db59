"""The examples of ``docs/brainiac.md``, each part in a tree of its own.

``SYNAPSE_UPDATE_DOCS=1 pytest tests/cli/test_brainiac_page.py`` writes what the commands say into it.
"""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

from synapse_ls.formats import config_file
from tests.cli.page_examples import (
    REPOSITORY,
    blocks,
    commands_of,
    compare_with_page,
    posix,
    shell_transcript,
)

PAGE = REPOSITORY / "docs" / "brainiac.md"
TREES = REPOSITORY / "tests" / "workspaces"
SECTIONS = """\
[
  {"label": "Constraints", "content": "Be brief.", "priority": 5},
  {"label": "Identity", "content": "You are Mira."}
]
"""


@posix
def test_the_commands_say_what_the_page_says(tmp_path: Path) -> None:
    roots = {name: shutil.copytree(TREES / name, tmp_path / name) for name in ("brainiac", "plain")}
    (tmp_path / "plain" / "sections.json").write_text(SECTIONS, encoding="utf-8")
    first, _, _ = PAGE.read_text(encoding="utf-8").partition("\n## Plain sections\n")
    for block in blocks(PAGE):
        root = roots["brainiac" if block in first else "plain"]
        compare_with_page(PAGE, block, shell_transcript(commands_of(block), root))


def test_the_configuration_of_the_page_is_one() -> None:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("```toml\n")
    written = rest.partition("```")[0]
    assert config_file.parse(written).problems == ()
    labels = [section["label"] for section in tomllib.loads(written)["section"]]
    assert labels == ["Identity", "Units", "Reminder"]
