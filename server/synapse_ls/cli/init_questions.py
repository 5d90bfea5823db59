"""This module asks, for ``synapse init``, what is to become of rules that were taken over: whether
words wake them, whether their files tell them any longer, and who calls the hook.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from synapse_ls.cli.client_options import selected_clients, show_changes
from synapse_ls.cli.tree_changes import show_text_diff
from synapse_ls.edits.planned_tree import tree_after
from synapse_ls.formats.instruction_rules import shorten_excerpt
from synapse_ls.integrations.client_definition import PROJECT, Surroundings
from synapse_ls.integrations.client_registrations import find_registrations
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM
from synapse_ls.integrations.instruction_registry import TARGETS
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.lint.later_replies import describe_later_replies
from synapse_ls.setup.file_action import CREATE, REMOVE
from synapse_ls.setup.init.block_size import (
    always_told_tokens,
    first_block_tokens,
    measure_first_block,
)
from synapse_ls.setup.init.source_replacement import (
    Replacement,
    count_tokens,
    plan_replacement,
    replace_adopted,
)
from synapse_ls.setup.install.hook_installation import apply_changes, plan_installation
from synapse_ls.setup.sync.sync_plan import hooked_clients
from synapse_ls.text.plural_counts import format_count

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from synapse_ls.cli.console import Console
    from synapse_ls.integrations.client_definition import Client
    from synapse_ls.setup.init.rule_adoption import AdoptionPlan
    from synapse_ls.setup.sync.file_changes import SyncChange
    from synapse_ls.workspace.rule_tree import Tree


def choose_keywords(
    root: Path,
    tree: Tree,
    always: AdoptionPlan,
    woken: AdoptionPlan,
    options: Namespace,
    console: Console,
) -> bool:
    """Asks, for ``synapse init``, whether new domains are to wake by the words that are suggested
    for them, unless the options say it.
    """
    trees = [tree_after(tree, one.plan) for one in (always, woken)]
    before, after = map(always_told_tokens, trees)
    saving = (
        f"{format_count(before, 'token')} of rules in every session, {after} where each of these comes "
        "when a prompt says its words"
    )
    chosen = options.keywords
    asks = chosen is None and console.can_ask and not options.dry_run
    if asks or chosen:
        for label, words in always.suggestions.items():
            stays = _describe_kept(*always.kept[label]) if label in always.kept else ""
            console.note_line(f"  {label}: {', '.join(words)}{stays}")
            if rules := always.wordless.get(label):
                console.note_line(_describe_wordless(rules))
        console.note(saving)
        if options.replace_adopted is not False:
            hooked = _hooked_by_then(root, options)
            costs = [
                _measure_session(
                    one, plan_replacement(root, one, adoption.told_lines, hooked), hooked
                )
                for one, adoption in zip(trees, (always, woken), strict=True)
            ]
            if costs[0].files:
                console.note(_compare_sessions(*costs))
    elif chosen is None:
        domains = format_count(
            len(always.suggestions), "domain (group of rules)", "domains (groups of rules)"
        )
        console.note(f"{domains} could wait for words (--keywords): {saving}")
    say_what_is_unconditional(always, options, console)
    if asks:
        chosen = bool(
            console.confirm("Tell the rules of each only with a prompt that says one of its words?")
        )
    return bool(chosen)


def _describe_kept(strict: int, rules: int) -> str:
    """Returns what is said behind the keywords of a domain of which a part does not wait for them."""
    verb = "forbids or demands, and stays" if strict == 1 else "forbid or demand, and stay"
    return f" ({strict} of {format_count(rules, 'rule')} {verb} always on)"


def _describe_wordless(rules: Sequence[str]) -> str:
    """Returns what is said of rules that none of the words of their domain is about."""
    verb = "says" if len(rules) == 1 else "say"
    return (
        f"    {format_count(len(rules), 'rule')} {verb} none of these words and would come only with "
        f'the others: "{shorten_excerpt(rules[0])}"{" …" if len(rules) > 1 else ""}'
    )


def say_what_is_unconditional(adoption: AdoptionPlan, options: Namespace, console: Console) -> None:
    """Says, before ``synapse init`` asks about keywords, which new domains are about one subject
    and do not wait for words even so, and why.
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
    """An AdoptionDecision is the answer to the question of ``synapse init`` what is to become of
    the files that rules were taken from. hooked: the clients that call the hook by then. chosen:
    whether the rules go from there.
    """

    planned: Replacement
    hooked: frozenset[str]
    chosen: bool


