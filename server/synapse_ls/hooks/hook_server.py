"""``synapse hook-server``, whose one MCP tool a client calls for each event instead of a command.

``synapse hook-server --client NAME [--scope user] [--root FOLDER]``: replies, sessions and log are
those of `hook_command`. Plans stay in memory and are refreshed by another process; every event
still checks them. Calls run in turn on the first thread, where a watchdog can interrupt one. The
server then replaces its own process, on the same channel, since Codex would not start another.
Protocol: MCP revision 2025-11-25 (lifecycle, ping, tools) and JSON-RPC 2.0.
"""

import gc
import os
import signal
import subprocess  # noqa: F401 - so that what is started is waited for
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from queue import SimpleQueue
from select import POLLIN, poll
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Final

from synapse_ls.hooks import hook_command
from synapse_ls.hooks.hook_timeout import prepare_late_reply, record_late, start_watch, stop_watch
from synapse_ls.integrations import client_registry, hook_event
from synapse_ls.integrations.hook_commands import EVENT_FIELD, TOOL_NAME, read_payload
from synapse_ls.storage import current_plan, hook_log, plan_cache
from synapse_ls.text import fast_json, lazy_import
from synapse_ls.version import VERSION
from synapse_ls.workspace import user_folders
from synapse_ls.workspace.tree_search_upward import find_root

MessageId = str | int

PROTOCOL_VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
TOO_LATE: Final = -32000  # of those that a server may define
SERVER_INFO: Final = {"name": "synapse-hooks", "title": "Synapse LS hooks", "version": VERSION}
TOOL: Final[dict[str, Any]] = {
    "name": TOOL_NAME,
    "title": "Synapse LS hook",
    "description": "Called by the client itself, as its hook. It is of no use to an agent.",
    "inputSchema": {
        "type": "object",
        "properties": {EVENT_FIELD: {"type": "string"}},
        "required": [EVENT_FIELD],
    },
    # Only the client sees it: the model is told nothing of it (extension "apps", SEP-1865).
    "_meta": {"ui": {"visibility": ["app"]}},
}


@dataclass(slots=True)
class ToolCall:
    """A message to the hook server that calls its tool: the id of the request, the fields of the
    event, and when it was read, in seconds of the clock that only goes forward.
    """

    id: MessageId
    arguments: dict[str, Any]
    read: float = field(default_factory=monotonic)


@dataclass(slots=True)
class Cancellation:
    """A message to the hook server that nobody waits any more for the answer to the request
    ``id``.
    """

    id: object


def read_message(line: bytes) -> ToolCall | Cancellation | bytes:
    """Return what a client's message to the hook server asks for; bytes are the answer to it, b""
    for none.
    """
    try:
        message = fast_json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return error_message(None, PARSE_ERROR, "this line is no JSON")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return error_message(None, INVALID_REQUEST, "this is no message of JSON-RPC 2.0")
    method, identity, params = message.get("method"), message.get("id"), message.get("params")
    if "id" not in message:
        if method == "notifications/cancelled" and isinstance(params, dict):
            return Cancellation(params.get("requestId"))
        return b""
    if not isinstance(method, str):  # the answer to something that was never asked
        return b""
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        return error_message(None, INVALID_REQUEST, "the id of a request is a text or a number")
    fields = params if isinstance(params, dict) else {}
    if method == "tools/call":
        arguments = fields.get("arguments", {})
        if fields.get("name") != TOOL_NAME:
            return error_message(identity, INVALID_PARAMS, f"the only tool here is {TOOL_NAME}")
        if not isinstance(arguments, dict):
            return error_message(identity, INVALID_PARAMS, "the arguments of a tool are an object")
        return ToolCall(identity, arguments)
    if method == "initialize":
        version = fields.get("protocolVersion")
        result: dict[str, Any] = {
            "protocolVersion": version if version in PROTOCOL_VERSIONS else PROTOCOL_VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": SERVER_INFO,
        }
        return result_message(identity, result)
    if method == "ping":
        return result_message(identity, {})
    if method == "tools/list":
        return result_message(identity, {"tools": [TOOL]})
    return error_message(identity, UNKNOWN_METHOD, f"{method[:80]} is not served here")


