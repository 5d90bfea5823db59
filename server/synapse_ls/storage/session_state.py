"""This module is the state of a session: who is at work on what, how full the context window was,
what prompts have switched, and the records of its windows.

It is the document of the SYNAPSE session schema 2.0 (`formats.session_file`), parsed once when a
session file is read and written once with it.
"""

from __future__ import annotations

from synapse_ls.storage.digest_marks import RecoveryMarks
from synapse_ls.storage.state_record import (
    COMPACTION,
    PROMPT,
    SESSION,
    TURN,
    Field,
    StateRecord,
    read_flag,
    read_mapping,
    read_optional_count,
    read_optional_number,
    read_optional_record,
    read_optional_text,
    read_text,
    read_texts,
    read_value,
    read_whole,
    types_of,
)
from synapse_ls.storage.window_state import WindowState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

    Document = dict[str, Any]

MAX_WINDOWS: Final = (
    24  # windows of a session; those of sub-agents that were not used for longest go first
)


def _read_percent(value: object) -> float:
    number = read_optional_number(value)
    return 100 if number is None else number


def _read_bracket(value: object) -> str:
    return read_text(value) or "FRESH"


class ActiveAgent(StateRecord):
    """An ActiveAgent is the agent at work. It outlives all but the activation of another one."""

    id: str | None
    activated_at: str | None
    quality: str | None
    greeted: float | None
    loaders: dict[str, Any]
    milliseconds: float | None

    FIELDS = (
        # Its name; None: no agent is active.
        Field("id", "id", read_optional_text, is_always_written=True),
        # When it became active, in UTC; None.
        Field("activated_at", "activated_at", read_optional_text, is_always_written=True),
        # How it was activated: "full", "partial" or "fallback"; None: it was only called.
        Field("quality", "activation_quality", read_optional_text, is_always_written=True),
        # When it greeted, in seconds since 1970; None: it has not.
        Field("greeted", "greeted", read_optional_number),
        # Loader -> what became of it when the agent was activated; {}.
        Field("loaders", "loaders", read_mapping),
        # How long its activation took; None.
        Field("milliseconds", "milliseconds", read_optional_number),
    )
    __slots__ = tuple(field.name for field in FIELDS)


class ActiveWorkflow(StateRecord):
    """An ActiveWorkflow is the workflow under way, until another one is set or none."""

    id: str | None
    instance_id: str | None
    step: int | str | None
    phase: str | None
    started_at: str | None

    FIELDS = (
        Field("id", "id", read_optional_text, is_always_written=True),
        # Which run of it; None: not known.
        Field("instance_id", "instance_id", read_optional_text, is_always_written=True),
        # Its current step, by number or name; None: not known.
        Field("step", "current_step", read_value, is_always_written=True),
        # Its current phase, as it was written; None: not known.
        Field("phase", "current_phase", read_optional_text, is_always_written=True),
        # When it began, in UTC; None.
        Field("started_at", "started_at", read_optional_text, is_always_written=True),
    )
    __slots__ = tuple(field.name for field in FIELDS)


class ActiveSquad(StateRecord):
    """An ActiveSquad is the squad at work, until another one is set or none."""

    name: str | None
    path: str | None
    domains: tuple[str, ...]

    FIELDS = (
        Field("name", "name", read_optional_text, is_always_written=True),
        # Its folder; None: not known.
        Field("path", "path", read_optional_text, is_always_written=True),
        # The domains that it has loaded; ().
        Field("domains", "domains_loaded", read_texts, is_always_written=True),
    )
    __slots__ = tuple(field.name for field in FIELDS)


class ActiveTask(StateRecord):
    """An ActiveTask is the task that is worked on, until its agent takes up another one, leaves, or
    the work moves on.
    """

    id: str | None
    story: str | None
    executor: str | None
    started_at: str | None
    agent: str | None
    story_was_done: bool

    FIELDS = (
        Field("id", "id", read_optional_text, is_always_written=True),
        # The story that it belongs to; None: not known.
        Field("story", "story", read_optional_text, is_always_written=True),
        # The type of who does it (`Profile.executors`); None: not known.
        Field("executor", "executor_type", read_optional_text, is_always_written=True),
        # When it began, in UTC; None.
        Field("started_at", "started_at", read_optional_text, is_always_written=True),
        # Who took it up, and whom it is told; None: everybody.
        Field("agent", "agent", read_optional_text),
        # Whether its story was done when it was taken up; False.
        Field("story_was_done", "story_was_done", read_flag),
    )
    __slots__ = tuple(field.name for field in FIELDS)


def _read_values(value: object) -> dict[str, tuple[str, ...]]:
    items = value.items() if isinstance(value, dict) else ()
    return {path: read_texts(values) for path, values in items}


class SeenStates(StateRecord):
    """A SeenStates is what a session has last seen in the workflow state files that are active."""

    files: dict[str, tuple[str, ...]]
    latest: str
    is_old: bool

    FIELDS = (
        # Path -> the values of the file (`PlanState.values`); {}.
        Field("files", "files", _read_values, is_always_written=True, is_nested=True),
        # The file that spoke last; "".
        Field("latest", "latest", read_text),
        # Whether the session was left for long since, so that what differs is named; False.
        Field("is_old", "old", read_flag, (TURN, COMPACTION, SESSION)),
    )
    __slots__ = tuple(field.name for field in FIELDS)