def decide_replacement(
    root: Path, tree: Tree, adoption: AdoptionPlan, options: Namespace, console: Console
) -> AdoptionDecision:
    """Asks, for ``synapse init``, whether what ``tree`` tells is to go from the files that it was
    taken from, unless the options say it; else says that it is told twice.
    """
    hooked = _hooked_by_then(root, options)
    planned = plan_replacement(root, tree, adoption.told_lines, hooked)
    chosen = options.replace_adopted
    asks = chosen is None and console.can_ask and not options.dry_run
    files = ", ".join(change.path for change in planned.changes if change.before is not None)
    if not planned.changes:
        for note in planned.notes if options.replace_adopted else ():
            console.note(note)
        return AdoptionDecision(planned, hooked, chosen=False)
    if chosen is None and not asks:
        console.note(
            f"clients that read {files} and call the hook are told these rules twice; "
            "--replace-adopted leaves one place"
        )
    brings = _is_read_with_the_hook(planned, hooked)
    if brings and (chosen or asks):
        _say_what_is_late(tree, files, console)
    if asks:
        for change in planned.changes:
            show_text_diff(change.diff, console)
        console.line(f"{files} and the tree would tell the same rules.")
        chosen = console.confirm(
            f"Take them out of {files}, as shown? They stay in the tree; `synapse uninstall` brings "
            "them back.",
            default=not (brings and measure_first_block(tree).left),
        )
    return AdoptionDecision(planned, hooked, chosen=bool(chosen))


def _hooked_by_then(root: Path, options: Namespace) -> frozenset[str]:
    return hooked_clients(root) | {client.name for client in selected_clients(options)}


def _is_read_with_the_hook(planned: Replacement, hooked: frozenset[str]) -> bool:
    return not hooked.isdisjoint(_readers_of(planned))


def _readers_of(planned: Replacement) -> set[str]:
    targets = {name for change in planned.changes for name in change.target.split("+")}
    return {name for target in targets for name in TARGETS[target].clients}


def _say_what_is_late(tree: Tree, files: str, console: Console) -> None:
    """Says how many rules come later than the first prompt once the files do not tell them."""
    first = measure_first_block(tree)
    if first.left:
        others = [label for label in first.late if label != "GLOBAL"]
        order = (
            f" GLOBAL comes first: also rules of {', '.join(others)} that forbid or demand can be among these."
            if others
            else ""
        )
        console.note(
            f"the first block has {first.told} of {first.told + first.left} rules, since it may have "
            f"{first.budget} tokens; {first.left} follow.{order} {describe_later_replies(tree)} Shorten or "
            f"--keywords first, or leave {files} as is (--no-replace-adopted): there an agent has "
            "them all from the beginning"
        )


def say_what_is_copied(
    adoption: AdoptionPlan, decision: AdoptionDecision, console: Console
) -> None:
    """Says, at the end of ``synapse init``, which files still have what the tree has a copy of, and
    how later edits of them get there.
    """
    changed = {change.path for change in decision.planned.changes} if decision.chosen else set()
    kept = [path for path, lines in adoption.told_lines.items() if lines and path not in changed]
    if kept:
        keeps = "keeps its" if len(kept) == 1 else "keep their"
        console.note(
            f"{', '.join(kept)} {keeps} rules, and the tree has copies: what is edited there later comes to the "
            "tree only by `synapse init --from FILE`"
        )


