"""What ``synapse init`` asks: whether words wake rules that were taken over, what becomes of their
files, and who calls the hook.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.cli.client_options import selected_clients, show_changes
from synapse_ls.cli.console import Console
from synapse_ls.cli.file_changes import show_text_diff
from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.formats.instruction_rules import shorten_excerpt
from synapse_ls.integrations.client_definition import PROJECT, Client, Surroundings
from synapse_ls.integrations.client_registrations import find_registrations
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM
from synapse_ls.integrations.instruction_files import TARGETS, target_of
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.lint.reply_limits import describe_later_replies
from synapse_ls.setup.init.rule_adoption import AdoptionPlan
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
from synapse_ls.setup.install.hook_installation import apply_changes, plan_installation
from synapse_ls.setup.planned_changes import CREATE, REMOVE
from synapse_ls.setup.sync_plan import hooked_clients
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.rule_tree import Tree


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
            stays = _describe_kept(*always.kept[label]) if label in always.kept else ""
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


def _describe_kept(strict: int, rules: int) -> str:
    """Return what is said behind the keywords of a domain of which a part does not wait for
    them.
    """
    verb = "forbids or demands, and stays" if strict == 1 else "forbid or demand, and stay"
    return f" ({strict} of {format_count(rules, 'rule')} {verb} always on)"


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
