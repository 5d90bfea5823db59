"""Parse agent definitions of Chati.dev, ``chati.dev/agents/**.md``: Markdown with named sections.

Mission, inputs, outputs and criteria are injected (Chati Context Engine, layer L2). Files name
these sections differently; the first that has content counts. Without one, inputs are what the
agent reads on activation, and criteria those of its steps.
"""

from collections.abc import Callable
from itertools import takewhile
from typing import NamedTuple, TypeAlias

from synapse_ls.formats import markdown_outline
from synapse_ls.formats.markdown_outline import Line, Outline, Section
from synapse_ls.text.finding import Finding, ParseResult, Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span

MISSION = ("mission",)
INPUTS = ("inputs", "input", "receives", "receiving")
OUTPUTS = ("outputs", "output")
# Titles of sections, as slugs, from the first to the last that is looked at.
CRITERIA = ("criteria", "success criteria", "quality criteria", "self validation")
ACTIVATION = ("on activation", "activation")
# Lines over the criteria of one step, the first that any step has; a gate has its results alone.
CRITERIA_LABELS = ("criteria:", "result:")

_ITEM = lazy_pattern(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)")
_TITLE = lazy_pattern(r"(.+?)\s+Agent\b")
_SAVED = lazy_pattern(r"Save to:\s*`([^`\n]+)`")
_STOP = lazy_pattern(r"(?:Score|Threshold|If below)\b")
_CATEGORY = lazy_pattern(r"[-*]\s+\*\*Category\*\*:\s*(\S+)")
_PLACEHOLDER = "$ARGUMENTS"

_Reader: TypeAlias = Callable[[Outline, Section], str]


class AgentDocument(NamedTuple):
    """What the file of a Chati.dev agent says. ``name`` is what its title calls it ("Brief"), ""
    where the title does not say.

    The other texts are on one line, with the place of the section that they come from; None where
    the file does not say. ``category`` is lower case, as in ``planning``.
    """

    name: str
    mission: Text | None
    inputs: Text | None
    outputs: Text | None
    criteria: Text | None
    category: str


def parse(text: str) -> ParseResult[AgentDocument]:
    """Parse the file of a Chati.dev agent. Problem kind: ``chati-agent-without-mission``."""
    outline = markdown_outline.parse_clean_outline(text)
    title = outline.title
    name = _TITLE.match(title.value) if title else None
    categories = (
        _CATEGORY.match(line.text.strip())
        for section in outline.sections
        if section.slug == "identity"
        for line in section.lines
    )
    category = next(filter(None, categories), None)
    agent = AgentDocument(
        name=name.group(1) if name else "",
        mission=_first_section_text(outline, MISSION, _first_paragraph),
        inputs=_first_section_text(outline, INPUTS, _read_inputs)
        or _first_section_text(outline, ACTIVATION, _read_on_activation),
        outputs=_first_section_text(outline, OUTPUTS, _read_outputs),
        criteria=_first_section_text(outline, CRITERIA, _list_or_paragraph)
        or _labelled_items(outline),
        category=category.group(1).lower() if category else "",
    )
    if agent.mission:
        return ParseResult(agent, ())
    problem = Finding(
        title.span if title else Span(*next(iter_lines(outline.text))),
        "The file has no section `Mission` with text, so the block does not say what this agent is "
        "for.",
        "Add a section `## Mission`.",
        kind="chati-agent-without-mission",
    )
    return ParseResult(agent, (problem,))


def _first_section_text(outline: Outline, titles: tuple[str, ...], read: _Reader) -> Text | None:
    """Return the text of the first section, in the order of ``titles``, that ``read`` finds
    something in.
    """
    for title in titles:
        for section in outline.sections:
            if section.slug == title and section.level > 1 and (text := read(outline, section)):
                filled = (line.span for line in section.lines if line.text.strip())
                return Text(text, next(filled, section.title.span))
    return None


def _first_paragraph(outline: Outline, section: Section) -> str:  # noqa: ARG001
    """Return the first paragraph of a section; a list as its items."""
    lines: list[str] = []
    for line in section.lines:
        bare = line.text.strip()
        if not bare and lines:
            break
        if line.fence is None and not _is_rule(bare):
            lines.append(bare)
    if lines and all(_ITEM.match(line) for line in lines):
        return _join_items(lines)
    return _strip_emphasis(" ".join(lines))


def _read_inputs(outline: Outline, section: Section) -> str:
    """Return the prose or list of a section; of a fenced hand-off what stands below ``Input
    data:``.
    """
    fenced = [line.text for line in section.lines if line.fence is not None and line.text.strip()]
    if fenced:
        bare = [line.strip().lower() for line in fenced]
        start = bare.index("input data:") + 1 if "input data:" in bare else 0
        return _join_items([line for line in fenced[start:] if _ITEM.match(line)])
    paragraph = _list_or_paragraph(outline, section)
    return "" if paragraph == _PLACEHOLDER else paragraph


def _read_outputs(outline: Outline, section: Section) -> str:
    """Return the section's own words, else the files that it and the sections below say
    are saved.
    """
    if any(line.fence is None and not _is_rule(line.text.strip()) for line in section.lines):
        return _list_or_paragraph(outline, section)
    paths = [
        path
        for below in outline.with_subsections(section)
        for line in below.lines
        if line.fence is None
        for path in _SAVED.findall(line.text)
    ]
    return ", ".join(dict.fromkeys(paths))


def _read_on_activation(outline: Outline, section: Section) -> str:  # noqa: ARG001
    """Return what the steps of a section say is read, each with what is listed below it."""
    found: list[str] = []
    is_reading = False
    for line in section.lines:
        item = _ITEM.match(line.text) if line.fence is None else None
        if item is None:
            continue
        emphasis = _strip_emphasis(item.group(1)).rstrip(".;,")
        if line.text[:1] not in (" ", "\t"):
            is_reading = emphasis.lower().startswith("read ")
            if is_reading:
                found.append(emphasis[len("read ") :])
        elif is_reading:
            found[-1] += f" {emphasis}" if found[-1].endswith(":") else f", {emphasis}"
    return "; ".join(found)


def _labelled_items(outline: Outline) -> Text | None:
    """Return the items below the first of `CRITERIA_LABELS` that has any, of all steps together."""
    for label in CRITERIA_LABELS:
        items: list[Line] = []
        for section in outline.sections:
            is_below = False  # a line which is the label alone
            for line in section.lines:
                bare = line.text.replace("**", "").strip().lower()
                if is_below and _ITEM.match(line.text):
                    items.append(line)
                elif bare:
                    is_below = bare == label
        if items:
            return Text(_join_items([line.text for line in items]), items[0].span)
    return None


def _list_or_paragraph(outline: Outline, section: Section) -> str:
    """Return the items of a section's list, or of the one in its fence; else its
    first paragraph.
    """
    lines = takewhile(lambda line: not _STOP.match(line.text.strip()), section.lines)
    items = [line.text for line in lines if _ITEM.match(line.text)]
    return _join_items(items) if items else _first_paragraph(outline, section)


def _join_items(lines: list[str]) -> str:
    matches = (_ITEM.match(line) for line in lines)
    return "; ".join(_strip_emphasis(item.group(1)).rstrip(".;,") for item in matches if item)


def _strip_emphasis(text: str) -> str:
    return " ".join(text.replace("**", "").split())


def _is_rule(line: str) -> bool:
    """Return whether a line says nothing: blank, or a line across the page."""
    return len(line) != 1 and not line.strip("-*_ ")
