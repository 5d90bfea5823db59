"""Whatever comes in, and whatever the disk does: an answer, the rules where possible, no harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synapse_ls.hooks import hook_command
from synapse_ls.hooks.event_dispatch import HANDLERS, dispatch_event
from synapse_ls.integrations import client_registry, hook_event
from synapse_ls.storage.atomic_files import StorageError
from tests.hooks.hook_clients import Scripted
from tests.support import examples
from tests.trees import TEAM, write_tree

HOOK = Path(hook_command.__file__).parent.parent / "hook.py"
NAMES = (
    "UserPromptSubmit", "SessionStart", "SubagentStart", "PreCompact", "PostCompact",
    "PostToolUse", "Stop", "SessionEnd", "BeforeAgent", "PreInvocation", "beforeSubmitPrompt",
    "userPromptSubmitted", "afterFileEdit", "nonsense", "",
)  # fmt: skip


def run(
    data: bytes, cwd: Path, *arguments: str, before: Callable[[], None] | None = None
) -> dict[str, Any]:
    done = subprocess.run(
        # On a disk that is full, -B: it would leave cut bytecode beside the sources.
        [sys.executable, "-B", "-I", "-S", str(HOOK), *arguments],
        input=data,
        capture_output=True,
        cwd=cwd,
        env={"PATH": os.environ.get("PATH", ""), "SYNAPSE_LS_CACHE": str(cwd.parent / "cache")},
        preexec_fn=before,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    reply: dict[str, Any] = json.loads(done.stdout)
    assert isinstance(reply, dict)
    return reply


posix = pytest.mark.skipif(sys.platform == "win32", reason="for a POSIX system")


def limit(size: int) -> Callable[[], None]:
    """Have a process write no file beyond ``size`` bytes, as on a disk that is full."""

    def apply() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return apply


def prompt(cwd: Path, **fields: object) -> bytes:
    return json.dumps({"session_id": "s", "cwd": str(cwd), "prompt": "hi", **fields}).encode()


def test_an_event_from_a_folder_that_is_not_there_is_logged(tmp_path: Path) -> None:
    here, gone = tmp_path / "here", tmp_path / "gone"
    here.mkdir()
    assert run(prompt(gone), here) == {}
    said = (tmp_path / "cache" / "hook.log").read_text(encoding="utf-8")
    assert said.endswith(f"there is no folder {gone}, so no tree was found\n")


def fingerprint(root: Path) -> str:
    """Of everything in the tree but the sessions."""
    state = sha256()
    for path in sorted(root.rglob("*")):
        if "sessions" not in path.parts and path.is_file() and path.name != ".gitignore":
            state.update(f"{path} {path.stat().st_mtime_ns}".encode() + path.read_bytes())
    return state.hexdigest()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "tree", TEAM)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"null", b"[1]", b"\xff\xfe\x00", b"[" * 100_000, b'"x"'],
    ids=["empty", "cut", "null", "list", "bytes", "deep", "text"],
)  # fmt: skip
def test_an_event_that_cannot_be_read_still_brings_the_rules_of_the_folder(
    data: bytes, root: Path
) -> None:
    reply = run(data, root, "--client", "claude", "--event", "UserPromptSubmit")
    assert "[GLOBAL]" in reply["hookSpecificOutput"]["additionalContext"]
    assert not (root / ".synapse" / "sessions").exists()


def test_ten_megabytes_are_a_prompt_like_any_other(root: Path) -> None:
    data = prompt(root, prompt="coverage " + "x " * 5_000_000)
    reply = run(data, root, "--client", "claude", "--event", "UserPromptSubmit")
    assert "[GLOBAL]" in reply["hookSpecificOutput"]["additionalContext"]


@posix
def test_a_closed_standard_input_is_answered(root: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -I -S "{HOOK}" --event Stop <&-'],
        capture_output=True,
        cwd=root,
        check=True,
    )
    assert json.loads(done.stdout) == {}


@posix
def test_on_a_full_disk_each_prompt_gets_its_rules(root: Path) -> None:
    for _ in range(2):
        reply = run(
            prompt(root), root, "--client", "claude", "--event", "UserPromptSubmit", before=limit(0)
        )
        assert "[GLOBAL]" in reply["hookSpecificOutput"]["additionalContext"]


@posix
def test_a_disk_that_fills_up_loses_no_session(root: Path) -> None:
    run(prompt(root), root, "--client", "claude", "--event", "UserPromptSubmit")
    path = root / ".synapse" / "sessions" / "s.json"
    before = path.read_bytes()

    data = prompt(root, prompt="@dev go on")
    reply = run(data, root, "--client", "claude", "--event", "UserPromptSubmit", before=limit(100))
    assert "[ACTIVE AGENT: @dev]" in reply["hookSpecificOutput"]["additionalContext"]
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir() if p.suffix == ".tmp"] == []


@pytest.mark.parametrize("kind", [hook_event.PROMPT, hook_event.SUBAGENT_START])
def test_sessions_that_cannot_be_written_leave_the_rules(
    kind: str, root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    (root / ".synapse" / "sessions").write_text("in the way")
    client = Scripted(root)
    for _ in range(2):
        replies: list[dict[str, Any]] = []
        event = hook_event.Event(kind, kind, {})
        event.session_id, event.cwd, event.subagent = "s", str(root), ""
        with pytest.raises(StorageError):
            dispatch_event(event, client, replies.append, clock=lambda: 0.0)
        assert "[GLOBAL]" in replies[0]["text"]


@pytest.mark.parametrize("kind", sorted(HANDLERS))
def test_no_event_fails_where_sessions_cannot_be_read(
    kind: str, root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    (root / ".synapse" / "sessions").mkdir()
    (root / ".synapse" / "sessions" / "s.json").mkdir()
    client = Scripted(root)
    client.session = "s"
    client.send(kind, prompt="hi", source="compact")


def test_a_tree_whose_manifest_is_a_folder_is_answered(root: Path) -> None:
    (root / ".synapse" / "manifest").unlink()
    (root / ".synapse" / "manifest").mkdir()
    run(prompt(root), root, "--client", "claude", "--event", "UserPromptSubmit")


@posix
def test_a_working_directory_that_is_gone_is_answered(root: Path) -> None:
    gone = root / "gone"
    gone.mkdir()
    code = f"import os; os.rmdir({str(gone)!r}); import runpy; runpy.run_path({str(HOOK)!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code], input=b"{}", capture_output=True, cwd=gone, check=True
    )
    assert json.loads(done.stdout) == {}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=5,
)
FIELDS = (
    "session_id", "sessionId", "conversation_id", "cwd", "prompt", "source", "trigger", "turn_id",
    "agent_id", "agent_type", "transcript_path", "tool_name", "tool_input", "tool_response",
    "workspace_roots", "workspacePaths", "attachments", "context_usage_percent", "context_tokens",
    "context_window_size", "input_tokens", "model", "file_path", "edits", "hook_event_name",
    "invocationNum", "timestamp", "toolArgs", "toolResult",
)  # fmt: skip
malformed = st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=8), json_values, max_size=8)


@pytest.mark.unregistered_events
@settings(max_examples=examples(1_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    raw=malformed,
    session=st.sampled_from(["s", "", "../../evil", "s" * 300]),
    name=st.sampled_from(NAMES),
    client=st.sampled_from(sorted(client_registry.HOOK_CLIENTS)),
    scope=st.sampled_from(["", "user"]),
)
def test_no_malformed_event_harms_a_tree(
    raw: dict[str, Any],
    session: str,
    name: str,
    client: str,
    scope: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    base = tmp_path_factory.getbasetemp() / "malformed"
    if not base.exists():
        write_tree(base / "tree", TEAM)
    root = base / "tree"
    before = fingerprint(root)
    module = client_registry.load_client(client)
    assert module is not None
    replies: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYNAPSE_LS_CACHE", str(base / "cache"))
        patch.setenv("SYNAPSE_LS_CONFIG", str(base / "config"))
        event = module.parse_event({"session_id": session, **raw}, name)
        dispatch_event(
            event, module, replies.append, root=str(root), scope=scope, clock=lambda: 1.8e9
        )
    (reply,) = replies
    json.loads(json.dumps(reply))
    assert fingerprint(root) == before
    assert not list(base.parent.glob("evil*"))
