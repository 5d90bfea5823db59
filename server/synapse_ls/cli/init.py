"""``synapse init``: create a first tree, or adopt the rules that a project has."""

from argparse import Namespace
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from synapse_ls.cli.client_options import client_option, selected_clients, show_changes
from synapse_ls.cli.command_table import command, option, option_group, repeated_option, switch
from synapse_ls.cli.console import Console, align_columns
from synapse_ls.cli.file_changes import DRY_RUN_OPTION, apply_or_show, show_text_diff
from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.integrations import hook_registrations, settings_registry
from synapse_ls.integrations.client_settings import PROJECT, Surroundings
from synapse_ls.setup import planned_changes, sync_plan, tree_configuration
from synapse_ls.setup.init import adoption_plan, rule_sources, starter_tree
from synapse_ls.setup.init.adoption_plan import plan_conversion
from synapse_ls.setup.install.hook_installation import apply_changes, plan_installation
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_systems import unserved_systems
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from synapse_ls.workspace.tree_search_upward import find_root


def _start_tree(root: Path, tree: Tree, options: Namespace, console: Console) -> None:
    """Write a template, or what the repository shows."""
    texts = (
        starter_tree.aiox_files()
        if options.template == starter_tree.AIOX
        else _starter_texts(root, options, console)
    )
    texts = {**texts, **starter_tree.settings_files()}
    plan = starter_tree.plan_init(tree, texts, starter_tree.existing_paths(root, texts.keys()))
    was_hooked = sync_plan.hooked_clients(root)
    apply_or_show(str(root), plan, options, console)
    _register(root, options, console)
    after = tree_after(tree, plan)
    if options.template != starter_tree.AIOX and plan and not options.dry_run:
        # Print what an agent gets from now on, and what it costs.
        for domain in after.domains:
            words = domain.declaration.recall if domain.declaration else ()
            when = f'with "{words[0]}" and the like' if words else "with every session"
            for rule in after.rules_of(domain):
                console.note_line(f"  {when}: {rule.text}")
        _report_costs(
            root, tree, after, rule_sources.survey_sources(root), was_hooked, options, console
        )
        console.note("the files are yours to edit")
    if plan:
        _name_others(root, console)
    for _, other in unserved_systems(str(root)) if plan and not options.dry_run else ():
        console.note(
            f"{other.place} has rules of {other.title}, which no longer count beside this tree"
        )
    _print_next_steps(root, options, console)


def _starter_texts(root: Path, options: Namespace, console: Console) -> Mapping[str, str]:
    """Return the files of a starter tree, from what the repository shows and the person says."""
    facts = starter_tree.survey_project(root)
    answers = {"about": options.about, "tests": options.test, "checks": options.lint}
    examples = {
        "about": facts.about, "tests": " && ".join(facts.tests), "checks": " && ".join(facts.checks)
    }  # fmt: skip
    questions = {
        "about": "What is this project, in a few words",
        "tests": "How are its tests run",
        "checks": "How is its code checked",
    }
    if console.can_ask and not options.dry_run and not any(answers.values()):
        console.note_line('A few questions; an empty line takes what is in brackets, "-" nothing.')
        for name, question in questions.items():
            if answers[name] is None:
                answer = console.ask(question, examples[name])
                answers[name] = "" if answer == "-" else answer
    unchanged = {name for name, answer in answers.items() if answer in (None, examples[name])}
    about, tests, checks = (" ".join((answers[name] or "").split()) for name in answers)
    facts = replace(
        facts,
        about=facts.about if "about" in unchanged else about.rstrip("."),
        tests=facts.tests if "tests" in unchanged else (tests,) * bool(tests),
        checks=facts.checks if "checks" in unchanged else (checks,) * bool(checks),
    )
    return starter_tree.starter_files(
        facts, [" ".join(rule.split()) for rule in options.rules if rule.strip()]
    )


