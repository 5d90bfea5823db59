"""The session file, ``.synapse/sessions/{id}.json`` (SYNAPSE session schema 2.0).

Fields without a name here belong to others and stay unchanged, in their place. Values are replaced
and not mutated, and outlive everything, unless a field says otherwise.
"""

from __future__ import annotations

from synapse_ls.formats.session_values import (
    COMPACTION,
    PROMPT,
    SESSION,
    TURN,
    Record,
    field,
    fixed_field,
    optional_field,
    read_all,
    read_as,
    read_count,
    read_each,
    read_mapping,
    read_number,
    read_optional_count,
    read_optional_text,
    read_record,
    read_shape,
    read_text,
    read_texts,
)
from synapse_ls.formats.window_state import WindowState
from synapse_ls.text.fast_json import JsonError, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Final

    from synapse_ls.formats.session_values import Document

    Figures = Mapping[str, object]
    UnsolvedError = tuple[str, str, int]
    ReportedError = tuple[str, str, int, str]

SCHEMA_VERSION: Final = "2.0"
# What `session_store` writes at the end of a file; it is no part of the session.
CHECKSUM: Final = "checksum"
# Windows of a session; those of sub-agents that were not used for longest go first.
MAX_WINDOWS: Final = 24

# Fields by which a session of SYNAPSE is told from one of CARL, which has no active anything.
_SYNAPSE: Final = ("active_agent", "active_workflow", "active_squad", "active_task", "history")
_CARL: Final = ("overrides", "last_context_signature", "prompt_count")
_AIOX: Final = (
    *("sessionId", "lastCommands", "agentSequence", "taskHistory"),
    *("currentSession", "lastAgent", "lastWorkflow"),
)

# States of a compaction that a client tells of by several events.
ANNOUNCED: Final = "begun"  # announced, not counted yet
COUNTED: Final = "done"  # counted; events that follow may be about the same one

# Why a digest is due.
COMPACTION_REASON: Final = "compact"
ENDED_REASON: Final = "ended"
CRITICAL_REASON: Final = "critical"
# From how many on a new session is better (Chati Context Engine, "Spawn Decision Criteria").
MAX_COMPACTIONS: Final = 3
MAX_CRITICAL_STREAK: Final = 3  # prompts in a row in the last bracket
MAX_TRIES: Final = 3  # times that a digest is tried to be made


def _read_percent(value: Any) -> float:
    percent = read_number(value)
    return percent if percent is not None and 0 <= percent < float("inf") else 100


def _read_sizes(value: Any) -> tuple[int, ...]:
    sizes = value if isinstance(value, list | tuple) else ()
    return tuple(size if isinstance(size, int) and size >= 0 else 0 for size in sizes)


class DueDigest(Record):
    """A digest that is to be made. It outlives all but the making of it."""

    # One of the reasons above, or of `digest_worker`.
    reason = field(("reason", read_text))
    # The file that the conversation stands in.
    transcript = field(("transcript", read_text))
    # When it became due, in seconds since 1970.
    at = optional_field(("at", read_number))
    # How often somebody has tried to make it.
    tries = fixed_field(("tries", read_count))


class DigestProgress(Record):
    """How far digests have read a conversation. It outlives all but the next digest."""

    # The file that the conversation stands in.
    transcript = field(("transcript", read_text))
    # The turns that were read.
    turns = fixed_field(("turns", read_count))
    # The sizes of the last turn's parts, which may have grown since.
    last = fixed_field(("last", _read_sizes))
    # Message, what failed and how often of the errors that nobody had solved.
    unsolved: tuple[UnsolvedError, ...] = fixed_field(
        ("failed", read_all(read_shape((str, str, int))))
    )
    # When the last digest was made, in UTC.
    at = field(("at", read_optional_text))
    # Path of its page from the root, "" where none was ever written.
    digest = fixed_field(("digest", read_text))
    # Who was at work at the end of it.
    agent = fixed_field(("agent", read_text))


class FailingCommand(Record):
    """What a digest needs to know of a command that has failed: what was done since, until it
    succeeds.
    """

    # Pattern of the error.
    pattern = field(("pattern", read_optional_text))
    # When it failed last, in seconds since 1970.
    at = field(("at", lambda value: read_number(value) or 0.0))
    # What was done since, in words.
    steps = fixed_field(("done", read_texts))


class AgentScore(Record):
    """The score of an agent by the tree's own state when a digest was made because of a
    compaction.
    """

    before = optional_field(("before", read_number))
    agent = field(("agent", read_optional_text))


