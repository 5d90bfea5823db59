"""The questions that an editor's panels ask, answered from disk as agents are served.

Parameters are plain: the names of the fields of `Question` and `Request`. A session that is not
given is the current one, "" is a new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from synapse_ls.engine.account import account
from synapse_ls.engine.situation import Request
from synapse_ls.manage.clients.settings import registered
from synapse_ls.memory.places import PERSON, reader_of
from synapse_ls.service import injections, memories
from synapse_ls.service.answer import Answer, Question, answer
from synapse_ls.service.contrast import contrast_report
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.inventory import (
    domain_report,
    session_report,
    sessions_folder,
    squad_report,
    status_report,
)
from synapse_ls.service.plans import planned
from synapse_ls.service.reports import context_report, explain_report
from synapse_ls.service.told import Wanted, histories, injections_report
from synapse_ls.sessions.archive import list_sessions
from synapse_ls.sessions.files import SessionError

if TYPE_CHECKING:
    from synapse_ls.ide.view import View

Params = Mapping[str, Any]

LIMIT = 100
"""Replies of the hook that are told unless somebody wants another number."""

_FIELDS = frozenset((*Question.__slots__, *Request.__slots__)) - {
    *("root", "request"),
    *("recalled", "turn", "hints", "resumes"),  # these follow from the session
    *("hosted", "plan"),  # these are for who asks in this process
}


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
    plan = planned(root).whole().plan
    return {"domains": [domain_report(plan, domain) for domain in plan.domains()]}


def squads(view: View) -> dict[str, Any]:
    """Every squad, under ``squads``, as the next prompt would find it."""
    files = {squad.folder: squad.yaml_path or squad.manifest_path for squad in view.tree.squads}
    situation = view.assembly.situation
    return {
        "squads": [
            squad_report(view.plan, squad, files.get(squad.folder, ""), situation)
            for squad in sorted(view.plan.squads, key=lambda squad: squad.folder)
        ]
    }


def sessions(root: str) -> list[dict[str, Any]]:
    """What ``synapse session list --format json`` prints, each with its ``history``."""
    try:
        found = list_sessions(sessions_folder(root))
    except SessionError as error:
        raise ServiceError(error.sentence, error.remedy) from error
    told = histories(injections.read(root))
    return [
        {**session_report(info, root), "history": told.get(info.session_id, [])} for info in found
    ]


def compare(root: str, current: str, params: Params) -> dict[str, Any]:
    """Two blocks and what differs, for the questions ``before`` and ``after``."""
    before, after = (asked(root, current, params.get(side, {})) for side in ("before", "after"))
    return contrast_report(before, after)


def memory(root: str, params: Params) -> dict[str, Any]:
    """Memories, best first, under ``memories``, and how many there are, under ``counts``."""
    agent, query = params.get("agent"), params.get("query", "")
    reader = reader_of(agent) if agent is not None else PERSON
    wanted = memories.Filter(
        tags=tuple(params.get("tags", ())),
        sector=params.get("sector", ""),
        tier=params.get("tier", ""),
    )
    archived = bool(params.get("archived"))
    try:
        if query.strip():
            found = memories.searched(root, query, reader, wanted)
        else:
            found = memories.listed(root, reader, wanted, archived=archived)
        return {
            "memories": [memories.memory_report(seen, root, archived=archived) for seen in found],
            "counts": memories.counted(root, reader),
        }
    except SessionError as error:
        raise ServiceError(error.sentence, error.remedy) from error


def told(root: str, params: Params) -> dict[str, Any]:
    """What the hook told agents, under ``injections``: of one ``session``, ``limit`` at most.

    ``hash`` begins that of the blocks that are wanted. With ``texts`` each has its exact text.
    """
    session, limit = params.get("session"), params.get("limit", LIMIT)
    wanted = Wanted(block=params.get("hash", ""))
    found = (
        record
        for record in injections.read(root)
        if (session is None or record["session"] == session) and wanted(record)
    )
    texts = injections.blocks(root, wanted.block) if params.get("texts") else None
    plan = planned(root).whole().plan
    kept = islice(found, max(limit, 0))
    return {"injections": injections_report(plan, kept, texts.get if texts is not None else None)}
