"""The session file, ``.synapse/sessions/{id}.json`` (SYNAPSE session schema 2.0).

Fields without a name here belong to others and stay unchanged, in their place. Values are replaced
and not mutated, and outlive everything, unless a field says otherwise.
"""

from __future__ import annotations

from synapse_ls.formats.recovery_marks import RecoveryMarks
from synapse_ls.formats.state_values import (
    COMPACTION,
    PROMPT,
    SESSION,
    TURN,
    put_values,
    read_count,
    read_mapping,
    read_number,
    read_optional_count,
    read_optional_text,
    read_record,
    read_text,
    read_texts,
    types_of,
)
from synapse_ls.formats.window_state import WindowState
from synapse_ls.text.fast_json import JsonError, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

    from synapse_ls.formats.state_values import Document

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


class ActiveAgent:
    """The agent at work. It outlives all but the activation of another one."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        find = document.get
        # Its name; None: no agent is active.
        self.id = read_optional_text(find("id"))
        # When it became active, in UTC.
        self.activated_at = read_optional_text(find("activated_at"))
        # How it was activated: "full", "partial" or "fallback"; None: it was only called.
        self.quality = read_optional_text(find("activation_quality"))
        # When it greeted, in seconds since 1970; None: it has not.
        self.greeted = read_number(find("greeted"))
        # Loader -> what became of it when the agent was activated.
        self.loaders = read_mapping(find("loaders"))
        # How long its activation took.
        self.milliseconds = read_number(find("milliseconds"))

    def to_document(self) -> Document:
        document = {
            **self._document,
            "id": self.id,
            "activated_at": self.activated_at,
            "activation_quality": self.quality,
        }
        numbers = {"greeted": self.greeted, "milliseconds": self.milliseconds}
        return put_values(document, {"loaders": self.loaders}, numbers)


class ActiveWorkflow:
    """The workflow under way, until another one is set or none."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        find = document.get
        self.id = read_optional_text(find("id"))
        # Which run of it.
        self.instance_id = read_optional_text(find("instance_id"))
        # Its current step, by number or name.
        self.step: int | str | None = find("current_step")
        # Its current phase, as it was written.
        self.phase = read_optional_text(find("current_phase"))
        # When it began, in UTC.
        self.started_at = read_optional_text(find("started_at"))

    def to_document(self) -> Document:
        return {
            **self._document,
            "id": self.id,
            "instance_id": self.instance_id,
            "current_step": self.step,
            "current_phase": self.phase,
            "started_at": self.started_at,
        }


class ActiveSquad:
    """The squad at work, until another one is set or none."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        self.name = read_optional_text(document.get("name"))
        # Its folder.
        self.path = read_optional_text(document.get("path"))
        # The domains that it has loaded.
        self.domains = read_texts(document.get("domains_loaded"))

    def to_document(self) -> Document:
        return {
            **self._document,
            "name": self.name,
            "path": self.path,
            "domains_loaded": [*self.domains],
        }


class ActiveTask:
    """The task that is worked on, until its agent takes up another one, leaves, or the work moves
    on.
    """

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        find = document.get
        self.id = read_optional_text(find("id"))
        # The story that it belongs to.
        self.story = read_optional_text(find("story"))
        # The type of who does it (`Profile.executors`).
        self.executor = read_optional_text(find("executor_type"))
        # When it began, in UTC.
        self.started_at = read_optional_text(find("started_at"))
        # Who took it up, and whom it is told; None: everybody.
        self.agent = read_optional_text(find("agent"))
        # Whether its story was done when it was taken up.
        self.story_was_done = find("story_was_done") is True

    def to_document(self) -> Document:
        document = {
            **self._document,
            "id": self.id,
            "story": self.story,
            "executor_type": self.executor,
            "started_at": self.started_at,
        }
        values = {"agent": self.agent, "story_was_done": self.story_was_done}
        return put_values(document, values, {})


class SeenStates:
    """What a session has last seen in the workflow state files that are active."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        files = document.get("files")
        # Path -> the values of the file (`PlanState.values`).
        self.files = {
            path: read_texts(values)
            for path, values in (files.items() if isinstance(files, dict) else ())
        }
        # The file that spoke last.
        self.latest = read_text(document.get("latest"))
        # Whether the session was left for long since, so that what differs is named; until the next
        # prompt.
        self.is_old = document.get("old") is True

    def to_document(self) -> Document:
        values = {"latest": self.latest, "old": self.is_old}
        return put_values({**self._document, "files": self.files}, values, {})


