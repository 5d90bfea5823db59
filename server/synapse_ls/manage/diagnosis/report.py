"""What a diagnosis is made of: sections of checks, each with a verdict that something proves.

A check is *ok*, *warning* or *error* only where that is known; what nobody can know from here is
*unknown*, and what is neither good nor bad is *info*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

Status = Literal["ok", "info", "unknown", "warning", "error"]
ORDER: tuple[Status, ...] = ("error", "warning", "unknown", "info", "ok")
GAPS: tuple[Status, ...] = ("error", "warning")


@dataclass(frozen=True, slots=True)
class Check:
    """One statement, a sentence without a full stop; ``place`` is ``file:line`` or "".

    remedy: a short imperative sentence for what is wrong, else "".
    """

    status: Status
    said: str
    remedy: str = ""
    place: str = ""

    def report(self) -> dict[str, Any]:
        """The check as plain values."""
        return {
            "status": self.status,
            "said": self.said,
            "remedy": self.remedy or None,
            "place": self.place or None,
        }


class Found(NamedTuple):
    """What a section's module found; ``data`` are figures by name, for programs."""

    checks: tuple[Check, ...]
    data: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Section:
    """Checks about one thing."""

    name: str
    title: str
    checks: tuple[Check, ...]
    data: Mapping[str, Any]

    @property
    def status(self) -> Status:
        """The worst of its checks."""
        found = {check.status for check in self.checks}
        return next((status for status in ORDER if status in found), "info")

    def report(self) -> dict[str, Any]:
        """The section as plain values."""
        return {
            "name": self.name,
            "title": self.title,
            "status": self.status,
            "checks": [check.report() for check in self.checks],
            "data": dict(self.data),
        }


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The whole report about the tree in ``root``."""

    root: str
    sections: tuple[Section, ...]

    @property
    def gaps(self) -> tuple[tuple[Section, Check], ...]:
        """What is wrong, the errors first, in the order of the sections."""
        found = [(s, c) for s in self.sections for c in s.checks if c.status in GAPS]
        return tuple(sorted(found, key=lambda gap: GAPS.index(gap[1].status)))

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return all(section.status != "error" for section in self.sections)

    def report(self) -> dict[str, Any]:
        """The diagnosis as plain values."""
        return {
            "root": self.root,
            "ok": self.ok,
            "sections": [section.report() for section in self.sections],
            "gaps": [{"section": s.name, **check.report()} for s, check in self.gaps],
        }
