"""``synapse init``: create a first tree, or adopt the rules that a project has."""

from __future__ import annotations

from argparse import BooleanOptionalAction, Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from synapse_ls.cli.client_options import client_option, selected_clients, show_changes
from synapse_ls.cli.command_parser import ChoiceType
from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console
from synapse_ls.cli.file_changes import DRY_RUN_OPTION, apply_or_show, show_text_diff
from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.formats.instruction_rules import read_source, shorten_excerpt
from synapse_ls.formats.managed_block import is_managed
from synapse_ls.integrations.client_definition import PROJECT, Client, Surroundings
from synapse_ls.integrations.client_registrations import find_registrations, registered_files
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM
from synapse_ls.integrations.instruction_files import TARGETS, target_of
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.lint.reply_limits import describe_later_replies
from synapse_ls.setup.init.domain_proposals import adoption_obstacle
from synapse_ls.setup.init.rule_adoption import AdoptionPlan, plan_adoption
from synapse_ls.setup.init.rule_sources import (
    CARL_FOLDER,
    KNOWN_SOURCES,
    ServedRules,
    existing_paths,
    existing_sources,
    find_served_rules,
    imported_path,
    load_sources,
    skipped_links,
)
from synapse_ls.setup.init.source_replacement import (
    FirstTurn,
    Replacement,
    describe_first_turns,
    describe_late_rules,
    plan_replacement,
    replace_adopted,
    replacement_obstacles,
    replay_first_turns,
)
from synapse_ls.setup.init.starter_tree import (
    AIOX,
    SETTINGS_FILES,
    STARTER,
    TEMPLATES,
    aiox_files,
    plan_init,
    settings_files,
    starter_files,
    survey_project,
)
from synapse_ls.setup.install.hook_installation import apply_changes, plan_installation
from synapse_ls.setup.planned_changes import CREATE, REMOVE
from synapse_ls.setup.sync_plan import hooked_clients
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.served_system import unserved_systems
from synapse_ls.workspace.tree_discovery import find_root
from synapse_ls.workspace.tree_loader import load_tree


def choose_keywords(
    root: Path,
    tree: Tree,
    always: AdoptionPlan,
    woken: AdoptionPlan,
    options: Namespace,
    console: Console,
) -> bool:
    """Ask, for ``synapse init``, whether new domains are to wake by the words that are suggested
    for them, unless the options say it.
    """
    hooked = _hooked_by_then(root, options)
    as_now, waiting = (
        describe_first_turns(replay_first_turns(tree_after(tree, names.plan), str(root), hooked))
        for names in (always, woken)
    )
    costs = (f"as it is, {as_now}", f"where these wait for their words, {waiting}")
    chosen = options.keywords
    asks = chosen is None and console.can_ask and not options.dry_run
    if asks or chosen:
        for label, words in always.suggestions.items():
            stays = ""
            if label in always.kept:  # a part of it does not wait
                strict, total = always.kept[label]
                stay = (
                    "forbids or demands, and stays" if strict == 1 else "forbid or demand, and stay"
                )
                stays = f" ({strict} of {format_count(total, 'rule')} {stay} always on)"
            console.note_line(f"  {label}: {', '.join(words)}{stays}")
            if rules := always.wordless.get(label):
                verb = "says" if len(rules) == 1 else "say"
                console.note_line(
                    f"    {format_count(len(rules), 'rule')} {verb} none of these words and would "
                    "come only with "
                    f'the others: "{shorten_excerpt(rules[0])}"{" …" if len(rules) > 1 else ""}'
                )
        console.notes(costs)
    elif chosen is None:
        domains = format_count(
            len(always.suggestions), "domain (group of rules)", "domains (groups of rules)"
        )
        console.note(f"{domains} could wait for words (--keywords); then {waiting}")
    say_what_is_unconditional(always, options, console)
    if asks:
        chosen = bool(
            console.confirm("Tell the rules of each only with a prompt that says one of its words?")
        )
    return bool(chosen)


def say_what_is_unconditional(adoption: AdoptionPlan, options: Namespace, console: Console) -> None:
    """Say, before ``synapse init`` asks about keywords, which new domains are about one subject and
    do not wait for words even so, and why.
    """
    if options.keywords is False:
        return
    for label, rule in adoption.unconditional.items():
        console.note(f'{label} stays always on, since it forbids or demands: "{rule}"')
    waiting = len(adoption.suggestions)
    subjects = waiting + len(adoption.unconditional)
    if adoption.unconditional:
        verb = "waits" if 1 in (waiting, subjects) else "wait"
        console.note(f"{waiting} of {format_count(subjects, 'subject')} {verb} for a word")