def _adopt(
    root: Path, tree: Tree, survey: rule_sources.SourceSurvey, options: Namespace, console: Console
) -> None:
    """Have the tree refer to the files of a survey: all of it is planned, then written, then
    reported.
    """
    served = None if options.beside else rule_sources.find_served_rules(tree, str(root))
    if served is not None and served.name != "synapse":
        raise UserError(
            f"{served.said}; a tree with these rules would be served in its place.",
            f"Nothing was written: {_other_ways(served)}.",
        )
    texts = starter_tree.referring_files()
    existing = starter_tree.existing_paths(root, texts.keys())
    settings = {path: text for path, text in texts.items() if path not in existing}
    adoption = adoption_plan.plan_adoption(root, tree, survey, settings)
    was_hooked = sync_plan.hooked_clients(root)
    hooked = _hooked_by_then(was_hooked, options)
    apply_or_show(str(root), adoption.plan, options, console)
    _register(root, options, console)
    _report_sources(adoption, _clients_in_use(root, hooked), hooked, console)
    _report_costs(root, tree, adoption.tree, survey, was_hooked, options, console)
    _print_next_steps(root, options, console)


def _convert(root: Path, tree: Tree, options: Namespace, console: Console) -> None:
    """Take out the copies of rules that an earlier version made, and refer to their files."""
    changes, survey = plan_conversion(root, tree)
    if not changes:
        console.line("Nothing to change: no rule of the tree is a copy.")
        return
    if options.dry_run:
        for change in changes:
            show_text_diff(change.diff, console)
    else:
        planned_changes.write_files(changes)
        for change in changes:
            console.line(f"{planned_changes.DONE_WORDS[change.action]}  {change.path}")
        tree = _load(root)
    _adopt(root, tree, survey, options, console)


def _load(root: Path) -> Tree:
    return load_tree(str(root), LoadScope.PROMPT, profile="synapse").tree


def _hooked_by_then(was_hooked: frozenset[str], options: Namespace) -> frozenset[str]:
    """Return the clients that call the hook afterwards; some have no settings of a project."""
    chosen = (client for client in selected_clients(options) if client.place(PROJECT))
    return was_hooked | {client.name for client in chosen}


def _clients_in_use(root: Path, hooked: Collection[str]) -> tuple[str, ...]:
    """Return the clients with the hook, and those whose files show that they are used here."""
    return tuple(
        name
        for name, client in settings_registry.CLIENTS.items()
        if name in hooked or any((root / sign).exists() for sign in client.signs)
    )


def _report_sources(
    adoption: adoption_plan.AdoptionPlan,
    clients: Sequence[str],
    hooked: Collection[str],
    console: Console,
) -> None:
    """Say to what the tree refers, when each file applies, who reads it, and what is no rule."""
    rows = [
        [
            f"  {adoption_plan.describe_names(adoption.survey, domain.file)}",
            format_count(len(adoption.tree.rules_of(domain)), "rule"),
            adoption_plan.describe_when(domain),
            adoption_plan.describe_readers(domain, clients, hooked),
        ]
        for domain in adoption.domains
    ]
    if rows:
        console.note_line("The tree refers to these files, which stay as they are:")
        for line in align_columns(rows):
            console.note_line(*line)
    survey = adoption.survey
    parts = [
        (path, text)
        for path in survey.sources
        if (text := adoption_plan.describe_left_out(survey, path))
    ]
    if parts:
        console.note_line("These parts of them are no rules, and are never injected:")
        for path, text in parts:
            console.note_line(f"  {path}: {text}")
    notes = (*survey.skipped, *survey.unused(), *survey.wider())
    console.notes(f"{path} {why}" for path, why in notes)


def _report_costs(
    root: Path,
    before: Tree,
    after: Tree,
    survey: rule_sources.SourceSurvey,
    was_hooked: frozenset[str],
    options: Namespace,
    console: Console,
) -> None:
    """Say what rules take in a first turn, before and now, in each client in use."""
    hooked = _hooked_by_then(was_hooked, options)
    plan_before, plan = (compile_plan(tree, str(root)) for tree in (before, after))
    if clients := _clients_in_use(root, hooked):
        console.note_line(
            f"Rules in the first turn of a session (a prompt, and {adoption_plan.TOOL_USES} uses "
            "of tools), in tokens of about 4 characters:"
        )
    for client in clients:
        earlier = plan_before if client in was_hooked else None
        now = plan if client in hooked else None
        turn = adoption_plan.replay_first_turn(earlier, now, after, survey, client)
        console.note_line(f"  {adoption_plan.describe_first_turn(turn)}")
        costs = [*adoption_plan.describe_later_costs(plan, client, turn.injected)] if now else []
        if now and turn.native and not (turn.injected or costs):
            sentence = "these rules need no hook there; rules that you add to the tree do"
            costs = [f"{sentence}, and so does the guard"]
        for cost in costs:
            console.note_line(f"    {cost}")


