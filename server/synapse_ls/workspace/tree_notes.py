"""Notes about a tree beside its rules: sessions, continuation, expired memories, incomplete squads.

Sessions change with every prompt, so they are checked when the tree is loaded and are not in the
index.
"""

import math
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from stat import S_ISREG

from synapse_ls.formats import continuation_file, memory_file
from synapse_ls.formats.agent_definition import parse as parse_agent
from synapse_ls.formats.config_settings import PathSettings
from synapse_ls.formats.session_file import parse
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.text.finding import Finding
from synapse_ls.text.iso_time import parse_instant
from synapse_ls.text.span import Span
from synapse_ls.workspace import file_reader, outside_links
from synapse_ls.workspace.file_kinds import SQUAD_FILES, FileKind, is_walkable
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_folders import CONTINUATIONS, SESSIONS, TREE

_DAY = 86400


def expired_memory_notes(snapshot: Snapshot, now: float) -> Iterator[Finding]:
    """Yield a note of the kind "expired-memory" for each memory that has expired; ``now`` is in
    seconds since 1970.
    """
    for path, day, expiry in _expiry_days(snapshot):
        if day <= now // _DAY:
            message = f"It expired on {expiry[:10]}, so no agent gets it."
            yield Finding(Span(0, 0), message, kind="expired-memory", path=path)


