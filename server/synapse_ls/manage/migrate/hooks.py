"""CARL's hook in the settings of Claude Code, and ours in its place."""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.guard.use import OFF
from synapse_ls.manage.clients import merge, record
from synapse_ls.manage.clients.client import USER, Client, Place, Surroundings
from synapse_ls.manage.clients.client import shown as name_of
from synapse_ls.manage.clients.commands import is_carl
from synapse_ls.manage.clients.detect import guard_mode
from synapse_ls.manage.clients.record import Record
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.clients.settings import Hook, document, hooks, read
from synapse_ls.manage.migrate.change import HOOK, Change
from synapse_ls.manage.migrate.journal import Chapter
from synapse_ls.manage.plan import ManageError
from synapse_ls.sessions.files import SessionError
from synapse_ls.text.lines import LineIndex

_FILE = "carl-hook.py"  # settings without it are none of our business, readable or not


@dataclass(frozen=True, slots=True)
class Registered:
    """CARL's hook in a settings file; ``line`` counts from 1. ``replaced``: by a planned change."""

    path: str
    line: int
    scope: str
    command: str
    replaced: bool


def hook_changes(around: Surroundings, *, user: bool) -> tuple[list[Change], list[Registered]]:
    """The settings with our hook in the place of CARL's, and where CARL's is.

    ``user``: in the settings that hold for all projects of this user, too. Raises ManageError for
    settings that Claude Code could not read.
    """
    client = CLIENTS["claude"].guarding(guard_mode(around) != OFF)
    changes: list[Change] = []
    found: list[Registered] = []
    for place in client.places:
        whose = USER if client.is_of_user(place, around) else place.scope
        file = client.at(place, around)
        if place.scope != USER and whose == USER:
            continue  # the home folder's project settings are the user's, which come last
        name = name_of(file, around)
        current = read(file, name)
        if current is None or _FILE not in current.text:
            continue
        carl = _carl_hooks(client, current.text, name)
        replaced = user or place.scope != USER
        lines = LineIndex(current.text)
        for hook in carl:
            line = lines.line_of(hook.offset) + 1
            found.append(Registered(name, line, place.scope, hook.command, replaced))
        if carl and replaced:
            text = merge.installed(client, place, current.text, name, None)
            after = current.with_text(without_carl(client, text, name)).data
            why = f"our hook in the place of CARL's ({place.scope})"
            changes.append(Change(HOOK, name, file, current.data, after, why))
    return changes, found


def without_carl(client: Client, text: str, name: str) -> str:
    """Settings without CARL's hook; everything else stays as it is."""
    while hook := next(iter(_carl_hooks(client, text, name)), None):
        text = merge.without_hook(client, document(client, text, name), hook)
    return text


def remember(around: Surroundings, chapter: Chapter) -> None:
    """Have ``synapse uninstall`` know what the settings are without us: they have no CARL either."""
    client = CLIENTS["claude"]
    places = {client.at(place, around): place for place in client.places}
    for number, entry in enumerate(chapter.entries):
        place = places.get(entry.file)
        if entry.part != HOOK or place is None:
            continue
        data = chapter.after(number)
        try:
            record.keep(entry.file, Record(_left(client, place, data), entry.after, ()))
        except (SessionError, OSError, ManageError):
            # Without it the entries are still found and taken out; only empty places are not known.
            return


def _left(client: Client, place: Place, data: bytes) -> bytes:
    text = data.decode("utf-8-sig")
    left = merge.removed(client, place, text, place.path, None) or merge.EMPTY
    return data[: len(data) - len(text.encode())] + left.encode()


def _carl_hooks(client: Client, text: str, name: str) -> list[Hook]:
    if not text.strip():
        return []
    found = hooks(client, document(client, text, name))
    return [hook for hook in found if any(is_carl(command) for _, command in hook.commands)]
