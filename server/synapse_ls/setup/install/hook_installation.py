"""Register the hook with agent clients, and remove it: planned first, then carried out."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.integrations.client_settings import (
    HOOK_SERVER_NAME,
    PROJECT,
    SERVER_NAME,
    USER,
    Client,
    SettingsPlace,
    Surroundings,
    shown_path,
)
from synapse_ls.integrations.hook_registrations import find_registrations
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.settings_syntax import (
    SettingsText,
    find_hooks,
    find_scope_hooks,
    read_settings,
    readable_settings,
)
from synapse_ls.setup.install import installed_clients, settings_backup, settings_merge
from synapse_ls.setup.install.settings_backup import SettingsRecord
from synapse_ls.setup.planned_changes import NONE, FileChange, write_files
from synapse_ls.setup.tree_configuration import asks_guard, tree_guard_mode
from synapse_ls.storage import atomic_files, policy_gate
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.tree_folders import CONFIG

# How a client calls the hook: by a command for each event, or by a tool of our hook server.
COMMAND, SERVER = "command", "mcp"

# (text, name of the file) -> the text with what is ours.
WriteSettings = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class SettingsChange(FileChange):
    """What an installation of the hook does to one settings file.

    clients: those that read it. original: its bytes without anything of ours, for the record.
    replaced: the command lines of other
    engines that ours stand for, now or since an earlier installation; replaced_for: the scope of
    that installation. keeps_record: whether the record of this place is about another file, that of
    a former clone.
    """

    scope: str
    clients: tuple[str, ...]
    original: bytes | None
    replaced: tuple[str, ...] = ()
    replaced_for: str = ""
    keeps_record: bool = False

    def check_unchanged(self) -> None:
        """Raise UserError where the file is not as planned, or cannot be written."""
        FileChange.check_unchanged(self)
        if self.before is not None and not self.file.stat().st_mode & 0o222:
            raise UserError(
                f"{self.path} is write-protected, so nothing was written.",
                "Make it writable first.",
            )
        for up, folder in enumerate(self.file.parents, 1):
            if folder.is_symlink() and not folder.exists():
                link = self.path.rsplit("/", up)[0]
                raise UserError(
                    f"{link} is a symbolic link that leads nowhere, so nothing was written.",
                    "Make the folder that it leads to, or remove the link.",
                )


def plan_installation(
    around: Surroundings,
    clients: Iterable[Client],
    scope: str,
    *,
    status_line: bool = False,
    guard: bool | None = False,
    mcp: bool = False,
    lsp: bool = False,
    replace_engines: bool = False,
    via: str | None = COMMAND,
    fail_closed: bool = False,
) -> list[SettingsChange]:
    """Plan the installation of the hook: return the changes that register it; clients that share a
    file share a change.

    status_line: have clients that can show ours. guard: have the hook asked before tools are used,
    with None as `asks_guard` says. mcp: register the MCP server as well, with clients that have a
    place for it in this scope; lsp: the language server. replace_engines: take the hooks of other
    engines out of all settings of the project that these clients have, and with scope user out of
    the user's; an uninstallation brings them back. via: `COMMAND`, or `SERVER` to have the clients
    call the tool of our hook server for each event for which they can; None for what they do now.
    fail_closed: have clients refuse a tool where the program is missing or fails, those that know
    how; a policy with a guard that enforces asks for that as well.

    Raises UserError where a client has no settings of this scope, could not read them as
    they are, or would not read them at all, and where a policy does not list it.
    """
    changes: dict[Path, SettingsChange] = {}
    gate = policy_gate.read_gate()
    for client in clients:
        if not gate.serves(client.name):
            raise UserError(
                f"{client.title} is not among the clients of the policy {gate.title}, so nothing "
                "was written.",
                f"Choose one of these: {', '.join(gate.clients) or 'none'}.",
            )
        if (place := client.place(scope)) is None:
            raise UserError(
                f"{client.title} has no settings of scope {scope}.",
                f"Use --scope {' or '.join(client.scopes)}.",
            )
        if client.is_of_user(place, around):
            raise UserError(
                f"{shown_path(client.path_of(place, around), around)} here holds the settings of "
                "the user: the hook would run in every project, in ones that nobody trusts too.",
                "Use --scope user, or run the command in a project.",
            )
        hooked = client.with_guard(asks_guard(client, scope, around) if guard is None else guard)
        if fail_closed or gate.enforces:
            hooked = hooked.failing_closed()
        if (via or registered_kind(client, scope, around)) == SERVER:
            installed_clients.check_version(hooked, around)
            hooked = hooked.through_tool(tree_guard_mode(around) == ENFORCE)
        _plan_file(client, place, around, changes, _hook_writer(hooked, place, status_line))
        _plan_hook_server(client, scope, around, changes, wanted=hooked.calls_tool)
        for wanted, view in ((mcp, client), (lsp, client.for_language_server())):
            server = view.servers.place(scope) if wanted and view.servers is not None else None
            if server is not None:
                _plan_file(view, server, around, changes, _server_writer(view, server))
        for place in client.places if replace_engines else ():
            if _holds_engine(client, place, around, scope):
                _plan_file(client, place, around, changes, None, replaced_for=scope)
    return [_keep_link(change) for change in changes.values()]


def registered_kind(client: Client, scope: str, around: Surroundings) -> str:
    """Return how the hook is registered with a client: `SERVER` where any event calls the tool,
    else `COMMAND`.
    """
    calls_tool = any(hook.calls_tool for hook in find_scope_hooks(client, scope, around))
    return SERVER if calls_tool else COMMAND


def _plan_hook_server(
    client: Client,
    scope: str,
    around: Surroundings,
    changes: dict[Path, SettingsChange],
    *,
    wanted: bool,
) -> None:
    """Add the registration of our hook server to ``changes``, or take out one that nobody calls."""
    view = client.for_hook_server()
    place = view.servers.place(scope) if view.servers is not None else None
    if view.servers is None or place is None:
        return
    view = view.with_servers_at(place, around)
    if wanted:
        _plan_file(view, place, around, changes, _server_writer(view, place))
        return
    file = view.path_of(place, around)
    name = shown_path(file, around)
    current = read_settings(file, name) if file.exists() else None
    if current is None or HOOK_SERVER_NAME not in current.text:
        return
    if settings_merge.find_server(view, current.text, name, by_name=True) is None:
        return
    remove = partial(settings_merge.remove_server, view, named=HOOK_SERVER_NAME)
    _plan_file(view, place, around, changes, remove)
    change = changes[file]
    if not (change.after or b"").strip(b"\xef\xbb\xbf \r\n{}") and change.original is None:
        changes[file] = replace(change, after=None)


def _holds_engine(client: Client, place: SettingsPlace, around: Surroundings, scope: str) -> bool:
    """Return whether a settings file has hooks of another engine that an installation replaces."""
    whose = USER if client.is_of_user(place, around) else place.scope
    if whose == USER and (scope != USER or place.scope != USER):
        return False
    hooks = find_hooks(client, readable_settings(client, client.path_of(place, around), around))
    return any(hook.engine and hook.event in client.events for hook in hooks)


def plan_uninstallation(
    around: Surroundings, clients: Iterable[Client], scopes: Iterable[str]
) -> list[SettingsChange]:
    """Plan the uninstallation of the hook: return the changes that take out what
    `plan_installation` registers, and older forms of it.
    """
    wanted, named = tuple(scopes), list(clients)
    changes: dict[Path, SettingsChange] = {}
    # The folder that both may be in was made for the hooks, and goes with them.
    servers = ((client.for_language_server(), client.for_hook_server()) for client in named)
    for client in (*chain.from_iterable(servers), *named):
        for place in client.all_places:
            file = client.path_of(place, around)
            earlier = changes.get(file)
            if not _is_wanted(file, place, wanted):
                continue
            # The file may have the servers of other scopes or projects, too.
            shared = place.folder is not None and any(
                (other.path, other.folder) == (place.path, place.folder) and other != place
                for other in (client.servers.places if client.servers is not None else ())
            )
            if earlier is not None and not shared:
                sharing = dict.fromkeys((*earlier.clients, client.name))
                changes[file] = replace(earlier, clients=tuple(sharing))
            else:
                view = client.with_servers_at(place, around)
                if change := _plan_removal(view, place, file, around, earlier, shared=shared):
                    changes[file] = change
    if (profile := _plan_profile_removal(around, named, wanted)) is not None:
        changes[profile.file] = profile
    removals = (_keep_link(change) for change in changes.values())
    return [change for change in removals if change.action != NONE]


def _keep_link(change: SettingsChange) -> SettingsChange:
    """Return the change with no link removed, which is a person's: its target is emptied."""
    if change.after is not None or not change.file.is_symlink():
        return change
    empty = b"{}\n" if change.file.suffix == ".json" else b""
    return replace(change, after=empty, original=empty, folders=())


