"""Notes on what is wrong beside the rules when a whole tree is read: sessions that are invalid or
stale, a continuation file that is not taken over, memories that have expired, and folders among the
squads that have agents and nothing that makes them a squad.

Sessions change with every prompt and are no part of an index: they are looked at once and let go.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from synapse_ls.formats import continuation_file
from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.config_settings import Config, PathSettings
from synapse_ls.formats.memory_file import MemoryDocument, parse_day
from synapse_ls.formats.session_file import SessionState, parse
from synapse_ls.text.finding import Finding
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.file_kinds import SQUAD_FILES, FileKind, is_walkable
from synapse_ls.workspace.file_reader import RefusedError, read_file
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_folders import CONTINUATION, SESSIONS, TREE

_DAY = 86400


def expired_memory_notes(snapshot: Snapshot, now: float) -> Iterator[Finding]:
    """Yield a note of the kind "expired-memory" for each memory that has expired; ``now`` is in
    seconds since 1970.
    """
    for path, day, expiry in _expiry_days(snapshot):
        if day <= now // _DAY:
            message = f"It expired on {expiry[:10]}, so no agent is told it."
            yield Finding(Span(0, 0), message, kind="expired-memory", path=path)


def next_expiry(snapshot: Snapshot, now: float) -> float:
    """Return when the next note on the file of a memory is due, since it expires, in seconds since
    1970; infinity where none does.
    """
    days = (day for _, day, _ in _expiry_days(snapshot) if day > now // _DAY)
    return min(days, default=math.inf) * _DAY


def _expiry_days(snapshot: Snapshot) -> Iterator[tuple[str, int, str]]:
    """Yield the path of each memory that says when it expires, the day since 1970, and the text."""
    for path in sorted(snapshot.paths(FileKind.MEMORY)):
        facts = snapshot.facts(path)
        memory = facts.document if facts else None
        if isinstance(memory, MemoryDocument):
            expiry = memory.field_value("expires")
            if (day := parse_day(expiry)) is not None:
                yield path, day, expiry


MAX_SESSIONS = 200
"""Sessions in use that are read; those with the latest activity come first."""

_HOUR = 3600.0


def session_notes(root: str, config: Config, now: float) -> Iterator[Finding]:
    """Yield notes of the kinds "invalid-session", for each, "stale-session", for the first of all,
    and "invalid-continuation".

    ``now`` is in seconds since 1970. A file that was not written for so long is stale unread.
    """
    hours = config.session.stale_hours
    stale: list[str] = []
    used: list[tuple[float, str]] = []
    for name, written in _list_session_files(f"{root}/{SESSIONS}"):
        if now - written >= hours * _HOUR:
            stale.append(name)
        else:
            used.append((-written, name))
    for _, name in sorted(used)[:MAX_SESSIONS]:
        session, problem = _read_session(f"{root}/{SESSIONS}/{name}")
        if session is None and problem:
            message = f"The file {problem}, so nothing of the session is known."
            yield Finding(Span(0, 0), message, kind="invalid-session", path=f"{SESSIONS}/{name}")
        elif session is not None:
            used_at = _parse_timestamp(session.last_activity)
            if used_at is not None and now - used_at >= hours * _HOUR:
                stale.append(name)
    if stale:
        ending = f" and {len(stale) - 1:,} others have" if stale[2:] else " and one other have"
        ending = ending if stale[1:] else " has"
        message = f"This session{ending} had no activity for {hours} hours, so nobody uses it."
        yield Finding(Span(0, 0), message, kind="stale-session", path=f"{SESSIONS}/{min(stale)}")
    if problem := _continuation_problem(f"{root}/{CONTINUATION}"):
        message = f"The file {problem}, so no session goes on with what it says."
        yield Finding(Span(0, 0), message, kind="invalid-continuation", path=CONTINUATION)


def _continuation_problem(path: str) -> str:
    """Return why no session takes a continuation file over, "" where one may or there is no
    file.
    """
    try:
        content = read_file(path)
    except RefusedError as refused:
        return _refusal_text(refused)
    if content is None:
        return ""
    document = continuation_file.parse(content.decoded.text)
    if not document.session:
        return "does not name the session that it is about (`session_id`)"
    if _parse_timestamp(document.created) is None:
        return "does not say when it was written (`created_at`)"
    return ""


def _list_session_files(folder: str) -> Iterator[tuple[str, float]]:
    """Yield the session files of a folder, each with the time of its last change."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                is_session = entry.name.endswith(".json") and not entry.name.startswith(("_", "."))
                if is_session and entry.is_file(follow_symlinks=False):
                    yield entry.name, entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return  # no folder is no sessions; what else is wrong with it the session store reports


