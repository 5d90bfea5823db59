"""Run the test cases of ``.synapse/tests``: it assembles the block of each case and compares it
with what the case expects.

A case meets a new session whose situation is what the case says, so its result depends on the
tree and on nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from synapse_ls.engine.rule_account import RuleAccount
from synapse_ls.engine.situation import Request
from synapse_ls.formats.tree_tests import TreeTestCase
from synapse_ls.ide.tree_view import CompiledTree, View, view_for_request
from synapse_ls.text.parse_result import Text
from synapse_ls.text.span import Span
from synapse_ls.workspace.naming_conventions import suggest_names, upper_snake

_SHOWN = 60  # characters of a text in a message


class Failure(NamedTuple):
    """Which expectation of a test case did not hold in its run: its place in the file, why, and
    what would change it.
    """

    span: Span
    message: str
    remedy: str = ""


class CaseOutcome(NamedTuple):
    """The result of one test case. ``bracket`` and ``tokens`` are those of the block it met."""

    case: TreeTestCase
    failures: tuple[Failure, ...]
    bracket: str
    tokens: int

    @property
    def has_passed(self) -> bool:
        """Whether every expectation holds."""
        return not self.failures


def run_case(compiled: CompiledTree, case: TreeTestCase) -> CaseOutcome:
    """Run a test case: assemble the block that the case is about, and check what it expects."""
    if not case.is_readable:
        failures = [Failure(case.name.span, sentence) for sentence in case.read_errors]
        return CaseOutcome(case, tuple(failures), "", 0)
    state = dict(case.state)
    remaining = state.pop("remaining", None)
    view = view_for_request(compiled, Request(**state), remaining)
    assembly = view.assembly
    failures = [
        Failure(case.name.span, f"The case cannot be met: {note}.") for note in _unknown_names(view)
    ]
    for name, look in _CHECKS.items():
        for expected in case.lists.get(name, ()):
            failures += look(view, expected)
    limit = case.max_tokens
    if limit is not None and assembly.tokens > int(limit.value):
        failures.append(
            Failure(
                limit.span,
                f"The block takes {assembly.tokens} tokens, {assembly.tokens - int(limit.value)} "
                "more than expected.",
                "`synapse explain` says what each rule costs.",
            )
        )
    return CaseOutcome(case, tuple(failures), assembly.situation.bracket.name, assembly.tokens)


def _unknown_names(view: View) -> Iterator[str]:
    """Yield a note for each name that the case uses and the tree does not know."""
    situation = view.assembly.situation
    yield from situation.notes
    workflow = situation.workflow
    if (
        situation.workflow_source == "given"
        and workflow not in view.plan.by_workflow
        and workflow not in view.tree.workflows
    ):
        yield f"no workflow is called {situation.workflow_written}"


def _check_domain_in(view: View, expected: Text) -> Iterator[Failure]:
    label = _matching_label(view, expected.value)
    if label is None:
        yield _unknown_name_failure(expected, "domain", view.plan.labels)
        return
    account = view.accounts[label]
    if account.rendered_count:
        return
    rule = next(iter(account.rules), None)
    # A domain that takes part loses its rules one by one; the first one's reason speaks for them.
    reason, remedy = (
        (rule.reason, rule.remedy) if account.layer and rule else (account.reason, account.remedy)
    )
    yield Failure(
        expected.span, f"{label} is not in the block: {reason}.", _remedy_sentence(remedy)
    )


def _check_domain_out(view: View, expected: Text) -> Iterator[Failure]:
    label = _matching_label(view, expected.value)
    if label is None:
        yield _unknown_name_failure(expected, "domain", view.plan.labels)
        return
    account = view.accounts[label]
    if account.rendered_count:
        yield Failure(expected.span, f"{label} is in the block: {account.reason}.")


def _matching_label(view: View, name: str) -> str | None:
    """Return the label of the domain called ``name``, in any spelling, or None."""
    wanted = upper_snake(name)
    if wanted in view.plan.labels:
        return wanted
    return next((label for label in view.plan.labels if upper_snake(label) == wanted), None)


def _check_rule_in(view: View, expected: Text) -> Iterator[Failure]:
    rules = _rules_with_key(view, expected.value)
    if not rules:
        yield _unknown_name_failure(expected, "rule", {rule.key: 0 for rule in _every_rule(view)})
    elif not any(rule.is_rendered for rule in rules):
        rule = rules[0]
        yield Failure(
            expected.span,
            f"{rule.key} is not in the block: {rule.reason}.",
            _remedy_sentence(rule.remedy),
        )


def _check_rule_out(view: View, expected: Text) -> Iterator[Failure]:
    rules = _rules_with_key(view, expected.value)
    if not rules:
        yield _unknown_name_failure(expected, "rule", {rule.key: 0 for rule in _every_rule(view)})
    for rule in rules:
        if rule.is_rendered:
            yield Failure(expected.span, f"{rule.key} is in the block: {rule.reason}.")
            return


def _rules_with_key(view: View, key: str) -> list[RuleAccount]:
    return [rule for rule in _every_rule(view) if rule.key == key]


def _every_rule(view: View) -> Iterator[RuleAccount]:
    for domain in view.accounts.values():
        yield from domain.rules


def _check_text_in(view: View, expected: Text) -> Iterator[Failure]:
    if _normalize_space(expected.value) in _normalize_space(view.assembly.text):
        return
    wanted = _normalize_space(expected.value)
    for rule in _every_rule(view):
        if not rule.is_rendered and wanted in _normalize_space(rule.text):
            message = f"The block does not say {_quote_text(expected)}: {rule.key} is left out"
            yield Failure(
                expected.span, f"{message}: {rule.reason}.", _remedy_sentence(rule.remedy)
            )
            return
    yield Failure(
        expected.span, f"Neither the block nor any rule of the tree says {_quote_text(expected)}."
    )


def _check_text_out(view: View, expected: Text) -> Iterator[Failure]:
    wanted = _normalize_space(expected.value)
    if wanted not in _normalize_space(view.assembly.text):
        return
    saying = (
        r.key for r in _every_rule(view) if r.is_rendered and wanted in _normalize_space(r.text)
    )
    yield Failure(expected.span, f"{next(saying, 'The block')} says {_quote_text(expected)}.")


def _quote_text(text: Text) -> str:
    value = " ".join(text.value.split())
    return f'"{value}"' if len(value) <= _SHOWN else f'"{value[: _SHOWN - 1]}…"'


def _normalize_space(text: str) -> str:
    """Return a text for comparison: without letter case, with one space where there is
    white space.
    """
    return " ".join(text.casefold().split())


def _unknown_name_failure(expected: Text, what: str, names: Mapping[str, int]) -> Failure:
    remedy = suggest_names(expected.value, names)
    return Failure(expected.span, f"The tree has no {what} {expected.value}.", remedy)


def _remedy_sentence(remedy: str) -> str:
    """Return a remedy as a sentence of its own."""
    return f"{remedy[0].upper()}{remedy[1:].rstrip('.')}." if remedy else ""


_CHECKS: Mapping[str, Callable[[View, Text], Iterator[Failure]]] = {
    "domains": _check_domain_in,
    "no_domains": _check_domain_out,
    "rules": _check_rule_in,
    "no_rules": _check_rule_out,
    "texts": _check_text_in,
    "no_texts": _check_text_out,
}
"""What is looked for, by the name of the field that lists it."""
