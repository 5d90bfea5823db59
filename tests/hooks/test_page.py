"""The page about recovery: its examples are run on what the day has left.

``SYNAPSE_UPDATE_DOCS=1`` writes what the commands say now into it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.page_examples import (
    REPOSITORY,
    blocks,
    commands_of,
    compare_with_page,
    outputs_of_a_shell,
    posix,
)
from tests.hooks.test_story import Day
from tests.trees import TEAM, write_tree

PAGE = REPOSITORY / "docs" / "recovery.md"
_TIMES = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"), "2026-03-02T09:30:00.000Z"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d"), "2026-03-02T09-30-00"),
    (re.compile(r"mem-\d{4}-\d\d-\d\d"), "mem-2026-03-02"),
    (re.compile(r"since \d{4}-\d\d-\d\d"), "since 2026-03-02"),
    (re.compile(r"prop-[0-9a-f]{8}"), "prop-1f0c2a9e"),
    (re.compile(r"duration_minutes: \d+"), "duration_minutes: 1"),  # as fast as the machine is
)


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    folder = tmp_path_factory.mktemp("page")
    (folder / "home").mkdir()
    return Day(write_tree(folder / "billing", TEAM))


@posix
@pytest.mark.parametrize("number", range(len(blocks(PAGE))))
def test_an_example_says_what_the_page_says(number: int, day: Day) -> None:
    block = blocks(PAGE)[number]
    said = transcript(commands_of(block), day.root, day.root.parent)
    compare_with_page(PAGE, block, said)


def transcript(commands: list[str], root: Path, home: Path) -> str:
    """What a shell shows that is given the commands."""
    outputs = outputs_of_a_shell(commands, root, {"SYNAPSE_LS_CACHE": str(home / "cache")})
    told = "".join(f"$ {c}\n{o}" for c, o in zip(commands, outputs, strict=True))
    told = told.replace(str(root), "~/billing")
    for pattern, word in _TIMES:
        told = pattern.sub(word, told)
    return told
