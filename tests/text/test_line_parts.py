"""A long text is cut into parts, and an edit leaves most of them as they were."""

from __future__ import annotations

import random

import pytest

from synapse_ls.text import line_parts
from synapse_ls.text.line_parts import part_text

LINES = ("KEY=1\n", "key\n", "\n", "  indented\n", "Other text\n", "no end")


def joined(text: str, former: list[str]) -> list[str]:
    """The parts of a text whose parts were ``former``."""
    before, new, after = part_text(text, former)
    return [*former[:before], *new, *former[len(former) - after :]]


@pytest.mark.parametrize("seed", range(20))
def test_after_any_edits_parts_make_up_the_text_and_begin_as_they_should(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_parts, "_LINES", 4)
    monkeypatch.setattr(line_parts, "_FEWEST", 2)
    dice = random.Random(seed)
    text = "".join(dice.choices(LINES, k=40))
    parts = joined(text, [])
    for _ in range(40):
        start = dice.randint(0, len(text))
        end = min(len(text), start + dice.choice((0, 0, 1, 20, 90)))
        text = text[:start] + "".join(dice.choices((*LINES, "A", "\n"), k=3)) + text[end:]
        parts = joined(text, parts)
        assert "".join(parts) == text
        assert all("A" <= part[0] <= "Z" for part in parts[1:])
        assert all(part.endswith("\n") for part in parts[:-1])


def test_an_edit_changes_one_part() -> None:
    text = "".join(f"KEY_{n}=x\n" for n in range(5_000))
    parts = joined(text, [])
    after = joined(text.replace("KEY_2500=x", "KEY_2500=y"), parts)
    assert len(parts) > 30
    assert len(after) == len(parts)
    assert sum(one is not other for one, other in zip(parts, after, strict=True)) == 1


def test_who_reads_the_text_says_where_no_part_begins() -> None:
    text = "".join(f"KEY_{n}=x\n" for n in range(1_000))
    parts = part_text(text, (), lambda text, start: text.startswith("KEY_500=", start)).new
    assert [part.partition("=")[0] for part in parts] == ["KEY_0", "KEY_500"]
