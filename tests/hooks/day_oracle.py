"""An agent and its reader for whole days: what a model believes that reads what hooks tell it, and what
it should believe, found from the files of the tree and the script of the day, not from the engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

_MARKER = re.compile(r"^(?:\d+\.|-|\[[a-z, ]+\d+%\])\s+")
_RULE = re.compile(r"^\s*([A-Z0-9_]+_(?:RULE|AUTH)_\S+?)=(.+?)\s*$")
_EXCERPT = re.compile("“(.+?)”")
_WHOLE = re.compile(
    r"what was given before (?:(?:of \S+ )?no longer applies|is replaced by what follows"
    r"|is the task of @\S+ and waits for @\S+)$"
)
_PHASE_OVER = re.compile(r": phase (\S+) is over(?:; no longer applies: )?")
_LISTS = {
    "the acceptance criteria": "Acceptance Criteria:",
    "the file list": "File List:",
    "the conditions": "Pre-conditions:",
    "conditions": "Post-conditions:",
}
_BARE = ("CONTEXT BRACKET:", "⚠️", "Recommend:")  # lines of CARL's that stand below no heading

Line = tuple[str, str, str]  # heading, group, text
WITHDRAWN = "WITHDRAWN"


def rules_of(path: Path) -> dict[str, str]:
    """The rules of a file: key -> text."""
    found = (_RULE.match(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {match[1]: match[2] for match in found if match}


def lines_in_brackets(text: str) -> Iterator[Line]:
    """The lines of a block of SYNAPSE or CARL: what is not indented is a heading, perhaps of two
    lines.
    """
    heading = group = before = ""
    for line in text.splitlines():
        above, before = before, line
        if not line.strip() or line.startswith("<"):
            continue
        if line.startswith(_BARE):
            yield "", "", line
        elif not line.startswith(" "):
            if not above or above.startswith((" ", "<")):
                heading, group = line.partition("]")[0].lstrip("["), ""
        elif line.endswith(":") and _is_group(line):
            group = line.strip()
        else:
            yield heading, group, line.strip()


def _is_group(line: str) -> bool:
    return line[2:3] not in "-[ " and not line[2:3].isdecimal()


def lines_in_xml(text: str) -> Iterator[Line]:
    """The lines of a block of Chati: elements, and the lines in them."""
    for element in ElementTree.fromstring(text) if text else ():
        name = " ".join(filter(None, (element.tag, element.get("name"))))
        if element.get("mission"):
            yield name, "mission", element.get("mission", "")
        heading = WITHDRAWN if element.tag == "revoked" else name
        if heading in ("mode", "task"):
            heading = ""
        for child in element:
            yield heading, child.tag, child.text or ""
        yield from ((heading, name, one.strip()) for one in (element.text or "").split("\n"))


SECTIONS = ("Core Identity", "Short-Term Memory", "Relevant Long-Term Memory", "Revoked")


def lines_in_markdown(text: str) -> Iterator[Line]:
    """The statements of a text of Brainiac: paragraphs and items of lists; an event of the log and a
    memory are one each.
    """
    heading = group = statement = ""
    for line in (*text.splitlines(), "## Revoked"):
        is_section = line.startswith("## ") and line[3:] in SECTIONS
        is_apart = line.startswith(("### Memory ", "#### 2"))
        is_whole = group.startswith(("### Memory ", "#### 2"))
        begins = not line.strip() or line.startswith(("- ", "#"))
        if is_section or is_apart or (begins and not is_whole) or line.startswith("### "):
            if statement:
                yield heading, group, statement.strip()
            statement = ""
        if is_section:
            heading, group = line[3:], ""
            heading = WITHDRAWN if heading == "Revoked" else heading
        elif line.startswith("###"):
            group = line
            statement = line if line.startswith("#### 2") else ""
        else:
            marked = line.removeprefix("- ") if heading == WITHDRAWN else line
            statement += f" {' '.join(marked.split())}" if marked.strip() else ""


class Believer:
    """``told``: heading -> (group, text) of what stands, as a model would take it from what it is
    told. ``news``: what was told since somebody looked. grammar: how a block is read.
    """

    def __init__(self, grammar: Callable[[str], Iterable[Line]] = lines_in_brackets) -> None:
        self.grammar = grammar
        self.told: dict[str, list[tuple[str, str]]] = {}
        self.news: list[str] = []
        self.tokens = 0

    def read(self, text: str) -> None:
        """Take in what a hook tells, line by line."""
        self.tokens += len(text) // 4
        for heading, group, line in self.grammar(text):
            if heading == WITHDRAWN:
                self._take_back(line)
            elif line:
                said = _MARKER.sub("", line)
                self.told.setdefault(heading, []).append((group, said))
                self.news.append(said)

    def _take_back(self, line: str) -> None:
        if agent := re.fullmatch(r"(@\S+)'s rules no longer apply", line):
            self.told.pop(f"ACTIVE AGENT: {agent[1]}", None)
        elif whole := _WHOLE.search(line):
            self.told.pop(line[: whole.start()].removesuffix(": "), None)
        else:
            line = _PHASE_OVER.sub(r": no longer applies: “PHASE: \1”; ", line)
            heading, _, gone = line.partition("no longer applies: ")
            heading = heading.removesuffix(": ")
            lists = {group for said, group in _LISTS.items() if said in _EXCERPT.sub("", gone)}
            starts = tuple(
                _MARKER.sub("", one.removesuffix("…").rstrip()) for one in _EXCERPT.findall(gone)
            )
            self.told[heading] = [
                (group, text)
                for group, text in self.told.get(heading, ())
                if group not in lists and not text.startswith(starts)
            ]

    def believes(self, text: str) -> bool:
        """Whether a rule stands, under whatever heading."""
        return any(text in one for said in self.told.values() for _, one in said)

    def lines_with(self, start: str) -> set[str]:
        """What stands that begins so."""
        return {t for said in self.told.values() for _, t in said if t.startswith(start)}


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
