"""This module defines the report of a diagnosis: sections of checks, each with a verdict that
something proves.

A check is *ok*, *warning* or *error* only where that is known; what nobody can know from here is
*unknown*, and what is neither good nor bad is *info*. The report can be rendered as Markdown: for an
issue, a pull request, or a person who reads it tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

Status = Literal["ok", "info", "unknown", "warning", "error"]
STATUS_ORDER: tuple[Status, ...] = ("error", "warning", "unknown", "info", "ok")
GAP_STATUSES: tuple[Status, ...] = ("error", "warning")


@dataclass(frozen=True, slots=True)
class Check:
    """A Check is one statement in the report of a diagnosis, a sentence without a full stop;
    ``place`` is ``file:line`` or "".

    remedy: a short imperative sentence for what is wrong, else "".
    """

    status: Status
    sentence: str
    remedy: str = ""
    place: str = ""

    def report(self) -> dict[str, Any]:
        """Returns the check as plain values."""
        return {
            "status": self.status,
            "said": self.sentence,
            "remedy": self.remedy or None,
            "place": self.place or None,
        }


class SectionResult(NamedTuple):
    """A SectionResult is what the module of a diagnosis's section found; ``data`` are figures by
    name, for programs.
    """

    checks: tuple[Check, ...]
    data: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Section:
    """A Section is the part of a diagnosis's report with the checks about one thing."""

    name: str
    title: str
    checks: tuple[Check, ...]
    data: Mapping[str, Any]

    @property
    def status(self) -> Status:
        """Returns the worst status of its checks."""
        found = {check.status for check in self.checks}
        return next((status for status in STATUS_ORDER if status in found), "info")

    def report(self) -> dict[str, Any]:
        """Returns the section as plain values."""
        return {
            "name": self.name,
            "title": self.title,
            "status": self.status,
            "checks": [check.report() for check in self.checks],
            "data": dict(self.data),
        }


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A Diagnosis is the whole report about the tree in ``root``."""

    root: str
    sections: tuple[Section, ...]

    @property
    def gaps(self) -> tuple[tuple[Section, Check], ...]:
        """Returns what is wrong, the errors first, in the order of the sections."""
        found = [(s, c) for s in self.sections for c in s.checks if c.status in GAP_STATUSES]
        return tuple(sorted(found, key=lambda gap: GAP_STATUSES.index(gap[1].status)))

    @property
    def ok(self) -> bool:
        """Tells whether nothing is an error."""
        return all(section.status != "error" for section in self.sections)

    def report(self) -> dict[str, Any]:
        """Returns the diagnosis as plain values."""
        return {
            "root": self.root,
            "ok": self.ok,
            "sections": [section.report() for section in self.sections],
            "gaps": [{"section": s.name, **check.report()} for s, check in self.gaps],
        }


STATUS_MARKS = {"ok": "✅", "unknown": "?", "warning": "⚠️", "error": "❌"}


def render_markdown(diagnosis: Diagnosis) -> str:
    """Renders the whole report of a diagnosis as Markdown, what is wrong first."""
    return "\n".join(_markdown_lines(diagnosis)) + "\n"


def _markdown_lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield "# Diagnosis"
    yield ""
    yield "## What to do"
    yield ""
    if not diagnosis.gaps:
        yield "Nothing is wrong."
    for number, (section, check) in enumerate(diagnosis.gaps, 1):
        remedy = f" **{_escape_markup(check.remedy)}**" if check.remedy else ""
        yield f"{number}. {_status_mark(check)}{section.title}: {_check_text(check)}.{remedy}"
    for section in diagnosis.sections:
        yield ""
        yield f"## {section.title}"
        yield ""
        yield from (f"- {_status_mark(check)}{_check_text(check)}" for check in section.checks)


def _status_mark(check: Check) -> str:
    """Returns the mark of a check; what is neither well nor ill has none."""
    return f"{STATUS_MARKS[check.status]} " if check.status in STATUS_MARKS else ""


def _check_text(check: Check) -> str:
    place = f" (`{check.place}`)" if check.place else ""
    return _escape_markup(check.sentence) + place


def _escape_markup(text: str) -> str:
    """Returns a text in which what a file says never passes for markup of the report."""
    return "".join(f"\\{c}" if c in "<>[]|" else c for c in text)
