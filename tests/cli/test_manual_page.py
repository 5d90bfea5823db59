"""The manual page says what the help says, and a formatter of manuals takes it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.generated.command_pages import manual_page, options_page
from synapse_ls.cli.command_parser import render_help
from synapse_ls.cli.command_table import ROWS

PAGE = Path(__file__).parent.parent.parent / "docs" / "man" / "synapse.1"


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == manual_page(), "run scripts/gen-docs"


def test_the_page_of_options_is_up_to_date() -> None:
    page = PAGE.parent.parent / "options.md"
    assert page.read_text("utf-8") == options_page(), "run scripts/gen-docs"


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_a_manual_shows_the_help_of_every_command() -> None:
    shown = subprocess.run(
        ["groff", "-man", "-Tutf8", "-Kutf8", "-P-c", "-ww", "-rLL=100n", str(PAGE)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stderr == ""
    text = re.sub(r".\x08", "", shown.stdout)  # bold letters are printed twice
    lines = {line.strip() for line in text.splitlines()}
    for name in ROWS:
        assert {line.strip() for line in render_help(name).splitlines()} <= lines | {""}
