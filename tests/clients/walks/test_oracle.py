"""The oracle of the walks finds what it is there for, and lets pass what is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.place import Hooked
from tests.clients.walks import oracle
from tests.clients.walks.oracle import Oracle, Situation, Window
from tests.trees import write_tree

FILES = {
    ".synapse/config.toml": 'profile = "synapse"\n',
    ".synapse/manifest": """\
        GLOBAL_STATE=active
        AGENT_DEV_STATE=active
        AGENT_DEV_AGENT_TRIGGER=dev
        """,
    ".synapse/global": """\
        GLOBAL_RULE_0=Keep names (g0.2) short
        GLOBAL_RULE_1=Never print (g1.1) a secret
        """,
    ".synapse/agent-dev": "AGENT_DEV_RULE_0=Tick the box (dev0.1)\n",
}
ADVICE, BAN, DEV = "Keep names (g0.2) short", "Never print (g1.1) a secret", "Tick the box (dev0.1)"
ALL = f"[GLOBAL]\n  1. {ADVICE}\n  2. {BAN}\n[ACTIVE AGENT: @dev]\n  1. {DEV}\n"
GONE = "[WITHDRAWN]\n  @dev's rules no longer apply\n"
FULL = "x" * 3100
"""What leaves no room in a reply of 800 tokens."""


def kinds(project: Path, *texts: str, told: str = "", agent: str = "dev") -> list[str]:
    """The faults of requests that follow each other, each with a prompt before it."""
    reply = {"hookSpecificOutput": {"additionalContext": told}}
    event = Hooked(("--event", "UserPromptSubmit"), {}, {}, reply)
    judge, window = Oracle(project), Window("main", limit=10_000)
    for number, text in enumerate(texts):
        window.begin_turn()
        now = Situation(agent)
        judge.judge(number, window, text, [event], now, frozenset({"UserPromptSubmit"}))
    return [fault.kind for fault in judge.faults]


def compacted(project: Path, *texts: str) -> list[str]:
    """The faults of requests after a compaction, before which the client has asked for nothing."""
    judge, window = Oracle(project), Window("main", limit=10_000)
    window.begin_turn()
    window.lose_history()
    for number, text in enumerate(texts):
        judge.judge(number, window, text, [], Situation("dev"), frozenset())
    return [fault.kind for fault in judge.faults]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_tree(tmp_path, FILES)


def test_what_has_every_rule_once_is_right(project: Path) -> None:
    assert kinds(project, ALL, ALL) == []


def test_a_rule_that_is_not_there_is_missing(project: Path) -> None:
    assert kinds(project, ALL.replace(ADVICE, "")) == [oracle.MISSING]


def test_a_budget_may_put_advice_off(project: Path) -> None:
    assert kinds(project, ALL.replace(ADVICE, ""), told=FULL + BAN) == []


def test_a_prohibition_waits_for_no_advice(project: Path) -> None:
    assert kinds(project, ALL.replace(BAN, ""), told=FULL + ADVICE) == [oracle.MISSING]


def test_what_comes_again_is_there_twice(project: Path) -> None:
    assert kinds(project, ALL, ALL + BAN) == [oracle.TWICE]


def test_what_was_withdrawn_may_come_again(project: Path) -> None:
    assert kinds(project, ALL, ALL + GONE + DEV) == []


def test_what_holds_is_not_withdrawn(project: Path) -> None:
    assert kinds(project, ALL, ALL + GONE) == [oracle.MISSING, oracle.FALSE_WITHDRAWAL]


def test_what_no_longer_holds_is_withdrawn(project: Path) -> None:
    assert kinds(project, ALL, agent="") == [oracle.STALE]
    assert kinds(project, ALL + GONE, agent="") == []
    assert kinds(project, ALL + "Keep names (g0.1) long") == [oracle.STALE]
    quoted = "[WITHDRAWN]\n  GLOBAL: no longer applies: 1. “Keep names (g0.1) long”\n"
    assert kinds(project, "Keep names (g0.1) long\n" + quoted + ALL) == []


def test_what_a_compaction_took_waits_for_the_next_event(project: Path) -> None:
    assert compacted(project, "", "") == []
    assert kinds(project, "") == [oracle.MISSING] * 3
