"""MCP tools that check: findings of the linter, and the guard's verdict on an action."""

import os
from collections import Counter
from typing import Any

from synapse_ls.guard.agent_action import AgentAction
from synapse_ls.hooks.boundary_verdict import judge_use, unreadable_clauses
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.mcp.tool_definition import (
    AGENT,
    INTEGER,
    LIST,
    SITUATION,
    Arguments,
    ToolArgument,
    ToolResult,
    join_groups,
    note_lines,
    omitted_lines,
    query_answer,
    tool,
)
from synapse_ls.queries.guard_report import verdict_report
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.outside_links import find_outside_link
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import is_under
from synapse_ls.workspace.tree_loader import load_tree

_MAX_FINDINGS = 200  # findings
_SEVERITIES = tuple(severity.value for severity in Severity)


def _finding_report(tree: Tree, finding: Finding) -> dict[str, Any]:
    facts = tree.snapshot.facts(finding.path)
    line, column = facts.lines.position(finding.span.start) if facts else (0, finding.span.start)
    return {
        "path": finding.path,
        "line": line + 1,
        "column": column + 1,
        "severity": finding.severity.value,
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "remedy": finding.remedy or None,
    }


def _relative_path(root: str, path: str) -> str:
    """Return a path as the tree has it; raise UserError for one that lies outside, or is not
    there.
    """
    full = os.path.normpath(os.path.join(root, path))
    relative = os.path.relpath(full, root).replace(os.sep, "/")
    if relative.split("/", 1)[0] == os.pardir or "\0" in path:
        raise UserError(f"{path} is not in the tree of {root}.", "Name a path in it.")
    if not os.path.lexists(full) or find_outside_link(root, relative):
        raise UserError(f"There is no file or folder {path}.", "Name one that there is.")
    return "" if relative == os.curdir else relative


@tool(
    "Check the tree",
    ToolArgument("paths", "only in these files and folders, relative to the project", LIST),
    ToolArgument("severity", "the mildest severity to report (default: info)", choices=_SEVERITIES),
    ToolArgument("limit", f"so many findings at most (default: {_MAX_FINDINGS})", INTEGER),
)
def run_check(root: str, arguments: Arguments) -> ToolResult:
    """What is malformed or without effect in the rule files, with place, effect and remedy:
    path:line:column: severity code name: message [remedy]. Call it after changing such a file.
    """
    within = tuple(_relative_path(root, path) for path in arguments["paths"])
    mildest = Severity(arguments["severity"] or Severity.INFO.value)
    loaded = load_tree(root, LoadScope.ALL)
    tree = loaded.tree
    wanted = [
        diagnostic
        for diagnostic in lint_tree(tree, notes=loaded.notes, named_paths=within)
        if diagnostic.severity.rank <= mildest.rank
        and (not within or any(is_under(diagnostic.path, place) for place in within))
    ]
    reported = wanted[: _MAX_FINDINGS if arguments["limit"] is None else max(arguments["limit"], 0)]
    rows = [_finding_report(tree, finding) for finding in reported]
    counts = Counter(diagnostic.severity.value for diagnostic in wanted)
    sums = ", ".join(format_count(counts[name], name) for name in _SEVERITIES if counts[name])
    lines = join_groups(
        (
            f"{row['path']}:{row['line']}:{row['column']}: {row['severity']} {row['code']} "
            f"{row['name']}: {row['message']}" + (f" [{row['remedy']}]" if row["remedy"] else "")
            for row in rows
        ),
        omitted_lines(len(reported), len(wanted), "finding", "name paths, or give a larger limit"),
        [f"{sums}." if sums else "Nothing to report."],
    )
    return ToolResult(lines, {"findings": rows, "total": len(wanted)})


_VERBS = ("read", "write", "delete")
_SITUATION = tuple(
    field for field in SITUATION if field.name in ("workflow", "phase", "task", "squad", "session")
)
_EFFECTS = {
    "off": "the guard is off, so nothing stops the agent",
    "warn": "the guard warns, and does not stop the agent",
    "enforce": "the guard stops the agent where the client runs the hook",
}


@tool(
    "May an agent do this?",
    ToolArgument("command", "a command line, as a shell reads it"),
    ToolArgument("read", "files to read", LIST),
    ToolArgument("write", "files to write", LIST),
    ToolArgument("delete", "files to delete", LIST),
    ToolArgument("tool", "the name of a tool of the client"),
    ToolArgument("folder", "where, below the project (default: its root)"),
    AGENT,
    *_SITUATION,
)
def run_guard(root: str, arguments: Arguments) -> ToolResult:
    """Whether the authority boundaries of this project let an agent run a command, touch files or
    call a tool. The answer is allow, ask or deny, with the rule and the agent to delegate to.
    """
    files = [(verb, path) for verb in _VERBS for path in arguments[verb]]
    if not (arguments["command"].strip() or files or arguments["tool"]):
        raise UserError(
            "There is nothing to judge.",
            "Give a command, files to read, write or delete, or a tool.",
        )
    answer = query_answer(root, arguments)
    situation = answer.assembly.situation
    folder = arguments["folder"].strip("/")
    use = AgentAction(
        command=arguments["command"], files=files, tool=arguments["tool"], folder=folder
    )
    mode = answer.plan.settings["guard"]
    verdict = judge_use(answer.plan, situation, use, project_root=answer.plan.root, mode=mode)
    blind = unreadable_clauses(answer.plan, situation.agent)
    notes = note_lines(situation.notes)
    who = f"@{situation.agent}" if situation.agent else "no active agent"
    lines = [f"{verdict.decision} for {who}{f': {verdict.reason}' if verdict.reason else ''}."]
    if verdict.subject:
        lines.append(f"  what: {verdict.subject}")
    if verdict.decision != "allow":
        lines.append(f"note: {_EFFECTS[mode]}")
    return ToolResult(
        [*lines, *notes],
        verdict_report(verdict, situation.agent, mode, answer.plan.settings["policy"], blind),
    )