class DetectedWork:
    """The workflow that the commands used so far belong to, until others are used."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        self.id = read_optional_text(document.get("id"))
        # What the last command has led to, where that is certain.
        self.phase = read_optional_text(document.get("phase"))

    def to_document(self) -> Document:
        return put_values({**self._document}, {"id": self.id, "phase": self.phase}, {})


class ContextRecord:
    """What is known of the context window of the main conversation."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        find = document.get
        # At the last prompt: the bracket …
        self.bracket = read_text(find("last_bracket")) or "FRESH"
        # … the tokens in use …
        self.tokens_used = read_count(find("last_tokens_used"))
        # … and the percent left.
        percent = read_number(find("last_context_percent"))
        is_percent = percent is not None and 0 <= percent < float("inf")
        self.percent_left: float = percent if percent is not None and is_percent else 100
        # Prompts since the last compaction; None: nobody has counted them, so that all count.
        self.prompts = read_optional_count(find("prompts_since_compaction"))
        # Compactions of the session.
        self.compactions = read_count(find("compactions"))
        # The client's last figures, as `measure_usage` takes them; until a compaction.
        self.figures = read_mapping(find("usage"))
        # Tokens in use before the last compaction, which a client may repeat.
        self.outdated_used: Any = find("stale")
        # What the client's status line said last: used, window, model, compactions. The use counts
        # while the compactions are the same; the size of the window outlives all.
        self.status_line = read_mapping(find("status_line"))
        # State and time of a compaction that a client tells of by several events.
        value: Any = find("compaction")
        is_known = types_of(value) in ((str, float), (str, int))
        self.compaction = (value[0], value[1]) if is_known else None

    def to_document(self) -> Document:
        document = {
            **self._document,
            "last_bracket": self.bracket,
            "last_tokens_used": self.tokens_used,
            "last_context_percent": self.percent_left,
        }
        values = {
            "compactions": self.compactions,
            "usage": self.figures,
            "status_line": self.status_line,
            "compaction": self.compaction,
        }
        numbers = {"prompts_since_compaction": self.prompts, "stale": self.outdated_used}
        return put_values(document, values, numbers)

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


class HistoryRecord:
    """What prompts of the session have used, the most recent last."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        self.star_commands = read_texts(document.get("star_commands_used"))
        # The domains that the last prompt loaded.
        self.domains = read_texts(document.get("domains_loaded_last"))
        self.agents = read_texts(document.get("agents_activated"))

    def to_document(self) -> Document:
        return {
            **self._document,
            "star_commands_used": [*self.star_commands],
            "domains_loaded_last": [*self.domains],
            "agents_activated": [*self.agents],
        }


class ProposedEdit:
    """A change of the tree that the person was shown and may confirm with the next prompt."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        find = document.get
        # Of the difference that was shown and of the files that it changes.
        self.digest = read_text(find("digest"))
        # The `*synapse` command that makes it, with its argument.
        self.command = read_text(find("command"))
        self.argument = read_text(find("argument"))
        # Key of the window, and number of the prompt, that it was shown in.
        self.window = read_text(find("window"))
        self.turn = read_count(find("turn"))

    def to_document(self) -> Document:
        values = {
            "digest": self.digest,
            "command": self.command,
            "argument": self.argument,
            "window": self.window,
            "turn": self.turn,
        }
        return put_values({**self._document}, values, {})


