"""No Markdown takes longer to read than its size explains."""

from __future__ import annotations

from time import process_time

import pytest

from synapse_ls.formats.instruction_rules import parse

SIZE = 200_000  # characters
MOST_SECONDS = 10.0  # of this processor's; what grew with the square of the size took minutes
BOMBS = {
    "images that nothing closes": "![a](",
    "lines of such images": "![a](\n",
    "links that nothing closes": "<a>",
    "lines in a quotation": "> a\n",
    "lines of a paragraph": "a\n",
    "code in a line": "`a` ",
    "code that nothing closes": "".join("`" * size + " " for size in range(1, 300)),
}


@pytest.mark.parametrize("what", BOMBS)
def test_a_text_is_read_in_time_in_proportion_to_its_size(what: str) -> None:
    piece = BOMBS[what]
    began = process_time()
    parse(piece * (SIZE // len(piece)))
    assert process_time() - began < MOST_SECONDS


def test_a_class_of_a_glob_that_nothing_closes_is_read_in_time() -> None:
    began = process_time()
    parse(f'---\nglobs: "{"[" * SIZE}"\n---\n- Use tabs.\n')
    assert process_time() - began < MOST_SECONDS
