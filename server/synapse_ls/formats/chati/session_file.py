"""Parse ``.chati/session.yaml``, which three programs write in three ways, into one view.

The published schema and the installer use ``project.state``; the session manager repeats it as
``mode``; the writer of pipeline states leaves ``mode`` as it was and drops ``project``. Where they
disagree ``project.state`` counts (constitution, Article XI), and a problem is reported.
"""

from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.formats.chati.field_schema import SchemaChecker, SchemaField
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text.finding import Finding, ParseResult, Text, sort_problems
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span

# State of a project -> the mode that governs it; every other state is governed as planning.
MODE_OF_STATE = {
    "discover": "planning",
    "plan": "planning",
    "planning": "planning",
    "build": "build",
    "validate": "build",
    "deploy": "deploy",
    "completed": "deploy",
}

DEFAULT_MODE = "planning"
LANGUAGES = ("en", "pt", "es", "fr")
STATUSES = ("pending", "in_progress", "completed", "skipped", "needs_revalidation")


_CHECKER = SchemaChecker("invalid-chati-session", "the state of the project may get lost")
_STATES = tuple(MODE_OF_STATE)
_MODELS = ("opus", "sonnet", "haiku")
_AGENT_FIELDS = (
    SchemaField("status", required=True, words=STATUSES),
    SchemaField("score", "number", required=True, low=0, high=100),
    SchemaField("criteria_count", "count", required=True),
    SchemaField("completed_at", "time"),
)
_COMMON_FIELDS = (
    SchemaField(
        "execution_mode",
        "text|mapping",
        words=("interactive", "autonomous", "human-in-the-loop"),
        fields=(SchemaField("mode", words=("interactive", "autonomous", "human-in-the-loop")),),
    ),
    SchemaField("execution_profile", words=("explore", "guided", "autonomous")),
    SchemaField("language", words=LANGUAGES),
    SchemaField("mode", words=_STATES),
    SchemaField("user_level", words=("auto", "vibecoder", "power_user")),
    SchemaField("user_level_confidence", "number", low=0, high=1),
    SchemaField(
        "ides",
        "list",
        words=(
            *("claude-code", "vscode", "antigravity", "cursor", "gemini-cli", "codex-cli"),
            "github-copilot",
        ),
    ),
    SchemaField("mcps", "list"),
    SchemaField("agents", "mapping", value_fields=_AGENT_FIELDS),
    SchemaField("completed_agents", "list"),
    SchemaField("turn_count", "count"),
    SchemaField("workflow"),
    SchemaField(
        "backlog",
        "list",
        fields=(
            SchemaField("id", required=True, pattern=r"BL-\d{3}", example="BL-001"),
            SchemaField("title", required=True),
            SchemaField("priority", required=True, words=("high", "medium", "low")),
            SchemaField(
                "status", required=True, words=("pending", "in_progress", "done", "deferred")
            ),
        ),
    ),
    SchemaField(
        "preview",
        "mapping",
        fields=(SchemaField("status", words=("inactive", "running", "approved", "adjusting")),),
    ),
    SchemaField("last_handoff"),
    SchemaField(
        "deviations",
        "list",
        fields=(SchemaField("timestamp", "time"), SchemaField("resolved", "flag")),
    ),
    SchemaField(
        "model_selections",
        "list",
        fields=(
            SchemaField("agent", required=True),
            SchemaField("recommended", required=True, words=_MODELS),
            SchemaField("actual", words=_MODELS),
            SchemaField("timestamp", "time", required=True),
        ),
    ),
    SchemaField(
        "mode_transitions",
        "list",
        fields=(
            SchemaField("timestamp", "time", required=True),
            SchemaField("from", required=True, words=_STATES),
            SchemaField("to", required=True, words=_STATES),
            SchemaField("trigger", required=True),
            SchemaField("type", words=("automatic", "backward", "override")),
        ),
    ),
)
_PROJECT_FIELD = SchemaField(
    "project",
    "mapping",
    required=True,
    fields=(
        SchemaField("name", required=True),
        SchemaField("type", required=True, words=("greenfield", "brownfield")),
        SchemaField("state", required=True, words=_STATES),
    ),
)
_REQUIRED_FIELDS = ("current_agent", "language", "execution_mode")
_NAMED_FIELDS = (SchemaField("current_agent"), SchemaField("current_task", "text|mapping"))
_STATE_FIELD = SchemaField("state", words=_STATES)
# The fields that a block is made of, with what they have to be so that it can.
_TOLD_FIELDS = (
    SchemaField("project", "mapping", fields=(_STATE_FIELD, SchemaField("type"))),
    SchemaField("mode", words=_STATES),
    *_NAMED_FIELDS,
    *(SchemaField(name) for name in ("language", "workflow", "last_handoff")),
    SchemaField(
        "agents",
        "mapping",
        value_fields=(SchemaField("status"), SchemaField("score", "number", low=0, high=100)),
    ),
    SchemaField("completed_agents", "list"),
    SchemaField("agent_results", "mapping"),
    SchemaField("turn_count", "count"),
    SchemaField("backlog", "list", fields=(SchemaField("title"), SchemaField("status"))),
)

