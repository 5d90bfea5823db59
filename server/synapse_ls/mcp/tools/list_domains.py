"""This module is the MCP tool ``list_domains``: the domains (rule sets) of the tree, and what wakes
each.
"""

from __future__ import annotations

from synapse_ls.mcp.tool_arguments import INTEGER, ToolArgument
from synapse_ls.mcp.tool_result import ToolResult, join_groups, omitted_lines
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.queries.domain_report import DomainReport, domain_report
from synapse_ls.queries.domain_summary import empty_tree_note
from synapse_ls.queries.report_model import to_json
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.text.plural_counts import format_count

_MAX_DOMAINS = 500  # domains


def _run(root: str, arguments: Arguments) -> ToolResult:
    plan = load_plan(root).with_all_files().plan
    total = len(plan.packed)
    limit = _MAX_DOMAINS if arguments["limit"] is None else max(arguments["limit"], 0)
    domains = [domain_report(plan, plan.domain(number)) for number in range(min(total, limit))]
    text = join_groups(
        [
            *map(_domain_line, domains),
            *omitted_lines(len(domains), total, "domain", "give a larger limit"),
        ],
        [] if total else [f"note: {empty_tree_note(plan)}"],
    )
    return ToolResult(text, {"domains": to_json(domains), "total": total})


def _domain_line(domain: DomainReport) -> str:
    state = "" if domain.active else ", inactive"
    wakes = domain.wakes_by or "nothing wakes it"
    count = format_count(domain.rules, "rule")
    words = f" ({', '.join(domain.recall)})" if domain.recall else ""
    where = f" {domain.file}" if domain.file else ""
    return f"{domain.label}: {domain.layer}, {wakes}{words}, {count}{state}{where}"


TOOL = Tool(
    name="list_domains",
    title="Domains of rules",
    description="The domains (named rule sets) of this project: layer, what wakes each, how many rules, "
    "its file.",
    arguments=(ToolArgument("limit", f"so many at most (default: {_MAX_DOMAINS})", INTEGER),),
    run=_run,
)
