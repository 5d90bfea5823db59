"""``synapse domain …``, ``synapse domains`` and ``synapse rename``: show and change domains."""

from argparse import Namespace

from synapse_ls.cli.command_table import (
    command,
    exclusive,
    option,
    option_group,
    repeated_option,
    switch,
)
from synapse_ls.cli.console import Console, Part, Row, Styled
from synapse_ls.cli.file_changes import DRY_RUN_OPTION, apply_or_show
from synapse_ls.cli.shared_options import FORMAT_OPTION, root_of
from synapse_ls.cli.tree_options import load_options_tree
from synapse_ls.edits import domain_edits, domain_suggestions, rule_edits
from synapse_ls.edits.rename_plans import RENAMES, rename_domain
from synapse_ls.engine.compiled_plan import Plan, PlanDomain
from synapse_ls.queries.domain_report import (
    describe_triggers,
    domain_report,
    domain_tokens,
    empty_tree_note,
)
from synapse_ls.queries.report_model import to_json
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.session_settings import find_label
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.naming_conventions import is_same_id, suggest_names
from synapse_ls.workspace.tree_loader import load_tree

_LIST_OPTIONS = (
    ("--recall", "WORDS", "keywords that activate it, with commas between them"),
    ("--exclude", "WORDS", "words that keep it out"),
    ("--paths", "GLOBS", "files that activate it, such as src/**/*.sql"),
)

_STATES = {"on": True, "off": False}


def _split_items(text: str | None) -> list[str]:
    return [item.strip() for item in (text or "").split(",") if item.strip()]


@command(
    option("name NAME", "in kebab-case: api-design, agent-dev"),
    option_group(
        "What activates it",
        *(option(f"{name} {metavar}", text, default=None) for name, metavar, text in _LIST_OPTIONS),
        option("--agent ID", "an agent that activates it"),
        option("--workflow ID", "a workflow that activates it"),
        switch("--always-on", "it takes part in every prompt"),
    ),
    option_group(
        "Content",
        repeated_option("--rule TEXT", "a first rule; can be repeated"),
        option("--squad NAME", "make it in this squad's tree"),
    ),
    DRY_RUN_OPTION,
)
def run_new(options: Namespace, console: Console) -> None:
    """Adds the domain to the manifest and creates its rule file. agent-x and workflow-x are
    activated by that agent or workflow; any other domain by the distinctive words of its name,
    unless you say what activates it.

    Examples:

    # Activated by keywords, with two rules
    $ synapse domain new api-design --recall "api,url" --rule "Version it" --rule "Return JSON"

    # For an agent
    $ synapse domain new agent-architect

    # What would be written?
    $ synapse domain new security --always-on --dry-run
    """
    root, tree = load_options_tree(options)
    plan = domain_edits.add_domain(
        tree,
        options.name,
        recall=None if options.recall is None else _split_items(options.recall),
        exclude=_split_items(options.exclude),
        paths=_split_items(options.paths),
        agent=options.agent.removeprefix("@"),
        workflow=options.workflow,
        always_on=options.always_on,
        rules=options.rule,
        squad=options.squad,
    )
    apply_or_show(root, plan, options, console)


@command(option("name NAME", "a domain, in any spelling"), option_group("Output", FORMAT_OPTION))
def run_show(options: Namespace, console: Console) -> None:
    """Settings, triggers and cost of a domain, and its rules with their lines.

    Examples:

    # A domain of the tree, in any spelling
    $ synapse domain show agent-dev

    # A squad's domain carries the squad's prefix
    $ synapse domain show ETL_PIPELINE --format json
    """
    plan = load_plan(root_of(options)).with_all_files().plan
    domain = plan.domain(plan.labels[find_label(plan, options.name)])
    if options.format == "json":
        rules = [
            {"key": row.key, "kind": row.kind, "line": row.line + 1, "text": row.text}
            for row in domain.rules
        ]
        console.json({**to_json(domain_report(plan, domain)), "rules": rules})
        return
    declared = f" ({domain.manifest}:{domain.line + 1})" if domain.manifest else " (not declared)"
    rows: list[Row] = [
        ("domain", [Styled(domain.label, "title")]),
        ("state", ["active" if domain.active else "inactive", Styled(declared, "dim")]),
        ("activated by", [describe_triggers(plan, domain) or Styled("nothing", "warn")]),
        ("file", [domain.file or Styled("none", "warn")]),
        ("rules", [f"{format_count(len(domain.rules), 'rule')}, {domain_tokens(domain)} tokens"]),
    ]
    lists = (("keywords", domain.recall), ("excluded by", domain.exclude), ("paths", domain.paths))
    rows += [(name, [", ".join(items)]) for name, items in lists if items]
    if domain.non_negotiable:
        rows.append(("protected", ["never cut, never switched off by a session (_NON_NEGOTIABLE)"]))
    if domain.overrides:
        rows.append(("overrides", [", ".join(domain.overrides)]))
    console.rows(rows)
    if domain.rules:
        console.line()
    console.table(
        ([str(row.line + 1), Styled(row.key or "-", "name"), row.text] for row in domain.rules),
        right_aligned={0},
    )


