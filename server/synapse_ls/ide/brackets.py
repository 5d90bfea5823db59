"""What becomes of a domain from bracket to bracket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.engine.account import Accountant
from synapse_ls.engine.plan import Domain
from synapse_ls.engine.profile import Bracket
from synapse_ls.ide.markdown import code, plain
from synapse_ls.ide.view import View
from synapse_ls.ide.waking import awake_in, situation_of


@dataclass(frozen=True, slots=True)
class InBracket:
    """A domain in one bracket: whether its layer is awake, and how much of it the block has.

    ``now``: the bracket is the one that the next prompt meets.
    """

    bracket: Bracket
    is_awake: bool
    rules: int
    tokens: int
    now: bool


def by_bracket(
    view: View, domain: Domain, situation: dict[str, str] | None = None
) -> Iterator[InBracket]:
    """The domain in each bracket; ``situation`` is what differs from now, by names of `View.block`."""
    awake = {bracket.name for bracket in awake_in(view, domain)}
    now = view.assembly.situation.bracket.name
    for bracket in view.plan.profile.brackets:
        assembly = view.block(bracket.name, **(situation or {}))
        account = Accountant(view.plan, assembly).of(domain)
        tokens = sum(rule.tokens for rule in account.rules if rule.rendered)
        is_awake = bracket.name in awake
        yield InBracket(bracket, is_awake, account.rendered, tokens, bracket.name == now)


def table(view: View, domain: Domain, situation: dict[str, str] | None = None) -> str:
    """The domain in each bracket in a situation, else with what brings it in; a Markdown table.

    "" where nothing brings it in.
    """
    situation = situation_of(view, domain) if situation is None else situation
    if situation is None:
        return ""
    head = in_words(situation).replace("|", "\\|")
    rows = [f"| {head} | awake | in the block | tokens |", "|---|---|---|---|"]
    total = len(domain.rows)
    for row in by_bracket(view, domain, situation):
        name = f"**{row.bracket.name}**" if row.now else row.bracket.name
        told = f"{row.rules} of {total}" if row.rules else "out"
        cost = f"{row.tokens:,} of {row.bracket.budget:,}" if row.rules else "–"
        rows.append(f"| {name} | {'yes' if row.is_awake else 'sleeps'} | {told} | {cost} |")
    return "\n".join(rows)


def overview(view: View) -> str:
    """The brackets themselves: when each holds, what is awake, what its block costs now."""
    rows = ["| | left | awake | tokens |", "|---|---|---|---|"]
    now = view.assembly.situation.bracket.name
    for bracket in view.plan.profile.brackets:
        name = f"**{bracket.name}**" if bracket.name == now else bracket.name
        cost = f"{view.block(bracket.name).tokens:,} of {bracket.budget:,}"
        rows.append(f"| {name} | {bracket.label} | {' '.join(sorted(bracket.layers))} | {cost} |")
    return "\n".join(rows)


def in_words(situation: dict[str, str]) -> str:
    """A situation of one part, "" for none: ``with @dev``."""
    for name, value in situation.items():
        if name == "agent":
            return f"with @{plain(value)}"
        if name == "prompt":
            return f"for the prompt {code(value)}"
        return f"{'in' if name == 'workflow' else 'with'} the {name} {plain(value)}"
    return ""
