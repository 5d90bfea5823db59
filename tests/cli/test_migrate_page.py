"""The examples of ``docs/migrate.md``, run one after the other in one project.

``SYNAPSE_UPDATE_DOCS=1 pytest tests/cli/test_migrate_page.py`` writes what they say into the page.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from synapse_ls.setup.migrate.parity_report import FORM_DIFFERENCES
from tests.cli.conftest import Synapse
from tests.cli.page_examples import (
    REPOSITORY,
    blocks,
    commands_of,
    compare_with_page,
    posix,
    shell_transcript,
)
from tests.setup.migrate.trees import project

PAGE = REPOSITORY / "docs" / "migrate.md"
FILES = {
    ".carl/manifest": """\
        GLOBAL_STATE=active
        API_STATE=yes
        API_RECALL=endpoint,rest api
        API_EXCLUDE=frontend
        LOUD_STATE=active
        LOUD_RECALL=
        DOMAIN_ORDER=API,GLOBAL
        """,
    ".carl/global": "GLOBAL_RULE_0=Read before you write\n",
    ".carl/api": """\
        API_RULE_3=Version every route
        # In case of doubt
        API_RULE_1=Errors are problem+json
        """,
    ".carl/loud": "LOUD_RULE_0=Always told\n",
    ".carl/context": "DEPLETED_RULE_0=Sum up before you go on\n",
}


@posix
def test_the_examples_say_what_the_page_says(tmp_path: Path) -> None:
    root = project(tmp_path / "tillway-api", FILES)
    for command in (
        ("init", "-q"),
        ("add", "-A"),
        ("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x"),
    ):
        subprocess.run(("git", *command), cwd=root, check=True)
    for block in blocks(PAGE):
        said = shell_transcript(commands_of(block), root)
        compare_with_page(PAGE, block, said)


def test_the_page_has_every_difference_of_form() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, sentence in FORM_DIFFERENCES:
        assert f"| {name} | {sentence} |\n" in page


def test_the_page_has_every_field(
    tmp_path: Path, synapse: Synapse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    monkeypatch.chdir(project(tmp_path / "shop", FILES))
    page = PAGE.read_text(encoding="utf-8")
    found = synapse("migrate", "--dry-run", "--format", "json").json
    rows = [found, *found["changes"][:1], *found["parity"]["differences"][:1]]
    for name in {key for row in (*rows, found["parity"], *found["hooks"]) for key in row}:
        assert f"`{name}`" in page, name
