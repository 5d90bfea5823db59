"""Agent definitions of Chati.dev, ``chati.dev/agents/**.md``: Markdown with named sections.

Its context engine tells an agent's mission, inputs, outputs and criteria (Chati Context Engine,
layer L2). Published files call these sections by several names, and keep their inputs below the
hand-off that an agent receives; what is told is the first of them that says anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from synapse_ls.formats import markdown
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.markdown import Line, Outline, Section
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.span import Span

MISSION = ("mission",)
INPUTS = ("inputs", "input", "receives", "receiving")
OUTPUTS = ("outputs", "output")
CRITERIA = ("criteria", "success criteria", "quality criteria", "self validation")
"""Titles of sections, as slugs, from the first to the last that is looked at."""

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)")
_TITLE = re.compile(r"(.+?)\s+Agent\b")
_SAVED = re.compile(r"Save to:\s*`([^`\n]+)`")
_STOP = re.compile(r"(?:Score|Threshold|If below)\b")
_CATEGORY = re.compile(r"[-*]\s+\*\*Category\*\*:\s*(\S+)")
_PLACEHOLDER = "$ARGUMENTS"

_Reader: TypeAlias = Callable[[Outline, Section], str]


@dataclass(frozen=True, slots=True)
class AgentFile:
    """An agent. ``name`` is what its title calls it ("Brief"), "" where the title does not say.

    The other texts are on one line, with the place of the section that they come from; None where
    the file does not say. ``category`` is lower case, as in ``planning``.
    """

    name: str
    mission: Text | None
    inputs: Text | None
    outputs: Text | None
    criteria: Text | None
    category: str


def parse(text: str) -> Parsed[AgentFile]:
    """Read an agent's file. Problem kind: ``chati-agent-without-mission``."""
    text = without(text, Comments.MARKUP)
    outline = markdown.outline(text)
    agent = AgentFile(
        name=_name(outline),
        mission=_first(outline, MISSION, _prose),
        inputs=_first(outline, INPUTS, _inputs),
        outputs=_first(outline, OUTPUTS, _outputs),
        criteria=_first(outline, CRITERIA, _listed),
        category=_category(outline),
    )
    problems = () if agent.mission else (_without_mission(text, outline),)
    return Parsed(agent, problems)


def _without_mission(text: str, outline: Outline) -> Problem:
    place = outline.title.span if outline.title else Span(*next(iter_lines(text)))
    return Problem(
        "chati-agent-without-mission",
        place,
        "The file has no section `Mission` that says anything, so while this agent is active its "
        "part of the block does not say what it is for.",
        "Add a section `## Mission`.",
    )


def _name(outline: Outline) -> str:
    if outline.title is None:
        return ""
    found = _TITLE.match(outline.title.value)
    return found.group(1) if found else ""


def _category(outline: Outline) -> str:
    for section in outline.sections:
        if section.slug == "identity":
            for line in section.lines:
                found = _CATEGORY.match(line.text.strip())
                if found:
                    return found.group(1).lower()
    return ""


def _first(outline: Outline, titles: tuple[str, ...], read: _Reader) -> Text | None:
    """The first section, in the order of ``titles``, that ``read`` finds something in."""
    for title in titles:
        for section in outline.sections:
            if section.slug == title and section.level > 1:
                said = read(outline, section)
                if said:
                    return Text(said, _place(section))
    return None


def _place(section: Section) -> Span:
    """The first line of a section that says something, else its title."""
    return next((line.span for line in section.lines if line.text.strip()), section.title.span)


def _prose(outline: Outline, section: Section) -> str:  # noqa: ARG001
    """The first paragraph; a list as its items."""
    lines: list[str] = []
    for line in section.lines:
        bare = line.text.strip()
        if not bare and lines:
            break
        if line.fence is None and not _is_rule(bare):
            lines.append(bare)
    if lines and all(_ITEM.match(line) for line in lines):
        return _joined(lines)
    return _inline(" ".join(lines))


def _inputs(outline: Outline, section: Section) -> str:
    """Prose or a list; of a fenced hand-off what stands below ``Input data:``."""
    fenced = [line.text for line in section.lines if line.fence is not None and line.text.strip()]
    if fenced:
        start = next((i for i, line in enumerate(fenced) if _is_input(line)), -1)
        return _joined([line for line in fenced[start + 1 :] if _ITEM.match(line)])
    said = _listed(outline, section)
    return "" if said == _PLACEHOLDER else said


def _outputs(outline: Outline, section: Section) -> str:
    """The section's own words, else the files that it and the sections below say are saved."""
    if any(line.fence is None and not _is_rule(line.text.strip()) for line in section.lines):
        return _listed(outline, section)
    paths = [
        path
        for below in outline.under(section)
        for line in below.lines
        if line.fence is None
        for path in _SAVED.findall(line.text)
    ]
    return ", ".join(dict.fromkeys(paths))


def _listed(outline: Outline, section: Section) -> str:
    """The items of a section's list, or of the one in its fence; else its first paragraph."""
    items = list(_items(section.lines))
    return _joined(items) if items else _prose(outline, section)


def _items(lines: tuple[Line, ...]) -> Iterator[str]:
    for line in lines:
        if _STOP.match(line.text.strip()):
            return
        if _ITEM.match(line.text):
            yield line.text


def _joined(lines: list[str]) -> str:
    found = (_ITEM.match(line) for line in lines)
    return "; ".join(_inline(item.group(1)).rstrip(".;,") for item in found if item)


def _inline(text: str) -> str:
    """Markdown on one line without its emphasis."""
    return " ".join(text.replace("**", "").split())


def _is_input(line: str) -> bool:
    return line.strip().lower() == "input data:"


def _is_rule(line: str) -> bool:
    """Whether a line says nothing: blank, or a line across the page."""
    return len(line) != 1 and not line.strip("-*_ ")
