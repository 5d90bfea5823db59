"""A plan in the cache that is not what was written: nobody is told what it says, nor goes without."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from synapse_ls.queries.context_question import Question, answer_question
from synapse_ls.storage import plan_cache, plan_writer
from synapse_ls.storage.current_plan import load_plan
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree

OLD = 1_700_000_000
DAMAGES = 100
PROMPT = "@dev add a unit test to the readme *brief"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree that has not changed for long, with a plan in the cache."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    made = write_tree(tmp_path / "team", TEAM)
    for path in (made, *made.rglob("*")):
        os.utime(path, (OLD, OLD))
    load_plan(str(made))
    return made


def block(root: Path) -> str:
    return answer_question(Question(str(root), PROMPT)).assembly.text


def file_of(root: Path) -> Path:
    return Path(plan_cache.plan_file(str(root)))


def damage(data: bytes, dice: random.Random) -> bytes:
    """The same bytes with one bit flipped, cut off, or with a part lost or written over."""
    at = dice.randrange(len(data))
    size = dice.randrange(1, 200)
    return dice.choice(
        (
            data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :],
            data[:at],
            data[:at] + data[at + size :],
            data[:at] + dice.randbytes(size) + data[at + size :],
            data[:at] + bytes(size) + data[at + size :],
        )
    )


@pytest.mark.slow
def test_whatever_is_damaged_the_block_is_the_same(root: Path) -> None:
    wanted, file, dice = block(root), file_of(root), random.Random(17)
    whole = file.read_bytes()
    for number in range(DAMAGES):
        file.write_bytes(damage(whole, dice))
        assert block(root) == wanted, number


def test_where_the_stamps_of_rule_files_are_damaged_a_prompt_has_its_rules(root: Path) -> None:
    wanted, file = Claude(root, "before").prompt(PROMPT), file_of(root)
    whole = file.read_bytes()
    begin = whole.index(b".synapse/")
    for at in range(begin, begin + 400, 40):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert Claude(root, f"session-{at}").prompt(PROMPT) == wanted, at


def test_whatever_is_damaged_in_a_large_plan_a_prompt_is_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of a large plan are read when they are asked for: then their damage shows."""
    wanted, file = Claude(root, "before").prompt(PROMPT), file_of(root)
    monkeypatch.setattr(plan_cache, "LARGE_PLAN", 1)
    file.unlink()
    Claude(root, "large").prompt(PROMPT)
    whole, dice = file.read_bytes(), random.Random(17)
    text = whole.index(b"MUST: everything works")
    flipped = whole[:text] + bytes([whole[text] ^ 1]) + whole[text + 1 :]
    for number, data in enumerate((flipped, *(damage(whole, dice) for _ in range(30)))):
        file.write_bytes(data)
        assert Claude(root, f"session-{number}").prompt(PROMPT) == wanted, number


@pytest.mark.parametrize("share", [0.8, 0.999])
def test_a_plan_that_is_cut_off_is_compiled_anew_and_replaced(root: Path, share: float) -> None:
    file = file_of(root)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * share)])
    assert load_plan(str(root)).cached is None
    assert load_plan(str(root)).cached is not None


def test_a_flipped_bit_in_the_text_of_a_rule_is_never_told(root: Path) -> None:
    wanted, file = block(root), file_of(root)
    whole = file.read_bytes()
    text = b"MUST: everything works"
    at = whole.index(text)
    file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    assert plan_writer.is_damaged(str(root))
    assert block(root) == wanted
    assert not plan_writer.is_damaged(str(root))


def test_a_memo_that_is_damaged_is_none(root: Path) -> None:
    plan_cache.write_memo(str(root), "tasks", {"a": 1})
    (file,) = file_of(root).parent.glob("*.tasks")
    data = file.read_bytes()
    file.write_bytes(data[:-2] + bytes([data[-2] ^ 2]) + data[-1:])
    assert plan_cache.read_memo(str(root), "tasks") == {}
