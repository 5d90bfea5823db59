"""A day with a tree of Chati.dev: agents of the pipeline, modes, tasks, hand-offs, memories."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from synapse_ls.hooks import session_upkeep
from tests.hooks.day_oracle import lines_in_xml
from tests.hooks.day_player import Player
from tests.support import corpus

BRACKETS = (("FRESH", 60), ("MODERATE", 40), ("DEPLETED", 25), ("CRITICAL", 0))
PIPELINE = ("greenfield-wu", "brief", "detail", "architect", "ux", "phases", "tasks", "qa-planning")
BUILD = ("dev", "qa-implementation")
NAMES = {"greenfield-wu": "WU", "ux": "UX", "qa-planning": "QA-Planning"}
NAMES |= {"qa-implementation": "QA-Implementation"}
MEMORY = """\
---
id: mem-2026-02-12-00{number}
type: decision
agent: orchestrator
tags: [auth]
confidence: 0.95
evidence_count: 5
access_count: 9
sector: procedural
tier: hot
created_at: 2026-02-12T00:00:00Z
last_accessed: 2026-11-20T00:00:00Z
---
# {title}

{body}
"""
LONG = "Migrations run outside of the transaction. " + " ".join(
    f"Step {number} of them is written down in the runbook." for number in range(8)
)


class ChatiDay(Player):
    """``current``, ``task``, ``mode``, ``handed``: what the project's session says: its agent, what it works
    on and was handed. ``caller``: whom the person has called since. ``past``: tasks, pipelines and
    hand-offs that are over. ``memories``: their texts.
    """

    def __init__(self, root: Path, *, tools: bool) -> None:
        super().__init__(root, lines_in_xml, tools=tools)
        self.current = self.caller = self.task = self.mode = ""
        self.handed: list[str] = []
        self.past: set[str] = set()
        self.memories: list[str] = []

    @property
    def at_work(self) -> str:
        """The agent that is at work."""
        return self.caller or self.current

    def document(self, path: str) -> dict[str, Any]:
        loaded: dict[str, Any] = YAML(typ="safe").load(self.root / "chati.dev" / path)
        return loaded

    def bracket(self) -> str:
        return next(name for name, floor in BRACKETS if self.remaining() >= floor)

    def move(self, mode: str, agent: str, task: str, handed: list[str]) -> None:
        """The orchestrator hands over: session and hand-off are written."""
        self.past |= {self.task, *self.handed, *self.pipeline()} - {"", task, *handed}
        self.current, self.caller = agent, ""
        self.task, self.mode, self.handed = task, mode, handed
        before = [*PIPELINE, *BUILD]
        giver = before[before.index(agent) - 1]
        states = ["{status: completed, score: 96}"] * before.index(agent)
        states += ["{status: in_progress, score: 45}"]
        states += ["{status: pending, score: 0}"] * (len(before) - len(states))
        place = f"chati.dev/artifacts/handoffs/{giver}-handoff.md"
        lines = "\n".join(handed)
        self.write(place, f"---\nfrom_agent: {giver}\nscore: 96\n---\n\n## Summary\n\n{lines}\n")
        agents = "".join(f"  {name}: {state}\n" for name, state in zip(before, states, strict=True))
        self.write(
            ".chati/session.yaml",
            f"project: {{name: Team, type: greenfield, state: {mode}}}\n"
            f"execution_mode: interactive\ncurrent_agent: {agent}\ncurrent_task: {task}\n"
            f"language: en\nagents:\n{agents}last_handoff: {place}\n",
        )

    def remember(self, name: str, title: str, body: str, *, tier: str = "hot") -> None:
        self.memories.append(body)
        text = MEMORY.format(number=len(self.memories), title=title, body=body)
        if tier != "hot":
            for old, new in (("hot", tier), ("0.95", "0.6"), ("t: 5", "t: 1"), ("t: 9", "t: 0")):
                text = text.replace(old, new)
        path = self.root / f".chati/memories/shared/durable/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def pipeline(self) -> list[str]:
        """The step of the pipeline that is under way."""
        name = NAMES.get(self.current, self.current.capitalize())
        return [f"{name}(in_progress, 45%)"] if self.current else []

    def rules(self, path: str) -> list[str]:
        return [rule["text"].strip() for rule in self.document(path).get("rules", ())]

    def modes(self, name: str) -> list[str]:
        mode = self.document("domains/global.yaml")["modes"][name]
        return [", ".join(mode[key]) for key in ("allowedActions", "blockedActions") if mode[key]]

    def wanted(self) -> list[str]:
        summary = " ".join(self.document("domains/constitution.yaml")["summary"].split())
        found = [summary, *self.rules("domains/global.yaml"), *self.modes(self.mode)]
        if self.bracket() != "CRITICAL":
            found += self.rules(f"domains/agents/{self.at_work}.yaml")
        if self.bracket() in ("FRESH", "MODERATE"):
            found += self.rules("domains/workflows/greenfield-fullstack.yaml")
            found += [*self.pipeline(), *self.handed]
            found += [self.task] if not self.caller else []
        return found

    def void(self) -> list[str]:
        found = {text for mode in ("planning", "build", "deploy") for text in self.modes(mode)}
        for path in (self.root / "chati.dev/domains/agents").iterdir():
            if path.stem != self.at_work:
                found |= set(self.rules(f"domains/agents/{path.name}"))
        return [*found, *self.past, *([self.task] if self.caller else [])]

    def statements(self) -> list[tuple[str, object, object]]:
        modes = {text for _, text in self.agent.told.get("", ()) if text in ("planning", "build")}
        agents = {name for name, said in self.agent.told.items() if name[:6] == "agent " and said}
        due = self.remaining() < 15
        asked = bool(self.agent.lines_with("Hand over now"))
        named = {f"agent {self.at_work}"} if agents else set()
        return [
            ("is in mode", modes, {self.mode}),
            ("is", agents, named),
            ("must go", asked, due),
        ]


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], ChatiDay]:
    """Begins the day in a copy of a real project with three memories."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    root = tmp_path / "tree"
    shutil.copytree(corpus() / "chati", root)
    return lambda tools: ChatiDay(root, tools=tools)


