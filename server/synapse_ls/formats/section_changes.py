"""This module compares two texts of a Markdown file by sections: whether anything has changed
outside of those that are named.

Blank lines count for nothing, since they part a new section from the one before. "Checkboxes" is no
section: with that name, a mark may be set or taken away anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from synapse_ls.formats.markdown_outline import parse_outline, title_slug

CHECKBOXES = frozenset({"checkboxes", "checkbox", "check boxes"})
_CHECKBOX = re.compile(r"^(\s*(?:[-*+]|\d+[.)])\s+)\[[ xX]\]", re.MULTILINE)


def changes_outside(before: str, after: str, sections: Sequence[str]) -> bool:
    """Returns whether anything changed in other sections of a Markdown file than those with these
    titles, or those nested in them.
    """
    slugs = frozenset(map(title_slug, sections))
    if slugs & CHECKBOXES:
        before, after = (_CHECKBOX.sub(r"\1[ ]", text) for text in (before, after))
    return list(_lines_outside(before, slugs)) != list(_lines_outside(after, slugs))


def _lines_outside(text: str, slugs: frozenset[str]) -> Iterator[str]:
    """Yields the lines that stand in none of the sections, but for blank ones."""
    text = text.replace("\r\n", "\n")
    outline = parse_outline(text)
    at = 0
    inside = False
    for section in outline.sections:
        start = text.rfind("\n", 0, section.title.span.start) + 1 if section.level else 0
        if not inside:
            yield from _filled_lines(text[at:start])
        at = start
        inside = section.slug in slugs or any(p.slug in slugs for p in outline.parents(section))
    if not inside:
        yield from _filled_lines(text[at:])


def _filled_lines(text: str) -> Iterator[str]:
    return (line.rstrip() for line in text.split("\n") if line.strip())