class SessionState:
    """One session of an agent client."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document or {}
        find = document.get
        self.id = read_text(find("uuid"))
        # Times in UTC with milliseconds.
        self.started = read_text(find("started"))
        self.last_activity = read_text(find("last_activity"))
        # The folder in which it began, and the name of that.
        self.cwd = read_text(find("cwd"))
        self.label = read_text(find("label")) or _last_name(self.cwd)
        # The first words of its first prompt.
        self.title = read_optional_text(find("title"))
        # Prompts of the main conversation.
        self.prompt_count = read_count(find("prompt_count"))
        self.agent = ActiveAgent(read_record(find("active_agent"), "id"))
        workflow = read_record(find("active_workflow"), "id")
        self.workflow = ActiveWorkflow(workflow) if workflow else None
        squad = read_record(find("active_squad"), "name")
        self.squad = ActiveSquad(squad) if squad else None
        task = read_record(find("active_task"), "id")
        self.task = ActiveTask(task) if task else None
        # Agent -> the task that it goes on with when it is active again.
        self.waiting_tasks = _read_tasks(find("waiting_tasks"))
        # Key of a sub-agent's window -> the task that its prompt has taken up.
        self.window_tasks = _read_tasks(find("window_tasks"))
        # None: nobody has looked yet.
        states = read_record(find("workflow_states"))
        self.seen_states = SeenStates(states) if states else None
        # None: the commands belong to none.
        detected = read_record(find("detected_workflow"), "id")
        self.detected = DetectedWork(detected) if detected else None
        # The prompt with which it was said how an agent is activated.
        self.mention_explained = read_optional_count(find("mention_explained"))
        self.context = ContextRecord(read_record(find("context")))
        # DEVMODE or {DOMAIN}_STATE -> a boolean, or a word of CARL or of a person.
        self.overrides = read_mapping(find("overrides"))
        self.history = HistoryRecord(read_record(find("history")))
        self.recovery = RecoveryMarks(read_record(find("recovery")))
        # A change that waits for the person's yes, until the session begins anew.
        proposal = read_record(find("proposal"), "digest")
        self.proposal = ProposedEdit(proposal) if proposal else None
        # When its client has ended it, in UTC, until it is resumed; None: it goes on.
        self.ended = read_optional_text(find("ended"))
        # Key of a window -> its record, the latest last. Each is parsed when it is asked for.
        self.window_records = read_mapping(find("windows"))

    def to_document(self) -> Document:
        document = {
            **self._document,
            "uuid": self.id,
            "schema_version": SCHEMA_VERSION,
            "started": self.started,
            "last_activity": self.last_activity,
            "cwd": self.cwd,
            "label": self.label,
            "title": self.title,
            "prompt_count": self.prompt_count,
            "active_agent": self.agent.to_document(),
            "active_workflow": self.workflow and self.workflow.to_document(),
            "active_squad": self.squad and self.squad.to_document(),
            "active_task": self.task and self.task.to_document(),
            "context": self.context.to_document(),
            "overrides": self.overrides,
            "history": self.history.to_document(),
        }
        values = {
            "waiting_tasks": _task_documents(self.waiting_tasks),
            "window_tasks": _task_documents(self.window_tasks),
            "workflow_states": self.seen_states and self.seen_states.to_document(),
            "detected_workflow": self.detected and self.detected.to_document(),
            "recovery": self.recovery.to_document(),
            "proposal": self.proposal and self.proposal.to_document(),
            "ended": self.ended,
            "windows": {
                key: window.to_document() if isinstance(window, WindowState) else window
                for key, window in self.window_records.items()
            },
        }
        return put_values(document, values, {"mention_explained": self.mention_explained})

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


def _read_tasks(value: object) -> dict[str, ActiveTask]:
    items = value.items() if isinstance(value, dict) else ()
    return {agent: ActiveTask(task) for agent, task in items if isinstance(task, dict)}


def _task_documents(tasks: dict[str, ActiveTask]) -> Document:
    return {name: task.to_document() for name, task in tasks.items()}


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
    version = data.get("schema_version")
    if version is not None:
        if str(version) in (SCHEMA_VERSION, "2"):
            return "synapse-2.0"
        return "synapse-1" if str(version).partition(".")[0] in ("0", "1") else "unknown"
    if "uuid" in data and any(field in data for field in _SYNAPSE):
        return "synapse-1"
    if "uuid" in data and any(field in data for field in _CARL):
        return "carl"
    return "aiox" if any(field in data for field in _AIOX) else "unknown"