@dataclass(frozen=True, slots=True)
class AdoptionDecision:
    """What is to become of the files that rules were taken from. hooked: the clients that call the
    hook by then. planned: the changes, None where they stay as they are.
    """

    hooked: frozenset[str]
    planned: Replacement | None = None


def decide_replacement(
    root: Path,
    tree: Tree,
    adoption: AdoptionPlan,
    sources: Mapping[str, str],
    options: Namespace,
    console: Console,
) -> AdoptionDecision:
    """Decide, for ``synapse init``, whether what ``tree`` tells goes from the files that it was
    taken from, which is only where the options say so. Raises UserError where that would do harm.
    """
    hooked = _hooked_by_then(root, options)
    turns = replay_first_turns(tree, str(root), hooked)
    if options.replace_adopted:
        _refuse_harm(root, adoption, sources, turns, console)
        planned = plan_replacement(root, tree, adoption.told_lines, hooked)
        console.notes(planned.notes if not planned.changes else ())
        return AdoptionDecision(hooked, planned if planned.changes else None)
    read = [path for path, lines in adoption.told_lines.items() if lines and target_of(path)]
    if read:
        stay = "stays as it is" if len(read) == 1 else "stay as they are"
        it = "it" if len(read) == 1 else "one of them"
        console.note(
            f"{', '.join(read)} {stay}: a client that reads {it} and calls the hook has these "
            "rules in context twice"
        )
    for turn in turns:
        if turn.late:
            console.note(f"{describe_late_rules(turn)}. {describe_later_replies(tree)}")
    return AdoptionDecision(hooked)


def _refuse_harm(
    root: Path,
    adoption: AdoptionPlan,
    sources: Mapping[str, str],
    turns: Iterable[FirstTurn],
    console: Console,
) -> None:
    """Raise UserError where rules cannot go out of their files without harm, and name each
    place.
    """
    reasons = [
        f"{place.path}:{place.line}: {place.why}"
        for place in replacement_obstacles(root, adoption, sources)
    ]
    first, *other_paths = [path for path, lines in adoption.told_lines.items() if lines] or [""]
    read = f"{first} and {format_count(len(other_paths), 'other file')}" if other_paths else first
    reasons += [f"{read}: {describe_late_rules(turn)}" for turn in turns if turn.late]
    if not reasons:
        return
    for reason in reasons[1:]:
        console.note_line(f"  {reason}")
    more = f" ({len(reasons) - 1} more above)" if len(reasons) > 1 else ""
    raise UserError(
        f"Nothing was written, since --replace-adopted would do harm: {reasons[0]}{more}.",
        "Run the command without --replace-adopted: these files stay as they are then.",
    )


def _hooked_by_then(root: Path, options: Namespace) -> frozenset[str]:
    return hooked_clients(root) | {client.name for client in selected_clients(options)}


def _readers_of(planned: Replacement) -> set[str]:
    targets = {name for change in planned.changes for name in change.target.split("+")}
    return {name for target in targets for name in TARGETS[target].clients}


def carry_out(root: Path, decision: AdoptionDecision, options: Namespace, console: Console) -> bool:
    """Carry out what is to become of adopted files, or show it with ``--dry-run``; return whether
    there was anything.
    """
    planned = decision.planned
    if planned is None:
        return False
    if options.dry_run:
        for change in planned.changes:
            show_text_diff(change.diff, console)
        return True
    replace_adopted(root, planned)
    words = {CREATE: "created", REMOVE: "removed"}
    for replacement_change in planned.changes:
        console.line(
            f"{words.get(replacement_change.action, 'changed')}  {replacement_change.path}"
        )
    console.note("`synapse uninstall` brings these files back, to the byte")
    console.notes(planned.notes)
    if not decision.hooked.isdisjoint(_readers_of(planned)):
        console.note(
            f"where `{SHARED_PROGRAM}` is not installed, as with colleagues, the hook says "
            "nothing, and these files tell the agent to read the rules in the tree"
        )
    console.notes(_personal_hooks(root, planned, decision.hooked))
    return True


def _personal_hooks(root: Path, planned: Replacement, hooked: frozenset[str]) -> Iterator[str]:
    """Yield a sentence for each client that calls the hook for this person alone: its file, which
    is everybody's, holds the rules too.
    """
    around = Surroundings.of_process(str(root))
    readers = _readers_of(planned)
    for client in CLIENTS.values():
        if client.name in readers - hooked and any(find_registrations(around, client)):
            yield (
                f"{client.title} calls the hook for you alone and reads its file, too; "
                f"`synapse install --client {client.name}` has everybody's rules come by the hook"
            )


