"""A story's acceptance criteria, in the shapes that people give them.

Check boxes, numbered or plain lists, ``### AC1:`` headings with or without check boxes, Gherkin
scenarios, tables; below a heading that may carry an emoji, in English or Portuguese.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from synapse_ls.formats.gherkin import scenario_title, scenarios
from synapse_ls.formats.lists import CheckItem, Item, blocks, cells, is_placeholder
from synapse_ls.formats.markdown import Line, Outline, Section
from synapse_ls.text.span import Span

HEADINGS = frozenset(
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
_LABEL = re.compile(
    r"\W*((?:AC|CA)[ -]?[0-9]+(?:\.[0-9]+)*|Crit[eé]ri(?:on|o) [0-9]+)\b", re.IGNORECASE
)
_TICK = re.compile("[✅☑✔✓]|\\[[xX]\\]")


def criteria(outline: Outline) -> tuple[CheckItem, ...]:
    """The criteria of the first section of that name that has any."""
    for section in outline.sections:
        if section.slug in HEADINGS:
            found = tuple(_section(outline.under(section)))
            if found:
                return found
    return ()


def _section(parts: Sequence[Section]) -> Iterator[CheckItem]:
    read = [_Part.of(part) for part in parts if part.slug not in _ASIDES]
    any_boxes = any(part.boxes for part in read)
    for part in read:
        for item in part.items(any_boxes):
            if not is_placeholder(item.text):
                yield item


@dataclass(frozen=True, slots=True)
class _Part:
    """One heading's worth of criteria."""

    section: Section
    label: str
    boxes: tuple[Item, ...]
    listed: tuple[Item, ...]
    lines: tuple[Item | Line, ...]

    @classmethod
    def of(cls, section: Section) -> _Part:
        label = _LABEL.match(section.title.value)
        found = tuple(blocks(line for line in section.lines if line.fence is None))
        items = [block for block in found if isinstance(block, Item) and block.text]
        return cls(
            section,
            label.group(1) if label else "",
            tuple(item for item in items if item.checked is not None),
            tuple(item for item in items if item.indent == items[0].indent),
            found,
        )

    def items(self, any_boxes: bool) -> Iterable[CheckItem]:
        if self.boxes:
            return (self._check(item.text, bool(item.checked), item.span) for item in self.boxes)
        found = tuple(scenarios(self.section.lines, scenario_title(self.section.title.value)))
        if found:
            return (self._check(scenario.text, False, scenario.span) for scenario in found)
        if self.label:
            title = self.section.title
            return [CheckItem(title.value, bool(_TICK.search(title.value)), None, title.span)]
        if any_boxes:
            return ()
        if self.listed:
            return (self._check(item.text, False, item.span) for item in self.listed)
        return (*self._rows(), *self._paragraphs())

    def _check(self, text: str, checked: bool, span: Span) -> CheckItem:
        text = text.replace("**", "")
        labelled = not self.label or _LABEL.match(text)
        return CheckItem(text if labelled else f"{self.label}: {text}", checked, None, span)

    def _rows(self) -> Iterator[CheckItem]:
        """Table rows: ``| AC1 | text | ✅ |``; the first row names the columns."""
        rows = [(line, cells(line)) for line in self.lines if isinstance(line, Line)]
        for line, row in [pair for pair in rows if pair[1]][1:]:
            texts = [cell.value for cell in row]
            numbered = len(texts) > 1 and len(texts[0]) <= 8
            text = f"{texts[0]}: {texts[1]}" if numbered else texts[0]
            yield self._check(text, any(_TICK.search(cell) for cell in texts), line.span)

    def _paragraphs(self) -> Iterator[CheckItem]:
        for line in self.lines:
            if isinstance(line, Line) and not cells(line) and _LABEL.match(line.text):
                yield self._check(line.text.strip(), bool(_TICK.search(line.text)), line.span)
