"""Shorter days with trees of CARL, Chati.dev and Brainiac: what applies stands at the end of each turn,
and nothing that holds is taken back."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from synapse_ls.integrations import hook_event as events
from tests.chati_trees import BOARD
from tests.hooks.day_oracle import Believer
from tests.hooks.hook_clients import Scripted
from tests.support import corpus
from tests.trees import write_tree

WINDOW = 200_000
_EXCERPT = re.compile("“(.+?)…?”")


@dataclass(frozen=True)
class Turn:
    """A turn: what is typed, the tokens in use, and what happens before or in the middle of it."""

    prompt: str
    used: int
    before: str = ""
    within: str = ""


def turns(first: str, second: str) -> list[Turn]:
    """Twenty prompts through all brackets, with two compactions, a resume and a new session. first, second:
    what is typed when the work changes.
    """
    return [
        *(
            Turn(text, 6_000 + 1_000 * n)
            for n, text in enumerate(("hello", "go on", first, "next"))
        ),
        *(Turn("and then?", 85_000 + 1_000 * n) for n in range(3)),
        Turn(second, 95_000, before="switch"),
        *(Turn("what else?", 125_000 + 1_000 * n) for n in range(2)),
        Turn("more", 30_000, before="compact"),
        Turn("still more", 90_000),
        Turn("in the middle", 30_000, within="compact"),
        Turn(first, 40_000),
        Turn("welcome back", 60_000, before="resume"),
        Turn("go on", 100_000),
        *(Turn("nearly done", 155_000 + 1_000 * n) for n in range(3)),
        Turn("a new day", 6_000, before="new"),
    ]


class Day:
    """A client and its tree; ``read`` takes in what the agent is told."""

    def __init__(self, root: Path, *, tools: bool) -> None:
        self.root = root
        self.tools = tools
        self.client = self._begin("session-1")

    def _begin(self, session: str) -> Scripted:
        client = Scripted(self.root, limit=60_000)
        client.session = session
        if not self.tools:
            client.takes.discard(events.TOOL)
        return client

    def play(self, day: Iterable[Turn], judge: Callable[[Turn], list[str]]) -> list[str]:
        wrong = []
        for number, turn in enumerate(day, 1):
            self._prepare(turn)
            self.client.figures = {"used": turn.used, "window": WINDOW}
            self.read(self.client.prompt(turn.prompt))
            if turn.within:
                self._compact()
            for _ in range(3):
                self.read(self.client.tool("README.md") if self.tools else "")
            if self.tools or not turn.within:
                wrong += [f"{number} {turn.prompt!r}: {what}" for what in judge(turn)]
        return wrong

    def _prepare(self, turn: Turn) -> None:
        if turn.before == "compact":
            self._compact()
        elif turn.before == "resume":
            self.read(self.client.send(events.SESSION_START, source="resume"))
        elif turn.before == "new":
            self.forget()
            self.client = self._begin("session-2")
        elif turn.before == "switch":
            self.switch()

    def _compact(self) -> None:
        self.client.figures = {"used": 12_000, "window": WINDOW}
        self.client.send(events.COMPACTING)
        self.forget()
        self.read(self.client.send(events.SESSION_START, source="compact"))

    def read(self, text: str) -> None:
        raise NotImplementedError

    def forget(self) -> None:
        raise NotImplementedError

    def switch(self) -> None:
        """The work changes, where a file says so."""


class CarlDay(Day):
    """CARL: what its headings say, as in SYNAPSE's trees."""

    def __init__(self, root: Path, *, tools: bool) -> None:
        self.agent = Believer()
        super().__init__(root, tools=tools)

    def read(self, text: str) -> None:
        self.agent.read(text)

    def forget(self) -> None:
        self.agent = Believer()

    def values(self, name: str, mark: str) -> list[str]:
        lines = (self.root / ".carl" / name).read_text("utf-8").splitlines()
        return [line.partition("=")[2].strip() for line in lines if line.startswith(mark)]

    def judge(self, turn: Turn) -> list[str]:
        left = 100 - 100 * turn.used / WINDOW
        bracket = next(n for n, floor in BRACKETS if left >= floor)
        # To CARL, the rules of the last bracket are those of the one before.
        rules = "DEPLETED" if bracket == "CRITICAL" else bracket
        wanted = self.values("global", "GLOBAL_RULE_")
        wanted += [] if turn.within else self.values("context", f"{rules}_RULE_")
        wanted += self.values("billing", "BILLING_RULE_") if "invoice" in turn.prompt else []
        wanted += self.values("commands", "DEV_RULE_") if "*dev" in turn.prompt else []
        void = [
            text
            for name in ("FRESH", "MODERATE", "DEPLETED")
            if name != rules and not turn.within
            for text in self.values("context", f"{name}_RULE_")
        ]
        found = [f"lacks {text}" for text in wanted if not self.agent.believes(text)]
        return found + [f"believes {t}" for t in void if t not in wanted and self.agent.believes(t)]


BRACKETS = (("FRESH", 60), ("MODERATE", 40), ("DEPLETED", 25), ("CRITICAL", 0))


