"""The hook server: it answers as the hook does that is started for each event, and is a server that
nothing a client sends can put out of order.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from synapse_ls.__main__ import CONVERSATION
from synapse_ls.hooks.failed_reply import LATE_NOTICE
from synapse_ls.hooks.hook_server import read_lines
from synapse_ls.integrations.hook_commands import TOOL_NAME
from synapse_ls.storage import plan_cache
from synapse_ls.storage.plan_cache import HeldPlans
from synapse_ls.storage.session_store import SessionStore
from synapse_ls.workspace.tree_folders import SESSIONS
from tests.bench.bench_hook import STATE, STATE_TEXT
from tests.hooks.served_hook import PATIENT, ServedHook, said
from tests.trees import TEAM, write_tree

posix = pytest.mark.skipif(sys.platform == "win32", reason="another program takes the place of one")

RULES = ".synapse/global"


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree in which a workflow is in progress, and a cache of the test's own."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return make_tree(tmp_path / "app")


def make_tree(root: Path) -> Path:
    write_tree(root, {**TEAM, STATE: STATE_TEXT.format(phase="in_development")})
    return root


@pytest.fixture
def server(team: Path) -> Iterator[ServedHook]:
    with ServedHook(team) as found:
        yield found


def prompt(root: Path, text: str, session: str = "one", **more: object) -> dict[str, Any]:
    return {"session_id": session, "cwd": str(root), "prompt": text, **more}


def ask_command(root: Path, event: str, payload: dict[str, Any], cache: Path) -> str:
    """What the hook prints that is started for an event."""
    code = f"import sys{PATIENT}hook_command.main(sys.argv[1:], {CONVERSATION!r})"
    done = subprocess.run(
        [sys.executable, "-c", code, "--event", event, "--client", "claude"],
        input=json.dumps({**payload, "hook_event_name": event}).encode(),
        capture_output=True,
        cwd=root,
        env={**os.environ, "SYNAPSE_LS_CACHE": str(cache)},
        timeout=240,
        check=True,
    )
    return done.stdout.decode()


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 240
    while not condition():
        assert time.monotonic() < until, "it has not come to be"
        time.sleep(0.05)


# The same as a command


def spend_tokens(transcript: Path, tokens: int) -> None:
    """Writes a turn that leaves so many tokens in the window."""
    usage = {"input_tokens": 3, "cache_read_input_tokens": tokens, "output_tokens": 50}
    message = {"model": "claude-sonnet-4-5", "usage": usage}
    with transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"type": "assistant", "message": message}) + "\n")


def day_of(root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a day, and between them what the agent does to the tree."""
    transcript = root.parent / "transcript.jsonl"
    common = {"session_id": "one", "cwd": str(root), "transcript_path": str(transcript)}

    def spend(tokens: int) -> None:
        spend_tokens(transcript, tokens)

    def said(text: str, **more: object) -> tuple[str, dict[str, Any]]:
        return "UserPromptSubmit", {**common, "prompt": text, **more}

    def used(
        event: str, tool: str, given: dict[str, Any], **more: object
    ) -> tuple[str, dict[str, Any]]:
        return event, {**common, "tool_name": tool, "tool_input": given, **more}

    def edited(path: str, text: str) -> tuple[str, dict[str, Any]]:
        (root / path).write_text(text, encoding="utf-8")
        given = {"file_path": str(root / path), "content": text}
        return used("PostToolUse", "Write", given, tool_response={"type": "update"})

    read = {"file_path": str(root / "README.md")}
    rules = (root / RULES).read_text(encoding="utf-8")
    yield "SessionStart", {**common, "source": "startup"}
    yield said('@dev Say hello\n\twith "quotes", ${cwd} and ünïcode \U0001f600')
    spend(20_000)
    yield used("PreToolUse", "Read", read)
    yield used("PostToolUse", "Read", read, tool_response={"file": {"content": "{}"}})
    yield said("improve coverage of the readme")
    yield used("PreToolUse", "Bash", {"command": "npm test"})
    yield used("PreToolUse", "Bash", {"command": "cd . && git push"})
    yield used(
        "PostToolUseFailure",
        "Bash",
        {"command": "npm test"},
        error="Exit code 1\nFAIL",
        is_interrupt=False,
    )
    yield used("PostToolUseFailure", "Bash", {"command": "x"}, error="stopped", is_interrupt=True)
    yield edited(STATE, STATE_TEXT.format(phase="qa_review"))
    yield said("go on *brief")
    spend(90_000)
    yield edited(RULES, rules + "GLOBAL_RULE_3=Measure twice\n")
    yield edited(RULES, rules + "GLOBAL_RULE_3\n")  # of which the linter has something to say
    yield said("go on")
    sub = {"agent_id": "a1", "agent_type": "qa"}
    yield "SubagentStart", {**common, **sub}
    yield used("PostToolUse", "Bash", {"command": "ls"}, tool_response="{ not JSON", **sub)
    yield said("go on with it", prompt_id="p1")
    yield said("@qa look at it")
    yield said("the client's own words", source="system")
    transcript.write_text("", encoding="utf-8")
    yield "SessionStart", {**common, "source": "compact"}
    yield said("go on after that")
    yield used("PostToolUse", "Read", read, tool_response={"file": {}})
    yield edited(STATE, STATE_TEXT.format(phase="in_development"))
    yield said("*synapse status")
    yield "SessionEnd", {**common, "reason": "clear"}
    yield said("a new session", session_id="two")


