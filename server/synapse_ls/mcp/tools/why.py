"""This module is the MCP tool ``why``: why one rule or domain is in the block or out of it, and the
smallest remedy.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.mcp.situation_arguments import SITUATION, query_answer
from synapse_ls.mcp.tool_arguments import ToolArgument
from synapse_ls.mcp.tool_result import ToolResult, join_groups
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.queries.report_model import to_json
from synapse_ls.queries.rule_lookup import LookupHit, account_report, explain_hit, find_rules

_MAX_RULES = 50  # rules that a fragment of a text can mean


def _run(root: str, arguments: Arguments) -> ToolResult:
    answer = query_answer(
        root, {field.name: arguments[field.name] for field in SITUATION}, standing=True
    )
    # An agent sees what is shared and its own, never all.
    reader = answer.assembly.situation.agent
    found = find_rules(answer.plan, answer.assembly, arguments["rule"], reader, answer.session)[
        :_MAX_RULES
    ]
    text = join_groups([line for hit in found for line in _hit_lines(hit)])
    return ToolResult(text, {"accounts": to_json([account_report(hit, root) for hit in found])})


def _hit_lines(hit: LookupHit) -> Iterator[str]:
    domain, rule = hit
    rendered, told = explain_hit(hit)
    name = rule.key if rule else domain.label
    yield f"{name} is {'in' if rendered else 'out'}: {told.reason}."
    if told.remedy:
        yield f"  remedy: {told.remedy}"
    if rule:
        yield f"  {rule.file}:{rule.line}: {rule.text}"


TOOL = Tool(
    name="why",
    title="Why one rule is in or out",
    description="Why one rule, domain or memory is in the block for a prompt, or is not, and the smallest change "
    "that brings it in.",
    arguments=(
        ToolArgument(
            "rule",
            "a key (GLOBAL_RULE_3), a domain, *command, file:line, a memory's id, or a part of the text",
            required=True,
        ),
        *SITUATION,
    ),
    run=_run,
)