def plan_file_change(around: Surroundings, path: str, text: str, scope: str) -> SettingsChange:
    """Return the change that gives a file of the project another text, in one with those of an
    installation: uninstalling takes it back as long as nobody has edited the file since.
    """
    file = around.root / path
    current, record = read_settings(file, path), settings_backup.load_record(file)
    data = None if current is None else current.data
    is_ours = record is not None and data is not None and record.is_of(data)
    return SettingsChange(
        path,
        file,
        data,
        (current or SettingsText(file, "", bom=False)).with_text(text).data,
        PROJECT,
        (),
        record.before if record is not None and is_ours else data,
        replaced_for=scope,
        within=str(around.root),
    )


def _plan_profile_removal(
    around: Surroundings, clients: Collection[Client], scopes: Collection[str]
) -> SettingsChange | None:
    """Return the change that takes back what an installation wrote into the configuration; None
    where there is nothing, it was edited since, or a client stays that is served by it.
    """
    file = around.root / CONFIG
    current, record = read_settings(file, CONFIG), settings_backup.load_record(file)
    if current is None or record is None or not record.is_of(current.data):
        return None
    named = {client.name for client in clients}
    served = [
        (client.name, registration.scope)
        for client in CLIENTS.values()
        for registration in find_registrations(around, client)
    ]
    stays = any(name not in named or scope not in scopes for name, scope in served)
    # Without a hook here, it may be a former clone at this place that was taken over.
    if stays or not served or record.replaced_for not in scopes:
        return None
    within, before = str(around.root), record.before
    return SettingsChange(CONFIG, file, current.data, before, PROJECT, (), before, within=within)


