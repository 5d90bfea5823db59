"""What an agent knows already does not come again in other words, or a few prompts later."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from synapse_ls.hooks import session_upkeep
from synapse_ls.memory.memory_store import MemoryStore
from tests.hooks.hook_clients import Scripted
from tests.trees import TEAM, write_tree

WINDOW = 200_000
DEPLETED, CRITICAL = 130_000, 155_000  # tokens used
RULE = "[CONSTITUTION]"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    return write_tree(tmp_path / "app", TEAM)


def day(root: Path, *used: int) -> list[str]:
    """The texts that come with prompts, before which so many tokens are used."""
    client = Scripted(root, limit=60_000)
    texts = []
    for tokens in used:
        client.figures = {"used": tokens, "window": WINDOW}
        texts.append(client.prompt("@dev go on"))
    return texts


@pytest.mark.parametrize("apart", [1, 2, 4])
def test_depleted_and_critical_a_few_prompts_apart_repeat_the_rules_once(
    root: Path, apart: int
) -> None:
    texts = day(root, 20_000, *[DEPLETED] * apart, CRITICAL)
    assert [RULE in text for text in texts] == [True, True, *[False] * (apart - 1), False]
    assert "[CRITICAL]" in texts[-1] and "[HANDOFF WARNING]" in texts[-1]


def test_after_that_the_essentials_come_as_often_as_ever_in_critical(root: Path) -> None:
    texts = day(root, 20_000, DEPLETED, DEPLETED, *[CRITICAL] * 5)
    assert [n for n, text in enumerate(texts) if RULE in text] == [0, 1, 7]


def test_critical_after_depleted_repeats_what_was_not_told_lately(root: Path) -> None:
    texts = day(root, 20_000, *[DEPLETED] * 8, CRITICAL)
    essential, other = "BLOCKED: git push", "[GLOBAL]"
    assert essential in texts[8] and other not in texts[8]
    assert essential not in texts[-1] and other in texts[-1]


def fail(client: Scripted) -> str:
    return client.tool(error="Error: connect ECONNREFUSED")


def test_a_known_problem_comes_once_however_often_it_is_met(root: Path) -> None:
    client = Scripted(root)
    client.prompt("@dev run the tests")
    texts = [fail(client) for _ in range(5)]
    assert ["Known problem" in text for text in texts] == [False, False, True, False, False]


def test_a_known_problem_is_no_hint_in_the_window_that_has_it(root: Path) -> None:
    client, other = Scripted(root), Scripted(root)
    client.prompt("@dev run the tests")
    for _ in range(3):
        fail(client)
    for used in (DEPLETED, CRITICAL):
        client.figures = {"used": used, "window": WINDOW}
        assert "ECONNREFUSED" not in client.prompt("why is it ECONNREFUSED on connect?")
    other.session, other.figures = "session-2", {"used": DEPLETED, "window": WINDOW}
    assert "ECONNREFUSED" in other.prompt("why is it ECONNREFUSED on connect?")
    assert fail(other) == ""  # the hint says the same


def test_a_correction_to_one_agent_stands_while_another_is_at_work(root: Path) -> None:
    MemoryStore(str(root)).remember(
        "Use pnpm instead of npm.",
        now=time.time(),
        type="user_correction",
        agent="dev",
        scope="private",
        explicit=True,
    )
    client = Scripted(root, limit=60_000)
    assert "Use pnpm" in client.prompt("@dev hello")
    there = client.prompt("@qa review it")
    assert "@dev's rules no longer apply" in there
    assert "MEMORY" not in there and "pnpm" not in there
    assert "pnpm" not in client.prompt("@dev go on")


def test_a_correction_that_is_forgotten_is_withdrawn_whoever_is_at_work(root: Path) -> None:
    store = MemoryStore(str(root))
    record = store.remember(
        "Use pnpm instead of npm.",
        now=time.time(),
        type="user_correction",
        agent="dev",
        scope="private",
        explicit=True,
    )
    client = Scripted(root, limit=60_000)
    assert "Use pnpm" in client.prompt("@dev hello")
    assert "MEMORY" not in client.prompt("@qa review it")
    store.forget(record.id)
    assert "MEMORY HINTS: what was given before no longer applies" in client.prompt("and now?")
