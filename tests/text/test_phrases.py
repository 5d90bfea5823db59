"""Words of the program around words of others."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text.phrases import shell_word
from synapse_ls.workspace.outside_links import trust_remedy


@given(st.text(min_size=1))
def test_a_path_is_one_word_of_a_command_line(path: str) -> None:
    assert shlex.split(shell_word(path)) == [path]


@pytest.mark.parametrize("name", ["x;touch${IFS}y;", "$(id)", "a b"])
def test_a_remedy_to_paste_runs_nothing_of_a_folders_name(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name / ".synapse"
    folder.mkdir(parents=True)
    command = trust_remedy(str(folder)).partition(": ")[2]
    assert shlex.split(command) == ["synapse", "trust", str(folder)]
