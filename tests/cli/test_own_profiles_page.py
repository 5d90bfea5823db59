"""``docs/own-profiles.md``: its profiles are run as they stand there, and its words are all there are.

``SYNAPSE_UPDATE_DOCS=1 pytest tests/cli/test_own_profiles_page.py`` writes what the commands say now into it.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from synapse_ls.engine import profiles
from synapse_ls.engine.systems.synapse.profile import PROFILE
from synapse_ls.formats.config_settings import BRACKET_OPTIONS, PROFILE_OPTIONS
from tests.cli.page_examples import (
    REPOSITORY,
    SHOWCASE,
    commands_of,
    compare_with_page,
    posix,
    shell_transcript,
)

PAGE = REPOSITORY / "docs" / "own-profiles.md"
_WORKED = re.compile(r"```toml\n(.*?)^```\n\n```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def worked() -> list[tuple[str, str]]:
    """The profiles of the page, each with the commands that show it."""
    return _WORKED.findall(PAGE.read_text(encoding="utf-8"))


def name_of(profile: tuple[str, str]) -> str:
    found = re.search(r"\[profiles\.([\w-]+)\]", profile[0])
    return found[1] if found else ""


@posix
@pytest.mark.parametrize(("table", "shown"), worked(), ids=map(name_of, worked()))
def test_a_profile_of_the_page_does_what_the_page_says(
    table: str, shown: str, tmp_path: Path
) -> None:
    root = tmp_path / "tillway-api"
    shutil.copytree(SHOWCASE, root, ignore=shutil.ignore_patterns("sessions"))
    with (root / ".synapse/config.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n{table}")
    compare_with_page(PAGE, shown, shell_transcript(commands_of(shown), root))


def test_four_profiles_are_worked_out() -> None:
    assert len([one for one in worked() if name_of(one) != "typo"]) == 4


def rows(chapter: str) -> dict[str, str]:
    """The table of a chapter: word -> what is said of it."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## {chapter}\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `([\w.]+)`[^|]* \| (.+) \|$", text, re.MULTILINE))


def test_every_word_is_explained_as_an_editor_explains_it() -> None:
    assert rows("Layers") == profiles.LAYERS
    assert list(rows("Sections").items()) == [
        (name, profiles.SECTIONS[name]) for name in PROFILE["sections"]
    ]
    assert list(rows("What goes first").items()) == [
        (name, profiles.CLASSES[name]) for name in (*PROFILE["drop"], *PROFILE["protected"])
    ]


def test_every_setting_is_listed() -> None:
    chapter = PAGE.read_text(encoding="utf-8").partition("\n## All settings\n")[2]
    listed = chapter.partition("\n## ")[0]
    assert [o.path for o in (*PROFILE_OPTIONS, *BRACKET_OPTIONS) if f"{o.path}" not in listed] == []
