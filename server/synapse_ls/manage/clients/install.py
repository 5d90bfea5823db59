"""Registering the hook with clients and taking it out again: planned first, then carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.manage.apply import make_folders, unified
from synapse_ls.manage.clients import merge, record
from synapse_ls.manage.clients.client import PROJECT, Client, Place, Surroundings, shown
from synapse_ls.manage.clients.record import Record
from synapse_ls.manage.clients.settings import File, place_of, read, readable
from synapse_ls.manage.difference import NONE, action_of
from synapse_ls.manage.plan import ManageError
from synapse_ls.sessions.files import SessionError, atomic_write, failure

Write = Callable[[str, str, str], str]
"""(text, name of the file, text without anything of ours) -> the text with it."""


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one settings file.

    name: the file as people know it. clients: those that read it. before, after: its bytes, None
    where it does not exist. original: its bytes without anything of ours, for the record; folders:
    those that were made for it so far.
    """

    file: Path
    name: str
    scope: str
    clients: tuple[str, ...]
    before: bytes | None
    after: bytes | None
    original: bytes | None
    folders: tuple[str, ...] = ()

    @property
    def action(self) -> str:
        """One of create, change, remove and none."""
        return action_of(self.before, self.after)

    @property
    def diff(self) -> str:
        """The change as a unified diff, "" for none."""
        if self.action == NONE:
            return ""
        old, new = ((side or b"").decode("utf-8-sig") for side in (self.before, self.after))
        before = "/dev/null" if self.before is None else f"a/{self.name}"
        return unified(old, new, before, "/dev/null" if self.after is None else f"b/{self.name}")


def plan_install(
    around: Surroundings,
    clients: Iterable[Client],
    scope: str,
    *,
    status_line: bool = False,
    guard: bool = False,
    mcp: bool = False,
    lsp: bool = False,
) -> list[Change]:
    """The changes that register the hook; clients that share a file share a change.

    status_line: have clients that can show ours. guard: have the hook asked before tools are used.
    mcp: register the MCP server as well, with clients that have a place for it in this scope; lsp: the
    language server.

    Raises ManageError where a client has no settings of this scope, could not read them as they
    are, or would not read them at all.
    """
    found: dict[Path, Change] = {}
    for client in clients:
        place = client.place(scope)
        if place is None:
            raise ManageError(
                f"{client.title} has no settings of scope {scope}.",
                f"Use --scope {' or '.join(client.scopes)}.",
            )
        if client.is_of_user(place, around):
            raise ManageError(
                f"{shown(client.at(place, around), around)} here holds the settings of the user: the "
                "hook would run in every project, in ones that nobody trusts too.",
                "Use --scope user, or run the command in a project.",
            )
        _install(client, place, around, found, _hooks(client.guarding(guard), place, status_line))
        for wanted, told in ((mcp, client), (lsp, client.of_languages())):
            server = told.servers.place(scope) if wanted and told.servers is not None else None
            if server is not None:
                _install(told, server, around, found, _server(told, server))
    return list(found.values())


def kept_status_line(client: Client, scope: str, around: Surroundings) -> str:
    """Where the settings have a status line of somebody else, which stays; "" where they have none."""
    place = client.place(scope)
    if place is None or client.status_line is None:
        return ""
    file = client.at(place, around)
    found = readable(client, file)
    node = None if found is None else merge.other_status_line(found)
    if found is None or node is None:
        return ""
    return f"{shown(file, around)}{place_of(found.text, node.span.start)}"


def plan_uninstall(
    around: Surroundings, clients: Iterable[Client], scopes: Iterable[str]
) -> list[Change]:
    """The changes that take out what ``plan_install`` registers, and older forms of it."""
    wanted = tuple(scopes)
    found: dict[Path, Change] = {}
    named = list(clients)
    # The folder that both may be in was made for the hooks, and goes with them.
    for client in (*(one.of_languages() for one in named), *named):
        for place in client.all_places:
            file = client.at(place, around)
            if place.scope in wanted and file not in found:
                change = _uninstall(client, place, file, around)
                if change is not None:
                    found[file] = change
    return [change for change in found.values() if change.action != NONE]


def carry_out(changes: Iterable[Change]) -> None:
    """Make the changes, all of them or none; ManageError where that is not possible."""
    undo: list[Callable[[], None]] = []
    planned = [change for change in changes if change.action != NONE]
    for change in planned:
        _unchanged(change)
    made: list[tuple[str, ...]] = []
    name = ""
    try:
        for change in planned:
            name = change.name
            made.append(_make(change, undo))
    except BaseException as error:
        for step in reversed(undo):
            step()
        if isinstance(error, SessionError | OSError):
            known = error if isinstance(error, SessionError) else failure("write", name, error)
            raise ManageError(f"{known.sentence} Nothing was changed.", known.remedy) from error
        raise
    for change, folders in zip(planned, made, strict=True):
        _remember(change, (*change.folders, *folders))


def _hooks(client: Client, place: Place, status_line: bool) -> Write:
    def write(text: str, name: str, before: str) -> str:
        text = merge.installed(client, place, text, name, before)
        if status_line and client.status_line is not None:
            text = merge.with_status_line(client, place, text, name)
        return text

    return write


