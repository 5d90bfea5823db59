"""``.chati/session.yaml``, which three programs write in three ways, as one view.

The published schema and the installer keep the state of the project under ``project.state``; the
session manager repeats it as ``mode``; the writer of pipeline states leaves ``mode`` alone and
drops ``project``. Where they disagree ``project.state`` counts, because the constitution derives
modes from it (Article XI), and the disagreement is a problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats.chati.schema import Checker, Field
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.formats.yaml_tree import Node, parse_yaml
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.span import Span

GOVERNANCE = {
    "discover": "planning",
    "plan": "planning",
    "planning": "planning",
    "build": "build",
    "validate": "build",
    "deploy": "deploy",
    "completed": "deploy",
}
"""State of a project -> the mode that governs it; every other state is governed as planning."""

DEFAULT_MODE = "planning"
LANGUAGES = ("en", "pt", "es", "fr")
STATUSES = ("pending", "in_progress", "completed", "skipped", "needs_revalidation")

_STATES = tuple(GOVERNANCE)
_MODELS = ("opus", "sonnet", "haiku")
_AGENT = (
    Field("status", required=True, words=STATUSES),
    Field("score", "number", required=True, low=0, high=100),
    Field("criteria_count", "count", required=True),
    Field("completed_at", "time"),
)
_COMMON = (
    Field(
        "execution_mode",
        "text|mapping",
        words=("interactive", "autonomous", "human-in-the-loop"),
        fields=(Field("mode", words=("interactive", "autonomous", "human-in-the-loop")),),
    ),
    Field("execution_profile", words=("explore", "guided", "autonomous")),
    Field("language", words=LANGUAGES),
    Field("mode", words=_STATES),
    Field("user_level", words=("auto", "vibecoder", "power_user")),
    Field("user_level_confidence", "number", low=0, high=1),
    Field(
        "ides",
        "list",
        words=(
            "claude-code",
            "vscode",
            "antigravity",
            "cursor",
            "gemini-cli",
            "codex-cli",
            "github-copilot",
        ),
    ),
    Field("mcps", "list"),
    Field("agents", "mapping", every=_AGENT),
    Field("completed_agents", "list"),
    Field("turn_count", "count"),
    Field("workflow"),
    Field(
        "backlog",
        "list",
        fields=(
            Field("id", required=True, pattern=r"BL-\d{3}", like="BL-001"),
            Field("title", required=True),
            Field("priority", required=True, words=("high", "medium", "low")),
            Field("status", required=True, words=("pending", "in_progress", "done", "deferred")),
        ),
    ),
    Field(
        "preview",
        "mapping",
        fields=(Field("status", words=("inactive", "running", "approved", "adjusting")),),
    ),
    Field("last_handoff"),
    Field("deviations", "list", fields=(Field("timestamp", "time"), Field("resolved", "flag"))),
    Field(
        "model_selections",
        "list",
        fields=(
            Field("agent", required=True),
            Field("recommended", required=True, words=_MODELS),
            Field("actual", words=_MODELS),
            Field("timestamp", "time", required=True),
        ),
    ),
    Field(
        "mode_transitions",
        "list",
        fields=(
            Field("timestamp", "time", required=True),
            Field("from", required=True, words=_STATES),
            Field("to", required=True, words=_STATES),
            Field("trigger", required=True),
            Field("type", words=("automatic", "backward", "override")),
        ),
    ),
)
_PROJECT = Field(
    "project",
    "mapping",
    required=True,
    fields=(
        Field("name", required=True),
        Field("type", required=True, words=("greenfield", "brownfield")),
        Field("state", required=True, words=_STATES),
    ),
)
_REQUIRED = ("current_agent", "language", "execution_mode")
FIELDS = (_PROJECT, Field("current_agent", required=True), *_COMMON, Field("current_task"))
"""The fields of the file, for whoever offers them."""

_OPEN = ("pending", "in_progress")


@dataclass(frozen=True, slots=True)
class AgentState:
    """How far an agent has come; ``score`` is "" where none is known."""

    name: str
    status: str
    score: str
    span: Span


@dataclass(frozen=True, slots=True)
class BacklogItem:
    """One open item of the backlog."""

    id: str
    title: str
    priority: str
    status: str
    span: Span


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two places of the file that say different things: the one that counts, and the other."""

    what: str
    counts: Text
    other: Text


@dataclass(frozen=True, slots=True)
class SessionView:
    """What the file says, whoever has written it; ``Text("", …)`` and "" where it says nothing.

    ``state`` is as written, ``mode`` the one that governs. ``task`` is the task at hand,
    ``handoff`` the path or the agent of the last hand-off. ``turns`` is None where nobody counts.
    """

    state: Text
    mode: str
    agent: Text
    language: str
    workflow: Text
    project_type: str
    execution_mode: str
    agents: tuple[AgentState, ...]
    handoff: Text
    task: Text
    turns: int | None
    backlog: tuple[BacklogItem, ...]
    conflicts: tuple[Conflict, ...]
    modeless: bool
    root: Node | None

    def agent_state(self, name: str) -> AgentState | None:
        """The state of the agent ``name``."""
        return next((agent for agent in self.agents if agent.name == name), None)