class DetectedWork(StateRecord):
    """A DetectedWork is the workflow that the commands used so far belong to, until others are
    used.
    """

    id: str | None
    phase: str | None

    FIELDS = (
        Field("id", "id", read_optional_text, is_always_written=True),
        # What the last command has led to, where that is certain; None.
        Field("phase", "phase", read_optional_text),
    )
    __slots__ = tuple(field.name for field in FIELDS)


def _read_tasks(value: object) -> dict[str, ActiveTask]:
    items = value.items() if isinstance(value, dict) else ()
    return {agent: ActiveTask(task) for agent, task in items if isinstance(task, dict)}


def _read_compaction(value: Any) -> tuple[str, float] | None:
    known = types_of(value) in ((str, float), (str, int))
    return (value[0], value[1]) if known else None


def _status_window(status: Document) -> Document:
    """Returns what a status line still says of a window that begins: its size, not its use."""
    return {**status, "used": None} if status else {}


class ContextRecord(StateRecord):
    """A ContextRecord is what is known of the context window of the main conversation."""

    bracket: str
    tokens_used: int
    percent_left: float
    prompts: int | None
    compactions: int
    figures: Document
    outdated_used: Any
    status_line: Document
    compaction: tuple[str, float] | None

    FIELDS = (
        # At the last prompt: the bracket, "FRESH" …
        Field("bracket", "last_bracket", _read_bracket, is_always_written=True),
        # … the tokens in use, 0 …
        Field("tokens_used", "last_tokens_used", read_whole, is_always_written=True),
        # … and the percent left, 100.
        Field("percent_left", "last_context_percent", _read_percent, is_always_written=True),
        # Prompts since the last compaction; None: nobody has counted them, so that all count.
        Field(
            "prompts",
            "prompts_since_compaction",
            read_optional_count,
            (TURN, PROMPT),
            reduce=lambda _: 0,
        ),
        # Compactions of the session; 0.
        Field("compactions", "compactions", read_whole),
        # The client's last figures, as `measure_usage` takes them; {}.
        Field("figures", "usage", read_mapping, (TURN, PROMPT)),
        # Tokens in use before the last compaction, which a client may repeat; None.
        Field("outdated_used", "stale", read_value, (TURN, PROMPT, COMPACTION)),
        # What the client's status line said last: used, window, model, compactions; {}. The use
        # counts while the compactions are the same; the size of the window outlives all.
        Field(
            "status_line",
            "status_line",
            read_mapping,
            (TURN, PROMPT, COMPACTION),
            reduce=_status_window,
        ),
        # State and time of a compaction that a client tells of by several events; None.
        Field("compaction", "compaction", _read_compaction, (TURN, PROMPT, COMPACTION)),
    )
    __slots__ = tuple(field.name for field in FIELDS)


class HistoryRecord(StateRecord):
    """A HistoryRecord is what prompts of the session have used, the most recent last."""

    star_commands: tuple[str, ...]
    domains: tuple[str, ...]
    agents: tuple[str, ...]

    FIELDS = (
        Field("star_commands", "star_commands_used", read_texts, is_always_written=True),
        # The domains that the last prompt loaded.
        Field("domains", "domains_loaded_last", read_texts, is_always_written=True),
        Field("agents", "agents_activated", read_texts, is_always_written=True),
    )
    __slots__ = tuple(field.name for field in FIELDS)


class ProposedEdit(StateRecord):
    """A ProposedEdit is a change of the tree that the person was shown and may confirm with the
    next prompt.
    """

    digest: str
    command: str
    argument: str
    window: str
    turn: int

    FIELDS = (
        # Of the difference that was shown and of the files that it changes; "".
        Field("digest", "digest", read_text),
        # The `*synapse` command that makes it, with its argument; "".
        Field("command", "command", read_text),
        Field("argument", "argument", read_text),
        # Key of the window, and number of the prompt, that it was shown in; "" and 0.
        Field("window", "window", read_text),
        Field("turn", "turn", read_whole),
    )
    __slots__ = tuple(field.name for field in FIELDS)


