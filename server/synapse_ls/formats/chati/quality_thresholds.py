"""This module finds quality thresholds in prose: percentages that something has to reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.text.span import Span

_PERCENT = re.compile(r"(?<![\d.])(\d{1,3})(?:\.0+)?\s?%")
_REQUIREMENT = re.compile(r">=|≥|\bat least\b|\bminimum\b|\bthreshold", re.IGNORECASE)
_OTHER_MEASURE = re.compile(
    r"\b(?:coverage|confidence|similarity|degradation|progress)\b", re.IGNORECASE
)
_EVERYBODY = re.compile(
    r"\b(?:every agent|each agent|all agents|all other agents)\b", re.IGNORECASE
)
_SUBJECT = re.compile(
    r"(?<![\w-])(?:qa-planning|qa-implementation|autonomous|guided|explore|human-in-the-loop)(?![\w-])",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;()]")

EVERYBODY = "every agent"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A Threshold says that ``percent`` is required of ``subject``: an agent, a profile,
    `EVERYBODY`, or "" for nobody named.
    """

    subject: str
    percent: int
    span: Span


def find_thresholds(line: str, start: int = 0) -> Iterator[Threshold]:
    """Yields the thresholds of quality in one line; ``start`` is its offset.

    A percentage counts where its clause, or what comes before it in the line, requires it: ``>=
    95%``, ``90% minimum``. Coverage and the like are measures of something else.
    """
    for found in _PERCENT.finditer(line):
        before = list(_CLAUSE.finditer(line, 0, found.start()))
        after = _CLAUSE.search(line, found.end())
        begin = before[-1].end() if before else 0
        clause = line[begin : after.start() if after else len(line)]
        if not _REQUIREMENT.search(clause) or _OTHER_MEASURE.search(line[: found.end()]):
            continue
        span = Span(found.start(), found.end()).shift(start)
        yield Threshold(_find_subject(line, found.start()), int(found.group(1)), span)


def everybody_words(text: str, threshold: Threshold) -> str:
    """Returns the words in which a threshold names all agents, in lower case."""
    start = text.rfind("\n", 0, threshold.span.start) + 1
    line = text[start:].partition("\n")[0]
    found = _EVERYBODY.search(line)
    return found[0].lower() if found else threshold.subject


def _find_subject(line: str, offset: int) -> str:
    """Returns who is named last before the percentage, else the only one that is named."""
    if _EVERYBODY.search(line):
        return EVERYBODY
    before = _SUBJECT.findall(line[:offset])
    if before:
        return str(before[-1]).lower()
    names = {name.lower() for name in _SUBJECT.findall(line)}
    return names.pop() if len(names) == 1 else ""
