"""Parse a story's acceptance criteria, in the shapes that people give them, Gherkin scenarios
(Given/When/Then) included.

Check boxes, numbered or plain lists, ``### AC1:`` headings with or without check boxes, Gherkin
scenarios, tables; below a heading that may carry an emoji, in English or Portuguese.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from synapse_ls.formats.markdown_outline import (
    CheckItem,
    Line,
    ListItem,
    Outline,
    Section,
    is_placeholder,
    parse_blocks,
    parse_list_item,
    table_cells,
)
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
    """An acceptance criterion that is a Gherkin scenario, as one sentence, ``title: Given …, When
    …, Then …``.
    """

    text: str
    span: Span


@dataclass(slots=True)
class _ScenarioDraft:
    title: str = ""
    is_counted: bool = True  # a background belongs to every scenario and is none itself
    start: int = -1
    end: int = -1
    steps: list[list[str]] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)

    def extend_span(self, span: Span) -> None:
        self.start = span.start if self.start < 0 else self.start
        self.end = span.end

    def finish(self) -> Iterator[Scenario]:
        if self.is_counted and self.steps:
            text = ", ".join(" ".join(step).rstrip(",;.") for step in self.steps)
            text = f"{self.title}: {text}" if self.title else text
            yield Scenario(text, Span(self.start, self.end))


def scenario_title(heading: str) -> str:
    """Return the title of a scenario among acceptance criteria: ``"Scenario 1: Login"`` ->
    ``"Login"``; "" if the heading names no scenario.
    """
    match = _HEADER.match(heading)
    return heading[match.end() :].strip() if match else ""


def find_scenarios(lines: Iterable[Line], title: str = "") -> Iterator[Scenario]:
    """Yield the scenarios among the lines of acceptance criteria; the first takes ``title`` unless
    it has one of its own.

    Without headers a new scenario begins at each "Given" after a "Then".
    """
    draft = _ScenarioDraft(title)
    wrapped = False
    for line in lines:
        if line.fence not in _FENCES:
            continue
        item = parse_list_item(line)
        text = (item.text if item else line.text.strip()).replace("**", "")
        header, step = _HEADER.match(text), _STEP.match(text)
        kind = step.lastgroup or "" if step else ""
        if header or (kind == "given" and "then" in draft.kinds):
            yield from draft.finish()
            draft = _ScenarioDraft()
        if header:
            name = header.group(1).lower()
            draft.title = text[header.end() :].strip()
            draft.is_counted = name not in ("background", "contexto")
            draft.extend_span(line.span)
        elif kind and (kind != "more" or draft.steps):
            draft.steps.append([text])
            draft.kinds.add(kind)
            draft.extend_span(line.span)
        elif text and wrapped and not item and not text.startswith(_NO_CONTINUATION):
            draft.steps[-1].append(text)
            draft.extend_span(line.span)
            continue
        wrapped = bool(kind) and bool(draft.steps)
    yield from draft.finish()


CRITERIA_HEADINGS = frozenset(
    {
        "acceptance criteria",
        "acceptance criterion",
        "acceptance tests",
        "criterios de aceitacao",
        "criterios de aceite",
        "criterio de aceitacao",
        "ac",
        "acs",
    }
)
_ASIDES = frozenset({"notes", "note", "notas", "nota", "out of scope", "fora de escopo"})
_CRITERION_LABEL = re.compile(
    r"\W*((?:AC|CA)[ -]?[0-9]+(?:\.[0-9]+)*|Crit[eé]ri(?:on|o) [0-9]+)\b", re.IGNORECASE
)
_TICK = re.compile("[✅☑✔✓]|\\[[xX]\\]")


def parse_criteria(outline: Outline) -> tuple[CheckItem, ...]:
    """Return a story's acceptance criteria: those of the first section with such a heading that has
    any.
    """
    for section in outline.sections:
        if section.slug in CRITERIA_HEADINGS:
            items = tuple(_section_criteria(outline.with_subsections(section)))
            if items:
                return items
    return ()


def _section_criteria(parts: Sequence[Section]) -> Iterator[CheckItem]:
    read = [_CriteriaPart.from_section(part) for part in parts if part.slug not in _ASIDES]
    any_boxes = any(part.boxes for part in read)
    for part in read:
        for item in part.items(any_boxes):
            if not is_placeholder(item.text):
                yield item


@dataclass(frozen=True, slots=True)
class _CriteriaPart:
    """One heading's worth of criteria."""

    section: Section
    label: str
    boxes: tuple[ListItem, ...]
    list_items: tuple[ListItem, ...]
    lines: tuple[ListItem | Line, ...]

    @classmethod
    def from_section(cls, section: Section) -> _CriteriaPart:
        label = _CRITERION_LABEL.match(section.title.value)
        blocks = tuple(parse_blocks(line for line in section.lines if line.fence is None))
        items = [block for block in blocks if isinstance(block, ListItem) and block.text]
        return cls(
            section,
            label.group(1) if label else "",
            tuple(item for item in items if item.checked is not None),
            tuple(item for item in items if item.indent == items[0].indent),
            blocks,
        )

    def items(self, any_boxes: bool) -> Iterable[CheckItem]:
        if self.boxes:
            return (
                self._to_criterion(item.text, bool(item.checked), item.span) for item in self.boxes
            )
        scenarios = tuple(
            find_scenarios(self.section.lines, scenario_title(self.section.title.value))
        )
        if scenarios:
            return (
                self._to_criterion(scenario.text, False, scenario.span) for scenario in scenarios
            )
        if self.label:
            title = self.section.title
            return [CheckItem(title.value, bool(_TICK.search(title.value)), None, title.span)]
        if any_boxes:
            return ()
        if self.list_items:
            return (self._to_criterion(item.text, False, item.span) for item in self.list_items)
        return (
            *self._table_criteria(),
            *(
                self._to_criterion(line.text.strip(), bool(_TICK.search(line.text)), line.span)
                for line in self.lines
                if (
                    isinstance(line, Line)
                    and not table_cells(line)
                    and _CRITERION_LABEL.match(line.text)
                )
            ),
        )

    def _to_criterion(self, text: str, checked: bool, span: Span) -> CheckItem:
        text = text.replace("**", "")
        labelled = not self.label or _CRITERION_LABEL.match(text)
        return CheckItem(text if labelled else f"{self.label}: {text}", checked, None, span)

    def _table_criteria(self) -> Iterator[CheckItem]:
        """Yield the criteria of table rows, ``| AC1 | text | ✅ |``; the first row names the
        columns.
        """
        rows = [(line, table_cells(line)) for line in self.lines if isinstance(line, Line)]
        for line, row in [pair for pair in rows if pair[1]][1:]:
            texts = [cell.value for cell in row]
            numbered = len(texts) > 1 and len(texts[0]) <= 8
            text = f"{texts[0]}: {texts[1]}" if numbered else texts[0]
            yield self._to_criterion(text, any(_TICK.search(cell) for cell in texts), line.span)
