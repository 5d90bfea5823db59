"""Parsers take linear time: a million characters that would take a quadratic one many minutes."""

from __future__ import annotations

import time
from typing import Protocol

import pytest

from synapse_ls.formats import (
    commands_file,
    constitution_file,
    context_file,
    domain_rules,
    manifest,
)

pytestmark = pytest.mark.slow


class Parser(Protocol):
    def parse(self, text: str) -> object: ...


SIZE = 1_000_000
LINES = {
    "letters": "a" * SIZE,
    "spaces": "a" + " " * SIZE + "b",
    "commas": "A_RECALL=" + "," * SIZE,
    "notes": "A_STATE=" + " #" * (SIZE // 2),
    "key": "A_" * (SIZE // 2) + "=b",
    "suffixes": "_STATE" * (SIZE // 6) + "=b",
    "tag": "A_RULE_0=" + "<  " * (SIZE // 3) + "<" + " " * SIZE,
    "headings": "A_RULE_0=" + "[ACTIVE " * (SIZE // 8),
    "separators": "A_RULE_0=" + "a\u2028" * (SIZE // 2),
    "signs": "#" * SIZE + " x",
    "title": "== a" + " " * SIZE + "b ==",
    "label": "a\n" + "A B " * (SIZE // 4) + ":",
    "article": "Art. I — " + "( " * (SIZE // 2),
    "severity": "C_RULE_ART1_0=" + "(a" * (SIZE // 2),
    "comments": "<!--\n" * (SIZE // 50),
    "fences": "".join("`" * n + "x\n" for n in range(1_400, 2, -1)),
}


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
@pytest.mark.parametrize(
    "module", [manifest, domain_rules, commands_file, context_file, constitution_file]
)
def test_a_long_text_is_read_in_linear_time(module: Parser, text: str) -> None:
    started = time.process_time()
    module.parse(text)
    assert time.process_time() - started < 2
