"""Parsers take linear time: a text that would take a quadratic one minutes."""

from __future__ import annotations

import time
from math import isqrt
from typing import Protocol

import pytest

from synapse_ls.formats import (
    commands_file,
    constitution_file,
    context_file,
    continuation_file,
    domain_file,
    manifest,
)

pytestmark = pytest.mark.slow


class Parser(Protocol):
    def parse(self, text: str) -> object: ...


def write_lines(size: int) -> dict[str, str]:
    """Texts of about as many characters, each of which has much of one thing."""
    return {
        "letters": "a" * size,
        "spaces": "a" + " " * size + "b",
        "commas": "A_RECALL=" + "," * size,
        "notes": "A_STATE=" + " #" * (size // 2),
        "key": "A_" * (size // 2) + "=b",
        "suffixes": "_STATE" * (size // 6) + "=b",
        "tag": "A_RULE_0=" + "<  " * (size // 3) + "<" + " " * size,
        "headings": "A_RULE_0=" + "[ACTIVE " * (size // 8),
        "separators": "A_RULE_0=" + "a\u2028" * (size // 2),
        "signs": "#" * size + " x",
        "title": "== a" + " " * size + "b ==",
        "label": "a\n" + "A B " * (size // 4) + ":",
        "article": "Art. I — " + "( " * (size // 2),
        "severity": "C_RULE_ART1_0=" + "(a" * (size // 2),
        "comments": "<!--\n" * (size // 50),
        "fences": "".join("`" * n + "x\n" for n in range(isqrt(2 * size), 2, -1)),
    }


LINES = write_lines(200_000)


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
@pytest.mark.parametrize(
    "module", [manifest, domain_file, commands_file, context_file, constitution_file]
)
def test_a_long_text_is_read_in_linear_time(module: Parser, text: str) -> None:
    started = time.process_time()
    module.parse(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "unit", ["## Open items\n- a\n", "## Resume prompt\na\n\n", "- a\n", "b\n"]
)
def test_so_is_a_continuation_of_many_sections_or_lines(unit: str) -> None:
    started = time.process_time()
    continuation_file.parse("## Open items\n- a\n" + unit * (400_000 // len(unit)))
    assert time.process_time() - started < 2