@pytest.mark.timeout(900)  # some forty processes, one after the other
def test_a_whole_day_is_answered_with_the_same_bytes(tmp_path: Path, team: Path) -> None:
    by_command, by_tool = (make_tree(tmp_path / name / "app") for name in ("commands", "server"))
    caches = tmp_path / "commands/cache", tmp_path / "server/cache"
    told = 0
    with ServedHook(by_tool, environment={"SYNAPSE_LS_CACHE": str(caches[1])}) as server:
        for (event, one), (_, other) in zip(day_of(by_command), day_of(by_tool), strict=True):
            wanted = ask_command(by_command, event, one, caches[0])
            if event in server.fields:
                found = server.reply(event, other)
            else:
                found = ask_command(by_tool, event, other, caches[1])
            here = str(by_tool.parent), str(by_command.parent)
            assert found.replace(*here) == wanted, (event, one)
            told += wanted != "{}"
    assert told >= 10
    assert not (caches[1] / "hook.log").exists()


def test_an_untrusted_tree_is_not_served_for_a_user(team: Path) -> None:
    with ServedHook(team, "--scope", "user") as server:
        assert "[GLOBAL]" not in server.reply("UserPromptSubmit", prompt(team, "hello"))


def test_codex_is_answered_in_its_own_dialect(team: Path) -> None:
    with ServedHook(team, client="codex") as server:
        event = {**prompt(team, "hello"), "turn_id": "1", "model": "gpt", "transcript_path": None}
        reply = json.loads(server.reply("UserPromptSubmit", event))
    assert "[GLOBAL]" in reply["hookSpecificOutput"]["additionalContext"]


# A tree that changes


def test_what_has_changed_is_told_with_the_next_event(team: Path, server: ServedHook) -> None:
    assert "Write small functions" in server.reply("UserPromptSubmit", prompt(team, "hello"))
    for number in range(3):
        rules = (team / RULES).read_text(encoding="utf-8")
        (team / RULES).write_text(f"{rules}GLOBAL_RULE_9{number}=Rule {number}\n", encoding="utf-8")
        assert f"Rule {number}" in server.reply("UserPromptSubmit", prompt(team, f"go on {number}"))


def test_a_state_that_changes_back_and_forth_is_told_each_time(
    team: Path, server: ServedHook
) -> None:
    transcript = team.parent / "transcript.jsonl"
    spend_tokens(transcript, 100_000)  # with which the workflow is told
    events = [
        {"session_id": name, "cwd": str(team), "transcript_path": str(transcript)}
        for name in ("one", "two")
    ]
    for event in events:
        told = server.reply("UserPromptSubmit", {**event, "prompt": "hello"})
        assert "PHASE: in_development" in told
    for number in range(6):
        phase = ("qa_review", "in_development")[number % 2]
        (team / STATE).write_text(STATE_TEXT.format(phase=phase), encoding="utf-8")
        for event in events:
            used = {**event, "tool_name": "Read", "tool_input": {"file_path": "x"}}
            assert f"PHASE: {phase}" in server.reply("PostToolUse", used)
            assert server.reply("PostToolUse", used) == "{}"


def test_a_plan_is_made_while_nobody_asks(team: Path, server: ServedHook) -> None:
    server.reply("UserPromptSubmit", prompt(team, "hello"))
    wait_until(
        lambda: (found := plan_cache.read_plan(str(team), "")) is not None and found.is_current()
    )
    rules = (team / RULES).read_text(encoding="utf-8")
    (team / RULES).write_text(rules + "GLOBAL_RULE_9=Rule nine\n", encoding="utf-8")

    def is_prepared() -> bool:
        found = plan_cache.read_plan(str(team), "")
        return found is not None and found.is_current() and found.is_current_for(None)

    wait_until(is_prepared)