class RecoveryMarks(Record):
    """The marks of a session for digests and hand-offs."""

    # The digest that is to be made.
    due = optional_field(("due", read_as(DueDigest)))
    # How far the last one has read; None: there was none.
    done = optional_field(("done", read_as(DigestProgress)))
    # The hand-off notes (`handoff_notes`).
    notes = field(("carried", read_mapping))
    # When a session was begun to go on.
    spawned: Any = optional_field(("spawned", None))
    # Whether a person has thrown the history away, and written nothing since.
    is_cleared = field(("cleared", bool))
    # Prompts in a row in the last bracket; None: there was none yet.
    critical_streak = optional_field(("streak", read_optional_count))
    # Codes of the criteria for a new session that the agent was advised of.
    advised = field(("advised", read_texts))
    # Command that fails -> what is known of it. Changed in place.
    failing: dict[str, FailingCommand] = field(("failing", read_each(read_as(FailingCommand))))
    # Pattern of an error that a client's transcript does not tell of -> message, what failed,
    # how often, how it went away, until a digest has told that.
    reported_errors: dict[str, ReportedError] = field(
        ("met", read_each(read_shape((str, str, int, str))))
    )
    score = optional_field(("scores", read_as(AgentScore)))

    def forget(self, event: str) -> None:
        """Forget what ``event`` ends."""
        if event == PROMPT:
            self.is_cleared = False

    def score_before(self, agent: str) -> float | None:
        """Return the score of ``agent`` before the last compaction, as that of another is no
        measure; None where nobody has given one.
        """
        score = self.score
        return score.before if score is not None and score.agent in (None, agent) else None


class ActiveAgent(Record):
    """The agent at work. It outlives all but the activation of another one."""

    # Its name; None: no agent is active.
    id = fixed_field(("id", read_optional_text))
    # When it became active, in UTC.
    activated_at = fixed_field(("activated_at", read_optional_text))
    # How it was activated: "full", "partial" or "fallback"; None: it was only called.
    quality = fixed_field(("activation_quality", read_optional_text))
    # When it greeted, in seconds since 1970; None: it has not.
    greeted = optional_field(("greeted", read_number))
    # Loader -> what became of it when the agent was activated.
    loaders = field(("loaders", read_mapping))
    # How long its activation took.
    milliseconds = optional_field(("milliseconds", read_number))


class ActiveWorkflow(Record):
    """The workflow under way, until another one is set or none."""

    id = fixed_field(("id", read_optional_text))
    # Which run of it.
    instance_id = fixed_field(("instance_id", read_optional_text))
    # Its current step, by number or name.
    step: int | str | None = fixed_field(("current_step", None))
    # Its current phase, as it was written.
    phase = fixed_field(("current_phase", read_optional_text))
    # When it began, in UTC.
    started_at = fixed_field(("started_at", read_optional_text))


class ActiveSquad(Record):
    """The squad at work, until another one is set or none."""

    name = fixed_field(("name", read_optional_text))
    # Its folder.
    path = fixed_field(("path", read_optional_text))
    # The domains that it has loaded.
    domains = fixed_field(("domains_loaded", read_texts))


class ActiveTask(Record):
    """The task that is worked on, until its agent takes up another one, leaves, or the work moves
    on.
    """

    id = fixed_field(("id", read_optional_text))
    # The story that it belongs to.
    story = fixed_field(("story", read_optional_text))
    # The type of who does it (`Profile.executors`).
    executor = fixed_field(("executor_type", read_optional_text))
    # When it began, in UTC.
    started_at = fixed_field(("started_at", read_optional_text))
    # Who took it up, and whom it is told; None: everybody.
    agent = field(("agent", read_optional_text))
    # Whether its story was done when it was taken up.
    story_was_done = field(("story_was_done", bool))


class SeenStates(Record):
    """What a session has last seen in the workflow state files that are active."""

    # Path -> the values of the file (`PlanState.values`).
    files = fixed_field(
        (
            "files",
            lambda value: {
                path: read_texts(values) for path, values in read_mapping(value).items()
            },
        )
    )
    # The file that spoke last.
    latest = field(("latest", read_text))
    # Whether the session was left for long since, so that what differs is named; until the next
    # prompt.
    is_old = field(("old", bool))


class DetectedWork(Record):
    """The workflow that the commands used so far belong to, until others are used."""

    id = field(("id", read_optional_text))
    # What the last command has led to, where that is certain.
    phase = field(("phase", read_optional_text))


