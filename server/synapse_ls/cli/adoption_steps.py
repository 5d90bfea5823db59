"""This module asks, for ``synapse init``, what is to become of rules that were taken over: whether
words wake them, whether their files tell them any longer, and who calls the hook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.client_options import selected_clients, show_changes
from synapse_ls.cli.tree_changes import show_text_diff
from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.integrations.client_definition import PROJECT, Surroundings
from synapse_ls.integrations.instruction_registry import TARGETS
from synapse_ls.integrations.settings_files import find_registrations
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.file_action import CREATE, REMOVE
from synapse_ls.setup.init.adopted_files import (
    Replacement,
    count_tokens,
    plan_replacement,
    replace_adopted,
)
from synapse_ls.setup.init.block_size import always_told_tokens
from synapse_ls.setup.install.hook_installation import apply_changes, plan_installation
from synapse_ls.setup.sync.sync_plan import hooked_clients
from synapse_ls.text.plural_counts import format_count

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from pathlib import Path

    from synapse_ls.cli.console import Console
    from synapse_ls.integrations.client_definition import Client
    from synapse_ls.setup.init.rule_adoption import AdoptionPlan
    from synapse_ls.workspace.rule_tree import Tree


def choose_keywords(
    tree: Tree, always: AdoptionPlan, woken: AdoptionPlan, options: Namespace, console: Console
) -> bool:
    """Returns whether new domains are to wake by the words that are suggested for them, as the
    options or the person at the terminal say.
    """
    before, after = (always_told_tokens(tree_after(tree, one.plan)) for one in (always, woken))
    saving = (
        f"{format_count(before, 'token')} of rules in every session, {after} where each of these comes "
        "when a prompt says its words"
    )
    chosen = options.keywords
    asks = chosen is None and console.can_ask and not options.dry_run
    if asks or chosen:
        for label, words in always.suggestions.items():
            console.note_line(f"  {label}: {', '.join(words)}")
        console.note(saving)
        if always.unconditional:
            held = ", ".join(f'{label} ("{rule}")' for label, rule in always.unconditional.items())
            console.note(f"told in every session even so, since they forbid or demand: {held}")
    elif chosen is None:
        domains = format_count(len(always.suggestions), "domain")
        console.note(f"{domains} could wait for words (--keywords): {saving}")
    if asks:
        chosen = bool(console.confirm("Tell these rules only then?"))
    return bool(chosen)


def replace_files(
    root: Path, tree: Tree, adoption: AdoptionPlan, options: Namespace, console: Console
) -> bool:
    """Takes what ``tree`` tells out of the files that it was taken from, where that is wanted; else
    says that it is told twice. Returns whether that is done, or shown with ``--dry-run``.
    """
    hooked = hooked_clients(root) | {client.name for client in selected_clients(options)}
    planned = plan_replacement(root, tree, adoption.told_lines, hooked)
    if not planned.changes:
        for note in planned.notes if options.replace_adopted else ():
            console.note(note)
        return False
    chosen = options.replace_adopted
    asks = chosen is None and console.can_ask and not options.dry_run
    files = ", ".join(change.path for change in planned.changes if change.before is not None)
    if chosen is None and not asks:
        console.note(
            f"clients that read {files} and call the hook are told these rules twice; "
            "--replace-adopted leaves one place"
        )
        return False
    if asks or (chosen and options.dry_run):
        for change in planned.changes:
            show_text_diff(change.diff, console)
    if asks:
        console.line(f"{files} and the tree would tell the same rules.")
        chosen = console.confirm(
            "Leave them to the tree, as shown? `synapse uninstall` brings the files back.",
            default=True,
        )
    if chosen and not options.dry_run:
        replace_adopted(root, planned)
        _print_replacement(planned, console)
        for note in _personal_hooks(root, planned, hooked):
            console.note(note)
    return bool(chosen)


def _personal_hooks(root: Path, planned: Replacement, hooked: frozenset[str]) -> Iterator[str]:
    """Yields a sentence for each client that calls the hook for this person alone: its file, which
    is everybody's, holds the rules too.
    """
    around = Surroundings.of_process(str(root))
    targets = {name for change in planned.changes for name in change.target.split("+")}
    readers = {name for target in targets for name in TARGETS[target].clients}
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
    """Registers the hook with ``clients`` for the project, as `synapse install` does."""
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