# The fields of the file, for whoever offers them.
FIELDS = (
    _PROJECT_FIELD,
    SchemaField("current_agent", required=True),
    *_COMMON_FIELDS,
    SchemaField("current_task"),
)

_KNOWN_FIELDS = frozenset(
    {*(field.name for field in (*FIELDS, *_TOLD_FIELDS)), *("active_task", "task", "project_type")}
)

_OPEN_STATUSES = ("pending", "in_progress")


EMPTY_TEXT = Text("", Span(0, 0))


class AgentState(NamedTuple):
    """How far an agent of a Chati.dev session has come; ``score`` is "" where none is known."""

    name: str
    status: str
    score: str
    span: Span


class BacklogItem(NamedTuple):
    """One open item of a Chati.dev session's backlog."""

    id: str
    title: str
    priority: str
    status: str
    span: Span


class SessionConflict(NamedTuple):
    """Two places of a Chati.dev session file that say different things: the one that counts
    (``effective``), and the other.
    """

    subject: str
    effective: Text
    other: Text


class SessionView(NamedTuple):
    """What a Chati.dev session file says, whoever has written it; ``Text("", …)`` and "" where it
    says nothing.

    ``state`` is as written, ``mode`` the one that governs. ``task`` is the task at hand,
    ``handoff`` the path or the agent of the last hand-off. ``turns`` is None where nobody counts.
    ``faults`` are the fields that say something that cannot be told.
    """

    state: Text = EMPTY_TEXT
    mode: str = DEFAULT_MODE
    agent: Text = EMPTY_TEXT
    language: str = ""
    workflow: Text = EMPTY_TEXT
    project_type: str = ""
    agents: tuple[AgentState, ...] = ()
    handoff: Text = EMPTY_TEXT
    task: Text = EMPTY_TEXT
    turns: int | None = None
    backlog: tuple[BacklogItem, ...] = ()
    conflicts: tuple[SessionConflict, ...] = ()
    faults: tuple[Finding, ...] = ()
    lacks_mode: bool = False
    root: YamlNode | None = None


# The view of a file that says nothing.
EMPTY_SESSION = SessionView()


