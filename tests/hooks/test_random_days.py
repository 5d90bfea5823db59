"""Random days in random trees: what stands, what is believed, and what is told again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synapse_ls.hooks import session_upkeep
from tests.hooks.day_oracle import lines_in_brackets
from tests.hooks.day_player import Player
from tests.support import examples
from tests.trees import write_tree

pytestmark = pytest.mark.slow

AGENTS, DOMAINS, PHASES = ("dev", "qa"), ("alpha", "beta"), ("build", "review")
BRACKETS = {"FRESH": (60, 10), "MODERATE": (40, 10), "DEPLETED": (25, 5), "CRITICAL": (0, 3)}
STATE = ".aiox/cycle-20260102-abc123-state.yaml"
STATE_TEXT = """\
workflow_id: cycle
instance_id: cycle-20260102-abc123
status: active
current_phase: {0}
current_step_index: 0
steps:
  - {{step_index: 0, phase: {0}, agent: dev, action: work, status: pending}}
"""
WARNING = ("Little of the context", "At work", "Waiting", "Files")  # told to each who is at work
LONG_AGO = 10  # prompts after which what is asked for again is told again


class RandomDay(Player):
    """``agent_id``, ``phase``: who is at work and where. ``off``: domains that are switched off. ``gone``:
    rules that were edited away. ``told_at``: text -> (turn, percent left) of its last telling.
    """

    def __init__(self, root: Path, sizes: dict[str, int], *, tools: bool) -> None:
        super().__init__(root, lines_in_brackets, tools=tools)
        self.agent_id = self.phase = ""
        self.off: set[str] = set()
        self.gone: set[str] = set()
        self.told_at: dict[str, tuple[int, float]] = {}
        self.bracket_before, self.work_before = "FRESH", ("", "")
        self.is_quiet = False
        self.rules = {name: _rules(name, size) for name, size in sizes.items()}
        self.rules |= {name.lower(): _rules(name, 1) for name in BRACKETS}
        self.rules |= {f"auth-{name}": _rules(f"auth-{name}", 1) for name in AGENTS}
        self.rules |= {name: _rules(name, 2) for name in PHASES}
        write_tree(root, self.files())

    def files(self) -> dict[str, str]:
        """The files of the tree."""
        manifest = "GLOBAL_STATE=active\nCONTEXT_STATE=active\nCONSTITUTION_STATE=active\n"
        made = {
            "constitution": _keyed("CONSTITUTION_RULE_ART1_", self.rules["constitution"]),
            "global": _keyed("GLOBAL_RULE_", self.rules["global"]),
            "context": "".join(
                _keyed(f"CONTEXT_RULE_{name}_", self.rules[name.lower()]) for name in BRACKETS
            ),
        }
        for name in AGENTS:
            manifest += f"AGENT_{name.upper()}_STATE=active\n"
            manifest += f"AGENT_{name.upper()}_AGENT_TRIGGER={name}\n"
            key = f"AGENT_{name.upper()}"
            made[f"agent-{name}"] = _keyed(f"{key}_AUTH_", self.rules[f"auth-{name}"])
            made[f"agent-{name}"] += _keyed(f"{key}_RULE_", self.rules[name])
        for name in DOMAINS:
            state = "inactive" if name in self.off else "active"
            manifest += f"{name.upper()}_STATE={state}\n{name.upper()}_RECALL={name}\n"
            made[name] = _keyed(f"{name.upper()}_RULE_", self.rules[name])
        manifest += "WORKFLOW_CYCLE_STATE=active\nWORKFLOW_CYCLE_WORKFLOW_TRIGGER=cycle\n"
        texts = [f"Phase {name}: {text}" for name in PHASES for text in self.rules[name]]
        made["workflow-cycle"] = _keyed("WORKFLOW_CYCLE_RULE_", texts)
        found = {f".synapse/{name}": text for name, text in made.items()}
        settings = 'profile = "synapse-live"\n'
        return {**found, ".synapse/manifest": manifest, ".synapse/config.toml": settings}

    @property
    def used(self) -> int:
        """Tokens that were in use last."""
        used = (self.client.figures or {}).get("used", 5_000)
        assert isinstance(used, int)
        return used

    def bracket(self) -> str:
        return next(name for name, (floor, _) in BRACKETS.items() if self.remaining() >= floor)

    def matched(self, prompt: str) -> list[str]:
        found = (name for name in DOMAINS if name in prompt and name not in self.off)
        return [text for name in found for text in self.rules[name]]

    def wanted(self) -> list[str]:
        names = ["constitution", "global", self.bracket().lower()]
        names += [f"auth-{self.agent_id}", self.agent_id] if self.agent_id else []
        names += [self.phase] if self.phase else []
        return [text for name in names for text in self.rules[name]]

    def void(self) -> list[str]:
        others = {*AGENTS, *(f"auth-{name}" for name in AGENTS), *PHASES, *self.off}
        others |= {name.lower() for name in BRACKETS}
        return [text for name in sorted(others) for text in self.rules[name]] + [*self.gone]

    def edit(self, name: str) -> None:
        """Give a file another first rule."""
        rules = self.rules[name]
        if rules:
            self.gone.add(rules[0])
            self.asked = [text for text in self.asked if text != rules[0]]
            rules[0] = f"Edited {len(self.gone)} in {name} is kept by everybody"
            if name in DOMAINS and any(text in self.asked for text in rules):
                self.asked.append(rules[0])
            path = f".synapse/agent-{name}" if name in AGENTS else f".synapse/{name}"
            self.write(path, self.files()[path])

    def switch(self, name: str) -> None:
        """Switch a domain off or on again."""
        self.off ^= {name}
        self.asked = [text for text in self.asked if text not in self.rules[name]]
        self.write(".synapse/manifest", self.files()[".synapse/manifest"])

    def check(self, prompt: str, what: str, text: str, is_wrong: bool) -> None:
        # Where tools bring nothing, what a prompt's reply has no room for comes with the next ones.
        if what != "lacks" or self.tools or self.is_quiet:
            super().check(prompt, what, text, is_wrong)

    def turn(self, prompt: str, used: int, *, compacts: bool = False) -> None:
        self.told_at |= dict.fromkeys(self.agent.news, (self.turns, self.remaining()))
        agent = self.agent
        stood = {text for said in agent.told.values() for _, text in said}
        super().turn(prompt, used, compacts=compacts)
        self.note_repeats(prompt, stood if self.agent is agent else set())

    def note_repeats(self, prompt: str, stood: set[str]) -> None:
        """Find what was told again though it stood, without a reason for it."""
        name, left = self.bracket(), self.remaining()
        entered = name in ("DEPLETED", "CRITICAL") and name != self.bracket_before
        refresh = BRACKETS[name][1]
        asked, work = self.matched(prompt), (self.agent_id, self.phase)
        titles = self.rules["constitution"][:1]
        essential = (*titles, *self.rules.get(f"auth-{self.agent_id}", ()))
        for text in dict.fromkeys(self.agent.news):
            turn, percent = self.told_at.get(text, (-99, 0.0))
            due = self.turns - turn > LONG_AGO if text in asked else self.turns - turn >= refresh
            quarter = percent - left >= 24
            if text.startswith(WARNING) and work != self.work_before:
                continue
            again = (text in asked or text.endswith(essential)) and (due or quarter)
            self.check(prompt, "repeats", text, text in stood and not (entered or again))
            self.told_at[text] = self.turns, left
        self.bracket_before, self.work_before = name, work


def _rules(name: str, size: int) -> list[str]:
    return [f"Rule {number} in {name} is kept by everybody" for number in range(size)]


def _keyed(prefix: str, texts: list[str]) -> str:
    return "".join(f"{prefix}{number}={text}\n" for number, text in enumerate(texts))


def play(day: RandomDay, step: dict[str, Any]) -> None:
    """One turn, and what happens before it."""
    if step["edit"]:
        day.edit(step["edit"])
    if step["switch"]:
        day.switch(step["switch"])
    if step["phase"]:
        day.phase = step["phase"]
        day.write(STATE, STATE_TEXT.format(day.phase))
    if step["compacts"] == "before":
        day.compact()
        day.bracket_before = "FRESH"
    day.agent_id = step["agent"] or day.agent_id
    prompt = f"@{step['agent']} {step['text']}" if step["agent"] else step["text"]
    day.turn(prompt, min(day.used + step["grows"], 195_000), compacts=step["compacts"] == "within")


SIZES = {"constitution": 4, "global": 40, "dev": 15, "qa": 15, "alpha": 15, "beta": 3}
sizes = st.fixed_dictionaries({name: st.integers(1, most) for name, most in SIZES.items()})
steps = st.fixed_dictionaries(
    {
        "text": st.sampled_from(["go on", "go on", "alpha", "beta and alpha", "the beta"]),
        "agent": st.sampled_from(["", "", "", "dev", "qa"]),
        "grows": st.sampled_from([500, 500, 3_000, 12_000, 30_000]),
        "phase": st.sampled_from(["", "", "", *PHASES]),
        "edit": st.sampled_from(["", "", "", "", "global", "dev", "alpha"]),
        "switch": st.sampled_from(["", "", "", "", *DOMAINS]),
        "compacts": st.sampled_from(["", "", "", "", "", "before", "within"]),
    }
)


@settings(
    max_examples=examples(15),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(sizes, st.lists(steps, min_size=8, max_size=30), st.booleans())
def test_on_any_day_what_is_wanted_stands_what_is_void_is_gone_and_nothing_is_told_twice(
    sizes: dict[str, int], script: list[dict[str, Any]], tools: bool
) -> None:
    with (
        # What a hook has left running may still write a plan there.
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        mock.patch.dict("os.environ", {"SYNAPSE_LS_CACHE": f"{folder}/cache"}),
        mock.patch.object(session_upkeep, "start_worker", lambda *_: False),
    ):
        root = Path(folder) / "tree"
        day = RandomDay(root, sizes, tools=tools)
        for step in script:
            play(day, step)
        for _ in range(3):
            day.is_quiet = True
            day.turn("go on", day.used)
        assert "\n".join(day.wrong) == ""