def test_a_tree_may_vanish_and_come_back(team: Path, server: ServedHook) -> None:
    assert server.reply("UserPromptSubmit", prompt(team, "hello")) != "{}"
    team.rename(team.with_name("gone"))  # at once: what follows a reply may still be written there
    assert server.reply("UserPromptSubmit", prompt(team, "hello again")) == "{}"
    make_tree(team)
    assert "[GLOBAL]" in server.reply("UserPromptSubmit", prompt(team, "back", session="two"))


# Several at once


def test_several_windows_are_told_their_own(tmp_path: Path, team: Path, server: ServedHook) -> None:
    other = write_tree(tmp_path / "other", {**TEAM, RULES: "GLOBAL_RULE_0=Of the other tree\n"})
    asked = {}
    for number in range(24):
        root = (team, other)[number % 2]
        event = prompt(root, f"hello {number}", session=f"s{number % 6}")
        asked[server.send_event("UserPromptSubmit", event)] = number
    answers = {answer["id"]: said(answer) for answer in (server.read() for _ in asked)}
    for identity, number in asked.items():
        told = answers[identity]
        if number < 6:
            assert ("Of the other tree" in told) is bool(number % 2), number
            assert ("Write small functions" in told) is not bool(number % 2)
        else:
            assert told == "{}"


def test_memory_stays_bounded(tmp_path: Path, team: Path, server: ServedHook) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("there is no /proc here")
    roots = [write_tree(tmp_path / f"tree{n}", TEAM) for n in range(8)]

    def kilobytes() -> int:
        lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

    def work(count: int) -> None:
        for number in range(count):
            event = prompt(roots[number % 8], f"part {number} {'x' * 20_000}", f"s{number % 16}")
            server.reply("UserPromptSubmit", event)

    grown = []
    for _ in range(5):
        before = kilobytes()
        work(100)
        grown.append(kilobytes() - before)
    assert min(grown) < 1_000, grown  # a leak of the prompts alone is 2,000 for each round


def test_garbage_is_collected_though_a_call_always_waits(tmp_path: Path, team: Path) -> None:
    noted = tmp_path / "collections"
    code = f"""{PATIENT}
import gc
collect = gc.collect
def note_collection():
    with open({str(noted)!r}, "a") as file:
        file.write("x")
    return collect()
gc.collect = note_collection
hook_server.COLLECT_EVERY, hook_server.COLLECT_AT_LAST = 1_000_000, 8
"""
    with ServedHook(team, code=code) as server:
        asked = [
            server.send_event("UserPromptSubmit", prompt(team, f"part {n}")) for n in range(40)
        ]
        for _ in asked:
            server.read()
    assert len(noted.read_text()) > 1  # the first is that before the first call


def test_as_many_plans_are_held_as_said() -> None:
    held = HeldPlans(2)
    for name in "abc":
        held.read(name, "")
    assert held.names() == [("b", ""), ("c", "")]


# A server that clients may rely on


def test_its_tool_is_for_the_client_alone(server: ServedHook) -> None:
    (tool,) = server.ask("tools/list")["result"]["tools"]
    assert tool["name"] == TOOL_NAME
    assert tool["_meta"] == {"ui": {"visibility": ["app"]}}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-11-25"])
def test_it_speaks_the_version_of_the_client(server: ServedHook, version: str) -> None:
    found = server.ask("initialize", {"protocolVersion": version})["result"]
    assert found["protocolVersion"] == version
    assert server.ask("initialize", {"protocolVersion": "1"})["result"]["protocolVersion"] > "2025"


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"no JSON", -32700),
        (b"\xff\xfe\x00", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'{"id": 7}', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "prompts/list"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call"}', -32602),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "x"}}', -32602),
        (
            b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": '
            b'{"name": "synapse_hook", "arguments": []}}',
            -32602,
        ),
    ],
)
def test_what_is_no_request_is_an_error_and_it_goes_on(
    server: ServedHook, sent: bytes, code: int
) -> None:
    server.write(sent + b"\n")
    assert server.read()["error"]["code"] == code
    assert server.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    "sent",
    [
        b"\n \n",
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": []}}\n',
        b'{"jsonrpc": "2.0", "method": 3}\n',
        b'{"jsonrpc": "2.0", "id": 9, "result": {}}\n',
    ],
)
def test_what_wants_no_answer_gets_none(server: ServedHook, sent: bytes) -> None:
    server.write(sent)
    assert server.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"hook_event_name": 3, "prompt": [], "cwd": {}},
        {"hook_event_name": "Nonsense"},
        {"hook_event_name": "UserPromptSubmit", "cwd": "\0", "session_id": "../../x"},
        {"hook_event_name": "PreToolUse", "tool_input": '{"command": ' + "[" * 5_000},
    ],
)
def test_an_event_that_says_nothing_is_answered(
    server: ServedHook, arguments: dict[str, Any]
) -> None:
    answer = server.ask("tools/call", {"name": TOOL_NAME, "arguments": arguments})
    assert isinstance(json.loads(said(answer)), dict)


