"""``synapse why``: one rule, one sentence, the smallest remedy."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.options import add_format, add_prompt, add_situation, ask, prompt_of
from synapse_ls.engine.render import named
from synapse_ls.service.lookup import Found, fate, find, found_report, place
from synapse_ls.service.remembered import MemoryAccount
from synapse_ls.service.reports import notes_of
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "rule",
        metavar="RULE",
        help="a key (GLOBAL_RULE_3), a domain, *command, file:line, a memory's id, or a part of the text",
    )
    add_prompt(parser)
    add_situation(parser)
    add_format(parser.add_argument_group("Output"))


def _run(options: Namespace, console: Console) -> int:
    answer = ask(options, prompt_of(options))
    found = find(answer.plan, answer.assembly, options.rule, session=answer.session)
    if options.format == "json":
        console.json([found_report(hit, answer.plan.root) for hit in found])
        return 0
    shared = groupby(found, lambda hit: (hit[0].label, hit[1] is None, *fate(hit)))
    for number, (_, hits) in enumerate(shared):
        if number:
            console.line()
        _tell(list(hits), console)
    for note in notes_of(answer):
        console.note(note)
    return 0


def _tell(hits: list[Found], console: Console) -> None:
    """Rules that share one fate, or a domain: the sentence, the remedy, and what it is about."""
    domain, rule = hits[0]
    rendered, told = fate(hits[0])
    name = named(r.key for _, r in hits if r) if rule and len(hits) > 1 else ""
    state = Styled("in", "good") if rendered else Styled("out", "warn")
    console.line(
        Styled(name or (rule.key if rule else domain.label), "title"),
        " are " if len({rule.key for _, rule in hits if rule}) > 1 else " is ",
        state,
        f": {told.reason}.",
    )
    if told.remedy:
        console.line("  ", Styled("remedy:", "good"), f" {told.remedy}")
    for _, found in hits:
        if found is not None:
            console.line("  ", Styled(f"{place([found])}: {found.text}", "dim"))
        if isinstance(found, MemoryAccount):
            console.line("  ", Styled(_kind(found), "dim"))
    if rule is None:
        where = domain.file or f"{domain.manifest}:{domain.line}"
        total = counted(len(domain.rules), "rule")
        console.line("  ", Styled(f"{where}: {total}, {domain.rendered} in the block", "dim"))


def _kind(memory: MemoryAccount) -> str:
    """What a memory is, what it is worth, and whose it is."""
    hint = memory.hint
    owner = f"only @{hint.agent} is told it" if memory.private else "shared"
    worth = f"{hint.tier.upper()} with a score of {hint.score:.2f}"
    return f"{hint.type}, {hint.sector}; {worth}, {hint.confidence:.0%} sure; {owner}"


WHY = Command(
    description="""\
RULE is searched as a key, as a domain, as a *command, as file:line and as a part of a rule's text,
then as the id, the file and a part of a memory, in that order; whatever the first of these finds is explained. The options say for which situation.""",
    examples=(
        ("Why does the agent not follow this rule?", "synapse why GLOBAL_RULE_3"),
        ("A whole domain, for a prompt", 'synapse why TESTING "Add a unit test" --remaining 50'),
        ("The line that I look at in my editor", "synapse why .synapse/testing:4 --agent qa"),
        ("Is this told to @dev, and why?", "synapse why mem-2026-11-22-001 --agent dev"),
        ("The rule of which I remember a few words", 'synapse why "one behaviour"'),
    ),
    arguments=_arguments,
    run=_run,
)
