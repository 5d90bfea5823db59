"""``synapse sync``: write the rules into instruction files (AGENTS.md, CLAUDE.md …)."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from synapse_ls.cli import client_options, file_changes, shared_options
from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Styled
from synapse_ls.integrations.instruction_files import TARGETS, find_target
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.planned_changes import DONE_WORDS, NONE
from synapse_ls.setup.sync_plan import SyncPlan, plan_sync, write_changes
from synapse_ls.storage.trusted_trees import require_pinned
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError


def _target_names(options: Namespace) -> list[str]:
    """Return the targets that the command line names."""
    names = []
    for named in options.targets:
        target = TARGETS.get(named) or find_target(named.replace("\\", "/").removeprefix("./"))
        if target is None:
            raise UserError(
                f'There is no target "{named}".', f"Choose one of {', '.join(TARGETS)}."
            )
        names.append(target.name)
    for name in options.clients:
        own = [t.name for t in TARGETS.values() if name == client_options.ALL or name in t.clients]
        if not own:
            title = CLIENTS[name].title
            raise UserError(f"{title} reads no file that can be written.", "Install the hook.")
        names += own
    return names


@command(
    option(
        "targets TARGET",
        f"{', '.join(TARGETS)}, or a "
        "file of one of them (default: those that were written before, and `[sync] targets` of "
        "the configuration)",
        nargs="*",
    ),
    client_options.client_option(default="the targets"),
    switch("--force", "overwrite what somebody has changed in our part"),
    switch("--remove", "take our part out again"),
    option_group(
        "Output",
        switch(
            "--check",
            "write nothing; name what is out of date, with the difference, and exit with 1",
        ),
        file_changes.DRY_RUN_SWITCH,
        shared_options.FORMAT_OPTION,
    ),
)
def run(options: Namespace, console: Console) -> int:
    """Writes the rules into the files that agents read by themselves, for clients without the hook.
    These are the rules that always apply (constitution, global rules, always-on domains), and
    domains with `{D}_PATHS`, with their globs where the client knows globs. Only the hook can
    inject what depends on the prompt, the agent or the bracket. Where a client has the hook in the
    project's settings, its file says no more than that.

    Only what is between the marks `synapse:begin` and `synapse:end` is ever changed, or files that
    are ours as a whole; what somebody has changed in there is reported and stays. Doing it again
    changes nothing.

    Exit codes: 0; 1 where a file was left alone, with --check where one is out of date.

    Examples:

    # AGENTS.md and Cursor's rules
    $ synapse sync agents cursor

    # Update what was written before
    $ synapse sync

    # Is all of it up to date? In continuous integration
    $ synapse sync --check

    # The files of one client, without writing them
    $ synapse sync --client claude --dry-run

    # Take our part out of CLAUDE.md again
    $ synapse sync --remove claude
    """
    root = shared_options.root_of(options)
    targets = set(_target_names(options))
    sync = plan_sync(Path(root), targets, remove=options.remove, force=options.force)
    write = not (options.check or options.dry_run)
    if write and not options.remove:
        require_pinned(root)
    if write:
        write_changes(Path(root), sync.changes)
    failed = [c for c in sync.changes if (c.is_drift if options.check else c.trouble)]
    if options.format == "json":
        console.json(_json_report(sync, is_written=write, is_ok=not failed))
        return int(bool(failed))
    if not sync.targets:
        console.note("No file is kept up to date. Name what to write: `synapse sync agents`.")
    for change in sync.changes:
        if change.trouble:
            console.error(f"{change.path}:{change.line} {change.status_clause}.", change.remedy)
    if options.check:
        for change in sync.drift:
            if not change.trouble:
                place = Styled(f"{change.path}:{change.line}", "name")
                console.line(place, f" {change.status_clause}")
            file_changes.show_text_diff(change.diff, console)
        if count := len(sync.drift):
            console.note(
                f"{format_count(count, 'file')} out of date. `synapse sync` writes those that "
                "nobody has edited."
            )
        elif sync.targets:
            console.note(f"{format_count(len(sync.changes), 'file')} up to date.")
    elif options.dry_run:
        for change in sync.changes:
            file_changes.show_text_diff(change.diff, console)
    else:
        console.table(
            [
                DONE_WORDS[change.action],
                Styled(change.path, "name"),
                Styled(", ".join(TARGETS[name].title for name in change.target.split("+")), "dim"),
            ]
            for change in sync.changes
            if not change.trouble
        )
    console.notes(sync.notes)
    return int(bool(failed))


def _json_report(sync: SyncPlan, *, is_written: bool, is_ok: bool) -> dict[str, Any]:
    return {
        "root": str(sync.root),
        "applied": is_written,
        "ok": is_ok,
        "targets": [
            {"target": name, "content": kind, "path": TARGETS[name].main_place.path}
            for name, kind in sync.targets.items()
        ],
        "files": [
            {
                "path": change.path,
                "targets": change.target.split("+"),
                "action": change.action if not change.trouble else NONE,
                "drift": change.is_drift,
                "trouble": change.trouble or None,
                "line": change.line if change.is_drift else None,
                "message": f"{change.path} {change.status_clause}.",
                "remedy": change.remedy or None,
                "diff": change.diff,
            }
            for change in sync.changes
        ],
        "notes": list(sync.notes),
    }