def _read_session(path: str) -> tuple[SessionState | None, str]:
    """Return the session in a file, and what is wrong; (None, "") where the file is gone."""
    try:
        content = read_file(path)
    except RefusedError as refused:
        return None, _refusal_text(refused)
    return parse(content.decoded.text) if content else (None, "")


def _refusal_text(refused: RefusedError) -> str:
    """Return the reason for a refused read as the end of a sentence."""
    return f"cannot be read ({refused.sentence.rstrip('.')})"


def _parse_timestamp(text: str) -> float | None:
    """Return an ISO 8601 date in seconds since 1970, None for anything else."""
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


UNDESCRIBED_SQUAD = "squad-without-manifest"
_MOST_FILES = 20  # files of a folder that are looked at
_NAMED = 3


def undescribed_squad_notes(
    root: str, paths: PathSettings, consult: Callable[[str], None]
) -> list[Finding]:
    """Return one note for all such folders, at the first agent of the first of them. ``consult`` is
    called with each path, relative to the root, on which that rests.
    """
    agents_by_folder = {
        folder: agent
        for home in paths.squads
        for folder in _plain_folders(root, home)
        if (agent := _first_agent(root, folder, consult))
    }
    if not agents_by_folder:
        return []
    folder, *rest = agents_by_folder
    if not rest:
        message = (
            f"`{folder}` has agents and neither `squad.yaml` nor `config.yaml`, so it counts as no "
            "squad, and the framework's validator rejects it."
        )
        remedy = (
            f"Create `{folder}/squad.yaml` with `name` and `version`, or keep what is no squad "
            "elsewhere."
        )
        return [
            Finding(
                Span(0, 0),
                message,
                remedy,
                kind="squad-without-manifest",
                path=agents_by_folder[folder],
            )
        ]
    names = ", ".join(f"`{name}`" for name in (folder, *rest)[:_NAMED])
    more = len(agents_by_folder) - _NAMED
    named = f"{names} and {more} more" if more > 0 else names
    message = (
        f"{len(agents_by_folder)} folders have agents and neither `squad.yaml` nor `config.yaml`, "
        f"so they count as no squads, and the framework's validator rejects them: {named}."
    )
    remedy = (
        "Create a `squad.yaml` with `name` and `version` in each, or keep what is no squad "
        "elsewhere."
    )
    return [
        Finding(
            Span(0, 0),
            message,
            remedy,
            kind="squad-without-manifest",
            path=agents_by_folder[folder],
            data=(("sources", str(len(agents_by_folder))),),
        )
    ]


def _plain_folders(root: str, home: str) -> Iterator[str]:
    """Yield the folders below ``home`` that have agents and no sign of a squad, by name; no
    links.
    """
    for name in _names_in(os.path.join(root, home)):
        folder = os.path.join(root, home, name)
        signs = (*SQUAD_FILES, TREE)
        if (
            is_walkable(name)
            and not os.path.islink(folder)
            and os.path.isdir(os.path.join(folder, "agents"))
            and not any(os.path.lexists(os.path.join(folder, sign)) for sign in signs)
        ):
            yield f"{home}/{name}"


def _first_agent(root: str, folder: str, consult: Callable[[str], None]) -> str:
    """Return the path of the first file in a folder's ``agents`` that defines an agent, else ""."""
    agents = f"{folder}/agents"
    consult(agents)
    names = [name for name in _names_in(os.path.join(root, agents)) if name.endswith(".md")]
    for name in names[:_MOST_FILES]:
        path = f"{agents}/{name}"
        consult(path)
        try:
            content = read_file(os.path.join(root, path))
        except RefusedError:
            continue
        document = (
            analyze_file(path, FileKind.AGENT, content.decoded.text).document if content else None
        )
        if isinstance(document, AgentDefinition) and document.id:
            return path
    return ""


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
