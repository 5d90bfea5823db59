"""Run the test cases of ``.synapse/tests``: assemble each block and compare it with the case.

A case has a new session with the situation that it names, so its result depends only on the tree.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from synapse_ls.engine.rule_account import RuleAccount
from synapse_ls.engine.situation import Request
from synapse_ls.formats.tree_tests import TreeTestCase
from synapse_ls.ide.tree_view import CompiledTree, View, view_for_request
from synapse_ls.text.finding import Text
from synapse_ls.text.phrases import shorten_text
from synapse_ls.text.span import Span
from synapse_ls.workspace.naming_conventions import suggest_names, upper_snake

_MAX_QUOTE = 60  # characters of a text in a message


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
    situation, tokens = view.assembly.situation, view.assembly.tokens
    # The names that the case uses and the tree does not know.
    notes = list(situation.notes)
    workflow = situation.workflow
    is_known = workflow in view.plan.by_workflow or workflow in view.tree.workflows
    if situation.workflow_source == "given" and not is_known:
        notes.append(f"no workflow is called {situation.workflow_written}")
    failures = [Failure(case.name.span, f"The case cannot be met: {note}.") for note in notes]
    for name, (check, is_in) in _CHECKS.items():
        for expected in case.lists.get(name, ()):
            failure = check(view, expected, is_in)
            failures += [failure] if failure else []
    if (limit := case.max_tokens) is not None and tokens > int(limit.value):
        excess = tokens - int(limit.value)
        message = f"The block takes {tokens} tokens, {excess} more than expected."
        remedy = "`synapse explain` says what each rule costs."
        failures.append(Failure(limit.span, message, remedy))
    return CaseOutcome(case, tuple(failures), situation.bracket.name, tokens)


def _check_domain(view: View, expected: Text, is_in: bool) -> Failure | None:
    """Return what is wrong where a domain is not in the block, or is in it, as expected."""
    name = upper_snake(expected.value)
    labels = (label for label in view.plan.labels if upper_snake(label) == name)
    label = name if name in view.plan.labels else next(labels, None)
    if label is None:
        return _unknown_name_failure(expected, "domain", view.plan.labels)
    account = view.accounts[label]
    if bool(account.rendered_count) == is_in:
        return None
    if not is_in:
        return Failure(expected.span, f"{label} is in the block: {account.reason}.")
    # A domain that takes part loses its rules one by one; the first one's reason speaks for them.
    cause = account.rules[0] if account.layer and account.rules else account
    return _absence_failure(expected, f"{label} is not in the block: {cause.reason}.", cause.remedy)


def _check_rule(view: View, expected: Text, is_in: bool) -> Failure | None:
    """Return what is wrong where a rule is not in the block, or is in it, as expected."""
    if not (rules := [rule for rule in _every_rule(view) if rule.key == expected.value]):
        return _unknown_name_failure(expected, "rule", {r.key: 0 for r in _every_rule(view)})
    rendered = next((rule for rule in rules if rule.is_rendered), None)
    if is_in and rendered is None:
        message = f"{rules[0].key} is not in the block: {rules[0].reason}."
        return _absence_failure(expected, message, rules[0].remedy)
    if rendered and not is_in:
        return Failure(expected.span, f"{rendered.key} is in the block: {rendered.reason}.")
    return None


def _every_rule(view: View) -> Iterator[RuleAccount]:
    for domain in view.accounts.values():
        yield from domain.rules


def _check_text(view: View, expected: Text, is_in: bool) -> Failure | None:
    """Return what is wrong where a text is not in the block, or is in it, as expected."""
    text = _normalize_space(expected.value)
    if (text in _normalize_space(view.assembly.text)) == is_in:
        return None
    quote = f'"{shorten_text(" ".join(expected.value.split()), _MAX_QUOTE)}"'
    rules = (rule for rule in _every_rule(view) if text in _normalize_space(rule.text))
    rule = next((rule for rule in rules if rule.is_rendered != is_in), None)
    if not is_in:
        return Failure(expected.span, f"{rule.key if rule else 'The block'} says {quote}.")
    if rule is None:
        return Failure(expected.span, f"Neither the block nor any rule of the tree says {quote}.")
    message = f"The block does not say {quote}: {rule.key} is left out"
    return _absence_failure(expected, f"{message}: {rule.reason}.", rule.remedy)


def _absence_failure(expected: Text, message: str, remedy: str) -> Failure:
    """Return the failure of what is not in the block, with the remedy as a sentence of its own."""
    sentence = f"{remedy[0].upper()}{remedy[1:].rstrip('.')}." if remedy else ""
    return Failure(expected.span, message, sentence)


def _normalize_space(text: str) -> str:
    """Return a text for comparison: without letter case, with one space where there is
    white space.
    """
    return " ".join(text.casefold().split())


def _unknown_name_failure(expected: Text, what: str, names: Mapping[str, int]) -> Failure:
    remedy = suggest_names(expected.value, names)
    return Failure(expected.span, f"The tree has no {what} {expected.value}.", remedy)


# What is looked for and whether it has to be there, by the name of the field that lists it.
_CHECKS: Mapping[str, tuple[Callable[[View, Text, bool], Failure | None], bool]] = {
    "domains": (_check_domain, True),
    "no_domains": (_check_domain, False),
    "rules": (_check_rule, True),
    "no_rules": (_check_rule, False),
    "texts": (_check_text, True),
    "no_texts": (_check_text, False),
}
