"""No argument of a tool, however it is spelled or what else stands beside it, hides what is done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synapse_ls.integrations.client_registry import load_client
from synapse_ls.storage import audit_log
from synapse_ls.workspace.user_folders import audit_folder
from tests.hooks.hook_clients import Claude
from tests.trees import write_tree

STORY = "# Story\n\n## Acceptance Criteria\n\nIt works\n\n## QA Results\n\nNone yet.\n"
STORY_PATH = "docs/stories/1.1.story.md"
RULES = ".synapse/global"
BEGIN, END = "*** Begin Patch", "*** End Patch"
PATCH_OF_ANOTHER = f"{BEGIN}\n*** Add File: src/x\n+x\n{END}"
FILES = {
    ".synapse/manifest": "GLOBAL_STATE=active\nGLOBAL_ALWAYS_ON=true\n",
    RULES: (
        "GLOBAL_DENY_0=read .env\nGLOBAL_DENY_1=write docs/keep.md\nGLOBAL_DENY_2=git push\n"
        'GLOBAL_DENY_3=write docs/stories/*.md outside "QA Results"\n'
        "GLOBAL_DENY_4=write !docs/** !src/** !.synapse/**\n"
    ),
    ".synapse/config.toml": "[guard]\nmode = 'enforce'\n[audit]\nenabled = true\n",
    STORY_PATH: STORY,
}


def judged(root: Path, client: str, tool: str, arguments: object) -> str:
    """What becomes of a tool in enforce mode: allow, ask or deny; a client that cannot ask denies."""
    host = load_client(client)
    assert host is not None
    agent = Claude(write_tree(root, FILES), host=host)
    name = {"gemini": "BeforeTool", "cursor": "preToolUse", "copilot": "preToolUse"}.get(client)
    if client == "copilot":
        fields = {"toolName": tool, "toolArgs": arguments}
    else:
        fields = {"tool_name": tool, "tool_input": arguments, "workspace_roots": [str(root)]}
    reply = json.dumps(agent.send(name or "PreToolUse", **fields))
    marks = {"deny": "deny", "block": "deny", "ask": "ask"}
    return next((verdict for mark, verdict in marks.items() if f'"{mark}"' in reply), "allow")


HEADERS = [
    f" {BEGIN}\n *** Add File: PATH\n+x\n {END}",
    f"{BEGIN}\n  *** Delete File: PATH\n{END}",
    f"{BEGIN}\n\t*** Update File: PATH\n@@\n-a\n+b\n{END}",
    f"{BEGIN}\n*** Add File:PATH\n+x\n{END}",
    f"{BEGIN}\n*** Delete File:\tPATH\n{END}",
    f"{BEGIN}\n*** add file: PATH\n+x\n{END}",
    f"{BEGIN}\n*** Add File: \ufeffPATH\n+x\n{END}",
    f"{BEGIN}\r\n*** Add File: PATH\r\n+x\r\n{END}",
    f"{BEGIN}\n*** Add File: docs\x0c/../PATH\n+x\n{END}",
    f"{BEGIN}\n*** Add File: docs\u2028/../PATH\n+x\n{END}",
    f"{BEGIN}\n*** Update File: src/x\n *** Move to: PATH\n@@\n-a\n+b\n{END}",
    "\n" * 210 + f"{BEGIN}\n*** Add File: PATH\n+x\n{END}",
    "x" * 201 + f"\n{BEGIN}\n*** Add File: PATH\n+x\n{END}",
]
PATCH_FIELDS = [("codex", "command"), ("opencode", "patchText"), ("vscode", "input")]


@pytest.mark.parametrize("text", HEADERS)
@pytest.mark.parametrize(("client", "field"), PATCH_FIELDS)
@pytest.mark.parametrize("path", [RULES, "docs/keep.md"])
def test_a_header_of_a_patch_is_read_as_leniently_as_clients_do(
    path: str, client: str, field: str, text: str, tmp_path: Path
) -> None:
    given = {field: text.replace("PATH", path)}
    assert judged(tmp_path, client, "apply_patch", given) != "allow"


def test_what_a_patch_adds_is_no_header(tmp_path: Path) -> None:
    lines = ("+*** Add File: .synapse/x", "--- a comment", "*** End of File")
    text = "\n".join((BEGIN, "*** Update File: docs/x.sql", "@@", *lines, END))
    assert judged(tmp_path, "opencode", "apply_patch", {"patchText": text}) == "allow"


@pytest.mark.parametrize(
    ("client", "tool", "arguments"),
    [
        ("codex", "apply_patch", {"command": f"{BEGIN}\n*** Rename File: a\n{END}"}),
        ("codex", "apply_patch", {"command": ""}),
        ("codex", "apply_patch", {"command": "no patch", "path": "src/x"}),
        ("vscode", "apply_patch", {"patch_to_apply": PATCH_OF_ANOTHER}),
        ("claude", "Write", {"file": RULES, "content": "x"}),
        ("claude", "Write", {"file_path": [RULES], "content": "x"}),
        ("kimi", "StrReplaceFile", {"path": RULES, "edit": {"old": "a", "new": "b"}}),
    ],
)
def test_a_change_whose_file_cannot_be_told_is_asked_about(
    client: str, tool: str, arguments: object, tmp_path: Path
) -> None:
    assert judged(tmp_path, client, tool, arguments) != "allow"


def test_a_tool_of_an_mcp_server_may_have_nothing_to_do_with_files(tmp_path: Path) -> None:
    assert judged(tmp_path, "claude", "mcp__tracker__create", {"title": "x"}) == "allow"


FILE_TOOLS = [
    ("claude", "Write", "file_path"),
    ("gemini", "write_file", "file_path"),
    ("vscode", "create_file", "filePath"),
    ("cursor", "Write", "path"),
    ("opencode", "write", "filePath"),
    ("cline", "editor", "path"),
    ("claude", "mcp__filesystem__write_file", "path"),
    ("cursor", "Delete", "path"),
]
BESIDE_A_FILE: list[dict[str, object]] = [
    {"command": "view"},
    {"patch": PATCH_OF_ANOTHER},
    {"input": PATCH_OF_ANOTHER},
    {"command": "ls"},
    {"cwd": "/tmp"},
    {"TargetFile": "src/x"},
    {"files": ["src/x"]},
]


@pytest.mark.parametrize("beside", BESIDE_A_FILE)
@pytest.mark.parametrize(("client", "tool", "field"), FILE_TOOLS)
def test_nothing_beside_the_file_that_is_written_hides_it(
    client: str, tool: str, field: str, beside: dict[str, object], tmp_path: Path
) -> None:
    for path in (RULES, "docs/keep.md"):
        given = {**beside, field: str(tmp_path / path), "content": "x"}
        assert judged(tmp_path, client, tool, given) != "allow"


@pytest.mark.parametrize("beside", BESIDE_A_FILE)
@pytest.mark.parametrize(
    ("client", "tool", "field"),
    [
        ("claude", "Read", "file_path"),
        ("cursor", "Read", "path"),
        ("gemini", "read_file", "file_path"),
        ("vscode", "read_file", "filePath"),
        ("claude", "Grep", "path"),
        ("gemini", "search_file_content", "path"),
        ("opencode", "grep", "path"),
        ("vscode", "grep_search", "path"),
        ("claude", "mcp__filesystem__read_text_file", "path"),
        ("claude", "mcp__filesystem__move_file", "source"),
    ],
)
def test_nothing_beside_the_file_that_is_read_hides_it(
    client: str, tool: str, field: str, beside: dict[str, object], tmp_path: Path
) -> None:
    given = {**beside, field: str(tmp_path / ".env"), "pattern": "."}
    assert judged(tmp_path, client, tool, given) == "deny"


@pytest.mark.parametrize(
    ("client", "tool", "given"),
    [
        ("claude", "Grep", {"glob": ".env"}),
        ("claude", "Grep", {"glob": "*.ts,.env", "path": "."}),
        ("gemini", "search_file_content", {"include": ".env"}),
        ("vscode", "grep_search", {"includePattern": ".env"}),
    ],
)
def test_a_search_reads_the_files_whose_name_it_is_given(
    client: str, tool: str, given: dict[str, str], tmp_path: Path
) -> None:
    assert judged(tmp_path, client, tool, {**given, "pattern": "."}) == "deny"
    others = {field: value.replace(".env", "!.env") for field, value in given.items()}
    assert judged(tmp_path, client, tool, {**others, "pattern": "."}) == "allow"


COMMAND_TOOLS = [
    ("claude", "Bash", "command"),
    ("gemini", "run_shell_command", "command"),
    ("vscode", "run_in_terminal", "command"),
    ("codex", "exec_command", "cmd"),
    ("codex", "shell", "command"),
    ("codex", "write_stdin", "chars"),
    ("copilot", "write_bash", "input"),
    ("claude", "mcp__x__shell_exec", "command"),
]
BESIDE_A_COMMAND: list[dict[str, object]] = [
    {"command": "ls"},
    {"command": "cat <<'E'"},
    {"cmd": "ls"},
    {"argv": ["ls"]},
    {"patch": PATCH_OF_ANOTHER},
    {"file_path": "src/x"},
    {"args": ["x"]},
]


@pytest.mark.parametrize("beside", BESIDE_A_COMMAND)
@pytest.mark.parametrize(("client", "tool", "field"), COMMAND_TOOLS)
def test_nothing_beside_a_command_hides_it(
    client: str, tool: str, field: str, beside: dict[str, object], tmp_path: Path
) -> None:
    for given in ({**beside, field: "git push"}, {field: "git push", **beside}):
        if given[field] == "git push":
            assert judged(tmp_path, client, tool, given) == "deny"


@pytest.mark.parametrize(
    ("client", "tool", "arguments"),
    [
        ("vscode", "create_and_run_task", {"task": {"type": "shell", "command": "git push"}}),
        ("vscode", "create_and_run_task", {"task": {"command": "git", "args": ["push"]}}),
        ("claude", "mcp__x__exec", {"command": "git", "args": ["push"]}),
        ("claude", "mcp__x__exec", {"program": "git", "args": ["push"]}),
        ("claude", "mcp__x__exec", {"argv": ["git", "push"]}),
        ("claude", "mcp__x__run_command", {"commands": ["ls", "git push"]}),
        ("copilot", "bash", json.dumps({"command": "git push", "description": BEGIN})),
        ("codex", "shell", "git push"),
    ],
)
def test_a_command_is_read_wherever_it_stands(
    client: str, tool: str, arguments: object, tmp_path: Path
) -> None:
    assert judged(tmp_path, client, tool, arguments) == "deny"


@pytest.mark.parametrize(
    ("client", "tool", "arguments"),
    [
        ("claude", "Bash", {"cwd": "/tmp"}),
        ("claude", "Bash", {"workdir": "/tmp"}),
        ("claude", "Bash", {"": "/tmp", "workdir": "/tmp"}),
        ("gemini", "run_shell_command", {"workdir": "/tmp"}),
        ("gemini", "run_shell_command", {"dir_path": ".", "cwd": "/tmp"}),
        ("vscode", "run_in_terminal", {"cwd": "/tmp"}),
        ("copilot", "bash", {"workdir": "/tmp"}),
    ],
)
def test_a_folder_that_the_client_does_not_look_at_hides_nothing(
    client: str, tool: str, arguments: dict[str, object], tmp_path: Path
) -> None:
    given = {"command": f"rm {RULES}", **arguments}
    assert judged(tmp_path, client, tool, given) != "allow"


@pytest.mark.parametrize(
    ("client", "tool", "field"),
    [
        ("codex", "shell", "workdir"),
        ("opencode", "bash", "workdir"),
        ("gemini", "run_shell_command", "dir_path"),
        ("kimi", "Bash", "cwd"),
    ],
)
def test_the_folder_that_the_client_looks_at_counts(
    client: str, tool: str, field: str, tmp_path: Path
) -> None:
    for folder, verdict in (("docs", "allow"), ("lib", "deny")):
        given = {"command": "touch new.md", field: str(tmp_path / folder)}
        assert judged(tmp_path, client, tool, given) == verdict


INSIDE = {"old_string": "None yet.", "new_string": "PASS"}
OUTSIDE = {"old_string": "It works", "new_string": "x"}
PATCH_INSIDE = f"{BEGIN}\n*** Update File: {STORY_PATH}\n@@\n-None yet.\n+PASS\n{END}"
PATCH_OUTSIDE = PATCH_INSIDE.replace("None yet.", "It works")


@pytest.mark.parametrize(
    ("client", "tool", "arguments"),
    [
        ("claude", "Write", {"content": "all else", **INSIDE}),
        ("gemini", "write_file", {"content": "all else", **INSIDE}),
        ("vscode", "create_file", {"content": "all else", "edits": []}),
        ("claude", "Write", {"content": STORY.replace("None", "Not"), "contents": "all else"}),
        ("claude", "Write", INSIDE),
        ("vscode", "replace_string_in_file", {"oldString": "It works", "newString": "x", **INSIDE}),
        ("gemini", "replace", {**OUTSIDE, "edits": []}),
        ("claude", "Edit", {**OUTSIDE, "patch": PATCH_INSIDE}),
        ("claude", "MultiEdit", {"edits": [OUTSIDE], "patch": PATCH_INSIDE}),
        ("claude", "MultiEdit", {"edits": [OUTSIDE], "replacements": [INSIDE]}),
        ("claude", "MultiEdit", {"edits": [{**INSIDE, "content": "all else"}]}),
        ("codex", "apply_patch", {"command": PATCH_OUTSIDE, "patch": PATCH_INSIDE}),
        ("claude", "Write", {"CodeContent": STORY, "EmptyFile": True}),
    ],
)
def test_with_fields_of_several_kinds_nobody_can_tell_which_section_is_changed(
    client: str, tool: str, arguments: dict[str, object], tmp_path: Path
) -> None:
    field = "filePath" if client == "vscode" else "file_path"
    given = {**arguments, field: str(tmp_path / STORY_PATH)}
    assert judged(tmp_path, client, tool, given) != "allow"


def test_the_patch_of_an_allowed_section_passes(tmp_path: Path) -> None:
    for client, field in PATCH_FIELDS:
        assert judged(tmp_path, client, "apply_patch", {field: PATCH_INSIDE}) == "allow"
        assert judged(tmp_path, client, "apply_patch", {field: PATCH_OUTSIDE}) == "deny"


def test_the_audit_log_has_every_command_and_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    root = tmp_path / "app"
    judged(root, "codex", "exec_command", {"cmd": "git push", "command": "ls"})
    judged(root, "claude", "Write", {"file_path": RULES, "command": "view", "path": "src/x"})
    paths = map(Path, audit_log.audit_files(audit_folder()))
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    verdicts = [line for line in lines if line["kind"] == "verdict"]
    assert verdicts[0]["command"].splitlines() == ["ls", "git push"]
    assert verdicts[1]["files"] == [f"write {RULES}", "write src/x"]