def reply_message(identity: MessageId, reply: str) -> bytes:
    """Return the server's message that answers a call of the tool; reply: what the hook as a
    command would print.
    """
    content = [{"type": "text", "text": reply}]
    return result_message(identity, {"content": content, "isError": False})


def result_message(identity: MessageId, result: dict[str, Any]) -> bytes:
    """Return the server's message that answers a request with a result."""
    return _encode_message({"id": identity, "result": result})


def error_message(identity: MessageId | None, code: int, sentence: str) -> bytes:
    """Return the server's message that says what is wrong with one of the client's; identity: None
    where it cannot be told.
    """
    error = {"code": code, "message": hook_event.replace_surrogates(sentence)}
    return _encode_message({"id": identity, "error": error})


# Who reads a reply may wait for this very core, on which work that nobody waits for would go on.
_let_others_run: Final[Callable[[], object]] = getattr(os, "sched_yield", bool)


def _encode_message(message: dict[str, Any]) -> bytes:
    return fast_json.dumps({"jsonrpc": "2.0", **message}, None).encode("utf-8", "replace") + b"\n"


LEAST_PAUSE: Final = 0.3  # seconds between two looks while events come
MAKING_PAUSE: Final = 0.05  # seconds, while a process makes a plan
LONGEST_PAUSE: Final = 10.0  # seconds, when none have come for a while
QUIET_SECONDS: Final = 60.0
WORK_SHARE: Final = 50  # it rests so many times longer than a look has taken
MAKING_SECONDS: Final = 20.0  # after which a process that was to make a plan is given up


class PlanWatch:
    """Looks after the plans in ``held``."""

    def __init__(self, held: plan_cache.HeldPlans) -> None:
        self._held = held
        self.latest_event = monotonic()
        self._making: dict[str, tuple[int, float]] = {}

    def look(self) -> float:
        """Look once at every plan, and return the seconds until the next look."""
        began = monotonic()
        begun = [self._follow(root, profile) for root, profile in self._held.names()]
        took = monotonic() - began
        if began - self.latest_event > QUIET_SECONDS:
            return max(LONGEST_PAUSE, took * WORK_SHARE)
        if any(begun):  # which takes longer than to look
            return MAKING_PAUSE
        return max(MAKING_PAUSE if self._making else LEAST_PAUSE, took * WORK_SHARE)

    def _follow(self, root: str, profile: str) -> bool:
        """Hold the plan that is there now, and have it made anew where it is not current; return
        whether a process was started for that.
        """
        cached = plan_cache.read_plan(root, profile)
        if (
            cached is None
            or profile
            or (
                all(path in cached.plan.workflow_states for path in cached.changed_inputs())
                and cached.is_current_for(None)
            )
        ):
            self._making.pop(root, None)
            return False
        written, at = self._making.get(root, (0, 0.0))
        if written == cached.written and monotonic() - at < MAKING_SECONDS:
            return False  # somebody is at it
        if not current_plan.make_plan(root):
            return False
        self._making[root] = cached.written, monotonic()
        return True


# How long after it was read an event is answered: the settings have the client wait for five, and
# linting may take four. A reply that comes later is thrown away, though the session says that it
# was told.
ANSWER_SECONDS: Final = 4.5
LEAST_SECONDS: Final = 0.5  # with less than that left nothing is begun
RENEWAL_SECONDS: Final = 0.2  # that a message may take which is being read
# After which a thread has to let another one go on: who answers waits for no other thread longer.
SWITCH_SECONDS: Final = 0.0005
MAX_TREES: Final = 4  # plans that are kept
COLLECT_EVERY: Final = 100  # calls, after which garbage is collected when nobody waits
COLLECT_AT_LAST: Final = 200  # calls, after which it is collected though somebody waits
_PIECE: Final = 1 << 16  # bytes
_EVENTS: Final = "synapse_ls.hooks.events"
_OFTEN_NEEDED: Final = (
    f"{_EVENTS}.prompt",
    f"{_EVENTS}.tool_after",
    f"{_EVENTS}.tool_before",
    "synapse_ls.storage.injection_log",
)


