"""``synapse explain``: an account of every domain and every rule."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.explain_memory import memory_lines
from synapse_ls.cli.header import aligned, situation_rows, window_rows
from synapse_ls.cli.options import add_format, add_prompt, add_situation, ask, prompt_of
from synapse_ls.cli.table import columns
from synapse_ls.engine.account import LAYER_NAMES, account
from synapse_ls.engine.render import named, section_text
from synapse_ls.engine.tokens import estimate
from synapse_ls.service.inventory import home_layer
from synapse_ls.service.lookup import find_label, place
from synapse_ls.service.reports import explain_report, notes_of
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.engine.account import DomainAccount, RuleAccount
    from synapse_ls.engine.section import Section
    from synapse_ls.service.answer import Answer

_CROWD = 4  # domains with one fate, and fates in one domain, from which on they share a line
_VACANT = {
    "L0": "no constitution in this tree",
    "L1": "no global rules in this tree",
    "L2": "no domain of this tree waits for an agent",
    "L3": "no domain of this tree waits for a workflow",
    "L4": "no task is active",
    "L5": "no squads in this tree",
    "L6": "no domain of this tree has keywords",
    "L7": "no star-commands in this tree",
    "IDENTITY": "no core identity in this tree",
    "STM": "no short-term memory in this tree",
    "LTM": "no memory has to do with the prompt",
    "EVENT": "the event log is empty",
    "LOG": "the event log is empty",
    "CANDIDATES": "nothing is worth promoting",
    "ACCESS": "no access has been recorded",
    "SECTIONS": "no section is configured",
}
_IN, _OUT, _PARTLY = Styled("in", "good"), Styled("out", "dim"), Styled("partly", "warn")


def _arguments(parser: Parser) -> None:
    add_prompt(parser)
    add_situation(parser)
    output = parser.add_argument_group("Output")
    only = output.add_mutually_exclusive_group()
    only.add_argument("--in", action="store_true", dest="only_in", help="only what is in the block")
    only.add_argument("--out", action="store_true", dest="only_out", help="only what is left out")
    output.add_argument("--domain", metavar="NAME", default="", help="only this domain")
    output.add_argument(
        "-v", "--verbose", action="store_true", help="a line for every rule, and remedies"
    )
    add_format(output)


def _run(options: Namespace, console: Console) -> int:
    answer = ask(options, prompt_of(options))
    accounts = account(answer.plan, answer.assembly)
    if options.domain:
        label = find_label(answer.plan, options.domain)
        accounts = tuple(found for found in accounts if found.label == label)
    if options.only_in or options.only_out:
        accounts = _filtered(accounts, rendered=options.only_in)
    if options.format == "json":
        console.json(explain_report(answer, accounts))
        return 0
    for line in aligned(window_rows(answer) + situation_rows(answer) + _unread(answer)):
        console.line(*line)
    whole = not (options.domain or options.only_in or options.only_out)
    loose = not (options.domain or options.only_out)
    for line in _layers(answer, accounts, verbose=options.verbose, loose=loose, whole=whole):
        console.line(*line)
    if not options.domain:
        inside, outside = not options.only_out, not options.only_in
        for line in memory_lines(answer, verbose=options.verbose, inside=inside, outside=outside):
            console.line(*line)
    for note in notes_of(answer):
        console.note(note)
    return 0


def _filtered(accounts: tuple[DomainAccount, ...], *, rendered: bool) -> tuple[DomainAccount, ...]:
    """The domains with those of their rules that are in the block, or that are not."""
    from dataclasses import replace

    kept = []
    for domain in accounts:
        rules = tuple(rule for rule in domain.rules if rule.rendered is rendered)
        if rules or (not rendered and not domain.rules):
            kept.append(replace(domain, rules=rules))
    return tuple(kept)


def _unread(answer: Answer) -> list[tuple[str, list[Part]]]:
    prompt = answer.assembly.situation.prompt
    rows: list[tuple[str, list[Part]]] = []
    if prompt.skipped:
        rows.append(("recall", [f"did not read {' and '.join(prompt.skipped)}"]))
    if prompt.mentions:
        names = ", ".join(f"@{name}" for name in prompt.mentions)
        rows.append(("mentions", [f"{names} (only a prompt that begins so changes the agent)"]))
    return rows


def _layers(
    answer: Answer,
    accounts: tuple[DomainAccount, ...],
    *,
    verbose: bool,
    loose: bool,
    whole: bool,
) -> Iterator[list[Part]]:
    """The layers with their domains.

    loose: sections that no domain gives are told as well. whole: so are layers that have nothing,
    and what the block costs beyond its rules.
    """
    layers = {domain.label: home_layer(domain) for domain in answer.plan.domains()}
    homes: dict[str, list[DomainAccount]] = {}
    for found in accounts:
        home = found.layer or layers[found.label]
        homes.setdefault(home, []).append(found)
    told = 0
    known = {layer for layer, _ in answer.plan.profile.layers}
    for layer in LAYER_NAMES:
        own = homes.get(layer, [])
        sections = [s for s in answer.assembly.sent if s.layer == layer] if loose else []
        others = [s for s in sections if not _is_of_domains(answer, s)]
        if not (own or others or (whole and layer in known)):
            continue
        cost = sum(_cost(found) for found in own) + sum(estimate(section_text(s)) for s in others)
        told += cost
        yield []
        yield _heading(answer, layer, cost, "" if own or others else _VACANT[layer])
        rows = list(_rows(own, verbose=verbose))
        rows += [_section(section) for section in others]
        yield from columns(rows, right={3}, indent="  ")
    remembered = (s for s in answer.assembly.sent if s.layer == "MEMORY")
    frame = answer.assembly.tokens - told - sum(estimate(section_text(s)) for s in remembered)
    if whole and frame > 0:
        yield []
        yield [
            Styled("frame", "title"),
            f" · {frame} tokens for headings, the bracket and the like",
        ]


def _cost(domain: DomainAccount) -> int:
    """What the rules of a domain that are in the block cost there."""
    return sum(rule.tokens for rule in domain.rules if rule.rendered)


def _is_of_domains(answer: Answer, section: Section) -> bool:
    return any(entry.domain in answer.plan.labels for entry in section.entries)


def _section(section: Section) -> list[Part]:
    """The row of a section that no domain gives, such as a task's."""
    source = next((entry.file for entry in section.entries if entry.file), "")
    lines = counted(len(section.entries), "line")
    heading = (section.heading or section.entries[0].text).partition("\n")[0]
    return [_IN, heading, lines, str(estimate(section_text(section))), source]


