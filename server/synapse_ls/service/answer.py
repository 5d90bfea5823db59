"""A question about a tree → the block and everything that can be said about it.

Behind ``synapse context``, ``explain``, ``why`` and ``status``. Nothing here writes into the tree.
"""

from __future__ import annotations

import os

from synapse_ls.engine.situation import Request
from synapse_ls.engine.usage import percent_left
from synapse_ls.hosts import registry
from synapse_ls.hosts.event import PROMPT
from synapse_ls.service.compose import compose
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.plans import planned
from synapse_ls.service.telling import limit_of
from synapse_ls.service.touched import recent
from synapse_ls.service.usage import usage_of
from synapse_ls.service.windows import Known, known, latest, peek, recalled
from synapse_ls.sessions.store import SessionStore
from synapse_ls.workspace.discover import search
from synapse_ls.workspace.folders import SESSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.situation import Situation
    from synapse_ls.service.compose import Composed
    from synapse_ls.service.plans import Planned


class Question:
    """What is asked. Empty fields are found out as for a prompt in an agent client.

    request: what is said about the prompt, made of the fields of `Request` that are given.
    remaining: percent of the window left, as given by the caller. session: id of a session, "" for
    the virtual one (no prompts, no agent). client: whose window ``delivery`` looks at, "" for the
    one that was told something last. plan: one to be asked in place of the tree's.
    """

    __slots__ = ("client", "delivery", "plan", "profile", "remaining", "request", "root", "session")

    def __init__(
        self,
        root: str,
        prompt: str = "",
        *,
        remaining: float | None = None,
        session: str = "",
        profile: str = "",
        delivery: bool = False,
        client: str = "",
        plan: Planned | None = None,
        **said: Any,
    ) -> None:
        self.root = root
        self.request = Request(prompt, **said)
        self.remaining = remaining
        self.session = session
        self.profile = profile
        self.delivery = delivery
        self.client = client
        self.plan = plan


class Answer:
    """The answer. session: the document it was answered in, None for the virtual one.

    told_again: why a hook would send the full block now, "" where it would send a difference.
    """

    __slots__ = ("assembly", "notes", "plan", "session", "told_again")

    def __init__(
        self,
        plan: Plan,
        assembly: Assembly,
        session: dict[str, Any] | None,
        notes: tuple[str, ...],
        told_again: str,
    ) -> None:
        self.plan = plan
        self.assembly = assembly
        self.session = session
        self.notes = notes
        self.told_again = told_again


def located(start: str) -> str:
    """The root of the tree that ``start`` belongs to; ServiceError where there is none."""
    found = search(start or os.getcwd())
    if found.root is None:
        raise ServiceError(found.reason, "Run `synapse init` to create a tree.")
    return found.root


def answer(question: Question) -> Answer:
    """Answer ``question``; raises ServiceError where it cannot be answered at all."""
    root = question.root
    if question.remaining is not None:
        try:
            percent_left(question.remaining)
        except ValueError as error:
            raise ServiceError(f"remaining is {error}.", "Say how much is left.") from error
    plan = question.plan or planned(root, question.profile).whole()
    session = _session(plan.plan, question.session) if question.session else None
    request = request_of(plan.plan, question, session)
    held = Known({}, "")
    host = host_of(question, session)
    window = peek(session, host.NAME) if session else {}

    def look(current: Plan, situation: Situation) -> Known:
        nonlocal held
        held = known(current, situation, window, keeps=host.KEEPS)
        return held

    usage = usage_of(plan.plan, session, remaining=question.remaining)
    if question.delivery:
        made = compose(plan, request, usage, window=look, limit=limit_of(host, PROMPT))
    else:
        made = compose(plan, request, usage)
    notes = (*made.notes, *_odd(question, made))
    return Answer(made.plan, made.assembly, session, notes, held.why)


def _odd(question: Question, made: Composed) -> list[str]:
    """What was named and is not known, and why there is nothing to tell."""
    notes: list[str] = []
    given = question.request
    if given.workflow or given.story:
        from synapse_ls.service.given import notes_on

        situation = made.assembly.situation
        notes += notes_on(made.plan, situation, workflow=given.workflow, story=given.story)
    if not made.plan.packed and question.plan is None:
        from synapse_ls.service.inventory import emptiness

        notes.append(emptiness(made.plan))
    return notes


def host_of(question: Question, session: dict[str, Any] | None) -> ModuleType:
    """The client whose window is looked at: what a prompt in it is told depends on it."""
    name = question.client or (latest(session) if session else "")
    host = registry.host(name) or registry.host(registry.FALLBACK)
    assert host is not None
    return host


def request_of(plan: Plan, question: Question, session: dict[str, Any] | None) -> Request:
    """What ``question`` asks, in the state that ``session`` (None: a new one) is in."""
    count = session.get("prompt_count") if session else 0
    turn = (count if isinstance(count, int) else 0) + 1
    window = peek(session, question.client or latest(session)) if session else {}
    return question.request.replaced(
        session=session,
        recalled=recalled(window, turn, plan.profile.recall_prompts),
        files=(*question.request.files, *recent(window, turn)),
        turn=turn,
        hosted=question.delivery,
        resumes=question.delivery and session is not None and not window.get("stands"),
    )


def _session(plan: Plan, session_id: str) -> dict[str, Any]:
    """The session of an id; where only CARL has one, the session that a prompt in it would begin."""
    session = SessionStore(os.path.join(plan.root, SESSIONS)).load(session_id)
    if session is None and plan.profile.source == "carl":
        from synapse_ls.service.carl_session import is_known

        session = {"uuid": session_id} if is_known(plan.root, session_id) else None
    if session is None:
        raise ServiceError(
            f'There is no session "{session_id}" that can be read.',
            "`synapse session list` shows those there are.",
        )
    return session