class ChatiDay(Day):
    """Chati.dev: what stands by element, as its documents say it."""

    def __init__(self, root: Path, *, tools: bool) -> None:
        self.held: dict[str, list[str]] = {}
        self.agent = "dev"
        self.told_twice: list[str] = []
        super().__init__(root, tools=tools)

    def read(self, text: str) -> None:
        if not text:
            return
        for element in ElementTree.fromstring(text):
            name = f"{element.tag} {element.get('name', '')}".strip()
            lines = [line.strip() for line in "\n".join(element.itertext()).split("\n")]
            lines = list(filter(None, lines))
            if element.tag == "withdrawn":
                for line in lines:
                    self._take_back(line)
            elif element.tag == "memory":
                known = self.held.setdefault(name, [])
                self.told_twice += [line for line in set(lines) if lines.count(line) > 1]
                known += lines
            else:
                self.held[name] = lines

    def _take_back(self, line: str) -> None:
        name = line.partition(": ")[0]
        excerpts = _EXCERPT.findall(line)
        kept = [t for t in self.held.get(name, ()) if not t.startswith(tuple(excerpts))]
        self.held[name] = [] if "what was given before" in line else kept

    def forget(self) -> None:
        self.held.clear()

    def switch(self) -> None:
        path = self.root / ".chati/session.yaml"
        path.write_text(
            path.read_text("utf-8").replace("current_agent: dev", "current_agent: brief")
        )
        self.agent = "brief"

    def judge(self, turn: Turn) -> list[str]:
        stands = [text for texts in self.held.values() for text in texts]
        wanted = ["All code & comments are in English.", "Follow the conventions that are there."]
        if self.agent == "dev":
            wanted += ["Implement exactly what the task says.", "Leave no warnings."]
        wanted += [f"Lesson {n}: Never store picture {n} twice." for n in (1, 2, 3)]
        if turn.used < WINDOW * 0.4:
            wanted.append("The gate must pass before code is written.")
        void = [] if self.agent == "dev" else ["Implement exactly what the task says."]
        found = [f"lacks {text}" for text in wanted if not any(text in one for one in stands)]
        found += [f"believes {text}" for text in void if any(text in one for one in stands)]
        found += [f"is told twice {text}" for text in self.told_twice]
        self.told_twice.clear()
        return found


class BrainiacDay(Day):
    """Brainiac: identity and short-term memory stand as they are, and nothing is ever taken back."""

    def __init__(self, root: Path, *, tools: bool) -> None:
        self.held = ""
        self.withdrawn = False
        super().__init__(root, tools=tools)

    def read(self, text: str) -> None:
        self.withdrawn |= "no longer" in text.lower() and "applies" in text.lower()
        self.held += text

    def forget(self) -> None:
        self.held = ""

    def judge(self, turn: Turn) -> list[str]:
        paths = sorted(self.root.glob("**/*core*identity*.md"))
        lines = [line for path in paths for line in path.read_text("utf-8").splitlines()]
        wanted = [line.strip() for line in lines if len(line.strip()) > 20 and line[0] not in "#<"]
        found = [f"lacks {text}" for text in wanted if text not in self.held]
        return found + (["takes something back"] if self.withdrawn else [])


MEMORY = """\
---
id: lesson-{n}
type: heuristic
agent: shared
tags: [storage]
confidence: 0.9
attention_score: 0.9
tier: hot
created_at: 2026-01-0{n}T10:00:00Z
last_accessed: 2026-11-2{n}T10:00:00Z
access_count: 9
---
# Lesson {n}

Never store picture {n} twice.
"""


def carl_tree(folder: Path) -> Path:
    root = folder / "tree"
    shutil.copytree(corpus() / "carl", root)
    with (root / ".carl/manifest").open("a", encoding="utf-8") as manifest:
        manifest.write("\nBILLING_STATE=active\nBILLING_RECALL=invoice\n")
    (root / ".carl/billing").write_text("BILLING_RULE_0=An invoice is never changed\n", "utf-8")
    return root


def chati_tree(folder: Path) -> Path:
    memories = {
        f".chati/memories/shared/durable/lesson-{n}.md": MEMORY.format(n=n) for n in (1, 2, 3)
    }
    return write_tree(folder / "tree", {**BOARD, **memories})


def brainiac_tree(folder: Path) -> Path:
    root = folder / "tree"
    shutil.copytree(Path(__file__).parents[1] / "workspaces/brainiac", root)
    return root


@pytest.mark.parametrize("tools", [True, False], ids=["context with tools", "with prompts alone"])
@pytest.mark.parametrize(
    ("day", "tree", "first", "second"),
    [
        (CarlDay, carl_tree, "write the invoice", "*dev go on"),
        (ChatiDay, chati_tree, "upload a picture", "go on with it"),
        (BrainiacDay, brainiac_tree, "why did the replica lag?", "what about the schema?"),
    ],
    ids=["carl", "chati", "brainiac"],
)
def test_at_the_end_of_each_turn_the_agent_has_what_applies(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    day: type[CarlDay] | type[ChatiDay] | type[BrainiacDay],
    tree: Callable[[Path], Path],
    first: str,
    second: str,
    tools: bool,
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    played = day(tree(tmp_path), tools=tools)
    script = turns(first, second)
    assert len(script) >= 20
    assert "\n".join(played.play(script, played.judge)) == ""