class SessionState(StateRecord):
    """A SessionState is one session of an agent client. Its fields outlive every event but those
    that say otherwise; those of its windows are forgotten by `forget_in_windows`.
    """

    id: str
    schema_version: str
    started: str
    last_activity: str
    cwd: str
    label: str
    title: str | None
    prompt_count: int
    agent: ActiveAgent
    workflow: ActiveWorkflow | None
    squad: ActiveSquad | None
    task: ActiveTask | None
    waiting_tasks: dict[str, ActiveTask]
    window_tasks: dict[str, ActiveTask]
    seen_states: SeenStates | None
    detected: DetectedWork | None
    mention_explained: int | None
    context: ContextRecord
    overrides: dict[str, Any]
    history: HistoryRecord
    recovery: RecoveryMarks
    proposal: ProposedEdit | None
    ended: str | None
    _windows: dict[str, Any]

    FIELDS = (
        Field("id", "uuid", read_text, is_always_written=True),
        Field("schema_version", "schema_version", read_text),
        # Times in UTC with milliseconds; "".
        Field("started", "started", read_text, is_always_written=True),
        Field("last_activity", "last_activity", read_text, is_always_written=True),
        # The folder in which it began, and the name of that; "".
        Field("cwd", "cwd", read_text, is_always_written=True),
        Field("label", "label", read_text, is_always_written=True),
        # The first words of its first prompt; None.
        Field("title", "title", read_optional_text, is_always_written=True),
        # Prompts of the main conversation; 0.
        Field("prompt_count", "prompt_count", read_whole, is_always_written=True),
        Field("agent", "active_agent", ActiveAgent, is_always_written=True),
        Field(
            "workflow",
            "active_workflow",
            read_optional_record(ActiveWorkflow, "id"),
            is_always_written=True,
        ),
        Field(
            "squad",
            "active_squad",
            read_optional_record(ActiveSquad, "name"),
            is_always_written=True,
        ),
        Field(
            "task", "active_task", read_optional_record(ActiveTask, "id"), is_always_written=True
        ),
        # Agent -> the task that it goes on with when it is active again; {}.
        Field("waiting_tasks", "waiting_tasks", _read_tasks, is_nested=True),
        # Key of a sub-agent's window -> the task that its prompt has taken up; {}.
        Field("window_tasks", "window_tasks", _read_tasks, is_nested=True),
        # None: nobody has looked yet.
        Field("seen_states", "workflow_states", read_optional_record(SeenStates)),
        # None: the commands belong to none.
        Field("detected", "detected_workflow", read_optional_record(DetectedWork, "id")),
        # The prompt with which it was said how an agent is activated; None.
        Field("mention_explained", "mention_explained", read_optional_count),
        Field("context", "context", ContextRecord, is_always_written=True),
        # DEVMODE or {DOMAIN}_STATE -> a boolean, or a word of CARL or of a person; {}.
        Field("overrides", "overrides", read_mapping, is_always_written=True),
        Field("history", "history", HistoryRecord, is_always_written=True),
        Field("recovery", "recovery", RecoveryMarks),
        # A change that waits for the person's yes; None. A session that begins anew has none.
        Field(
            "proposal",
            "proposal",
            read_optional_record(ProposedEdit, "digest"),
            (TURN, PROMPT, COMPACTION),
        ),
        # When its client has ended it, in UTC; None: it goes on. A resumed session has not ended.
        Field("ended", "ended", read_optional_text, (TURN, COMPACTION)),
        # Key of a window -> its record, the latest last; {}. Each is parsed when it is asked for.
        Field("_windows", "windows", read_mapping, is_nested=True),
    )
    __slots__ = tuple(field.name for field in FIELDS)

    def forget(self, event: str) -> None:
        """Forgets what ``event`` ends in the session, its context and its marks."""
        super().forget(event)
        self.context.forget(event)
        self.recovery.forget(event)
        if self.seen_states:
            self.seen_states.forget(event)

    def forget_in_windows(self, event: str, key: str = "") -> None:
        """Forgets what ``event`` ends in the window ``key``, or in every main window."""
        for name in self.window_keys():
            if name == key if key else ":" not in name:
                self.find_window(name).forget(event)

    def window_keys(self) -> list[str]:
        """Returns the keys of the windows, the latest last."""
        return list(self._windows)

    def latest_window_key(self) -> str:
        """Returns the key of the main window that was used last; "" where there is none."""
        return next((name for name in reversed(self._windows) if ":" not in name), "")

    def find_window(self, key: str) -> WindowState:
        """Returns the record of a window; an empty one that is not kept where there is none."""
        found = self._windows.get(key)
        if isinstance(found, WindowState):
            return found
        if key not in self._windows:
            return WindowState()
        found = self._windows[key] = WindowState(found)
        return found

    def open_window(self, key: str) -> WindowState:
        """Returns the record of a window, which is the latest then; a new one where there is none."""
        window = self.find_window(key)
        self._windows.pop(key, None)
        self._windows[key] = window
        if len(self._windows) > MAX_WINDOWS:
            oldest = next(
                (name for name in self._windows if ":" in name), next(iter(self._windows))
            )
            del self._windows[oldest]
        return window

    def replace_window(self, key: str) -> WindowState:
        """Returns an empty record of a window that begins."""
        window = self._windows[key] = WindowState()
        return window

    def clear_windows(self) -> None:
        """Removes the records of all windows."""
        self._windows = {}

    def windows(self) -> Iterator[tuple[str, WindowState]]:
        """Yields the windows with their keys, the latest last."""
        for key in self.window_keys():
            yield key, self.find_window(key)

    @property
    def has_marks(self) -> bool:
        """Whether anything is noted for digests and hand-offs."""
        return bool(self.recovery.to_document())

    @property
    def prompts_since_compaction(self) -> int:
        """Recorded prompts since the last compaction; of a session nobody counted them in, all."""
        prompts = self.context.prompts
        return self.prompt_count if prompts is None else prompts
