"""The commands that change a tree.

``synapse.newDomain``, ``newRule``, ``toggleDomain``, ``useLive`` and ``fixAll`` are planned with
the editor's buffers and applied by the client. ``synapse.sync`` and ``synapse.migrate`` write to
disk as on the command line; a migration returns the report of ``synapse migrate --format json``, or
of a rollback, and without a step asks first.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.edits import config_edits, domain_edits, rule_edits
from synapse_ls.integrations.instruction_files import TARGETS
from synapse_ls.lint.fixes import is_rewritable, plan_fixes
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lsp import convert, custom_messages, feature_context, request_errors
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.root_discovery import Root
from synapse_ls.lsp.workspace_edit import unsupported_change, workspace_edit
from synapse_ls.setup.migrate import migration_run
from synapse_ls.setup.migrate.migration_rollback import roll_back_migration
from synapse_ls.setup.planned_changes import NONE
from synapse_ls.setup.sync_plan import SyncChange, SyncPlan, plan_sync, write_changes
from synapse_ls.storage.trusted_trees import require_pinned
from synapse_ls.text.decoding import decode_text
from synapse_ls.text.finding import Finding
from synapse_ls.text.phrases import format_count
from synapse_ls.text.span import Span
from synapse_ls.workspace.edit_plan import CREATE, EditPlan
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG


async def run_edit_command(
    ls: Server, command: str, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Run one of the commands that edit rules: plan what it asks for and has the client do it."""
    kind, plan, label, instead = EDIT_COMMANDS[command]
    parsed = custom_messages.parse_arguments(kind, command, arguments)
    root, _ = await feature_context.find_place(ls, arguments["uri"])
    return await apply_plan(ls, root, lambda tree: plan(tree, parsed), label, instead)


async def apply_plan(
    ls: Server, root: Root, plan: Callable[[Tree], EditPlan], label: str, instead: str
) -> dict[str, Any]:
    """Plan a change of a tree's rules with the editor's buffers and have the client make it, as one
    step of its undo list that is called ``label``; ``instead`` says what does it where the client
    cannot.
    """
    site = await feature_context.tree_context(ls, root)

    def plan_edit() -> tuple[EditPlan, types.WorkspaceEdit | None]:
        with request_errors.refuse_core_errors():
            edits = plan(site.view.tree)
            edit = workspace_edit(ls, site, edits) if ls.client.apply_edit else None
            if edits and edit is None:
                raise unsupported_change(edits, instead)
        return edits, edit

    changes, edit = await ls.reader.run(plan_edit)
    if not changes or edit is None:
        return {"changed": [], "location": None}
    metadata = types.WorkspaceEditMetadata(is_refactoring=True)
    params = types.ApplyWorkspaceEditParams(edit, label, metadata)
    result = await ls.request_client(types.WORKSPACE_APPLY_EDIT, params)
    if not getattr(result, "applied", False):
        why = getattr(result, "failure_reason", None)
        raise request_errors.request_refusal(
            f"Your editor did not make the change{f': {why}' if why else '.'}"
        )
    for change in changes.edits:
        ls.trees.path_changed(f"{root.path}/{change.result_path}")
    # The last line of what was written: in the new file if there is one.
    last = next((change for change in changes.edits if change.action == CREATE), changes.edits[-1])
    first = min(last.edits, key=lambda edit: edit.span)
    end = first.span.start + len(first.new_text.rstrip())
    start = max(last.after.rfind("\n", 0, end), last.after.rfind("\r", 0, end)) + 1
    written = convert.TextMap(last.after, site.encoding).plain_range(Span(start, end))
    return {
        "changed": [site.place(change.result_path).uri for change in changes.edits],
        "location": {"uri": site.place(last.result_path).uri, "range": written},
    }


def _new_domain(tree: Tree, asked: custom_messages.NewDomain) -> EditPlan:
    return domain_edits.add_domain(
        tree,
        asked.name,
        recall=asked.keywords,
        always_on=asked.always_on or False,
        agent=(asked.agent or "").removeprefix("@"),
        workflow=asked.workflow or "",
        paths=asked.paths or (),
        rules=asked.rules or (),
        squad=asked.squad or "",
    )


