"""This module selects the findings that one person's editor shows, and their severity in it.

The rules of the linter are imported where somebody asks: the answer to ``initialize`` needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from synapse_ls.lint.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class FindingSelection:
    """A FindingSelection selects what an editor shows of the findings that a tree's configuration
    asks for; it brings none of its own.

    ``select`` and ``ignore`` have codes, beginnings of codes and names, as in ``[lint]`` of a
    configuration, and weigh alike; an empty ``select`` is all. ``severity``: selector -> severity
    or "off".
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def from_values(cls, select: object, ignore: object, severity: object) -> FindingSelection:
        """Reads a selection from the values of settings; what has a wrong type is left out."""
        from synapse_ls.lint.diagnostic import Severity
        from synapse_ls.lint.rule_selection import OFF

        given = severity if isinstance(severity, Mapping) else {}
        known = (OFF, *(one.value for one in Severity))
        words = {str(name): word for name, word in given.items() if word in known}
        return cls(_texts(select), _texts(ignore), words)

    def shown(self, findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Yields the findings that are shown, each with the severity that it has here."""
        from synapse_ls.lint.diagnostic import Severity

        for finding in filter(self.shows, findings):
            word = self._severity_word(finding)
            yield replace(finding, severity=Severity(word)) if word else finding

    def shows(self, finding: Diagnostic) -> bool:
        """Returns whether a finding is shown; only such a one is fixed, too."""
        from synapse_ls.lint.rule_selection import OFF, selector_specificity

        wanted = selector_specificity(self.select or ("ALL",), finding)
        is_selected = wanted > selector_specificity(self.ignore, finding)
        return is_selected and self._severity_word(finding) != OFF

    def _severity_word(self, finding: Diagnostic) -> str:
        from synapse_ls.lint.rule_selection import selector_specificity

        closest = max(
            self.severity, key=lambda name: selector_specificity((name,), finding), default=""
        )
        return self.severity[closest] if selector_specificity((closest,), finding) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
