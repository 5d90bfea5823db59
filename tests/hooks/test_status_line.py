"""The status line of Claude Code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.hooks import status_line as statusline
from synapse_ls.hooks.status_line import build_status_line, short_tokens, status_figures
from tests.hooks.hook_clients import Claude
from tests.integrations.transcripts.claude_records import answer
from tests.integrations.transcripts.support import written
from tests.support import examples
from tests.test_house import HOOK_STDLIB
from tests.trees import TEAM, write_tree

SCRIPT = Path(statusline.__file__).parent.parent / "statusline.py"
CURRENT = {
    "input_tokens": 1_000,
    "cache_creation_input_tokens": 9_000,
    "cache_read_input_tokens": 370_000,
    "output_tokens": 900,
}


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    """A session in a tree that has had one prompt."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    found = Claude(write_tree(tmp_path / "tree", TEAM))
    found.prompt("Hello there")
    return found


def status(client: Claude, window: int = 1_000_000, **more: Any) -> dict[str, Any]:
    return {
        "session_id": client.session,
        "cwd": str(client.root),
        "workspace": {"project_dir": str(client.root)},
        "model": {"id": "claude-opus-5[1m]", "display_name": "Opus"},
        "context_window": {"context_window_size": window, "current_usage": CURRENT, **more},
    }


def shown(state: dict[str, Any], **options: Any) -> str:
    return build_status_line(json.dumps(state).encode(), **options)


def note(client: Claude) -> object:
    return client.document()["context"].get("status_line")


def run(data: bytes, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT), *arguments],
        input=data,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "SYNAPSE_LS_CACHE": str(cwd / "cache"), "NO_COLOR": "1"},
        timeout=60,
    )


def test_the_line_has_bracket_window_and_what_the_next_prompt_brings(client: Claude) -> None:
    little = status(client, current_usage={"input_tokens": 20_000})
    assert shown(little) == "FRESH 98% left of 1M · rules up to date"
    client.prompt("go on")
    due = shown(status(client))  # the rules are told again each quarter of the window
    assert due.startswith("FRESH 62% left of 1M · next prompt +")


def test_the_active_agent_is_named(client: Claude) -> None:
    client.prompt("@dev go on")
    assert "· @dev ·" in shown(status(client))


def test_a_session_that_has_not_begun_gets_the_full_block_next(client: Claude) -> None:
    line = shown({**status(client), "session_id": "another"})
    assert line.startswith("FRESH 62% left of 1M · next prompt +")
    assert not (client.root / ".synapse/sessions/another.json").exists()


def test_the_bracket_has_a_colour(client: Claude) -> None:
    assert shown(status(client), color=True).startswith("\x1b[32mFRESH\x1b[0m 62%")
    late = shown(status(client, 400_000), color=True)
    assert late.startswith("\x1b[31mCRITICAL\x1b[0m 5%")


def test_the_next_hook_finds_the_window_that_the_line_was_told(client: Claude) -> None:
    shown(status(client))
    assert note(client) == {
        "used": 380_000,
        "window": 1_000_000,
        "model": "claude-opus-5[1m]",
        "compactions": 0,
    }
    client.prompt("Go on")
    context = client.document()["context"]
    assert (context["last_tokens_used"], context["last_context_percent"]) == (380_000, 62.0)


def test_small_changes_are_not_written(client: Claude) -> None:
    shown(status(client))
    path = client.root / ".synapse/sessions" / f"{client.session}.json"
    before = path.stat().st_mtime_ns, path.read_bytes()
    more = {**CURRENT, "input_tokens": 1_900}
    shown(status(client, current_usage=more))
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before
    more["input_tokens"] = 90_000
    shown(status(client, current_usage=more))
    assert path.read_bytes() != before[1]


