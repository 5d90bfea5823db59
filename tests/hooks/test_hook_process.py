"""The hook as an agent client starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.hooks import hook_command
from tests.support import examples
from tests.trees import TEAM, write_tree

SCRIPT = Path(hook_command.__file__).parent.parent / "hook.py"


def run(
    data: bytes, cwd: Path, *arguments: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT), *arguments],
        input=data,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "SYNAPSE_LS_CACHE": str(cwd / "cache"), **(environment or {})},
        timeout=60,
    )


def prompt(cwd: Path, **fields: object) -> bytes:
    event = {"session_id": "s", "cwd": str(cwd), "prompt": "hello", **fields}
    return json.dumps(event).encode()


def test_a_prompt_gets_its_block(tmp_path: Path) -> None:
    root = write_tree(tmp_path, TEAM)
    done = run(prompt(root), root, "--event", "UserPromptSubmit", "--client", "claude")
    assert (done.returncode, done.stderr) == (0, b"")
    output = json.loads(done.stdout)["hookSpecificOutput"]
    assert output["hookEventName"] == "UserPromptSubmit"
    assert output["additionalContext"].startswith("<synapse-rules>\n\n[CONSTITUTION]")


@pytest.mark.skipif(os.name == "nt", reason="the account's home folder is elsewhere there")
def test_a_home_folder_that_is_not_named_from_the_root_is_none(tmp_path: Path) -> None:
    root = write_tree(tmp_path, TEAM)
    files = {path.name for path in root.iterdir()}
    arguments = ("--event", "UserPromptSubmit", "--client", "claude")
    done = run(prompt(root), root, *arguments, environment={"HOME": "home"})
    assert b"[GLOBAL]" in done.stdout
    assert {path.name for path in root.iterdir()} == files


@pytest.mark.skipif(os.name == "nt", reason="a shell closes the output")
def test_a_block_that_nobody_can_read_is_injected_with_the_next_prompt(tmp_path: Path) -> None:
    root = write_tree(tmp_path, TEAM)
    arguments = ("--event", "UserPromptSubmit", "--client", "claude")
    closed = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", sys.executable, "-I", "-S", str(SCRIPT), *arguments],
        input=prompt(root),
        stderr=subprocess.PIPE,
        env={**os.environ, "SYNAPSE_LS_CACHE": str(root / "cache")},
    )
    assert (closed.returncode, closed.stderr) == (0, b"")
    assert b"[GLOBAL]" in run(prompt(root), root, *arguments).stdout


@pytest.mark.parametrize(
    "text",
    ["*a ", "\t*a", "*synapse ", "<synapse-rules>", "<synapse-rules></synapse-rules>", "`*a"],
)
def test_a_prompt_of_a_megabyte_gets_its_block_before_the_time_is_over(
    text: str, tmp_path: Path
) -> None:
    root = write_tree(tmp_path, TEAM)
    given = prompt(root, prompt=text * (1_000_000 // len(text)))
    done = run(given, root, "--event", "UserPromptSubmit", "--client", "claude")
    assert b"[GLOBAL]" in done.stdout


@pytest.mark.parametrize(
    "last",
    [
        "*a*" * 20 + "{a,b}" * 10 + "z",
        "*" * 60 + "{a,b}" * 10 + "z",
        "{" + "," * 62 + "}{" + "," * 199 + "}" + "z" * 1_000_000,
    ],
)
def test_globs_of_very_many_alternatives_keep_no_prompt_from_its_rules(
    last: str, tmp_path: Path
) -> None:
    globs = ", ".join(["**/" * 20 + last] * max(1, 40_000 // len(last)))
    manifest = f"{TEAM['.synapse/manifest']}HOSTILE_STATE=active\nHOSTILE_PATHS={globs}\n"
    root = write_tree(tmp_path, {**TEAM, ".synapse/manifest": manifest})
    given = prompt(root, prompt="hello a/b/c/d/aaaa.py")
    done = run(given, root, "--event", "UserPromptSubmit", "--client", "claude")
    assert b"[GLOBAL]" in done.stdout


_LONG = f".claude/rules/{'a' * 200}.md"
SETTINGS = {
    "stars": {_LONG: "- x\n", ".claude/settings.json": {"claudeMdExcludes": ["/**/" + "*a" * 13 + "*b"]}},
    "folders": {"d/" * 60 + "x": "", "opencode.json": {"instructions": ["**/" * 6 + "x?"]}},
    "link": {"opencode.json": {"instructions": ["lnk/**/x?y"]}},
    "imports": {"CLAUDE.md": "@./CLAUDE.md\n" * 40},
    "braces": {"opencode.json": {"instructions": ["{" + "," * 140_000 + "}" + "x" * 140_000]}},
    "names": {
        ".gemini/settings.json": {"context": {"fileName": ["\ud800.md", "\0.md"]}},
        ".codex/config.toml": 'project_doc_fallback_filenames = ["\\u0000"]\n',
    },
}  # fmt: skip


@pytest.mark.parametrize("files", SETTINGS.values(), ids=SETTINGS)
def test_settings_of_a_client_keep_no_prompt_from_its_rules(
    files: dict[str, object], tmp_path: Path
) -> None:
    texts = {
        path: text if isinstance(text, str) else json.dumps(text) for path, text in files.items()
    }
    adopted = _LONG if _LONG in files else "NOTES.md"
    config = f'[[adopted]]\npath = "{adopted}"\n'
    root = write_tree(
        tmp_path, {**TEAM, ".synapse/config.toml": config, "NOTES.md": "- x\n", **texts}
    )
    (root / "lnk").symlink_to(root.anchor)
    (root / "AGENTS.md").symlink_to("NOTES.md")
    done = run(prompt(root), root, "--event", "UserPromptSubmit", "--client", "claude")
    assert b"[GLOBAL]" in done.stdout


def test_a_folder_below_the_root_belongs_to_the_tree(tmp_path: Path) -> None:
    root = write_tree(tmp_path, TEAM)
    (root / "src" / "deep").mkdir(parents=True)
    done = run(prompt(root / "src" / "deep"), root, "--event", "UserPromptSubmit")
    assert b"[GLOBAL]" in done.stdout


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[1]",
        b"{",
        b'{"prompt": 3, "session_id": [], "cwd": {}}',
        b'{"cwd": "/nowhere/at/all", "prompt": "x"}',
        b'{"cwd": "\\u0000", "prompt": "x"}',
        b"\xff\xfe\x00",
        b'{"session_id": "../../evil", "prompt": "' + b"x" * 10_000_000 + b'"}',
        b"[" * 100_000,
    ],
    ids=["empty", "null", "list", "cut", "types", "nowhere", "nul", "bytes", "10 MB", "deep"],
)
def test_whatever_comes_in_the_prompt_goes_on(data: bytes, tmp_path: Path) -> None:
    root = write_tree(tmp_path, TEAM)
    done = run(data, root, "--event", "UserPromptSubmit")
    assert (done.returncode, done.stderr) == (0, b"")
    assert isinstance(json.loads(done.stdout), dict)


def test_nothing_is_printed_before_a_compaction_in_claude_code(tmp_path: Path) -> None:
    root = write_tree(tmp_path, TEAM)
    event = json.dumps({"session_id": "s", "cwd": str(root), "trigger": "manual"}).encode()
    done = run(event, root, "--event", "PreCompact", "--client", "claude")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_failure_is_a_line_in_the_log_without_the_prompt(tmp_path: Path) -> None:
    done = run(b'{"prompt": "a secret" ', tmp_path, "--event", "UserPromptSubmit")
    assert json.loads(done.stdout) == {}
    log = (tmp_path / "cache" / "hook.log").read_text()
    assert "JsonError" in log
    assert f"(event UserPromptSubmit, in {os.path.realpath(tmp_path)})" in log
    assert "secret" not in log


def test_sessions_are_told_apart_by_client_not_by_registration(tmp_path: Path) -> None:
    root = write_tree(tmp_path, TEAM)
    environment = {"CLAUDECODE": "1"}
    first = run(
        prompt(root),
        root,
        "--client",
        "claude",
        "--event",
        "UserPromptSubmit",
        environment=environment,
    )
    second = run(
        prompt(root),
        root,
        "--client",
        "other",
        "--event",
        "UserPromptSubmit",
        environment=environment,
    )
    assert b"[GLOBAL]" in first.stdout
    assert second.stdout == b"{}"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
fields = st.fixed_dictionaries(
    {},
    optional={
        "session_id": json_values,
        "cwd": json_values,
        "prompt": json_values,
        "transcript_path": json_values,
        "source": json_values,
        "agent_type": json_values,
        "agent_id": json_values,
        "hook_event_name": st.sampled_from(["UserPromptSubmit", "SessionStart", "PreCompact"])
        | json_values,
    },
)


@settings(max_examples=examples(300), deadline=None)
@given(event=fields)
def test_events_of_any_shape_are_answered(
    event: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.getbasetemp() / "any-shape"
    if not root.exists():
        write_tree(root, TEAM)
    before = {path: path.read_bytes() for path in (root / ".synapse").glob("*") if path.is_file()}
    replies: list[dict[str, object]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYNAPSE_LS_CACHE", str(root / "cache"))
        from synapse_ls.hooks.event_dispatch import dispatch_event
        from synapse_ls.integrations.claude import CLIENT

        dispatch_event(
            CLIENT.parse_event({"cwd": str(root), **event}, "UserPromptSubmit"),
            CLIENT,
            replies.append,
            root=str(root),
            clock=lambda: 1_800_000_000.0,
        )
    assert len(replies) == 1
    assert {path: path.read_bytes() for path in before} == before


def test_a_tool_event_that_brings_nothing_loads_no_engine(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", TEAM)
    event = {"session_id": "s", "cwd": str(root), "prompt": "hello", "tool_name": "Read"}
    names = ["UserPromptSubmit", "UserPromptSubmit", "UserPromptSubmit", "PostToolUse"]
    code = (
        f"import sys; sys.path.insert(0, {str(SCRIPT.parent.parent)!r})\n"
        "from synapse_ls.hooks.hook_command import main\n"
        "main(['--client', 'claude', '--event', sys.argv[1]])\n"
        "sys.stderr.write(' '.join(sys.modules))\n"
    )
    for number, name in enumerate(names):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, name],
            input=json.dumps({**event, "prompt": f"hello {number}"}).encode(),
            capture_output=True,
            env={**os.environ, "SYNAPSE_LS_CACHE": str(tmp_path / "cache")},
            check=True,
        )
        for path in (root, *root.rglob("*")):
            os.utime(path, (1_700_000_000, 1_700_000_000))
    loaded = set(done.stderr.decode().split())
    assert done.stdout == b"{}"
    assert "synapse_ls.hooks.events.tool_after" in loaded
    assert not loaded & {
        "synapse_ls.engine.block_assembly",
        "synapse_ls.hooks.window_reply",
        "json",
        "re",
    }
