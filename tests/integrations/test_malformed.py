"""Events that no client should send: nothing raises, and the reply is an object."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.hooks import hook_command
from synapse_ls.integrations import client_registry, hook_event
from synapse_ls.text.fast_json import dumps, loads
from tests.forked_programs import run_program
from tests.integrations.recorded import NAMES, recorded
from tests.support import examples
from tests.trees import TEAM, write_tree

SCRIPT = Path(hook_command.__file__).parent.parent / "hook.py"
RECORDED = [
    recorded(name, Path("app"), Path("home")) for name in NAMES if "antigravity" not in name
]
TEXTS = (
    "session_id",
    "cwd",
    "prompt",
    "transcript",
    "turn",
    "agent",
    "subagent",
    "source",
    "model",
)

surrogates = st.text(st.characters(), max_size=20) | st.sampled_from(
    [
        "\ud800",
        "\udfff\ud800",
        "\0",
        "a\0b",
        "\r\n\u2028",
        "../../etc/passwd",
        "file://%",
        "x" * 70_000,
    ]
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | surrogates
    | st.sampled_from([float("inf"), -0.0, 10**400])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(surrogates, inner, max_size=4),
    max_leaves=10,
)


def deep(levels: int) -> Any:
    """Lists in lists in lists …"""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


@st.composite
def mutated(draw: st.DrawFn) -> tuple[Any, list[str], dict[str, str]]:
    """A recorded event with fields that were changed, dropped, renamed and made up."""
    case = draw(st.sampled_from(RECORDED))
    raw = deepcopy(case.stdin)
    for _ in range(draw(st.integers(1, 5))):
        name = draw(st.sampled_from(sorted(raw) or ["x"]))
        change = draw(st.integers(0, 4))
        if change == 0:
            raw[name] = draw(values)
        elif change == 1:
            raw.pop(name, None)
        elif change == 2:
            raw[draw(surrogates)] = raw.pop(name, None)
        elif change == 3:
            raw[name] = deep(draw(st.integers(1, 60)))
        elif isinstance(raw.get(name), dict):
            raw[name] = {key: draw(values) for key in raw[name]}
    return raw, case.arguments, case.environment


@settings(max_examples=examples(1_000), deadline=None)
@given(event=mutated(), told=surrogates)
def test_a_malformed_event_is_answered_with_an_object(
    event: tuple[Any, list[str], dict[str, str]], told: str
) -> None:
    raw, arguments, environment = event
    options = hook_command.parse_options(arguments)
    name = client_registry.detect_client(environment, raw, options.get("client", ""))
    host = client_registry.load_client(name)
    assert host is not None
    parsed = host.parse_event(raw, options.get("event", ""))
    assert isinstance(parsed, hook_event.Event)
    for field in TEXTS:
        value = getattr(parsed, field)
        assert isinstance(value, str)
        value.encode()  # no half of a surrogate pair
    for path in (*parsed.files, *parsed.edited, *parsed.projects):
        assert isinstance(path, str) and path
    assert set(parsed.edited) <= set(parsed.files) or not parsed.files
    for reply in (host.context_reply(parsed, told), host.notice_reply(parsed, told)):
        assert isinstance(reply, dict)
        assert isinstance(json.loads(dumps(reply, indent=None).encode()), dict)
    figures = host.read_usage(parsed)
    assert figures is None or {"used", "reported"} & set(figures)
    branch = host.read_branch(parsed, {"0" * 16})
    assert branch is None or branch.texts == []


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None)
@given(event=mutated())
def test_the_hook_process_answers_a_malformed_event_with_an_object(
    event: tuple[Any, list[str], dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    raw, arguments, environment = event
    root = tmp_path_factory.getbasetemp() / "malformed"
    if not root.exists():
        write_tree(root, TEAM)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT), *arguments, "--root", str(root)],
        input=json.dumps(raw).encode(),
        capture_output=True,
        cwd=root,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(root),
            "SYNAPSE_LS_CACHE": str(root / "cache"),
            **environment,
        },
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert isinstance(loads(done.stdout.decode() or "{}"), dict)


GUARDED = [case for case in RECORDED if case.kind == hook_event.TOOL_BEFORE]
GUARDING = list({case.client: case for case in GUARDED}.values())
"""One event of each client."""
NO_EVENTS = {
    "empty": b"",
    "null": b"null",
    "list": b"[]",
    "cut": b"{",
    "text": b'"x"',
    "bytes": b"\xff\xfe",
    "deep": b"[" * 100_000,
    "half": b'{"tool_input": ',
}


@st.composite
def before(draw: st.DrawFn) -> tuple[Any, list[str], dict[str, str]]:
    """An event before a tool is used, of which something is not as it should be."""
    case = draw(st.sampled_from(GUARDED))
    raw = deepcopy(case.stdin)
    holder = draw(st.sampled_from([raw, *(v for v in raw.values() if isinstance(v, dict) and v)]))
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(sorted(holder) or ["x"]))
        if draw(st.booleans()):
            holder.pop(name, None)
        else:
            holder[name] = draw(values)
    return raw, case.arguments, case.environment


def reply_to(
    event: tuple[Any, list[str], dict[str, str]], root: Path, data: bytes | None = None
) -> dict[str, Any]:
    raw, arguments, environment = event
    done = run_program(
        "hook",
        *arguments,
        "--root",
        str(root),
        stdin=json.dumps(raw).encode() if data is None else data,
        cwd=root,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(root),
            "SYNAPSE_LS_CACHE": str(root / "cache"),
            **environment,
        },
    )
    assert (done.returncode, done.stderr) == (0, b"")
    found: dict[str, Any] = json.loads(done.stdout or b"{}")
    return found


@pytest.fixture(scope="module")
def forbidding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree that forbids one thing that none of the recorded events is about."""
    files = {
        **TEAM,
        ".synapse/config.toml": "[guard]\nmode = 'enforce'\n",
        ".synapse/global": "GLOBAL_DENY_0=frobnicate\nGLOBAL_DENY_1=read never/**\n",
        ".synapse/agent-dev": "",
    }
    return write_tree(tmp_path_factory.mktemp("forbidding"), files)


