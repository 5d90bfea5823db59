"""This module is the MCP tool ``coverage``: which rules agents were given, and which never reach
one.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from synapse_ls.mcp.tool_arguments import INTEGER, ToolArgument
from synapse_ls.mcp.tool_result import ToolResult, join_groups, omitted_lines
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.queries.reply_statistics import ReplyStatistics
from synapse_ls.queries.rule_coverage import coverage_report, describe_left_out, judge_coverage
from synapse_ls.storage import injection_log
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.text.plural_counts import format_count

_MAX_FINDINGS = 20  # findings of a kind


def _run(root: str, arguments: Arguments) -> ToolResult:
    seen = ReplyStatistics()
    for record in injection_log.read_replies(root):
        seen.add(record)
    found = judge_coverage(load_plan(root).with_all_files().plan, seen)
    limit = _MAX_FINDINGS if arguments["limit"] is None else max(arguments["limit"], 0)
    shown = [
        finding
        for _, kind in groupby(found.findings, lambda finding: finding.kind)
        for finding in list(kind)[:limit]
    ]
    few = "" if found.has_enough_prompts else "; these are too few to judge by"
    rules = format_count(found.rules, "rule")
    text = join_groups(
        [
            f"{found.percent:.0f}% of the rules were told at least once: {found.seen_rules} of {rules}",
            f"over {format_count(found.prompts, 'prompt')} that the hook answered{few}",
            *filter(None, (describe_left_out(found),)),
        ],
        [f"{f.kind.code} {f.name} ({f.file}:{f.line}): {f.message}" for f in shown]
        + omitted_lines(len(shown), len(found.findings), "finding", "give a larger limit"),
    )
    kept = coverage_report(replace(found, findings=tuple(shown)), seen)
    return ToolResult(text, kept)


TOOL = Tool(
    name="coverage",
    title="Rules that never reach an agent",
    description="By the log of the hook: how many rules were ever told, which domains never took part, "
    "which rules were always cut, which keywords never matched.",
    arguments=(
        ToolArgument("limit", f"so many of each kind at most (default: {_MAX_FINDINGS})", INTEGER),
    ),
    run=_run,
)
