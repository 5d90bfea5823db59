"""Try the registered hook, or the hook server's tool, as its client would, and time it.

No command from settings is run, as it may be anything. A current shared line is written again and
run in a shell, from a search path without the project; for any other line of ours, one of the
doctor's own is run. The event has no session, so the hook answers with the whole block and records
nothing; cache (with a copy of the plan) and log are temporary. Tree and interpreter are the real
ones. No program runs longer than its client would wait.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter, sleep
from timeit import repeat
from typing import Any, NamedTuple

from synapse_ls.engine.context_usage import estimate_tokens
from synapse_ls.integrations import client_registry as hosts
from synapse_ls.integrations.client_settings import (
    USER,
    Client,
    Payload,
    Surroundings,
    fill_payload,
)
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM, TOOL_NAME, fill_input, tool_input
from synapse_ls.integrations.hook_registrations import (
    UNKNOWN,
    Registration,
    calls_shared_program,
    probe_arguments,
    program_arguments,
    registered_hook_server,
    server_arguments,
)
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.text.fast_json import dumps, loads
from synapse_ls.version import VERSION
from synapse_ls.workspace.program_search import safe_environment


class ProgramResult(NamedTuple):
    """The exit code of a program that was started, -1 where there is none; its output; and its
    complaints, or why it could not be started or was ended.
    """

    code: int
    out: bytes
    err: bytes


def run_program(
    arguments: Sequence[str],
    data: bytes,
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
) -> ProgramResult:
    """Run a program that is started with ``data`` as its input, for so many seconds at most."""
    try:
        with subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(data, timeout=seconds)
            except subprocess.TimeoutExpired:
                end_program(process)
                return ProgramResult(-1, b"", f"no answer within {seconds:g} s".encode())
            return ProgramResult(process.returncode, out, err)
    except (OSError, ValueError) as error:
        return ProgramResult(-1, b"", str(error).encode())


def end_program(process: subprocess.Popen[bytes]) -> None:
    """End a program that leads a session and what it has started, which holds its pipes open."""
    if os.name == "nt":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)


CLIENT_INFO = {"name": "synapse doctor", "version": VERSION}
MCP_GREETING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT_INFO}


class CalledServer:
    """A hook server that the doctor calls, and that runs while the ``with`` block lasts. scope: of
    the registration that it stands for; patience: the seconds that an answer may take.
    """

    def __init__(
        self,
        client: Client,
        scope: str,
        around: Surroundings,
        environment: Mapping[str, str],
        patience: float,
    ) -> None:
        assert client.tool_hooks is not None
        self._tool_hooks = client.tool_hooks
        self._patience = patience
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._requests = 0
        self._complaint = ""
        server = registered_hook_server(client, scope, around)
        state = server.state if server is not None else UNKNOWN
        self._process = subprocess.Popen(
            server_arguments(client.tool_hooks.servers, scope, state, str(around.root)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=around.root,
            env=dict(environment),
            start_new_session=True,
        )
        Thread(target=self._read_lines, daemon=True).start()

    def __enter__(self) -> CalledServer:
        _, self._complaint = self._ask("initialize", MCP_GREETING)
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._process.stdin.close()
            self._process.wait(0 if self._complaint else self._patience)
        if self._process.poll() is None:
            end_program(self._process)
            self._process.wait()

    def call(self, event: str, payload: dict[str, Any]) -> tuple[ProgramResult, float]:
        """Return what one event comes to, as of a command, and its milliseconds."""
        if self._complaint:
            return ProgramResult(-1, b"", self._complaint.encode()), 0.0
        wanted = tool_input(event, self._tool_hooks.fields[event])
        began = perf_counter()
        params = {"name": TOOL_NAME, "arguments": fill_input(wanted, payload)}
        result, complaint = self._ask("tools/call", params)
        took = 1000 * (perf_counter() - began)
        content = result.get("content") if isinstance(result, dict) else None
        if complaint or not isinstance(content, list):
            return ProgramResult(-1, b"", (complaint or "it answers nothing").encode()), took
        answer = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        return ProgramResult(0, answer.encode("utf-8", "replace"), b""), took

    def _ask(self, method: str, params: dict[str, Any]) -> tuple[Any, str]:
        """Return the result of a request, and what is wrong."""
        self._requests += 1
        request = {"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params}
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, and its output says so
            self._process.stdin.write(dumps(request, None).encode("utf-8", "replace") + b"\n")
            self._process.stdin.flush()
        try:
            line = self._lines.get(timeout=self._patience)
            answer = loads(line.decode("utf-8", "replace")) if line else None
        except Empty:
            return None, f"the server gave no answer within {self._patience:g} s"
        except ValueError:
            return None, "the server answers with what is no JSON"
        if not line:
            try:
                code = self._process.wait(self._patience)
            except subprocess.TimeoutExpired:
                return None, "the server closed its output"
            return None, f"the server ended with exit code {code}"
        if not isinstance(answer, dict) or "error" in answer:
            return None, "the server answers with an error"
        return answer.get("result"), ""

    def _read_lines(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put(b"")


MAX_SECONDS = 30.0  # seconds
TEST_PROMPT = "Say hello."
TEST_COMMAND = "echo hello"  # no boundary forbids it
MAX_READING_SECONDS, PAUSE_SECONDS = 5.0, 0.05  # seconds
FAST_RATIO, FAIR_RATIO = 5.0, 15.0  # times the start of a bare interpreter

_TEXT_FIELDS = ("additionalContext", "additional_context", "ephemeralMessage", "message")


@dataclass(frozen=True, slots=True)
class CanaryReply:
    """What came back for a canary prompt. exit: the exit code, -1 where the time was up. text: what
    the model would be told; limit: how many characters the client passes on. error: why there is no
    reply, or ""; log_line: what the hook itself complained about.
    """

    scope: str
    event: str
    exit: int
    text: str
    limit: int
    error: str
    milliseconds: float
    log_line: str = ""

    @property
    def is_ok(self) -> bool:
        """Whether the model would be told something."""
        return not self.error and bool(self.text)

    @property
    def is_silent(self) -> bool:
        """Whether the hook had nothing to say, and nothing to complain about."""
        return not (self.text or self.error or self.log_line)

    def to_json(self) -> dict[str, Any]:
        """Return the reply as data for JSON."""
        return {
            "scope": self.scope,
            "event": self.event,
            "ok": self.is_ok,
            "exit": self.exit,
            "tokens": estimate_tokens(self.text),
            "characters": len(self.text),
            "bytes": len(self.text.encode("utf-8", "replace")),
            "limit": self.limit,
            "text": self.text,
            "error": self.error or self.log_line,
        }


@dataclass(frozen=True, slots=True)
class HookLatency:
    """How long the hook takes for a canary prompt, in milliseconds. fastest: the fastest call;
    start: the fastest start of an interpreter beside the calls, of which the verdict counts how
    many go into that one.
    """

    scope: str
    runs: int
    median: float
    worst: float
    fastest: float
    start: float

    @property
    def start_ratio(self) -> float:
        """How many starts of an interpreter go into the fastest call, as told: by tenths of a
        millisecond.
        """
        return round(self.fastest, 1) / (round(self.start, 1) or self.start)

    @property
    def verdict(self) -> str:
        """ "fast", "fair" or "slow"."""
        if self.start_ratio <= FAST_RATIO:
            return "fast"
        return "fair" if self.start_ratio <= FAIR_RATIO else "slow"

    def to_json(self) -> dict[str, Any]:
        """Return the latency as data for JSON."""
        return {
            "scope": self.scope,
            "runs": self.runs,
            "median_ms": round(self.median, 1),
            "worst_ms": round(self.worst, 1),
            "fastest_ms": round(self.fastest, 1),
            "start_ms": round(self.start, 1),
            "times_start": round(self.start_ratio, 1 if self.start_ratio >= 1 else 2),
            "verdict": self.verdict,
        }


def send_until_read(
    client: Client, registration: Registration, around: Surroundings, cache: str
) -> CanaryReply:
    """Send a canary prompt until the hook has read the tree, as before any prompt but the first,
    and return what comes back: where that takes it long, it answers with what it has and reads on
    in a process of its own.
    """
    if not (reply := send_prompt(client, registration, around, cache)).is_ok:
        return reply
    until = perf_counter() + MAX_READING_SECONDS
    while not any(Path(cache).glob("*.plan")) and perf_counter() < until:
        sleep(PAUSE_SECONDS)
    return send_prompt(client, registration, around, cache)


def send_alone(client: Client, registration: Registration, around: Surroundings) -> CanaryReply:
    """Send a canary prompt once the hook has read the tree, with a cache for this prompt alone, and
    return what comes back.
    """
    with TemporaryDirectory(prefix="synapse-prompt-") as cache:
        return send_until_read(client, registration, around, cache)


def unsent_reply(registration: Registration, error: str) -> CanaryReply:
    """Return what stands for the reply to a canary prompt that would reach nobody, and say why."""
    place = registration
    return CanaryReply(place.scope, place.event, -1, "", _reply_limit(registration), error, 0.0)


def _reply_limit(registration: Registration) -> int:
    if (host := hosts.load_client(registration.client)) is None:
        return 0
    return (registration.calls_tool and host.settings_limit) or host.reply_limit


def send_prompt(
    client: Client, registration: Registration, around: Surroundings, cache: str
) -> CanaryReply:
    """Send the canary prompt as the client of ``registration`` would; ``cache`` is a scratch
    folder.
    """
    sent = (client.prompt_payload, TEST_PROMPT)
    (code, out, err), took = _call_hook(client, registration, *sent, around, cache)
    text, trouble = _parse_reply(code, out, err)
    logged = ""
    if not text and not trouble:
        # The last thing that the hook had to complain about.
        with contextlib.suppress(OSError):
            lines = Path(cache, "hook.log").read_text("utf-8", errors="replace").splitlines()
            logged = lines[-1].partition(" ")[2] if lines else ""
        if not logged and calls_shared_program(registration):
            # The shared line hides from its client how the program that it calls fails.
            program = program_arguments(client, registration.event, str(around.root))
            done, _ = _call_hook(client, registration, *sent, around, cache, arguments=program)
            failure = _parse_reply(*done)[1] if done.code else ""
            trouble = f"{program[0]}: {failure}" if failure else ""
    place, limit = registration, _reply_limit(registration)
    return CanaryReply(place.scope, place.event, code, text, limit, trouble, took, logged)


def _call_hook(
    client: Client,
    registration: Registration,
    payload: Payload,
    argument: str,
    around: Surroundings,
    cache: str,
    *,
    arguments: list[str] | None = None,
) -> tuple[ProgramResult, float]:
    """Return what one call of the hook comes to, and its milliseconds. arguments: what is started
    in the place of the registered line.
    """
    root = str(around.root)
    if registration.calls_tool:
        with _started_server(client, registration, around, cache) as server:
            return server.call(registration.event, fill_payload(payload, root, argument))
    data = dumps(fill_payload(payload, root, argument), None).encode("utf-8", "replace")
    folder = around.root
    if registration.scope == USER and client.name == "cursor":
        folder = registration.file.parent  # Cursor starts a user's hooks there
    line = arguments or probe_arguments(client, registration, root)
    environment = _hook_environment(client, around, cache)
    started = perf_counter()
    done = run_program(line, data, folder, environment, registration.timeout or MAX_SECONDS)
    host = hosts.load_client(client.name)
    if done.code == 0 and not done.out.strip() and host is not None and host.prints_nothing:
        done = done._replace(out=b"{}")
    return done, 1000 * (perf_counter() - started)


def _started_server(
    client: Client, registration: Registration, around: Surroundings, cache: str
) -> CalledServer:
    """Return the server that answers in the place of a hook, with the environment of one."""
    environment = _hook_environment(client, around, cache)
    patience = registration.timeout or MAX_SECONDS
    return CalledServer(client, registration.scope, around, environment, patience)


def tool_obstacle(
    client: Client, registration: Registration, around: Surroundings, cache: str
) -> str:
    """Return how the hook, as a canary shows, stands in the way of a harmless command; "" where it
    does not.
    """
    assert client.tool_payload is not None
    sent = (client.tool_payload, TEST_COMMAND)
    (code, out, err), _ = _call_hook(client, registration, *sent, around, cache)
    if code != 0:
        return f"it exits with {code}"
    try:
        reply = loads(out.decode("utf-8"))
    except ValueError:
        return _parse_reply(code, out, err)[1]
    return "" if reply == {} else f"it answers {dumps(reply, None)}"


def measure_latency(
    client: Client, registration: Registration, around: Surroundings, cache: str, runs: int
) -> HookLatency:
    """Time ``runs`` canary prompts, and beside each a bare interpreter.

    The fastest of each are compared: what else the computer does only ever adds.
    """
    if registration.calls_tool:
        with _started_server(client, registration, around, cache) as server:
            payload = fill_payload(client.prompt_payload, str(around.root), TEST_PROMPT)
            server.call(registration.event, payload)  # the first one reads the plan
            pairs = [
                (interpreter_start(1), server.call(registration.event, payload)[1])
                for _ in range(runs)
            ]
    else:
        pairs = [
            (interpreter_start(1), send_prompt(client, registration, around, cache).milliseconds)
            for _ in range(runs)
        ]
    starts, times = zip(*pairs, strict=True)
    fastest, start = min(times), min(starts)
    return HookLatency(registration.scope, runs, median(times), max(times), fastest, start)


def interpreter_start(runs: int) -> float:
    """Return the milliseconds that the interpreter alone takes of a canary prompt, to start and
    end, the fastest of ``runs``.
    """
    start = partial(subprocess.run, [sys.executable, "-I", "-S", "-c", "pass"], check=False)
    return 1000 * min(repeat(start, number=1, repeat=runs))


def _hook_environment(client: Client, around: Surroundings, cache: str) -> dict[str, str]:
    """Return the environment of this process without what other clients set, and with what this one
    does.
    """
    theirs = {name for c in CLIENTS.values() for name in (*c.variables, *c.environment)}
    root = str(around.root)
    environment = safe_environment(root, SHARED_PROGRAM)
    environment = {name: value for name, value in environment.items() if name not in theirs}
    own = {name: value.replace("{root}", root) for name, value in client.environment.items()}
    return {**environment, **own, "SYNAPSE_LS_CACHE": cache}


def _parse_reply(code: int, out: bytes, err: bytes) -> tuple[str, str]:
    """Return the text for the model, and what is wrong with the reply."""
    lines = err.decode("utf-8", "replace").strip().splitlines()
    if code != 0:
        return "", lines[-1] if lines else f"it exits with {code}"
    try:
        reply = loads(out.decode("utf-8"))
    except ValueError:
        begin = out[:60].decode("utf-8", "replace").strip()
        return "", f"it writes no JSON: {begin}" if begin else "it writes nothing"
    return _text_in(reply), ""


def _text_in(value: object) -> str:
    """Return what a reply tells the model, in the words of any client."""
    if isinstance(value, dict):
        for key in _TEXT_FIELDS:
            if isinstance(value.get(key), str):
                return str(value[key])
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((text for item in inner if (text := _text_in(item))), "")
