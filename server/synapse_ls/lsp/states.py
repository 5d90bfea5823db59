"""What `synapse/status` and `synapse/activation` answer. As in `answers`, what is not listed is not sent."""

from __future__ import annotations

import attrs

from synapse_ls.lsp.answers import PLACE, Location, Prompt, Sourced, Usage


@attrs.frozen(kw_only=True)
class WorkflowStep:
    """A step of a workflow; ``number`` counts those that belong to somebody, null for any other."""

    number: int | None
    name: str
    agent: str | None
    phase: str | None
    action: str | None
    task: str | None
    status: str | None
    optional: bool


@attrs.frozen(kw_only=True)
class NextCommand:
    """A star-command that may follow, without its star, and the agent that has it."""

    command: str
    agent: str | None
    arguments: str | None
    description: str | None


@attrs.frozen(kw_only=True)
class Navigation:
    """Where the work is, what comes next and who does it.

    ``source``: "state", "session", "given", "commands", "chain", "story" or "handoff". ``where`` and
    ``then`` are sentences without a full stop; ``turn`` is the agent whose turn it is. ``begun`` is the
    command that is at work, ``why`` how a place in a chain is known, ``state`` what commands show.
    """

    workflow: str
    source: str
    where: str
    then: str | None
    turn: str | None
    status: str | None
    step: WorkflowStep | None
    begun: str | None
    why: str | None
    done: int | None
    total: int | None
    finished: bool
    following: list[WorkflowStep]
    failing: WorkflowStep | None
    waiting: list[WorkflowStep]
    state: str | None
    commands: list[NextCommand]
    notes: list[str]
    location: Location | None = attrs.field(default=None, metadata={PLACE: ("file", "line")})


@attrs.frozen(kw_only=True)
class CurrentSession:
    """The session that is followed."""

    id: str | None
    title: str | None
    prompts: int | None
    last_activity: str | None


@attrs.frozen(kw_only=True)
class Counts:
    """How many there are, and how many of them have a rule in the block."""

    total: int
    in_block: int


@attrs.frozen(kw_only=True)
class StatusAnswer:
    """``synapse/status``: the state that the next prompt would meet."""

    root: str = attrs.field(metadata={PLACE: ("root", "")})
    profile: str
    bracket: str
    usage: Usage
    tokens: int
    budget: int
    cuts: int
    over_budget: bool
    agent: Sourced | None
    workflow: Sourced | None
    task: Sourced | None
    squad: Sourced | None
    prompt: Prompt
    navigation: Navigation | None
    session: CurrentSession | None
    domains: Counts
    rules: Counts
    hooks: list[str]
    notes: list[str]


@attrs.frozen(kw_only=True)
class AgentCommand:
    """A command of an agent, without its star."""

    name: str
    arguments: str | None
    description: str | None
    visibility: list[str]


@attrs.frozen(kw_only=True)
class AgentInfo:
    """An agent as its definition has it."""

    id: str
    name: str | None
    title: str | None
    icon: str | None
    role: str | None
    archetype: str | None
    commands: list[AgentCommand]
    file: str | None = attrs.field(default=None, metadata={PLACE: ("file", "")})


@attrs.frozen(kw_only=True)
class GreetingSection:
    """A section of a greeting; ``why``: the reason where it is empty."""

    name: str
    text: str
    why: str | None


@attrs.frozen(kw_only=True)
class PermissionMode:
    """How freely the agent may act: "explore", "ask" or "auto"."""

    mode: str
    badge: str


@attrs.frozen(kw_only=True)
class ChangeCounts:
    """Files that differ from the last commit; ``atLeast``: git had no time to name all."""

    total: int
    staged: int
    modified: int
    untracked: int
    conflicted: int
    at_least: bool
    files: list[str]


@attrs.frozen(kw_only=True)
class CommitInfo:
    """A commit; ``time`` is in seconds since 1970."""

    hash: str
    time: int
    subject: str


@attrs.frozen(kw_only=True)
class ProjectStatus:
    """What git says. ``state``: "branch", "detached" or "unborn"; null where it is not known."""

    repository: bool
    branch: str | None
    state: str | None
    commit: str | None
    worktree: str | None
    under_way: str | None
    changes: ChangeCounts | None
    commits: list[CommitInfo] | None


@attrs.frozen(kw_only=True)
class StoryAtWork:
    """The story that is worked on, and how that is known."""

    id: str
    title: str | None
    state: str | None
    epic: str | None
    why: str | None
    others: int
    file: str | None = attrs.field(default=None, metadata={PLACE: ("file", "")})


@attrs.frozen(kw_only=True)
class HandedOver:
    """What another agent has left for this one; ``consumed``: whether it was taken over."""

    from_agent: str | None
    to_agent: str
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
    file: str | None = attrs.field(default=None, metadata={PLACE: ("file", "")})


@attrs.frozen(kw_only=True)
class Remembered:
    """A memory of the agent; ``tier``: "hot" or "warm"."""

    id: str
    title: str
    sector: str
    tier: str
    score: float


@attrs.frozen(kw_only=True)
class RememberedList:
    """The memories that matter most, and how many there are."""

    total: int
    shown: list[Remembered]


@attrs.frozen(kw_only=True)
class LoaderOutcome:
    """What became of a loader: "loaded", "late" or "failed"; ``why``: what is missing."""

    name: str
    tier: str
    state: str
    milliseconds: float
    why: str | None


@attrs.frozen(kw_only=True)
class ActivationAnswer:
    """``synapse/activation`` and ``synapse.activate``: an agent brought up.

    ``quality``: "full", "partial" or "fallback". ``greeting`` is its text, "" for a Worker.
    """

    agent: AgentInfo
    session: str | None
    recorded: bool
    occasion: str
    occasion_why: str
    executor: str
    quality: str
    greeting: str
    kind: str
    sections: list[GreetingSection]
    permission: PermissionMode
    project: ProjectStatus | None
    story: StoryAtWork | None
    workflow: Navigation | None
    handoff: HandedOver | None
    memories: RememberedList
    loaders: list[LoaderOutcome]
    milliseconds: float
    missing: list[str]
    notes: list[str]
