"""``synapse rule``: the pages of the linter's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.options import add_format
from synapse_ls.cli.table import columns, header
from synapse_ls.lint.catalogue import entry
from synapse_ls.lint.docs import markdown, page_of
from synapse_ls.lint.registry import rules
from synapse_ls.workspace.naming import kebab, near_misses

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.lint.rule import Rule


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "code",
        metavar="CODE",
        nargs="?",
        help="a code (SYN201), a name, or the beginning of codes (SYN2)",
    )
    output = parser.add_argument_group("Output")
    output.add_argument("--all", action="store_true", help="every page, one after the other")
    add_format(output)


def _run(options: Namespace, console: Console) -> int:
    if options.code and options.all:
        raise CliError("--all and a code cannot go together.", "Leave one of them out.")
    named = _named(options.code) if options.code else None
    chosen = (named,) if named else _family(options.code) if options.code else rules()
    if options.format == "json":
        reports = [entry(rule) for rule in chosen]
        console.json(reports[0] if named else reports)
    elif named or options.all:
        for number, rule in enumerate(chosen):
            if number:
                console.line()
            _show(rule, console)
    else:
        rows: list[list[Part]] = [header("code", "name", "severity", "what it does")]
        rows += [
            [rule.code, Styled(rule.name, "name"), _severity(rule), page_of(rule).summary]
            for rule in chosen
        ]
        for line in columns(rows):
            console.line(*line)
    return 0


def _named(code: str) -> Rule | None:
    """The rule of this code or name."""
    wanted = (code.upper(), kebab(code))
    return next((rule for rule in rules() if rule.code in wanted or rule.name in wanted), None)


def _family(beginning: str) -> tuple[Rule, ...]:
    """The rules whose codes begin with a text."""
    found = tuple(rule for rule in rules() if rule.code.startswith(beginning.upper()))
    if not found:
        raise _unknown(beginning)
    return found


def _unknown(code: str) -> CliError:
    near = near_misses(code, [name for rule in rules() for name in (rule.code, rule.name)])
    return CliError(
        f"No rule is called {code}.",
        f"Did you mean {' or '.join(near)}?" if near else "`synapse rule` lists them.",
    )


def _severity(rule: Rule) -> str:
    return rule.severity.value if rule.default else f"{rule.severity.value}, off by default"


def _show(rule: Rule, console: Console) -> None:
    for line in markdown(rule).splitlines():
        console.line(Styled(line, "title") if line.startswith("#") else line)


RULE = Command(
    description="""\
What a rule looks for, why that matters, an example of the wrong and of the right way, and where in
public trees it was found. Without a code, or for the beginning of codes: one line for each rule.""",
    examples=(
        ("What does this finding mean?", "synapse rule SYN201"),
        ("By its name", "synapse rule shadowed-recall"),
        ("What is checked of squads?", "synapse rule SYN6"),
        ("Every rule", "synapse rule"),
    ),
    arguments=_arguments,
    run=_run,
)
