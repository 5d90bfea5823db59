"""No text makes a parser of Chati.dev's files raise, and every place lies in the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.formats.chati import (
    agent_definition,
    config_file,
    constitution_file,
    domain_file,
    handoff_file,
    memory_files,
    session_file,
    work_files,
)
from synapse_ls.text.finding import ParseResult
from tests.chati_trees import LINTED
from tests.support import examples

PARSERS: tuple[Callable[[str], ParseResult[Any]], ...] = (
    agent_definition.parse,
    config_file.parse_bracket_table,
    config_file.parse_config_file,
    constitution_file.parse,
    domain_file.parse,
    memory_files.parse_gotcha,
    handoff_file.parse,
    memory_files.parse_memory,
    session_file.parse,
    work_files.parse_task_file,
    work_files.parse_definitions,
    work_files.parse_workflow_definition,
)
WORDS = (
    *("---\n", "# A Agent\n", "## Mission\n", "## Summary\n", "## Article IV: X\n", "```\n", "- "),
    *(
        "rules:\n",
        "  - id: a\n",
        "    text: b\n",
        "articles:\n",
        "agents:\n",
        "tasks: [\n",
        "{",
        "}",
    ),
    *(
        "project: ",
        "state: build\n",
        "score: .nan\n",
        ">= 95%",
        "| FRESH | 60-100% |\n",
        "&a ",
        "*a",
    ),
    *("\r", "\u2028", "\x00", "\ud800", "\ufeff", " ", "\t", ": ", "'", '"', "null", "!!x ", "🙂"),
)
TEXTS = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=30).map("".join),
    st.text(st.characters(exclude_categories=()), max_size=80),
)


@pytest.mark.parametrize("parse", PARSERS)
@settings(deadline=None, max_examples=examples(80))
@given(text=TEXTS)
def test_nothing_raises_and_places_are_in_the_text(
    parse: Callable[[str], ParseResult[Any]], text: str
) -> None:
    for problem in parse(text).problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        assert problem.message


@pytest.mark.parametrize("parse", PARSERS)
def test_no_prefix_of_a_real_file_raises(parse: Callable[[str], ParseResult[Any]]) -> None:
    for text in LINTED.values():
        for end in range(0, len(text), 7):
            parse(text[:end])