def test_a_long_line_is_left_out() -> None:
    reading, writing = os.pipe()
    lines = b"one\n" + b"x" * 300_000 + b"\ntwo\n"

    def write() -> None:
        os.write(writing, lines[: 1 << 16])
        for at in range(1 << 16, len(lines), 1 << 16):
            os.write(writing, lines[at : at + (1 << 16)])
        os.close(writing)

    Thread(target=write, daemon=True).start()
    never, _ = os.pipe()
    assert list(read_lines(reading, 100_000, never)) == [b"one", b"{", b"two"]
    os.close(reading)


@posix
def test_reading_stops_between_two_lines() -> None:
    (reading, writing), (stopping, stop) = os.pipe(), os.pipe()
    lines = read_lines(reading, 100_000, stopping)
    os.write(writing, b"one\ntw")
    assert next(lines) == b"one"
    os.write(stop, b"x")
    os.write(writing, b"o\n")
    assert next(lines) == b"two"
    os.write(writing, b"three\n")
    assert list(lines) == []
    assert os.read(reading, 100) == b"three\n"


def test_it_answers_a_ping_while_an_event_waits_and_cancels_another(
    team: Path, server: ServedHook
) -> None:
    server.reply("UserPromptSubmit", prompt(team, "hello"))
    store = SessionStore(str(team / SESSIONS))
    with store.transaction("one", cwd=str(team), now=time.time(), timeout=5.0):
        waiting = server.send_event("UserPromptSubmit", prompt(team, "go on"))
        cancelled = server.send_event("UserPromptSubmit", prompt(team, "@qa never"))
        gone = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": cancelled},
        }
        server.write(json.dumps(gone).encode() + b"\n")
        assert server.ask("ping")["result"] == {}
    assert server.read()["id"] == waiting
    assert "@qa" not in server.reply("UserPromptSubmit", prompt(team, "and on"))


def test_it_ends_with_its_client(team: Path) -> None:
    with ServedHook(team) as server:
        server.send_event("UserPromptSubmit", prompt(team, "hello"))
        assert server.process.stdin
        server.process.stdin.close()
        assert "[GLOBAL]" in said(server.read())
        assert server.process.wait(60) == 0


def test_it_ends_when_nobody_reads(team: Path) -> None:
    with ServedHook(team) as server:
        assert server.process.stdout
        server.process.stdout.close()
        server.send("ping")
        assert server.process.wait(60) == 0


LATE = f"""{PATIENT}
import os, signal
from synapse_ls.hooks import boundary_verdict
def hang(*_):
    signal.setitimer(signal.ITIMER_REAL, 1.0)  # its time is over
    os.read(os.pipe()[0], 1)
boundary_verdict.judge_event = hang
"""
LATE_PLAN = f"""{PATIENT}
import os, signal
from synapse_ls.storage import tree_compilation
def hang(*_, **__):
    signal.setitimer(signal.ITIMER_REAL, 0.1)  # its time is over
    os.read(os.pipe()[0], 1)
tree_compilation.compile_tree = hang
"""
NO_TIME = f"""{PATIENT}
hook_server.LEAST_SECONDS = 1000.0  # as if another event had taken it
"""
BROKEN = """
from synapse_ls.hooks import hook_server
from synapse_ls.hooks.events import prompt, tool_before
def fail(*_):
    print("not in the protocol")
    raise SystemExit(3)
tool_before.handle = prompt.handle = fail
main = hook_server.main
"""


def set_mode(root: Path, mode: str) -> None:
    """Sets the guard of a tree."""
    (root / ".synapse/config.toml").write_text(f'[guard]\nmode = "{mode}"\n', encoding="utf-8")


def is_refused(answer: dict[str, Any]) -> bool:
    """Whether the answer to a call is that there was no time for one."""
    return bool(answer.get("error", {}).get("code") == -32000)


PUSH = {"tool_name": "Bash", "tool_input": {"command": "git push"}}


