"""What a person says again and again over five sessions is proposed as a rule; what happens once is not."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from synapse_ls.formats.memory_file import CORRECTION_TYPE
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.memory.rule_proposals import pending_proposals, reject_proposal
from synapse_ls.memory.session_digest import find_corrections
from synapse_ls.storage.current_plan import load_plan
from tests.trees import TEAM, write_tree

NOW = 1_800_000_000.0
DAY = 86_400
SESSIONS = (Path(__file__).parent / "sessions.txt").read_text(encoding="utf-8").split("\n== ")[1:]


class People:
    """Says the sessions to a tree, and knows what each memory came of."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        self.sources: dict[str, set[str]] = defaultdict(set)
        self._day = 0

    def say(self, session: str) -> None:
        store = MemoryStore(self.root)
        self._day += 1
        for line in session.splitlines()[1:]:
            planted = re.match(r"([ha]\d+) ", line)
            for text in find_corrections(line[planted.end() :] if planted else line):
                made = store.remember(
                    text,
                    now=NOW + self._day * DAY,
                    type=CORRECTION_TYPE,
                    explicit=True,
                    storage="durable",
                )
                self.sources[made.id].add(planted[1] if planted else "work")

    def proposed(self) -> list[set[str]]:
        """What each pending proposal comes of."""
        pending = pending_proposals(self.root, load_plan(self.root).plan)
        return [{source for id in one.records for source in self.sources[id]} for one in pending]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> People:
    """A tree that nobody has said anything to."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return People(write_tree(tmp_path / "app", TEAM))


def test_habits_are_proposed_and_accidents_are_not(people: People) -> None:
    for session in SESSIONS:
        people.say(session)
    proposed = people.proposed()
    sources = [source for one in proposed for source in one]
    assert len([source for source in sources if source[0] == "h"]) >= 8
    assert len([source for source in sources if source[0] != "h"]) <= 1
    assert len(sources) == len(set(sources)) == len(proposed)


def test_what_was_rejected_stays_away_when_it_is_said_again(people: People) -> None:
    for session in SESSIONS:
        people.say(session)
    for one in pending_proposals(people.root, load_plan(people.root).plan):
        reject_proposal(people.root, one, now=NOW)
    assert people.proposed() == []
    people.say(SESSIONS[-1])
    assert people.proposed() == []