@command(
    option("name NAME", "a domain, in any spelling"),
    option(
        "state STATE",
        "on or off, whatever it is now (default: the other one)",
        nargs="?",
        choices=_STATES,
    ),
    DRY_RUN_OPTION,
)
def run_toggle(options: Namespace, console: Console) -> None:
    """Changes {DOMAIN}_STATE in the manifest, for everybody. For one session only, use `synapse
    session set`. The constitution cannot be switched off.

    Examples:

    # Over to the other state
    $ synapse domain toggle testing

    # Off, whatever it is now
    $ synapse domain toggle testing off
    """
    root, tree = load_options_tree(options)
    state = _STATES.get(options.state)
    apply_or_show(root, domain_edits.toggle_domain(tree, options.name, state), options, console)


@command(
    option("name NAME", "a domain, in any spelling"),
    option("new NEW", "its new name, in kebab-case"),
    DRY_RUN_OPTION,
)
def run_rename(options: Namespace, console: Console) -> None:
    """Renames the domain in the manifest, in the keys of its rules, as a file, and in squads that
    override it. All of it is written, or nothing.

    Examples:

    # Look first
    $ synapse domain rename testing quality --dry-run

    # Then do it
    $ synapse domain rename testing quality
    """
    root, tree = load_options_tree(options)
    apply_or_show(root, rename_domain(tree, options.name, options.new), options, console)


@command(option("text TEXT", "the rule, in quotes"), option_group("Output", FORMAT_OPTION))
def run_suggest(options: Namespace, console: Console) -> None:
    """Ranks the domains by what the text has in common with them: their keywords, their names,
    their agents and rules that are much alike.

    Examples:

    # Where does it belong?
    $ synapse domain suggest "Mock the clock in unit tests"

    # The best one, for a script
    $ synapse domain suggest "Mock the clock" --format json | jq -r '.[0].domain'
    """
    _, tree = load_options_tree(options)
    suggestions = domain_suggestions.suggest_domains(tree, options.text)
    if options.format == "json":
        console.json(suggestions)
        return
    if not suggestions:
        console.line("No domain fits. `synapse domain new` makes one, or GLOBAL takes it.")
    console.table(
        ([Styled(s.domain, "name"), str(s.score), ", ".join(s.reasons)] for s in suggestions),
        right_aligned={1},
    )


_DOMAIN_HELP = "a domain, in any spelling"
_RULE_HELP = (
    "its key (TESTING_RULE_3), or the number in it; in plain text, its place counted from 0"
)
# The kind of a rule -> what qualifies it, "" for nothing, and what it is for.
_RULE_KINDS = {
    "auth": ("", "an authority boundary of an agent"),
    "deny": ("", "what the guard refuses; it is not injected"),
    "allow": ("", "what the guard lets through; it is not injected"),
    "check": ("", "what `synapse audit` looks for; it is not injected"),
    "article": ("NUMBER", "a line of this article of the constitution"),
    "bracket": ("NAME", "a rule for this bracket, in CONTEXT"),
    "command": ("NAME", "a line of this star-command, in COMMANDS"),
}


@command(
    option("name DOMAIN", _DOMAIN_HELP),
    option("text TEXT", "the rule, in quotes"),
    option_group(
        "Kind",
        exclusive(
            *(
                option(f"--{kind} {metavar}", text, default=None)
                if metavar
                else switch(f"--{kind}", text)
                for kind, (metavar, text) in _RULE_KINDS.items()
            )
        ),
    ),
    DRY_RUN_OPTION,
)
def run_rule_add(options: Namespace, console: Console) -> None:
    """Writes the rule behind the last one of its kind, with the next number. A text that would not
    be read as one rule is refused. `synapse domain suggest` says where a rule belongs.

    Examples:

    # A rule
    $ synapse domain rule add testing "One behaviour per test"

    # An authority boundary
    $ synapse domain rule add agent-dev --auth "NEVER git push: delegate to @devops"

    # For a bracket
    $ synapse domain rule add context --bracket CRITICAL "Commit what works"

    # For a star-command, and only to look
    $ synapse domain rule add commands --command brief "Five items at most" --dry-run
    """
    kind, qualifier = "rule", ""
    for name, (metavar, _) in _RULE_KINDS.items():
        if value := getattr(options, name):
            kind, qualifier = name, value.removeprefix("*") if metavar else ""
        elif value == "":
            raise UserError(f"--{name} is empty.", f"Say which {name} the rule belongs to.")
    root, tree = load_options_tree(options)
    plan = rule_edits.add_rule(tree, options.name, options.text, kind=kind, qualifier=qualifier)
    apply_or_show(root, plan, options, console)


