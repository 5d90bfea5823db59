"""Report the activation of an agent, with everything that it loaded."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from synapse_ls.activation import agent_definition, project_status
from synapse_ls.activation.agent_activation import Activation
from synapse_ls.queries.report_model import JSON_ONLY, LEFT_OUT, URI, report_of
from synapse_ls.queries.status_report import NavigationReport, position_report


@dataclass(frozen=True, kw_only=True)
class AgentCommandReport:
    """A command of an agent in the report of an activation, without its star."""

    name: str
    arguments: str | None
    description: str | None
    visibility: list[str]


@dataclass(frozen=True, kw_only=True)
class AgentReport:
    """An agent in the report of an activation, as its definition has it."""

    id: str
    name: str | None
    title: str | None
    icon: str | None
    role: str | None
    archetype: str | None
    file: str | None = field(metadata=URI)
    commands: list[AgentCommandReport]


@dataclass(frozen=True, kw_only=True)
class GreetingSection:
    """A section of a greeting in the report of an activation; `why`: the reason where it is
    empty.
    """

    name: str
    text: str
    why: str | None


@dataclass(frozen=True, kw_only=True)
class PermissionMode:
    """How freely the agent may act, in the report of an activation: "explore", "ask" or "auto"."""

    mode: str
    badge: str
    file: str | None = field(metadata=JSON_ONLY)


@dataclass(frozen=True, kw_only=True)
class GreetingPreferences:
    """How the person who works here wants to be greeted, in the report of an activation."""

    greeting: str
    profile: str


@dataclass(frozen=True, kw_only=True)
class ChangeCounts:
    """Files that differ from the last commit, in the report of an activation; `atLeast`: git had no
    time to name all.
    """

    total: int
    staged: int
    modified: int
    untracked: int
    conflicted: int
    at_least: bool
    files: list[str]


@dataclass(frozen=True, kw_only=True)
class CommitInfo:
    """A commit in the report of an activation; `time` is in seconds since 1970."""

    hash: str
    time: int
    subject: str


@dataclass(frozen=True, kw_only=True)
class ProjectReport:
    """The status of the project in git, in the report of an activation. `state`: "branch",
    "detached" or "unborn"; null where it is not known.
    """

    repository: bool
    branch: str | None
    state: str | None
    commit: str | None
    worktree: str | None
    under_way: str | None
    changes: ChangeCounts | None
    commits: list[CommitInfo] | None


@dataclass(frozen=True, kw_only=True)
class StoryReport:
    """The story that is worked on, in the report of an activation, and how that is known."""

    id: str
    title: str | None
    state: str | None
    epic: str | None
    file: str | None = field(metadata=URI)
    why: str | None
    others: int


@dataclass(frozen=True, kw_only=True)
class AgentHandoffReport:
    """What another agent has left for this one, in the report of an activation; `consumed`: whether
    it was taken over.
    """

    file: str | None = field(metadata=URI)
    from_agent: str | None
    to_agent: str | None
    at: str | None
    consumed: bool
    last_command: str | None
    story: str | None
    story_status: str | None
    task: str | None
    branch: str | None
    decisions: list[str]
    files: list[str]
    blockers: list[str]
    next_action: str | None
    left_out: int


@dataclass(frozen=True, kw_only=True)
class AgentMemoriesReport:
    """The memories that matter most, in the report of an activation, and how many there are."""

    total: int
    shown: list[agent_definition.MemoryLine]


@dataclass(frozen=True, kw_only=True)
class LoaderReport:
    """The result of a loader in the report of an activation: "loaded", "late" or "failed"; `why`:
    what is missing.
    """

    name: str
    tier: str
    state: str
    milliseconds: float
    why: str | None


@dataclass(frozen=True, kw_only=True)
class ActivationReport:
    """The report of an activation: an agent with all that was loaded for it.

    `quality`: "full", "partial" or "fallback". `greeting` is its text in Markdown, "" for a Worker.
    `recorded`: whether it became the active agent of the session.
    """

    agent: AgentReport
    session: str | None
    occasion: str
    occasion_why: str
    executor: str
    quality: str
    greeting: str
    kind: str
    sections: list[GreetingSection]
    permission: PermissionMode
    preferences: GreetingPreferences = field(metadata=JSON_ONLY)
    project: ProjectReport | None
    story: StoryReport | None
    workflow: NavigationReport | None
    handoff: AgentHandoffReport | None
    memories: AgentMemoriesReport
    loaders: list[LoaderReport]
    milliseconds: float
    missing: list[str]
    notes: list[str]
    recorded: bool = LEFT_OUT


def activated_agent_report(
    activation: Activation, *, recorded: bool = LEFT_OUT, notes: Sequence[str] | None = None
) -> ActivationReport:
    """Return the report on an agent that was activated. notes: those of its recording with them,
    else its own.
    """
    facts, project = activation.facts, None
    if status := facts.project:
        project = report_of(
            ProjectReport,
            status.head or project_status.Head(),
            repository=status.head is not None,
            changes=report_of(ChangeCounts, status.changes) if status.changes else None,
            commits=None
            if status.commits is None
            else [
                report_of(CommitInfo, commit, time=commit.committed_at) for commit in status.commits
            ],
        )
    return ActivationReport(
        agent=agent_report(facts.agent),
        session=activation.session or None,
        occasion=facts.occasion,
        occasion_why=activation.occasion_reason,
        executor=facts.executor,
        quality=activation.quality,
        greeting=activation.greeting.text,
        kind=activation.greeting.kind,
        sections=[report_of(GreetingSection, part) for part in activation.greeting.parts],
        permission=report_of(PermissionMode, facts.permission, file=facts.permission.path or None),
        preferences=report_of(GreetingPreferences, facts.preferences),
        project=project,
        story=report_of(StoryReport, facts.story, file=facts.story.path or None)
        if facts.story
        else None,
        workflow=position_report(facts.workflow_position) if facts.workflow_position else None,
        handoff=report_of(AgentHandoffReport, facts.handoff, file=facts.handoff.path)
        if facts.handoff
        else None,
        memories=AgentMemoriesReport(total=facts.memories.total, shown=list(facts.memories.shown)),
        loaders=[
            report_of(
                LoaderReport, outcome, name=name, milliseconds=round(outcome.seconds * 1000, 1)
            )
            for name, outcome in activation.outcomes.items()
        ],
        milliseconds=round(activation.milliseconds, 1),
        missing=list(facts.missing),
        notes=list(activation.notes if notes is None else notes),
        recorded=recorded,
    )


def agent_report(agent: agent_definition.Agent) -> AgentReport:
    """Return an agent in the report of an activation, as its definition has it."""
    commands = [report_of(AgentCommandReport, command) for command in agent.commands]
    return report_of(AgentReport, agent, file=agent.path or None, commands=commands)