@pytest.fixture(scope="module")
def warning(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree whose guard warns."""
    files = {**TEAM, ".synapse/config.toml": "[guard]\nmode = 'warn'\n"}
    return write_tree(tmp_path_factory.mktemp("warning"), files)


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(event=before())
def test_what_nobody_can_read_is_no_reason_to_refuse_a_tool(
    event: tuple[Any, list[str], dict[str, str]], forbidding: Path
) -> None:
    reply = json.dumps(reply_to(event, forbidding))
    assert "deny" not in reply or "Nobody can be asked" in reply or "cannot be told" in reply


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "data"),
    [
        *((case, NO_EVENTS["half"]) for case in GUARDING),
        *((GUARDING[0], data) for data in NO_EVENTS.values()),
    ],
    ids=[*(case.client for case in GUARDING), *NO_EVENTS],
)
def test_an_event_that_is_none_is_asked_about_where_the_guard_enforces(
    case: Any, data: bytes, forbidding: Path, warning: Path
) -> None:
    event = (None, [*case.arguments, "--event", case.event["name"]], case.environment)
    assert "The guard failed" in json.dumps(reply_to(event, forbidding, data))
    assert reply_to(event, warning, data) == {}


@pytest.mark.slow
@pytest.mark.parametrize("case", GUARDING, ids=lambda case: case.client)
@pytest.mark.parametrize("mode", ["enforce", "warn"])
def test_a_guard_that_breaks_asks_where_it_enforces(
    case: Any,
    mode: str,
    forbidding: Path,
    warning: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: Any,
) -> None:
    root = forbidding if mode == "enforce" else warning

    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("synapse_ls.hooks.events.tool_before.announced_use", broken)
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(root.parent / "cache"))
    for name, value in case.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(hook_command, "_read_event", lambda _: (case.stdin, None))
    assert hook_command.main([*case.arguments, "--root", str(root)]) == 0
    out = capfd.readouterr().out
    nothing = "" if case.client == "kimi" else "{}"
    assert "The guard failed" in out if mode == "enforce" else out == nothing
    assert "RuntimeError" in (root.parent / "cache" / "hook.log").read_text("utf-8")