def register_hook(root: Path, clients: list[Client], options: Namespace, console: Console) -> None:
    """Register the hook with ``clients``, where that was answered to ``synapse init``, as `synapse
    install` does.
    """
    around = Surroundings.of_process(str(root))
    sharing = [client for client in clients if client.place(PROJECT)]
    changes = plan_installation(around, sharing, PROJECT, guard=None)
    if not options.dry_run:
        apply_changes(changes)
    show_changes(changes, console, dry_run=options.dry_run)
    for client in clients:
        if client not in sharing:
            console.note(
                f"{client.title} has no settings of a project: "
                f"`synapse install --client {client.name}{client.scope_option}` registers the hook"
            )
    for client in sharing if not options.dry_run else ():
        if client.after_install:
            console.note(f"{client.title}: {client.after_install}")


def say_what_it_costs(
    root: Path,
    tree: Tree,
    adoption: AdoptionPlan,
    decision: AdoptionDecision,
    options: Namespace,
    console: Console,
) -> None:
    """Say, at the end of ``synapse init``, which files still have what the tree has a copy of, how
    later edits of them get there, and what the hook adds to a session's first turn.
    """
    changed = {change.path for change in decision.planned.changes} if decision.planned else set()
    unchanged = [
        path for path, lines in adoption.told_lines.items() if lines and path not in changed
    ]
    if unchanged and adoption.plan and not options.dry_run:
        keeps = "keeps its" if len(unchanged) == 1 else "keep their"
        console.note(
            f"{', '.join(unchanged)} {keeps} rules, and the tree has copies: what is edited there "
            "later comes to the tree only by `synapse init --from FILE`"
        )
    console.note(describe_first_turns(replay_first_turns(tree, str(root), decision.hooked)))


def _start_tree(root: Path, tree: Tree, options: Namespace, console: Console) -> int:
    """Write a template, or what the repository shows."""
    texts = aiox_files() if options.template == AIOX else _starter_texts(root, options, console)
    _name_skipped_links(root, KNOWN_SOURCES, console)
    _name_obstacles(root, console)
    texts = {**texts, **settings_files()}
    plan = plan_init(tree, texts, existing_paths(root, texts.keys()))
    code = apply_or_show(str(root), plan, options, console)
    if options.template != AIOX and plan and not options.dry_run:
        # Print what an agent is told from now on, and what it costs.
        rule_tree = Tree(load_tree(str(root), LoadScope.PROMPT).index.snapshot())
        for domain in rule_tree.domains:
            words = domain.declaration.recall if domain.declaration else ()
            when = f'with "{words[0]}" and the like' if words else "with every session"
            for rule in rule_tree.rules_of(domain):
                console.note_line(f"  {when}: {rule.text}")
        turns = replay_first_turns(rule_tree, str(root), hooked_clients(root))
        console.note(f"{describe_first_turns(turns)}; the files are yours to edit")
    if plan and (other_sources := _other_sources(root)):
        verb = "have" if len(other_sources) > 1 else "has"
        console.note(
            f"{', '.join(other_sources)} {verb} rules, too: `synapse init --from` takes them over"
        )
    for _, other in unserved_systems(str(root)) if plan and not options.dry_run else ():
        console.note(
            f"{other.place} has rules of {other.title}, which count no more beside this tree"
        )
    _register(root, options, console)
    _print_next_steps(root, options, console)
    return code


def _starter_texts(root: Path, options: Namespace, console: Console) -> Mapping[str, str]:
    """Return the files of a starter tree, from what the repository shows and the person says."""
    facts = survey_project(root)
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
    return starter_files(facts, [" ".join(rule.split()) for rule in options.rules if rule.strip()])


def _offered_sources(root: Path, options: Namespace, console: Console) -> tuple[str, ...]:
    """Return the files whose rules the first tree is to be made of: those that there are, unless
    the person at the terminal would rather begin anew.
    """
    names = _sources_with_rules(root, adoptable=not options.replace_adopted)
    if not names or options.dry_run or not console.can_ask:
        return names
    verb = "have" if len(names) > 1 else "has"
    console.line(f"{', '.join(names)} {verb} rules for agents.")
    return names if console.confirm("Make the tree of them?", default=True) else ()


def _sources_with_rules(root: Path, *, adoptable: bool = True) -> tuple[str, ...]:
    """Return those of the files and folders for agents that have rules; () where none of these can
    be taken over, unless ``adoptable`` is false.
    """
    documents = {}
    for name in existing_sources(root):
        sources = (read_source(*item) for item in load_sources(root, (name,)).items())
        with_rules = [
            source for source in sources if any(heading.rules for heading in source.headings)
        ]
        if with_rules:
            documents[name] = not all(map(adoption_obstacle, with_rules))
    return tuple(documents) if any(documents.values()) or not adoptable else ()