def carry_out(
    root: Path, tree: Tree, decision: AdoptionDecision, options: Namespace, console: Console
) -> bool:
    """Carries out what was answered to ``synapse init`` about adopted files, or shows it with
    ``--dry-run``; returns whether there was anything.
    """
    planned = decision.planned
    if not decision.chosen:
        _say_what_is_told_twice(decision, options, console)
        return False
    if options.dry_run:
        for change in planned.changes:
            show_text_diff(change.diff, console)
        return True
    replace_adopted(root, planned)
    _print_replacement(planned, console)
    if _is_read_with_the_hook(planned, decision.hooked):
        console.note(_describe_cost(tree, decision))
        console.note(
            f"where `{SHARED_PROGRAM}` is not installed, as with colleagues, the hook says nothing, and "
            "these files tell the agent to read the rules in the tree"
        )
    for note in _personal_hooks(root, planned, decision.hooked):
        console.note(note)
    return True


def _changes_read_with_the_hook(planned: Replacement, hooked: frozenset[str]) -> list[SyncChange]:
    """Returns the changes of files that a client with the hook reads."""
    return [
        change
        for change in planned.changes
        if any(not hooked.isdisjoint(TARGETS[name].clients) for name in change.target.split("+"))
    ]


def _say_what_is_told_twice(
    decision: AdoptionDecision, options: Namespace, console: Console
) -> None:
    """Says, after a no at the terminal, who is told the same rules twice, and how to mend it."""
    asked = options.replace_adopted is None and console.can_ask and not options.dry_run
    read = [
        one.path
        for one in _changes_read_with_the_hook(decision.planned, decision.hooked)
        if one.before is not None
    ]
    if not (asked and read):
        return
    clients = sorted(_readers_of(decision.planned) & decision.hooked)
    titles = " and ".join(CLIENTS[name].title for name in clients)
    verb = "is" if len(clients) == 1 else "are"
    console.note(
        f"{titles} {verb} told these rules twice now, by {', '.join(read)} and by the hook; "
        f"`synapse init --from {' '.join(read)} --replace-adopted` leaves one place"
    )


@dataclass(frozen=True, slots=True)
class SessionCost:
    """A SessionCost says what clients with the hook are told with each session, in tokens: by
    ``files`` before, by what stays in these and by the hook's first block afterwards.
    """

    files: str
    before: int
    rest: int
    told: int

    @property
    def after(self) -> int:
        """Returns all that a session is told in the end."""
        return self.rest + self.told


def _measure_session(tree: Tree, planned: Replacement, hooked: frozenset[str]) -> SessionCost:
    read = _changes_read_with_the_hook(planned, hooked)
    return SessionCost(
        ", ".join(change.path for change in read),
        sum(count_tokens(change.before) for change in read),
        sum(count_tokens(change.after) for change in read),
        first_block_tokens(tree),
    )


def _compare_sessions(always: SessionCost, woken: SessionCost) -> str:
    """Returns what a session costs in all, before it is asked whether domains wait for words."""
    dearer = woken.after >= always.before
    return (
        f"in all, with what stays in {woken.files} and the headings of the block: "
        f"{format_count(always.before, 'token')} with each session so far; by the hook "
        f"{always.after}, and {woken.after} where these wait"
        f"{'. So little text costs no less: what you gain is to see what was told' if dearer else ''}"
    )


def _describe_cost(tree: Tree, decision: AdoptionDecision) -> str:
    """Returns what clients with the hook were told with each session by the files, and what they
    are told now by these and the hook.
    """
    cost = _measure_session(tree, decision.planned, decision.hooked)
    return (
        f"in all, {format_count(cost.before, 'token')} with each session before, and {cost.after} "
        f"now: {cost.rest} in {cost.files}, {cost.told} that the hook adds with the first prompt"
    )


def _personal_hooks(root: Path, planned: Replacement, hooked: frozenset[str]) -> Iterator[str]:
    """Yields a sentence for each client that calls the hook for this person alone: its file, which
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


def _print_replacement(planned: Replacement, console: Console) -> None:
    words = {CREATE: "created", REMOVE: "removed"}
    for change in planned.changes:
        before, after = map(count_tokens, (change.before, change.after))
        console.line(
            f"{words.get(change.action, 'changed')}  {change.path}: {before} → {after} tokens"
        )
    console.note("`synapse uninstall` brings these files back, to the byte")
    for note in planned.notes:
        console.note(note)


def register_hook(root: Path, clients: list[Client], options: Namespace, console: Console) -> None:
    """Registers the hook with ``clients``, where that was answered to ``synapse init``, as `synapse
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
