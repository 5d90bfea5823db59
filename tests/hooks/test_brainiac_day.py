"""A day with a tree of Brainiac: notes that change, events, and memories that a prompt asks for."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from synapse_ls.hooks import session_upkeep
from tests.hooks.day_oracle import lines_in_markdown
from tests.hooks.day_player import Player

TREE = Path(__file__).parent.parent / "workspaces/brainiac"
NOTES = "memory/short_term.md"
IDENTITY = "system/core_identity.md"
TEAM = "memory/long_term/concrete/team.md"
LOG = "Newest entries first. Entries move to long-term memory when they are promoted.\n"
EVENT = """
### 2026-03-13T10:00:00Z
**User:** "Switch it on, please."
**AI:** "It is on for one line."
"""
ASKED = {"who is in the team": TEAM, "passengers": "memory/long_term/skills/passenger-texts.md"}


class BrainiacDay(Player):
    """``gone``: what was said in the notes, the identity and memories, and is no more."""

    def __init__(self, root: Path, *, tools: bool) -> None:
        super().__init__(root, lines_in_markdown, tools=tools)
        self.gone: list[str] = []

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a whole statement of a file."""
        self.replace(path, old, new)
        flat = " ".join(old.split())
        if flat not in " ".join(new.split()):
            self.gone.append(flat)
            self.asked = [text for text in self.asked if text != flat]

    def matched(self, prompt: str) -> list[str]:
        paths = [path for words, path in ASKED.items() if words in prompt]
        return [self.memory(path) for path in paths if (self.root / path).exists()]

    def memory(self, path: str) -> str:
        """The text of a memory, after its front matter."""
        body = (self.root / path).read_text(encoding="utf-8").split("---\n")[2]
        return " ".join(body.split())

    def notes(self) -> list[str]:
        """The statements of the notes, by the blank lines and the marks of lists."""
        found: list[str] = []
        for line in (self.root / NOTES).read_text(encoding="utf-8").splitlines():
            if line.startswith(("#", "---")) or not line.strip():
                found.append("")
            elif line.startswith(("- ", "**")) or not found or not found[-1]:
                found.append(line.removeprefix("- ").strip())
            else:
                found[-1] += f" {line.strip()}"
        return [text for text in found if text]

    def wanted(self) -> list[str]:
        text = (self.root / IDENTITY).read_text(encoding="utf-8")
        lines = [line.removeprefix("- ") for line in text.splitlines()]
        return [line for line in lines if line and line[0] != "#"] + self.notes()

    def void(self) -> list[str]:
        return self.gone


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], BrainiacDay]:
    """Begins the day in a copy of a tree."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    root = Path(shutil.copytree(TREE, tmp_path / "tree"))
    return lambda tools: BrainiacDay(root, tools=tools)


@pytest.mark.parametrize("tools", [True, False], ids=["context with tools", "with prompts alone"])
def test_at_the_end_of_each_turn_the_agent_has_what_holds_and_nothing_else(
    begin: Callable[[bool], BrainiacDay], tools: bool
) -> None:
    day = begin(tools)
    day.turn("good morning", 6_000)
    day.turn("who is in the team?", 9_000)
    day.turn("go on", 12_000)
    goal = "Switch reads of reservations to PostgreSQL before the summer timetable"
    day.edit(NOTES, f"[ ] {goal}", f"[x] {goal}")
    day.turn("what is left?", 15_000)
    day.edit(NOTES, LOG, f"{LOG}{EVENT}")
    day.turn("go on", 18_000)
    day.edit(NOTES, "We are moving seat reservations", "We have moved seat reservations")
    day.turn("write to the passengers", 30_000)
    day.edit(
        NOTES, "- The reconciliation job compares both databases every night at 03:00 UTC.\n", ""
    )
    for number in range(4):
        day.turn(f"part {number}", 40_000 + 10_000 * number)
    day.edit(IDENTITY, "Short sentences. No flattery.", "Long sentences.")
    day.turn("go on", 90_000)
    day.compact()
    day.turn("where were we?", 20_000)
    day.edit(TEAM, day.memory(TEAM), "Ana owns the schema, Dora the ticket machines.")
    day.turn("who is in the team now?", 24_000)
    day.turn("the passengers again", 95_000, compacts=True)
    day.turn("go on", 22_000)
    day.turn("who is in the team then?", 25_000)
    day.gone.append(day.memory(TEAM))
    (day.root / TEAM).unlink()
    day.asked = [text for text in day.asked if text not in day.gone]
    day.use_tool(TEAM)
    day.turn("go on", 28_000)
    day.resume()
    day.turn("good morning again", 30_000)
    day.edit(NOTES, EVENT.strip(), "")
    day.turn("go on", 34_000)
    day.begin("session-2")
    day.turn("where was this left?", 6_000)
    day.turn("go on", 9_000)
    assert day.turns >= 20
    assert "\n".join(day.wrong) == ""