def _other_sources(root: Path) -> tuple[str, ...]:
    """Return the files and folders beside a starter tree from which rules can be taken, or of which
    that is not known.
    """
    try:
        return _sources_with_rules(root)
    except UserError:
        return existing_sources(root)


def _name_obstacles(root: Path, console: Console) -> None:
    """Name the files whose rules are not taken over because of their front matter."""
    try:
        sources = load_sources(root, existing_sources(root))
    except UserError:  # what cannot be read stands in the way of no starter tree
        return
    for path, text in sources.items():
        if why := adoption_obstacle(read_source(path, text)):
            console.note(f"{path} is not taken over: {why}")


def _adopt_rules(
    root: Path, tree: Tree, names: Sequence[str], options: Namespace, console: Console
) -> int:
    existing = existing_paths(root, SETTINGS_FILES)
    settings = {path: text for path, text in settings_files().items() if path not in existing}
    sources = load_sources(root, names)
    adoption = plan_adoption(sources, tree, settings)
    if adoption.sources_without_rules and not any(map(is_managed, sources.values())):
        for line in adoption.to_text().splitlines()[1:]:
            console.note_line(line)
        raise UserError(
            f"There are no rules in {', '.join(adoption.sources_without_rules)}"
            f"{' that a tree can have' * bool(adoption.obstacles)}.",
            "Write one on each line of a list, or run `synapse init` for a first tree.",
        )
    served = None if options.beside else find_served_rules(tree, str(root))
    if served is not None and served.name != "synapse":
        raise UserError(
            f"{served.said}; a tree with these rules would be served in its place.",
            f"Nothing was written: {_other_ways(served)}.",
        )
    if adoption.suggestions:
        woken = plan_adoption(sources, tree, settings, by_keyword=adoption.suggestions)
        if choose_keywords(root, tree, adoption, woken, options, console):
            adoption = woken
    else:
        say_what_is_unconditional(adoption, options, console)
    after = tree_after(tree, adoption.plan)
    mentioned = {path for import_line in adoption.imports if (path := imported_path(import_line))}
    missing = mentioned - existing_paths(root, mentioned)
    for line in adoption.to_text(missing).splitlines():
        console.note_line(line)
    _name_skipped_links(root, names, console)
    decision = decide_replacement(root, after, adoption, sources, options, console)
    if adoption.plan:
        apply_or_show(str(root), adoption.plan, options, console)
    _register(root, options, console)  # first, so that no file is without rules and hook
    replaced = carry_out(root, decision, options, console)
    if not (adoption.plan or replaced):
        console.line("Nothing to change.")
    else:
        say_what_it_costs(root, after, adoption, decision, options, console)
    _print_next_steps(root, options, console)
    return 0


def _name_skipped_links(root: Path, names: Iterable[str], console: Console) -> None:
    for path in skipped_links(root, names):
        console.note(f"{path} is a link that leads out of the project, and is not taken over")


def _register(root: Path, options: Namespace, console: Console) -> None:
    """Have the hook registered with the clients that the options name."""
    clients = selected_clients(options)
    if not clients:
        return
    register_hook(root, clients, options, console)


def _print_served(served: ServedRules, root: Path, options: Namespace, console: Console) -> None:
    """Print what is served already, and the ways on."""
    console.note(f"{served.said}; nothing was written")
    if served.name != "synapse":
        console.note(_other_ways(served))
    _print_next_steps(root, options, console)


def _other_ways(served: ServedRules) -> str:
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
    console.note(f"next, `synapse check{where}` says whether everything in the tree is alive")
    if not registered_files(str(root)):
        console.note(
            f"next, `synapse install{where and f' --root{where}'}` has your agent told the rules"
        )
    console.note("`synapse help WORD` explains a word that is new to you, such as domain")


