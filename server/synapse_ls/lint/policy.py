"""Which rules run where, and how much their findings weigh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from synapse_ls.engine.globs import any_match
from synapse_ls.formats.config import Lint
from synapse_ls.formats.config_schema import CORES
from synapse_ls.lint.diagnostic import Severity
from synapse_ls.lint.registry import rules
from synapse_ls.lint.rule import Rule
from synapse_ls.lint.selectors import ALL, names, specificity, takes

VENDORED = CORES
"""Folders of the frameworks: what they say counts, but it is not for their users to mend."""

OFF = "off"


class Policy:
    """What a configuration, and the options of one call, ask for; selectors are as in `selectors`.

    ``select`` of a call stands in place of ``select`` and ``ignore`` of the configuration; ``ignore``
    of a call adds to them. Where a rule is both selected and ignored the longer selector decides,
    at a tie the ignoring one. A rule that does not run by default has to be named. Rules about the
    configuration are not selected: they run unless the configuration or the call ignores them, other
    than by ``ALL``.

    Files of a framework are linted only if ``vendored`` of the configuration says so, or if they
    are, or lie in, one of the paths that are ``asked`` about and belong to a framework themselves.
    Files that ``exclude`` of the configuration or of the call matches, or a folder above them, are
    linted only if they are asked about by their own path.
    """

    def __init__(
        self,
        lint: Lint,
        select: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        *,
        exclude: Sequence[str] = (),
        asked: Iterable[str] = (),
    ) -> None:
        selected = lint.select if select is None else select
        ignored = (*lint.ignore, *ignore) if select is None else ignore
        self._configured = _running(lint.select, lint.ignore)
        self._severity = lint.severity
        self._per_path = lint.per_path
        self._runs = _running(selected, ignored) | _configuring((*lint.ignore, *ignore))
        self._vendored = lint.vendored
        excluded = [pattern.rstrip("/") for pattern in (*lint.exclude, *exclude)]
        self._excluded = (*excluded, *(f"{pattern}/**" for pattern in excluded))
        self._asked = tuple(path.rstrip("/") for path in asked)

    def runs(self, rule: Rule) -> bool:
        """Whether the rule runs at all."""
        return rule.code in self._runs and self._word(rule) != OFF

    def lints(self, path: str) -> bool:
        """Whether anything is to be said about a file."""
        if path not in self._asked and any_match(self._excluded, (path,)):
            return False
        if self._vendored or not is_vendored(path):
            return True
        return any(
            is_vendored(f"{asked}/") and f"{path}/".startswith(f"{asked}/") for asked in self._asked
        )

    def decides(self, selector: str, path: str) -> bool:
        """Whether a run shows if there is anything in a file that the selector means.

        It does not where the call leaves out a rule that the configuration has run, or where none
        of the rules runs.
        """
        ignored = self.ignored_in(path)
        meant = [
            rule
            for rule in rules()
            if rule.code in self._configured | self._runs
            and specificity((selector,), rule)
            and not specificity(ignored, rule)
            and self._word(rule) != OFF
        ]
        return bool(meant) and all(rule.code in self._runs for rule in meant)

    def ignored_in(self, path: str) -> tuple[str, ...]:
        """The selectors of rules that do not run in a file."""
        return tuple(
            selector
            for pattern, selectors in self._per_path.items()
            if any_match((pattern,), (path,))
            for selector in selectors
        )

    def severity(self, rule: Rule) -> Severity | None:
        """The severity that the configuration gives to all findings of the rule, if it does."""
        word = self._word(rule)
        return Severity(word) if word and word != OFF else None

    def _word(self, rule: Rule) -> str:
        closest = max(self._severity, key=lambda s: specificity((s,), rule), default="")
        return self._severity[closest] if specificity((closest,), rule) else ""


def is_vendored(path: str) -> bool:
    """Whether a file belongs to a framework rather than to its user."""
    return path.startswith(tuple(f"{folder}/" for folder in VENDORED))


def _running(selected: Sequence[str], ignored: Sequence[str]) -> frozenset[str]:
    return frozenset(rule.code for rule in rules() if _runs(rule, selected, ignored))


def _configuring(ignored: Sequence[str]) -> frozenset[str]:
    """The rules about the configuration, without which a misspelt selector could go unnoticed."""
    meant = [selector for selector in ignored if selector != ALL]
    return frozenset(r.code for r in rules() if r.configures and not takes(meant, r))


def _runs(rule: Rule, selected: Sequence[str], ignored: Sequence[str]) -> bool:
    if not rule.default and not names(selected, rule):
        return False
    unwanted = specificity(ignored, rule)
    return specificity(selected, rule) > unwanted if selected else not unwanted
