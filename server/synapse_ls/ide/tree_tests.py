"""Running the cases of ``.synapse/tests``: what each expects of the block, against the block.

A case meets a new session whose situation is what the case says, so its result depends on the tree
and on nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from synapse_ls.engine.account import RuleAccount
from synapse_ls.engine.situation import Request
from synapse_ls.formats.problem import Text
from synapse_ls.formats.tree_tests import Case
from synapse_ls.ide.view import Compiled, View, asking
from synapse_ls.text.span import Span
from synapse_ls.workspace.naming import near_misses, upper_snake

_SHOWN = 60  # characters of a text in a message


class Failure(NamedTuple):
    """An expectation that does not hold: its place in the file, why, and what would change it."""

    span: Span
    message: str
    remedy: str = ""


class Outcome(NamedTuple):
    """What came of a case. ``bracket`` and ``tokens`` are those of the block it met."""

    case: Case
    failures: tuple[Failure, ...]
    bracket: str
    tokens: int

    @property
    def passed(self) -> bool:
        """Whether every expectation holds."""
        return not self.failures


def run(compiled: Compiled, case: Case) -> Outcome:
    """Assemble the block that the case is about, and look for what it expects."""
    if not case.sound:
        failures = [Failure(case.name.span, sentence) for sentence in case.unread]
        return Outcome(case, tuple(failures), "", 0)
    given = dict(case.state)
    remaining = given.pop("remaining", None)
    view = asking(compiled, Request(**given), remaining)
    made = view.assembly
    failures = [Failure(case.name.span, f"The case cannot be met: {note}.") for note in _odd(view)]
    for name, look in _LOOKS.items():
        for expected in case.lists.get(name, ()):
            failures += look(view, expected)
    limit = case.max_tokens
    if limit is not None and made.tokens > int(limit.value):
        failures.append(
            Failure(
                limit.span,
                f"The block takes {made.tokens} tokens, {made.tokens - int(limit.value)} more than "
                "expected.",
                "`synapse explain` says what each rule costs.",
            )
        )
    return Outcome(case, tuple(failures), made.situation.bracket.name, made.tokens)


def _odd(view: View) -> Iterator[str]:
    """What the case names and the tree does not know."""
    situation = view.assembly.situation
    yield from situation.notes
    workflow = situation.workflow
    if (
        situation.workflow_source == "given"
        and workflow not in view.plan.by_workflow
        and workflow not in view.tree.workflows
    ):
        yield f"no workflow is called {situation.workflow_written}"


def _domain_in(view: View, expected: Text) -> Iterator[Failure]:
    label = _label(view, expected.value)
    if label is None:
        yield _unknown(expected, "domain", view.plan.labels)
        return
    found = view.accounts[label]
    if found.rendered:
        return
    rule = next(iter(found.rules), None)
    # A domain that takes part loses its rules one by one; the first one's reason speaks for them.
    reason, remedy = (
        (rule.reason, rule.remedy) if found.layer and rule else (found.reason, found.remedy)
    )
    yield Failure(expected.span, f"{label} is not in the block: {reason}.", _sentence(remedy))


def _domain_out(view: View, expected: Text) -> Iterator[Failure]:
    label = _label(view, expected.value)
    if label is None:
        yield _unknown(expected, "domain", view.plan.labels)
        return
    found = view.accounts[label]
    if found.rendered:
        yield Failure(expected.span, f"{label} is in the block: {found.reason}.")


def _label(view: View, name: str) -> str | None:
    """The domain called ``name``, in any spelling."""
    wanted = upper_snake(name)
    if wanted in view.plan.labels:
        return wanted
    return next((label for label in view.plan.labels if upper_snake(label) == wanted), None)


def _rule_in(view: View, expected: Text) -> Iterator[Failure]:
    found = _rules(view, expected.value)
    if not found:
        yield _unknown(expected, "rule", {rule.key: 0 for rule in _every_rule(view)})
    elif not any(rule.rendered for rule in found):
        rule = found[0]
        yield Failure(
            expected.span, f"{rule.key} is not in the block: {rule.reason}.", _sentence(rule.remedy)
        )


def _rule_out(view: View, expected: Text) -> Iterator[Failure]:
    found = _rules(view, expected.value)
    if not found:
        yield _unknown(expected, "rule", {rule.key: 0 for rule in _every_rule(view)})
    for rule in found:
        if rule.rendered:
            yield Failure(expected.span, f"{rule.key} is in the block: {rule.reason}.")
            return


def _rules(view: View, key: str) -> list[RuleAccount]:
    return [rule for rule in _every_rule(view) if rule.key == key]


def _every_rule(view: View) -> Iterator[RuleAccount]:
    for domain in view.accounts.values():
        yield from domain.rules


def _text_in(view: View, expected: Text) -> Iterator[Failure]:
    if _spaced(expected.value) in _spaced(view.assembly.text):
        return
    wanted = _spaced(expected.value)
    for rule in _every_rule(view):
        if not rule.rendered and wanted in _spaced(rule.text):
            message = f"The block does not say {_quoted(expected)}: {rule.key} is left out"
            yield Failure(expected.span, f"{message}: {rule.reason}.", _sentence(rule.remedy))
            return
    yield Failure(
        expected.span, f"Neither the block nor any rule of the tree says {_quoted(expected)}."
    )


def _text_out(view: View, expected: Text) -> Iterator[Failure]:
    wanted = _spaced(expected.value)
    if wanted not in _spaced(view.assembly.text):
        return
    saying = (r.key for r in _every_rule(view) if r.rendered and wanted in _spaced(r.text))
    yield Failure(expected.span, f"{next(saying, 'The block')} says {_quoted(expected)}.")


def _quoted(text: Text) -> str:
    value = " ".join(text.value.split())
    return f'"{value}"' if len(value) <= _SHOWN else f'"{value[: _SHOWN - 1]}…"'


def _spaced(text: str) -> str:
    """For comparing texts: in any case, with one space where there is white space."""
    return " ".join(text.casefold().split())


def _unknown(expected: Text, what: str, names: Mapping[str, int]) -> Failure:
    near = near_misses(expected.value, names)
    remedy = f"Did you mean {' or '.join(near)}?" if near else ""
    return Failure(expected.span, f"The tree has no {what} {expected.value}.", remedy)


def _sentence(remedy: str) -> str:
    """A remedy as a sentence of its own."""
    return f"{remedy[0].upper()}{remedy[1:].rstrip('.')}." if remedy else ""


_LOOKS: Mapping[str, Callable[[View, Text], Iterator[Failure]]] = {
    "domains": _domain_in,
    "no_domains": _domain_out,
    "rules": _rule_in,
    "no_rules": _rule_out,
    "texts": _text_in,
    "no_texts": _text_out,
}
"""What is looked for, by the name of the field that lists it."""
