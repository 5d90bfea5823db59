"""Make the request for a block in the state that a session is in, outside of any hook event."""

from __future__ import annotations

from synapse_ls.engine.situation import Request
from synapse_ls.formats.session_file import SessionState
from synapse_ls.formats.window_state import WindowState
from synapse_ls.hooks.touched_files import recent_files
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.user_error import UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan


def session_request(
    plan: Plan,
    session: SessionState | None,
    window_key: str,
    request: Request | None = None,
    *,
    is_delivery: bool = False,
) -> Request:
    """Return ``request`` (default: an empty prompt) as the next prompt of ``session``.

    session: None for a new one. window_key: whose window it is asked in. is_delivery: the request
    is for what a hook would send.
    """
    turn = (session.prompt_count if session else 0) + 1
    window = session.find_window(window_key) if session else WindowState()
    request = request or Request("")
    return request.with_values(
        session=session,
        recalled=window.recalled_domains(turn, plan.profile.recall_prompts),
        files=(*request.files, *recent_files(window, turn)),
        turn=turn,
        hosted=is_delivery,
        resumes=is_delivery and session is not None and window.is_empty,
    )


def load_session(plan: Plan, session_id: str) -> SessionState:
    """Return the session that a request is about, by its id; where only CARL has one, the session
    that a prompt in it would begin.
    """
    session = SessionStore(sessions_folder(plan.root)).load(session_id)
    if session is None and plan.profile.source == "carl":
        from synapse_ls.storage.carl_overrides import has_carl_session

        if has_carl_session(plan.root, session_id):
            session = SessionState()
            session.id = session_id
    if session is None:
        raise UserError(
            f'There is no session "{session_id}" that can be read.',
            "`synapse session list` shows those there are.",
        )
    return session
