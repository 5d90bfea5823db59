"""Look up a tree's sessions by id, "current", or the environment, and report them."""

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from synapse_ls.formats.session_file import SessionState
from synapse_ls.queries.report_model import LEFT_OUT, URI, report_of
from synapse_ls.storage.injection_log import answered_sessions
from synapse_ls.storage.session_archive import SessionInfo, list_sessions, newest_session
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.user_error import UserError


@dataclass(frozen=True, kw_only=True)
class UsagePoint:
    """What the report of a session has of a prompt: what was left of the context window, in
    percent, and the tokens of the reply.
    """

    time: str
    remaining: float
    source: str
    used: int | None
    tokens: int


@dataclass(frozen=True, kw_only=True)
class SessionReport:
    """The report of a session, a summary; `history` has its last prompts, the oldest first.

    `id` is null for a file that holds no session; `problem` says why.
    """

    id: str | None
    title: str | None
    label: str | None
    last_activity: str
    prompts: int
    bracket: str | None
    agent: str | None
    file: str = field(metadata=URI)
    problem: str | None
    history: list[UsagePoint] = LEFT_OUT


@dataclass(frozen=True, kw_only=True)
class SessionsReport:
    """The report of all sessions, the latest first, and the ids of the one that is followed and of
    the one that is pinned.
    """

    sessions: list[SessionReport]
    current: str | None
    pinned: str | None


def session_report(
    info: SessionInfo, root: str, history: list[UsagePoint] = LEFT_OUT
) -> SessionReport:
    """Return the report of a session as a list shows it."""
    return report_of(
        SessionReport,
        info,
        id=info.session_id or None,
        last_activity=format_time(info.last_activity),
        prompts=info.prompt_count,
        file=os.path.relpath(info.path, root).replace(os.sep, "/"),
        history=history,
    )


def format_time(seconds: float) -> str:
    """Write a moment, in seconds since 1970, as reports of sessions have it: ISO 8601 in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


# A session is current while its last activity is no older.
CURRENT_SESSION_HOURS = 1.0

CURRENT_NAME = "current"
# The variable by which a person names the session of a terminal, be it one that begins.
OWN_VARIABLE = "SYNAPSE_SESSION"
# Variables that name a terminal's session; the others are set by the agent client that runs us.
SESSION_VARIABLES = (OWN_VARIABLE, "CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID", "CODEX_THREAD_ID")


def load_answered_sessions(root: str) -> Iterator[tuple[SessionInfo, SessionState]]:
    """Yield the sessions that this user's hook has answered and that can be read, the latest
    first.
    """
    store, answered = SessionStore(sessions_folder(root)), answered_sessions(root)
    for info in list_sessions(store.folder):
        if info.session_id in answered and (session := store.load(info.session_id)) is not None:
            yield info, session


def current_session(root: str) -> str:
    """Look up the id of the newest session that was active in the last hour, "" for none.

    Raises StorageError where the sessions cannot be read.
    """
    info = newest_session(sessions_folder(root), CURRENT_SESSION_HOURS, now=time.time())
    return info.session_id if info else ""


def own_session(root: str, environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """Look up the id of the session that this terminal is about, "" for none; and why there is
    none.

    The one that the environment names, else the only one that was active in the last hour; one that
    another engine keeps counts where there is none of ours. Of
    several nobody knows which is meant, and none is touched by mistake; nor is another than that of
    a client which the hook has not told of.
    """
    if name := next(filter(environment.get, SESSION_VARIABLES), ""):
        session = environment[name]
        if name == OWN_VARIABLE or SessionStore(sessions_folder(root)).load(session) is not None:
            return session, ""
        return "", f"the hook does not know this terminal's {session}"
    since = time.time() - CURRENT_SESSION_HOURS * 3600
    recent = [
        info
        for info in list_sessions(sessions_folder(root))
        if info.session_id and not info.problem and info.last_activity >= since
    ]
    ours = [info for info in recent if info.is_ours]
    active = [info.session_id for info in ours or recent]
    if len(active) == 1:
        return active[0], ""
    if not active:
        return "", "no session was active in the last hour"
    listed = ", ".join(active[:3]) + (", …" if len(active) > 3 else "")
    return "", f"{len(active)} sessions were active in the last hour ({listed})"


def resolve_session(root: str, wanted: str, *, allow_new: bool = False) -> str:
    """Look up the id of the session that ``wanted`` means: itself, a unique beginning, or
    "current"; raise UserError else.

    allow_new: an id that no session has is itself, as that of one that begins.
    """
    if wanted == CURRENT_NAME:
        if not (current := current_session(root)):
            raise UserError(
                "There is no current session: none was active in the last hour.",
                "Name one that `synapse session list` shows.",
            )
        return current
    ids = [info.session_id for info in list_sessions(sessions_folder(root)) if info.session_id]
    if found := match_beginning(wanted, ids) or (wanted if allow_new else ""):
        return found
    raise UserError(
        f'There is no session "{wanted}".', "`synapse session list` shows those there are."
    )


def match_beginning(wanted: str, ids: Iterable[str]) -> str:
    """Return the id that is ``wanted``, or begins so, "" for none; raise UserError where several
    do.
    """
    matches = [name for name in ids if wanted and name.startswith(wanted)]
    if wanted in matches or len(matches) < 2:
        return wanted if wanted in matches else "".join(matches)
    raise UserError(
        f'"{wanted}" is the beginning of {len(matches)} sessions: {", ".join(matches[:3])}'
        + ("." if len(matches) <= 3 else ", …"),
        "Give more of the id.",
    )