@pytest.mark.parametrize("tools", [True, False], ids=["context with tools", "with prompts alone"])
def test_at_the_end_of_each_turn_the_agent_has_what_applies_and_nothing_else(
    begin: Callable[[bool], ChatiDay], tools: bool
) -> None:
    day = begin(tools)
    day.remember("auth", "Auth", "Use short tokens and refresh them.")
    day.remember("dark", "Dark mode", "The user prefers dark mode in all views.")
    day.remember("migrations", "Migrations", LONG)
    day.move("planning", "brief", "Core requirements", ["A platform for teams.", "Real time."])
    day.turn("good morning", 6_000)
    day.asked += day.memories[:2]
    for number in range(3):
        day.turn(f"part {number}", 9_000 + 3_000 * number)
    day.move("planning", "detail", "Write the PRD", ["The brief is done.", "The budget is small."])
    day.turn("go on", 20_000)
    day.turn("the auth of it", 85_000)
    day.turn("go on", 95_000)
    day.caller = "architect"
    day.turn("@architect does that fit?", 100_000)
    day.turn("and the migrations?", 103_000)
    day.move("planning", "architect", "Choose the stack", ["The PRD has 12 requirements."])
    day.turn("go on", 110_000)
    day.turn("choose one", 124_000)
    day.move("planning", "ux", "Draw the views", ["Next.js and PostgreSQL."])
    day.turn("in dark mode?", 128_000)
    day.turn("sum it up", 154_000)
    assert day.agent.believes(LONG)
    day.turn("anything else?", 158_000)
    day.turn("hand it over", 175_000)
    day.compact()
    day.asked += day.memories[:2]
    day.turn("where were we?", 20_000)
    day.move("build", "dev", "Log in", ["The plan is approved."])
    day.turn("go on", 24_000)
    day.turn("the tests of it", 90_000, compacts=True)
    day.asked += day.memories[:2]
    day.turn("go on", 22_000)
    day.resume()
    day.turn("good morning again", 26_000)
    day.begin("session-2")
    day.turn("go on", 5_000)
    day.asked += day.memories[:2]
    day.turn("and then?", 8_000)
    assert day.turns >= 20
    assert "\n".join(day.wrong) == ""


def test_a_memory_that_came_later_is_named_alone_and_told_where_the_bracket_gives_more(
    begin: Callable[[bool], ChatiDay],
) -> None:
    day = begin(False)
    day.move("planning", "brief", "Core requirements", ["A platform for teams."])

    def told(used: int) -> list[str]:
        day.client.figures = {"used": used, "window": 200_000}
        text = day.client.prompt("go on")
        assert "<revoked>" not in text
        inside = text.partition('level="')[2].partition("</memory>")[0]
        return [line.strip() for line in inside.splitlines()[1:] if line.strip()]

    assert told(6_000) == []
    day.remember("auth", "Auth", "Use short tokens.")
    day.remember("dark", "Dark mode", "The user prefers dark mode.")
    assert told(90_000) == ["[2 HOT memories available: Auth, Dark mode]"]
    day.remember("rates", "Rates", "A rate has four decimals.")
    assert told(92_000) == ["[1 HOT memory available: Rates]"]
    assert told(94_000) == []
    assert sorted(told(125_000)) == [
        "Auth: Use short tokens.",
        "Dark mode: The user prefers dark mode.",
        "Rates: A rate has four decimals.",
    ]
    assert told(127_000) == []
    assert told(155_000) == []


def test_a_memory_that_matched_once_is_told_in_full_in_critical(
    begin: Callable[[bool], ChatiDay],
) -> None:
    day = begin(False)
    day.move("planning", "brief", "Core requirements", ["A platform for teams."])
    day.remember("rates", "Rates", "A rate has four decimals.\n\nRound half to even.", tier="warm")

    def told(text: str, used: int) -> str:
        day.client.figures = {"used": used, "window": 200_000}
        return day.client.prompt(text)

    assert "WARM memory available: Rates" in told("Show the rates", 90_000)
    assert "Round half to even." not in told("go on", 125_000)
    critical = told("carry on", 160_000)
    assert critical.count("Round half to even.") == 1
    assert "<revoked>" not in critical
    assert "Round half to even." not in told("and then?", 161_000)
