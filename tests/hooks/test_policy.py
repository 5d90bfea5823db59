"""What a policy holds over a tree, as an agent and a person see it by the hook."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.storage import audit_log
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.pinned_content import is_pinned_path, scan_content
from synapse_ls.workspace.tree_loader import load_tree
from synapse_ls.workspace.user_folders import audit_folder
from tests.hooks.hook_clients import Claude
from tests.policies import place_machine_policy, place_user_policy, write_policy
from tests.trees import TEAM, write_tree

FILES = {
    ".synapse/manifest": TEAM[".synapse/manifest"]
    + "        AGENT_DEVOPS_STATE=active\n        AGENT_DEVOPS_AGENT_TRIGGER=devops\n",
    ".synapse/agent-devops": "AGENT_DEVOPS_AUTH_0=EXCLUSIVE: git push\n",
}
ENFORCE = "[policy]\nname = 'Example Corp'\n[guard]\nmode = 'enforce'\n"


def client(root: Path, config: str = "") -> Claude:
    return Claude(write_tree(root, {**TEAM, **FILES, ".synapse/config.toml": config}))


def decision(agent: Claude, command: str = "git push") -> str:
    tool: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": command}}
    reply = agent.send("PreToolUse", **tool)
    return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", "allow"))


@pytest.mark.parametrize("mode", ["off", "warn", "enforce"])
def test_a_repository_cannot_lower_the_guard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", ENFORCE)
    agent = client(tmp_path / "app", f"[guard]\nmode = '{mode}'\n")
    agent.prompt("@dev go on")
    assert decision(agent) == "deny"


@pytest.mark.parametrize(
    ("policy", "here", "kept"), [("", 1, 100), ("", 200, 200), ("megabytes = 5\n", 200, 5)]
)
def test_a_repository_cannot_shorten_the_audit_log_that_a_policy_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str, here: int, kept: int
) -> None:
    place_user_policy(monkeypatch, tmp_path / "home", f"[audit]\nenabled = true\n{policy}")
    agent = client(tmp_path / "app", f"[audit]\nmegabytes = {here}\n")
    loaded = load_tree(str(agent.root), LoadScope.PROMPT)
    assert loaded.index.snapshot().config.audit.megabytes == kept


def test_nor_one_that_another_tree_wants(tmp_path: Path) -> None:
    agent = client(tmp_path / "app", "[audit]\nenabled = true\nmegabytes = 1\n")
    loaded = load_tree(str(agent.root), LoadScope.PROMPT)
    assert loaded.index.snapshot().config.audit.megabytes == 100


def test_nor_can_a_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", ENFORCE)
    place_user_policy(monkeypatch, tmp_path / "home", "[guard]\nmode = 'off'\n")
    agent = client(tmp_path / "app")
    agent.prompt("@dev go on")
    assert decision(agent) == "deny"


@pytest.mark.parametrize(
    "name", ["SYNAPSE_LS_CONFIG", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"]
)
def test_nor_does_an_environment_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", ENFORCE)
    elsewhere = tmp_path / "elsewhere"
    for folder in (elsewhere, elsewhere / ".config" / "synapse-ls", elsewhere / "synapse-ls"):
        folder.mkdir(parents=True, exist_ok=True)
        write_policy(folder, "[guard]\nmode = 'off'\n")
    monkeypatch.setenv(name, str(elsewhere))
    agent = client(tmp_path / "app", "[guard]\nmode = 'off'\n")
    agent.prompt("@dev go on")
    assert decision(agent) == "deny"


def test_no_environment_variable_says_where_the_policy_of_the_machine_is() -> None:
    code = "from synapse_ls.workspace.user_folders import policy_files as f; print(f()[1])"
    variables = ("SYNAPSE_LS_CONFIG", "HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "ProgramFiles")
    plain, moved = (
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **dict.fromkeys(variables, value)} if value else None,
            capture_output=True,
            check=True,
        ).stdout
        for value in ("", "/elsewhere")
    )
    assert plain == moved != b""


def test_a_repository_may_be_stricter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", "[guard]\nmode = 'warn'\n")
    agent = client(tmp_path / "app", "[guard]\nmode = 'enforce'\n")
    agent.prompt("@dev go on")
    assert decision(agent) == "deny"


def test_a_policy_that_comes_holds_from_the_next_event_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = place_machine_policy(monkeypatch, tmp_path / "etc", "")
    file.unlink()
    agent = client(tmp_path / "app", "[guard]\nmode = 'off'\n")
    agent.prompt("@dev go on")
    assert decision(agent) == "allow"
    write_policy(tmp_path / "etc", ENFORCE)
    assert decision(agent) == "deny"


@pytest.mark.parametrize(
    "text", ["[guard\n", "[guard]\nmode = 'enforcee'\n", "[memory]\nenabeld = false\n", "x = 1\n"]
)
def test_a_policy_with_a_mistake_holds_strictly_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", text)
    agent = client(tmp_path / "app")
    assert "A policy cannot be believed" in agent.prompt("@dev go on")
    assert decision(agent) == "deny"


@pytest.mark.skipif(os.name == "nt", reason="its folder is the administrator's")
def test_a_policy_that_others_may_write_holds_strictly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = place_machine_policy(monkeypatch, tmp_path / "etc", "[guard]\nmode = 'off'\n")
    file.chmod(0o666)
    agent = client(tmp_path / "app")
    agent.prompt("@dev go on")
    assert decision(agent) == "deny"


@pytest.mark.skipif(os.name == "nt", reason="its folder is the administrator's")
def test_a_policy_that_others_may_write_still_forbids_clients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = place_machine_policy(monkeypatch, tmp_path / "etc", "[policy]\nclients = ['codex']\n")
    file.chmod(0o666)
    reply = client(tmp_path / "app").send("UserPromptSubmit", prompt="@dev go on")
    assert "does not allow this client" in reply["systemMessage"]


@pytest.mark.parametrize(
    "text",
    [
        "[policy]\nclients = ['codexx']\n",
        "[policy]\nclient = ['codex']\n",
        "[policy]\nclietns = ['codex']\n",
        "[policy]\nallowed_clients = ['codex']\n",
        "policy = { clients = ['codex' }\n",
    ],
)
def test_where_nobody_can_read_which_clients_a_policy_lists_none_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", text)
    reply = client(tmp_path / "app").send("UserPromptSubmit", prompt="@dev go on")
    assert "does not allow this client" in reply["systemMessage"]


@pytest.mark.skipif(os.name == "nt", reason="its folder is the administrator's")
@pytest.mark.parametrize("opened", ["file", "folder"])
def test_rights_that_change_count_from_the_next_event_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: str
) -> None:
    file = place_machine_policy(monkeypatch, tmp_path / "etc", "[guard]\nmode = 'off'\n")
    agent = client(tmp_path / "app", "[guard]\nmode = 'off'\n")
    agent.prompt("@dev go on")
    assert decision(agent) == "allow"
    place = file if opened == "file" else file.parent
    rights = place.stat().st_mode
    place.chmod(0o777)
    assert decision(agent) == "deny"
    place.chmod(rights)
    assert decision(agent) == "allow"


def test_a_tree_without_a_pin_is_not_served_where_a_policy_wants_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    place_machine_policy(
        monkeypatch, tmp_path / "etc", "[policy]\nname = 'Example Corp'\npins = true\n"
    )
    agent = client(tmp_path / "app")
    reply = agent.send("UserPromptSubmit", prompt="go on")
    assert "hookSpecificOutput" not in reply
    assert "is not pinned, and the policy Example Corp" in reply["systemMessage"]


def test_a_client_that_a_policy_does_not_list_is_given_no_rules_and_the_guard_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "[policy]\nname = 'Example Corp'\nclients = ['codex']\n[guard]\nmode = 'enforce'\n"
    place_machine_policy(monkeypatch, tmp_path / "etc", text)
    agent = client(tmp_path / "app")
    reply = agent.send("UserPromptSubmit", prompt="@dev go on")
    assert "hookSpecificOutput" not in reply
    assert "does not allow this client" in reply["systemMessage"]
    assert decision(agent) == "ask"  # nobody knows which agent is active


def of_user(agent: Claude, folder: Path, name: str, **fields: Any) -> dict[str, Any]:
    """The reply of the hook of a person."""
    replies: list[dict[str, Any]] = []
    raw = {"session_id": "s", "cwd": str(folder), "hook_event_name": name, **fields}
    event = agent.host.parse_event(raw, name)
    dispatch_event(event, agent.host, replies.append, scope="user", clock=lambda: agent.now)
    return replies[0]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("git config core.hooksPath evil", "ask"),
        ("rm -rf .synapse", "ask"),
        ("rm -rf ../.synapse", "ask"),
        ("rm ../.claude/settings.json", "ask"),
        ("git push", "allow"),
    ],
)
def test_the_guard_of_a_policy_holds_in_a_tree_that_is_not_trusted_without_a_word_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, answer: str
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", f"{ENFORCE}[audit]\nenabled = true\n")
    agent = client(tmp_path / "app")
    (tmp_path / "app/.git").mkdir()
    inner = write_tree(
        tmp_path / "app/pkg", {**TEAM, **FILES, ".synapse/config.toml": "[guard]\nmode = 'off'\n"}
    )
    assert "hookSpecificOutput" not in of_user(agent, inner, "UserPromptSubmit", prompt="@dev go")
    tool = {"tool_name": "Bash", "tool_input": {"command": command}}
    reply = of_user(agent, inner, "PreToolUse", **tool)
    assert reply.get("hookSpecificOutput", {}).get("permissionDecision", "allow") == answer
    log = Path(audit_folder()) / audit_log.NAME
    assert log.is_file() == (answer == "ask")


def test_no_digest_is_kept_where_a_policy_forbids_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", "[memory]\ndigests = false\n")
    agent = client(tmp_path / "app", "[memory]\ndigests = true\n")
    agent.uses(9_000)
    agent.prompt("go on")
    agent.send("SessionEnd", reason="exit")
    assert not list((tmp_path / "app").rglob("digests/*.md"))
    assert not list((tmp_path / "app").rglob("continuation/*.md"))


def test_no_memory_is_kept_where_a_policy_forbids_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", "[memory]\nenabled = false\n")
    agent = client(tmp_path / "app", "[memory]\nenabled = true\n")
    agent.prompt("go on")
    for _ in range(4):
        agent.send(
            "PostToolUseFailure",
            tool_name="Bash",
            tool_input={"command": "npm test"},
            error="Error: connect ECONNREFUSED 127.0.0.1:5432",
        )
    agent.prompt("No, always use pnpm instead of npm in this project.")
    agent.send("SessionEnd", reason="exit")
    assert not list((tmp_path / "app").rglob("mem-*.md"))


def test_settings_are_taken_over_from_files_and_the_trees_own_come_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "app"
    write_tree(root, {"shared/guard.toml": "[guard]\nmode = 'enforce'\n"})
    agent = client(root, "extends = ['shared/guard.toml']\n")
    agent.prompt("@dev go on")
    assert decision(agent) == "deny"
    write_tree(
        root, {".synapse/config.toml": "extends = ['shared/guard.toml']\n[guard]\nmode='off'\n"}
    )
    assert decision(agent) == "allow"


def test_what_cannot_be_taken_over_has_the_guard_enforce(tmp_path: Path) -> None:
    agent = client(tmp_path / "app", "extends = ['shared/gone.toml']\n")
    assert "there is no such file" in agent.prompt("@dev go on")
    assert decision(agent) == "deny"


def test_a_broken_file_that_settings_are_taken_over_from_has_the_guard_enforce(
    tmp_path: Path,
) -> None:
    write_tree(tmp_path / "app", {"shared/lint.toml": "[lint\n"})
    agent = client(tmp_path / "app", "extends = ['shared/lint.toml']\n")
    text = agent.prompt("@dev go on")
    assert "so nothing of it is taken over, and the guard enforces" in text
    assert decision(agent) == "deny"


def test_a_file_that_settings_are_taken_over_from_is_pinned_with_the_tree(tmp_path: Path) -> None:
    client(tmp_path / "app", "extends = ['shared/guard.toml', 'user:mine.toml']\n")
    write_tree(tmp_path / "app", {"shared/guard.toml": "[guard]\nmode = 'enforce'\n"})
    digests, stamps = scan_content(str(tmp_path / "app"))
    assert "shared/guard.toml" in digests and "shared/guard.toml" in stamps
    assert is_pinned_path(str(tmp_path / "app"), "shared/guard.toml")


def test_it_is_protected_while_the_guard_enforces(tmp_path: Path) -> None:
    agent = client(tmp_path / "app", "extends = ['shared/guard.toml']\n")
    write_tree(tmp_path / "app", {"shared/guard.toml": "[guard]\nmode = 'enforce'\n"})
    agent.prompt("@dev go on")
    assert decision(agent, "sed -i s/enforce/off/ shared/guard.toml") == "ask"