def _register(root: Path, options: Namespace, console: Console) -> bool:
    """Have the hook registered with the clients that the options name, if any."""
    if clients := selected_clients(options):
        around = Surroundings.of_process(str(root))
        sharing = [client for client in clients if client.place(PROJECT)]
        changes = plan_installation(around, sharing, PROJECT, guard=None)
        if not options.dry_run:
            apply_changes(changes)
        show_changes(changes, console, dry_run=options.dry_run)
        console.notes(
            f"{client.title} has no settings of a project: "
            f"`synapse install --client {client.name}{client.scope_option}` registers the hook"
            for client in clients
            if client not in sharing
        )
        if not options.dry_run:
            console.notes(f"{c.title}: {c.after_install}" for c in sharing if c.after_install)
    return bool(clients)


def _name_others(root: Path, console: Console) -> None:
    """Name the files with rules to which the tree does not refer, and those that are not read."""
    survey = rule_sources.survey_sources(root)
    console.notes(f"{path} {why}" for path, why in (*survey.skipped, *survey.unused()))
    named = {source.path for source in tree_configuration.read_configuration(root).config.adopted}
    if others := [name for name in survey.names if name not in named]:
        verb = "have" if len(others) > 1 else "has"
        console.note(
            f"{', '.join(others)} {verb} rules, too: `synapse init --from` has the tree refer to "
            f"{'them' if len(others) > 1 else 'it'}"
        )


def _other_ways(served: rule_sources.ServedRules) -> str:
    """Return how one comes to a tree of ``.synapse/`` all the same."""
    beside = f"`synapse init --beside` writes a tree that is served in the place of {served.place}"
    if served.name != "carl":
        return beside
    return f"`synapse migrate` makes a tree of it, and {beside}"


def _print_next_steps(root: Path, options: Namespace, console: Console) -> None:
    """Print what to do with the tree, now that it is there."""
    if options.dry_run:
        return
    where = f" {options.folder}" if options.folder else ""
    console.note(f"next, `synapse check{where}` finds mistakes in the tree")
    if not hook_registrations.registered_files(str(root)):
        console.note(
            f"next, `synapse install{where and f' --root{where}'}` injects the rules for your agent"
        )
    console.note("`synapse help WORD` explains a word that is new to you, such as domain")