NOTHING = Text("", Span(0, 0))
EMPTY = SessionView(
    NOTHING,
    DEFAULT_MODE,
    NOTHING,
    "",
    NOTHING,
    "",
    "",
    (),
    NOTHING,
    NOTHING,
    None,
    (),
    (),
    modeless=False,
    root=None,
)
"""The view of a file that says nothing."""


def parse(text: str) -> Parsed[SessionView]:
    """Read a session. Problem kinds: those of `parse_yaml`, and ``invalid-chati-session``."""
    root, problems = parse_yaml(text)
    if root is None or root.kind != "mapping":
        found = list(problems)
        if not problems:
            first = Span(*next(iter_lines(text)))
            message = "The file holds no fields, so nobody knows where the project stands."
            remedy = "Delete it, or have `/chati` write it again."
            found.append(Problem("invalid-chati-session", first, message, remedy))
        return Parsed(EMPTY, tuple(found))
    found = [*problems, *_problems(root)]
    return Parsed(_view(root), tuple(sorted(found, key=lambda problem: problem.span)))


def _problems(root: Node) -> Iterator[Problem]:
    checker = Checker("invalid-chati-session", "agents may not be told where the project stands")
    yield from checker.check(root, _COMMON)
    if root.given("project") is None and root.given("mode") is not None:
        yield checker.problem(
            (root.key_node("mode") or root),
            "project",
            "is missing, as after a write by the pipeline's state keeper, which drops fields",
            "Add `project` with `name`, `type` and `state`.",
        )
        return
    yield from checker.check(root, (_PROJECT,))
    for name in _REQUIRED:
        if root.given(name) is None:
            yield checker.missing(root, name, name)


def _view(root: Node) -> SessionView:
    project = root.get("project")
    state = (project.text("state") if project else None) or NOTHING
    mode = root.text("mode") or NOTHING
    chosen = state if state.value else mode
    execution = root.given("execution_mode")
    return SessionView(
        state=chosen,
        mode=GOVERNANCE.get(chosen.value, DEFAULT_MODE),
        agent=root.text("current_agent") or NOTHING,
        language=root.scalar("language"),
        workflow=root.text("workflow") or NOTHING,
        project_type=(project.scalar("type") if project else "") or root.scalar("project_type"),
        execution_mode=(
            execution.scalar("mode") if execution and execution.pairs else _plain(execution)
        ),
        agents=tuple(_agents(root)),
        handoff=root.text("last_handoff") or NOTHING,
        task=_task(root),
        turns=_turns(root),
        backlog=tuple(_backlog(root)),
        conflicts=tuple(_conflicts(root, project, state, mode)),
        modeless=bool(state.value) and not mode.value,
        root=root,
    )


def _plain(node: Node | None) -> str:
    return node.value if node is not None and node.kind == "scalar" else ""


def _turns(root: Node) -> int | None:
    node = root.given("turn_count")
    value = node.resolve() if node is not None else None
    sound = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if sound and isinstance(value, int) else None


def _agents(root: Node) -> Iterator[AgentState]:
    """The agents with a state; one that is only said to have completed has no score but that of its result."""
    known = root.get("agents")
    seen: set[str] = set()
    for key, value in known.pairs if known else ():
        seen.add(key.value)
        yield AgentState(
            key.value,
            value.followed.scalar("status") or "pending",
            _score(value.followed),
            key.span,
        )
    results = root.get("agent_results")
    done = root.get("completed_agents")
    for item in done.items if done else ():
        name = item.followed.value
        if name and name not in seen:
            seen.add(name)
            result = results.get(name) if results else None
            yield AgentState(name, "completed", _score(result) if result else "", item.span)


def _score(node: Node) -> str:
    """The score of an agent as it is told: 45, 87.5; "" where none is known."""
    found = node.given("score")
    value = found.resolve() if found is not None else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value - value != 0:
        return ""
    return f"{value:g}" if abs(value) < 1e6 else ""


def _task(root: Node) -> Text:
    """The task at hand: a name, or a mapping with an ``id`` or a ``title``."""
    for name in ("current_task", "active_task", "task"):
        node = root.given(name)
        if node is None:
            continue
        if node.kind == "scalar":
            return Text(node.value, node.span)
        found = node.text("id") or node.text("title")
        if found:
            return found
    return NOTHING


def _backlog(root: Node) -> Iterator[BacklogItem]:
    found = root.get("backlog")
    for item in found.items if found else ():
        node = item.followed
        if node.scalar("status", "pending") in _OPEN and node.scalar("title"):
            yield BacklogItem(
                node.scalar("id"),
                node.scalar("title"),
                node.scalar("priority"),
                node.scalar("status", "pending"),
                node.span,
            )


def _conflicts(root: Node, project: Node | None, state: Text, mode: Text) -> Iterator[Conflict]:
    if state.value and mode.value:
        governs = [GOVERNANCE.get(text.value, DEFAULT_MODE) for text in (state, mode)]
        if governs[0] != governs[1]:
            yield Conflict("mode", state, mode)
    kind = project.text("type") if project else None
    other = root.text("project_type")
    if kind and other and kind.value != other.value:
        yield Conflict("project type", kind, other)
    known, done = root.get("agents"), root.get("completed_agents")
    for item in done.items if done else ():
        agent = known.get(item.followed.value) if known else None
        status = agent.text("status") if agent else None
        if status and status.value not in ("completed", "needs_revalidation"):
            yield Conflict(
                f"status of {item.followed.value}", status, Text(item.followed.value, item.span)
            )
