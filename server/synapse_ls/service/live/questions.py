"""The questions that an editor's panels ask, answered from disk as agents are served.

Parameters are plain: the names of `Question`'s fields. A session that is not given is the current
one, "" is a new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synapse_ls.engine.account import account
from synapse_ls.manage.settings import registered
from synapse_ls.service.answer import Answer, Question, answer
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.inventory import (
    domain_report,
    session_report,
    sessions_folder,
    status_report,
)
from synapse_ls.service.plans import planned
from synapse_ls.service.reports import context_report, explain_report
from synapse_ls.sessions.archive import list_sessions
from synapse_ls.sessions.files import SessionError

Params = Mapping[str, Any]

_FIELDS = frozenset(Question.__slots__) - {"root"}


def asked(root: str, current: str, params: Params) -> Answer:
    """The answer to what ``params`` ask; ``current`` is the id of the current session.

    Raises ServiceError where there is none: no such session, bracket or profile.
    """
    given = {name: value for name, value in params.items() if name in _FIELDS and value is not None}
    given.setdefault("session", current)
    try:
        found = answer(Question(root, **given))
    except SessionError as error:
        raise ServiceError(error.sentence, error.remedy) from error
    profile = found.plan.profile
    bracket = given.get("bracket", "")
    if bracket and profile.bracket_named(bracket) is None:
        names = ", ".join(row.name for row in profile.brackets)
        raise ServiceError(
            f'The profile {profile.name} has no bracket "{bracket}".', f"Choose one of {names}."
        )
    return found


def context(root: str, current: str, params: Params) -> dict[str, Any]:
    """What ``synapse context --format json`` prints."""
    return context_report(asked(root, current, params))


def explain(root: str, current: str, params: Params) -> dict[str, Any]:
    """What ``synapse explain --format json`` prints."""
    found = asked(root, current, params)
    return explain_report(found, account(found.plan, found.assembly))


def status(root: str, current: str, params: Params) -> dict[str, Any]:
    """What ``synapse status --format json`` prints."""
    found = asked(root, current, params)
    return status_report(found, account(found.plan, found.assembly), registered(root))


def domains(root: str) -> dict[str, Any]:
    """What ``synapse domains --format json`` prints, under ``domains``."""
    plan = planned(root).plan
    return {"domains": [domain_report(plan, domain) for domain in plan.domains()]}


def sessions(root: str) -> list[dict[str, Any]]:
    """What ``synapse session list --format json`` prints."""
    try:
        found = list_sessions(sessions_folder(root))
    except SessionError as error:
        raise ServiceError(error.sentence, error.remedy) from error
    return [session_report(info, root) for info in found]
