"""A diagnosis as Markdown: for an issue, a pull request, or a person who reads it tomorrow."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.manage.diagnosis.report import Check, Diagnosis

MARKS = {"ok": "✅", "unknown": "?", "warning": "⚠️", "error": "❌"}


def markdown(found: Diagnosis) -> str:
    """The whole report, what is wrong first."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Diagnosis) -> Iterator[str]:
    yield "# Diagnosis"
    yield ""
    yield "## What to do"
    yield ""
    if not found.gaps:
        yield "Nothing is wrong."
    for number, (section, check) in enumerate(found.gaps, 1):
        remedy = f" **{_escaped(check.remedy)}**" if check.remedy else ""
        yield f"{number}. {_mark(check)}{section.title}: {_told(check)}.{remedy}"
    for section in found.sections:
        yield ""
        yield f"## {section.title}"
        yield ""
        yield from (f"- {_mark(check)}{_told(check)}" for check in section.checks)


def _mark(check: Check) -> str:
    """What is neither well nor ill has none."""
    return f"{MARKS[check.status]} " if check.status in MARKS else ""


def _told(check: Check) -> str:
    place = f" (`{check.place}`)" if check.place else ""
    return _escaped(check.said) + place


def _escaped(text: str) -> str:
    """What a file says never passes for markup of the report."""
    return "".join(f"\\{c}" if c in "<>[]|" else c for c in text)
