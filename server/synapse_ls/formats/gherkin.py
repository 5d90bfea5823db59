"""Scenarios in Given/When/Then form, as stories hold them (Gherkin, in English and Portuguese)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from synapse_ls.formats.lists import item_of
from synapse_ls.formats.markdown import Line
from synapse_ls.text.span import Span

_HEADER = re.compile(
    r"(Scenario(?: Outline)?|Cen[aá]rio|Esquema do Cen[aá]rio|Background|Contexto)"
    r"(?: [0-9]+)?[ \t]*(?::|[-–—][ \t])[ \t]*",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"(?:(?P<given>Given|Dad[oa]s?)|(?P<when>When|Quando)|(?P<then>Then|Ent[aã]o)"
    r"|(?P<more>And|But|E|Mas))(?=\s)",
    re.IGNORECASE,
)
_FENCES = (None, "", "gherkin", "feature", "cucumber", "text")
_NO_CONTINUATION = ("|", '"""', "#", "@", "Examples:", "Exemplos:", "Feature:")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario as one sentence, ``title: Given …, When …, Then …``."""

    text: str
    span: Span


@dataclass(slots=True)
class _Draft:
    title: str = ""
    counts: bool = True  # a background belongs to every scenario and is none itself
    start: int = -1
    end: int = -1
    steps: list[list[str]] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)

    def cover(self, span: Span) -> None:
        self.start = span.start if self.start < 0 else self.start
        self.end = span.end

    def finished(self) -> Iterator[Scenario]:
        if self.counts and self.steps:
            text = ", ".join(" ".join(step).rstrip(",;.") for step in self.steps)
            text = f"{self.title}: {text}" if self.title else text
            yield Scenario(text, Span(self.start, self.end))


def scenario_title(heading: str) -> str:
    """``"Scenario 1: Login"`` -> ``"Login"``; "" if the heading names no scenario."""
    found = _HEADER.match(heading)
    return heading[found.end() :].strip() if found else ""


def scenarios(lines: Iterable[Line], title: str = "") -> Iterator[Scenario]:
    """The scenarios in the lines; the first takes ``title`` unless it has one of its own.

    Without headers a new scenario begins at each "Given" after a "Then".
    """
    draft = _Draft(title)
    wrapped = False
    for line in lines:
        if line.fence not in _FENCES:
            continue
        item = item_of(line)
        text = (item.text if item else line.text.strip()).replace("**", "")
        header, step = _HEADER.match(text), _STEP.match(text)
        kind = step.lastgroup or "" if step else ""
        if header or (kind == "given" and "then" in draft.kinds):
            yield from draft.finished()
            draft = _Draft()
        if header:
            name = header.group(1).lower()
            draft.title = text[header.end() :].strip()
            draft.counts = name not in ("background", "contexto")
            draft.cover(line.span)
        elif kind and (kind != "more" or draft.steps):
            draft.steps.append([text])
            draft.kinds.add(kind)
            draft.cover(line.span)
        elif text and wrapped and not item and not text.startswith(_NO_CONTINUATION):
            draft.steps[-1].append(text)
            draft.cover(line.span)
            continue
        wrapped = bool(kind) and bool(draft.steps)
    yield from draft.finished()
