"""``synapse rule``: show the documentation pages of the linter's rules."""

import re
from argparse import Namespace

from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Part, Styled
from synapse_ls.cli.shared_options import FORMAT_OPTION
from synapse_ls.lint import rule_pages, rule_selection
from synapse_ls.lint.rule_registry import FAMILIES, all_rules, family_of_code
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.naming_conventions import suggest_names

_CODE = re.compile(r"(?i:syn)\d*")


def unknown_rule(code: str) -> UserError:
    """Return the error of ``synapse rule`` about a code or name that no rule has.

    Of a code nobody can tell which other number was meant: it is told where those of its family
    are.
    """
    listed = "`synapse rule` lists them."
    if _CODE.fullmatch(code):
        family = FAMILIES.get(family_of_code(code.upper()))
        remedy = (
            f"`synapse rule {family.prefixes[0]}` lists those of its family." if family else listed
        )
    else:
        remedy = suggest_names(code, [rule.name for rule in all_rules()], listed)
    return UserError(f"No rule is called {code}.", remedy)


@command(
    option("code CODE", "a code (SYN201), a name, or the beginning of codes (SYN2)", nargs="?"),
    option_group("Output", switch("--all", "every page, one after the other"), FORMAT_OPTION),
)
def run(options: Namespace, console: Console) -> None:
    """What a rule looks for, why that matters, an example of the wrong and of the right way, and
    where in public trees it was found. Without a code, or for the beginning of codes: one line for
    each rule.

    Examples:

    # What does this finding mean?
    $ synapse rule SYN201

    # By its name
    $ synapse rule shadowed-recall

    # What is checked of squads?
    $ synapse rule SYN6

    # Every rule
    $ synapse rule
    """
    if options.code and options.all:
        raise UserError("--all and a code cannot go together.", "Leave one of them out.")
    named = rule_selection.find_rule(options.code) if options.code else None
    chosen = (named,) if named else all_rules()
    if options.code and not named:
        family = (options.code.upper(),)
        chosen = tuple(rule for rule in chosen if rule_selection.matches_selector(family, rule))
        if not chosen:
            raise unknown_rule(options.code)
    if options.format == "json":
        reports = [rule_pages.catalogue_entry(rule) for rule in chosen]
        console.json(reports[0] if named else reports)
    elif named or options.all:
        for number, rule in enumerate(chosen):
            if number:
                console.line()
            for line in rule_pages.page_markdown(rule).splitlines():
                console.line(Styled(line, "title") if line.startswith("#") else line)
    else:
        rows: list[list[Part]] = [
            [
                rule.code,
                Styled(rule.name, "name"),
                rule.severity.value if rule.default else f"{rule.severity.value}, off by default",
                rule_pages.rule_page(rule).summary,
            ]
            for rule in chosen
        ]
        console.table(rows, ("code", "name", "severity", "what it does"))