def parse(text: str) -> ParseResult[SessionView]:
    """Parse a session of Chati.dev. Problem kinds: those of `parse_yaml`, and
    ``invalid-chati-session``.
    """
    root, problems = parse_yaml(text)
    if root is None or not any(root.key_node(name) for name in _KNOWN_FIELDS):
        if not problems:
            first = Span(*next(iter_lines(text)))
            message = (
                "The file holds no fields of a session, so nothing knows the state of the project."
            )
            remedy = "Delete it, or have `/chati` write it again."
            problems = (Finding(first, message, remedy, kind="invalid-chati-session"),)
        return ParseResult(EMPTY_SESSION, problems)
    project = root.get("project")
    state = (project.text("state") if project else None) or EMPTY_TEXT
    mode = root.text("mode") or EMPTY_TEXT
    chosen = state if state.value else mode
    turns = root.get("turn_count")
    count = turns.resolve() if turns else None
    # The task at hand: a name, or a mapping with an `id` or a `title`.
    tasks = (
        root.text(name) or (task.text("id") or task.text("title") if task else None)
        for name in ("current_task", "active_task", "task")
        for task in (root.non_null(name),)
    )
    backlog = (
        BacklogItem(
            node.scalar("id"),
            node.scalar("title"),
            node.scalar("priority"),
            node.scalar("status", "pending"),
            node.span,
        )
        for node in root.nodes("backlog")
        if node.scalar("status", "pending") in _OPEN_STATUSES and node.scalar("title")
    )
    return ParseResult(
        SessionView(
            state=chosen,
            mode=MODE_OF_STATE.get(chosen.value, DEFAULT_MODE),
            agent=root.text("current_agent") or EMPTY_TEXT,
            language=root.scalar("language"),
            workflow=root.text("workflow") or EMPTY_TEXT,
            project_type=(project.scalar("type") if project else "") or root.scalar("project_type"),
            agents=tuple(_read_agents(root)),
            handoff=root.text("last_handoff") or EMPTY_TEXT,
            task=next(filter(None, tasks), EMPTY_TEXT),
            turns=count if type(count) is int and count >= 0 else None,
            backlog=tuple(backlog),
            conflicts=tuple(_find_conflicts(root, project, state, mode)),
            faults=tuple(_CHECKER.check_fields(root, _TOLD_FIELDS)),
            lacks_mode=bool(state.value) and not mode.value,
            root=root,
        ),
        sort_problems((*problems, *_schema_problems(root))),
    )


def _schema_problems(root: YamlNode) -> Iterator[Finding]:
    yield from _CHECKER.check_fields(root, (*_COMMON_FIELDS, *_NAMED_FIELDS))
    if root.non_null("project") is None and root.non_null("mode") is not None:
        yield _CHECKER.field_problem(
            (root.key_node("mode") or root),
            "project",
            "is missing, as after a write by the pipeline's state keeper, which drops fields",
            "Add `project` with `name`, `type` and `state`.",
        )
        return
    yield from _CHECKER.check_fields(root, (_PROJECT_FIELD,))
    for name in _REQUIRED_FIELDS:
        if root.non_null(name) is None:
            yield _CHECKER.missing_field_problem(root, name, name)


def _read_agents(root: YamlNode) -> Iterator[AgentState]:
    """Yield the agents with a state; one that is only said to have completed has no score but that
    of its result.
    """
    seen: set[str] = set()
    for key, state in root.members("agents"):
        seen.add(key.value)
        status = state.scalar("status") or "pending"
        yield AgentState(key.value, status, _format_score(state), key.span)
    results, done = root.get("agent_results"), root.get("completed_agents")
    for item in done.items if done else ():
        if (name := item.target_node.value) and name not in seen:
            seen.add(name)
            result = results.get(name) if results else None
            yield AgentState(name, "completed", _format_score(result) if result else "", item.span)


def _format_score(node: YamlNode) -> str:
    """Return the score of an agent as it is told: 45, 87.5; "" where none from 0 to 100
    is known.
    """
    yaml_node = node.non_null("score")
    value = yaml_node.resolve() if yaml_node is not None else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return f"{value:g}" if 0 <= value <= 100 else ""


def _find_conflicts(
    root: YamlNode, project: YamlNode | None, state: Text, mode: Text
) -> Iterator[SessionConflict]:
    if state.value and mode.value:
        governs = [MODE_OF_STATE.get(text.value, DEFAULT_MODE) for text in (state, mode)]
        if governs[0] != governs[1]:
            yield SessionConflict("mode", state, mode)
    kind = project.text("type") if project else None
    other = root.text("project_type")
    if kind and other and kind.value != other.value:
        yield SessionConflict("project type", kind, other)
    agents, done = root.get("agents"), root.get("completed_agents")
    for item in done.items if done else ():
        agent = agents.get(item.target_node.value) if agents else None
        status = agent.text("status") if agent else None
        if status and status.value not in ("completed", "needs_revalidation"):
            name = item.target_node.value
            yield SessionConflict(f"status of {name}", status, Text(name, item.span))
