"""Conversion of the sessions that other tools keep, with a backup and a way back.

ADR-001 (D1, R6) names three stores that one replaces: CARL's ``.carl/sessions/``, the
``session-state.json`` of AIOS and AIOX, and the agent that was activated last, which belongs to no
session. Their files are read and never changed. Sessions of an older schema are converted in place.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from synapse_ls.formats import session_legacy as legacy
from synapse_ls.formats.session import shape
from synapse_ls.sessions import backup
from synapse_ls.sessions.archive import moment
from synapse_ls.sessions.backup import Rollback, Step
from synapse_ls.sessions.changes import activate_agent, timestamp
from synapse_ls.sessions.files import SessionError, failure, read_bytes
from synapse_ls.sessions.names import file_stem
from synapse_ls.sessions.store import (
    EXTENSION,
    create_folder,
    encode,
    ignore_in_git,
    is_session_file,
    read_session,
)
from synapse_ls.text.json import JsonError, loads
from synapse_ls.workspace.folders import SESSIONS

ACTIVE_AGENT = f"{SESSIONS}/_active-agent.json"
CARL_SESSIONS = ".carl/sessions"
AIOX_STATES = (".aios/session-state.json", ".aiox/session-state.json")

_LIMIT = 4_000_000  # bytes

Session = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a migration would do, and the files it leaves alone with the reason why."""

    steps: tuple[Step, ...]
    skipped: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Migration:
    """What a migration did; ``backup`` is the folder of its backup, "" if nothing was to do."""

    done: tuple[Step, ...]
    skipped: tuple[tuple[str, str], ...]
    backup: str


def plan_migration(root: str, *, now: float) -> Plan:
    """What ``migrate`` would do in the project folder ``root``; changes nothing on disk."""
    return _Planner(root, now).plan()


def migrate(root: str, *, now: float) -> Migration:
    """Convert what can be converted, after a backup in ``.synapse/sessions/backup-…``.

    Raises SessionError if the disk does not allow it.
    """
    plan = plan_migration(root, now=now)
    if not plan.steps:
        return Migration((), plan.skipped, "")
    folder = os.path.join(root, SESSIONS)
    create_folder(folder)
    ignore_in_git(folder)
    kept, left = backup.carry_out(root, folder, plan.steps, now)
    late = tuple(
        (source, f"{step.target} changed in the meantime")
        for step in left
        for source, _ in step.sources
    )
    done = tuple(step for step in plan.steps if step not in left)
    return Migration(done, plan.skipped + late, kept)


def rollback(root: str, *, now: float) -> Rollback:
    """Undo the last migration of ``root``, byte for byte.

    Raises SessionError, and changes nothing, if a session has been used since.
    """
    return backup.rollback(root, os.path.join(root, SESSIONS), now)


@dataclass(slots=True)
class _Draft:
    """A session file as it will be: one that nothing has to be done to has no sources."""

    kind: str
    target: str
    session: Session
    before: bytes | None
    sources: dict[str, bytes]

    def step(self) -> Step:
        return Step(
            kind=self.kind,
            sources=tuple(self.sources.items()),
            target=self.target,
            session_id=self.session["uuid"],
            before=self.before,
            after=encode(self.session),
        )


class _Planner:
    """Collects the drafts of one plan; a later source never takes the place of an earlier one."""

    def __init__(self, root: str, now: float) -> None:
        self.root = root
        self.now = now
        self.drafts: dict[str, _Draft] = {}
        self.skipped: list[tuple[str, str]] = []

    def plan(self) -> Plan:
        for source in self._names(SESSIONS):
            self._own(source)
        for source in self._names(CARL_SESSIONS):
            self._foreign("carl", source, _from_carl)
        for source in AIOX_STATES:
            self._foreign("aiox", source, legacy.from_aiox)
        self._active_agent()
        steps = tuple(draft.step() for draft in self.drafts.values() if draft.sources)
        return Plan(steps, tuple(self.skipped))

    def _own(self, source: str) -> None:
        """A session of ours: of today's schema, or to be converted where it is."""
        found = read_session(self._path(source))
        if found.session is None or found.data is None:
            self.skipped.append((source, found.problem))
            return
        sources = {source: found.data} if found.problem else {}
        self.drafts[source] = _Draft("older", source, found.session, found.data, sources)

    def _foreign(self, kind: str, source: str, convert: Callable[[Session], Session]) -> None:
        """A session of another tool, converted if there is none of its id."""
        document, data = self._read(source)
        if document is None:
            return
        session = convert(document) if shape(document) == kind else None
        if session is None or not session["uuid"]:
            self.skipped.append((source, f"holds no session of {kind.upper()}"))
            return
        target = f"{SESSIONS}/{file_stem(session['uuid'])}{EXTENSION}"
        if target in self.drafts or os.path.lexists(self._path(target)):
            self.skipped.append((source, f"{target} is there already"))
            return
        self.drafts[target] = _Draft(kind, target, session, None, {source: data})

    def _active_agent(self) -> None:
        """The agent without a session goes to the latest session, if that never had one."""
        document, data = self._read(ACTIVE_AGENT)
        if document is None:
            return
        agent, since = document.get("id"), moment(document.get("activated_at"))
        latest = max(self.drafts.values(), key=_last_activity, default=None)
        if not isinstance(agent, str) or not agent:
            reason = "names no agent"
        elif latest is None:
            reason = "there is no session that it could belong to"
        elif latest.session["active_agent"]["id"] or latest.session["history"]["agents_activated"]:
            reason = f"{latest.target} has an agent of its own"
        elif since is None or since < (moment(latest.session["started"]) or 0.0):
            reason = f"it was not activated in {latest.target}"
        else:
            quality = str(document.get("activation_quality") or "fallback")
            activate_agent(latest.session, agent, quality=quality, now=since)
            latest.kind = latest.kind if latest.sources else "agent"
            latest.sources[ACTIVE_AGENT] = data
            return
        self.skipped.append((ACTIVE_AGENT, reason))

    def _read(self, source: str) -> tuple[Session | None, bytes]:
        """The object in a file of another tool, and its bytes; None if it is none, or missing."""
        try:
            data = read_bytes(self._path(source), _LIMIT)
        except SessionError as error:
            self.skipped.append((source, error.sentence))
            return None, b""
        if data is None:
            return None, b""
        try:
            document = loads(data.decode())
        except (JsonError, UnicodeDecodeError) as error:
            self.skipped.append((source, f"is not JSON ({error})"))
            return None, data
        if not isinstance(document, dict):
            self.skipped.append((source, "holds no JSON object"))
            return None, data
        return document, data

    def _names(self, folder: str) -> list[str]:
        """The session files in ``folder``, relative to the root, in the order of their names."""
        path = self._path(folder)
        try:
            names = sorted(os.listdir(path))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise failure("read", path, error) from error
        return [f"{folder}/{name}" for name in names if is_session_file(name)]

    def _path(self, relative: str) -> str:
        return os.path.join(self.root, *relative.split("/"))


def _from_carl(document: Session) -> Session:
    """CARL writes local time without saying so; which zone that is, only this machine knows."""
    dates = {field: moment(document.get(field)) for field in ("started", "last_activity")}
    told = {field: timestamp(at) for field, at in dates.items() if at is not None}
    return legacy.from_carl({**document, **told})


def _last_activity(draft: _Draft) -> float:
    return moment(draft.session["last_activity"]) or 0.0