@posix
@pytest.mark.parametrize(("mode", "asks"), [("enforce", True), ("warn", False)])
@pytest.mark.parametrize("code", [LATE, BROKEN])
def test_a_guard_that_fails_asks_where_it_enforces(
    team: Path, mode: str, asks: bool, code: str
) -> None:
    set_mode(team, mode)
    ask_command(team, "UserPromptSubmit", prompt(team, "hello"), team.parent / "cache")
    with ServedHook(team, code=code) as server:
        reply = server.reply("PreToolUse", {"session_id": "one", "cwd": str(team), **PUSH})
        assert ('"permissionDecision":"ask"' in reply) is asks
        told = server.reply("UserPromptSubmit", prompt(team, "hi", session="two"))
        assert ("[GLOBAL]" in told) is (code == LATE)
        assert server.process.poll() is None


@posix
def test_what_waits_behind_an_event_that_hangs_is_refused_and_it_goes_on(team: Path) -> None:
    ask_command(team, "UserPromptSubmit", prompt(team, "hello"), team.parent / "cache")
    with ServedHook(team, code=LATE) as server:
        late = server.send_event("PreToolUse", {"session_id": "one", "cwd": str(team), **PUSH})
        behind = server.send_event("UserPromptSubmit", prompt(team, "behind it", session="two"))
        answers = {answer["id"]: answer for answer in (server.read(), server.read())}
        assert said(answers[late]) == "{}"
        assert LATE_NOTICE in said(answers[behind])
        # Nobody was told anything then, so it is all told now.
        assert "[GLOBAL]" in server.reply("UserPromptSubmit", prompt(team, "hi", session="two"))


@pytest.mark.parametrize(("mode", "asks"), [("enforce", True), ("warn", False)])
def test_a_guard_that_has_never_seen_the_tree_asks_where_it_enforces(
    team: Path, mode: str, asks: bool
) -> None:
    set_mode(team, mode)
    with ServedHook(team, code=LATE_PLAN) as server:
        reply = server.reply("PreToolUse", {"session_id": "one", "cwd": str(team), **PUSH})
    assert ('"permissionDecision":"ask"' in reply) is asks


@posix
@pytest.mark.parametrize("mode", ["enforce", "warn"])
def test_a_tool_that_waits_behind_an_event_that_hangs_is_asked_about_where_it_enforces(
    team: Path, mode: str
) -> None:
    set_mode(team, mode)
    ask_command(team, "UserPromptSubmit", prompt(team, "hello"), team.parent / "cache")
    push = {"session_id": "one", "cwd": str(team), **PUSH}
    with ServedHook(team.parent, code=LATE) as server:
        calls = [server.send_event("PreToolUse", push) for _ in range(2)]
        answers = {answer["id"]: answer for answer in (server.read(), server.read())}
    behind = answers[calls[1]]
    assert is_refused(behind) if mode == "warn" else '"ask"' in said(behind)


@pytest.mark.parametrize("mode", ["enforce", "warn"])
def test_so_is_one_for_which_no_time_is_left(team: Path, mode: str) -> None:
    set_mode(team, mode)
    push = {"session_id": "one", "cwd": str(team), **PUSH}
    with ServedHook(team.parent, code=NO_TIME) as server:
        server.send_event("PreToolUse", push)
        answer = server.read()
        server.send_event("UserPromptSubmit", prompt(team, "hello"))
        assert LATE_NOTICE in said(server.read())
    assert is_refused(answer) if mode == "warn" else '"ask"' in said(answer)


def test_what_goes_wrong_is_a_line_in_the_log_and_no_reply(team: Path, tmp_path: Path) -> None:
    with ServedHook(team, code=BROKEN) as server:
        for number in range(2):
            assert server.reply("UserPromptSubmit", prompt(team, f"hello {number}")) == "{}"
    log = (tmp_path / "cache/hook.log").read_text()
    assert "SystemExit" in log
    assert f"(client claude, event UserPromptSubmit, in {team})" in log


def test_what_counts_for_nothing_in_one_project_counts_in_the_next(
    team: Path, tmp_path: Path
) -> None:
    dotfiles = tmp_path / "dotfiles"
    (dotfiles / ".git").mkdir(parents=True)
    write_tree(dotfiles / "synapse", {"policy.toml": '[guard]\nmode = "enforce"\n'})
    written = {"file_path": str(team / RULES), "content": "x"}
    use = {"session_id": "one", "tool_name": "Write", "tool_input": written}
    environment = {"SYNAPSE_LS_CONFIG": str(dotfiles / "synapse")}
    with ServedHook(team, environment=environment) as server:
        for folder in (dotfiles, team, dotfiles, team):
            said = server.reply("PreToolUse", {**use, "cwd": str(folder)})
        assert '"ask"' in said