def _is_wanted(file: Path, place: SettingsPlace, scopes: Collection[str]) -> bool:
    """Return whether an uninstallation of ``scopes`` is about a file: by its own scope, or that of
    the installation that replaced another engine there.
    """
    if place.scope in scopes:
        return True
    record = settings_backup.load_record(file)
    return record is not None and record.replaced_for in scopes


def apply_changes(changes: Iterable[SettingsChange]) -> None:
    """Make the changes of an installation, all of them or none; raise UserError where that is not
    possible.
    """
    planned = [change for change in changes if change.action != NONE]
    write_files(planned)
    for change in planned:
        if change.keeps_record:
            continue
        if change.after is None or change.after == change.original:
            settings_backup.delete_record(change.file)
            continue
        record = SettingsRecord(
            change.original,
            settings_backup.content_digest(change.after),
            change.replaced,
            change.replaced_for,
        )
        # Without it the entries are still found and taken out; only empty places are not known.
        with suppress(atomic_files.StorageError, OSError):
            settings_backup.save_record(change.file, record)


def _hook_writer(client: Client, place: SettingsPlace, status_line: bool) -> WriteSettings:
    def write(text: str, name: str) -> str:
        text = settings_merge.add_hooks(client, place, text, name)
        if status_line and client.status_line is not None:
            text = settings_merge.add_status_line(client, place, text, name)
        return text

    return write


def _server_writer(client: Client, place: SettingsPlace) -> WriteSettings:
    return lambda text, name: settings_merge.add_server(client, place, text, name)


