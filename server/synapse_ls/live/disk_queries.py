"""Answer the queries of an editor's panels and of MCP, from disk, as agents are served.

Parameters are plain: the names of the fields of `Question` and `Request`. Without a session it is
the current one; "" is a new one.
"""

from collections.abc import Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any

from synapse_ls.engine.rule_account import account_for_domains
from synapse_ls.engine.situation import Request
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.memory.memory_record import PERSON, reader_name
from synapse_ls.queries import injection_report, memory_report, situation_report
from synapse_ls.queries.context_question import Answer, Question, answer_question
from synapse_ls.queries.context_report import (
    ComparisonReport,
    ContextReport,
    ExplanationReport,
    comparison_report,
    context_report,
    explain_report,
)
from synapse_ls.queries.domain_report import (
    DomainsReport,
    SquadsReport,
    domain_report,
    squad_report,
)
from synapse_ls.queries.guard_report import registered_hooks
from synapse_ls.queries.session_lookup import SessionsReport, session_report
from synapse_ls.queries.status_report import StatusReport, delivery_report, status_report
from synapse_ls.storage import injection_log, session_archive, session_store
from synapse_ls.storage.current_plan import load_plan

Params = Mapping[str, Any]
NO_PARAMS: Params = MappingProxyType({})

# Replies of the hook that are told unless somebody wants another number.
DEFAULT_LIMIT = 100

_FIELDS = frozenset((*Question.__slots__, *Request.__annotations__)) - {
    *("root", "request"),
    *("recalled", "turn", "hints", "resumes"),  # these follow from the session
    *("hosted", "plan"),  # these are for who asks in this process
}


def answer_params(root: str, current: str, params: Params, *, standing: bool = False) -> Answer:
    """Return the answer to what an editor's panel asks by ``params``; ``current`` is the id of the
    current session. standing: it says what the agent of the session has (`Question`).

    Raises UserError where there is none: no such session, bracket or profile.
    """
    fields = {
        name: value for name, value in params.items() if name in _FIELDS and value is not None
    }
    fields.setdefault("session", current)
    answer = answer_question(Question(root, **fields, standing=standing))
    if fields.get("agent") and answer.assembly.situation.prompt.agent:
        # Whoever is at work, a prompt that begins with an agent's name activates that one.
        del fields["agent"]
        answer = answer_question(Question(root, **fields, standing=standing))
    return answer


def query_context(tree: LiveTree, params: Params) -> ContextReport:
    """Return, for an editor's panel, what ``synapse context --format json`` prints."""
    return context_report(answer_params(tree.root, tree.current.id, params))


def query_explanation(tree: LiveTree, params: Params) -> ExplanationReport:
    """Return, for an editor's panel, what ``synapse explain --format json`` prints."""
    answer = answer_params(tree.root, tree.current.id, params, standing=True)
    return explain_report(answer, account_for_domains(answer.plan, answer.assembly))


def query_status(tree: LiveTree, params: Params = NO_PARAMS) -> StatusReport:
    """Return, for an editor's panel, what ``synapse status --format json`` prints."""
    answer = answer_params(tree.root, tree.current.id, params, standing=True)
    return status_report(
        answer, registered_hooks(tree.root), delivery_report(tree.root, params.get("chats", ""))
    )


def query_domains(tree: LiveTree, _: Params = NO_PARAMS) -> DomainsReport:
    """Return, for an editor's panel, every domain, in the order of the manifests."""
    plan = load_plan(tree.root).with_all_files().plan
    return DomainsReport(domains=[domain_report(plan, domain) for domain in plan.domains()])


def query_squads(tree: LiveTree, _: Params = NO_PARAMS) -> SquadsReport:
    """Return, for an editor's panel, every squad, as the next prompt would find it."""
    view = tree.disk_view()
    files = {squad.folder: squad.yaml_path or squad.manifest_path for squad in view.tree.squads}
    return SquadsReport(
        squads=[
            squad_report(view.plan, squad, files.get(squad.folder, ""), view.assembly.situation)
            for squad in sorted(view.plan.squads, key=lambda squad: squad.folder)
        ]
    )


def query_choices(tree: LiveTree, _: Params = NO_PARAMS) -> situation_report.ChoicesReport:
    """Return, for an editor's panel, what the situation of a question can be made of."""
    return situation_report.choices_report(tree.disk_view().compiled)


def query_sessions(tree: LiveTree, _: Params = NO_PARAMS) -> SessionsReport:
    """Return, for an editor's panel, the sessions, the latest first, each with its history, and
    which is current and which pinned.
    """
    sessions = session_archive.list_sessions(session_store.sessions_folder(tree.root))
    histories = injection_report.session_histories(injection_log.read_replies(tree.root))
    return SessionsReport(
        sessions=[
            session_report(info, tree.root, histories.get(info.session_id, [])) for info in sessions
        ],
        current=tree.current.id or None,
        pinned=tree.current.pinned,
    )


def query_comparison(tree: LiveTree, params: Params) -> ComparisonReport:
    """Return, for an editor's panel, two blocks and what differs, for the questions ``before`` and
    ``after``.
    """
    before, after = (
        answer_params(tree.root, tree.current.id, params.get(side, {}))
        for side in ("before", "after")
    )
    return comparison_report(before, after)


def query_memories(tree: LiveTree, params: Params = NO_PARAMS) -> memory_report.MemoriesReport:
    """Return, for an editor's panel, memories, best first, and how many there are."""
    agent, query = params.get("agent"), params.get("query", "")
    reader = reader_name(agent) if agent is not None else PERSON
    wanted = memory_report.MemoryFilter(
        tags=tuple(params.get("tags", ())),
        sector=params.get("sector", ""),
        tier=params.get("tier", ""),
    )
    archived = bool(params.get("archived"))
    if query.strip():
        memories = memory_report.search_memories(tree.root, query, reader, wanted)
    else:
        memories = memory_report.list_memories(tree.root, reader, wanted, archived=archived)
    return memory_report.MemoriesReport(
        memories=[memory_report.memory_report(memory, archived=archived) for memory in memories],
        counts=memory_report.count_memories(tree.root, reader),
    )


def query_injections(
    tree: LiveTree, params: Params = NO_PARAMS
) -> injection_report.InjectionsReport:
    """Return, for an editor's panel, the replies of the hook to agents: of one ``session``,
    ``limit`` at most.

    ``hash`` begins that of the blocks that are wanted. With ``texts`` each has its exact text.
    """
    session, limit = params.get("session"), params.get("limit", DEFAULT_LIMIT)
    wanted = injection_report.ReplyFilter(block=params.get("hash", ""))
    replies = (
        record
        for record in injection_log.read_replies(tree.root)
        if (session is None or record["session"] == session) and wanted(record)
    )
    texts = injection_log.read_blocks(tree.root, wanted.block) if params.get("texts") else None
    plan = load_plan(tree.root).with_all_files().plan
    return injection_report.InjectionsReport(
        injections=injection_report.injections_report(
            plan, islice(replies, max(limit, 0)), texts.get if texts is not None else None
        )
    )