@command(
    option("folder DIR", "the workspace (default: the working directory)", nargs="?"),
    option_group(
        "A first tree",
        option(
            "--template NAME",
            f"{starter_tree.STARTER}: a few rules from what the repository shows, though the "
            f"project has rules to take over; {starter_tree.AIOX}: AIOX's constitution, "
            "agents and workflow",
            choices=starter_tree.TEMPLATES,
        ),
        option("--about TEXT", "what the project is, in a few words", default=None),
        option("--test COMMAND", 'how its tests are run; "" for nothing', default=None),
        option("--lint COMMAND", 'how its code is checked; "" for nothing', default=None),
        repeated_option("--rule TEXT", "a rule of yours; may be given again", dest="rules"),
    ),
    option_group(
        "Rules that are there",
        option(
            "--from FILE",
            "refer to these files and folders; without a name, to CLAUDE.md, AGENTS.md, "
            ".cursor/rules and the like, where there are any",
            nargs="*",
            dest="sources",
        ),
        switch(
            "--convert",
            "take the copies out that an earlier version made of such rules, and refer to the "
            "files",
        ),
        client_option(default="none is registered"),
    ),
    switch(
        "--beside",
        "write a tree though rules are served here; those of another system are not injected then",
    ),
    DRY_RUN_OPTION,
)
def run(options: Namespace, console: Console) -> None:
    """Makes a tree that refers to the rules which the project has for its agents. If it has none,
    the tree gets a few rules from what the repository shows (languages, packages, how it is tested
    and checked). A domain that prompts about tests activate and an example test come with them. On
    a terminal it asks. Files of rules that exist are never touched; --client adds the hook to the
    settings of a client. A folder that does not exist is created. Where rules are served already,
    be it those of CARL, Chati.dev or Brainiac, it says so and writes nothing, unless you say
    --beside.

    CLAUDE.md, AGENTS.md, GEMINI.md, the rules of Cursor, Copilot, Claude Code and others stay as
    they are, and so does what they import inside the project. The tree refers to them
    (`[[adopted]]` in .synapse/config.toml), and --from names others. A client that reads a file
    itself gets nothing of it twice. For any other client with the hook, its rules are injected
    when the file says that they apply (`paths`, `globs`, `applyTo`, its folder). What a file keeps
    for who asks for it is never injected. The report says who reads what, which parts are no rules,
    and what a first turn costs in each client, before and now.

    Examples:

    # A first tree, here
    $ synapse init

    # The same without a question
    $ synapse init --about "a shop" --test "make test"

    # What would be written, and what would a first turn cost?
    $ synapse init --dry-run

    # Refer to what there is, and register the hook
    $ synapse init --client claude

    # Refer to one more file
    $ synapse init --from docs/style.md

    # AIOX's constitution and agents
    $ synapse init --template aiox
    """
    root = Path(options.folder or getattr(options, "root", "") or ".").absolute()
    if root.exists() and not root.is_dir():
        raise UserError(f"{root} is a file, not a folder.", "Name a folder.")
    tree = _load(root)
    if (above := find_root(str(root))) is not None and Path(above) != root:
        console.note(f"{above} has a tree as well; from {root} down, this one will count")
    if options.convert:
        _convert(root, tree, options, console)
        return
    if options.sources is not None:
        _adopt(root, tree, _named_sources(root, options), options, console)
        return
    served = None if options.beside else rule_sources.find_served_rules(tree, str(root))
    if served is not None:
        if not _register(root, options, console):
            console.line("Nothing to change.")
        console.note(f"{served.said}; nothing was written")
        if served.name != "synapse":
            console.note(_other_ways(served))
        else:
            _name_others(root, console)
        _print_next_steps(root, options, console)
        return
    is_described = options.about or options.test or options.lint or options.rules
    if options.template is None and not (options.beside or is_described):
        survey = rule_sources.survey_sources(root)
        names = survey.names
        is_wanted = bool(names)
        if names and console.can_ask and not options.dry_run:
            verb = "have" if len(names) > 1 else "has"
            console.line(f"{', '.join(names)} {verb} rules for agents.")
            question = "Have the tree refer to them, where they are?"
            is_wanted = bool(console.confirm(question, default=True))
        if is_wanted:
            _adopt(root, tree, survey, options, console)
            return
    _start_tree(root, tree, options, console)


def _named_sources(root: Path, options: Namespace) -> rule_sources.SourceSurvey:
    """Return the files that ``--from`` names, else all that there are."""
    if options.sources:
        if not (survey := rule_sources.survey_names(root, options.sources)).names:
            for path, why in survey.unused():
                if survey.has_rules(path):
                    raise UserError(
                        f"{path} {why}.", "Change when it applies, in its front matter."
                    )
            raise UserError(
                f"There are no rules in {', '.join(options.sources)}.",
                "Write one on each line of a list, or run `synapse init` for a first tree.",
            )
        return survey
    survey = rule_sources.survey_sources(root)
    if not survey.sources and (root / rule_sources.CARL_FOLDER).is_dir():
        return rule_sources.survey_names(root, (rule_sources.CARL_FOLDER,))
    if not survey.names:
        raise UserError(
            f"{root} has no CLAUDE.md or the like with rules.", "Name a file: --from FILE."
        )
    return survey
