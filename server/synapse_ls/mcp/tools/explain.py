"""This module is the MCP tool ``explain``: an account of the domains, each in the block or left
out, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.rule_account import DomainAccount, account_for_domains
from synapse_ls.mcp.situation_arguments import SITUATION, query_answer
from synapse_ls.mcp.tool_arguments import INTEGER, ToolArgument
from synapse_ls.mcp.tool_result import (
    ToolResult,
    answer_situation_lines,
    join_groups,
    note_lines,
    omitted_lines,
    window_line,
)
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.queries.answer_lines import answer_notes
from synapse_ls.queries.explanation_report import explain_report
from synapse_ls.queries.report_model import to_json
from synapse_ls.storage.name_checks import find_label
from synapse_ls.text.plural_counts import format_count

_MAX_DOMAINS = 100  # domains


def _run(root: str, arguments: Arguments) -> ToolResult:
    answer = query_answer(
        root, {field.name: arguments[field.name] for field in SITUATION}, standing=True
    )
    accounts = account_for_domains(answer.plan, answer.assembly)
    if arguments["domain"]:
        label = find_label(answer.plan, arguments["domain"])
        accounts = tuple(domain for domain in accounts if domain.label == label)
    ordered = sorted(accounts, key=lambda domain: not domain.rendered_count)
    shown = tuple(
        ordered[: _MAX_DOMAINS if arguments["limit"] is None else max(arguments["limit"], 0)]
    )
    verbose = bool(arguments["domain"])
    text = join_groups(
        [window_line(answer), *answer_situation_lines(answer)],
        [line for domain in shown for line in _domain_lines(domain, verbose)]
        + omitted_lines(
            len(shown), len(accounts), "domain", "name one with domain, or give a larger limit"
        ),
        note_lines(answer_notes(answer)),
    )
    return ToolResult(text, to_json(explain_report(answer, shown)))


def _domain_lines(domain: DomainAccount, verbose: bool) -> Iterator[str]:
    total, inside = len(domain.rules), domain.rendered_count
    count = format_count(total, "rule") if inside in (0, total) else f"{inside} of {total} rules"
    state = f"in {domain.layer}" if inside else "out"
    remedy = f" [{domain.remedy}]" if domain.remedy and not inside else ""
    yield f"{state}: {domain.label}, {count}: {domain.reason}{remedy}"
    for rule in domain.rules:
        if verbose or (inside and not rule.is_rendered):
            mark = "in" if rule.is_rendered else "out"
            remedy = f" [{rule.remedy}]" if rule.remedy else ""
            yield f"  {mark}: {rule.key} ({rule.file}:{rule.line}): {rule.reason}{remedy}"


TOOL = Tool(
    name="explain",
    title="Why the rules are in or out",
    description="Which domains of rules are in the block for a prompt and which are left out, why, and "
    "what would change that; those in the block first. With domain: rule by rule.",
    arguments=(
        *SITUATION,
        ToolArgument("domain", "only this domain"),
        ToolArgument("limit", f"so many domains at most (default: {_MAX_DOMAINS})", INTEGER),
    ),
    run=_run,
)
