"""``synapse domains``: the domains of a tree in a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.options import add_format, root_of
from synapse_ls.cli.table import columns, header
from synapse_ls.service.inventory import domain_report, emptiness, tokens_in, wakes_by
from synapse_ls.text.counted import counted
from synapse_ls.workspace.naming import near_misses, same_id

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.engine.plan import Domain, Plan

_SHOWN = 3  # keywords in a table


def _arguments(parser: Parser) -> None:
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--squad", metavar="NAME", default="", help="only the domains of this squad"
    )
    add_format(output)


def _run(options: Namespace, console: Console) -> int:
    from synapse_ls.service.plans import planned

    found = planned(root_of(options)).whole()
    plan = found.plan
    domains = plan.domains()
    if options.squad:
        positions = _of_squad(plan, options.squad)
        domains = [domain for domain in domains if domain.position in positions]
    if options.format == "json":
        console.json([domain_report(plan, domain) for domain in domains])
        return 0
    rows: list[list[Part]] = [
        header("domain", "wakes by", "state", "rules", "tokens", "file", "keywords")
    ]
    rows += [_row(plan, domain) for domain in domains]
    for line in columns(rows, right={3, 4}):
        console.line(*line)
    rules = sum(len(domain.rows) for domain in domains)
    console.line()
    console.line(f"{counted(len(domains), 'domain')}, {counted(rules, 'rule')}")
    for note in filter(None, (*found.notes, emptiness(plan))):
        console.note(note)
    return 0


def _of_squad(plan: Plan, name: str) -> tuple[int, ...]:
    for squad in plan.squads:
        if same_id(name, squad.folder) or same_id(name, squad.name):
            return squad.domains
    folders = [squad.folder for squad in plan.squads]
    near = near_misses(name, folders)
    raise CliError(
        f'There is no squad "{name}".',
        f"Did you mean {' or '.join(near)}?"
        if near
        else f"The squads are {', '.join(folders)}."
        if folders
        else "The workspace has no squads.",
    )


def _row(plan: Plan, domain: Domain) -> list[Part]:
    more = len(domain.recall) - _SHOWN
    keywords = ", ".join(domain.recall[:_SHOWN]) + (f", … {more} more" if more > 0 else "")
    return [
        Styled(domain.label, "name"),
        wakes_by(plan, domain) or Styled("nothing", "warn"),
        "active" if domain.active else Styled("inactive", "dim"),
        str(len(domain.rows)),
        str(tokens_in(domain)),
        domain.file or Styled("no file", "warn"),
        keywords,
    ]


DOMAINS = Command(
    description="""\
One line for each domain: what wakes it, whether it is switched on, how many rules it has and what
they cost together, its file and its keywords. Domains of squads carry the squad's prefix.""",
    examples=(
        ("The whole tree", "synapse domains"),
        ("One squad", "synapse domains --squad etl-squad"),
        ("The five that cost most", "synapse domains --format json | jq -r 'sort_by(-.tokens) | .[:5][] | \"\\(.tokens) \\(.label)\"'"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