class ContextRecord(Record):
    """What is known of the context window of the main conversation."""

    # At the last prompt: the bracket …
    bracket = fixed_field(("last_bracket", lambda value: read_text(value) or "FRESH"))
    # … the tokens in use …
    tokens_used = fixed_field(("last_tokens_used", read_count))
    # … and the percent left.
    percent_left = fixed_field(("last_context_percent", _read_percent))
    # Prompts since the last compaction; None: nobody has counted them, so that all count.
    prompts = optional_field(("prompts_since_compaction", read_optional_count))
    # Compactions of the session.
    compactions = field(("compactions", read_count))
    # The client's last figures, as `measure_usage` takes them; until a compaction.
    figures = field(("usage", read_mapping))
    # Tokens in use before the last compaction, which a client may repeat.
    outdated_used: Any = optional_field(("stale", None))
    # What the client's status line said last: used, window, model, compactions. The use counts
    # while the compactions are the same; the size of the window outlives all.
    status_line = field(("status_line", read_mapping))
    # State and time of a compaction that a client tells of by several events.
    compaction: tuple[str, float] | None = field(
        ("compaction", read_shape((str, float), (str, int)))
    )

    @property
    def is_compacting(self) -> bool:
        """Whether a compaction has begun that is not counted yet."""
        return self.compaction is not None and self.compaction[0] == ANNOUNCED

    def is_outdated(self, figures: Figures) -> bool:
        """Return whether usage figures are those of before the last compaction."""
        before = self.outdated_used
        return before is not None and figures.get("used") == before

    def keep_figures(self, figures: Figures | None) -> bool:
        """Keep the usage figures of an event for the prompts to come; return whether there were
        any.
        """
        if not figures or self.is_outdated(figures):
            return False
        plain = {n: v for n, v in figures.items() if v is None or isinstance(v, str | int | float)}
        if plain.get("used") is None and plain.get("reported") is None:
            return False
        self.figures, self.outdated_used = plain, None
        return True

    def forget(self, event: str) -> None:
        """Forget what ``event`` ends."""
        if event in (COMPACTION, SESSION):
            self.prompts = 0
            self.figures = {}
        if event == SESSION:
            self.outdated_used = None
            self.compaction = None
            if self.status_line:
                self.status_line = {**self.status_line, "used": None}


class HistoryRecord(Record):
    """What prompts of the session have used, the most recent last."""

    star_commands = fixed_field(("star_commands_used", read_texts))
    # The domains that the last prompt loaded.
    domains = fixed_field(("domains_loaded_last", read_texts))
    agents = fixed_field(("agents_activated", read_texts))


class ProposedEdit(Record):
    """A change of the tree that the person was shown and may confirm with the next prompt."""

    # Of the difference that was shown and of the files that it changes.
    digest = field(("digest", read_text))
    # The `*synapse` command that makes it, with its argument.
    command = field(("command", read_text))
    argument = field(("argument", read_text))
    # Key of the window, and number of the prompt, that it was shown in.
    window = field(("window", read_text))
    turn = field(("turn", read_count))


