"""``synapse uninstall``: remove the hook from the settings of agent clients."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from synapse_ls.cli import client_options
from synapse_ls.cli.command_table import command, option_group, switch
from synapse_ls.cli.console import Console
from synapse_ls.cli.shared_options import FORMAT_OPTION
from synapse_ls.integrations.client_definition import PROJECT, SCOPES, Surroundings, shown_path
from synapse_ls.integrations.client_registrations import registered_files
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.install import hook_installation
from synapse_ls.setup.install.engine_takeover import forget_import
from synapse_ls.setup.install.settings_backup import damaged_records, load_record
from synapse_ls.storage.atomic_files import remove_folder
from synapse_ls.storage.plan_cache import cache_file_prefix, cache_folder
from synapse_ls.storage.session_store import remove_idle_folder, remove_idle_gitignore
from synapse_ls.workspace.git_runner import GitError, list_files
from synapse_ls.workspace.tree_folders import MANIFEST, SESSIONS, STATE_FOLDERS, TREE

_GIT_PATIENCE = 5.0  # seconds


def _unrecorded_notes(
    around: Surroundings, changes: Sequence[hook_installation.SettingsChange]
) -> Iterator[str]:
    """Yield the shared settings files into which the hook came elsewhere: what stood in them before
    is not recorded here.
    """
    for change in changes:
        if change.scope != PROJECT or load_record(change.file) is not None:
            continue
        sentence = (
            f"no installation on this machine is recorded for {change.path}: if one elsewhere took "
            "out hooks of another engine, they do not come back"
        )
        tracked = ("--cached", "--", change.path)
        with suppress(GitError):
            if list_files(str(around.root), tracked, _GIT_PATIENCE):
                sentence += f"; `git log -p -- {change.path}` shows what stood there"
        yield sentence


def _kept_notes(around: Surroundings) -> Iterator[str]:
    """Yield what stays of ours in the project, after folders of it were removed in which nothing is
    left.
    """
    folder = around.root / TREE
    if folder.is_symlink() or not folder.is_dir():
        return
    state = [folder / name for name in STATE_FOLDERS]
    for entry in state:
        if entry.is_dir() and not entry.is_symlink():
            remove_idle_folder(str(entry), str(around.root))
    remove_idle_gitignore(str(folder), str(around.root))
    if remove_folder(str(folder), within=str(around.root)):
        return
    if (around.root / MANIFEST).exists():
        beside = any(entry.exists() for entry in state)
        yield f"the rules in {TREE}/ stay{', with the sessions and notes beside them' * beside}"
    else:
        yield (
            f"{TREE}/ stays, with the sessions and notes that hooks have kept; nothing needs it now"
        )
    if any((around.root / SESSIONS).glob("*.json")):
        yield (
            f"each session holds words of a prompt, as its title; delete {SESSIONS}/ if they shall "
            "go"
        )


def _cached_notes(around: Surroundings) -> Iterator[str]:
    """Yield where the log of this project is, and its cache beside it."""
    files = Path(cache_folder(), cache_file_prefix(str(around.root)))
    if any(files.parent.glob(f"{files.name}*.injections")):
        tree = f", and {TREE}/," * (around.root / TREE).exists()
        yield (
            f"the log and the cache of this project are {shown_path(files, around)}*; delete "
            f"them{tree} if nothing shall stay"
        )


@command(
    client_options.client_option(default="all"),
    client_options.scope_option(default="all"),
    option_group(
        "Output", switch("--dry-run", "show the changes as a diff and write nothing"), FORMAT_OPTION
    ),
)
def run(options: Namespace, console: Console) -> None:
    """Takes the hook out of the settings of agent clients, older forms of it included, and the
    status line of `synapse install --statusline`. A file that nobody has touched since the
    installation is again what it was, to the byte. One that did not exist is removed, and so are
    folders made for it. Where somebody has edited it, only our entries go. Hooks of another engine
    that `synapse install --replace` took out are restored, and what it imported is removed, unless
    it was changed since. The record may be of a former clone at the same place. So nothing is
    restored in a file if nothing shows that it was taken out in this clone, and a message shows
    where the copy is.

    Examples:

    # Every client, every scope
    $ synapse uninstall

    # What would go?
    $ synapse uninstall --client claude --scope user --dry-run
    """
    around = client_options.find_surroundings(options)
    clients = client_options.selected_clients(options) or list(CLIENTS.values())
    scopes = (options.scope,) if options.scope else SCOPES
    changes = hook_installation.plan_uninstallation(around, clients, scopes)
    files = client_options.changes_report(changes)
    notes = [
        *_unrecorded_notes(around, changes),
        *hook_installation.withheld_engines(around, clients, scopes),
        *(
            (
                f"the copy of {shown_path(file, around)} in {copy.parent} is damaged, so what was "
                "there before does not come back from it; version control may have it"
            )
            for file, copy in damaged_records(around.root)
        ),
    ]
    if not options.dry_run:
        hook_installation.apply_changes(changes)
        notes += forget_import(around)
        notes += client_options.follow_hook(around)
        if changes and not registered_files(str(around.root)):
            notes += (*_kept_notes(around), *_cached_notes(around))
    shared = [c for c in changes if c.path.endswith("hooks/synapse.json")]
    names = {client.name for client in clients}
    if shared and len(names & {"vscode", "copilot"}) == 1:
        notes.append("VS Code and GitHub Copilot CLI read the same hook files: it is gone for both")
    if options.format == "json":
        console.json(
            {
                "root": str(around.root),
                "scope": options.scope or "",
                "dry_run": options.dry_run,
                "applied": not options.dry_run,
                "clients": [client.name for client in clients],
                "detected": [],
                "files": files,
                "trusted": None,
                "notes": notes,
                "next": [],
            }
        )
        return
    if not changes:
        console.line("Nothing to change: the hook is not registered.")
    client_options.show_changes(changes, console, dry_run=options.dry_run)
    console.notes(notes)
