"""A day with a tree of CARL: brackets, keyword domains, star-commands, switches."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from synapse_ls.hooks import session_upkeep
from tests.hooks.day_oracle import lines_in_brackets
from tests.hooks.day_player import Player
from tests.support import corpus

BRACKETS = (("FRESH", 60), ("MODERATE", 40), ("DEPLETED", 25), ("CRITICAL", 0))
DOMAINS = """
TESTING_STATE=active
TESTING_RECALL=coverage,unit test
TESTING_EXCLUDE=legacy
MONEY_STATE=active
MONEY_RECALL=refund
STYLE_STATE=active
STYLE_ALWAYS_ON=true
"""
RULES = {
    "testing": "TESTING_RULE_0=A test has one reason to fail\nTESTING_RULE_1=No test is inactive\n",
    "money": "MONEY_RULE_0=A refund is booked once\n",
    "style": "STYLE_RULE_0=Short sentences in comments\n",
}
DEBUG_ON, DEBUG_OFF = "Rules Applied:", "Append no CARL DEVMODE"


class CarlDay(Player):
    """``gone``: rules that were edited away."""

    def __init__(self, root: Path, *, tools: bool) -> None:
        super().__init__(root, lines_in_brackets, tools=tools)
        self.gone: list[str] = []

    def rules(self, name: str, prefix: str = "") -> list[str]:
        """The rules of a file, those alone whose key begins with ``prefix``."""
        lines = (self.root / ".carl" / name).read_text(encoding="utf-8").splitlines()
        found = (re.match(rf"{prefix}[A-Z_]*RULE_\d+=(.+)", line) for line in lines)
        return [match[1].strip() for match in found if match]

    def settings(self) -> dict[str, str]:
        lines = (self.root / ".carl/manifest").read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines if re.match("[A-Z_]+=", line))

    def is_on(self, name: str) -> bool:
        return self.settings()[f"{name.upper()}_STATE"] == "active"

    def bracket(self) -> str:
        return next(name for name, floor in BRACKETS if self.remaining() >= floor)

    def matched(self, prompt: str) -> list[str]:
        settings, words = self.settings(), prompt.lower()
        found: list[str] = []
        for name in ("testing", "money"):
            keys = settings[f"{name.upper()}_RECALL"].split(",")
            excluded = settings.get(f"{name.upper()}_EXCLUDE", "\0")
            if self.is_on(name) and any(key in words for key in keys) and excluded not in words:
                found += self.rules(name)
        for command in re.findall(r"\*(\w+)", prompt):
            found += self.rules("commands", f"{command.upper()}_")
        return found

    def wanted(self) -> list[str]:
        lent = {"CRITICAL": "DEPLETED"}.get(self.bracket(), self.bracket())
        found = self.rules("context", f"{lent}_")
        for name in ("global", "style"):
            found += self.rules(name) if self.is_on(name) else []
        return found

    def void(self) -> list[str]:
        found = [*self.gone, *self.rules("context")]
        for name in ("global", "style", "testing", "money"):
            found += [] if self.is_on(name) else self.rules(name)
        return found

    def statements(self) -> list[tuple[str, object, object]]:
        name = self.bracket()
        told = {line.split("[")[1].split("]")[0] for line in self.agent.lines_with("CONTEXT BR")}
        debug = self.settings()["DEVMODE"] == "true"
        return [
            ("is in", told, {name}),
            ("is warned", bool(self.agent.lines_with("⚠️")), name == "CRITICAL"),
            ("is silent", bool(self.agent.lines_with(DEBUG_OFF)), not debug),
            ("accounts", bool(self.agent.lines_with(DEBUG_ON)), debug),
        ]

    def switch(self, old: str, new: str) -> None:
        """Edit the manifest; what a domain that is off has said is asked for no more."""
        self.replace(".carl/manifest", old, new)
        off = {
            text
            for name in ("testing", "money")
            if not self.is_on(name)
            for text in self.rules(name)
        }
        self.asked = [text for text in self.asked if text not in off]


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], CarlDay]:
    """Begins the day in a copy of CARL's own template, with three domains more."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    root = tmp_path / "tree"
    shutil.copytree(corpus() / "carl", root)
    with (root / ".carl/manifest").open("a", encoding="utf-8") as manifest:
        manifest.write(DOMAINS)
    for name, text in RULES.items():
        (root / ".carl" / name).write_text(text, encoding="utf-8")
    return lambda tools: CarlDay(root, tools=tools)


@pytest.mark.parametrize("tools", [True, False], ids=["context with tools", "with prompts alone"])
def test_at_the_end_of_each_turn_the_agent_has_what_applies_and_nothing_else(
    begin: Callable[[bool], CarlDay], tools: bool
) -> None:
    day = begin(tools)
    day.turn("good morning", 6_000)
    day.turn("let us look at the coverage", 9_000)
    day.turn("*brief what is next?", 12_000)
    day.turn("the legacy coverage, please", 15_000)
    for number in range(4):
        day.turn(f"part {number}", 18_000 + 3_000 * number)
    day.gone += day.rules("global")[:1]
    day.replace(".carl/global", day.gone[0], "Use one style, and keep to it")
    day.turn("what of the refund?", 33_000)
    day.turn("*dev do it", 84_000)
    day.turn("the unit test of it", 100_000)
    day.turn("go on", 124_000)
    day.switch("MONEY_STATE=active", "MONEY_STATE=inactive")
    day.turn("the refund once more", 130_000)
    day.compact()
    day.turn("where were we?", 20_000)
    day.turn("*review the coverage", 90_000, compacts=True)
    day.switch("GLOBAL_STATE=active", "GLOBAL_STATE=inactive")
    day.turn("go on", 24_000)
    day.switch("GLOBAL_STATE=inactive", "GLOBAL_STATE=active")
    day.switch("DEVMODE=false", "DEVMODE=true")
    day.turn("why was that?", 27_000)
    day.resume()
    day.turn("good morning again", 30_000)
    day.switch("DEVMODE=true", "DEVMODE=false")
    day.turn("write it down", 110_000)
    day.turn("hand it over", 160_000)
    day.turn("anything else?", 163_000)
    day.begin("session-2")
    day.turn("go on with the coverage", 5_000)
    day.turn("go on", 7_000)
    assert day.turns >= 20
    assert "\n".join(day.wrong) == ""