def _new_rule(tree: Tree, asked: custom_messages.NewRule) -> EditPlan:
    named = {"bracket": asked.bracket, "command": asked.command, "article": asked.article}
    lists = [(kind, value) for kind, value in named.items() if value is not None]
    if len(lists) > 1:
        raise JsonRpcInvalidParams("synapse.newRule: give one of bracket, command and article.")
    kind, value = lists[0] if lists else ("rule", "")
    qualifier = str(value).removeprefix("*")
    return rule_edits.add_rule(
        tree, asked.domain, asked.text, kind=kind, qualifier=qualifier, named_by="as `{}`"
    )


class EditCommand(NamedTuple):
    """A command that edits rules: its parameters, how it is planned, the label of its change in the
    undo list, and what does the same where the client cannot.
    """

    params: type[custom_messages.TreeParams]
    plan: Callable[[Tree, Any], EditPlan]
    label: str
    instead: str


_BY_COMMAND_LINE = "`synapse domain {}` does it on the command line."

EDIT_COMMANDS: Mapping[str, EditCommand] = {
    "synapse.newDomain": EditCommand(
        custom_messages.NewDomain, _new_domain, "New domain", _BY_COMMAND_LINE.format("new")
    ),
    "synapse.newRule": EditCommand(
        custom_messages.NewRule, _new_rule, "New rule", _BY_COMMAND_LINE.format("rule add")
    ),
    "synapse.toggleDomain": EditCommand(
        custom_messages.ToggleDomain,
        lambda tree, asked: domain_edits.toggle_domain(tree, asked.domain, asked.active),
        "Toggle domain",
        _BY_COMMAND_LINE.format("toggle"),
    ),
    "synapse.useLive": EditCommand(
        custom_messages.TreeParams,
        lambda tree, _: config_edits.choose_profile(tree, config_edits.LIVE_PROFILE),
        f"Use {config_edits.LIVE_PROFILE}",
        f'Write profile = "{config_edits.LIVE_PROFILE}" in {CONFIG}.',
    ),
}


async def fix_tree(ls: Server, given: dict[str, Any]) -> dict[str, Any]:
    """Run ``synapse.fixAll``: fix what is found and shown in a tree, as `synapse check --fix` does,
    and say how much.
    """
    arguments = custom_messages.parse_arguments(custom_messages.FixAll, "synapse.fixAll", given)
    root, _ = await feature_context.find_place(ls, given["uri"])
    count = 0

    def plan(tree: Tree) -> EditPlan:
        nonlocal count

        def accepts(finding: Finding) -> bool:
            edited = [path for path, _ in finding.fix.edits] if finding.fix else []
            return ls.renderer.selection.shows(finding) and all(
                is_rewritable(tree, path) for path in edited
            )

        outcome = plan_fixes(tree, lint_tree, accepts=accepts)
        count = outcome.count
        return outcome.plan

    label = "Fix all that Synapse can fix safely"
    instead = "`synapse check --fix` does it on the command line."
    answer = await apply_plan(ls, root, plan, label, instead)
    if not arguments.quiet:
        sentence = "There is nothing to fix that could be fixed safely."
        if count:
            files = format_count(len(answer["changed"]), "file")
            sentence = f"{format_count(count, 'finding')} fixed in {files}."
        ls.show_message(sentence)
    return {**answer, "fixed": count}


MIGRATION_STEPS = ("ask", "plan", "migrate", "texts", "finish", "rollback")
_CONFIRM_TITLE = "Migrate"


