"""This module is the MCP tool ``log``: what the hook has sent to agents."""

from __future__ import annotations

import sys
from itertools import groupby, islice

from synapse_ls.mcp.tool_arguments import INTEGER, ToolArgument
from synapse_ls.mcp.tool_result import ToolResult, join_groups
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.queries.injection_report import InjectionReport, ReplyFilter, injections_report
from synapse_ls.queries.report_model import to_json
from synapse_ls.storage import injection_log
from synapse_ls.storage.current_plan import load_plan

_DEFAULT_LIMIT = 10


def _run(root: str, arguments: Arguments) -> ToolResult:
    wanted = ReplyFilter(
        session=arguments["session"], agent=arguments["agent"], rule=arguments["rule"]
    )
    number = _DEFAULT_LIMIT if arguments["limit"] is None else max(arguments["limit"], 0)
    replies = filter(wanted, injection_log.read_replies(root))
    records = list(islice(replies, min(number, sys.maxsize)))
    reports = injections_report(load_plan(root).with_all_files().plan, records)
    text = join_groups(map(_record_line, reports)) or "Nothing of that kind was told to an agent."
    return ToolResult(text, {"injections": to_json(reports)})


def _record_line(report: InjectionReport) -> str:
    about = (report.client, report.session or "no session", report.event)
    took = " · ".join(
        f"{layer} {', '.join(domain.label for domain in domains)}"
        for layer, domains in groupby(report.domains, lambda domain: domain.layer)
    )
    tokens = report.tokens
    cost = f"{tokens} of {report.budget} tokens" if tokens else "nothing new"
    cut = f"; cut: {', '.join(report.cut)}" if report.cut else ""
    return f"{report.time} {' '.join(about)}: {report.bracket}, {cost}; {took}{cut}"


TOOL = Tool(
    name="log",
    title="What agents were told",
    description="What the hook has told agents, the latest first: when, to which client and session, which "
    "domains took part, what was cut. It never has a prompt.",
    arguments=(
        ToolArgument("session", "only to this session, by its whole id"),
        ToolArgument("agent", "only to this agent"),
        ToolArgument("rule", "only where this rule was told or cut, or this domain took part"),
        ToolArgument("limit", f"so many at most (default: {_DEFAULT_LIMIT})", INTEGER),
    ),
    run=_run,
)
