"""Read the settings that an editor keeps for the server, under ``synapse``.

Only what concerns one person's editor; the tree's settings are in ``.synapse/config.toml``. A value
of the wrong type counts as not set. The lint rules are imported late: the answer to ``initialize``
does not need them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from synapse_ls.lsp.background_work import LOG_LEVELS
from synapse_ls.text.finding import Finding, Severity

_OFF = "off"  # of a finding that is not shown


@dataclass(frozen=True, slots=True)
class FindingSelection:
    """What an editor shows of the findings that a tree's configuration
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
        """Read a selection from the values of settings; what has a wrong type is left out."""
        severities = severity if isinstance(severity, Mapping) else {}
        levels = (_OFF, *(level.value for level in Severity))
        words = {str(name): word for name, word in severities.items() if word in levels}
        return cls(_texts(select), _texts(ignore), words)

    def shown(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings that are shown, each with the severity that it has here."""
        for finding in findings:
            if (word := self._severity_word(finding)) != _OFF:
                yield finding._replace(severity=Severity(word)) if word else finding

    def shows(self, finding: Finding) -> bool:
        """Return whether a finding is shown; only such a one is fixed, too."""
        return self._severity_word(finding) != _OFF

    def _severity_word(self, finding: Finding) -> str:
        """Return the severity that a finding has here, `_OFF` where it is not shown, "" for its
        own.
        """
        from synapse_ls.lint.rule_selection import selector_specificity, severity_word

        wanted = selector_specificity(self.select or ("ALL",), finding)
        if wanted <= selector_specificity(self.ignore, finding):
            return _OFF
        return severity_word(self.severity, finding)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


T = TypeVar("T")
SECTION = "synapse"
WATCHER_CHOICES = ("auto", "client", "server")
HINT_SETTINGS = ("tokens", "share", "implied", "bracket")
# How far below a workspace folder trees are looked for.
DEFAULT_DEPTH = 5


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """The settings of one person's editor.

    ``synapse.diagnostics.enabled``: whether findings are shown. ``synapse.session``: the id of the
    session to follow, "" for the newest. ``synapse.trees.depth``: how many folders below a
    workspace folder trees are looked for, -1 for not at all. ``synapse.watch``: who watches files,
    "auto" (the client where it can), "client" or "server". ``synapse.inlayHints.NAME``: whether the
    inlay hints of a sort are shown, for each of ``HINT_SETTINGS``. ``synapse.codeLens.enabled``:
    whether code lenses are.

    ``synapse.lint.select``, ``ignore`` and ``severity``: which of a tree's findings are shown, and
    how severe they are here. ``synapse.instructions.check``: whether the text of open files such as
    ``CLAUDE.md`` is checked that no tree tells. ``synapse.log.level``: what the server logs, one of
    ``LOG_LEVELS``, "" for what it was started with.
    """

    diagnostics: bool = True
    session: str = ""
    depth: int = DEFAULT_DEPTH
    watch: str = "auto"
    hints: frozenset[str] = frozenset(HINT_SETTINGS)
    lenses: bool = True
    findings: FindingSelection = field(default_factory=FindingSelection)
    instructions: bool = False
    log_level: str = ""

    @classmethod
    def from_section(cls, section: object) -> EditorSettings:
        """Read the settings from the value of the section, which a client may leave out or
        misspell.
        """

        def setting(*names: str, default: T) -> T:
            value: Any = _setting_at(section, *names)
            return value if type(value) is type(default) else default

        watch, level = setting("watch", default="auto"), setting("log", "level", default="")
        return cls(
            diagnostics=setting("diagnostics", "enabled", default=True),
            session=setting("session", default=""),
            depth=setting("trees", "depth", default=DEFAULT_DEPTH),
            watch=watch if watch in WATCHER_CHOICES else "auto",
            hints=frozenset(
                name for name in HINT_SETTINGS if setting("inlayHints", name, default=True)
            ),
            lenses=setting("codeLens", "enabled", default=True),
            findings=FindingSelection.from_values(
                *(_setting_at(section, "lint", name) for name in ("select", "ignore", "severity"))
            ),
            instructions=setting("instructions", "check", default=False),
            log_level=level if level in LOG_LEVELS else "",
        )


def _setting_at(value: object, *names: str) -> object:
    """Return the value at dotted ``names``, nested or written with dots in one key."""
    if not names:
        return value
    if not isinstance(value, Mapping):
        return None
    if (dotted := ".".join(names)) in value:
        return value[dotted]
    return _setting_at(value.get(names[0]), *names[1:])