@command(
    option("folder DIR", "the workspace (default: the working directory)", nargs="?"),
    option_group(
        "A first tree",
        option(
            "--template NAME",
            f"{STARTER}: a few rules from what the repository shows, though the project "
            f"has rules to take over; {AIOX}: AIOX's constitution, agents and workflow",
            type=ChoiceType(TEMPLATES),
        ),
        option("--about TEXT", "what the project is, in a few words"),
        option("--test COMMAND", 'how its tests are run; "" for nothing'),
        option("--lint COMMAND", 'how its code is checked; "" for nothing'),
        option(
            "--rule TEXT",
            "a rule of yours; may be given again",
            action="append",
            default=[],
            dest="rules",
        ),
    ),
    option_group(
        "Rules that are there",
        option(
            "--from FILE",
            "take rules over from these files and folders; without a name, from "
            "CLAUDE.md, AGENTS.md, .cursor/rules and the like, where there are any",
            nargs="*",
            dest="sources",
        ),
        switch(
            "--keywords",
            "tell the rules about one subject only when a prompt says a word of it "
            "(default: asked on a terminal, else no)",
            action=BooleanOptionalAction,
            default=None,
        ),
        switch(
            "--replace-adopted",
            "take what was taken over out of these files; refused where that would do "
            "harm; `synapse uninstall` brings them back (default: no)",
            action=BooleanOptionalAction,
            default=False,
        ),
        client_option(default="none is registered"),
    ),
    switch(
        "--beside",
        "write a tree though rules are served here; those of another system are told to nobody "
        "then",
    ),
    DRY_RUN_OPTION,
)
def run(options: Namespace, console: Console) -> int:
    """Makes a tree of the rules that the project has for its agents; where it has none, writes a
    small one that is yours: a few rules from what the repository shows (languages, packages, how it
    is tested and checked), a domain that prompts about tests wake, and an example test. On a
    terminal it asks. Files that exist are never touched. A folder that does not exist is created.
    Where rules are served already, be it those of CARL, Chati.dev or Brainiac, it says so and
    writes nothing, unless you say --beside.

    Rules are taken over from CLAUDE.md, AGENTS.md, GEMINI.md, rules of Cursor, Copilot and Claude
    Code, with what they import inside the project; --from names others. Sections about one subject
    become domains that are always on, as the sections were, or with --keywords wake by words; globs
    and descriptions of a file (.mdc, applyTo, paths) become triggers, and an agent's persona in a
    folder agents/ of such rules is told to that agent. Each rule is taken once, as a copy. The
    report says where everything went and what was left out, which stays where it is.

    The files themselves stay as they are: a client that reads them and calls the hook has these
    rules in context twice. --replace-adopted takes the rules out of them and leaves a part that
    says where the rules are, or holds them for clients without the hook. It refuses, and writes
    nothing, where another tool keeps a part of the file, where comments, tags, alerts or underlined
    headings are around rules, where a file is for some agents or only for who names it, and where
    the hook's first reply has no room for all rules that are always told. `synapse uninstall`
    brings every byte back.

    Examples:

    # A first tree, here
    $ synapse init

    # The same without a question
    $ synapse init --about "a shop" --test "make test"

    # What would become of my CLAUDE.md?
    $ synapse init --from CLAUDE.md --dry-run

    # Take over what there is, and register the hook
    $ synapse init --client claude

    # Everything that the project has, into another folder's tree
    $ synapse init services/api --from

    # AIOX's constitution and agents
    $ synapse init --template aiox
    """
    root = Path(options.folder or getattr(options, "root", "") or ".").absolute()
    if root.exists() and not root.is_dir():
        raise UserError(f"{root} is a file, not a folder.", "Name a folder.")
    tree = Tree(load_tree(str(root), LoadScope.PROMPT, profile="synapse").index.snapshot())
    above = find_root(str(root))
    if above is not None and Path(above) != root:
        console.note(f"{above} has a tree as well; from {root} down, this one will count")
    if options.sources is not None:
        # Take over the rules of the files that the options name, else of all that there are.
        names = (
            options.sources
            or existing_sources(root)
            or ((CARL_FOLDER,) if (root / CARL_FOLDER).is_dir() else ())
        )
        if not names:
            raise UserError(f"{root} has no CLAUDE.md or the like.", "Name a file: --from FILE.")
        return _adopt_rules(root, tree, names, options, console)
    served = None if options.beside else find_served_rules(tree, str(root))
    if (
        served is not None
        and served.name == "synapse"
        and (options.replace_adopted or selected_clients(options))
    ):
        sources = _offered_sources(root, options, console) if options.template is None else ()
        if sources:
            return _adopt_rules(root, tree, sources, options, console)
        _register(root, options, console)
        _print_served(served, root, options, console)
        return 0
    if served is not None:
        console.line("Nothing to change.")
        _print_served(served, root, options, console)
        return 0
    if options.template is None and not (
        options.beside or options.about or options.test or options.lint or options.rules
    ):
        sources = _offered_sources(root, options, console)
        if sources:
            return _adopt_rules(root, tree, sources, options, console)
    return _start_tree(root, tree, options, console)