def _server(client: Client, place: Place) -> Write:
    return lambda text, name, _: merge.with_server(client, place, text, name)


def _install(
    client: Client, place: Place, around: Surroundings, found: dict[Path, Change], write: Write
) -> None:
    """Add to ``found`` what ``write`` makes of a settings file, after what is to happen to it so far."""
    file = client.at(place, around)
    name = shown(file, around)
    if not client.links and file.is_symlink():
        raise ManageError(
            f"{name} is a symbolic link, and {client.title} reads no settings through one.",
            "Put a file in its place; nothing was written.",
        )
    current, known = read(file, name), record.load(file)
    left = None if current is None else _left(client, place, current, known, name)
    before = "" if left is None else left.decode("utf-8-sig")
    base = current or File(file, "", bom=False)
    earlier = found.get(file)
    now = base.text if earlier is None else (earlier.after or b"").decode("utf-8-sig")
    text = write(now, name, before)
    sharing = () if earlier is None else earlier.clients
    folders = known.folders if known is not None and left is None else ()
    found[file] = Change(
        file=file,
        name=name,
        scope=place.scope,
        clients=tuple(dict.fromkeys((*sharing, client.name))),
        before=None if current is None else current.data,
        after=base.with_text(text).data,
        original=left,
        folders=folders,
    )


def _left(
    client: Client, place: Place, current: File, known: Record | None, name: str
) -> bytes | None:
    """What is left of a settings file without us, to the byte; None for no file."""
    if known is not None and known.is_of(current.data):
        return known.before
    before = None
    if known is not None:
        before = (known.before or b"").decode("utf-8-sig")
    text = merge.removed(client, place, current.text, name, before)
    if not text and current.text:
        return None
    return current.with_text(text).data


def _uninstall(client: Client, place: Place, file: Path, around: Surroundings) -> Change | None:
    name = shown(file, around)
    try:
        current = read(file, name)
        if current is None:
            return None
        known = record.load(file)
        left = _left(client, place, current, known, name)
    except ManageError:
        if _may_name_us(file):
            raise
        return None  # nothing that anybody could read, and none of our business
    folders = known.folders if known is not None else tuple(_emptied(place, file, around))
    return Change(file, name, place.scope, (client.name,), current.data, left, left, folders)


def _may_name_us(file: Path) -> bool:
    """Whether something of ours may stand in what cannot be read; a folder or a loop holds none."""
    try:
        return file.is_file() and b"synapse" in file.read_bytes()
    except OSError:
        return True


def _emptied(place: Place, file: Path, around: Surroundings) -> Iterator[str]:
    """Folders of a project that hold nothing but a settings file, as version control knows them."""
    if place.scope != PROJECT:
        return
    inside = [folder for folder in file.parents if around.root in folder.parents]
    yield from (str(folder) for folder in reversed(inside))


def _unchanged(change: Change) -> None:
    try:
        data = change.file.read_bytes()
    except FileNotFoundError:
        data = None
    except OSError as error:
        known = failure("read", change.name, error)
        raise ManageError(known.sentence, known.remedy) from error
    if data != change.before:
        raise ManageError(
            f"{change.name} has changed since it was read, so nothing was written.",
            "Run the command again.",
        )
    if data is not None and not change.file.stat().st_mode & 0o222:
        raise ManageError(
            f"{change.name} is write-protected, so nothing was written.", "Make it writable first."
        )
    for up, folder in enumerate(change.file.parents, 1):
        if folder.is_symlink() and not folder.exists():
            link = change.name.rsplit("/", up)[0]
            raise ManageError(
                f"{link} is a symbolic link that leads nowhere, so nothing was written.",
                "Make the folder that it leads to, or remove the link.",
            )


def _make(change: Change, undo: list[Callable[[], None]]) -> tuple[str, ...]:
    """Make one change and note how to take it back; the folders that were made for it."""
    file, before = change.file, change.before
    if change.after is None:
        target = str(file.resolve())
        Path(target).unlink()
        undo.append(lambda: atomic_write(target, before or b"", durable=True))
        for folder in map(Path, reversed(change.folders)):
            if not _removed(folder):
                break
            undo.append(folder.mkdir)
        return ()
    made = list(make_folders(file.parent))
    undo += (folder.rmdir for folder in made)
    atomic_write(str(file), change.after, durable=True)
    if before is None:
        undo.append(file.unlink)
    else:
        undo.append(lambda: atomic_write(str(file), before, durable=True))
    return tuple(map(str, made))


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:
        return False  # something else is in it
    return True


def _remember(change: Change, folders: tuple[str, ...]) -> None:
    """Keep what an uninstallation will want to know, or forget it after one."""
    if change.after is None or change.after == change.original:
        record.forget(change.file)
        return
    kept = Record(change.original, record.digest(change.after), folders)
    try:
        record.keep(change.file, kept)
    except (SessionError, OSError):
        # Without it the entries are still found and taken out; only empty places are not known.
        return