def main(arguments: list[str], conversation: str = "") -> int:
    """Run the hook server for the client on standard input and output until it closes them; the
    exit code is 0. conversation: as for the hook.
    """
    if conversation:
        lazy_import.register_module("conversation", conversation)
    options = hook_command.parse_options(arguments)
    hook_command.check_options(options)
    # Descriptors of standard input and output that nobody else has: what any part of the
    # program would read or print has nothing to do with the protocol.
    channel = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    HookServer(options, *channel).serve()
    return 0


class HookServer:
    """A server of one client, which writes into ``reading`` and reads from ``writing``. options:
    those of the command line.
    """

    def __init__(self, options: dict[str, str], reading: int, writing: int) -> None:
        self._options = options
        self._reading = reading
        self._writing = writing
        self._calls: SimpleQueue[ToolCall | None] = SimpleQueue()
        self._cancelled: set[object] = set()
        self._write_lock = Lock()
        self._waiting: set[object] = set()
        self._ended = Event()
        self._has_read = Event()
        self._stopping, self._stop = os.pipe()
        self._watch = PlanWatch(plan_cache.hold_plans(MAX_TREES))
        # Of which an event in one project may make the process forget what counts in another.
        names = (name for name in user_folders.VARIABLES if name in os.environ)
        self._folders = {name: os.environ[name] for name in names}

    def serve(self) -> None:
        """Answer calls until the client is gone."""
        # Leave Ctrl-C to the client, which gets it as well and goes on.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.setswitchinterval(SWITCH_SECONDS)
        Thread(target=self._read_messages, daemon=True).start()
        Thread(target=self._follow_plans, daemon=True).start()
        # Load what most events need, and the plan of the tree here, before the first event comes.
        try:
            for name in _OFTEN_NEEDED:
                lazy_import.load_module(name)
            if client := self._options.get("client", ""):
                client_registry.load_client(client)
            if root := self._options.get("root") or find_root(os.getcwd()):
                plan_cache.read_plan(root, "")
        except Exception as error:  # it will be said again where it matters
            hook_log.log_error(error)
        gc.collect()
        gc.freeze()
        gc.disable()  # or it would come in the middle of an answer
        answered = 0
        while (call := self._calls.get()) is not None:
            self._answer_call(call)
            answered += 1
            least = COLLECT_EVERY if self._calls.empty() else COLLECT_AT_LAST
            if answered >= least:
                gc.collect()
                answered = 0
        self._ended.set()

    def _read_messages(self) -> None:
        try:
            for line in read_lines(self._reading, hook_command.INPUT_LIMIT, self._stopping):
                message = read_message(line)
                if isinstance(message, ToolCall):
                    self._waiting.add(message.id)
                    self._calls.put(message)
                elif not isinstance(message, Cancellation):
                    self._write(message)
                elif isinstance(message.id, str | int) and message.id in self._waiting:
                    self._cancelled.add(message.id)
        except OSError:
            pass  # the client is gone
        finally:
            self._calls.put(None)
            self._has_read.set()

    def _answer_call(self, call: ToolCall) -> None:
        """Answer one event, unless it was cancelled before; nothing that goes wrong ends the
        server.
        """
        self._watch.latest_event = monotonic()  # others may follow
        seconds = ANSWER_SECONDS - (monotonic() - call.read)
        if seconds < LEAST_SECONDS:
            self._refuse(call)
            return
        empty = [b"{}"]
        payload: dict[str, Any] = {}
        is_answered = False

        def write_reply(reply: dict[str, Any]) -> None:
            nonlocal is_answered
            if not is_answered:
                is_answered = True
                data = hook_command.encode_reply(reply) if reply else empty[0]
                if self._is_expected(call):
                    self._write(reply_message(call.id, (data or b"{}").decode()))
                    _let_others_run()

        try:
            if call.id in self._cancelled:
                return
            prepare_late_reply(lambda: self._late_reply(call), hook_command.record_failures)
            start_watch(lambda reply: self._begin_anew(lambda: write_reply(reply)), seconds)
            payload = read_payload(call.arguments)
            hook_command.answer_payload(payload, None, self._options, write_reply, empty)
        except BaseException as error:
            hook_command.log_failure(error, self._options, payload)
        finally:
            stop_watch()
            write_reply({})
            os.environ.update(self._folders)

    def _refuse(self, call: ToolCall) -> None:
        """Answer an event for which no time is left: what a late verdict is, else that the client
        does what it does where a hook fails.
        """
        if not self._is_expected(call):
            return
        if reply := self._late_reply(call):
            self._write(reply_message(call.id, hook_command.encode_reply(reply).decode()))
            hook_command.record_failures()
        else:
            self._write(error_message(call.id, TOO_LATE, "another event took the time of this one"))

    def _late_reply(self, call: ToolCall) -> dict[str, Any]:
        """Return the reply to an event that was not answered in time; {} where there is none."""
        try:
            payload = read_payload(call.arguments)
            return hook_command.unjudged_reply(payload, self._options, is_late=True)
        except Exception as error:
            hook_log.log_error(error)
            return {}

    def _is_expected(self, call: ToolCall) -> bool:
        """Return whether the client expects an answer to a call, which is given now."""
        self._waiting.discard(call.id)
        was_cancelled = call.id in self._cancelled
        self._cancelled.discard(call.id)
        return not was_cancelled

    def _write(self, message: bytes) -> None:
        with self._write_lock:
            try:
                while message:
                    message = message[os.write(self._writing, message) :]
            except OSError:
                self._calls.put(None)  # nobody reads any more

    def _begin_anew(self, write_reply: Callable[[], None]) -> None:
        """Have ``write_reply`` called and put a new server in the place of this one, which waits
        for something, on the same channel: it knows nothing that the new one needs. Returns where
        that cannot be done.
        """
        is_replaced = os.name == "posix"
        if is_replaced:
            # What comes from now on waits for another reader, unless something is half read.
            os.write(self._stop, b"x")
            is_replaced = self._has_read.wait(RENEWAL_SECONDS)
        write_reply()
        while not self._calls.empty():  # whoever comes next would not know of them
            if call := self._calls.get():
                self._refuse(call)
        record_late()
        if is_replaced:
            hook_log.log_line(f"{__name__} it starts anew after {ANSWER_SECONDS:g} s")
            os.dup2(self._reading, 0)
            os.dup2(self._writing, 1)
            os.environ.update(self._folders)
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])

    def _follow_plans(self) -> None:
        pause = 0.0
        while not self._ended.wait(pause):
            if self._waiting:  # an answer comes first
                pause = MAKING_PAUSE
                continue
            try:
                pause = self._watch.look()
            except Exception as error:
                hook_log.log_error(error)
                return  # what it saves is time alone


def read_lines(descriptor: int, limit: int, stop: int) -> Iterator[bytes]:
    """Yield the lines that a client sends to the hook server through a descriptor, without those
    that are empty; of one that is longer than ``limit`` bytes only its beginning, which is no
    message. It ends between two lines once something can be read from the descriptor ``stop``,
    where the system has a call that waits for both.
    """
    pieces: list[bytes] = []
    size = 0
    wait: Callable[[], list[tuple[int, int]]] = list
    if sys.platform != "win32":
        poller = poll()
        poller.register(descriptor, POLLIN)
        poller.register(stop, POLLIN)
        wait = poller.poll
    while True:
        if size == 0 and any(descriptor == stop for descriptor, _ in wait()):
            return
        if not (data := os.read(descriptor, _PIECE)):
            return
        *ends, rest = data.split(b"\n")
        for end in ends:
            line = b"".join((*pieces, end)) if size <= limit else b"{"
            pieces, size = [], 0
            if line.strip():
                yield line
        size += len(rest)
        if size > limit:
            pieces.clear()
        elif rest:
            pieces.append(rest)
