"""``synapse domain new|show|toggle|rename|suggest``: the domains of a tree, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.header import aligned
from synapse_ls.cli.options import add_format, root_of
from synapse_ls.cli.parser import one_of
from synapse_ls.cli.table import columns
from synapse_ls.cli.writing import add_dry_run, carry_out, loaded_tree
from synapse_ls.service.inventory import domain_report, tokens_in, wakes_by
from synapse_ls.service.lookup import find_label
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.engine.plan import Domain, Plan

_LISTS = (
    ("--recall", "WORDS", "keywords that bring it in, with commas between them"),
    ("--exclude", "WORDS", "words that keep it out"),
    ("--paths", "GLOBS", "files that bring it in, such as src/**/*.sql"),
)

_SWITCH = {"on": True, "off": False}


def _new_arguments(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help="in kebab-case: api-design, agent-dev")
    group = parser.add_argument_group("What brings it in")
    for name, metavar, text in _LISTS:
        group.add_argument(name, metavar=metavar, help=text)
    group.add_argument("--agent", metavar="ID", default="", help="an agent that brings it in")
    group.add_argument("--workflow", metavar="ID", default="", help="a workflow that brings it in")
    group.add_argument("--always-on", action="store_true", help="it takes part in every prompt")
    content = parser.add_argument_group("Content")
    content.add_argument(
        "--rule", metavar="TEXT", action="append", default=[], help="a first rule; can be repeated"
    )
    content.add_argument("--squad", metavar="NAME", default="", help="make it in this squad's tree")
    add_dry_run(parser)


def _new(options: Namespace, console: Console) -> int:
    from synapse_ls.manage.domains import new_domain

    root, tree = loaded_tree(options)
    plan = new_domain(
        tree,
        options.name,
        recall=None if options.recall is None else _items(options.recall),
        exclude=_items(options.exclude),
        paths=_items(options.paths),
        agent=options.agent.removeprefix("@"),
        workflow=options.workflow,
        always_on=options.always_on,
        rules=options.rule,
        squad=options.squad,
    )
    return carry_out(root, plan, options, console)


def _items(text: str | None) -> list[str]:
    return [item.strip() for item in (text or "").split(",") if item.strip()]


def _show_arguments(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help="a domain, in any spelling")
    add_format(parser.add_argument_group("Output"))


def _show(options: Namespace, console: Console) -> int:
    from synapse_ls.service.plans import planned

    plan = planned(root_of(options)).whole().plan
    domain = plan.domain(plan.labels[find_label(plan, options.name)])
    if options.format == "json":
        rules = [
            {"key": row.key, "kind": row.kind, "line": row.line + 1, "text": row.text}
            for row in domain.rows
        ]
        console.json({**domain_report(plan, domain), "rules": rules})
        return 0
    for line in aligned(_settings(plan, domain)):
        console.line(*line)
    if domain.rows:
        console.line()
    rows: list[list[Part]] = [
        [str(row.line + 1), Styled(row.key or "-", "name"), row.text] for row in domain.rows
    ]
    for line in columns(rows, right={0}):
        console.line(*line)
    return 0


def _settings(plan: Plan, domain: Domain) -> list[tuple[str, list[Part]]]:
    declared = f" ({domain.manifest}:{domain.line + 1})" if domain.manifest else " (not declared)"
    rows: list[tuple[str, list[Part]]] = [
        ("domain", [Styled(domain.label, "title")]),
        ("state", ["active" if domain.active else "inactive", Styled(declared, "dim")]),
        ("wakes by", [wakes_by(plan, domain) or Styled("nothing", "warn")]),
        ("file", [domain.file or Styled("none", "warn")]),
        ("rules", [f"{counted(len(domain.rows), 'rule')}, {tokens_in(domain)} tokens"]),
    ]
    lists = (("keywords", domain.recall), ("excluded by", domain.exclude), ("paths", domain.paths))
    rows += [(name, [", ".join(items)]) for name, items in lists if items]
    if domain.non_negotiable:
        rows.append(("protected", ["never cut, never switched off by a session (_NON_NEGOTIABLE)"]))
    if domain.overrides:
        rows.append(("overrides", [", ".join(domain.overrides)]))
    return rows


def _toggle_arguments(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help="a domain, in any spelling")
    parser.add_argument(
        "state",
        metavar="STATE",
        nargs="?",
        type=one_of(_SWITCH),
        help="on or off, whatever it is now (default: the other one)",
    )
    add_dry_run(parser)


def _toggle(options: Namespace, console: Console) -> int:
    from synapse_ls.manage.domains import toggle

    root, tree = loaded_tree(options)
    state = _SWITCH.get(options.state)
    return carry_out(root, toggle(tree, options.name, state), options, console)


def _rename_arguments(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help="a domain, in any spelling")
    parser.add_argument("new", metavar="NEW", help="its new name, in kebab-case")
    add_dry_run(parser)


def _rename(options: Namespace, console: Console) -> int:
    from synapse_ls.manage.domains import rename

    root, tree = loaded_tree(options)
    return carry_out(root, rename(tree, options.name, options.new), options, console)


def _suggest_arguments(parser: Parser) -> None:
    parser.add_argument("text", metavar="TEXT", help="the rule, in quotes")
    add_format(parser.add_argument_group("Output"))


def _suggest(options: Namespace, console: Console) -> int:
    from synapse_ls.manage.suggest import suggest

    _, tree = loaded_tree(options)
    found = suggest(tree, options.text)
    if options.format == "json":
        console.json(
            [{"domain": s.domain, "score": s.score, "reasons": list(s.reasons)} for s in found]
        )
        return 0
    if not found:
        console.line("No domain fits. `synapse domain new` makes one, or GLOBAL takes it.")
    rows: list[list[Part]] = [
        [Styled(s.domain, "name"), str(s.score), ", ".join(s.reasons)] for s in found
    ]
    for line in columns(rows, right={1}):
        console.line(*line)
    return 0


NEW = Command(
    description="""\
