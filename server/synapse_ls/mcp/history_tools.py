"""MCP tools about the past: replies of the hook, coverage of rules, compaction of a history."""

import asyncio
import os
import sys
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path

from synapse_ls.compaction.message_lists import WRITERS, write_messages
from synapse_ls.mcp.tool_definition import (
    INTEGER,
    Arguments,
    ToolArgument,
    ToolResult,
    join_groups,
    omitted_lines,
    tool,
)
from synapse_ls.queries import history_compaction, injection_report, rule_coverage
from synapse_ls.storage import injection_log
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.outside_links import is_readable
from synapse_ls.workspace.regular_files import open_stream

_DEFAULT_LIMIT = 10


def _record_line(report: injection_report.InjectionReport) -> str:
    about = (report.client, report.session or "no session", report.event)
    took = " · ".join(
        f"{layer} {', '.join(domain.label for domain in domains)}"
        for layer, domains in groupby(report.domains, lambda domain: domain.layer)
    )
    tokens = report.tokens
    cost = f"{tokens} of {report.budget} tokens" if tokens else "nothing new"
    cut = f"; cut: {', '.join(report.cut)}" if report.cut else ""
    return f"{report.time} {' '.join(about)}: {report.bracket}, {cost}; {took}{cut}"


@tool(
    "What agents got",
    ToolArgument("session", "only to this session, by its whole id"),
    ToolArgument("agent", "only to this agent"),
    ToolArgument("rule", "only where this rule was injected or cut, or this domain took part"),
    ToolArgument("limit", f"so many at most (default: {_DEFAULT_LIMIT})", INTEGER),
)
def run_log(root: str, arguments: Arguments) -> ToolResult:
    """What the hook has injected, the latest first: when, to which client and session, which
    domains took part, what was cut. It never has a prompt.
    """
    reply_filter = injection_report.ReplyFilter(
        session=arguments["session"], agent=arguments["agent"], rule=arguments["rule"]
    )
    number = _DEFAULT_LIMIT if arguments["limit"] is None else max(arguments["limit"], 0)
    replies = filter(reply_filter, injection_log.read_replies(root))
    records = list(islice(replies, min(number, sys.maxsize)))
    reports = injection_report.injections_report(load_plan(root).with_all_files().plan, records)
    lines = [*map(_record_line, reports)] or ["Nothing of that kind was injected for an agent."]
    return ToolResult(lines, {"injections": reports})


_MAX_FINDINGS = 20  # findings of a kind


@tool(
    "Rules that never reach an agent",
    ToolArgument("limit", f"so many of each kind at most (default: {_MAX_FINDINGS})", INTEGER),
)
def run_coverage(root: str, arguments: Arguments) -> ToolResult:
    """By the log of the hook: how many rules were ever injected, which domains never took part,
    which rules were always cut, which keywords never matched.
    """
    statistics = injection_report.ReplyStatistics()
    for record in injection_log.read_replies(root):
        statistics.add(record)
    coverage = rule_coverage.judge_coverage(load_plan(root).with_all_files().plan, statistics)
    limit = _MAX_FINDINGS if arguments["limit"] is None else max(arguments["limit"], 0)
    reported = [
        finding
        for _, kind in groupby(coverage.findings, lambda finding: finding.code)
        for finding in list(kind)[:limit]
    ]
    few = "" if coverage.has_enough_prompts else "; these are too few to judge by"
    lines = join_groups(
        [
            f"{coverage.percent:.0f}% of the rules were injected at least once: "
            f"{coverage.seen_rules} of {format_count(coverage.rules, 'rule')}",
            f"over {format_count(coverage.prompts, 'prompt')} that the hook answered{few}",
            *filter(None, (rule_coverage.describe_left_out(coverage),)),
        ],
        [f"{f.code} {f.name} ({f.file}:{f.line}): {f.message}" for f in reported]
        + omitted_lines(len(reported), len(coverage.findings), "finding", "give a larger limit"),
    )
    report = rule_coverage.coverage_report(replace(coverage, findings=tuple(reported)), statistics)
    return ToolResult(lines, report)


# A summary takes a model, and the one that asks can write it itself.
_CHOICES = tuple(
    name for name in history_compaction.STRATEGIES if name != history_compaction.SUMMARIZE
)


def _read_history(root: str, file: str, messages: str) -> history_compaction.MessageHistory:
    if bool(file) is bool(messages):
        raise UserError("A history is needed, once.", "Give either file or messages.")
    if messages:
        try:
            return history_compaction.history_from_json(loads(messages), "messages")
        except JsonError as error:
            raise UserError(f"messages is no JSON: {error}.", "Write it as JSON.") from error
    try:
        # The file that is meant.
        real = Path(os.path.realpath(os.path.join(root, file)))
        if not is_readable(str(real), os.path.realpath(root)):
            raise UserError(
                f"{file} is outside of the project, or holds secrets: this tool does not read it.",
                "Give messages, or have a person run `synapse compact` on it.",
            )
        with open_stream(real, within=os.sep) as stream:
            return history_compaction.read_history(stream, file)
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error).lower()
        raise UserError(f"Cannot read {file}: {reason}.", "Name a transcript.") from error


@tool(
    "Compact a history",
    ToolArgument(
        "file",
        "a file below the project: a transcript of Claude Code, Codex or Gemini CLI, or messages",
    ),
    ToolArgument(
        "messages",
        "the messages themselves, as a JSON list in Anthropic's or OpenAI's shape",
        json=True,
    ),
    ToolArgument("strategy", f"how (default: {_CHOICES[0]})", choices=_CHOICES),
    ToolArgument(
        "limit", f"tokens that it may take (default: {history_compaction.DEFAULT_LIMIT})", INTEGER
    ),
    ToolArgument("keep_last", "messages that stay at the end (default: as many as fit)", INTEGER),
    ToolArgument("keep_first", "messages that stay at the beginning (default: 0)", INTEGER),
    ToolArgument(
        "keep_results",
        f"tool results that stay (default: {history_compaction.DEFAULT_KEPT_RESULTS})",
        INTEGER,
    ),
    ToolArgument(
        "shape", "what messages are written as (default: as read)", choices=tuple(WRITERS)
    ),
)
def run_compact(root: str, arguments: Arguments) -> ToolResult:
    """Makes the history of a conversation fit a number of tokens: drops its oldest messages, or
    clears old tool results, and never parts a call from its result. Changes no file.
    """
    history = _read_history(root, arguments["file"], arguments["messages"])
    numbers = ("limit", "keep_last", "keep_first", "keep_results")
    wished = {name: arguments[name] for name in numbers if arguments[name] is not None}
    wish = history_compaction.CompactionRequest(
        strategy=arguments["strategy"] or _CHOICES[0], **wished
    )
    outcome = asyncio.run(history_compaction.compact_history(history.messages, history.tools, wish))
    written = write_messages(outcome.messages, arguments["shape"])
    report = replace(outcome.report, kind=history.kind, messages=written)
    summary = (
        f"{report.before.description} became {report.after.description}: "
        f"{len(report.dropped)} dropped, {len(report.cleared)} tool results cleared."
    )
    return ToolResult([summary], report, dumps(written))