def test_a_session_under_a_hook_is_left_alone(
    client: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    from synapse_ls.storage.session_store import SessionStore

    monkeypatch.setattr(statusline, "LOCK_SECONDS", 0.01)
    store = SessionStore(str(client.root / ".synapse/sessions"))
    with store.transaction(client.session, cwd="", now=client.now):
        assert shown(status(client)).startswith("FRESH 62%")
    assert note(client) is None


def test_right_after_a_compaction_the_line_does_not_pretend_to_know(client: Claude) -> None:
    assert shown(status(client, current_usage=None)).startswith("FRESH about 99% left ·")


def test_a_percentage_will_do(client: Claude) -> None:
    line = shown(status(client, current_usage=None, used_percentage=75))
    assert line.startswith("DEPLETED 25% left of 1M")


def test_a_version_that_does_not_tell_the_window_is_asked_by_its_transcript(
    client: Claude, tmp_path: Path
) -> None:
    state = status(client)
    del state["context_window"]
    state["transcript_path"] = written(tmp_path, answer(50_000, model="claude-opus-4-5"))
    state["model"] = {"id": "claude-opus-4-5"}
    assert shown(state).startswith("FRESH 75% left of 200K")
    assert note(client) is None


def test_without_a_tree_the_share_is_shown(tmp_path: Path) -> None:
    state: dict[str, Any] = {
        "cwd": str(tmp_path),
        "context_window": {"context_window_size": 200_000, "used_percentage": 38.4},
    }
    assert shown(state) == "62% left of 200K"
    assert shown({"cwd": str(tmp_path)}) == "synapse: no tree here"


@pytest.mark.parametrize(
    ("tokens", "text"),
    [(200_000, "200K"), (1_000_000, "1M"), (1_048_576, "1.05M"), (258_400, "258K"), (900, "900")],
)
def test_windows_are_short(tokens: int, text: str) -> None:
    assert short_tokens(tokens) == text


@pytest.mark.parametrize("data", [b"", b"[1]", b"{", b"\xff\x00", b'{"context_window": 3}'])
def test_whatever_comes_in_there_is_a_line(data: bytes, tmp_path: Path) -> None:
    done = run(data, tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"synapse: no ") and done.stdout.count(b"\n") == 1


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["context_window_size", "current_usage", "used_percentage", "input_tokens", "id"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["context_window", "model", "cwd"]), ANY))
@settings(max_examples=examples(100))
def test_no_status_is_too_odd_for_figures(state: dict[str, Any]) -> None:
    figures = status_figures(state)
    used = figures.get("used")
    assert used is None or isinstance(used, int)


def test_the_line_loads_no_more_than_a_hook(client: Claude) -> None:
    code = (
        "import sys; bare = set(sys.modules)\n"
        f"sys.path.insert(0, {str(SCRIPT.parent.parent)!r})\n"
        "from synapse_ls.hooks.status_line import main; main([])\n"
        "sys.stderr.write(' '.join({n.partition('.')[0] for n in sys.modules} - bare))"
    )
    for path in client.root.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))  # long enough ago to be kept in the cache
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code],
            input=json.dumps(status(client)).encode(),
            capture_output=True,
        )
    assert b"FRESH" in done.stdout
    assert set(done.stderr.decode().split()) - {"synapse_ls"} <= HOOK_STDLIB


posix = pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")


@posix
def test_another_status_line_gets_the_same_input_and_keeps_its_place(tmp_path: Path) -> None:
    state = {"context_window": {"context_window_size": 200_000, "used_percentage": 38}}
    done = run(json.dumps(state).encode(), tmp_path, "--then", "wc -c; echo 'my own'")
    lines = done.stdout.decode().splitlines()
    assert [lines[0].strip(), *lines[1:]] == [
        str(len(json.dumps(state))),
        "my own",
        "62% left of 200K",
    ]


@posix
@pytest.mark.parametrize(
    "command", ["exit 3", "no-such-command-here 2>/dev/null", "cat >/dev/null"]
)
def test_another_status_line_that_fails_takes_nothing_away(command: str, tmp_path: Path) -> None:
    done = run(b'{"context_window": {}}', tmp_path, f"--then={command}")
    assert (done.returncode, done.stdout) == (0, b"synapse: no tree here\n")


@posix
def test_another_status_line_that_hangs_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statusline, "THEN_SECONDS", 0.05)
    other = subprocess.Popen(["sleep", "600"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert statusline._other_lines(other, b"{}") == []
    assert other.wait(timeout=120) != 0
