"""One hook event of an agent client while it is being answered: its tree, plan, session and reply.

Also which agent acts in a window, in which turn, and which files it reads or edits, relative to the
root as domains' path patterns need them.
"""

from __future__ import annotations

import os

from synapse_ls.integrations.transcript_tail import file_size
from synapse_ls.storage import hook_log, plan_cache
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.storage.current_plan import PROMPT_PATIENCE, CurrentPlan, load_plan, prepare_plan
from synapse_ls.storage.session_store import SessionStore, Transaction
from synapse_ls.text.lazy_import import load_module
from synapse_ls.text.path_globs import relative_path
from synapse_ls.workspace.linked_work_trees import project_roots
from synapse_ls.workspace.tree_folders import SESSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from types import ModuleType
    from typing import Any

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Request
    from synapse_ls.formats.session_file import SessionState
    from synapse_ls.formats.window_state import Delivery, WindowState
    from synapse_ls.hooks.session_recovery import Advice
    from synapse_ls.integrations.hook_client import HookClient
    from synapse_ls.integrations.hook_event import Event
    from synapse_ls.storage.plan_cache import PlanStamps

    Write = Callable[[dict[str, Any]], None]

LOCK_SECONDS = 1.2  # a client waits for its hook; past that a stateless answer is better
_NO_FORKS = ("startup", "clear")  # sources of a session's start
MAX_NOTICES = 20  # notices of one plan that the log keeps


class HookCall:
    """``event`` of the client ``host`` in the tree at ``root``, at the time ``now``.

    replied: whether an answer was written; there is one at most. window_key: the record of the
    window that the event is about, ``{client}`` or ``{client}:{sub-agent}``. obstacle: a sentence
    about why the session cannot be kept, "" where it can. advice: that of beginning a new session,
    which the person is shown with the reply. current_stamps: those of a plan that is known to be
    current.
    """

    # Whether there is this session and no other, as where one is played again.
    IS_ONLY_SESSION = False

    def __init__(self, event: Event, host: HookClient, root: str, write: Write, now: float) -> None:
        self.event = event
        self.host = host
        self.root = root
        self.now = now
        self.replied = False
        self.obstacle = ""
        self.advice: Advice | None = None
        self.window_key = f"{host.name}:{event.subagent}" if event.subagent else host.name
        self.store = SessionStore(os.path.join(root, SESSIONS))
        self._write = write
        self.current_stamps: PlanStamps | None = None
        self._current_plan: CurrentPlan | None = None

    @property
    def current_plan(self) -> CurrentPlan:
        """The plan of the tree, looked for when it is first asked for."""
        if self._current_plan is None:
            self._current_plan = load_plan(
                self.root, patience=PROMPT_PATIENCE, stamped=self.current_stamps
            )
        return self._current_plan

    def ensure_plan(self) -> None:
        """Make the plan, where there is none yet. Handlers call this before they lock the session:
        making it may take longer than all that is done under the lock.
        """
        _ = self.current_plan

    @property
    def takes_context(self) -> bool:
        """Whether the client passes on to the agent what the reply to this event says."""
        return bool(self.host.context_reply(self.event, "."))

    def reader(self, agent: str) -> str:
        """Return who reads the reply: the client, of a sub-agent with its ``agent``."""
        return f"{self.host.name}:{agent}" if self.event.subagent else self.host.name

    def load_session(self) -> SessionState | None:
        """Return the session of the event without its lock, for what changes nothing in it; None
        where there is none that can be read.
        """
        try:
            return self.store.load(self.event.session_id) if self.event.session_id else None
        except StorageError:
            return None

    def session_transaction(self, timeout: float = LOCK_SECONDS) -> Transaction:
        """Return a transaction on the session of the event. timeout: seconds to wait for its
        lock.
        """
        return self.store.transaction(
            self.event.session_id,
            cwd=self.event.cwd or self.root,
            now=self.now,
            timeout=timeout,
            check=self._forget_foreign,
        )

    @property
    def _injection_log(self) -> ModuleType:  # of which a silent event has no need
        return load_module("synapse_ls.storage.injection_log")

    def _forget_foreign(self, transaction: Transaction) -> None:
        """Have a session whose file came from elsewhere, such as with the repository, forget what
        only events here may note. From then on it is one of this user's.
        """
        session = self.event.session_id
        mark = plan_cache.transcript_mark(session, self.event.transcript)
        if plan_cache.is_known_session(self.root, mark):
            return
        is_own = transaction.is_new or plan_cache.is_known_session(self.root, session)
        # Where nothing can be kept in the cache, nobody can tell.
        if plan_cache.remember_session(self.root, session, mark) and not (
            is_own or session in self._injection_log.answered_sessions(self.root)
        ):
            transaction.session.forget_foreign()
            transaction.commit()

    def load_original(self, session_id: str) -> SessionState | None:
        """Return the session that the one of the event is a fork of, if it is one of this user's;
        None otherwise.
        """
        original = self.store.load(session_id) if session_id else None
        if original is None or self.IS_ONLY_SESSION:
            return original
        return original if session_id in self._injection_log.known_sessions(self.root) else None

    def open_window(self, transaction: Transaction) -> WindowState:
        """Return the window of the event, to be changed; the next reply to it says what was wrong
        with the session's file.
        """
        window = transaction.session.open_window(self.window_key)
        if transaction.is_new and transaction.notes:
            window.warnings = (*window.warnings, *(f"Synapse LS: {n}" for n in transaction.notes))
        return window

    def go_on_as_fork(self, transaction: Transaction) -> bool:
        """Have a session that begins go on with the work and the window of the one that it is a
        fork of; return whether that is known. What of it stands in the fork, the transcript shows.
        """
        if not transaction.is_new or self.event.subagent or self.event.source in _NO_FORKS:
            return False
        original = self.load_original(self.host.forked_from(self.event))
        if original is None:
            return False
        session, begun = original.copy(), transaction.session
        session.id, session.started, session.recovery = begun.id, begun.started, begun.recovery
        window = session.find_window(self.window_key)
        window.transcript = self.event.transcript, file_size(self.event.transcript)
        session.window_records = {self.window_key: window}
        transaction.session = session
        return True

    def reply_text(self, text: str = "") -> bool:
        """Answer with ``text`` for the agent; return False where the client does not pass it on."""
        reply = self.host.context_reply(self.event, text) if text else {}
        is_passed_on = bool(reply) or not text
        if self.advice is not None:
            reply = {**self.host.notice_reply(self.event, self.advice.for_person), **reply}
        self.write_reply(reply)
        return is_passed_on

    def write_reply(self, reply: dict[str, Any]) -> None:
        """Write ``reply``, unless there was one."""
        if not self.replied:
            self.replied = True
            self._write(reply)

    def log_reply(
        self, plan: Plan, assembly: Assembly, text: str, why: str = "", files: Collection[str] = ()
    ) -> None:
        """Log that ``text`` was delivered; why, files: as in `injection_log.log_reply`."""
        name, event, now = self.host.name, self.event, self.now
        self._injection_log.log_reply(plan, name, event, assembly, text, now, why=why, files=files)

    def log_outcome(self, delivery: Delivery, outcome: str) -> None:
        """Log what the transcript shows of a reply: an outcome of `injection_log`."""
        self._injection_log.log_outcome(
            self.root, self.host.name, self.event, delivery, outcome, self.now
        )

    def prepare_plan(self, session: SessionState | None) -> None:
        """Have the plan made for the next prompt, unless this event has made it. ``session``: None
        where nobody has been told anything yet.
        """
        if session is None or self._current_plan is not None:
            return
        sources = session.find_window(self.window_key).sources
        prepare_plan(self.root, sources[1] if sources else ())

    def follow_up(self) -> None:
        """Do what is left to do when the client has its answer."""
        plan = self._current_plan
        if plan is None or plan.cached is not None:
            return
        for notice in plan.plan.notices[:MAX_NOTICES]:
            hook_log.log_line(f"{self.root}: {notice}")
        if plan.incomplete:
            plan.finish_later()