def next_expiry(snapshot: Snapshot, now: float) -> float:
    """Return when the next note on the file of a memory is due, since it expires, in seconds since
    1970; infinity where none does.
    """
    days = (day for _, day, _ in _expiry_days(snapshot) if day > now // _DAY)
    return min(days, default=math.inf) * _DAY


def _expiry_days(snapshot: Snapshot) -> Iterator[tuple[str, int, str]]:
    """Yield the path of each memory that says when it expires, the day since 1970, and the text."""
    for path, memory in snapshot.documents(FileKind.MEMORY, memory_file.MemoryDocument):
        expiry = memory.field_value("expires")
        if (day := memory_file.parse_day(expiry)) is not None:
            yield path, day, expiry


# Sessions in use that are read; those with the latest activity come first.
MAX_SESSIONS = 200

_HOUR = 3600.0


def session_notes(root: str, stale_hours: int, now: float) -> Iterator[Finding]:
    """Yield notes of the kinds "invalid-session", for each, "stale-session", for the first of all,
    and "invalid-continuation".

    ``now`` is in seconds since 1970. A file that was not written for so long is stale unread.
    """
    stale: list[str] = []
    used: list[tuple[float, str]] = []
    for name in outside_links.list_names(root, SESSIONS):
        if name.startswith(("_", ".")) or not name.endswith(".json"):
            continue
        with suppress(OSError):  # another process archives it in this moment
            status = os.lstat(f"{root}/{SESSIONS}/{name}")
            if now - status.st_mtime >= stale_hours * _HOUR:
                stale += [name] * S_ISREG(status.st_mode)
            elif S_ISREG(status.st_mode):
                used.append((-status.st_mtime, name))
    for _, name in sorted(used)[:MAX_SESSIONS]:
        text, problem = _read_text(root, f"{SESSIONS}/{name}")
        session = None
        if text is not None:
            session, problem = parse(text)
        if session is None and problem:
            message = f"The file {problem}, so nothing of the session is known."
            yield Finding(Span(0, 0), message, kind="invalid-session", path=f"{SESSIONS}/{name}")
        elif session is not None:
            used_at = parse_instant(session.last_activity)
            if used_at is not None and now - used_at / 1e6 >= stale_hours * _HOUR:
                stale.append(name)
    if stale:
        ending = f" and {len(stale) - 1:,} others have" if stale[2:] else " and one other have"
        ending = ending if stale[1:] else " has"
        message = (
            f"This session{ending} had no activity for {stale_hours} hours, so nobody uses it."
        )
        yield Finding(Span(0, 0), message, kind="stale-session", path=f"{SESSIONS}/{min(stale)}")
    for path in CONTINUATIONS:
        text, problem = _read_text(root, path)
        if text is not None:
            document = continuation_file.parse(text)
            if not document.session:
                problem = "does not name the session that it is about (`session_id`)"
            elif parse_instant(document.created) is None:
                problem = "does not say when it was written (`created_at`)"
        if problem:
            message = f"The file {problem}, so no session goes on with what it says."
            yield Finding(Span(0, 0), message, kind="invalid-continuation", path=path)


def _read_text(root: str, path: str) -> tuple[str | None, str]:
    """Return the text of a file, None where there is none, and why it cannot be read, the end of a
    sentence.
    """
    try:
        content = file_reader.read_inside(root, path)
    except file_reader.RefusedError as refused:
        if refused.kind == "outside":  # which `synapse doctor` says
            return None, ""
        return None, f"cannot be read ({refused.sentence.rstrip('.')})"
    return (content.decoded.text if content else None), ""


UNDESCRIBED_SQUAD = "squad-without-manifest"
_MOST_FILES = 20  # files of a folder that are looked at
_NAMED = 3


def undescribed_squad_notes(
    snapshot: Snapshot, root: str, paths: PathSettings, consult: Callable[[str], None]
) -> list[Finding]:
    """Return one note for all such folders, at the first agent of the first of them, but for those
    that a squad depends on, where that is reported. ``consult`` is called with each path, relative
    to the root, on which that rests.
    """
    squads = snapshot.documents(FileKind.SQUAD, SquadDocument)
    wanted = {other.value for _, squad in squads for other in squad.dependencies}
    agents_by_folder: dict[str, str] = {}
    for home in paths.squads:
        for name in filter(is_walkable, outside_links.list_names(root, home)):
            folder = os.path.join(root, home, name)
            if (
                name not in wanted
                and not os.path.islink(folder)
                and os.path.isdir(os.path.join(folder, "agents"))
                and not any(os.path.lexists(f"{folder}/{sign}") for sign in (*SQUAD_FILES, TREE))
                and (agent := _first_agent(root, f"{home}/{name}", consult))
            ):
                agents_by_folder[f"{home}/{name}"] = agent
    if not agents_by_folder:
        return []
    count = len(agents_by_folder)
    first = next(iter(agents_by_folder))
    data: tuple[tuple[str, str], ...] = ()
    if count == 1:
        message = (
            f"`{first}` has agents and no `squad.yaml`, so it counts as no squad and fails its "
            "validation."
        )
        remedy = (
            f"Create `{first}/squad.yaml` with `name` and `version`, or keep what is no squad "
            "elsewhere."
        )
    else:
        names = ", ".join(f"`{name}`" for name in [*agents_by_folder][:_NAMED])
        named = f"{names} and {count - _NAMED} more" if count > _NAMED else names
        message = (
            f"{count} folders have agents and neither `squad.yaml` nor `config.yaml`, so they "
            "count as no squads, and the framework's validator rejects them: "
            f"{named}."
        )
        remedy = (
            "Create a `squad.yaml` with `name` and `version` in each, or keep what is no squad "
            "elsewhere."
        )
        data = (("sources", str(count)),)
    path = agents_by_folder[first]
    return [
        Finding(Span(0, 0), message, remedy, kind="squad-without-manifest", path=path, data=data)
    ]


def _first_agent(root: str, folder: str, consult: Callable[[str], None]) -> str:
    """Return the path of the first file in a folder's ``agents`` that defines an agent, else ""."""
    agents = f"{folder}/agents"
    consult(agents)
    names = [name for name in outside_links.list_names(root, agents) if name.endswith(".md")]
    for name in names[:_MOST_FILES]:
        path = f"{agents}/{name}"
        consult(path)
        try:
            content = file_reader.read_inside(root, path)
        except file_reader.RefusedError:
            continue
        if content and parse_agent(content.decoded.text).document.id:
            return path
    return ""