def _heading(answer: Answer, layer: str, tokens: int, vacant: str) -> list[Part]:
    parts: list[Part] = [Styled(f"{layer} {LAYER_NAMES[layer]}", "title")]
    if vacant:
        parts.append(f" · {vacant}")
    elif layer not in answer.assembly.selection.awake:
        bracket = answer.assembly.situation.bracket
        waking = answer.plan.profile.waking_bracket(layer)
        if layer in bracket.layers:
            parts.append(f" · not for an executor of type {answer.assembly.situation.executor}")
        else:
            until = f" until {waking.name} ({waking.label} left)" if waking else ""
            parts.append(f" · asleep in {bracket.name}{until}")
    elif tokens:
        parts.append(f" · {tokens} tokens")
    return parts


def _rows(domains: list[DomainAccount], *, verbose: bool) -> Iterator[list[Part]]:
    """The domains of a layer; a run of them that is left out for one reason is one row."""
    for silent, run in groupby(domains, lambda d: "" if d.rendered or d.layer else d.reason):
        group = list(run)
        if not silent or len(group) < _CROWD or verbose:
            for domain in group:
                yield from _domain(domain, verbose=verbose)
            continue
        names = ", ".join(domain.label for domain in group[:_CROWD])
        more = f", … {len(group) - _CROWD} more" if len(group) > _CROWD else ""
        yield [
            _OUT,
            f"{len(group)} domains",
            counted(sum(len(domain.rules) for domain in group), "rule"),
            "",
            _lines_of(group),
            f"{silent}: {names}{more}",
        ]


def _lines_of(group: list[DomainAccount]) -> str:
    """Where domains are declared that one row tells of; files have a place each."""
    first = group[0]
    return f"{first.manifest}:{first.line}-{group[-1].line}" if first.manifest else ""


def _domain(domain: DomainAccount, *, verbose: bool) -> Iterator[list[Part]]:
    """A domain's row, and rows for the rules that have another fate than it."""
    total, inside = len(domain.rules), domain.rendered
    sign = _OUT if not inside else _IN if inside == total else _PARTLY
    count = counted(total, "rule") if inside in (0, total) else f"{inside} of {total} rules"
    tokens = _cost(domain)
    where = domain.file or f"{domain.manifest}:{domain.line}"
    fates = [
        (rendered, reason, list(rules))
        for (rendered, reason), rules in groupby(domain.rules, lambda r: (r.rendered, r.reason))
    ]
    uniform = len(fates) == 1 and not verbose
    reason = fates[0][1] if uniform else domain.reason
    yield [sign, domain.label, count, str(tokens or ""), where, reason]
    if verbose and domain.remedy:
        yield _remedy(domain.remedy)
    if uniform:
        return
    crowd = [rules for rendered, _, rules in fates if not rendered]
    crowded = len(crowd) > _CROWD and not verbose
    for rendered, reason, rules in fates:
        if crowded and not rendered:
            continue
        for group in [[rule] for rule in rules] if verbose else [rules]:
            told: Part = reason if reason != domain.reason else ""
            if verbose and not told:
                told = Styled(group[0].text, "dim")
            yield _rules(group, rendered, told)
        if verbose and not rendered and rules[0].remedy not in ("", domain.remedy):
            yield _remedy(rules[0].remedy)
    if crowded:
        rest = [rule for rules in crowd for rule in rules]
        told = f"{rest[0].reason}; and {len(crowd) - 1} other reasons"
        yield [_OUT, f"  {counted(len(rest), 'rule')}", "", "", place(rest), told]


def _remedy(text: str) -> list[Part]:
    return ["", "", "", "", "", Styled(f"remedy: {text}", "dim")]


def _rules(rules: list[RuleAccount], rendered: bool, told: Part) -> list[Part]:
    tokens = sum(rule.tokens for rule in rules) if rendered else 0
    name = rules[0].key if len(rules) == 1 else named(rule.key for rule in rules)
    return [_IN if rendered else _OUT, f"  {name}", "", str(tokens or ""), place(rules), told]


EXPLAIN = Command(
    description="""\
Every domain and every rule of the tree is in the account: in the block, or left out because of
something. Rules that share one fate share one line; --verbose gives each its own, with remedies.

It answers for the same situations as `synapse context` does, with the same options.""",
    examples=(
        ("Everything, for a prompt", 'synapse explain --remaining 50 "Add a unit test"'),
        ("What is left out for @dev, and what would bring it in", "synapse explain --agent dev --out --verbose"),
        ("One domain, rule by rule", "synapse explain --domain TESTING --verbose"),
        ("The domains that this prompt leaves out, for a script", "synapse explain --format json | jq -r '.domains[] | select(.layer == null) | .label'"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
