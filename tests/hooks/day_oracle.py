"""An agent and its reader for whole days: what a model believes that reads what hooks tell it, and what
it should believe, found from the files of the tree and the script of the day, not from the engine."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

_HEADING = re.compile(r"\[[A-Z][^]]*\]")
_MARKER = re.compile(r"^(?:\d+\.|-|\[[a-z, ]+\d+%\])\s+")
_RULE = re.compile(r"^\s*([A-Z0-9_]+_(?:RULE|AUTH)_\S+?)=(.+?)\s*$")
_EXCERPT = re.compile("“(.+?)”")


def rules_of(path: Path) -> dict[str, str]:
    """The rules of a file: key -> text."""
    found = (_RULE.match(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {match[1]: match[2] for match in found if match}


class Believer:
    """``told``: heading -> texts that stand, as a model would take them from what it is told."""

    def __init__(self) -> None:
        self.told: dict[str, list[str]] = {}
        self.tokens = 0

    def read(self, text: str) -> None:
        """Take in what a hook tells, line by line."""
        self.tokens += len(text) // 4
        heading = ""
        for line in text.splitlines():
            if not line.strip() or line.startswith("<"):
                continue
            if not line.startswith(" ") and _HEADING.match(line):
                heading = line
            elif heading == "[WITHDRAWN]":
                self._take_back(line.strip())
            elif line.startswith(" "):
                self.told.setdefault(heading, []).append(_MARKER.sub("", line.strip()))

    def _take_back(self, line: str) -> None:
        agent = re.fullmatch(r"(@\S+)'s rules no longer apply", line)
        what = f"ACTIVE AGENT: {agent[1]}" if agent else line.partition(": ")[0]
        whole = agent or line.endswith("what was given before no longer applies")
        if line.startswith("ACTIVE") and not agent:
            what = ": ".join(line.split(": ")[:2])
        excerpts = [one.removesuffix("…") for one in _EXCERPT.findall(line)]
        for heading, texts in self.told.items():
            if heading[1:].startswith(what):
                self.told[heading] = (
                    []
                    if whole
                    else [t for t in texts if not any(t.startswith(one) for one in excerpts)]
                )

    def believes(self, text: str) -> bool:
        """Whether a rule stands, under whatever heading."""
        return any(text in one for texts in self.told.values() for one in texts)

    def lines_with(self, start: str) -> set[str]:
        """What stands that begins so."""
        return {t for texts in self.told.values() for t in texts if t.startswith(start)}


@dataclass
class Tree:
    """A tree as a person reads it: the files of its rules."""

    root: Path
    keywords: dict[str, tuple[str, ...]] = field(default_factory=dict)
    squads: dict[str, Path] = field(default_factory=dict)

    def rules(self, name: str) -> list[str]:
        """The texts of a rule file of ``.synapse``."""
        return list(rules_of(self.root / ".synapse" / name).values())

    def always(self) -> list[str]:
        """What applies to any prompt."""
        return [*self.rules("constitution"), *self.rules("global")]

    def bracket(self, name: str) -> list[str]:
        """The rules of a range of remaining context."""
        found = rules_of(self.root / ".synapse/context")
        return [text for key, text in found.items() if f"_{name}_" in key]

    def agent(self, name: str) -> list[str]:
        """The rules of an agent."""
        return self.rules(f"agent-{name}") if name else []

    def phase(self, name: str) -> list[str]:
        """The rules of a phase of the story cycle."""
        return [t for t in self.rules("workflow-story-dev") if t.startswith(f"Phase {name}:")]

    def matched(self, prompt: str) -> list[str]:
        """The rules of domains and squads whose keyword the prompt has."""
        words = prompt.lower()
        found = [
            text
            for name, keys in self.keywords.items()
            if any(re.search(rf"\b{re.escape(key)}\b", words) for key in keys)
            for text in self.rules(name)
        ]
        return found + [
            text
            for key, path in self.squads.items()
            if re.search(rf"\b{key}\b", words)
            for text in rules_of(path).values()
        ]