async def migrate_tree(ls: Server, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Run ``synapse.migrate``, a step of a migration; None where the person did not want it."""
    parsed = custom_messages.parse_arguments(custom_messages.Migrate, "synapse.migrate", arguments)
    if (step := parsed.step or "ask") not in MIGRATION_STEPS:
        raise request_errors.request_refusal(
            f'There is no step "{step}".', f"Choose one of {', '.join(MIGRATION_STEPS)}."
        )
    root = await feature_context.find_root(ls, parsed.uri)
    force = bool(parsed.force)
    wish = migration_run.MigrationRequest(
        words=bool(parsed.words),
        user=bool(parsed.user),
        texts=step == "texts",
        finish=step == "finish",
        force=force,
    )
    folder = Path(root.path)
    if step == "rollback":
        with request_errors.refuse_core_errors():
            outcome = await ls.reader.run(partial(roll_back_migration, folder, force=force))
        rollback = migration_run.rollback_data(outcome, applied=True)
        for undone in rollback["steps"]:
            ls.trees.path_changed(str(folder / undone["path"]))
        return rollback
    with request_errors.refuse_core_errors():
        planned = await ls.reader.run(migration_run.preview_migration, folder, wish)
    if step == "plan":
        return migration_run.migration_data(planned)
    # Refuse to write below a document that is not saved.
    for saved_change in planned.file_changes:
        document = ls.documents.find_by_path(str(saved_change.file))
        if document is not None and document.text.encode() not in (saved_change.before or b""):
            raise request_errors.request_refusal(
                f"{saved_change.path} is not saved, so nothing was written.", "Save it first."
            )
    if step == "ask" and not await _is_confirmed(ls, planned):
        return None
    with request_errors.refuse_core_errors():
        migration = await ls.reader.run(migration_run.perform_migration, folder, wish, time.time())
    for change in (*migration.file_changes, *planned.removal_changes):
        ls.trees.path_changed(str(change.file))
    return migration_run.migration_data(migration)


async def _is_confirmed(ls: Server, planned: migration_run.MigrationOutcome) -> bool:
    """Return whether the person wants what would be done, after asking in two sentences."""
    file_changes = planned.file_changes
    created = sum(change.action == "create" for change in file_changes)
    parts = [f"{format_count(created, 'file')} created", f"{len(file_changes) - created} changed"]
    parity = planned.parity
    count = len(parity.differences) if parity is not None else 0
    differing = "Agents get the same rules."
    if count:
        differing = f"{format_count(count, 'thing')} will differ for agents."
    message = f"CARL's tree becomes one of .synapse/: {', '.join(parts)}. {differing}"
    params = types.ShowMessageRequestParams(
        types.MessageType.Info,
        message,
        [types.MessageActionItem(_CONFIRM_TITLE), types.MessageActionItem("Cancel")],
    )
    answer = await ls.request_client(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
    return getattr(answer, "title", None) == _CONFIRM_TITLE


async def sync_files(ls: Server, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run ``synapse.sync`` on disk; the answer names the files that were written, and those that
    were left alone.

    Agents read the files from disk, and most of these are not open. One that is open and not saved
    is left alone, so that nobody's text is lost.
    """
    parsed = custom_messages.parse_arguments(custom_messages.Sync, "synapse.sync", arguments)
    if unknown := [name for name in parsed.targets or () if name not in TARGETS]:
        raise request_errors.request_refusal(
            f'There is no target "{unknown[0]}".', f"Choose one of {', '.join(TARGETS)}."
        )
    root = await feature_context.find_root(ls, parsed.uri)

    def run() -> tuple[SyncPlan, tuple[SyncChange, ...]]:
        with request_errors.refuse_core_errors():
            plan = plan_sync(Path(root.path), parsed.targets or (), force=bool(parsed.force))
            for change in plan.changes:
                # Refuse to write below a document that is not saved.
                document = ls.documents.find_by_path(f"{root.path}/{change.path}")
                if document is None or change.trouble or change.action == NONE:
                    continue
                if document.text != decode_text(change.before or b"").text:
                    raise request_errors.request_refusal(
                        f"{change.path} is not saved, so nothing was written.", "Save it first."
                    )
            require_pinned(root.path)
            return plan, write_changes(Path(root.path), plan.changes)

    sync, written = await ls.reader.run(run)
    for change in written:
        ls.trees.path_changed(f"{root.path}/{change.path}")
    return {
        "changed": [convert.path_to_uri(f"{root.path}/{change.path}") for change in written],
        "left": [
            f"{change.path} {change.status_clause}. {change.remedy}"
            for change in sync.changes
            if change.trouble
        ],
        "notes": list(sync.notes),
    }
