"""Convert sessions of other tools (CARL, AIOS, AIOX) and of older schemas, with a rollback.

ADR-001 (D1, R6) replaces CARL's ``.carl/sessions/``, the ``session-state.json`` of AIOS and AIOX,
and the last activated agent, which belongs to no session. Those files are never changed; sessions
of an older schema are converted in place. The journal of migrations has a copy of what is replaced.
"""

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synapse_ls.formats import legacy_sessions as legacy
from synapse_ls.formats.session_file import SessionState, detect_schema
from synapse_ls.setup.install.settings_backup import content_digest
from synapse_ls.setup.migrate import migration_journal as journal
from synapse_ls.setup.migrate import migration_rollback
from synapse_ls.storage import atomic_files, session_store
from synapse_ls.storage.session_archive import parse_moment
from synapse_ls.storage.session_changes import activate_agent
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text.fast_json import loads
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.outside_links import list_names
from synapse_ls.workspace.tree_folders import SESSIONS

ACTIVE_AGENT = f"{SESSIONS}/_active-agent.json"
CARL_SESSIONS = ".carl/sessions"
AIOX_STATES = (".aios/session-state.json", ".aiox/session-state.json")

_SESSION_LIMIT = 4_000_000  # bytes

Session = dict[str, Any]


@dataclass(slots=True)
class ConversionStep:
    """One file that a conversion of sessions writes: ``kind`` ("older", "carl", "aiox", "agent")
    says why.

    ``sources`` are the files that its content comes from, with what they hold; without any, nothing
    has to be done. ``before`` is what the target holds now (None: it does not exist). Paths are
    relative to the root, with ``/``.
    """

    kind: str
    target: str
    session: SessionState
    before: bytes | None
    sources: dict[str, bytes]

    @property
    def session_id(self) -> str:
        """The id of the session."""
        return self.session.id

    @property
    def after(self) -> bytes:
        """What the target will hold."""
        return session_store.encode_session(self.session)

    def change(self, project: Path, why: str = "") -> journal.MigrationChange:
        """Return the step as a change of a migration, which a journal can take back."""
        target, before, after = self.target, self.before, self.after
        return journal.MigrationChange(
            target, project / target, before, after, journal.SESSIONS, why, private=True
        )

    @property
    def last_activity(self) -> float:
        """When the session was used last, in seconds since the epoch; 0 where it does not say."""
        return parse_moment(self.session.last_activity) or 0.0


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a conversion of sessions would do or did, and the files it leaves alone with the reason
    why; ``backup`` is the folder of its backup, "" where nothing was done.
    """

    steps: tuple[ConversionStep, ...]
    skipped: tuple[tuple[str, str], ...]
    backup: str = ""


def plan_conversion(root: str) -> Conversion:
    """Return what ``convert_sessions`` would do in the project folder ``root``; change nothing on
    disk.
    """
    planner = _ConversionPlanner(root)
    for source in planner.session_files(SESSIONS):
        # A session of ours: of today's schema, or to be converted where it is.
        session = session_store.read_session(planner.full_path(source), root)
        if session.session is None or session.data is None:
            planner.skipped.append((source, session.problem))
            continue
        sources = {source: session.data} if session.problem else {}
        step = ConversionStep("older", source, session.session, session.data, sources)
        planner.steps[source] = step
    for source in planner.session_files(CARL_SESSIONS):
        planner.add_foreign("carl", source)
    for source in AIOX_STATES:
        planner.add_foreign("aiox", source)
    planner.add_active_agent()
    steps = tuple(step for step in planner.steps.values() if step.sources)
    return Conversion(steps, tuple(planner.skipped))


def convert_sessions(root: str, *, now: float) -> Conversion:
    """Convert the sessions that can be converted, after a backup in the journal of migrations.

    All or nothing; the lock of each session keeps hooks from it meanwhile.
    """
    if not (plan := plan_conversion(root)).steps:
        return plan
    folder = os.path.join(root, SESSIONS)
    session_store.create_folder(folder, root)
    session_store.ignore_in_git(folder, root)
    session_store.keep_out_of_git(folder, root)
    project = Path(root)
    with ExitStack() as locks:
        locks.enter_context(journal.lock_chapters(project))
        for step in plan.steps:
            target = os.path.join(root, step.target)
            locks.enter_context(
                atomic_files.FileLock(target, session_store.LOCK_TIMEOUT, within=root)
            )
        changes = [step.change(project) for step in plan.steps]
        chapter = journal.prepare_chapter(project, journal.SESSIONS, changes, now)
        migration_rollback.complete_chapter(chapter)
    return Conversion(plan.steps, plan.skipped, str(chapter.folder))


def rollback_conversion(root: str) -> list[migration_rollback.RollbackStep]:
    """Undo the last conversion of sessions in ``root``, byte for byte; UserError where a session
    was used since.
    """
    project = Path(root)
    with journal.lock_chapters(project):
        if not (chapters := journal.read_chapters(project, (journal.SESSIONS,))):
            raise UserError(
                f"There is no migration to roll back in {os.path.join(root, SESSIONS)}.",
                "Nothing is to do.",
            )
        changed = [
            entry.path
            for entry in chapters[-1].entries
            if content_digest(journal.read_file(entry.file)) not in ("", entry.before, entry.after)
        ]
        if changed:
            raise UserError(
                f"Not rolled back: {', '.join(changed)} changed after the migration.",
                f"Move the changed files away, then roll back; {chapters[-1].folder} keeps the "
                "originals.",
            )
        return migration_rollback.take_back_chapters(project, chapters[-1:])


class _ConversionPlanner:
    """Collector of one plan's steps; a later source never takes the place of an earlier one."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.steps: dict[str, ConversionStep] = {}
        self.skipped: list[tuple[str, str]] = []

    def add_foreign(self, kind: str, source: str) -> None:
        """Add a session of another tool, converted if there is none of its id."""
        document, data = self._read_object(source)
        if document is None:
            return
        session = None
        if detect_schema(document) == kind == "aiox":
            session = legacy.session_from_aiox(document)
        elif detect_schema(document) == kind:
            # CARL writes local time without saying so; which zone that is, only this machine knows.
            dates = {
                name: parse_moment(document.get(name)) for name in ("started", "last_activity")
            }
            moments = {name: format_timestamp(at) for name, at in dates.items() if at is not None}
            session = legacy.session_from_carl({**document, **moments})
        if session is None or not session.id:
            self.skipped.append((source, f"holds no session of {kind.upper()}"))
            return
        target = (
            f"{SESSIONS}/{session_store.session_file_stem(session.id)}{session_store.EXTENSION}"
        )
        if target in self.steps or os.path.lexists(self.full_path(target)):
            self.skipped.append((source, f"{target} is there already"))
            return
        self.steps[target] = ConversionStep(kind, target, session, None, {source: data})

    def add_active_agent(self) -> None:
        """Give the agent without a session to the latest session, if that never had one."""
        document, data = self._read_object(ACTIVE_AGENT)
        if document is None:
            return
        agent, since = document.get("id"), parse_moment(document.get("activated_at"))
        latest = max(self.steps.values(), key=lambda step: step.last_activity, default=None)
        if not isinstance(agent, str) or not agent:
            reason = "names no agent"
        elif latest is None:
            reason = "there is no session that it could belong to"
        elif latest.session.agent.id or latest.session.history.agents:
            reason = f"{latest.target} has an agent of its own"
        elif since is None or since < (parse_moment(latest.session.started) or 0.0):
            reason = f"it was not activated in {latest.target}"
        else:
            quality = str(document.get("activation_quality") or "fallback")
            activate_agent(latest.session, agent, quality=quality, now=since)
            latest.kind = latest.kind if latest.sources else "agent"
            latest.sources[ACTIVE_AGENT] = data
            return
        self.skipped.append((ACTIVE_AGENT, reason))

    def _read_object(self, source: str) -> tuple[Session | None, bytes]:
        """Return the object in a file of another tool, and its bytes; None if it is none, or
        missing.
        """
        try:
            data = atomic_files.read_bytes(self.full_path(source), _SESSION_LIMIT, within=self.root)
            document = loads(data.decode()) if data is not None else None
        except atomic_files.StorageError as error:
            self.skipped.append((source, error.sentence))
            return None, b""
        except ValueError as error:
            self.skipped.append((source, f"is not JSON ({error})"))
            return None, b""
        if data is None:
            return None, b""
        if not isinstance(document, dict):
            self.skipped.append((source, "holds no JSON object"))
            return None, b""
        return document, data

    def session_files(self, folder: str) -> list[str]:
        """Return the session files in ``folder``, relative to the root, in the order of their
        names.
        """
        names = list_names(self.root, folder)
        return [f"{folder}/{name}" for name in names if session_store.is_session_file(name)]

    def full_path(self, relative: str) -> str:
        """Return the path of a file that is relative to the root."""
        return os.path.join(self.root, *relative.split("/"))
