"""Parse hand-off documents, ``chati.dev/artifacts/handoffs/{agent}-handoff.md``.

Layer 1 of the two-layer protocol (constitution, Article VIII): front matter, a summary, decisions,
blockers and criteria. The next agent gets the summary with what is decided and open.
"""

import re
from typing import NamedTuple

from synapse_ls.formats import markdown_outline
from synapse_ls.formats.chati import field_schema
from synapse_ls.text.finding import Finding, ParseResult, Text, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span

# Article VIII: a summary has at most this many lines.
MAX_SUMMARY_LINES = 150

_FIELDS = (
    field_schema.SchemaField("status", words=("complete", "partial")),
    field_schema.SchemaField("score", "text"),
    field_schema.SchemaField("timestamp", "time"),
)
_TITLE = lazy_pattern(r"Handoff:?\s+([\w-]+)", re.IGNORECASE)
_ITEM = lazy_pattern(r"[ \t]*[-*+][ \t]+(?:\[([ xX])\][ \t]+)?(\S.*)")
_EMPTY_ITEMS = frozenset({"none", "none.", "n/a", "-", "no blockers", "no blockers."})
_SECTIONS = (
    ("decisions", "Decision"),
    ("blockers", "Blocker"),
    ("open questions", "Open question"),
    ("criteria unmet", "Criterion unmet"),
)


class HandoffDocument(NamedTuple):
    """A hand-off of Chati.dev. ``agent`` is who wrote it, ``score`` "" where it has none.

    ``lines`` are what the next agent is told, each with its place: the summary's lines first.
    """

    agent: Text | None
    score: str
    status: str
    lines: tuple[Text, ...]


def parse(text: str) -> ParseResult[HandoffDocument]:
    """Parse a hand-off of Chati.dev. Problem kinds: those of `parse_yaml`, and
    ``invalid-chati-handoff``.
    """
    outline = markdown_outline.parse_clean_outline(text)
    root, problems = field_schema.parse_yaml_front_matter(outline)
    agent = root.text("from_agent") if root else None
    if agent is None:
        title = outline.title
        match = _TITLE.match(title.value) if title else None
        if title and match:
            agent = Text(match.group(1), Span(*match.span(1)).shift(title.span.start))
    summaries = (
        [
            Text(bare.replace("**", ""), line.span)
            for line in section.lines
            if line.fence is None
            and (bare := line.text.strip())
            and (len(bare) <= 2 or bare.strip("-*_ "))
        ]
        for section in outline.sections
        if section.slug in ("summary", "layer 1")
    )
    summary = next(filter(None, summaries), [])
    found_problems = list(problems)
    if root is not None:
        checker = field_schema.SchemaChecker(
            "invalid-chati-handoff", "the next agent may get something wrong"
        )
        found_problems += checker.check_fields(root, _FIELDS)
    if not summary:
        place = outline.title.span if outline.title else Span(*next(iter_lines(outline.text)))
        message = "The hand-off has no summary, so the next agent gets nothing of it."
        remedy = "Write what was done below `## Summary`."
        found_problems.append(Finding(place, message, remedy, kind="invalid-chati-handoff"))
    elif len(summary) > MAX_SUMMARY_LINES:
        message = (
            f"The summary has {len(summary)} lines, and at most {MAX_SUMMARY_LINES} are agreed "
            "(Article VIII), so most of it never fits into a block."
        )
        remedy = "Move details below `## Deep Context`."
        place = summary[MAX_SUMMARY_LINES].span
        found_problems.append(Finding(place, message, remedy, kind="invalid-chati-handoff"))
    details = [
        Text(f"{noun}: {words}", line.span)
        for slug, noun in _SECTIONS
        for section in outline.sections
        if section.slug == slug
        for line in section.lines
        if line.fence is None
        and (item := _ITEM.match(line.text))
        and item[1] not in ("x", "X")
        and (words := item[2].replace("**", "").strip()).lower() not in _EMPTY_ITEMS
    ]
    document = HandoffDocument(
        agent,
        _format_score(root.scalar("score") if root else ""),
        root.scalar("status") if root else "",
        (*summary, *details),
    )
    return ParseResult(document, sort_problems(found_problems))


def _format_score(written: str) -> str:
    """Return the score as it is told; "" for ``N/A`` and what else is no number from 0 to 100."""
    try:
        value = float(written.strip().removesuffix("%"))
    except ValueError:
        return ""
    return f"{value:g}" if 0 <= value <= 100 else ""
