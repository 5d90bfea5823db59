"""Select the lint rules that run on a file, and their severity, by configuration and options.

A selector is a rule's code, the beginning of codes (``SYN3``), a rule's name, or ``ALL``.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Protocol

from synapse_ls.formats.config_settings import FRAMEWORK_FOLDERS, LintSettings
from synapse_ls.lint.lint_rule import LintRule
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.text.finding import Severity
from synapse_ls.text.path_globs import first_matching_path
from synapse_ls.workspace.naming_conventions import kebab_case

ALL = "ALL"


class CodedAndNamed(Protocol):
    """What a selector can mean: a lint rule or one of its diagnostics, which has a code
    and a name.
    """

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...


@cache
def is_known_selector(selector: str) -> bool:
    """Return whether a selector means any rule at all."""
    return any(matches_selector((selector,), rule) for rule in all_rules())


def matches_selector(selectors: Iterable[str], rule: CodedAndNamed) -> bool:
    """Return whether one of the selectors means the rule."""
    return selector_specificity(selectors, rule) > 0


def unknown_selectors(selectors: Iterable[str]) -> list[str]:
    """Return the selectors that mean no rule."""
    return [selector for selector in selectors if not is_known_selector(selector)]


def selector_specificity(selectors: Iterable[str], rule: CodedAndNamed) -> int:
    """Return how closely the selectors mean a rule: 0 for not at all, 1 for ``ALL``, else the
    length of the code that one matches: more where fewer rules are meant.
    """
    lengths = [0]
    for selector in selectors:
        if selector == ALL:
            lengths.append(1)
        elif selector == rule.name:
            lengths.append(len(rule.code))
        elif rule.code.startswith(selector):
            lengths.append(len(selector))
    return max(lengths)


def severity_word(table: Mapping[str, str], rule: CodedAndNamed) -> str:
    """Return the severity that the closest selector of a table gives to a rule, "" for none."""
    closest = max(table, key=lambda selector: selector_specificity((selector,), rule), default="")
    return table[closest] if selector_specificity((closest,), rule) else ""


def find_rule(named: str) -> LintRule | None:
    """Return the rule that a code or name selects, in any spelling; None where there
    is none.
    """
    names = (named.upper(), kebab_case(named))
    return next((rule for rule in all_rules() if rule.code in names or rule.name in names), None)


OFF = "off"


class Policy:
    """Which rules run and how severe they are, as the configuration and the options of one call
    select them.

    ``select`` of a call stands in place of ``select`` and ``ignore`` of the configuration;
    ``ignore`` of a call adds to them. Where a rule is both selected and ignored the longer selector
    decides, at a tie the ignoring one. A rule that does not run by default has to be named. Rules
    about the configuration are not selected: they run unless the configuration or the call ignores
    them, other than by ``ALL``.

    Files of a framework are linted only if ``vendored`` of the configuration says so, or if they
    are, or lie in, one of ``named_paths`` that belongs to a framework itself. Files that
    ``exclude`` of the configuration or of the call matches, or a folder above them, are linted only
    if they are named by their own path. ``brackets`` are those of the tree's own profiles.
    Unless it ``heeds_comments``, what comments suppress is found all the same.
    """

    def __init__(
        self,
        lint: LintSettings,
        select: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        *,
        exclude: Sequence[str] = (),
        named_paths: Iterable[str] = (),
        heeds_comments: bool = True,
    ) -> None:
        self._configured = tuple(lint.select), tuple(lint.ignore)
        self._all_ignored = (*lint.ignore, *ignore)
        self._select = tuple(lint.select if select is None else select)
        self._ignore = self._all_ignored if select is None else tuple(ignore)
        self._active: dict[str, bool] = {}
        self._severities = tuple(filter(None, (*lint.policy_severities, lint.severity)))
        self.brackets = lint.brackets
        self._per_path = lint.per_path
        self._vendored = lint.vendored
        self.heeds_comments = heeds_comments
        excluded = [pattern.rstrip("/") for pattern in (*lint.exclude, *exclude)]
        self._excluded = (*excluded, *(f"{pattern}/**" for pattern in excluded))
        self._decided: dict[tuple[str, str], bool] = {}
        self._named_paths = tuple(path.rstrip("/") for path in named_paths)

    def runs(self, rule: LintRule) -> bool:
        """Return whether the rule runs at all."""
        return self._is_active(rule) and self._severity_word(rule) != OFF

    def _is_active(self, rule: LintRule) -> bool:
        """Return whether the rule is selected. Asked rule by rule, since whoever runs the rules of
        one family need not import all others.
        """
        if (active := self._active.get(rule.code)) is None:
            active = _is_selected(rule, self._select, self._ignore)
            if rule.checks_configuration and not active:
                # It runs unless more than ``ALL`` ignores it: so a misspelt selector is noticed.
                selectors = [selector for selector in self._all_ignored if selector != ALL]
                active = not matches_selector(selectors, rule)
            self._active[rule.code] = active
        return active

    def lints(self, path: str) -> bool:
        """Return whether a file is linted at all."""
        if path not in self._named_paths and first_matching_path(self._excluded, (path,)):
            return False
        if self._vendored or not is_vendored(path):
            return True
        return any(
            is_vendored(f"{named_path}/") and f"{path}/".startswith(f"{named_path}/")
            for named_path in self._named_paths
        )

    def decides(self, selector: str, path: str) -> bool:
        """Return whether this run can show that a selector finds nothing in a file.

        It cannot where the call leaves out a rule that the configuration has run, or where none
        of the rules runs.
        """
        question = selector, path
        if question not in self._decided:  # a file may have very many comments that say the same
            ignored = self.ignored_selectors(path)
            rules = [
                rule
                for rule in all_rules()
                if (self._is_active(rule) or _is_selected(rule, *self._configured))
                and selector_specificity((selector,), rule)
                and not selector_specificity(ignored, rule)
                and self._severity_word(rule) != OFF
            ]
            self._decided[question] = bool(rules) and all(map(self._is_active, rules))
        return self._decided[question]

    def ignored_selectors(self, path: str) -> tuple[str, ...]:
        """Return the selectors of rules that do not run in a file, from ``per_path``."""
        return tuple(
            selector
            for pattern, selectors in self._per_path.items()
            if first_matching_path((pattern,), (path,))
            for selector in selectors
        )

    def severity(self, rule: LintRule) -> Severity | None:
        """Return the severity that the configuration gives to all findings of the rule, None if it
        gives none.
        """
        word = self._severity_word(rule)
        return Severity(word) if word and word != OFF else None

    def _severity_word(self, rule: LintRule) -> str:
        """Return the word for the rule's severity ("off" included) of the first table that has one:
        so nothing lowers what a policy says of it, whichever selector that is by.
        """
        return next(filter(None, (severity_word(table, rule) for table in self._severities)), "")


def is_vendored(path: str) -> bool:
    """Return whether a file is vendored, that is of a framework rather than of its user, so that
    rules are selected for it only on demand: what it says counts, but it is not for users to mend.
    """
    return path.startswith(tuple(f"{folder}/" for folder in FRAMEWORK_FOLDERS))


def _is_selected(rule: LintRule, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Return whether a rule is selected rather than ignored; the longer selector wins."""
    if not rule.default and {ALL, rule.code, rule.name}.isdisjoint(select):
        return False
    unwanted = selector_specificity(ignore, rule)
    return selector_specificity(select, rule) > unwanted if select else not unwanted
