"""In which brackets a domain is active, what activates it, and how much of it each block has."""

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.engine import block_assembly, prompt_parser, rule_account
from synapse_ls.engine.compiled_plan import Bracket, PlanDomain
from synapse_ls.ide import hover_markdown
from synapse_ls.ide.tree_view import View
from synapse_ls.text.phrases import format_count

_LAYER_OF_ROLE = {"constitution": "L0", "global": "L1", "context": "L1", "commands": "L7"}


def compiled_domain(view: View, label: str) -> PlanDomain | None:
    """Return the compiled domain whose brackets are asked about, by its label, or None."""
    position = view.plan.labels.get(label)
    return None if position is None else view.plan.domain(position)


def is_switched_on(domain: PlanDomain) -> bool:
    """Return whether a domain is switched on, in any bracket; the constitution cannot be switched
    off.
    """
    return domain.active or domain.role == "constitution"


def possible_layers(domain: PlanDomain) -> frozenset[str]:
    """Return the layers that can take a domain in some bracket: by its role, its squad, or each of
    its triggers.
    """
    if domain.role:
        return frozenset({_LAYER_OF_ROLE[domain.role]})
    if domain.squad >= 0:
        return frozenset({"L5"})
    ways = {
        "L1": domain.always_on,
        "L2": bool(domain.agent),
        "L3": bool(domain.workflow),
        "L6": bool(domain.recall or domain.every_n_turns or domain.on_tokens or domain.paths),
    }
    return frozenset(layer for layer, is_given in ways.items() if is_given)


def awake_brackets(view: View, domain: PlanDomain) -> tuple[Bracket, ...]:
    """Return the brackets in which a layer that can take the domain is awake."""
    layers = possible_layers(domain)
    return tuple(b for b in view.plan.profile.brackets if layers & b.layers)


def waking_situation(view: View, domain: PlanDomain) -> dict[str, str] | None:
    """Return the situation that brings a domain in, by which its brackets are told: its trigger,
    first keyword or command, or its squad; {} where none is needed.

    The names are the parameters of `View.block`. None where nothing brings it in: the domain is
    off, has no file, or nothing that could be said wakes it.
    """
    if not domain.file or not is_switched_on(domain):
        return None
    if domain.role == "commands":
        names = (name for name in view.plan.commands if not prompt_parser.is_executed_command(name))
        return next(({"prompt": f"*{name}"} for name in names), None)
    if domain.role or (domain.always_on and domain.squad < 0):
        return {}
    if domain.squad >= 0:
        return {"squad": view.plan.squads[domain.squad].folder}
    if domain.agent:
        return {"agent": domain.agent}
    if domain.workflow:
        return {"workflow": domain.workflow}
    return {"prompt": domain.recall[0]} if domain.recall else None


def waking_bracket(view: View, layers: frozenset[str]) -> dict[str, str]:
    """Return the first bracket in which one of ``layers`` is awake, as a parameter of `View.block`;
    {} where one is awake now.
    """
    if not layers or layers & view.assembly.situation.bracket.layers:
        return {}
    brackets = view.plan.profile.brackets
    return next(({"bracket": b.name} for b in brackets if layers & b.layers), {})


@dataclass(frozen=True, slots=True)
class BracketPresence:
    """A domain in one bracket: whether its layer is awake, and how much of it the block has.

    ``name``: that of the bracket, bold for the one that the next prompt meets.
    """

    bracket: Bracket
    name: str
    is_awake: bool
    rules: int
    tokens: int


def presence_by_bracket(
    view: View, domain: PlanDomain, situation: dict[str, str]
) -> Iterator[BracketPresence]:
    """Yield what each bracket has of the domain; ``situation`` is what differs from now, by
    parameters of `View.block`.
    """
    awake = {bracket.name for bracket in awake_brackets(view, domain)}
    now = view.assembly.situation.bracket.name
    for bracket in view.plan.profile.brackets:
        assembly = view.block(bracket.name, **situation)
        account = rule_account.Accountant(view.plan, assembly).account_of(domain)
        tokens = sum(rule.tokens for rule in account.rules if rule.is_rendered)
        name = f"**{bracket.name}**" if bracket.name == now else bracket.name
        is_awake = bracket.name in awake
        yield BracketPresence(bracket, name, is_awake, account.rendered_count, tokens)


