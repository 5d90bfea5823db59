"""Answer ``synapse/*`` requests: most from disk, as an agent would be answered, ``why`` and
``guard`` with the editor's buffers.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.compaction.conversation_formats import WRITERS, write_messages
from synapse_ls.guard.agent_action import DELETE, READ, WRITE, AgentAction
from synapse_ls.hooks.boundary_verdict import judge_use
from synapse_ls.ide.position_lookup import accounts_at
from synapse_ls.lint.rule_pages import page_markdown
from synapse_ls.lint.rule_selection import find_rule
from synapse_ls.live import panel_queries
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.lsp import custom_messages, feature_table
from synapse_ls.lsp.convert import uri_to_path
from synapse_ls.lsp.custom_messages import (
    AuditParams,
    CompactParams,
    GuardParams,
    RulePageParams,
    WhyParams,
    encode_report,
)
from synapse_ls.lsp.editor_wording import name_editor_commands
from synapse_ls.lsp.feature_context import (
    FileContext,
    find_place,
    find_root,
    refuse_core_errors,
    request_refusal,
    tree_context,
)
from synapse_ls.lsp.language_server import Server
from synapse_ls.queries import history_compaction
from synapse_ls.queries.guard_report import verdict_report
from synapse_ls.queries.history_compaction import CompactionRequest, MessageHistory, compact_history
from synapse_ls.queries.memory_report import find_memories
from synapse_ls.queries.past_sessions import DEFAULT_DAYS, audit_tree
from synapse_ls.queries.rule_audit import AuditReport
from synapse_ls.queries.rule_lookup import LookupHit, WhyReport, account_report, find_rules
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.regular_files import open_stream

_QUERIES: Mapping[str, Callable[[LiveTree, Mapping[str, Any]], object]] = {
    feature_table.CONTEXT: panel_queries.query_context,
    feature_table.EXPLAIN: panel_queries.query_explanation,
    feature_table.STATUS: panel_queries.query_status,
    feature_table.DOMAINS: panel_queries.query_domains,
    feature_table.SESSIONS: panel_queries.query_sessions,
    feature_table.SQUADS: panel_queries.query_squads,
    feature_table.COMPARE: panel_queries.query_comparison,
    feature_table.INJECTIONS: panel_queries.query_injections,
    feature_table.CHOICES: panel_queries.query_choices,
    feature_table.MEMORY: panel_queries.query_memories,
}


async def answer_question(
    ls: Server, method: str, params: custom_messages.TreeParams
) -> dict[str, Any]:
    """Answer a custom ``synapse/*`` request: return the answer, in the protocol's terms."""
    root = await find_root(ls, params.uri)

    def report() -> dict[str, Any]:
        fields = custom_messages.question_arguments(params)
        try:
            with refuse_core_errors():
                answer = _QUERIES[method](root.tree, fields)
        except ValueError as error:
            raise JsonRpcInvalidParams(str(error)) from error
        encoded: dict[str, Any] = encode_report(answer, root.path)
        return encoded

    answer = await ls.worker.run(report)
    if method == feature_table.STATUS and ls.client_runs_links:
        answer["notes"] = [name_editor_commands(note) for note in answer["notes"]]
    return answer


async def answer_why(ls: Server, _: str, params: WhyParams) -> dict[str, Any] | None:
    """Answer ``synapse/why``: return the accounts that say why what is asked about is in the block
    or left out.
    """
    prompt = params.prompt or ""
    if params.rule is not None:
        rule = params.rule
        root, _path = await find_place(ls, params.uri)
        view = (await tree_context(ls, root)).view

        def named() -> dict[str, Any]:
            block = view.block(prompt=prompt)
            with refuse_core_errors():
                rules = find_rules(view.plan, block, rule, session=view.request.session)
            return _why_answer(rules, block.situation.bracket.name, root.path)

        return await ls.reader.run(named)
    if params.uri is None or params.position is None:
        raise JsonRpcInvalidParams("synapse/why needs a rule, or a uri and a position.")
    position = params.position

    def here(look: FileContext) -> dict[str, Any]:
        block = look.view.block(prompt=prompt)
        hits: list[LookupHit] = accounts_at(look.view, block, look.facts, look.map.offset(position))
        if look.facts.kind is FileKind.MEMORY:
            plan, session = look.view.plan, look.view.request.session
            hits = [*find_memories(plan, block, look.facts.path, session=session)]
        if not hits:
            raise _nothing_found()
        return _why_answer(hits, block.situation.bracket.name, look.root)

    answer = await ls.query_file(params.uri, here)
    if answer is None:
        raise _nothing_found()
    return answer


def _nothing_found() -> Exception:
    return request_refusal(
        "There is no rule, domain or memory at this place.",
        "Put the caret on a rule, on a domain in the manifest, or into a memory.",
    )


def _why_answer(found: list[LookupHit], bracket: str, root: str) -> dict[str, Any]:
    accounts = [account_report(hit, root) for hit in found]
    answer: dict[str, Any] = encode_report(WhyReport(bracket=bracket, accounts=accounts), root)
    return answer


async def answer_guard(ls: Server, _: str, params: GuardParams) -> dict[str, Any]:
    """Answer ``synapse/guard``: return the guard's verdict on the command, files or tool that is
    asked about.
    """
    verbs = ((READ, params.read), (WRITE, params.write), (DELETE, params.delete))
    files = [(verb, path) for verb, paths in verbs for path in paths or ()]
    use = AgentAction(command=params.command or "", files=files, tool=params.tool or "")
    if not (use.command.strip() or files or use.tool):
        raise JsonRpcInvalidParams("synapse/guard needs a command, files or a tool.")
    root, _path = await find_place(ls, params.uri)
    view = (await tree_context(ls, root)).view

    def judged() -> Any:
        situation = view.block(agent=(params.agent or "").removeprefix("@")).situation
        mode = view.plan.settings["guard"]
        judgement = judge_use(view.plan, situation, use, project_root=root.path)
        return encode_report(verdict_report(judgement, situation.agent, mode), root.path)

    verdict: dict[str, Any] = await ls.reader.run(judged)
    return verdict


_DAY = 86400.0  # seconds


async def answer_audit(ls: Server, _: str, params: AuditParams) -> dict[str, Any]:
    """Answer ``synapse/audit``: return the audit; hovers and lenses then show it."""
    root = await find_root(ls, params.uri)
    days = DEFAULT_DAYS if params.days is None else params.days
    # Neither thread of the server waits for transcripts: others want to hover meanwhile.
    report = await asyncio.to_thread(_audit, root.path, time.time() - days * _DAY)
    await ls.worker.run(root.tree.refresh_histories)
    ls.refresher(edited=False, open_files=len(root.buffers))
    encoded: dict[str, Any] = encode_report(report, root.path)
    return encoded


def _audit(root: str, since: float) -> AuditReport:
    with refuse_core_errors():
        return audit_tree(root, since=since)


async def answer_compact(ls: Server, _: str, params: CompactParams) -> dict[str, Any]:
    """Answer ``synapse/compact``: return the history that is left, in the protocol's terms; nothing
    is written.
    """
    if params.shape and params.shape not in WRITERS:
        raise JsonRpcInvalidParams(f"shape is one of {', '.join(WRITERS)}, not {params.shape}.")
    return await ls.reader.run(_compact_answer, params)


def _compact_answer(params: CompactParams) -> dict[str, Any]:
    fields = {name: getattr(params, name, None) for name in CompactionRequest.__dataclass_fields__}
    wish = CompactionRequest(**{name: value for name, value in fields.items() if value is not None})
    with refuse_core_errors():
        history = _read_history(params)
        outcome = asyncio.run(compact_history(history.messages, history.tools, wish))
    written = write_messages(outcome.messages, params.shape or "")
    report = replace(outcome.report, kind=history.kind, messages=written)
    answer: dict[str, Any] = encode_report(report)
    return answer


def _read_history(params: CompactParams) -> MessageHistory:
    if params.messages is not None:
        return history_compaction.history_from_json(params.messages, "messages")
    path = uri_to_path(params.uri) if params.uri else None
    if path is None:
        raise JsonRpcInvalidParams("synapse/compact needs messages, or the uri of a file.")
    try:
        with open_stream(path) as stream:
            return history_compaction.read_history(stream, Path(path).name)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise request_refusal(
            f"Cannot read {path}: {reason}.", "Name a file of messages."
        ) from error


@dataclass(frozen=True, kw_only=True)
class RulePageReport:
    """The page of a lint rule, as Markdown."""

    code: str
    name: str
    markdown: str


async def answer_rule_page(ls: Server, _: str, params: RulePageParams) -> dict[str, Any]:
    """Answer ``synapse/rulePage``: return the page of the rule that a code or a name means."""
    # Whoever reads no page should not wait for what makes them.
    return await ls.reader.run(_report_page, params.rule)


def _report_page(named: str) -> dict[str, Any]:

    rule = find_rule(named)
    if rule is None:
        raise request_refusal(f"No rule is called {named}.", "`synapse rule` lists them.")
    report = RulePageReport(code=rule.code, name=rule.name, markdown=page_markdown(rule))
    encoded: dict[str, Any] = encode_report(report)
    return encoded
