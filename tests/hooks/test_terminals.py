"""Two agents in two terminals on one tree: nothing of one reaches the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.memory.memory_store import MemoryStore
from tests.hooks.claude_transcripts import Session
from tests.trees import TEAM, write_tree

DEV_RULE = "No, always use the adapter in refunds."
QA_RULE = "No, never skip the flaky payment test."


class Terminals:
    """@dev and @qa at work at the same time, event by event in turn."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.dev, self.qa = Session(root, "terminal-dev"), Session(root, "terminal-qa")
        self.blocks: dict[str, list[str]] = {"dev": [], "qa": []}
        for session in (self.dev, self.qa):
            session.start()
        self._ask("dev", "@dev Build the refund endpoint", "We decided to use the fee table.")
        self._ask("qa", "@qa Review the payment tests", "We decided to quarantine test_charge.")
        self._ask("dev", DEV_RULE, "Understood. TODO: index the fee table.")
        self._ask("qa", QA_RULE, "Understood. TODO: rerun test_charge.")
        self.dev.edits("src/refund.ts")
        self.qa.edits("tests/charge.ts")
        self.dev_again = self.dev.compacts()
        self._ask("qa", "Go on", "Going on.")
        self.qa_again = self.qa.compacts()
        self._ask("dev", "Go on", "Going on.")
        self._ask("qa", "And now?", "Now this.")

    def _ask(self, who: str, prompt: str, reply: str) -> None:
        session = self.dev if who == "dev" else self.qa
        self.blocks[who].append(session.ask(prompt, reply))


@pytest.fixture(scope="module")
def terminals(tmp_path_factory: pytest.TempPathFactory) -> Terminals:
    return Terminals(write_tree(tmp_path_factory.mktemp("two") / "billing", TEAM))


def test_each_is_told_its_own_rules_and_its_own_state(terminals: Terminals) -> None:
    assert "use the adapter in refunds" in terminals.dev_again
    assert "fee table" in terminals.dev_again
    assert "src/refund.ts" in terminals.dev_again
    assert "skip the flaky payment test" in terminals.qa_again
    assert "quarantine test_charge" in terminals.qa_again
    assert "tests/charge.ts" in terminals.qa_again


@pytest.mark.parametrize(
    ("who", "other"),
    [
        ("dev", ("flaky", "quarantine", "test_charge", "tests/charge", "@qa")),
        ("qa", ("adapter", "fee table", "refund.ts", "@dev")),
    ],
)
def test_neither_is_told_anything_of_the_other(
    terminals: Terminals, who: str, other: tuple[str, ...]
) -> None:
    again = terminals.dev_again if who == "dev" else terminals.qa_again
    told = "\n".join((*terminals.blocks[who], again))
    assert [word for word in other if word in told] == []


def test_the_sessions_keep_apart_what_they_carry(terminals: Terminals) -> None:
    dev, qa = (session.document() for session in (terminals.dev, terminals.qa))
    assert (dev["active_agent"]["id"], qa["active_agent"]["id"]) == ("dev", "qa")
    assert dev["recovery"]["carried"]["files"] == ["src/refund.ts"]
    assert qa["recovery"]["carried"]["files"] == ["tests/charge.ts"]
    assert (dev["context"]["compactions"], qa["context"]["compactions"]) == (1, 1)


def test_neither_reads_the_memories_of_the_other(terminals: Terminals) -> None:
    store = MemoryStore(str(terminals.root))
    assert [r.text for r in store.records("dev") if r.type == "user_correction"] == [DEV_RULE]
    assert [r.text for r in store.records("qa") if r.type == "user_correction"] == [QA_RULE]


def test_a_third_terminal_takes_over_from_none_that_goes_on(terminals: Terminals) -> None:
    third = Session(terminals.root, "terminal-3")
    third.start()
    told = third.ask("@dev Hello", "Hello.")
    assert "[CONTINUATION]" not in told
    assert "flaky" not in told


def test_a_terminal_of_another_agent_is_not_told_where_an_agent_has_left_off(
    terminals: Terminals,
) -> None:
    terminals.qa.ends()
    other = Session(terminals.root, "terminal-4")
    other.start()
    told = other.ask("@dev What next?", "This.")
    assert "[CONTINUATION]" not in told
    assert "test_charge" not in told