def bracket_table(view: View, domain: PlanDomain, situation: dict[str, str] | None = None) -> str:
    """Return a Markdown table of the domain in each bracket, in a situation or else with what
    brings it in.

    "" where nothing brings it in.
    """
    situation = waking_situation(view, domain) if situation is None else situation
    if situation is None:
        return ""
    head = situation_phrase(situation).replace("|", "\\|")
    rows = [f"| {head} | active | in the block | tokens |", "|---|---|---|---|"]
    total = len(domain.rules)
    for row in presence_by_bracket(view, domain, situation):
        share = f"{row.rules} of {total}" if row.rules else "out"
        cost = f"{row.tokens:,} of {row.bracket.budget:,}" if row.rules else "–"
        rows.append(f"| {row.name} | {'yes' if row.is_awake else 'inactive'} | {share} | {cost} |")
    return "\n".join(rows)


def bracket_line(view: View, domain: PlanDomain, situation: dict[str, str] | None = None) -> str:
    """Return the rows of `bracket_table` as one line, for a hover that goes on below it; what is
    the same in several brackets is told once.
    """
    situation = waking_situation(view, domain) if situation is None else situation
    if situation is None:
        return ""
    brackets_by_text: dict[str, list[str]] = {}
    for row in presence_by_bracket(view, domain, situation):
        out = "out" if row.is_awake else "inactive"
        inside = f"{row.rules} of {len(domain.rules)}, {format_count(row.tokens, 'token')}"
        brackets_by_text.setdefault(inside if row.rules else out, []).append(row.name)
    if len(brackets_by_text) == 1:
        return f"In every bracket: {next(iter(brackets_by_text))}"
    return " · ".join(f"{', '.join(names)}: {text}" for text, names in brackets_by_text.items())


def bracket_overview(view: View) -> str:
    """Return a Markdown table of the brackets: when each holds, which layers are awake, what its
    block costs now.
    """
    rows = ["| | left | active | tokens |", "|---|---|---|---|"]
    now = view.assembly.situation.bracket.name
    for bracket in view.plan.profile.brackets:
        name = f"**{bracket.name}**" if bracket.name == now else bracket.name
        block = view.block(bracket.name)
        size = f"{block.tokens:,}"
        cost = size if block.is_unbounded else f"{size} of {block.budget:,}"
        rows.append(f"| {name} | {bracket.label} | {' '.join(sorted(bracket.layers))} | {cost} |")
    return "\n".join(rows)


def situation_phrase(situation: dict[str, str]) -> str:
    """Return, for the table of a domain's brackets, a situation of one part as a phrase such as
    ``with @dev``; "" for none.
    """
    for name, value in situation.items():
        if name == "agent":
            return f"with @{hover_markdown.escape_markdown(value)}"
        if name == "prompt":
            return f"for the prompt {hover_markdown.code_span(value)}"
        if name == "workflow":
            return f"in the workflow {hover_markdown.escape_markdown(value)}"
        if name == "squad":
            return f"with the squad {hover_markdown.escape_markdown(value)}"
    return ""


def situation_preview(
    view: View,
    domain: PlanDomain,
    situation: dict[str, str],
    entries: hover_markdown.EntryFilter | None = None,
) -> str:
    """Return the domain in a situation, bracket by bracket, and the block with its ``entries``, by
    default all of them.

    The block is that of the current bracket, else of the first in which the domain comes in.
    """
    assembly, then = situation_block(view, domain, situation)
    if then is None or not then.rendered_count:
        return bracket_table(view, domain, situation)
    # The situation of a block, with its bracket where that is not the current one.
    bracket = assembly.situation.bracket.name
    is_other = bracket != view.assembly.situation.bracket.name
    return hover_markdown.block_preview(
        assembly,
        {**situation, "bracket": bracket} if is_other else situation,
        entries or hover_markdown.entries_of_domains(domain.label),
        bracket_line(view, domain, situation),
        situation_phrase(situation),
    )


def situation_block(
    view: View, domain: PlanDomain, situation: dict[str, str]
) -> tuple[block_assembly.Assembly, rule_account.DomainAccount | None]:
    """Return the block of a situation and what becomes of the domain in it.

    It is that of the current bracket, or of the first one in which the domain can wake if it is out
    there.
    """
    assembly = view.block(**situation)
    then = hover_markdown.domain_account(view, assembly, domain.label)
    asleep = waking_bracket(view, possible_layers(domain))
    if asleep and not (then and then.rendered_count):
        assembly = view.block(**situation, **asleep)
        then = hover_markdown.domain_account(view, assembly, domain.label)
    return assembly, then