Adds the domain to the manifest and creates its rule file. agent-x and workflow-x are brought in by
that agent or workflow; any other domain by the distinctive words of its name, unless you say what
brings it in.""",
    examples=(
        ("Brought in by keywords, with two rules", 'synapse domain new api-design --recall "api,endpoint" --rule "Version every route" --rule "Errors are problem+json"'),
        ("For an agent", "synapse domain new agent-architect"),
        ("What would be written?", "synapse domain new security --always-on --dry-run"),
    ),
    arguments=_new_arguments,
    run=_new,
)  # fmt: skip

SHOW = Command(
    description="Settings, triggers and cost of a domain, and its rules with their lines.",
    examples=(
        ("A domain of the tree, in any spelling", "synapse domain show agent-dev"),
        ("A squad's domain carries the squad's prefix", "synapse domain show ETL_PIPELINE --format json"),
    ),
    arguments=_show_arguments,
    run=_show,
)  # fmt: skip

TOGGLE = Command(
    description="""\
Changes {DOMAIN}_STATE in the manifest, for everybody. For one session only, use
`synapse session set`. The constitution cannot be switched off.""",
    examples=(
        ("Over to the other state", "synapse domain toggle testing"),
        ("Off, whatever it is now", "synapse domain toggle testing off"),
    ),
    arguments=_toggle_arguments,
    run=_toggle,
)

RENAME = Command(
    description="""\
Renames the domain in the manifest, in the keys of its rules, as a file, and in squads that override
it. All of it is written, or nothing.""",
    examples=(
        ("Look first", "synapse domain rename testing quality --dry-run"),
        ("Then do it", "synapse domain rename testing quality"),
    ),
    arguments=_rename_arguments,
    run=_rename,
)

SUGGEST = Command(
    description="""\
Ranks the domains by what the text has in common with them: their keywords, their names, their
agents and rules that are much alike.""",
    examples=(
        ("Where does it belong?", 'synapse domain suggest "Mock the clock in unit tests"'),
        ("The best one, for a script", 'synapse domain suggest "Mock the clock" --format json | jq -r \'.[0].domain\''),
    ),
    arguments=_suggest_arguments,
    run=_suggest,
)  # fmt: skip
