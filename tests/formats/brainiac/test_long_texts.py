"""The parsers of Brainiac's files take linear time, too."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from synapse_ls.formats.brainiac import long_term_memory, memory_index, short_term_memory
from synapse_ls.formats.brainiac.reserved_headings import (
    demote_headings,
    escape_structure,
    neutralize_headings,
)
from tests.formats.test_long_lines import write_lines

pytestmark = pytest.mark.slow

SIZE = 60_000
LINES = write_lines(SIZE)


TEXTS = {
    **{name: LINES[name] for name in ("letters", "spaces", "tag", "signs", "fences", "comments")},
    "runs of signs": "# a " * (SIZE // 4),
    "headings": "## User Prompt\n" * (SIZE // 15),
    "parts": "## Goals\n- a\n" * (SIZE // 13),
    "levels": "".join(f"{'#' * (1 + n % 6)} a\n" for n in range(SIZE // 5)),
    "events": "## Event Log\n" + "### 2026-01-01\n**User:** a\n" * (SIZE // 27),
    "fields": "## Event Log\n### 2026-01-01\n" + "**A:** b\n" * (SIZE // 9),
    "items": "## Goals\n" + "- [ ] a\n  b\n" * (SIZE // 12),
    "rows": "a\n---\n" * (SIZE // 6),
    "open front": "---\n" + "a: b\n" * (SIZE // 5),
    "fences of fields": "---\n" * (SIZE // 4),
    "glued": "---\na:" + "---  " * (SIZE // 5) + "x\n",
    "links": "[a](" * (SIZE // 4),
    "brackets": "[" * SIZE + "](b)",
    "code": "](" + "".join("`" * n + " " for n in range(900)),
    "bars": " | " * (SIZE // 3),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize(
    "parse",
    [
        short_term_memory.parse,
        long_term_memory.parse,
        memory_index.parse_memory_index,
        memory_index.parse_access_log,
        memory_index.parse_core_identity,
    ],
)
def test_a_long_text_is_read_in_linear_time(parse: Callable[[str], object], text: str) -> None:
    started = time.process_time()
    parse(text)
    assert time.process_time() - started < 1.5


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_long_text_is_made_harmless_in_linear_time(text: str) -> None:
    started = time.process_time()
    neutralize_headings(text, memories=True)
    escape_structure(text)
    demote_headings(text, 2)
    assert time.process_time() - started < 2.4