def _plan_file(
    client: Client,
    place: SettingsPlace,
    around: Surroundings,
    changes: dict[Path, SettingsChange],
    write: WriteSettings | None,
    *,
    replaced_for: str = "",
) -> None:
    """Add to ``changes`` what ``write`` makes of a settings file, after what is to happen to it so
    far; None takes the hooks of other engines out of it.
    """
    file = client.path_of(place, around)
    name = shown_path(file, around)
    if not client.follows_links and file.is_symlink():
        raise UserError(
            f"{name} is a symbolic link, and {client.title} reads no settings through one.",
            "Put a file in its place; nothing was written.",
        )
    current = read_settings(file, name)
    record = settings_backup.load_own_record(client, place, around, current)
    original = (
        None
        if current is None
        else settings_backup.original_bytes(client, place, current, record, name)
    )
    base = current or SettingsText(file, "", bom=False)
    earlier = changes.get(file)
    now = base.text if earlier is None else settings_backup.decode_settings(earlier.after)
    text = write(now, name) if write else settings_merge.remove_engines(client, now, name)[0]
    sharing = () if earlier is None else earlier.clients
    replaced = record.replaced if record is not None else ()
    if replaced_for:
        replaced = (*replaced, *settings_merge.remove_engines(client, base.text, name)[1])
    elif earlier is not None:
        replaced, replaced_for = earlier.replaced, earlier.replaced_for
    changes[file] = SettingsChange(
        name,
        file,
        None if current is None else current.data,
        base.with_text(text).data,
        place.scope,
        tuple(dict.fromkeys((*sharing, client.name))),
        original,
        within=_project_of(place, around),
        replaced=tuple(dict.fromkeys(replaced)),
        replaced_for=replaced_for or (record.replaced_for if record is not None else ""),
    )


def withheld_engines(
    around: Surroundings, clients: Iterable[Client], scopes: Collection[str]
) -> Iterator[str]:
    """Yield a sentence for each settings file into which an uninstallation does not bring back the
    hooks of another engine that the record of this place has.
    """
    for client in clients:
        for place in client.all_places:
            file = client.path_of(place, around)
            record = settings_backup.load_record(file)
            if record is None or not record.replaced or not _is_wanted(file, place, scopes):
                continue
            name = shown_path(file, around)
            try:
                current = read_settings(file, name)
                if (
                    current is None
                    or settings_backup.load_own_record(client, place, around, current) is not None
                ):
                    continue
                before = settings_backup.decode_settings(record.before)
                text, replaced = current.text, record.replaced
                text = settings_merge.restore_engines(client, text, name, before, replaced)
            except UserError:
                continue
            if text != current.text:
                yield (
                    f"{name} gets no hooks of another engine back: nothing here shows that they "
                    "were taken out in this clone. What a file of this name had before the "
                    f"installation is in {settings_backup.backup_path(file)}: copy what you miss, "
                    "or delete it"
                )


def _plan_removal(
    client: Client,
    place: SettingsPlace,
    file: Path,
    around: Surroundings,
    earlier: SettingsChange | None,
    *,
    shared: bool,
) -> SettingsChange | None:
    """Return the change that takes out what is ours; of a shared file, what is of this place."""
    name = shown_path(file, around)
    try:
        if (current := read_settings(file, name)) is None:
            return None
        record = settings_backup.load_own_record(client, place, around, current)
        original = after = settings_backup.original_bytes(client, place, current, record, name)
        if shared:
            text = (
                current.text if earlier is None else settings_backup.decode_settings(earlier.after)
            )
            text = settings_merge.remove_entries(client, place, text, name)
            after = current.with_text(text).data if text or not current.text else None
            is_last = not any(f'"{key}"' in text for key in (SERVER_NAME, HOOK_SERVER_NAME))
            if is_last and record is not None and record.is_of(current.data):
                after = record.before
    except UserError:
        try:
            names_us = file.is_file() and b"synapse" in read_whole(file)
        except OSError:
            names_us = True
        if names_us:
            raise
        return None  # nothing that anybody could read, and none of our business
    # Folders that hold nothing else go with the file, but not that of all programs' settings.
    top = around.root if file.is_relative_to(around.root) else around.home
    folders = [f for f in reversed(file.parents) if top in f.parents and f != top / ".config"]
    return SettingsChange(
        name,
        file,
        current.data,
        after,
        place.scope,
        (client.name,),
        original,
        folders=tuple(map(str, folders)),
        within=_project_of(place, around),
        keeps_record=record is None and settings_backup.load_record(file) is not None,
    )


def _project_of(place: SettingsPlace, around: Surroundings) -> str:
    is_of_project = place.scope != USER and place.folder is None
    return str(around.root) if is_of_project else atomic_files.ANYWHERE