def window_request(
    plan: Plan, session: SessionState | None, window: WindowState, turn: int, request: Request
) -> Request:
    """Return ``request`` as one in ``window`` of ``session``, in its prompt number ``turn``.

    Where it names no agent, it is the one that the client's own agent stands for, if the tree knows
    that: clients have kinds of agents of their own.
    """
    return request.with_values(
        agent=request.agent or plan.find_agent(window.agent),
        session=session,
        recalled=window.recalled_domains(turn, plan.profile.recall_prompts),
        files=(
            *request.files,
            *(path for path, at in window.files.items() if turn - 1 <= at <= turn),
        ),
        turn=turn,
    )


def turn_number(call: HookCall, session: SessionState, window: WindowState) -> int:
    """Return the number of prompts of the window so far, at least 1."""
    return max(1, window.prompts if call.event.subagent else session.prompt_count)


MAX_FILES = 50  # files that a window remembers; the oldest go first


def event_files(root: str, event: Event) -> tuple[str, ...]:
    """Return the files that ``event`` touches inside ``root``, relative to it and with ``/``, each
    once.
    """
    if not event.files and not event.edited:
        return ()
    paths = (path_in_root(root, path, event.cwd) for path in (*event.files, *event.edited))
    return tuple(dict.fromkeys(path for path in paths if path))


def path_in_root(root: str, path: str, cwd: str = "") -> str:
    """Return the path of a touched file relative to ``root``, in whatever work tree of the project
    it is; "" for what lies outside.

    A relative path is one of ``cwd``, where that is inside the root, and otherwise of the root.
    """
    full = os.path.join(cwd or root, path.removeprefix("file://"))
    roots = project_roots(root, (full,))
    if len(roots) > 1:
        for place in (full, os.path.realpath(full)):
            if inside := next(filter(None, (relative_path(place, r) for r in roots)), ""):
                return inside
    if relative := relative_path(path, root, cwd):
        return relative
    try:
        real = os.path.realpath(os.path.join(cwd or root, path))
        return relative_path(real, os.path.realpath(root))
    except (OSError, ValueError):
        return ""


def remember_files(window: WindowState, files: Iterable[str], turn: int) -> None:
    """Note that ``files`` were touched in ``turn``."""
    files_by_turn = dict(window.files)
    for path in files:
        files_by_turn.pop(path, None)
        files_by_turn[path] = turn
    window.files = dict(list(files_by_turn.items())[-MAX_FILES:])