class SessionState(Record):
    """One session of an agent client."""

    id = fixed_field(("uuid", read_text))
    schema_version = fixed_field(("schema_version", lambda _: SCHEMA_VERSION))
    # Times in UTC with milliseconds.
    started = fixed_field(("started", read_text))
    last_activity = fixed_field(("last_activity", read_text))
    # The folder in which it began, and the name of that.
    cwd = fixed_field(("cwd", read_text))
    label = fixed_field(("label", read_text))
    # The first words of its first prompt.
    title = fixed_field(("title", read_optional_text))
    # Prompts of the main conversation.
    prompt_count = fixed_field(("prompt_count", read_count))
    agent = fixed_field(("active_agent", lambda value: ActiveAgent(read_record(value, "id"))))
    workflow = fixed_field(("active_workflow", read_as(ActiveWorkflow, "id")))
    squad = fixed_field(("active_squad", read_as(ActiveSquad, "name")))
    task = fixed_field(("active_task", read_as(ActiveTask, "id")))
    context = fixed_field(("context", ContextRecord))
    # DEVMODE or {DOMAIN}_STATE -> a boolean, or a word of CARL or of a person.
    overrides = fixed_field(("overrides", read_mapping))
    history = fixed_field(("history", HistoryRecord))
    # Agent -> the task that it goes on with when it is active again.
    waiting_tasks: dict[str, ActiveTask] = field(("waiting_tasks", read_each(read_as(ActiveTask))))
    # Key of a sub-agent's window -> the task that its prompt has taken up.
    window_tasks: dict[str, ActiveTask] = field(("window_tasks", read_each(read_as(ActiveTask))))
    # None: nobody has looked yet.
    seen_states = optional_field(("workflow_states", read_as(SeenStates)))
    # None: the commands belong to none.
    detected = optional_field(("detected_workflow", read_as(DetectedWork, "id")))
    recovery = field(("recovery", RecoveryMarks))
    # A change that waits for the person's yes, until the session begins anew.
    proposal = optional_field(("proposal", read_as(ProposedEdit, "digest")))
    # When its client has ended it, in UTC, until it is resumed; None: it goes on.
    ended = field(("ended", read_optional_text))
    # Key of a window -> its record, the latest last. Each is parsed when it is asked for.
    window_records = field(("windows", read_mapping))
    # The prompt with which it was said how an agent is activated.
    mention_explained = optional_field(("mention_explained", read_optional_count))

    def __init__(self, document: Document | None = None) -> None:
        super().__init__(document)
        self.label = self.label or _last_name(self.cwd)

    def copy(self) -> SessionState:
        """Return a session with the same values, which can be changed without changing this one."""
        return SessionState(self.to_document())

    def forget(self, event: str) -> None:
        """Forget what ``event`` ends in the session, its context and its marks."""
        if event == SESSION:
            self.proposal = None
        if event not in (TURN, COMPACTION):
            self.ended = None
        self.context.forget(event)
        self.recovery.forget(event)
        if self.seen_states and event == PROMPT:
            self.seen_states.is_old = False

    def forget_foreign(self) -> None:
        """Forget what only events on this machine may note: what stands in windows, transcripts and
        what comes of them, and a change that waits for the person's yes.
        """
        self.recovery = RecoveryMarks()
        self.proposal = None
        self.window_records = {}

    def forget_in_windows(self, event: str, key: str = "") -> None:
        """Forget what ``event`` ends in the window ``key``, or in every main window."""
        for name in self.window_keys():
            if name == key if key else ":" not in name:
                self.find_window(name).forget(event)

    def window_keys(self) -> list[str]:
        """Return the keys of the windows, the latest last."""
        return list(self.window_records)

    def latest_window_key(self) -> str:
        """Return the key of the main window that was used last; "" where there is none."""
        return next((name for name in reversed(self.window_records) if ":" not in name), "")

    def find_window(self, key: str) -> WindowState:
        """Return the record of a window; an empty one that is not kept where there is none."""
        window = self.window_records.get(key)
        if isinstance(window, WindowState):
            return window
        if key not in self.window_records:
            return WindowState()
        window = self.window_records[key] = WindowState(window)
        return window

    def open_window(self, key: str) -> WindowState:
        """Return the record of a window, which is the latest then; a new one where there
        is none.
        """
        window = self.find_window(key)
        self.window_records.pop(key, None)
        self.window_records[key] = window
        if len(self.window_records) > MAX_WINDOWS:
            oldest = next(
                (name for name in self.window_records if ":" in name),
                next(iter(self.window_records)),
            )
            del self.window_records[oldest]
        return window

    def windows(self) -> Iterator[tuple[str, WindowState]]:
        """Yield the windows with their keys, the latest last."""
        for key in self.window_keys():
            yield key, self.find_window(key)

    @property
    def prompts_since_compaction(self) -> int:
        """Recorded prompts since the last compaction; of a session nobody counted them in, all."""
        prompts = self.context.prompts
        return self.prompt_count if prompts is None else prompts


def _last_name(folder: str) -> str:
    return folder.replace("\\", "/").rstrip("/").rpartition("/")[2]


def new_session(session_id: str, cwd: str, now_iso: str) -> SessionState:
    """Return a session that begins now; ``now_iso`` is UTC in ISO 8601 with milliseconds and
    ``Z``.
    """
    session = SessionState()
    session.id = session_id
    session.started = session.last_activity = now_iso
    session.cwd, session.label = cwd, _last_name(cwd)
    return session


def parse(text: str) -> tuple[SessionState | None, str]:
    """Parse a session file; return the session and what is wrong.

    "" means nothing is. An older schema gives both the session as it is today and a sentence part
    that says so ("has the older schema 1.0"); what is no session gives ``None`` and the reason.
    Never raises.
    """
    try:
        data = loads(text)
    except JsonError as error:
        return None, f"is not JSON ({error})"
    if not isinstance(data, dict):
        return None, "holds no JSON object"
    data.pop(CHECKSUM, None)
    kind = detect_schema(data)
    if kind == "synapse-2.0":
        return SessionState(data), ""
    if kind in ("synapse-1", "carl"):
        version = data.get("schema_version", "of CARL" if kind == "carl" else "1")
        return SessionState(data), f"has the older schema {version}"
    if kind == "aiox":
        return None, "holds an AIOX session state, which is another format"
    if "schema_version" in data:
        return None, f"has the schema {data['schema_version']}, and {SCHEMA_VERSION} is understood"
    return None, "holds no session"


def detect_schema(data: Document) -> str:
    """Return which schema of session files a JSON object has: "synapse-2.0", "synapse-1", "carl",
    "aiox" or "unknown".
    """
    if (version := data.get("schema_version")) is not None:
        if str(version) in (SCHEMA_VERSION, "2"):
            return "synapse-2.0"
        return "synapse-1" if str(version).partition(".")[0] in ("0", "1") else "unknown"
    if "uuid" in data and any(field in data for field in _SYNAPSE):
        return "synapse-1"
    if "uuid" in data and any(field in data for field in _CARL):
        return "carl"
    return "aiox" if any(field in data for field in _AIOX) else "unknown"