@command(
    option("name DOMAIN", _DOMAIN_HELP),
    option("which RULE", _RULE_HELP),
    option("text TEXT", "its new text, in quotes"),
    DRY_RUN_OPTION,
)
def run_rule_edit(options: Namespace, console: Console) -> None:
    """Replaces the text of one rule. Its key, and everything around it, stays.

    Examples:

    # By its key
    $ synapse domain rule edit testing TESTING_RULE_1 "One behaviour per test"

    # By its number, and only to look
    $ synapse domain rule edit testing 1 "One behaviour per test" --dry-run
    """
    root, tree = load_options_tree(options)
    plan = rule_edits.edit_rule(tree, options.name, options.which, options.text)
    apply_or_show(root, plan, options, console)


@command(option("name DOMAIN", _DOMAIN_HELP), option("which RULE", _RULE_HELP), DRY_RUN_OPTION)
def run_rule_remove(options: Namespace, console: Console) -> None:
    """Takes one rule out, its line with it. The others keep their numbers: people and stories refer
    to them.

    Examples:

    # Look first
    $ synapse domain rule remove testing 1 --dry-run

    # Then do it
    $ synapse domain rule remove testing TESTING_RULE_1
    """
    root, tree = load_options_tree(options)
    apply_or_show(root, rule_edits.remove_rule(tree, options.name, options.which), options, console)


_MAX_KEYWORDS = 3  # keywords in a table


def _squad_domains(plan: Plan, name: str) -> tuple[int, ...]:
    for squad in plan.squads:
        if is_same_id(name, squad.folder) or is_same_id(name, squad.name):
            return squad.domains
    folders = [squad.folder for squad in plan.squads]
    listed = f"The squads are {', '.join(folders)}." if folders else "The workspace has no squads."
    raise UserError(f'There is no squad "{name}".', suggest_names(name, folders, listed))


def _domain_row(plan: Plan, domain: PlanDomain) -> list[Part]:
    more = len(domain.recall) - _MAX_KEYWORDS
    keywords = ", ".join(domain.recall[:_MAX_KEYWORDS]) + (f", … {more} more" if more > 0 else "")
    return [
        Styled(domain.label, "name"),
        describe_triggers(plan, domain) or Styled("nothing", "warn"),
        "active" if domain.active else Styled("inactive", "dim"),
        str(len(domain.rules)),
        str(domain_tokens(domain)),
        domain.file or Styled("no file", "warn"),
        keywords,
    ]


@command(
    option_group("Output", option("--squad NAME", "only the domains of this squad"), FORMAT_OPTION)
)
def run_domains(options: Namespace, console: Console) -> None:
    r"""One line for each domain: what activates it, whether it is switched on, how many rules it
    has and what they cost together, its file and its keywords. Domains of squads carry the squad's
    prefix.

    Examples:

    # The whole tree
    $ synapse domains

    # One squad
    $ synapse domains --squad etl-squad

    # The five that cost most
    $ synapse domains --format json | jq -r 'sort_by(-.tokens) | .[:5][] | "\(.tokens) \(.label)"'
    """
    loaded = load_plan(root_of(options)).with_all_files()
    plan = loaded.plan
    domains = plan.domains()
    if options.squad:
        positions = _squad_domains(plan, options.squad)
        domains = [domain for domain in domains if domain.position in positions]
    if options.format == "json":
        console.json([domain_report(plan, domain) for domain in domains])
        return
    console.table(
        [_domain_row(plan, domain) for domain in domains],
        ("domain", "activated by", "state", "rules", "tokens", "file", "keywords"),
        right_aligned={3, 4},
    )
    rules = sum(len(domain.rules) for domain in domains)
    console.line()
    console.line(f"{format_count(len(domains), 'domain')}, {format_count(rules, 'rule')}")
    console.notes(filter(None, (*loaded.notes, empty_tree_note(plan))))


@command(
    option("kind KIND", "{}", choices=RENAMES),
    option("name NAME", "what it is called now, in any spelling"),
    option("new NEW", "its new name, in kebab-case"),
    DRY_RUN_OPTION,
)
def run_rename_everywhere(options: Namespace, console: Console) -> None:
    """Renames a domain, an agent, a workflow, a squad, a star-command or a task. The new name is
    written in its definition, in everything that refers to it, in the text of rules, and in the
    name of its file or folder. All of it is written, or nothing. It is what the rename of an editor
    does.

    Examples:

    # Look first
    $ synapse rename agent dev builder --dry-run

    # A squad, with the prefix of its domains
    $ synapse rename squad etl-squad data-squad
    """
    root = root_of(options)
    tree = load_tree(root, LoadScope.ALL).tree
    plan = RENAMES[options.kind](tree, options.name.lstrip("@*"), options.new.lstrip("@*"))
    apply_or_show(root, plan, options, console)
