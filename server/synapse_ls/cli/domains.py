"""This module is ``synapse domains``: it lists the domains of a tree in a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.command_table import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.shared_options import add_format_option, root_of
from synapse_ls.cli.table import header_row, print_table
from synapse_ls.queries.domain_report import domain_report
from synapse_ls.queries.domain_summary import describe_triggers, domain_tokens, empty_tree_note
from synapse_ls.queries.report_model import to_json
from synapse_ls.text.plural_counts import format_count
from synapse_ls.workspace.name_suggestions import suggest_names
from synapse_ls.workspace.naming_conventions import is_same_id

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.plan_rows import PlanDomain

_MAX_KEYWORDS = 3  # keywords in a table


def _add_arguments(parser: Parser) -> None:
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--squad", metavar="NAME", default="", help="only the domains of this squad"
    )
    add_format_option(output)


def _run(options: Namespace, console: Console) -> int:
    from synapse_ls.storage.current_plan import load_plan

    found = load_plan(root_of(options)).with_all_files()
    plan = found.plan
    domains = plan.domains()
    if options.squad:
        positions = _squad_domains(plan, options.squad)
        domains = [domain for domain in domains if domain.position in positions]
    if options.format == "json":
        console.json(to_json([domain_report(plan, domain) for domain in domains]))
        return 0
    rows: list[list[Part]] = [
        header_row("domain", "wakes by", "state", "rules", "tokens", "file", "keywords")
    ]
    rows += [_domain_row(plan, domain) for domain in domains]
    print_table(rows, console, right_aligned={3, 4})
    rules = sum(len(domain.rows) for domain in domains)
    console.line()
    console.line(f"{format_count(len(domains), 'domain')}, {format_count(rules, 'rule')}")
    for note in filter(None, (*found.notes, empty_tree_note(plan))):
        console.note(note)
    return 0


def _squad_domains(plan: Plan, name: str) -> tuple[int, ...]:
    for squad in plan.squads:
        if is_same_id(name, squad.folder) or is_same_id(name, squad.name):
            return squad.domains
    folders = [squad.folder for squad in plan.squads]
    listed = f"The squads are {', '.join(folders)}." if folders else "The workspace has no squads."
    raise CliError(f'There is no squad "{name}".', suggest_names(name, folders, listed))


def _domain_row(plan: Plan, domain: PlanDomain) -> list[Part]:
    more = len(domain.recall) - _MAX_KEYWORDS
    keywords = ", ".join(domain.recall[:_MAX_KEYWORDS]) + (f", … {more} more" if more > 0 else "")
    return [
        Styled(domain.label, "name"),
        describe_triggers(plan, domain) or Styled("nothing", "warn"),
        "active" if domain.active else Styled("inactive", "dim"),
        str(len(domain.rows)),
        str(domain_tokens(domain)),
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
    arguments=_add_arguments,
    run=_run,
)  # fmt: skip
