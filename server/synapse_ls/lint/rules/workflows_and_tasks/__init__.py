"""Lint rules about workflows, tasks, stories, agents and sessions, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint.fixes import write_meant_field, write_suggestion
from synapse_ls.lint.lint_rule import FileRule, LintRule, ProblemRule, Reach, TreeRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import FileKind

RULES: tuple[LintRule, ...] = (
    ProblemRule("SYN701", "invalid-workflow-state", Severity.WARNING, remedy="Correct the field.",
        fix=write_suggestion),
    ProblemRule("SYN702", "invalid-workflow", Severity.WARNING,
        claims=("invalid-workflow", "no-workflow"), hints=("no-workflow",),
        remedy="Give it a `workflow` with an `id` and a `sequence`, if a state file uses it.",
        fix=write_meant_field),
    TreeRule("SYN703", "unknown-workflow", Severity.WARNING,
        (FileKind.WORKFLOW_STATE, FileKind.CONFIG),
        reads={"workflow": Reach.EVERYWHERE, "setting": Reach.EVERYWHERE}),
    TreeRule("SYN704", "unknown-step-agent", Severity.WARNING,
        (FileKind.WORKFLOW, FileKind.WORKFLOW_STATE, FileKind.CHAINS),
        reads={"agent": Reach.EVERYWHERE, "trigger": Reach.EVERYWHERE, "squad": Reach.EVERYWHERE}),
    ProblemRule("SYN705", "invalid-session", Severity.WARNING, remedy="Delete the file."),
    ProblemRule("SYN706", "stale-session", Severity.HINT, remedy="Run `synapse session clean`."),
    FileRule("SYN707", "task-without-criteria", Severity.HINT, (FileKind.TASK,), default=False),
    FileRule("SYN708", "unknown-story-status", Severity.INFO, (FileKind.STORY,)),
    FileRule("SYN709", "invalid-agent", Severity.INFO, (FileKind.AGENT,)),
    TreeRule("SYN710", "unknown-executor", Severity.WARNING, (FileKind.TASK,),
        reads={"agent": Reach.EVERYWHERE, "squad": Reach.EVERYWHERE}),
    TreeRule("SYN711", "state-out-of-step", Severity.WARNING, (FileKind.WORKFLOW_STATE,),
        reads={"workflow": Reach.EVERYWHERE, "steps": Reach.EVERYWHERE, "squad": Reach.EVERYWHERE}),
    TreeRule("SYN712", "unknown-step-task", Severity.WARNING,
        (FileKind.WORKFLOW, FileKind.WORKFLOW_STATE, FileKind.CHAINS),
        reads={"task": Reach.EVERYWHERE, "squad": Reach.EVERYWHERE}),
    TreeRule("SYN713", "unknown-assignee", Severity.WARNING, (FileKind.STORY,),
        reads={"agent": Reach.EVERYWHERE, "trigger": Reach.EVERYWHERE, "squad": Reach.EVERYWHERE}),
    FileRule("SYN714", "self-review", Severity.WARNING, (FileKind.STORY,)),
    ProblemRule("SYN715", "invalid-workflow-chain", Severity.WARNING,
        remedy="Give each chain an `id`, and each step a number, an `agent` and a `command`."),
    TreeRule("SYN716", "unknown-step-command", Severity.INFO, (FileKind.CHAINS,),
        reads={"agent": Reach.EVERYWHERE, "agent-command": Reach.EVERYWHERE}),
    ProblemRule("SYN717", "invalid-continuation", Severity.WARNING,
        remedy="Mend the front matter, or write the file anew with `synapse handoff`."),
)  # fmt: skip
